"""Whether the decisions of a stream cost what they promised."""

from typing import NamedTuple

import numpy as np

from stakes._core.jit.drift import N_BETS, drift_step_within

WARM = 100  # labels before the test begins: until then a learner promises without knowing


class DriftAlarm(NamedTuple):
    """When recent decisions left what they promised.

    Attributes
    ----------
    label : int
        Number of the label at which the alarm was raised.
    since : int
        Number of the label from which on the costs were unusual, an estimate.
    paid, promised : float
        What the decisions from there on cost, and the expected cost that they promised.
    """

    label: int
    since: int
    paid: float
    promised: float


def odds_times(p, factor):
    """The probability whose odds are those of p times a factor."""
    return p * factor / (1.0 - p + p * factor)


class DriftTest:
    """Sequential test of whether decisions cost what they promised, more or less.

    A decision at probability p promises its expected cost. If the probabilities are right, an alarm
    is raised at most once in `false_alarm_every` labels on average, whatever the data are; see
    :mod:`stakes._core.jit.drift` for the test. It does not look at the first 100 labels. After an
    alarm it starts over.

    Parameters
    ----------
    false_alarm_every : int or None, default=100000
        Number of labels between two false alarms, on average or more; None: no test.
    tolerance : float, default=1.0
        Factor by which the odds of going wrong may differ from what was promised: the rate of false
        alarms holds for probabilities that are right up to this factor.

    Attributes
    ----------
    alarms : int
        Number of alarms so far.
    last : DriftAlarm or None
        The last one.

    Examples
    --------
    >>> from stakes.stream import PendingEvent, Prices
    >>> test, prices = DriftTest(1000), Prices(fp=1.0, fn=1.0, tp=0.0, tn=0.0)
    >>> for t in range(300):  # nothing happens in 200 events, as promised; then every event fails
    ...     event = PendingEvent({}, prices, probability=0.01, action=0)
    ...     test.add(event, label=t >= 200, paid=float(t >= 200))
    >>> test.alarms > 0, test.last.paid > 10 * test.last.promised
    (True, True)
    """

    def __init__(self, false_alarm_every=100_000, tolerance=1.0):
        self.false_alarm_every = false_alarm_every
        self.tolerance = tolerance
        self.alarms, self.last = 0, None
        self._seen = 0
        self._sums = [0.0, 0.0]  # of what a missed positive and a false alarm cost
        self._begin()

    def _begin(self):
        self._statistics = np.zeros(N_BETS)
        # of a change for the worse and for the better, the likelihood ratio of the most likely one,
        # and since then: the first label, what was paid and what was promised
        self._worse, self._better = ([1.0, self._seen + 1, 0.0, 0.0] for _ in range(2))

    def add(self, event, label, paid):
        """Add one labeled event.

        Parameters
        ----------
        event : PendingEvent
            The event as it was decided.
        label : int
            1: positive, 0: negative.
        paid : float
            What the decision cost.
        """
        self._seen += 1
        prices, p, acts = event.prices, event.probability, event.action
        regrets = prices.fn - prices.tp, prices.fp - prices.tn
        sums = self._sums
        sums[0] += regrets[0]
        sums[1] += regrets[1]
        if self.false_alarm_every is None or self._seen <= WARM:
            return
        most, promised = max(sums) / self._seen, prices.expected(p, acts)
        stake = min(regrets[1 if acts else 0] / most, 1.0) if most > 0 else 0.0
        q, wrong = 1.0 - p if acts else p, bool(label) != bool(acts)
        gain = stake * (wrong - q)
        for change, factor in ((self._worse, 1.0 + gain), (self._better, 1.0 - 0.75 * gain)):
            if change[0] <= 1.0:
                change[:] = 1.0, self._seen, 0.0, 0.0
            change[0] *= factor
            change[2] += paid
            change[3] += promised
        low = high = q
        if self.tolerance != 1.0:
            low, high = odds_times(q, 1.0 / self.tolerance), odds_times(q, self.tolerance)
        found = drift_step_within(self._statistics, 0, wrong, low, high, stake)
        if found >= self.false_alarm_every:
            self.alarms += 1
            self.last = DriftAlarm(self._seen, *max(self._worse, self._better)[1:])
            self._begin()

    def get_state(self):
        """Everything as plain values."""
        return dict(
            seen=self._seen,
            sums=self._sums,
            statistics=self._statistics.tolist(),
            changes=[self._worse, self._better],
            alarms=self.alarms,
            last=self.last and list(self.last),
        )

    def set_state(self, state):
        """Continue from what :meth:`get_state` returned."""
        self._seen, self._sums = state["seen"], list(state["sums"])
        self._statistics = np.array(state["statistics"], dtype=np.float64)
        self._worse, self._better = (list(change) for change in state["changes"])
        self.alarms = state["alarms"]
        self.last = None if state["last"] is None else DriftAlarm(*state["last"])
