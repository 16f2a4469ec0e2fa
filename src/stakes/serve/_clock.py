"""Time of the journal: it never runs backwards and never stands still."""

import time

PACE = 0.9  # seconds of the journal in a second, until the clock of the machine has caught up


class Clock:
    """The time of entries, whatever the clock of the machine does.

    A clock that jumps forwards is followed. One that jumps backwards is waited for, and meanwhile
    time goes on a tenth slower than it really does: hours and days still end, so that the alerts
    and reviews of the next ones can be given out.

    Parameters
    ----------
    wall : callable, default=time.time
        Seconds since 1970; may jump.
    steady : callable, default=time.monotonic
        Seconds since any moment; never jumps.

    Examples
    --------
    >>> wall, steady = iter([1000.0, 5000.0, 1020.0]), iter([0.0, 0.0, 10.0, 20.0])
    >>> clock = Clock(lambda: next(wall), lambda: next(steady))
    >>> [clock.tick() for _ in range(3)]
    [1000.0, 5000.0, 5009.0]
    """

    def __init__(self, wall=time.time, steady=time.monotonic):
        self._wall, self._steady = wall, steady
        self.set(0.0)

    def set(self, at):
        """Continue from the time of the last entry, written by whichever process."""
        self._at, self._seen = at, self._steady()

    def peek(self):
        """The time now."""
        return max(self._wall(), self._at + PACE * (self._steady() - self._seen))

    def tick(self):
        """The time of the next entry."""
        steady = self._steady()
        self._at = max(self._wall(), self._at + PACE * (steady - self._seen))
        self._seen = steady
        return self._at
