"""How far above the best of all a way to decide is, set by set."""


def above_best(one, name):
    """Relative cost above the best of one set of a record."""
    costs = {f["learner"]: f["cost_per_1000"] for f in one["learners"]}
    return costs[name] / one["learners"][0]["cost_per_1000"] - 1


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
        that finished on every set.
    """
    everywhere = set.intersection(
        *({f["learner"] for f in one["learners"]} for one in record["sets"])
    )
    found = {}
    for name in sorted(everywhere):
        above = [(above_best(one, name), one["name"]) for one in record["sets"]]
        worst, where = max(above)
        mean = sum(one for one, _ in above) / len(above)
        found[name] = {"mean": mean, "worst": worst, "where": where}
    return found
