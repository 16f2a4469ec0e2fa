"""How many requests a client may send in a second."""

import time

MOST_CLIENTS = 10_000  # remembered at a time


class Rates:
    """A bucket of requests for each client, which fills at a steady rate.

    Parameters
    ----------
    per_second : float
        Requests that a client may send in a second, on average; twice as many at once.
    clock : callable, default=time.monotonic
        Seconds.

    Examples
    --------
    >>> now = iter([0.0, 0.0, 0.0, 0.5])
    >>> rates = Rates(1.0, clock=lambda: next(now))
    >>> [rates.wait("a") for _ in range(4)]
    [0.0, 0.0, 1.0, 0.5]
    """

    def __init__(self, per_second, clock=time.monotonic):
        self._rate = per_second
        self._size = max(1.0, 2 * per_second)
        self._clock = clock
        self._buckets = {}  # client -> [requests left, when]

    def wait(self, client):
        """Seconds that a client must wait; 0: its request is counted and may be answered."""
        now = self._clock()
        left, before = self._buckets.pop(client, (self._size, now))
        left = min(self._size, left + (now - before) * self._rate)
        allowed = left >= 1.0
        if len(self._buckets) >= MOST_CLIENTS:  # the one that was silent longest has a full bucket
            del self._buckets[next(iter(self._buckets))]
        self._buckets[client] = (left - 1.0 if allowed else left, now)
        return 0.0 if allowed else (1.0 - left) / self._rate
