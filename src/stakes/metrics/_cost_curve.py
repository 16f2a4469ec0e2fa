"""Cost curve: cost of a ranking for every combination of prior and costs."""

import numpy as np

from stakes._core.plotting import MUTED, ScoreDisplay, once, open_axes
from stakes.costs import Costs
from stakes.metrics._docs import documented
from stakes.metrics._intake import read_scores
from stakes.metrics._roc import check_has_curve, hull_of


@documented
class CostCurveDisplay(ScoreDisplay):
    r"""Normalized expected cost against probability-cost (Drummond and Holte).

    With :math:`x = \pi_1 fn/(\pi_1 fn + \pi_0 fp)`, the positives' share of what is at stake, each
    threshold is a line, and the best threshold for each x is on their lower envelope,

    .. math:: NE(x) = \min_t\ fnr(t)\,x + fpr(t)(1 - x) .

    The best constant policy costs :math:`\min(x, 1 - x)`. The distance of the curve below that is
    what the ranking saves; where they touch, it saves nothing.

    Parameters
    ----------
    probability_cost, normalized_cost : ndarray
        Corners of the envelope, which is linear between them.
    operating : float, default=None
        Position of the costs and priors of the data on the horizontal axis.
    estimator_name : str, default=None
        Name in the legend.

    Attributes
    ----------
    [drawn]

    References
    ----------
    C. Drummond, R. C. Holte. "Cost curves: An improved method for visualizing classifier
    performance". Machine Learning 65, 2006.

    Examples
    --------
    >>> display = CostCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], fn_cost=3)
    >>> display.operating, float(display.cost_at(display.operating))
    (0.75, 0.125)
    """

    def __init__(self, probability_cost, normalized_cost, *, operating=None, estimator_name=None):
        self.probability_cost = probability_cost
        self.normalized_cost = normalized_cost
        self.operating = operating
        self.estimator_name = estimator_name

    def cost_at(self, probability_cost):
        """Normalized expected cost of the best threshold at a given probability-cost."""
        return np.interp(probability_cost, self.probability_cost, self.normalized_cost)

    def plot(self, ax=None, *, name=None, plot_trivial=True, **line_options):
        """Draw the curve, the constant policies, and the costs of the data.

        Parameters
        ----------
        [axes]
        [name]
        plot_trivial : bool, default=True
            Whether to draw the constant policies.
        [line_options]

        Returns
        -------
        CostCurveDisplay
        """
        self.figure_, self.ax_ = open_axes(ax)
        name = name or self.estimator_name
        (self.line_,) = self.ax_.plot(
            self.probability_cost, self.normalized_cost, label=name, **line_options
        )
        if plot_trivial:
            label = once(self.ax_, "always negative / positive")
            self.ax_.plot([0, 0.5, 1], [0, 0.5, 0], "--", label=label, **MUTED)
        if self.operating is not None:
            cost = self.cost_at(self.operating)
            self.ax_.axvline(self.operating, linestyle=":", **MUTED)
            self.ax_.plot(
                self.operating,
                cost,
                "o",
                color=self.line_.get_color(),
                label=f"at these costs: {cost:.3f}",
            )
        self.ax_.set(
            xlabel="Positives' share of what is at stake (probability-cost)",
            ylabel="Normalized expected cost",
            xlim=(0, 1),
            ylim=(0, 0.55),
        )
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
        pos_label=None,
        name=None,
        ax=None,
        **line_options,
    ):
        """Draw from labels and scores; the costs only mark their own position.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n,)
            Labels and scores.
        [metric_costs]
        [pos_label]
        name, ax, **line_options
            As in :meth:`plot`.

        Returns
        -------
        CostCurveDisplay
        """
        positive, scores = read_scores(y_true, y_score, pos_label)
        check_has_curve(positive)
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        regret = Costs.of(len(positive), **given).regret(positive)
        operating = None
        if any(cost is not None for cost in given.values()) and regret.sum() > 0:
            operating = float(regret[positive].sum() / regret.sum())
        display = cls(
            *cost_envelope(*hull_of(positive, scores)), operating=operating, estimator_name=name
        )
        return display.plot(ax, **line_options)


def cost_envelope(fpr, tpr):
    """Corners (x, cost) of the lower envelope of the lines of a ROC hull, x from 0 to 1."""
    rise, run = np.diff(tpr), np.diff(fpr)
    x = np.concatenate([[0.0], run / (run + rise), [1.0]])
    # along the hull from (0, 0) the best x grows; corner j meets j + 1 at x[j + 1]
    corner = np.concatenate([np.arange(len(fpr)), [len(fpr) - 1]])
    return x, (1 - tpr[corner]) * x + fpr[corner] * (1 - x)
