"""Compiled histograms for growing a tree: the sample, counts per bin, a pool to keep them in."""

from typing import NamedTuple

import numpy as np
from numba import njit

from stakes._core.jit import INNER

SIZE = -1  # last column of a histogram and of a node's masses; the others are the classes


class Binned(NamedTuple):
    """Training features: values (n, d), codes (d, n) uint8, bin edges (d, 255), bins and kinds.

    `monotonic` (d,) is 1 or -1 where the positive class must become more or less likely.
    """

    X: np.ndarray
    codes: np.ndarray
    edges: np.ndarray
    n_bins: np.ndarray
    kinds: np.ndarray
    monotonic: np.ndarray


class Sample(NamedTuple):
    """The rows of a tree, reordered during growth so that every node is a contiguous range.

    `mass` is what the criterion counts and `size` what `min_leaf` counts, in the order of `rows`,
    as is `label`, the class.
    """

    rows: np.ndarray
    label: np.ndarray
    mass: np.ndarray
    size: np.ndarray


class Histograms(NamedTuple):
    """Histograms kept for nodes that wait: a pool of slots and a stack of the free ones.

    `slot` is the slot of each node (-1: none); the first `n_free[0]` entries of `free` are free.
    """

    pool: np.ndarray
    slot: np.ndarray
    free: np.ndarray
    n_free: np.ndarray


@njit(**INNER)
def take_slot(histograms):
    """A free slot."""
    histograms.n_free[0] -= 1
    return histograms.free[histograms.n_free[0]]


@njit(**INNER)
def release(histograms, slot):
    """Give a slot back, if there is one."""
    if slot >= 0:
        histograms.free[histograms.n_free[0]] = slot
        histograms.n_free[0] += 1


@njit(**INNER)
def fill_all(hists, codes, sample, start, end, sized):
    """Histograms of all features over a range of rows."""
    for f in range(len(codes)):
        fill(hists[f], codes[f], sample, start, end, sized)


@njit(**INNER)
def fill(hist, column, sample, start, end, sized):
    """Histogram of one feature: masses of the classes, and sizes where they differ."""
    rows, label, mass, size = sample
    last = hist.shape[1] - 1
    hist[:] = 0.0
    for i in range(start, end):
        b = column[rows[i]]
        hist[b, label[i]] += mass[i]
        if sized:
            hist[b, last] += size[i]
