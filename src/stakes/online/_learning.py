"""Learning rows in order, with pauses in which half-lives are compared."""

import ctypes
from abc import abstractmethod

import numpy as np

from stakes.online._half_lives import HalfLives
from stakes.online._state import N_SEEN, OMEGA, PAUSE_AT

NO_SCORES = np.empty(0)


class Learning(HalfLives):
    """How a linear learner and its rivals, if it has any, learn many rows or one."""

    @abstractmethod
    def _prepared(self, X):
        """Rows as the arguments of the compiled loops."""

    @abstractmethod
    def _pass(self, rows, signs, c_pos, c_neg, omega, knows, out):
        """Learn rows in order with what `knows` holds, up to a pause; how many."""

    @abstractmethod
    def _step(self, row, sign, c_pos, c_neg, knows):
        """Learn one row, (x,) or (columns, values); its score before."""

    def _learn(self, X, signs, c_pos, c_neg, out):
        """Learn rows in order; write scores before learning to `out` if it has room."""
        omega = self._omega(signs, c_pos, c_neg)
        parts, start, n = self._prepared(X), 0, len(signs)
        while start < n:
            rest = _rows_from(parts, start, X.shape[1]), signs[start:]
            priced = [c[start:] if len(c) > 1 else c for c in (c_pos, c_neg, omega)]
            read = self._pass(*rest, *priced, self._knows, out[start:])
            if len(self._rivals):
                self._teach(rest[0], rest[1][:read], *priced)
            start += read
            if self._knows[N_SEEN] >= self._knows[PAUSE_AT]:
                self._pause()

    def _learn_row(self, row, sign, c_pos, c_neg):
        """Learn one checked row, (x,) or (columns, values); its score before."""
        knows = self._knows
        score = self._step(row, sign, c_pos, c_neg, knows)
        if len(self._rivals) and score == score:
            self._teach_row(row, sign, c_pos, c_neg)
        if knows[N_SEEN] >= knows[PAUSE_AT]:
            self._pause()
        return score

    def _teach(self, rows, *rest):
        """Let the rivals learn rows."""
        for rival in self._rivals:
            self._pass(rows, *rest, rival, NO_SCORES)

    def _teach_row(self, row, sign, c_pos, c_neg):
        """Let the rivals learn one row."""
        for rival in self._rivals:
            rival[OMEGA] = self._knows[OMEGA]
            self._step(row, sign, c_pos, c_neg, rival)

    def _omega(self, signs, c_pos, c_neg):
        """Factor of the variance in the constraint; zero where a rule has none."""
        return self._knows[OMEGA : OMEGA + 1]


def _rows_from(parts, start, d):
    """Prepared rows without the first ones: a flat array, or CSR parts behind anything."""
    if len(parts) == 1:
        return (parts[0][start * d :],)
    *before, indptr, indices, data = parts
    return *before, indptr[start:], indices, data


def flat(X):
    """The entries of a dense table, row by row, of the type that the loops are compiled for."""
    return _unlocked(X.ravel())


def _unlocked(x):
    """The same memory as an array that numba takes for writeable, although no loop writes to it.

    A read-only array has another type, for which every loop would be compiled again.
    """
    if x.flags.writeable or x.size == 0:
        return x
    return np.frombuffer((ctypes.c_char * x.nbytes).from_address(x.ctypes.data), dtype=x.dtype)


def csr_parts(X):
    """The three arrays of a CSR matrix in the types that the loops are compiled for."""
    short = X.nnz < 2**31
    return (
        _unlocked(X.indptr.astype(np.int32 if short else np.int64, copy=False)),
        _unlocked(X.indices.astype(np.int32, copy=False)),
        _unlocked(X.data),
    )
