"""Bootstrap intervals of metrics, and of the difference between two policies."""

import inspect
import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr, ndtri
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, column_or_1d

from stakes._core.words import shown
from stakes.costs import Costs
from stakes.metrics._cost import (
    baseline_costs,
    cost_loss,
    example_costs,
    expected_cost_loss,
    expected_example_costs,
    savings,
    savings_score,
)
from stakes.metrics._intake import positive_column, read_decisions
from stakes.metrics._rates import risk_loss, weighted_sum_score
from stakes.metrics._scorer import READS


@dataclass(frozen=True)
class BootstrapInterval:
    """A metric with its confidence interval.

    Attributes
    ----------
    estimate : float
        Metric on all examples.
    low, high : float
        Ends of the interval.
    confidence_level : float
        Level of the interval.
    values : ndarray of shape (n_boot,)
        Metric on each resample; NaN where it is undefined (a class was not drawn).
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    values: np.ndarray = field(repr=False)

    def __str__(self):
        return f"{self.estimate:.4g} [{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True)
class PairedDifference(BootstrapInterval):
    """Difference of a metric between two policies on the same examples, with its interval.

    Attributes
    ----------
    p_value : float
        Two-sided p-value: twice the share of resamples on the rarer side of zero; zeros count on
        both sides.
    """

    p_value: float = 1.0


def bootstrap_interval(
    metric,
    y_true,
    y_pred,
    *,
    n_boot=1000,
    confidence_level=0.95,
    method="percentile",
    random_state=None,
    **options,
):
    """Confidence interval of a metric, from resampled examples with their costs and weights.

    Parameters
    ----------
    metric : callable
        `metric(y_true, y_pred, **options)`, from :mod:`stakes.metrics` or your own.
    y_true : array-like of shape (n,)
        Labels.
    y_pred : array-like of shape (n,) or (n, k)
        Input of the metric: decisions, scores or probabilities.
    n_boot : int, default=1000
        Number of resamples.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    method : {"percentile", "bca"}, default="percentile"
        Quantiles of the resamples, or quantiles corrected for bias and skewness ("bca"), which
        cover better when a few examples carry most of the cost. The correction leaves out each
        example once: n more calls of the metric, none for the metrics listed in Notes.
    random_state : int, RandomState or None, default=None
        Random state of the resampling.
    **options
        Passed to the metric; arrays of one value per example, such as costs and `sample_weight`,
        are resampled with the rows.

    Returns
    -------
    BootstrapInterval
        Prints as `estimate [low, high]`.

    Notes
    -----
    Metrics that are functions of sums over examples (:func:`cost_loss`,
    :func:`expected_cost_loss`, :func:`savings_score`, :func:`risk_loss`,
    :func:`weighted_sum_score`) are not called for each resample: the sums of a resample are
    weighted by how often each row was drawn.

    Examples
    --------
    >>> from stakes.metrics import cost_loss
    >>> y, d, fn = [0, 1] * 50, [0, 1, 1, 0] * 25, [1.0, 2.0, 3.0, 4.0] * 25
    >>> print(bootstrap_interval(cost_loss, y, d, fn_cost=fn, random_state=0))
    1.25 [0.93, 1.58]
    """
    sample = _Sample(metric, y_true, [y_pred], options)
    values, estimate, left_out = sample.run(n_boot, random_state, jackknife=_check(method))
    low, high = ends_of(values, estimate, left_out, confidence_level, method)
    return BootstrapInterval(estimate, low, high, confidence_level, values)


def paired_bootstrap(
    metric,
    y_true,
    y_pred,
    y_other,
    *,
    n_boot=1000,
    confidence_level=0.95,
    method="percentile",
    random_state=None,
    **options,
):
    """Interval of metric(y_pred) - metric(y_other), both on the same resamples.

    Pairing removes the variation that both policies share (which expensive examples were drawn),
    so it detects smaller differences than two separate intervals.

    Parameters
    ----------
    metric, y_true, y_pred, n_boot, confidence_level, method, random_state, **options
        As in :func:`bootstrap_interval`.
    y_other : array-like
        Input of the metric from the other policy.

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
    low, high = ends_of(values, estimate, left_out, confidence_level, method)
    known = values[~np.isnan(values)]
    rarer = min((known <= 0).sum(), (known >= 0).sum())
    # the added ones keep the p-value above zero whatever the number of resamples
    p_value = min(1.0, 2 * (1 + rarer) / (1 + len(known)))
    return PairedDifference(estimate, low, high, confidence_level, values, float(p_value))


class _Sample:
    """Rows from which the metric of one policy, or the difference of two, is resampled."""

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
        """Return the metric on each resample, on all examples, and with each example left out."""
        if n_boot < 1:
            raise ValueError(f"n_boot must be at least 1. Got {shown(n_boot)} instead.")
        # a Generator draws integers many times faster than the RandomState that seeds it
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            evaluate, leave_out = self._by_sums() if self.metric in SUMS else self._by_rows()
            estimate = evaluate(np.ones(self.n, np.intp))
            values = np.empty(n_boot)
            for b in range(n_boot):
                # only how often each row is drawn matters, not the order
                drawn = rng.integers(self.n, size=self.n, dtype=np.int32)
                values[b] = evaluate(np.bincount(drawn, minlength=self.n))
            left_out = [leave_out(i) for i in range(self.n)] if jackknife else None
        return values, estimate, np.array(left_out)

    def _by_rows(self):
        """Evaluate by calling the metric on the drawn rows."""

        def evaluate(counts):
            drawn = np.repeat(np.arange(self.n), counts)
            return _difference([self._call(answer, drawn) for answer in self.answers])

        return evaluate, lambda i: evaluate((np.arange(self.n) != i).astype(np.intp))

    def _by_sums(self):
        """Evaluate from sums over the rows, see SUMS."""
        for answer in self.answers:
            self._call(answer, slice(None))  # raises what the metric raises
        options = self.rows | self.fixed
        weight = options.pop("sample_weight", None)
        parts = [SUMS[self.metric](self.y, answer, **options) for answer in self.answers]
        if weight is not None:
            parts = [(weight[:, None] * columns, combine) for columns, combine in parts]
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
        """Fix the classes before drawing, because a resample may lack one."""
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


def ends_of(values, estimate, left_out, confidence_level, method):
    """Ends of the interval, from the metric of each resample."""
    if not 0 < confidence_level < 1:
        raise ValueError(
            f"confidence_level must lie in (0, 1). Got {shown(confidence_level)} instead."
        )
    known = values[~np.isnan(values)]
    # an interval from fewer than half of the resamples would be misleading
    if len(known) < 0.5 * len(values) or len(known) == 0:
        return float("nan"), float("nan")
    levels = np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    if method == "bca":
        levels = _corrected(levels, known, estimate, left_out)
    low, high = np.quantile(known, levels)
    return float(low), float(high)


def _corrected(levels, values, estimate, left_out):
    """Efron's bias-corrected and accelerated (BCa) levels."""
    # z0, the bias: how far the estimate is from the median of the resamples; clipped because
    # ndtri is infinite where all resamples lie on one side
    below = ((values < estimate).mean() + (values <= estimate).mean()) / 2
    inside = 0.5 / len(values)
    z0 = ndtri(np.clip(below, inside, 1 - inside))
    # the acceleration: skewness of the jackknife values
    d = np.nanmean(left_out) - left_out[~np.isnan(left_out)]
    spread = (d**2).sum() ** 1.5
    acceleration = (d**3).sum() / (6 * spread) if spread > 0 else 0.0
    z = z0 + ndtri(levels)
    return ndtr(z0 + z / (1 - acceleration * z))


# Metrics as functions of sums over the examples, which makes resampling cheap. Each function
# returns (columns, combine): combine(columns.sum(axis=0)) is the metric. A resample or a weighting
# of the examples only changes the factors of the rows in this sum.


def _cost(y_true, y_pred, *, normalize=True, **options):
    return _mean(example_costs(y_true, y_pred, **options), normalize)


def _expected_cost(y_true, y_prob, *, normalize=True, **options):
    return _mean(expected_example_costs(y_true, y_prob, **options), normalize)


def _mean(paid, normalize):
    columns = np.column_stack([paid, np.ones(len(paid))])
    return columns, lambda sums: float(sums[0] / sums[1] if normalize else sums[0])


def _savings(y_true, y_pred, *, baseline="best", pos_label=None, **given):
    positive, decided = read_decisions(y_true, y_pred, pos_label)
    costs = Costs.of(len(positive), **given)
    # which constant policy is best depends on the resample: keep the sums of both
    best = isinstance(baseline, str) and baseline == "best"
    policies = ["negative", "positive"] if best else [baseline]
    bases = [baseline_costs(costs, positive, policy, y_true, pos_label) for policy in policies]
    columns = np.column_stack([costs.paid(positive, decided), *bases])
    return columns, lambda sums: savings(sums[0], min(sums[1:]))


def _risk(y_true, y_pred, *, prior=None, pos_label=None, **given):
    positive, decided = read_decisions(y_true, y_pred, pos_label)
    paid = Costs.of(len(positive), **given).paid(positive, decided)
    columns = np.column_stack([positive, ~positive, paid * positive, paid * ~positive])

    def combine(sums):
        share = sums[0] / (sums[0] + sums[1]) if prior is None else prior
        return _part(share, sums[2], sums[0]) + _part(1 - share, sums[3], sums[1])

    return columns, combine


def _part(share, total, count):
    """Risk of one class: its share of the population times its mean cost."""
    if share == 0:
        return 0.0
    return float(share * total / count) if count else float("nan")


def _weighted_sum(y_true, y_pred, *, positive_weight=0.5, pos_label=None):
    positive, decided = read_decisions(y_true, y_pred, pos_label)
    columns = np.column_stack([positive, ~positive, positive & decided, ~positive & ~decided])

    def combine(sums):
        if sums[0] == 0 or sums[1] == 0:
            return float("nan")
        sensitivity, specificity = sums[2] / sums[0], sums[3] / sums[1]
        return float(positive_weight * sensitivity + (1 - positive_weight) * specificity)

    return columns.astype(np.float64), combine


SUMS = {
    cost_loss: _cost,
    expected_cost_loss: _expected_cost,
    savings_score: _savings,
    risk_loss: _risk,
    weighted_sum_score: _weighted_sum,
}
