"""Learning rows in order, with pauses to compare half-lives and to cut off small weights."""

import ctypes
from abc import abstractmethod

import numpy as np

from stakes.online._half_lives import HalfLives
from stakes.online._state import MOST, N_SEEN, OMEGA, PAUSE_AT, SCALE, VAST

NO_SCORES = np.empty(0)
EVERY = 256.0  # examples between two cuts of `l1`, which take O(d)


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
        self._arrange(len(parts) == 3)
        while start < n:
            rest = _rows_from(parts, start, X.shape[1]), signs[start:]
            priced = [c[start:] if len(c) > 1 else c for c in (c_pos, c_neg, omega)]
            planned, due = self._stop_at_cut()
            read = self._pass(*rest, *priced, self._knows, out[start:])
            if len(self._rivals):
                self._teach(rest[0], rest[1][:read], *priced)
            start += read
            self._cut_if(planned, due)
            if self._knows[N_SEEN] >= self._knows[PAUSE_AT]:
                self._pause()

    def _learn_row(self, row, sign, c_pos, c_neg):
        """Learn one checked row, (x,) or (columns, values); its score before."""
        self._arrange(len(row) == 2)
        knows = self._knows
        stops = self._stop_at_cut() if self.l1 else None
        score = self._step(row, sign, c_pos, c_neg, knows)
        if len(self._rivals) and score == score:
            self._teach_row(row, sign, c_pos, c_neg)
        if stops:
            self._cut_if(*stops)
        if knows[N_SEEN] >= knows[PAUSE_AT]:
            self._pause()
        return score

    def _arrange(self, sparse):
        """Order the weights as the loops over sparse, or dense, rows need them."""

    def _teach(self, rows, *rest):
        """Let the rivals learn rows."""
        for rival in self._rivals:
            self._pass(rows, *rest, rival, NO_SCORES)

    def _teach_row(self, row, sign, c_pos, c_neg):
        """Let the rivals learn one row."""
        for rival in self._rivals:
            rival[OMEGA] = self._knows[OMEGA]
            self._step(row, sign, c_pos, c_neg, rival)

    def _stop_at_cut(self):
        """Let the loops stop at the next cut; the pause that was planned, and the cut."""
        planned = self._knows[PAUSE_AT]
        due = EVERY * (self._knows[N_SEEN] // EVERY + 1.0) if self.l1 else VAST
        self._knows[PAUSE_AT] = min(planned, due)
        return planned, due

    def _cut_if(self, planned, due):
        """Cut the weights if it is time, and plan the pause again unless the drift test calls."""
        if self._knows[N_SEEN] >= due:
            for knows in (self._knows, *self._rivals):
                self._cut(knows, EVERY)
        if self._knows[PAUSE_AT] == due:
            self._knows[PAUSE_AT] = planned

    def _cut(self, knows, n):
        r"""Subtract the penalty of n examples.

        For a Gaussian, :math:`\arg\min_w (w - \mu)^2 / 2 \sigma^2 + \lambda |w|`, coordinate by
        coordinate; for a vector of weights the variance is one.
        """
        mu, *Sigma = self._weights_in(knows)
        size = self.l1 * n
        if Sigma:
            variance = Sigma[0] if Sigma[0].ndim == 1 else Sigma[0].diagonal()
            size = size * np.minimum(variance[:-1] * knows[SCALE], knows[MOST])
        mu[:-1] = np.sign(mu[:-1]) * np.maximum(np.abs(mu[:-1]) - size, 0.0)

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
