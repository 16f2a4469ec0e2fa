"""How costs reach the step that decides, and a warning where a constant policy is cheaper."""

import inspect
import warnings
from contextlib import contextmanager
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.utils.validation import column_or_1d

from stakes._core.sklearn_private import num_samples, safe_indexing
from stakes.errors import BelowTrivialWarning

# a miss of one class is a false alarm of the other
_OF_THE_OTHER_CLASS = {
    "fp_cost": "fn_cost",
    "fn_cost": "fp_cost",
    "tp_cost": "tn_cost",
    "tn_cost": "tp_cost",
}


def final_step(estimator):
    """The estimator that decides inside searches and pipelines, and what is run before it.

    Returns
    -------
    (estimator, list of transformers)
    """
    before = []
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps") and hasattr(estimator, "named_steps"):
            # the samplers of imbalanced-learn act in fit only
            before += [
                step
                for _, step in estimator.steps[:-1]
                if step not in (None, "passthrough") and not hasattr(step, "fit_resample")
            ]
            estimator = estimator.steps[-1][1]
        else:
            return estimator, before


def takes_costs(estimator, method="predict"):
    """Whether a method of the deciding step has the four cost arguments."""
    decider, _ = final_step(estimator)
    function = getattr(decider, method, None)
    return function is not None and "fp_cost" in inspect.signature(function).parameters


def predict_with_costs(estimator, X, *, pos_label=None, **costs):
    """Call `predict` so that the costs reach the step that decides.

    Goes through fitted searches and pipelines by hand, since those pass costs on only when
    metadata routing is on. An estimator that takes no costs, or that has no probabilities to weigh
    them with, is asked without them. The costs are those of `pos_label`; `predict` takes those of
    `classes_[1]`, so they are turned round where that is the other class.
    """
    if not takes_costs(estimator) or not hasattr(estimator, "predict_proba"):
        return estimator.predict(X)
    decider, before = final_step(estimator)
    for step in before:
        X = step.transform(X)
    if pos_label is not None and decider.classes_[0] == pos_label:
        costs = {_OF_THE_OTHER_CLASS[name]: cost for name, cost in costs.items()}
    return decider.predict(X, **costs)


def row_count(X):
    """How many rows a table of any accepted kind has."""
    return num_samples(X)


def take_rows(X, rows):
    """Some rows, in their order, of a table of any accepted kind; all of them: the table itself."""
    if len(rows) == row_count(X):
        return X
    return safe_indexing(X.tocsr() if sparse.issparse(X) else X, rows)


def row_limit(name, value, n):
    """Return the number of rows, at most n, that a number or a share of them stands for.

    Examples
    --------
    >>> row_limit("max_alerts", 0.25, 10), row_limit("max_alerts", 25, 10)
    (2, 10)
    """
    if isinstance(value, Integral) and not isinstance(value, bool) and value >= 0:
        return min(int(value), n)
    if isinstance(value, Real) and not isinstance(value, Integral) and 0 <= value <= 1:
        return int(value * n + 1e-9)
    raise ValueError(
        f"{name} must be a number of rows (an integer from 0) or a share of them (a float from 0 "
        f"to 1). Got {value!r} instead."
    )


def check_certificate(certificate, n):
    """Return the error bounds of n predictions as float64, checked to be probabilities."""
    certificate = column_or_1d(np.asarray(certificate, dtype=np.float64))
    if len(certificate) != n:
        raise ValueError(f"certificate must have {n} values. Got {len(certificate)} instead.")
    if not ((certificate >= 0) & (certificate <= 1)).all():
        raise ValueError("certificate must contain probabilities between 0 and 1.")
    return certificate


ENOUGH = 100  # rows of a stream before a comparison says something
MOST_ROWS = 500  # of each class that are looked at: enough to see it, few enough to cost nothing


def spread_rows(positive, most=MOST_ROWS):
    """At most so many rows of each class, spread evenly, in order; how many rows each stands for.

    Examples
    --------
    >>> rows, weight = spread_rows(np.arange(10) >= 8, most=4)
    >>> rows.tolist(), weight.tolist()
    ([0, 2, 4, 7, 8, 9], [2.0, 2.0, 2.0, 2.0, 1.0, 1.0])
    """
    positive = np.asarray(positive, dtype=bool)
    sides = [side for side in (np.flatnonzero(~positive), np.flatnonzero(positive)) if len(side)]
    drawn = [side[np.unique(np.linspace(0, len(side) - 1, most).astype(np.intp))] for side in sides]
    weight = [np.full(len(d), len(s) / len(d)) for s, d in zip(sides, drawn, strict=True)]
    rows, weight = np.concatenate(drawn), np.concatenate(weight)
    order = np.argsort(rows)
    return rows[order], weight[order]


def warn_below_trivial(learner, costs, positive, decided, weight, *, where, stacklevel=2):
    """Warn if the decisions cost more than the better of "always negative", "always positive".

    Parameters
    ----------
    learner : estimator
        Whose decisions these are.
    costs : Costs of length n
        What each of the rows may cost.
    positive, decided : ndarray of bool of shape (n,)
        What the rows are, and what was said of them.
    weight : ndarray of shape (n,)
        How many rows each stands for, see :func:`spread_rows`. Where some stand for others, the
        difference has to be larger than twice its standard error.
    where : str
        Which rows these are, for the sentence.
    stacklevel : int, default=2
        As in :func:`warnings.warn`, counted from the caller.

    Returns
    -------
    bool
        Whether it warned.
    """
    paid = costs.paid(positive, decided)
    answers = [costs.paid(positive, np.full(len(positive), answer)) for answer in (False, True)]
    totals = [float(weight @ answer) for answer in answers]
    best = int(totals[1] < totals[0])
    excess, variance = paid - answers[best], 0.0
    for side in (positive, ~positive):
        n, total = int(side.sum()), weight[side].sum()
        if n > 1 and total > n:
            variance += total * (total - n) / n * excess[side].var(ddof=1)
    rounding = 1e-9 * float(weight @ costs.regret(positive))
    if weight @ excess <= 2.0 * np.sqrt(variance) + rounding:
        return False
    # no numbers in it: a search with many such fits says one thing
    warnings.warn(
        f"The decisions of {type(learner).__name__} cost more on {where} than always "
        f"{('negative', 'positive')[best]}: bring the features to one scale, tune it, or take "
        "another learner.",
        BelowTrivialWarning,
        stacklevel=stacklevel + 1,
    )
    return True


@contextmanager
def only_scores_count():
    """Do not warn of a learner whose scores are wanted and whose decisions nobody follows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BelowTrivialWarning)
        yield
