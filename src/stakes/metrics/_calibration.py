"""Reliability diagram with the break-even probabilities of the costs."""

import numpy as np
from sklearn.calibration import CalibrationDisplay, calibration_curve

from stakes._core.plotting import ScoreDisplay, open_axes
from stakes.costs import Costs
from stakes.metrics._docs import documented
from stakes.metrics._intake import read_probabilities


@documented
class CalibrationCostDisplay(ScoreDisplay):
    """scikit-learn's reliability diagram with the break-even probabilities of the costs.

    Miscalibration costs money only where it changes decisions, that is, near the break-even
    probabilities; the band covers 90 % of them.

    Parameters
    ----------
    prob_true, prob_pred, y_prob : ndarray
        As in scikit-learn's `CalibrationDisplay`.
    break_even : (float, float, float)
        5 %, 50 % and 95 % quantile of the break-even probabilities.
    estimator_name : str, default=None
        Name in the legend.

    Attributes
    ----------
    [drawn]

    Examples
    --------
    >>> display = CalibrationCostDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], n_bins=2, fp_cost=1, fn_cost=[3, 3, 9, 9]
    ... )
    >>> [round(p, 3) for p in display.break_even]
    [0.1, 0.175, 0.25]
    """

    _needs_probability = True

    def __init__(self, prob_true, prob_pred, y_prob, *, break_even, estimator_name=None):
        self.prob_true = prob_true
        self.prob_pred = prob_pred
        self.y_prob = y_prob
        self.break_even = break_even
        self.estimator_name = estimator_name

    def plot(self, ax=None, *, name=None, scale="linear", **line_options):
        """Draw the diagram and the band of break-even probabilities.

        Parameters
        ----------
        [axes]
        [name]
        scale : {"linear", "log"}, default="linear"
            Scale of both axes; use "log" if positives are rare.
        [line_options]

        Returns
        -------
        CalibrationCostDisplay
        """
        if scale not in ("linear", "log"):
            raise ValueError(f"scale must be 'linear' or 'log'. Got {scale!r} instead.")
        self.figure_, self.ax_ = open_axes(ax)
        inner = CalibrationDisplay(self.prob_true, self.prob_pred, self.y_prob)
        inner.plot(ax=self.ax_, name=name or self.estimator_name, **line_options)
        self.line_ = inner.line_
        low, middle, high = self.break_even
        options = dict(color="tab:orange", zorder=0)
        self.ax_.axvline(middle, label=f"break-even {middle:.3g} (median)", **options)
        if low < high:
            self.ax_.axvspan(low, high, alpha=0.2, linewidth=0, **options)
        self.ax_.set(xlabel="Mean predicted probability", ylabel="Share of positives")
        if scale == "log":
            self._make_logarithmic()
        self.ax_.legend(loc="upper left" if scale == "log" else "lower right", fontsize="small")
        return self

    def _make_logarithmic(self):
        shown = np.concatenate([self.prob_pred, self.prob_true, [self.break_even[0]]])
        least = float(shown[shown > 0].min()) / 2
        self.ax_.set(xscale="log", yscale="log", xlim=(least, 1), ylim=(least, 1))
        for line in self.ax_.lines:
            if line is self.line_ or line.get_linestyle() == ":":
                # a logarithmic axis has no zero: clip to its lower end
                line.set_data(*np.maximum(line.get_data(), least))

    @classmethod
    def from_predictions(
        cls,
        y_true,
        y_prob,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
        n_bins=10,
        strategy="quantile",
        pos_label=None,
        name=None,
        ax=None,
        scale="linear",
        **line_options,
    ):
        """Draw from labels, probabilities and costs.

        Parameters
        ----------
        y_true, y_prob : array-like of shape (n,)
            Labels and probabilities of the positive class.
        [metric_costs]
        [pos_label]
        n_bins, strategy
            As in scikit-learn's `calibration_curve`.
        name, ax, scale, **line_options
            As in :meth:`plot`.

        Returns
        -------
        CalibrationCostDisplay
        """
        positive, p = read_probabilities(y_true, y_prob, pos_label)
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        break_even = np.quantile(Costs.of(len(p), **given).break_even, [0.05, 0.5, 0.95])
        prob_true, prob_pred = calibration_curve(positive, p, n_bins=n_bins, strategy=strategy)
        display = cls(
            prob_true,
            prob_pred,
            p,
            break_even=tuple(float(value) for value in break_even),
            estimator_name=name,
        )
        return display.plot(ax, scale=scale, **line_options)
