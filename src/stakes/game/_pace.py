"""How far an attack is, and the time it may take."""

import time
from functools import partial


class Pace:
    """Progress of the search for moves, case by case, until the time is up.

    Parameters
    ----------
    time_budget : float or None, default=None
        Seconds from now; None: no limit.
    progress : callable, default=None
        Called as `progress(done, total)` before the first case and after each.
    """

    def __init__(self, time_budget=None, progress=None):
        self.ends = None if time_budget is None else time.monotonic() + time_budget
        self._progress = progress
        self.done = self.total = 0

    def begin(self, total):
        """Start to count cases."""
        self.done, self.total = 0, total
        if self._progress is not None:
            self._progress(0, total)

    def tick(self, cases=1):
        """Count cases that are finished; return whether there is time for more."""
        self.done += cases
        if self._progress is not None:
            self._progress(self.done, self.total)
        return not self.over

    @property
    def left(self):
        """Seconds that are left; None without a limit."""
        return None if self.ends is None else max(self.ends - time.monotonic(), 0.0)

    @property
    def over(self):
        """Whether the time is up."""
        return self.ends is not None and time.monotonic() >= self.ends


class StagePace(Pace):
    """Time left for each of several attacks, and their progress.

    Parameters
    ----------
    time_budget : float or None
        Seconds from now for all of them; None: no limit.
    progress : callable or None
        Called as `progress(stage, done, total)`.
    """

    def __init__(self, time_budget, progress):
        super().__init__(time_budget)
        self._told = progress

    def of(self, stage):
        """Arguments of an attack."""
        told = None if self._told is None else partial(self._told, stage)
        return dict(time_budget=self.left, progress=told)

    def say(self, stage):
        """Report that a stage starts."""
        if self._told is not None:
            self._told(stage, 0, 0)
