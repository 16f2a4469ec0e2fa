"""Pass costs to the step that decides, and warn if a constant policy would be cheaper."""

import inspect
import warnings
from contextlib import contextmanager
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.utils.validation import column_or_1d

from stakes._core.sklearn_private import num_samples, safe_indexing
from stakes._core.words import shown
from stakes.errors import BelowTrivialWarning

# a false negative of one class is a false positive of the other
_OF_THE_OTHER_CLASS = {
    "fp_cost": "fn_cost",
    "fn_cost": "fp_cost",
    "tp_cost": "tn_cost",
    "tn_cost": "tp_cost",
}
# methods that decide alike: from the rows, and from their probabilities
_PAIR = ("predict", "_predict_from")


def final_step(estimator):
    """The final estimator inside searches and pipelines, and the transformers before it.

    Returns
    -------
    (estimator, list of transformers)
    """
    before = []
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps") and hasattr(estimator, "named_steps"):
            # imbalanced-learn samplers only act in fit
            before += [
                step
                for _, step in estimator.steps[:-1]
                if step not in (None, "passthrough") and not hasattr(step, "fit_resample")
            ]
            estimator = estimator.steps[-1][1]
        else:
            return estimator, before


def takes_costs(estimator, method="predict"):
    """Whether a method of the final estimator takes the four cost arguments."""
    decider, _ = final_step(estimator)
    function = getattr(decider, method, None)
    return function is not None and "fp_cost" in inspect.signature(function).parameters


def predict_with_costs(estimator, X, *, pos_label=None, **costs):
    """Call `predict` so that the costs reach the final estimator.

    Fitted searches and pipelines only pass costs on if metadata routing is enabled, so they are
    unwrapped here. An estimator that takes no costs, or has no probabilities to weigh them with,
    is called without them. The costs refer to `pos_label`, those of `predict` to `classes_[1]`;
    they are swapped if that is the other class.
    """
    if not takes_costs(estimator) or not hasattr(estimator, "predict_proba"):
        return estimator.predict(X)
    decider, before = final_step(estimator)
    for step in before:
        X = step.transform(X)
    if pos_label is not None and decider.classes_[0] == pos_label:
        costs = {_OF_THE_OTHER_CLASS.get(name, name): cost for name, cost in costs.items()}
    if (
        "cost_matrix" in costs
        and "cost_matrix" not in inspect.signature(decider.predict).parameters
    ):
        costs = {name: cost for name, cost in costs.items() if name != "cost_matrix"}
    return decider.predict(X, **costs)


def decide_with_costs(estimator, X, **costs):
    """Decisions of :func:`predict_with_costs` and the probabilities of the positive class.

    The rows are encoded once. A learner of the library that decides by its probabilities computes
    them once; others, whose `predict` may follow another rule, are asked for both.

    Returns
    -------
    (ndarray of shape (n,), ndarray of shape (n,) or None)
        Labels, and probabilities of `classes_[1]`; None if the estimator gives none.
    """
    decider, before = final_step(estimator)
    for step in before:
        X = step.transform(X)
    if not hasattr(decider, "predict_proba"):
        return predict_with_costs(decider, X, **costs), None
    probabilities = np.asarray(decider.predict_proba(X), dtype=np.float64)
    given = any(cost is not None for cost in costs.values())
    if given and _decides_by_probability(type(decider)):
        decided = decider._predict_from(probabilities, **costs)
    else:
        decided = predict_with_costs(decider, X, **costs)
    return decided, probabilities[:, 1]


def _decides_by_probability(cls):
    """Whether `predict` is the one that `_predict_from` was written for, not one below it."""
    written = [next((c for c in cls.__mro__ if name in vars(c)), None) for name in _PAIR]
    return None not in written and issubclass(written[1], written[0])


def row_count(X):
    """Number of rows of any accepted kind of table."""
    return num_samples(X)


def take_rows(X, rows):
    """Selected rows of any accepted kind of table; the table itself if all rows are selected."""
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
        f"to 1). Got {shown(value)} instead."
    )


def check_certificate(certificate, n, name="certificate"):
    """Return the error bounds of n predictions as float64, checked to be probabilities."""
    certificate = np.asarray(certificate, dtype=np.float64)
    certificate = column_or_1d(np.full(n, certificate) if certificate.ndim == 0 else certificate)
    if len(certificate) != n:
        raise ValueError(f"{name} must have {n} values. Got {len(certificate)} instead.")
    if not ((certificate >= 0) & (certificate <= 1)).all():
        raise ValueError(f"{name} must contain probabilities between 0 and 1.")
    return certificate


ENOUGH = 100  # rows of a stream needed for a meaningful comparison
MOST_ROWS = 500  # checked per class: enough to detect a loss, few enough to be fast


def spread_rows(positive, most=MOST_ROWS):
    """At most `most` evenly spaced rows of each class, and how many rows each one represents.

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
    """Warn if the decisions cost more than the best constant policy.

    Parameters
    ----------
    learner : estimator
        The learner that decided.
    costs : Costs of length n
        Costs of the rows.
    positive, decided : ndarray of bool of shape (n,)
        True classes and decisions.
    weight : ndarray of shape (n,)
        How many rows each one represents, see :func:`spread_rows`. If rows were sampled, the
        difference must exceed twice its standard error.
    where : str
        Description of the rows, for the message.
    stacklevel : int, default=2
        As in :func:`warnings.warn`, relative to the caller.

    Returns
    -------
    bool
        Whether a warning was issued.
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
    # no numbers in the message, so that a search with many such fits warns only once
    warnings.warn(
        f"The decisions of {type(learner).__name__} on {where} cost more than always predicting "
        f"{('negative', 'positive')[best]}: scale the features, tune the learner, or use another "
        "one.",
        BelowTrivialWarning,
        stacklevel=stacklevel + 1,
    )
    return True


def warn_many_below_trivial(learner, costs, X, y, sample_weight, decisions):
    """Warn if the decisions on the training rows cost more than the best constant decision.

    Parameters
    ----------
    learner : classifier
        The fitted learner.
    costs : CostMatrix
        Costs of its classes and decisions, the same for all rows or those of each one.
    X, y, sample_weight
        The training rows, of which at most 1,000 are checked.
    decisions : sequence
        What `predict` returns, in the order of the columns of the costs.
    """
    rows = np.unique(np.linspace(0, row_count(y) - 1, 1000).astype(np.intp))
    truth = np.searchsorted(learner.classes_, column_or_1d(y)[rows])
    weight = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight)[rows]
    place = {decision: j for j, decision in enumerate(np.asarray(decisions).tolist())}
    costs = costs[rows]
    given = {} if costs.table.ndim == 2 else {"cost_matrix": costs.table}
    decided = np.asarray(learner.predict(take_rows(X, rows), **given)).tolist()
    decided = [place[one] for one in decided]
    answers = [weight @ costs.paid(truth, np.full_like(truth, j)) for j in range(len(place))]
    excess = weight @ costs.paid(truth, decided) - min(answers)
    if excess > 1e-9 * (weight @ costs.regret(truth)):
        warnings.warn(
            f"The decisions of {type(learner).__name__} on its own training rows cost more than "
            f"always predicting {shown(decisions[int(np.argmin(answers))])}: tune the learner, or "
            "use another one.",
            BelowTrivialWarning,
            stacklevel=5,
        )


@contextmanager
def only_scores_count():
    """Silence the warning for a learner whose scores are used but whose decisions are not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BelowTrivialWarning)
        yield


def warn_if_costs_got_lost(model, given):
    """Say how costs reach `score` in a search or cross-validation of scikit-learn."""
    lost = getattr(model, "_fit_had_costs", False) and all(c is None for c in given.values())
    if lost and not get_config()["enable_metadata_routing"]:
        warnings.warn(
            "fit was given costs and score was not, so all mistakes count the same here. In "
            "GridSearchCV and cross_val_score, costs are passed on after "
            "sklearn.set_config(enable_metadata_routing=True).",
            UserWarning,
            stacklevel=3,
        )
