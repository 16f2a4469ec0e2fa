"""Cumulative cost of several policies over a stream."""

import numpy as np

from stakes._core.deciding import predict_with_costs
from stakes._core.plotting import MUTED, name_of, open_axes
from stakes.costs import COST_NAMES, Costs
from stakes.metrics._docs import documented
from stakes.metrics._intake import read_decisions


@documented
class CumulativeCostDisplay:
    """Cumulative cost of policies over a stream, compared with the constant policies.

    Parameters
    ----------
    cumulative : dict of str to ndarray of shape (n,)
        Cost so far, by policy.
    never, always : ndarray of shape (n,)
        Cost so far of the constant policies.

    Attributes
    ----------
    lines_ : dict of str to matplotlib Line2D
    line_ : matplotlib Line2D
        The first of them.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> display = CumulativeCostDisplay.from_predictions(
    ...     [0, 1, 1, 0], {"ours": [0, 1, 0, 0], "today": [0, 0, 0, 1]}, fn_cost=5.0
    ... )
    >>> display.cumulative["today"].tolist()
    [0.0, 5.0, 10.0, 11.0]
    """

    def __init__(self, cumulative, never, always):
        self.cumulative = cumulative
        self.never = never
        self.always = always

    def plot(self, ax=None, *, plot_trivial=True, **line_options):
        """Draw one line for each policy.

        Parameters
        ----------
        [axes]
        plot_trivial : bool, default=True
            Whether to draw the constant policies; an expensive one may run off the axes.
        [line_options]

        Returns
        -------
        CumulativeCostDisplay
        """
        self.figure_, self.ax_ = open_axes(ax)
        seen = np.arange(1, len(self.never) + 1)
        self.lines_ = {
            name: self.ax_.plot(seen, cost, label=f"{name}: {cost[-1]:,.0f}", **line_options)[0]
            for name, cost in self.cumulative.items()
        }
        self.line_ = next(iter(self.lines_.values()))
        if plot_trivial:
            trivial = {"never positive": (self.never, "--"), "always positive": (self.always, ":")}
            for name, (cost, style) in trivial.items():
                self.ax_.plot(seen, cost, style, label=f"{name}: {cost[-1]:,.0f}", **MUTED)
            self._limit_to_what_matters()
        self.ax_.set(xlabel="Examples seen", ylabel="Cost so far", xlim=(1, len(seen)))
        self.ax_.yaxis.set_major_formatter("{x:,.0f}")
        self.ax_.legend(loc="upper left", fontsize="small")
        return self

    def _limit_to_what_matters(self):
        """Fit the axes to all policies and the cheaper constant one."""
        lines = list(self.cumulative.values())
        cheaper = min(self.never, self.always, key=lambda cost: cost[-1])
        top = max(cost.max() for cost in [*lines, cheaper])
        bottom = min(0.0, *(cost.min() for cost in [*lines, cheaper]))
        if top > bottom:
            self.ax_.set_ylim(bottom - 0.02 * (top - bottom), top + 0.15 * (top - bottom))

    @classmethod
    def from_predictions(
        cls,
        y_true,
        y_pred,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
        pos_label=None,
        name=None,
        ax=None,
        plot_trivial=True,
        **line_options,
    ):
        """Draw from labels and decisions in the order of the stream.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Labels.
        y_pred : array-like of shape (n,) or dict of str to array-like
            Decisions of one policy, or of several by name.
        [metric_costs]
        [pos_label]
        name : str, default=None
            Name of a single policy.
        ax, plot_trivial, **line_options
            As in :meth:`plot`.

        Returns
        -------
        CumulativeCostDisplay
        """
        policies = y_pred if isinstance(y_pred, dict) else {name or "policy": y_pred}
        if not policies:
            raise ValueError("y_pred has no policy; give the decisions of at least one.")
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        cumulative = {}
        for policy, decisions in policies.items():
            positive, decided = read_decisions(y_true, decisions, pos_label)
            costs = Costs.of(len(positive), **given)
            cumulative[policy] = costs.paid(positive, decided).cumsum()
        never = costs.paid(positive, np.zeros_like(positive)).cumsum()
        always = costs.paid(positive, np.ones_like(positive)).cumsum()
        return cls(cumulative, never, always).plot(ax, plot_trivial=plot_trivial, **line_options)

    @classmethod
    def from_estimator(cls, estimator, X, y, *, name=None, **options):
        """Draw for a fitted classifier, or several as a dict of name to classifier.

        The costs are passed to `predict` of a classifier that takes them; the other arguments are
        those of from_predictions.
        """
        models = (
            estimator if isinstance(estimator, dict) else {name or name_of(estimator): estimator}
        )
        given = {key: options[key] for key in COST_NAMES if options.get(key) is not None}
        given["pos_label"] = options.get("pos_label")
        decisions = {key: predict_with_costs(model, X, **given) for key, model in models.items()}
        return cls.from_predictions(y, decisions, **options)
