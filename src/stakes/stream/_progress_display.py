"""Curves of progressive validation as a plot."""

import numpy as np

from stakes._core.plotting import MUTED, once, open_axes


class ProgressDisplay:
    """Curves of progressive validation, next to the constant policies.

    Parameters
    ----------
    progress : ProgressiveResult
        Return value of :func:`progressive`.
    name : str, default=None
        Name in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from stakes.stream import progressive
    >>> from stakes.online import AROWClassifier
    >>> progress = progressive(AROWClassifier(), np.array([[1.0], [-1.0]]), [1, 0])
    >>> ProgressDisplay(progress, name="AROW").plot(curve="cost").ax_.get_ylabel()
    'Cost so far'
    """

    _LABELS = {"cost": "Cost so far", "regret": "Cost beyond the best constant policy",
               "savings": "Savings so far", "weighted_sum": "Weighted sum so far"}  # fmt: skip

    def __init__(self, progress, *, name=None):
        self.progress = progress
        self.name = name

    def plot(self, ax=None, *, name=None, curve="cost", **line_options):
        """Draw one curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None: new axes.
        name : str, default=None
            Name in the legend; None: the one of the constructor.
        curve : {"cost", "regret", "savings", "weighted_sum"}, default="cost"
            Curve to draw against the events.
        **line_options
            Passed to matplotlib's `plot`.

        Returns
        -------
        ProgressDisplay
        """
        if curve not in self._LABELS:
            raise ValueError(f"curve must be one of {', '.join(self._LABELS)}. Got {curve!r}.")
        self.figure_, self.ax_ = open_axes(ax)
        values = getattr(self.progress, curve)
        values = values() if callable(values) else values
        events = np.arange(1, len(values) + 1)
        (self.line_,) = self.ax_.plot(events, values, label=name or self.name, **line_options)
        if curve == "cost":
            fixed = (("never act", self.progress.never), ("always act", self.progress.always))
            for style, (label, cost) in zip(("--", ":"), fixed, strict=True):
                label = once(self.ax_, label)
                self.ax_.plot(events, np.cumsum(cost), style, label=label, **MUTED)
        elif curve != "weighted_sum":
            self.ax_.axhline(0.0, linestyle="--", label=once(self.ax_, "best constant"), **MUTED)
        self.ax_.set(xlabel="Events", ylabel=self._LABELS[curve])
        if self.ax_.get_legend_handles_labels()[0]:
            self.ax_.legend(fontsize="small")
        return self
