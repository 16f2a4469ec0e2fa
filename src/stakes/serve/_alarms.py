"""What should worry whoever runs a service."""

import math

YEARLY = 7_300_000  # labels in a year of 20,000 events a day
# labels or events between false alarms of one kind: all kinds together raise one a year at most
PROMISE_EVERY, RANGE_EVERY = 2 * YEARLY, 4 * YEARLY
_DECAY = 0.999  # the longest pause between two labels is forgotten that slowly
_SHORTEST = 3600.0  # seconds without a label that worry nobody


class Pauses:
    """How long labels have paused before, so that a longer pause can be noticed.

    Examples
    --------
    >>> pauses = Pauses()
    >>> for at in (0.0, 60.0, 7260.0):
    ...     pauses.label(at)
    >>> pauses.is_unusual(now=14_000.0), pauses.is_unusual(now=30_000.0)
    (False, True)
    """

    def __init__(self, last=None, longest=0.0):
        self.last = last
        self.longest = longest

    def label(self, at):
        """Note a label."""
        if self.last is not None:
            self.longest = max(at - self.last, _DECAY * self.longest)
        self.last = at

    def is_unusual(self, now):
        """Whether the pause since the last label is more than twice the longest one."""
        if self.last is None:
            return False
        return now - self.last > max(2 * self.longest, _SHORTEST)


class PaidWindows:
    """Whether the cost of a decision leaves the interval that a comparison promised.

    Labels are taken in windows. A window raises an alarm if the interval of its own mean cost, of
    `WIDTH` standard errors to each side, does not reach the promised interval.

    Parameters
    ----------
    promised : (float, float) or None
        Interval of the mean cost; None: nothing was promised.

    Attributes
    ----------
    last : (int, float) or None
        Number of the label that ended the last window with an alarm, and its mean cost.

    Examples
    --------
    >>> windows = PaidWindows((0.9, 1.1))
    >>> for t in range(30_000):
    ...     windows.add(2.0 * (t % 2) if t < 20_000 else 2.0 + t % 2)
    >>> windows.last
    (30000, 2.5)
    """

    SIZE = 10_000  # labels
    WIDTH = 4.0

    def __init__(self, promised=None):
        self.promised = promised
        self.last = None
        self._labels = 0
        self._sums = [0, 0.0, 0.0]  # of this window: labels, costs, their squares

    def add(self, paid):
        """Take one cost in."""
        self._labels += 1
        sums = self._sums
        sums[0] += 1
        sums[1] += paid
        sums[2] += paid * paid
        if sums[0] < self.SIZE:
            return
        mean = sums[1] / sums[0]
        error = math.sqrt(max(0.0, sums[2] / sums[0] - mean * mean) / sums[0])
        self._sums = [0, 0.0, 0.0]
        if self.promised is not None:
            low, high = self.promised
            if mean - self.WIDTH * error > high or mean + self.WIDTH * error < low:
                self.last = (self._labels, mean)

    def get_state(self):
        """Everything that changes, as plain values."""
        return [self._labels, self._sums, self.last]

    def set_state(self, state):
        """Resume from what :meth:`get_state` returned."""
        self._labels, self._sums, last = state
        self.last = None if last is None else tuple(last)


def alarms(state, now):
    """Sentences about what is unusual now.

    Parameters
    ----------
    state : State
        Of the service.
    now : float
        Seconds since 1970.
    """
    found = []
    if state.drift.last is not None:
        last = state.drift.last
        found.append(
            f"From about label {last.since:,} to label {last.label:,} the decisions cost "
            f"{last.paid:,.2f}, where {last.promised:,.2f} was expected: the data may have changed."
        )
    if state.paid.last is not None:
        label, mean = state.paid.last
        low, high = state.paid.promised
        found.append(
            f"In the {state.paid.SIZE:,} labels up to label {label:,} a decision cost {mean:,.4g} "
            f"on average; the comparison had promised {low:,.4g} to {high:,.4g}."
        )
    for name, event in state.ranges.alarms.items():
        low, high = state.ranges.ranges[name]
        found.append(
            f"Up to event {event:,} field {name!r} was outside its range of training, {low:,.6g} "
            f"to {high:,.6g}, too often for chance."
        )
    if state.pauses.is_unusual(now):
        hours, longest = (now - state.pauses.last) / 3600, state.pauses.longest / 3600
        found.append(
            f"No label for {hours:,.1f} hours; the longest pause before was {longest:,.1f} hours."
        )
    return found
