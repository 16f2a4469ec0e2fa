"""Whether numbers leave the range that they had in training more often than by chance."""

from stakes.tables import Events

RATES = (0.001, 0.01, 0.1)  # shares of events outside that the test bets on
_NUMBERS = (float, int)


class Ranges:
    r"""Sequential test, for each field, of how often it is outside its range of training.

    If events come as in training, the next value of a field is a new extreme with probability
    :math:`q = (2 + k)/(n + 1 + t)` at most, after n rows of training and t events of which k were
    outside. For each rate r of :data:`RATES` the statistic :math:`M \leftarrow (M + 1) e` grows by
    the likelihood ratio e of r against q; the expected number of events until a mean of M reaches
    its limit is at least that limit (as in :mod:`stakes._core.jit.drift`), which the fields share.
    Between two events outside, q stays at its larger, earlier value, which only makes the test more
    careful and lets M be computed at once.

    Parameters
    ----------
    ranges : dict
        Field -> (low, high) in training.
    rows : int
        Rows of training.
    false_alarm_every : int
        Events between two false alarms, on average or more.

    Attributes
    ----------
    alarms : dict
        Field -> event at which it last raised an alarm.

    Examples
    --------
    >>> ranges = Ranges({"amount": (0.0, 100.0)}, rows=1000, false_alarm_every=10_000)
    >>> for t in range(200):
    ...     amount = 500.0 if t >= 150 and t % 2 else 50.0
    ...     ranges.add(ranges.outside({"amount": amount}))
    >>> ranges.alarms
    {'amount': 196}
    """

    def __init__(self, ranges, rows, false_alarm_every):
        self.ranges = {name: (low, high) for name, (low, high) in ranges.items()}
        self._rows = rows
        self._limit = false_alarm_every * max(1, len(self.ranges))
        self.events = 0
        self.alarms = {}
        self._fields = {}  # field -> [times outside, last time, q since then, M for each rate]

    def outside(self, event):
        """Fields of an event that are numbers outside their range."""
        return self.outside_many(Events([event]))[0]

    def outside_many(self, events):
        """:meth:`outside` of each of :class:`~stakes.tables.Events`."""
        found = [[] for _ in range(len(events))]
        for name, (low, high) in self.ranges.items():
            values = events.column(name)
            try:
                if low <= min(values) and max(values) <= high:
                    continue  # as almost always
            except TypeError:  # some are missing, or texts
                pass
            for i, value in enumerate(values):
                if type(value) in _NUMBERS and (value < low or value > high):
                    found[i].append(name)
        return found

    def add(self, outside):
        """Count an event, given its fields that are outside."""
        self.events += 1
        for name in outside:
            if name in self.ranges:
                self._add(name)

    def get_state(self):
        """Everything that changes, as plain values."""
        return [self.events, self._fields, self.alarms]

    def set_state(self, state):
        """Resume from what :meth:`get_state` returned."""
        self.events, self._fields, self.alarms = state

    def _add(self, name):
        q = 2.0 / (self._rows + 1)
        times, last, q, statistics = self._fields.get(name, (0, 0, q, [0.0] * len(RATES)))
        quiet = self.events - last - 1
        found = []
        for rate, M in zip(RATES, statistics, strict=True):
            r = max(rate, 2 * q)
            inside = (1 - r) / (1 - q)
            shrunk = inside**quiet
            M = shrunk * M + inside * (1 - shrunk) / (1 - inside)
            found.append((M + 1) * r / q)
        if sum(found) / len(found) >= self._limit:
            self.alarms[name] = self.events
            found = [0.0] * len(RATES)
        times += 1
        q = min(0.4, (2.0 + times) / (self._rows + 1 + self.events))
        self._fields[name] = [times, self.events, q, found]
