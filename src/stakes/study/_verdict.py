"""How close the library's own advice comes to the best contestant."""

from stakes.compare import contestants
from stakes.study._record import above_best
from stakes.study._rules import Facts, advised
from stakes.study._run import TUNED


def verdict(record):
    """The best and the advised contestant of each data set, and the difference in cost.

    Parameters
    ----------
    record : dict
        Of :func:`~stakes.study.make_record`.

    Returns
    -------
    list of dict
        With `name`, `best`, `best_cost`, `advised`, `advised_cost`, `excess` and `tied`; data
        sets on which the advised learner did not run are left out.
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
    """What `stakes compare` runs by default, tuned where there is a grid."""
    there = {f["learner"] for one in record["sets"] for f in one["learners"]}
    default = [c.name for c in contestants()]
    return [name + TUNED if name + TUNED in there else name for name in default]
