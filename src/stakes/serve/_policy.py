"""From probabilities to actions, when people have time for a few alerts and reviews only."""

import bisect
import math
from dataclasses import dataclass

from stakes._core.words import shown
from stakes.errors import InputError

PASS, ALERT, REVIEW = ACTIONS = ("pass", "alert", "review")
_KEPT = 4  # events remembered for each slot: more than the winners, for when slots are left
PERIODS = {"hour": 3600.0, "day": 86400.0}


@dataclass(frozen=True)
class Capacity:
    """What people can do in a period, and what a review costs.

    Parameters
    ----------
    max_alerts, max_reviews : int, default=None
        Maximum number of alerts and reviews per period; None: no limit.
    review_cost : float, default=None
        Price of a review, which finds the true class; None: there are no reviews.
    period : {"day", "hour"}, default="day"
        In universal time.
    explore : float, default=0.0
        Share of the alerts that pass at random instead, so that their labels become known.
    """

    max_alerts: int | None = None
    max_reviews: int | None = None
    review_cost: float | None = None
    period: str = "day"
    explore: float = 0.0

    def __post_init__(self):
        if self.period not in PERIODS:
            raise InputError(
                f"{{parameter}} must be day or hour. Got {self.period!r} instead.", "period"
            )
        if not 0 <= self.explore < 1:
            raise InputError(
                f"{{parameter}} must be at least 0 and below 1. Got {shown(self.explore)} instead.",
                "explore",
            )

    @property
    def is_limited(self):
        """Whether anything but plain alerts is asked for."""
        limits = (self.max_alerts, self.max_reviews, self.review_cost)
        return any(limit is not None for limit in limits)


class Slots:
    """The running price of one of a limited number of slots.

    A slot is taken by an event that saves more than the slot's price: with r slots left, the r-th
    largest saving among the events that came in the period before from this time of the period on.
    The price thus follows the hours of a day, rises when slots run short and falls when many are
    left. In the first period, and after a period without events, it is the saving that the events
    so far would have needed for the share of the slots that belongs to the elapsed time.

    Parameters
    ----------
    limit : int or None
        Slots in a period; None: no limit, and the price is zero.
    seconds : float
        Length of a period.

    Examples
    --------
    >>> slots = Slots(limit=2, seconds=86400.0)
    >>> [slots.take(gain, at=3600.0 * hour) for hour, gain in enumerate([3.0, 9.0, 5.0])]
    [True, True, False]
    >>> [slots.take(gain, at=86400.0 + 3600.0 * hour) for hour, gain in enumerate([3.0, 9.0, 6.0])]
    [False, True, True]
    """

    def __init__(self, limit, seconds):
        self.limit = limit
        self._seconds = seconds
        self._period = None
        self._taken = 0
        self._now = []  # the largest (saving, time) of this period, sorted
        self._ahead = None  # (time, saving) of the period before that are still ahead, by time
        self._savings = []  # their savings, sorted
        self.price = 0.0

    @property
    def left(self):
        """Slots that are left in the period; None without a limit."""
        return None if self.limit is None else self.limit - self._taken

    def take(self, gain, at):
        """Whether an event that would save `gain` gets a slot."""
        if self.limit is None:
            return gain > 0
        self._advance(at)
        self.price = self._price_at(at)
        if gain > 0:
            self._note(gain, at)
        if self.left == 0 or gain <= self.price:
            return False
        self._taken += 1
        return True

    def get_state(self):
        """Everything as plain values."""
        return [self._period, self._taken, self._now, self._ahead, self._savings, self.price]

    def set_state(self, state):
        """Resume from what :meth:`get_state` returned."""
        self._period, self._taken, now, self._ahead, self._savings, self.price = state
        self._now = [tuple(one) for one in now]

    def _advance(self, at):
        period = math.floor(at / self._seconds)
        if period != self._period:
            is_next = self._period is not None and period == self._period + 1
            self._ahead = None
            if is_next and self._now:
                self._ahead = sorted(([t, saving] for saving, t in self._now), reverse=True)
                self._savings = sorted(saving for saving, _ in self._now)
            self._period, self._taken, self._now = period, 0, []
        time = at - period * self._seconds
        while self._ahead and self._ahead[-1][0] <= time:
            _, saving = self._ahead.pop()
            del self._savings[bisect.bisect_left(self._savings, saving)]

    def _price_at(self, at):
        if self.left == 0:
            return math.inf
        if self._ahead is not None:
            return self._savings[-self.left] if len(self._savings) >= self.left else 0.0
        share = max(1, math.ceil(self.limit * (at / self._seconds - self._period)))
        if self._taken < share or len(self._now) < share:
            return 0.0
        return self._now[-share][0]

    def _note(self, gain, at):
        one = (gain, at - self._period * self._seconds)
        bisect.insort(self._now, one)
        if len(self._now) > _KEPT * self.limit:
            del self._now[0]


class Policy:
    """Actions of one model under the capacity of the people behind it.

    Parameters
    ----------
    capacity : Capacity
        Their limits.
    """

    def __init__(self, capacity):
        self.capacity = capacity
        self._is_limited = capacity.is_limited
        seconds = PERIODS[capacity.period]
        self.alerts = Slots(capacity.max_alerts, seconds)
        self.reviews = Slots(capacity.max_reviews, seconds)

    def decide(self, probability, action, prices, at):
        """The action about one event.

        Parameters
        ----------
        probability : float or None
            Of the positive class.
        action : int
            What the model does without limits: 1 is an alert.
        prices : Prices
            Of the event.
        at : float
            When; never earlier than the event before.

        Returns
        -------
        action : {"pass", "alert", "review"}
        gain : float or None
            What the action is expected to save against passing.
        """
        if probability is None:
            return ACTIONS[action], None
        if not action and not self._is_limited:
            return PASS, 0.0
        passing = prices.expected(probability, 0)
        acting = passing - prices.expected(probability, 1)
        if self.capacity.review_cost is not None:
            reviewing = passing - expected_cost(prices, probability, REVIEW, self.capacity)
            if self.reviews.take(reviewing - max(0.0, acting - self.alerts.price), at):
                return REVIEW, reviewing
        if self.capacity.max_alerts is None:
            return (ALERT, acting) if action else (PASS, 0.0)
        return (ALERT, acting) if self.alerts.take(acting, at) else (PASS, 0.0)

    def get_state(self):
        """Everything as plain values."""
        return {"alerts": self.alerts.get_state(), "reviews": self.reviews.get_state()}

    @classmethod
    def of_state(cls, capacity, state):
        """Resume from what :meth:`get_state` returned."""
        policy = cls(capacity)
        policy.alerts.set_state(state["alerts"])
        policy.reviews.set_state(state["reviews"])
        return policy


def expected_cost(prices, probability, action, capacity):
    """Expected cost of an action; a review finds the truth, at its price."""
    if action == REVIEW:
        p = probability
        return capacity.review_cost + p * prices.tp + (1 - p) * prices.tn
    return prices.expected(probability, int(action == ALERT))


def paid_for(prices, label, action, capacity):
    """Actual cost of an action, once the class is known."""
    if action == REVIEW:
        return capacity.review_cost + (prices.tp if label else prices.tn)
    return prices.paid(label, int(action == ALERT))
