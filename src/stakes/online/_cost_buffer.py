"""Distribution of the costs so far, exact or in bounded memory: which examples are expensive."""

import numpy as np

from stakes._core.jit.cvar import N_REST, N_TOP, cvar_reserve, cvar_state
from stakes._core.jit.cvar_sketch import COUNT, N_ROWS, N_VALUES, SUM, sketch_state
from stakes._core.locks import lock_of
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Array, Maybe, Number, Sometimes, Together
from stakes.online._cw_cvar_jit import (
    CELLS,
    CHEAP,
    EXPENSIVE,
    STRICT,
    TAIL,
    UNIT,
    WIDTH,
    exact_factor,
    exact_factors,
    sketch_factor,
    sketch_factors,
    sketch_join,
    sketch_parts,
    sketch_repeat,
)

_DECADES = 12.0  # the sketch covers this many powers of ten below the largest cost


class CostBuffer:
    """Cost buffer of CW-CVaR, which gives each example its factor omega.

    Parameters
    ----------
    tail : float
        Share of the largest costs whose mean separates expensive from cheap examples.
    expensive, cheap : float
        Factor of each kind.
    max_memory : int or None
        Maximum number of values to keep; None keeps all costs and is exact.
    strict : bool, default=False
        Whether a cost must exceed the CVaR to be expensive, so that among equal costs none is.

    Examples
    --------
    >>> buffer = CostBuffer(0.5, expensive=2.0, cheap=1.0, max_memory=None)
    >>> buffer.factors(np.array([1.0, 5.0, 2.0, 9.0])).tolist()
    [2.0, 2.0, 1.0, 2.0]
    """

    _file_state = {
        "max_memory": Maybe(Number(N_ROWS, 2**32, whole=True)),
        "numbers": Array("f8", (None,), nan=True, infinite=True),
        "_heaps": Sometimes(
            Together(
                (
                    *(Array("f8", ("top",)), Array("f8", ("rest",))),
                    *(Array("i8", (2,), low=0), Array("f8", (3,), infinite=True)),
                )
            )
        ),
    }

    @staticmethod
    def _check_file_state(state, scope):
        numbers, limit = state["numbers"], state["max_memory"]
        n_cells = 0 if limit is None else int(limit) // N_ROWS
        size = WIDTH + 1 if limit is None else CELLS + N_ROWS * n_cells
        if len(numbers) != size or not np.isfinite(numbers[: WIDTH + 1]).all():
            raise Damaged("the cost buffer of a learner has a wrong size")
        width = _width(n_cells) if limit else 0.0
        if not 0 < numbers[TAIL] <= 1 or numbers[UNIT] < 0 or abs(numbers[WIDTH] - width) > 1e-12:
            raise Damaged("the cost buffer of a learner is damaged")
        if limit is None:
            sizes = state["_heaps"][2] if "_heaps" in state else None
            if (
                sizes is None
                or sizes[N_TOP] > scope.sizes["top"]
                or sizes[N_REST] > scope.sizes["rest"]
            ):
                raise Damaged("the cost buffer of a learner is damaged")
            return
        _, cells, place = sketch_parts(numbers)
        hit = cells[COUNT] > 0
        if (
            np.abs(place).max() > 2**40
            or not np.isfinite(cells[[COUNT, SUM]]).all()
            or cells[COUNT].min() < 0
            or abs(cells[COUNT].sum() - place[N_VALUES]) > 0.5
            or not np.isfinite(cells[:, hit]).all()
            or (cells[:, hit] < 0).any()
        ):
            raise Damaged("the cost buffer of a learner is damaged")

    def __init__(self, tail, expensive, cheap, max_memory, strict=False):
        self.max_memory = max_memory
        self.numbers = np.zeros(WIDTH + 1)  # slots in _cw_cvar_jit.py
        self.set_rule(tail, expensive, cheap, strict)
        if max_memory is None:
            self._heaps = cvar_state()
        else:
            cells, place = sketch_state(int(max_memory) // N_ROWS)
            self.numbers[WIDTH] = _width(cells.shape[1])
            self.numbers = np.r_[self.numbers, place.view(np.float64), cells.ravel()]

    def __setstate__(self, state):
        """Copy the arrays: those of a memory-mapped file are read-only."""
        self.__dict__.update(state)
        self.numbers = np.copy(self.numbers)
        if self.max_memory is None:
            self._heaps = tuple(np.copy(x) for x in self._heaps)

    def set_rule(self, tail, expensive, cheap, strict):
        """Continue with another tail and other factors."""
        self.numbers[[TAIL, EXPENSIVE, CHEAP, STRICT]] = tail, expensive, cheap, strict

    def factors(self, costs):
        """Add costs in order; return the factor of each."""
        if self.max_memory is not None:
            return sketch_factors(costs, self.numbers)
        with lock_of(self):
            self._reserve(len(costs))
            return exact_factors(costs, self.numbers, *self._heaps)

    def repeated(self, cost, n):
        """Add one cost n times; the factors of all, a single one if they are equal."""
        if self.max_memory is not None:
            factor = sketch_repeat(cost, n, self.numbers)
            if factor == factor:
                return np.array([factor])
        return self.factors(np.full(n, cost))

    def factor(self, cost):
        """Add one cost; return its factor."""
        if self.max_memory is not None:
            return sketch_factor(cost, self.numbers)
        with lock_of(self):
            self._reserve(1)
            return exact_factor(cost, self.numbers, *self._heaps)

    def join(self, other):
        """Add all costs of another buffer; a sketch takes O(cells), however many they are."""
        if other.numbers[UNIT] == 0.0:  # it has seen no cost
            return
        if self.max_memory is None:
            self.factors(other.values())
        else:
            sketch_join(self.numbers, other.numbers)

    def values(self):
        """The costs; from a sketch, the mean of each cell, repeated for its count."""
        if self.max_memory is None:
            top, rest, sizes, _ = self._heaps
            return self.numbers[UNIT] * np.r_[top[: sizes[N_TOP]], -rest[: sizes[N_REST]]]
        _, cells, _ = sketch_parts(self.numbers)
        hit = cells[COUNT] > 0
        means = cells[SUM, hit] / cells[COUNT, hit]
        return self.numbers[UNIT] * np.repeat(means, cells[COUNT, hit].astype(np.int64))

    def _reserve(self, m):
        top, rest, sizes, sums = self._heaps
        self._heaps = *cvar_reserve(m, self.numbers[TAIL], top, rest, sizes), sizes, sums


def _width(n_cells):
    """Log width of a cell of a sketch."""
    return _DECADES * np.log(10.0) / n_cells
