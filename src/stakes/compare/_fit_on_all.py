"""The winner on all rows: what is deployed."""

from stakes._core.learners import match_name
from stakes.compare._contestants import TRIVIAL, contestants
from stakes.compare._fit_one import fit_contestant
from stakes.compare._trivial_guard import POLICY
from stakes.errors import InputError


def fit_on_all(name, data, *, random_state=0, tune=True):
    """Fit a contestant of a comparison on all rows, tuned on cost inside them.

    Parameters
    ----------
    name : str
        As a report calls it.
    data : PricedData
        What to fit on.
    random_state : int, default=0
        Seed of everything that is drawn.
    tune : bool, default=True
        Whether its grid is searched.

    Returns
    -------
    (Pipeline, dict)
        The fitted model, and the settings that tuning chose.

    Examples
    --------
    >>> from stakes.datasets import load
    >>> model, _ = fit_on_all("logistic regression, Bayes decision", load("german"), tune=False)
    >>> model.named_steps["learner"].classes_.tolist()
    [0, 1]
    """
    model, chosen, _ = fit_contestant(contestant_for(name, data), data, random_state, tune)
    if POLICY in chosen:
        raise InputError(
            f"{name} lost to the rule {TRIVIAL[chosen[POLICY]]!r} on rows it had not seen; name "
            "another learner, or train it without tuning."
        )
    return model, chosen


def contestant_for(name, data):
    """The contestant of that name, if it can be fitted on these rows."""
    if name in TRIVIAL:
        raise InputError(f"The rule {name!r} needs no model; name a learner to train another.")
    by_name = {c.name: c for c in contestants(["all"]) if c.name not in TRIVIAL}
    contestant = by_name[match_name(name, by_name)]
    if contestant.max_rows is not None and len(data) > contestant.max_rows:
        raise InputError(
            f"{contestant.name} takes at most {contestant.max_rows:,} rows and {data.name} has "
            f"{len(data):,}; choose another learner or fewer rows."
        )
    return contestant
