"""How near to the best of all the library's own advice comes."""

from stakes.compare import contestants
from stakes.study._excess import above_best
from stakes.study._field import TUNED
from stakes.study._rules import Facts, advised


def verdict(record):
    """Set by set: the best of all, what the library advises, and how far above the best it is.

    Parameters
    ----------
    record : dict
        Of :func:`~stakes.study.make_record`.

    Returns
    -------
    list of dict
        With `name`, `best`, `best_cost`, `advised`, `advised_cost`, `excess` and `tied`; without
        the sets on which the advised learner did not run.
    """
    found = []
    for one in record["sets"]:
        facts = {f["learner"]: f for f in one["learners"]}
        name = advised(Facts(one["rows"], one["positives"])).learner(record)
        if name in facts:
            best = one["learners"][0]
            found.append(
                {
                    "name": one["name"],
                    "best": best["learner"],
                    "best_cost": best["cost_per_1000"],
                    "advised": name,
                    "advised_cost": facts[name]["cost_per_1000"],
                    "excess": above_best(one, name),
                    "tied": facts[name]["tied_with_best"],
                }
            )
    return found


def short_list(record):
    """What `stakes compare` runs unasked, tuned where it can be."""
    there = {f["learner"] for one in record["sets"] for f in one["learners"]}
    unasked = [c.name for c in contestants()]
    return [name + TUNED if name + TUNED in there else name for name in unasked]
