"""How sure a metric is: bootstrap intervals, and paired differences between two policies."""

import inspect
import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr, ndtri
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, column_or_1d

from stakes.metrics._intake import positive_column
from stakes.metrics._scorer import READS
from stakes.metrics._sums import SUMS


@dataclass(frozen=True)
class BootstrapInterval:
    """A metric with its interval.

    Attributes
    ----------
    estimate : float
        The metric on all examples.
    low, high : float
        Ends of the interval.
    confidence : float
        Its level.
    values : ndarray of shape (n_boot,)
        The metric on each resample; NaN where it is undefined (a class was not drawn).
    """

    estimate: float
    low: float
    high: float
    confidence: float
    values: np.ndarray = field(repr=False)

    def __str__(self):
        return f"{self.estimate:.4g} [{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True)
class PairedDifference(BootstrapInterval):
    """The difference of a metric between two policies on the same examples, with its interval.

    Attributes
    ----------
    p_value : float
        Two-sided: twice the share of resamples on the rarer side of zero, ties on both sides.
    """

    p_value: float = 1.0


def bootstrap_interval(
    metric,
    y_true,
    y_pred,
    *,
    n_boot=1000,
    confidence=0.95,
    method="percentile",
    random_state=None,
    **options,
):
    """Confidence interval of a metric by resampling the examples together with their costs.

    Parameters
    ----------
    metric : callable
        `metric(y_true, y_pred, **options)`; any of :mod:`stakes.metrics` or your own.
    y_true : array-like of shape (n,)
        Labels.
    y_pred : array-like of shape (n,) or (n, k)
        What the metric reads: decisions, scores or probabilities.
    n_boot : int, default=1000
        Number of resamples.
    confidence : float, default=0.95
        Level of the interval, in (0, 1).
    method : {"percentile", "bca"}, default="percentile"
        Quantiles of the resamples, or those corrected for bias and skewness, which covers better
        when few examples carry most of the cost. The correction leaves out each example once: for
        the metrics that are sums it costs nothing, for others n more calls.
    random_state : int, RandomState or None, default=None
        Seed of the resampling.
    **options
        Passed to the metric; arrays of one value per example are resampled with the rows.

    Returns
    -------
    BootstrapInterval
        Prints as `estimate [low, high]`.

    Notes
    -----
    Metrics that are functions of sums over examples (:func:`cost_loss`,
    :func:`expected_cost_loss`, :func:`savings_score`, :func:`risk_loss`,
    :func:`weighted_sum_score`) are not called again for each resample: its sums are the sums of
    the rows times how often each was drawn.

    Examples
    --------
    >>> from stakes.metrics import cost_loss
    >>> y, d, fn = [0, 1] * 50, [0, 1, 1, 0] * 25, [1.0, 2.0, 3.0, 4.0] * 25
    >>> print(bootstrap_interval(cost_loss, y, d, fn_cost=fn, random_state=0))
    1.25 [0.93, 1.58]
    """
    sample = _Sample(metric, y_true, [y_pred], options)
    values, estimate, left_out = sample.run(n_boot, random_state, jackknife=_check(method))
    low, high = _ends(values, estimate, left_out, confidence, method)
    return BootstrapInterval(estimate, low, high, confidence, values)


def paired_bootstrap(
    metric,
    y_true,
    y_pred,
    y_other,
    *,
    n_boot=1000,
    confidence=0.95,
    method="percentile",
    random_state=None,
    **options,
):
    """Interval of metric(y_pred) - metric(y_other), both on the same resamples.

    Pairing removes the variation that both share (which examples happened to be dear), so it
    tells small differences that two separate intervals do not.

    Parameters
    ----------
    metric, y_true, y_pred, n_boot, confidence, method, random_state, **options
        As in :func:`bootstrap_interval`.
    y_other : array-like
        What the metric reads of the other policy.

    Returns
    -------
    PairedDifference

    Examples
    --------
    >>> from stakes.metrics import cost_loss
    >>> y, ours, today = [0, 1] * 50, [0, 1, 1, 1] * 25, [0, 0, 1, 0] * 25
    >>> result = paired_bootstrap(cost_loss, y, ours, today, fn_cost=3.0, random_state=0)
    >>> print(result, round(result.p_value, 3))
    -1.5 [-1.77, -1.2] 0.002
    """
    sample = _Sample(metric, y_true, [y_pred, y_other], options)
    values, estimate, left_out = sample.run(n_boot, random_state, jackknife=_check(method))
    low, high = _ends(values, estimate, left_out, confidence, method)
    known = values[~np.isnan(values)]
    rarer = min((known <= 0).sum(), (known >= 0).sum())
    p_value = min(1.0, 2 * (1 + rarer) / (1 + len(known)))
    return PairedDifference(estimate, low, high, confidence, values, float(p_value))


class _Sample:
    """The rows of a metric of one policy, or of the difference between two."""

    def __init__(self, metric, y_true, answers, options):
        self.metric, self.y = metric, column_or_1d(y_true)
        self.answers = [np.asarray(answer) for answer in answers]
        for answer in self.answers:
            check_consistent_length(self.y, answer)
        self.n = len(self.y)
        by_row = {name for name, value in options.items() if self._is_by_row(name, value)}
        self.rows = {name: np.asarray(options[name]).ravel() for name in by_row}
        self.fixed = {name: value for name, value in options.items() if name not in by_row}
        self._fix_classes()

    def run(self, n_boot, random_state, jackknife):
        """(metric on each resample, on all examples, and with each example left out or None)."""
        if n_boot < 1:
            raise ValueError(f"n_boot must be at least 1. Got {n_boot!r} instead.")
        # a Generator draws integers many times faster than the RandomState that seeds it
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            evaluate, leave_out = self._by_sums() if self.metric in SUMS else self._by_rows()
            estimate = evaluate(np.ones(self.n, np.intp))
            values = np.empty(n_boot)
            for b in range(n_boot):
                drawn = rng.integers(self.n, size=self.n, dtype=np.int32)
                values[b] = evaluate(np.bincount(drawn, minlength=self.n))
            left_out = [leave_out(i) for i in range(self.n)] if jackknife else None
        return values, estimate, np.array(left_out)

    def _by_rows(self):
        """The metric called again on the rows, each as often as it was drawn."""

        def evaluate(counts):
            drawn = np.repeat(np.arange(self.n), counts)
            return _difference([self._call(answer, drawn) for answer in self.answers])

        return evaluate, lambda i: evaluate((np.arange(self.n) != i).astype(np.intp))

    def _by_sums(self):
        """The metric from the sums over the rows."""
        for answer in self.answers:
            self._call(answer, slice(None))  # refuses what the metric refuses
        options = self.rows | self.fixed
        parts = [SUMS[self.metric](self.y, answer, **options) for answer in self.answers]
        totals = [columns.sum(axis=0) for columns, _ in parts]

        def evaluate(counts):
            return _difference([combine(counts @ columns) for columns, combine in parts])

        def leave_out(i):
            return _difference(
                [
                    combine(total - columns[i])
                    for (columns, combine), total in zip(parts, totals, strict=True)
                ]
            )

        return evaluate, leave_out

    def _call(self, answer, drawn):
        rows = {name: value[drawn] for name, value in self.rows.items()}
        value = self.metric(self.y[drawn], answer[drawn], **rows, **self.fixed)
        return float(getattr(value, "value", value))

    def _is_by_row(self, name, value):
        return name != "labels" and np.shape(value) in ((self.n,), (self.n, 1))

    def _fix_classes(self):
        """A resample may lack a class: say which are there before drawing."""
        accepts = inspect.signature(self.metric).parameters
        classes = np.unique(self.y)
        matrix = self.fixed.get("cost_matrix")
        if matrix is not None and np.shape(matrix) != (2, 2) and "labels" not in self.fixed:
            decided = [answer.ravel() for answer in self.answers if answer.size == self.n]
            self.fixed["labels"] = np.unique(np.concatenate([self.y, *decided]))
        elif len(classes) == 2 and "pos_label" in accepts:
            pos_label = self.fixed.setdefault("pos_label", classes[1])
            if READS.get(self.metric) == "decision_function":
                self.answers = [positive_column(a, classes, pos_label) for a in self.answers]


def _difference(values):
    return values[0] if len(values) == 1 else values[0] - values[1]


def _check(method):
    if method not in ("percentile", "bca"):
        raise ValueError(f"method must be 'percentile' or 'bca'. Got {method!r} instead.")
    return method == "bca"


def _ends(values, estimate, left_out, confidence, method):
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie in (0, 1). Got {confidence!r} instead.")
    known = values[~np.isnan(values)]
    if len(known) < 0.5 * len(values) or len(known) == 0:
        return float("nan"), float("nan")
    levels = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if method == "bca":
        levels = _corrected(levels, known, estimate, left_out)
    low, high = np.quantile(known, levels)
    return float(low), float(high)


def _corrected(levels, values, estimate, left_out):
    """Efron's bias-corrected and accelerated levels."""
    below = ((values < estimate).mean() + (values <= estimate).mean()) / 2
    inside = 0.5 / len(values)
    z0 = ndtri(np.clip(below, inside, 1 - inside))
    d = np.nanmean(left_out) - left_out[~np.isnan(left_out)]
    spread = (d**2).sum() ** 1.5
    acceleration = (d**3).sum() / (6 * spread) if spread > 0 else 0.0
    z = z0 + ndtri(levels)
    return ndtr(z0 + z / (1 - acceleration * z))
