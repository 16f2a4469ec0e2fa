"""Savings by threshold or by share of alerts."""

import numpy as np

from stakes._core.plotting import MUTED, ScoreDisplay, once, open_axes
from stakes.costs import Costs
from stakes.metrics._cost import baseline_costs
from stakes.metrics._docs import documented
from stakes.metrics._intake import read_scores


@documented
class SavingsCurveDisplay(ScoreDisplay):
    """Share of the baseline's cost saved by each threshold on the scores.

    Parameters
    ----------
    thresholds, savings, alerts : ndarray of shape (m,)
        Thresholds in decreasing order (an example is positive where its score >= threshold), the
        savings of each, and the share of examples that it calls positive.
    estimator_name : str, default=None
        Name in the legend.

    Attributes
    ----------
    [drawn]

    Examples
    --------
    >>> display = SavingsCurveDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], fp_cost=1.0, fn_cost=3.0
    ... )
    >>> display.best
    (0.4, 0.5)
    """

    def __init__(self, thresholds, savings, alerts, *, estimator_name=None):
        self.thresholds = thresholds
        self.savings = savings
        self.alerts = alerts
        self.estimator_name = estimator_name

    @property
    def best(self):
        """Threshold with the largest savings on these data, and these savings."""
        index = int(self.savings.argmax())
        return float(self.thresholds[index]), float(self.savings[index])

    def plot(self, ax=None, *, name=None, x="threshold", **line_options):
        """Draw the curve and its best point.

        Parameters
        ----------
        [axes]
        [name]
        x : {"threshold", "alerts"}, default="threshold"
            Horizontal axis.
        [line_options]

        Returns
        -------
        SavingsCurveDisplay
        """
        if x not in ("threshold", "alerts"):
            raise ValueError(f"x must be 'threshold' or 'alerts'. Got {x!r} instead.")
        self.figure_, self.ax_ = open_axes(ax)
        name = name or self.estimator_name
        index = int(self.savings.argmax())
        if x == "alerts":
            along, best = self.alerts, self.alerts[index]
            at = f"{best:.3g} of the examples"
        else:
            # infinity (none positive) is drawn at the highest score
            along = np.where(np.isinf(self.thresholds), self.thresholds[1], self.thresholds)
            best = along[index]
            at = f"threshold {self.thresholds[index]:.3g}"
        style = dict(drawstyle="steps-post" if x == "threshold" else "default") | line_options
        (self.line_,) = self.ax_.plot(along, self.savings, label=name, **style)
        self.ax_.axhline(0, linestyle="--", label=once(self.ax_, "baseline"), **MUTED)
        self.ax_.plot(
            best,
            self.savings[index],
            "o",
            color=self.line_.get_color(),
            label=f"best: {self.savings[index]:.3g} at {at}",
        )
        label = (
            "Threshold on the score" if x == "threshold" else "Share of examples called positive"
        )
        self.ax_.set(xlabel=label, ylabel="Savings against the baseline")
        # thresholds far worse than the baseline would flatten the rest of the curve
        self.ax_.set_ylim(max(self.savings.min(), -1.0) - 0.05, 1.05)
        self.ax_.legend(fontsize="small")
        return self

    @classmethod
    def from_predictions(
        cls,
        y_true,
        y_score,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
        baseline="best",
        pos_label=None,
        name=None,
        ax=None,
        x="threshold",
        **line_options,
    ):
        """Draw from labels, scores and costs.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n,)
            Labels and scores.
        [metric_costs]
        baseline : {"best", "negative", "positive"} or array-like of shape (n,), default="best"
            As in :func:`~stakes.metrics.savings_score`.
        [pos_label]
        name, ax, x, **line_options
            As in :meth:`plot`.

        Returns
        -------
        SavingsCurveDisplay
        """
        positive, scores = read_scores(y_true, y_score, pos_label)
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        costs = Costs.of(len(positive), **given)
        base = baseline_costs(costs, positive, baseline, y_true, pos_label).sum()
        if base == 0:
            raise ValueError(
                "The baseline costs nothing, so the share saved is undefined; "
                "choose another baseline."
            )
        thresholds, totals = costs.by_threshold(scores, positive)
        alerts = 1 - np.searchsorted(np.sort(scores), thresholds) / len(scores)
        display = cls(thresholds, (base - totals) / abs(base), alerts, estimator_name=name)
        return display.plot(ax, x=x, **line_options)
