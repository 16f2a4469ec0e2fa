"""How far above the best of all a way to decide is, set by set."""

from math import inf
from statistics import geometric_mean


def above_best(one, name):
    """Relative cost above the best of one set of a record; infinite if the best paid nothing."""
    cost = next(f["cost_per_1000"] for f in one["learners"] if f["learner"] == name)
    best = one["learners"][0]["cost_per_1000"]
    if cost == best:
        return 0.0
    return cost / best - 1 if best > 0 else inf


def excess(record):
    """How far each way to decide is above the best of each set.

    Parameters
    ----------
    record : dict
        Of :func:`~stakes.study.make_record`.

    Returns
    -------
    dict
        Learner -> `mean` and `worst` relative cost above the best, and `where` it is worst; those
        that finished on every set. The mean is the geometric one of the ratios: a set on which
        the best cost next to nothing does not outvote the others.
    """
    everywhere = set.intersection(
        *({f["learner"] for f in one["learners"]} for one in record["sets"])
    )
    found = {}
    for name in sorted(everywhere):
        above = [(above_best(one, name), one["name"]) for one in record["sets"]]
        worst, where = max(above)
        mean = geometric_mean([1 + one for one, _ in above]) - 1
        found[name] = {"mean": mean, "worst": worst, "where": where}
    return found
