"""Average ranks on a line; bars join learners that the test does not tell apart."""

import numpy as np

from stakes.compare._stats import average_ranks, cliques, critical_difference


class CriticalDifferenceDisplay:
    """Critical-difference diagram of several learners over several data sets.

    Parameters
    ----------
    names : list of str
        The learners.
    ranks : array-like of shape (k,)
        Their average ranks; 1 is best.
    difference : float
        Nemenyi's critical difference.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> display = CriticalDifferenceDisplay.from_costs([[1, 2, 3], [1, 3, 2]], ["a", "b", "c"])
    >>> display.ranks.tolist()
    [1.0, 2.5, 2.5]
    """

    def __init__(self, names, ranks, difference):
        self.names, self.ranks, self.difference = names, ranks, difference

    @classmethod
    def from_costs(cls, costs, names, *, alpha=0.05, ax=None):
        """Draw the diagram of a table of costs.

        Parameters
        ----------
        costs : array-like of shape (n_blocks, n_learners)
            What each learner cost on each data set.
        names : sequence of str
            The learners.
        alpha : float, default=0.05
            Level of the test.
        ax : matplotlib Axes, default=None
            Where to draw; None: new axes.

        Returns
        -------
        CriticalDifferenceDisplay
        """
        n, k = np.shape(costs)
        display = cls(list(names), average_ranks(costs), critical_difference(k, n, alpha))
        return display.plot(ax=ax)

    def plot(self, ax=None):
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None: new axes.

        Returns
        -------
        CriticalDifferenceDisplay
        """
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(8, 1 + 0.2 * len(self.names)))
        draw_ranks(ax, self.names, self.ranks, self.difference)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def draw_ranks(ax, names, ranks, difference, color="black"):
    """Draw the axis of ranks, a label for each learner, and the bars of equals."""
    order = np.argsort(ranks)
    ordered = np.asarray(ranks, dtype=np.float64)[order]
    k = len(ordered)
    half, groups = (k + 1) // 2, cliques(ordered, difference)
    below = 0.5 + 0.4 * len(groups)
    ax.set(xlim=(0.0, k + 1.0), ylim=(-(below + half + 0.5), 1.6))
    ax.axis("off")
    ax.plot([1, k], [0, 0], color=color, linewidth=1)
    for tick in range(1, k + 1):
        ax.plot([tick, tick], [0, 0.2], color=color, linewidth=1)
        ax.text(tick, 0.3, str(tick), ha="center", va="bottom", color=color)
    for place, (rank, index) in enumerate(zip(ordered, order, strict=True)):
        left = place < half
        level = -(below + (place if left else k - 1 - place) + 0.3)
        end = 0.9 if left else k + 0.1
        ax.plot([rank, rank, end], [0, level, level], color=color, linewidth=0.8)
        text = f"{names[index]}  {rank:.2f}" if left else f"{rank:.2f}  {names[index]}"
        ax.text(end, level, text, ha="right" if left else "left", va="center", color=color)
    for number, (first, last) in enumerate(groups):
        level = -(0.3 + 0.4 * number)
        ends = [ordered[first] - 0.05, ordered[last] + 0.05]
        ax.plot(ends, [level, level], color=color, linewidth=3.5, solid_capstyle="round")
    ax.plot([1, 1 + difference], [1.3, 1.3], color=color, linewidth=1.5)
    ax.text(
        1 + difference / 2, 1.35, f"critical difference {difference:.2f}", ha="center", color=color
    )
