"""The costs seen so far, kept exactly or in bounded memory: which examples are dear."""

import numpy as np

from stakes._jit._cvar import cvar_reserve, cvar_state
from stakes._jit._cvar_sketch import sketch_state
from stakes.online._cw_cvar_jit import exact_factor, exact_factors, sketch_factor, sketch_factors

_DECADES = 12.0  # the sketch reaches from the largest cost down to this many powers of ten


class CostBuffer:
    """State of the cost buffer of CW-CVaR, and the factor omega that it gives each example.

    Parameters
    ----------
    tail : float
        Share tau of the costs whose mean separates dear examples from cheap ones.
    dear, cheap : float
        The factor for both kinds.
    max_memory : int or None
        Numbers to keep at most; None keeps every cost and is exact.
    strict : bool, default=False
        Dear is only what exceeds the CVaR, so that among equal costs none is dear.

    Examples
    --------
    >>> buffer = CostBuffer(0.5, dear=2.0, cheap=1.0, max_memory=None)
    >>> buffer.factors(np.array([1.0, 5.0, 2.0, 9.0])).tolist()
    [2.0, 2.0, 1.0, 2.0]
    """

    def __init__(self, tail, dear, cheap, max_memory, strict=False):
        self.tail, self.dear, self.cheap = float(tail), float(dear), float(cheap)
        self.max_memory, self.strict = max_memory, bool(strict)
        self._unit = np.zeros(1)
        if max_memory is None:
            self._state = cvar_state()
        else:
            cells, place = sketch_state(int(max_memory) // 4)
            self._state = (_DECADES * np.log(10.0) / cells.shape[1], cells, place)

    def __setstate__(self, state):
        """A memory-mapped file is read-only; counting writes."""
        self.__dict__.update(state)
        self._unit = np.copy(self._unit)
        self._state = tuple(np.copy(x) if isinstance(x, np.ndarray) else x for x in self._state)

    def factors(self, costs):
        """Take costs in, in order; return the factor of each."""
        known = self.tail, self.dear, self.cheap, self.strict, self._unit
        if self.max_memory is not None:
            return sketch_factors(costs, *known, *self._state)
        self._reserve(len(costs))
        return exact_factors(costs, *known, *self._state)

    def factor(self, cost):
        """Take one cost in; return its factor."""
        known = self.tail, self.dear, self.cheap, self.strict, self._unit
        if self.max_memory is not None:
            return sketch_factor(cost, *known, *self._state)
        self._reserve(1)
        return exact_factor(cost, *known, *self._state)

    def _reserve(self, m):
        top, rest, sizes, sums = self._state
        self._state = *cvar_reserve(m, self.tail, top, rest, sizes), sizes, sums

    def join(self, other):
        """Take in all that another buffer holds."""
        if other._unit[0] == 0.0:
            return
        for cost in other._values():
            self.factor(cost)

    def _values(self):
        """The costs; from a sketch, each cell's mean as often as the cell was hit."""
        if self.max_memory is None:
            top, rest, sizes, _ = self._state
            return self._unit[0] * np.r_[top[: sizes[0]], -rest[: sizes[1]]]
        _, cells, _ = self._state
        hit = cells[0] > 0
        means = cells[1, hit] / cells[0, hit]
        return self._unit[0] * np.repeat(means, cells[0, hit].astype(np.int64))
