"""What a stream counts, and what became of a label."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass
class Totals:
    """Running totals of a stream.

    Attributes
    ----------
    events, labels, positives : int
        Events decided, labels received for them, and positive ones among these.
    paid, never, always : float
        What the labeled events cost as decided, and what never or always acting would have cost.
    """

    events: int = 0
    labels: int = 0
    positives: int = 0
    paid: float = 0.0
    never: float = 0.0
    always: float = 0.0

    def book(self, prices, positive, paid, sign=1):
        """Add one labeled event that cost `paid`, or take it back (`sign` -1)."""
        self.labels += sign
        self.positives += sign * positive
        self.paid += sign * paid
        self.never += sign * prices.paid(positive, 0)
        self.always += sign * prices.paid(positive, 1)


class Outcome(NamedTuple):
    """What became of a label.

    Attributes
    ----------
    id : str or int
        The event that the label was for.
    status : {"learned", "missing", "unknown", "too late", "repeated"}
        "learned": its event was pending and has been learned. Otherwise the label was ignored: it
        was empty, no event has that id, its event was dropped, or it had a label before.
    label : int or None
        1: positive, 0: negative.
    paid : float or None
        What the decision about the event cost; None if the label was ignored.
    """

    id: str | int
    status: str
    label: int | None = None
    paid: float | None = None
