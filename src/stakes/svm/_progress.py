"""Lines about a long fit, at most one a second."""

import sys
import time


class Progress:
    """Callable that prints how far a solver is, at most once a second.

    Parameters
    ----------
    name : str
        Name of the learner.
    every : float, default=1.0
        Seconds between two lines.

    Examples
    --------
    >>> Progress("CostSensitiveSVC", every=0.0)(1200, "steps", "KKT residual", 0.02, 0.001)
    """

    def __init__(self, name, every=1.0):
        self.name, self.every = name, every
        self.start = self.last = time.monotonic()

    def __call__(self, done, unit, measure, left, goal):
        """Report the number of steps and the measure that has to fall to the goal."""
        now = time.monotonic()
        if now - self.last < self.every:
            return
        self.last = now
        print(
            f"{self.name}: {done:,} {unit}, {measure} {left:.2g} (goal {goal:.2g}), "
            f"{now - self.start:.0f} s",
            file=sys.stderr,
            flush=True,
        )
