"""ROC curve with lines of equal cost, and the cheapest threshold."""

import numpy as np
from sklearn.metrics import roc_curve

from stakes._core.plotting import MUTED, ScoreDisplay, open_axes
from stakes._core.words import money
from stakes.costs import Costs
from stakes.metrics._docs import documented
from stakes.metrics._intake import read_scores
from stakes.metrics._rates import cheapest_threshold, prior_weights
from stakes.metrics._roc import check_has_curve


@documented
class ROCCostDisplay(ScoreDisplay):
    r"""ROC curve with parallel lines of equal cost.

    .. math:: cost = cost_{never} + h \cdot fpr - g \cdot tpr ,\qquad
              g = \pi_1\,E[fn - tp \mid +],\quad h = \pi_0\,E[fp - tn \mid -] ,

    so the lines have slope :math:`h/g`, and the best threshold is where the highest of them
    touches the curve.

    Parameters
    ----------
    fpr, tpr : ndarray
        The ROC curve.
    point : (float, float)
        Rates at the chosen threshold.
    threshold : float
        Chosen threshold; an example is positive where its score >= threshold.
    cost : float
        Mean cost at the threshold.
    gain, harm : float
        :math:`g` and :math:`h`.
    never : float
        Mean cost of the policy "never positive".
    estimator_name : str, default=None
        Name in the legend.

    Attributes
    ----------
    [drawn]

    Notes
    -----
    If costs differ between examples, the lines use the class means; the threshold is chosen by
    the costs themselves, so its cost may differ from that of the line through it.

    Examples
    --------
    >>> display = ROCCostDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], fn_cost=3)
    >>> display.threshold, display.cost
    (0.4, 0.25)
    """

    def __init__(self, fpr, tpr, *, point, threshold, cost, gain, harm, never, estimator_name=None):
        self.fpr = fpr
        self.tpr = tpr
        self.point = point
        self.threshold = threshold
        self.cost = cost
        self.gain = gain
        self.harm = harm
        self.never = never
        self.estimator_name = estimator_name

    def plot(self, ax=None, *, name=None, n_lines=5, **line_options):
        """Draw the curve, lines of equal cost, and the chosen point.

        Parameters
        ----------
        [axes]
        [name]
        n_lines : int, default=5
            Approximate number of lines of equal cost besides that through the chosen point.
        [line_options]

        Returns
        -------
        ROCCostDisplay
        """
        self.figure_, self.ax_ = open_axes(ax)
        name = name or self.estimator_name
        # room for the markers at the corners
        self.ax_.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        (self.line_,) = self.ax_.plot(self.fpr, self.tpr, label=name, **line_options)
        here = self.never + self.harm * self.point[0] - self.gain * self.point[1]
        step = (self.gain + self.harm) / max(n_lines + 1, 1)
        if step > 0:
            self._draw_equal_cost(here, color="0.2")
            for k in range(-n_lines, n_lines + 1):
                if k != 0:
                    self._draw_equal_cost(here + k * step)
        self.ax_.plot([0, 1], [0, 1], ":", **MUTED)
        self.ax_.plot(
            *self.point,
            "o",
            color=self.line_.get_color(),
            label=f"threshold {self.threshold:.3g}: {money(self.cost)} a decision",
            zorder=3,
        )
        self.ax_.set(xlabel="False positive rate", ylabel="True positive rate")
        self.ax_.legend(loc="lower right", fontsize="small")
        return self

    def _draw_equal_cost(self, cost, **options):
        """Draw one line, clipped to the unit square, with its cost near the upper end."""
        # the range of fpr where both fpr and tpr = (saved + harm fpr) / gain lie in [0, 1]
        saved = self.never - cost
        low, high = 0.0, 1.0
        if self.harm > 0:
            low, high = max(low, -saved / self.harm), min(high, (self.gain - saved) / self.harm)
        if low >= high or self.gain == 0:
            return
        ends = np.array([low, high])
        heights = (saved + self.harm * ends) / self.gain
        self.ax_.plot(ends, heights, "--", **MUTED | options)
        self.ax_.annotate(
            money(cost),
            (low + 0.93 * (high - low), heights[0] + 0.93 * (heights[1] - heights[0])),
            fontsize="x-small",
            color=options.get("color", "0.4"),
            ha="center",
            va="center",
            bbox=dict(boxstyle="square,pad=0.1", facecolor="white", edgecolor="none"),
            zorder=1.5,
        )

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
        threshold=None,
        pos_label=None,
        name=None,
        ax=None,
        **line_options,
    ):
        """Draw from labels, scores and costs.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n,)
            Labels and scores.
        [metric_costs]
        [pos_label]
        threshold : float, default=None
            Threshold in use; None: the cheapest on these data.
        name, ax, **line_options
            As in :meth:`plot`.

        Returns
        -------
        ROCCostDisplay
        """
        positive, scores = read_scores(y_true, y_score, pos_label)
        check_has_curve(positive)
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        costs = Costs.of(len(positive), **given)
        if threshold is None:
            weight = prior_weights(positive, None)
            threshold = cheapest_threshold(scores, positive, costs, weight)
        decided = scores >= threshold
        fpr, tpr, _ = roc_curve(positive, scores)
        display = cls(
            fpr,
            tpr,
            point=(float(decided[~positive].mean()), float(decided[positive].mean())),
            threshold=threshold,
            cost=float(costs.paid(positive, decided).mean()),
            gain=float((costs.positive_regret * positive).mean()),
            harm=float((costs.negative_regret * ~positive).mean()),
            never=float(costs.paid(positive, np.zeros_like(positive)).mean()),
            estimator_name=name,
        )
        return display.plot(ax, **line_options)
