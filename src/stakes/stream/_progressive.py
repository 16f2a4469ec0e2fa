"""Progressive validation: decide, pay, then learn, one event after the other."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import column_or_1d

from stakes._core.deciding import row_count, takes_costs
from stakes._core.docs import documented
from stakes._core.intake import check_weights
from stakes._core.labels import stream_classes
from stakes._core.words import shown
from stakes.costs import Costs
from stakes.stream._delay import tell_delay


@dataclass(frozen=True, eq=False)
class ProgressiveResult:
    """Decisions and costs of a learner, event by event; returned by :func:`progressive`.

    Attributes
    ----------
    positive, decided : ndarray of bool of shape (n,)
        Class of each event, and the decision made before its label was known.
    probability : ndarray of shape (n,)
        Probability of the positive class at that moment; NaN if the learner gives none.
    paid, never, always : ndarray of shape (n,)
        Cost of each event: as decided, without acting, and with acting.
    model : estimator
        The learner after the last label.
    """

    positive: np.ndarray
    decided: np.ndarray
    probability: np.ndarray
    paid: np.ndarray
    never: np.ndarray
    always: np.ndarray
    model: object

    @property
    def cost(self):
        """Total paid up to each event."""
        return np.cumsum(self.paid)

    @property
    def best_fixed(self):
        """Cost of the better constant policy, never or always acting, up to each event."""
        return np.minimum(np.cumsum(self.never), np.cumsum(self.always))

    @property
    def regret(self):
        """Amount paid beyond the best constant policy up to each event; negative is a gain."""
        return self.cost - self.best_fixed

    @property
    def savings(self):
        """Share of the best constant policy's cost that was saved up to each event."""
        base = self.best_fixed
        out = np.full(len(base), np.nan)
        return np.divide(-self.regret, np.abs(base), out=out, where=base != 0)

    def weighted_sum(self, positive_weight=0.5):
        """Weighted sum of sensitivity and specificity up to each event; NaN until both occur."""
        right = self.positive == self.decided
        rates = []
        for of_class in (self.positive, ~self.positive):
            n = np.cumsum(of_class)
            hits = np.cumsum(of_class & right)
            rates.append(np.divide(hits, n, out=np.full(len(n), np.nan), where=n > 0))
        return positive_weight * rates[0] + (1 - positive_weight) * rates[1]

    def __str__(self):
        return (
            f"{len(self.paid):,} events, {self.positive.sum():,} positive: paid "
            f"{self.cost[-1]:,.2f}; always negative {self.never.sum():,.2f}, always positive "
            f"{self.always.sum():,.2f}; savings {self.savings[-1]:.3f}."
        )


@documented()
def progressive(
    model,
    X,
    y,
    *,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    sample_weight=None,
    delay=0,
    classes=None,
    decide="cost",
    prior=0.5,
):
    """Evaluate a learner on a stream as it would have been used: decide, pay, then learn.

    Parameters
    ----------
    model : estimator with `partial_fit`
        Changed in place; a fitted one is trained further.
    X : {ndarray, CSR matrix} of shape (n, d)
        The events, in order of time.
    y : array-like of shape (n,)
        Their labels; the larger one is positive.
    [metric_costs]
    [sample_weight]
    delay : int, default=0
        Delay of the labels in events: the decision about event t knows the labels of the events
        before t - delay.
    classes : array-like of shape (2,), default=None
        Both labels, if one may be missing in y.
    decide : {"cost", "sign"}, default="cost"
        By least expected cost under the learner's probability, or by its `predict`. A learner
        without probabilities always decides by its `predict`.
    prior : float, default=0.5
        Probability of the positive class until the first label is learned. If labels come late
        and positives are rare, one half would act on nearly everything until then.

    Returns
    -------
    ProgressiveResult

    Examples
    --------
    >>> from stakes.datasets import make_fraud
    >>> from stakes.online import ProbitClassifier
    >>> data = make_fraud(5_000, random_state=0)
    >>> X = (data.X - data.X[:500].mean(0)) / data.X[:500].std(0)
    >>> progress = progressive(ProbitClassifier(), X, data.y, **data.costs)
    >>> print(round(progress.savings[-1], 2))
    0.59
    """
    if decide not in ("cost", "sign"):
        raise ValueError(f"decide must be 'cost' or 'sign'. Got {decide!r} instead.")
    if not 0 <= prior <= 1:
        raise ValueError(f"prior must be between 0 and 1. Got {shown(prior)} instead.")
    if int(delay) != delay or delay < 0:
        raise ValueError(
            f"delay must be a whole number of events >= 0. Got {shown(delay)} instead."
        )
    if delay:
        tell_delay(model, int(delay))
    y = column_or_1d(y)
    classes = stream_classes(y if classes is None else classes)
    n, positive = row_count(X), y == classes[1]
    costs = Costs.of(n, fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    if sample_weight is not None:
        costs = costs * check_weights(sample_weight, X, ensure_non_negative=True)
    decided, probability = _run(model, X, y, classes, costs.keywords(), int(delay), decide, prior)
    if decided is None:
        decided = costs.decide(probability)
    return ProgressiveResult(
        positive=positive,
        decided=decided,
        probability=probability,
        paid=costs.paid(positive, decided),
        never=costs.paid(positive, np.zeros(n, bool)),
        always=costs.paid(positive, np.ones(n, bool)),
        model=model,
    )


def _run(model, X, y, classes, prices, delay, decide, prior):
    """Decisions (None: by cost, from the probabilities) and probabilities before learning."""
    if delay == 0 and decide == "cost" and hasattr(model, "predict_proba_then_learn"):
        is_new = not hasattr(model, "classes_")
        probability = model.predict_proba_then_learn(X, y, classes, **prices)
        if is_new:
            probability[0] = prior
        return None, probability
    n = row_count(X)
    quick = isinstance(X, np.ndarray) and hasattr(model, "predict_proba_one")
    learn = _learner(model, X, y, classes, prices if takes_costs(model, "partial_fit") else {})
    by_cost = decide == "cost" and hasattr(model, "predict_proba")
    probability = np.full(n, np.nan)
    decided = np.zeros(n, dtype=bool)
    for t in range(n):
        row = X[t : t + 1]
        try:
            if quick:
                probability[t] = model.predict_proba_one(X[t])[classes[1]]
            elif hasattr(model, "predict_proba"):
                probability[t] = model.predict_proba(row)[0, 1]
            if not by_cost:
                decided[t] = model.predict(row)[0] == classes[1]
        except NotFittedError:
            probability[t] = prior if hasattr(model, "predict_proba") else np.nan
        if t >= delay:
            learn(t - delay)
    return (None if by_cost else decided), probability


def _learner(model, X, y, classes, prices):
    """A function that trains the model on event t."""
    if hasattr(model, "learn_one") and prices and not sparse.issparse(X):
        rows = np.ascontiguousarray(X, dtype=np.float64)
        labels, price = y.tolist(), {k: v.tolist() for k, v in prices.items()}

        def learn(t):
            now = {k: v[t] for k, v in price.items()}
            model.learn_one(rows[t], labels[t], classes=None if t else classes, **now)

        return learn

    def learn(t):
        one = slice(t, t + 1)
        now = {k: v[one] for k, v in prices.items()}
        model.partial_fit(X[one], y[one], classes, **now)

    return learn
