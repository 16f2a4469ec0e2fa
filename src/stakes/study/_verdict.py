"""How near to the best of all a way to decide comes."""

from stakes.compare import contestants
from stakes.compare._contestants import RECOMMENDED
from stakes.study._field import TUNED


def verdict(record, name=RECOMMENDED):
    """Set by set: the best of all, and how far above it this one is.

    Returns
    -------
    list of dict
        With `name`, `best`, `best_cost`, `recommended_cost`, `excess` and `tied`.
    """
    found = []
    for one in record["sets"]:
        facts = {f["learner"]: f for f in one["learners"]}
        best, ours = one["learners"][0], facts[name]
        found.append(
            {
                "name": one["name"],
                "best": best["learner"],
                "best_cost": best["cost_per_1000"],
                "recommended_cost": ours["cost_per_1000"],
                "excess": ours["cost_per_1000"] / best["cost_per_1000"] - 1,
                "tied": ours["tied_with_best"],
            }
        )
    return found


def excess(record):
    """Learner -> mean and worst relative cost above the best of each set, and the worst set."""
    everywhere = set.intersection(
        *({f["learner"] for f in one["learners"]} for one in record["sets"])
    )
    found = {}
    for name in everywhere:
        above = [(v["excess"], v["name"]) for v in verdict(record, name)]
        worst, where = max(above)
        mean = sum(one for one, _ in above) / len(above)
        found[name] = {"mean": mean, "worst": worst, "where": where}
    return found


def short_list(record):
    """What `stakes compare` runs unasked, tuned where it can be."""
    there = {f["learner"] for one in record["sets"] for f in one["learners"]}
    unasked = [c.name for c in contestants()]
    return [name + TUNED if name + TUNED in there else name for name in unasked]
