"""The costs seen so far, kept exactly or in bounded memory: which examples are dear."""

import numpy as np

from stakes._core.jit.cvar import cvar_reserve, cvar_state
from stakes._core.jit.cvar_sketch import sketch_state
from stakes.online._cw_cvar_jit import (
    CHEAP,
    DEAR,
    STRICT,
    TAIL,
    UNIT,
    WIDTH,
    exact_factor,
    exact_factors,
    sketch_factor,
    sketch_factors,
    sketch_parts,
)

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
        self.max_memory = max_memory
        self._numbers = np.array([tail, dear, cheap, strict, 0.0, 0.0])
        if max_memory is None:
            self._heaps = cvar_state()
        else:
            cells, place = sketch_state(int(max_memory) // 4)
            self._numbers[WIDTH] = _DECADES * np.log(10.0) / cells.shape[1]
            self._numbers = np.r_[self._numbers, place.view(np.float64), cells.ravel()]

    def __setstate__(self, state):
        """A memory-mapped file is read-only; counting writes."""
        self.__dict__.update(state)
        self._numbers = np.copy(self._numbers)
        if self.max_memory is None:
            self._heaps = tuple(np.copy(x) for x in self._heaps)

    def set_rule(self, tail, dear, cheap, strict):
        """Go on with another tail and other factors."""
        self._numbers[[TAIL, DEAR, CHEAP, STRICT]] = tail, dear, cheap, strict

    def factors(self, costs):
        """Take costs in, in order; return the factor of each."""
        if self.max_memory is not None:
            return sketch_factors(costs, self._numbers)
        self._reserve(len(costs))
        return exact_factors(costs, self._numbers, *self._heaps)

    def factor(self, cost):
        """Take one cost in; return its factor."""
        if self.max_memory is not None:
            return sketch_factor(cost, self._numbers)
        self._reserve(1)
        return exact_factor(cost, self._numbers, *self._heaps)

    def _reserve(self, m):
        top, rest, sizes, sums = self._heaps
        self._heaps = *cvar_reserve(m, self._numbers[TAIL], top, rest, sizes), sizes, sums

    def join(self, other):
        """Take in all that another buffer holds."""
        if other._numbers[UNIT] == 0.0:
            return
        for cost in other._values():
            self.factor(cost)

    def _values(self):
        """The costs; from a sketch, each cell's mean as often as the cell was hit."""
        if self.max_memory is None:
            top, rest, sizes, _ = self._heaps
            return self._numbers[UNIT] * np.r_[top[: sizes[0]], -rest[: sizes[1]]]
        _, cells, _ = sketch_parts(self._numbers)
        hit = cells[0] > 0
        means = cells[1, hit] / cells[0, hit]
        return self._numbers[UNIT] * np.repeat(means, cells[0, hit].astype(np.int64))
