"""Events that wait for their labels, and the ids of those that no longer do."""

from dataclasses import asdict, dataclass
from typing import NamedTuple

from stakes.stream._prices import ClassPrices, Prices


class Decision(NamedTuple):
    """What was decided about one event.

    Attributes
    ----------
    id : str or int
        The event's id; :meth:`DecisionStream.label` takes it.
    action : int
        1: act as for the positive class, 0: do not; with many classes the number of the action.
    probability : float, list of float or None
        Probability of the positive class, or of all; None if the learner gives none.
    break_even : float or None
        Probability above which acting is cheaper; None with many classes.
    expected_cost : float or None
        Expected cost of the action under that probability.
    """

    id: str | int
    action: int
    probability: float | None
    break_even: float
    expected_cost: float | None


class PendingEvent(NamedTuple):
    """What is kept of an event until its label arrives: as it was when it was decided."""

    features: dict
    prices: Prices
    probability: float | None
    action: int

    def decision(self, id):
        """The decision that was made."""
        p, prices = self.probability, self.prices
        expected = None if p is None else prices.expected(p, self.action)
        return Decision(id, self.action, p, prices.break_even, expected)

    @classmethod
    def of_state(cls, features, prices, probability, action):
        """From the plain lists of a saved stream."""
        many = isinstance(prices[0], list)
        prices = ClassPrices(map(tuple, prices)) if many else Prices(*prices)
        return cls(features, prices, probability, action)


@dataclass
class LabelCounts:
    """How the labels of a stream arrived.

    Attributes
    ----------
    late : int
        Labels of pending events.
    dropped : int
        Events dropped without a label because too many were pending.
    too_late : int
        Labels of dropped events.
    unknown : int
        Labels whose id no event has had.
    repeated : int
        Events and labels whose id had been dealt with before; they are ignored.
    """

    late: int = 0
    dropped: int = 0
    too_late: int = 0
    unknown: int = 0
    repeated: int = 0


class PendingEvents:
    """The pending events by id, oldest first, and the ids that are closed; both bounded.

    Parameters
    ----------
    limit : int
        Maximum number of pending events; beyond it the oldest is dropped. As many closed ids are
        remembered, so that a repeated record is recognized.

    Examples
    --------
    >>> pending = PendingEvents(limit=1)
    >>> for name in "ab":
    ...     pending.add(name, PendingEvent({}, Prices(1.0, 1.0, 0.0, 0.0), 0.5, 0))
    >>> "a" in pending, pending.get("a"), pending.counts.dropped, len(pending)
    (True, None, 1, 1)
    """

    def __init__(self, limit):
        self.limit = limit
        self.counts = LabelCounts()
        self.first_repeated = None  # an id, for messages
        self._open = {}  # id -> PendingEvent
        self._closed = {}  # id -> whether its label has come

    def __len__(self):
        return len(self._open)

    def __contains__(self, id):
        return id in self._open or id in self._closed

    def get(self, id):
        """The pending event of an id, None if it is closed or unknown."""
        return self._open.get(id)

    def add(self, id, event):
        """Remember an event; drop the oldest if there are too many."""
        self._open[id] = event
        if len(self._open) > self.limit:
            oldest = next(iter(self._open))
            del self._open[oldest]
            self.close(oldest, labeled=False)
            self.counts.dropped += 1

    def take(self, id):
        """What a label's id means, counted, and the pending event that it belongs to if any."""
        event = self._open.pop(id, None)
        if event is not None:
            self.counts.late += 1
            self.close(id, labeled=True)
            return "pending", event
        if id not in self._closed:
            self.counts.unknown += 1
            return "unknown", None
        if self._closed[id]:
            self.repeat(id)
            return "repeated", None
        self.counts.too_late += 1
        return "too late", None

    def repeat(self, id):
        """Count a record whose id has been dealt with."""
        self.counts.repeated += 1
        if self.first_repeated is None:
            self.first_repeated = id

    def close(self, id, *, labeled):
        """Remember that an id is done."""
        self._closed[id] = labeled
        if len(self._closed) > self.limit:
            del self._closed[next(iter(self._closed))]

    def get_state(self):
        """Everything as lists and dicts of plain values."""
        return {
            "open": list(self._open.items()),
            "closed": list(self._closed.items()),
            "counts": asdict(self.counts),
        }

    @classmethod
    def of_state(cls, limit, state):
        """Resume from what :meth:`get_state` returned."""
        pending = cls(limit)
        pending._open = {id: PendingEvent.of_state(*event) for id, event in state["open"]}
        pending._closed = dict(state["closed"])
        pending.counts = LabelCounts(**state["counts"])
        return pending
