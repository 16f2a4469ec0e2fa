"""Cost of decisions about several classes as one of them becomes rarer or more frequent."""

import numpy as np

from stakes._core.plotting import MUTED, name_of, once, open_axes, probability_of
from stakes._core.words import shown
from stakes.metrics._cost import read_class_probabilities
from stakes.metrics._docs import documented


@documented
class ClassCostCurveDisplay:
    r"""Cost per decision against the share of one class, with any number of classes.

    The share s of the class is varied from 0 to 1, and the other classes keep their shares among
    themselves. Within each class the examples stay the same, so at the new shares :math:`\pi'` an
    example of class k counts :math:`\pi'_k/\pi_k` times, and the probabilities become

    .. math:: p'_k \propto p_k\, \pi'_k / \pi_k .

    Each decision is the one of least expected cost under :math:`p'`. The dashed line is the best
    constant decision at these shares.

    Parameters
    ----------
    shares, cost, constant_cost : ndarray of shape (m,)
        Shares of the class, the cost per decision at each, and that of the best constant decision.
    of : label
        The class.
    share : float, default=None
        Its share in the data.
    estimator_name : str, default=None
        Name in the legend.

    Attributes
    ----------
    [drawn]

    Examples
    --------
    >>> display = ClassCostCurveDisplay.from_predictions(
    ...     ["a", "b", "c", "c"],
    ...     [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8], [0.5, 0.1, 0.4]],
    ...     cost_matrix=[[0, 1, 1], [2, 0, 4], [9, 1, 0]],
    ...     of="c",
    ... )
    >>> float(display.cost_at(display.share))
    0.5
    """

    def __init__(self, shares, cost, constant_cost, *, of, share=None, estimator_name=None):
        self.shares = shares
        self.cost = cost
        self.constant_cost = constant_cost
        self.of = of
        self.share = share
        self.estimator_name = estimator_name

    def cost_at(self, share):
        """Cost per decision at a share of the class, interpolated between those computed."""
        return np.interp(share, self.shares, self.cost)

    def plot(self, ax=None, *, name=None, plot_trivial=True, **line_options):
        """Draw the curve, the best constant decision, and the share in the data.

        Parameters
        ----------
        [axes]
        [name]
        plot_trivial : bool, default=True
            Whether to draw the best constant decision.
        [line_options]

        Returns
        -------
        ClassCostCurveDisplay
        """
        self.figure_, self.ax_ = open_axes(ax)
        name = name or self.estimator_name
        (self.line_,) = self.ax_.plot(self.shares, self.cost, label=name, **line_options)
        if plot_trivial:
            label = once(self.ax_, "best constant decision")
            self.ax_.plot(self.shares, self.constant_cost, "--", label=label, **MUTED)
        if self.share is not None:
            cost = self.cost_at(self.share)
            label = f"in the data: {cost:.3g}"
            self.ax_.plot(self.share, cost, "o", color=self.line_.get_color(), label=label)
        xlabel = f"Share of {self.of} among all cases"
        self.ax_.set(xlabel=xlabel, ylabel="Cost per decision", xlim=(0, 1))
        self.ax_.set_ylim(bottom=min(0.0, float(self.cost.min())))
        self.ax_.legend(fontsize="small")
        return self

    @classmethod
    def from_predictions(
        cls,
        y_true,
        y_prob,
        *,
        cost_matrix,
        of,
        labels=None,
        actions=None,
        n_shares=101,
        name=None,
        ax=None,
        **line_options,
    ):
        """Draw from labels and probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Labels.
        y_prob : array-like of shape (n, k)
            Probabilities of the classes, in the order of `labels`.
        cost_matrix : array-like or data frame of shape (k, m) or (n, k, m)
            Costs, row: true class, column: decision.
        of : label
            The class whose share is varied.
        labels, actions : array-like, default=None
            The classes and the decisions in the order of the matrix; by default the sorted labels.
        n_shares : int, default=101
            Number of shares; that of the data is added.
        name, ax, **line_options
            As in :meth:`plot`.

        Returns
        -------
        ClassCostCurveDisplay
        """
        y, P, costs, labels = read_class_probabilities(y_true, y_prob, cost_matrix, labels, actions)
        place = np.flatnonzero(labels == of)
        if not len(place):
            raise ValueError(
                f"of={shown(of)} is none of the classes: {', '.join(map(str, labels))}."
            )
        rate = np.bincount(y, minlength=len(labels)) / len(y)
        if not 0 < rate[place[0]] < 1:
            raise ValueError(f"The data contain only examples or no examples of {shown(of)}.")
        own = float(rate[place[0]])
        shares = np.union1d(np.linspace(0, 1, n_shares), [own])
        found = np.array([_costs_at(s, place[0], y, P, costs, rate) for s in shares])
        display = cls(shares, *found.T, of=of, share=own, estimator_name=name)
        return display.plot(ax, **line_options)

    @classmethod
    def from_estimator(cls, estimator, X, y, *, name=None, labels=None, **options):
        """Draw for a fitted classifier; other arguments as in `from_predictions`."""
        labels = estimator.classes_ if labels is None else labels
        name = name or name_of(estimator)
        P = probability_of(estimator, X)
        return cls.from_predictions(y, P, name=name, labels=labels, **options)


def _costs_at(share, place, y, P, costs, rate):
    """Cost per decision of the probabilities and of the best constant decision at a share."""
    present = np.where(rate > 0, rate, 1.0)  # a class without examples has no share to change
    ratio = np.full(len(rate), (1 - share) / (1 - rate[place]))
    ratio[place] = share / present[place]
    shifted = P * ratio
    # certain of a class that is gone: what is left are the shares themselves
    shifted[~shifted.any(axis=1)] = rate * ratio
    weight = ratio[y] / len(y)
    decided = costs.decide(shifted)  # the least expected cost needs no sum of one
    cost = weight @ costs.paid(y, decided)
    n_actions = costs.table.shape[-1]
    constant = min(weight @ costs.paid(y, np.full(len(y), a)) for a in range(n_actions))
    return cost, constant
