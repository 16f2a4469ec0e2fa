"""Means, deviations and counts of an encoded table, for one piece or for parts of it."""

from dataclasses import dataclass

import numpy as np


@dataclass
class MatrixSums:
    """What :class:`ModelMatrix` learns from the rows of an encoded table.

    Attributes
    ----------
    rows : int
        Number of rows.
    present, mean, squares : ndarray of shape (n_numbers,)
        For each column of numbers: the values that are not missing, their mean, and the sum of
        their squared deviations from it.
    counts : list of ndarray of int
        For each column of codes: how often each code occurs.
    missing : ndarray of int
        For each column of codes: the missing ones.

    Examples
    --------
    >>> parts = [MatrixSums.of(np.array(rows)[:, None], [0], []) for rows in ([1.0, 2.0], [6.0])]
    >>> both = parts[0].merge(parts[1])
    >>> both.mean.tolist(), both.squares.tolist()
    ([3.0], [14.0])
    """

    rows: int
    present: np.ndarray
    mean: np.ndarray
    squares: np.ndarray
    counts: list
    missing: np.ndarray

    @classmethod
    def of(cls, Z, numbers, codes):
        """Sums over the rows of Z, given which of its columns are numbers and which are codes."""
        Z = np.asarray(Z, dtype=np.float64)  # sums of single precision would lose digits
        gap = np.isnan(Z[:, numbers])
        present = len(Z) - gap.sum(axis=0)
        values = np.where(gap, 0.0, Z[:, numbers])
        mean = values.sum(axis=0) / np.maximum(present, 1)
        values -= mean
        values[gap] = 0.0
        counts = [np.bincount(z[~np.isnan(z)].astype(np.intp)) for z in Z[:, codes].T]
        missing = np.isnan(Z[:, codes]).sum(axis=0)
        return cls(len(Z), present, mean, (values**2).sum(axis=0), counts, missing)

    def merge(self, other):
        """Sums over the rows of both."""
        present = self.present + other.present
        share = other.present / np.maximum(present, 1)
        apart = other.mean - self.mean
        return MatrixSums(
            self.rows + other.rows,
            present,
            self.mean + share * apart,
            self.squares + other.squares + self.present * share * apart**2,
            [_added(a, b) for a, b in zip(self.counts, other.counts, strict=True)],
            self.missing + other.missing,
        )


def _added(a, b):
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    longer = longer.copy()
    longer[: len(shorter)] += shorter
    return longer
