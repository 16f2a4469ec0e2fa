"""Whether a challenger is cheaper than the champion: an interval that may be looked at any day."""

import math


class Difference:
    r"""Mean difference of money per labeled event, and an interval that holds at all times.

    With probability :math:`1 - \alpha` the true mean is inside at every look, however often one
    looks and whenever one stops: the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha,
    Kennedy and Ramdas, :math:`\bar d_t \pm s_t \sqrt{\frac{2 (t \rho^2 + 1)}{t^2 \rho^2}
    \log \frac{\sqrt{t \rho^2 + 1}}{\alpha}}`. It assumes that the differences have a variance and
    that enough of them have been seen for the central limit theorem; before `least` of them there
    is no interval.

    Parameters
    ----------
    alpha : float, default=0.05
        Probability that the interval ever misses.
    tightest_at : int, default=10000
        Number of events at which the interval is tightest.
    least : int, default=500
        Number of events before the first interval.

    Examples
    --------
    >>> difference = Difference(tightest_at=1000)
    >>> for i in range(2000):
    ...     difference.add(1.0 + (-1) ** i)
    >>> [round(bound, 3) for bound in difference.interval()]
    [0.932, 1.068]
    """

    def __init__(self, alpha=0.05, tightest_at=10_000, least=500):
        self.alpha = alpha
        self.least = least
        odds = -2 * math.log(alpha)
        self._rho2 = (odds + math.log(odds + 1)) / tightest_at
        self.n, self.mean, self._squares = 0, 0.0, 0.0

    def add(self, difference):
        """Take one difference in."""
        self.n += 1
        before = difference - self.mean
        self.mean += before / self.n
        self._squares += before * (difference - self.mean)

    def interval(self):
        """Lower and upper bound of the mean; None while there are too few differences."""
        if self.n < self.least or self._squares <= 0:
            return None
        t = self.n * self._rho2 + 1
        factor = 2 * t / (self.n**2 * self._rho2) * math.log(math.sqrt(t) / self.alpha)
        width = math.sqrt(self._squares / self.n * factor)
        return self.mean - width, self.mean + width

    def get_state(self):
        """The sums, as plain values."""
        return [self.n, self.mean, self._squares]

    @classmethod
    def of_state(cls, state):
        """Resume from what :meth:`get_state` returned."""
        difference = cls()
        difference.n, difference.mean, difference._squares = state
        return difference
