"""What should worry whoever runs a service."""

YEARLY = 7_300_000  # labels in a year of 20,000 events a day
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
    if state.pauses.is_unusual(now):
        hours, longest = (now - state.pauses.last) / 3600, state.pauses.longest / 3600
        found.append(
            f"No label for {hours:,.1f} hours; the longest pause before was {longest:,.1f} hours."
        )
    return found
