"""CVaR of a stream after each value: exact, or in bounded memory with a known error."""

import numpy as np

from stakes._core.jit.cvar import cvar_now, cvar_pass, cvar_push, cvar_reserve, cvar_state
from stakes._core.jit.cvar_sketch import sketch_bounds, sketch_pass, sketch_state
from stakes._core.words import shown

_SPAN = 1e12  # ratio of the largest value to the lower end of the grid


class StreamingCVaR:
    r"""Running CVaR: the mean of the largest share `tail` of all values seen so far.

    Exact by default: two heaps, :math:`O(\log n)` per value, all values kept. With `max_memory`,
    values must not be negative and are counted on a logarithmic grid of :math:`m` =
    `max_memory // 4` cells, each with its count, sum, minimum and maximum. Only the cell at the
    boundary of the tail is uncertain, so with :math:`g = 10^{12/m}`

    .. math:: |\widehat{CVaR} - CVaR| \le \tfrac12\max((g - 1)\,CVaR,\ g^2\,10^{-12} \max_i v_i) ,

    and :meth:`bounds` gives an interval that contains the CVaR (usually a far narrower one).

    Parameters
    ----------
    tail : float
        Share of the values in the tail, in (0, 1].
    max_memory : int, default=None
        Maximum number of stored numbers, at least 64; None: no limit, exact.

    Examples
    --------
    >>> stream = StreamingCVaR(tail=0.5)
    >>> [stream.update(value) for value in [1.0, 5.0, 2.0, 9.0]]
    [1.0, 5.0, 4.0, 7.0]
    >>> sketch = StreamingCVaR(tail=0.05, max_memory=4096)
    >>> exact = StreamingCVaR(tail=0.05)
    >>> values = np.random.default_rng(0).lognormal(size=1_000)
    >>> print(round(sketch.update_many(values)[-1], 3), round(exact.update_many(values)[-1], 3))
    7.543 7.544
    """

    def __init__(self, tail, *, max_memory=None):
        if not 0 < tail <= 1:
            raise ValueError(f"tail must be a share in (0, 1]. Got {shown(tail)} instead.")
        if max_memory is not None and max_memory < 64:
            raise ValueError(
                f"max_memory must be None or at least 64. Got {shown(max_memory)} instead."
            )
        self.tail = float(tail)
        self.max_memory = max_memory
        if max_memory is None:
            self._top, self._rest, self._sizes, self._sums = cvar_state()
        else:
            self._cells, self._place = sketch_state(int(max_memory) // 4)

    @property
    def n_seen(self):
        """Number of values seen."""
        return int(self._sizes.sum() if self.max_memory is None else self._place[1])

    @property
    def value(self):
        """CVaR of all values so far; NaN before the first."""
        if self.max_memory is None:
            return float(cvar_now(self.tail, self._top, self._rest, self._sizes, self._sums))
        return sum(self.bounds()) / 2

    def update(self, value):
        """Add one value; return the CVaR of all so far."""
        value = float(value)
        self._check(value, value)
        if self.max_memory is not None:
            return float(self.update_many([value])[0])
        self._top, self._rest = cvar_reserve(1, self.tail, self._top, self._rest, self._sizes)
        return float(cvar_push(value, self.tail, self._top, self._rest, self._sizes, self._sums))

    def update_many(self, values):
        """Add values in order; return the CVaR after each, shape (m,)."""
        values = np.ascontiguousarray(values, dtype=np.float64)
        out = np.empty(len(values))
        if len(values) == 0:
            return out
        self._check(values.min(), values.max())
        if self.max_memory is not None:
            sketch_pass(values, self.tail, self._width, self._cells, self._place, out)
            return out
        self._top, self._rest = cvar_reserve(
            len(values), self.tail, self._top, self._rest, self._sizes
        )
        cvar_pass(values, self.tail, self._top, self._rest, self._sizes, self._sums, out)
        return out

    def bounds(self):
        """Interval that contains the CVaR; a single point in exact mode."""
        if self.max_memory is None:
            return self.value, self.value
        low, high = sketch_bounds(self.tail, self._cells, self._place)
        return float(low), float(high)

    def get_state(self):
        """Return the state as a dict of numbers and arrays."""
        arrays = {name.lstrip("_"): np.copy(getattr(self, name)) for name in self._state_names}
        return {"tail": self.tail, "max_memory": self.max_memory} | arrays

    @classmethod
    def from_state(cls, state):
        """Restore a stream, bit for bit, from :meth:`get_state`."""
        stream = cls(state["tail"], max_memory=state["max_memory"])
        for name in stream._state_names:
            setattr(stream, name, np.copy(state[name.lstrip("_")]))
        return stream

    @property
    def _state_names(self):
        exact = ("_top", "_rest", "_sizes", "_sums")
        return exact if self.max_memory is None else ("_cells", "_place")

    @property
    def _width(self):
        return np.log(_SPAN) / self._cells.shape[1]

    def _check(self, least, largest):
        if not (np.isfinite(least) and np.isfinite(largest)):
            raise ValueError("A value is missing or infinite; drop it from the stream.")
        if self.max_memory is not None and least < 0:
            raise ValueError(
                "A value is negative; with max_memory all values must be at least zero. "
                "Use max_memory=None."
            )
