"""Compiled histograms for growing a tree: the sample, counts per bin, a pool to keep them in."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from stakes.tree._split_jit import MISSING

WIDE = 400  # with more features than this the stored histograms would not fit into a cache
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


@njit(cache=True)
def rows_of(sample, start, end):
    """Part of a sample, without a copy: what is written there is written to the sample."""
    return Sample(
        sample.rows[start:end],
        sample.label[start:end],
        sample.mass[start:end],
        sample.size[start:end],
    )


@njit(cache=True)
def make_histograms(binned, sample, how, capacity):
    """The pool, with the root's histograms; no slots if every node counts its own rows.

    That is the case where each node draws its own features, where the histograms of all features
    are too large, and where all nodes are small enough for exact thresholds.
    """
    n, d = len(sample.rows), len(binned.codes)
    stored = how.max_features >= d and d * (how.n_classes + 1) <= 3 * WIDE and n > how.exact_rows
    n_slots = int(math.log2(n)) + 4 if stored else 1
    histograms = Histograms(
        np.empty((n_slots, d if stored else 1, MISSING + 1, how.n_classes + 1)),
        np.full(capacity, -1, dtype=np.int64),
        np.arange(n_slots),
        np.full(1, n_slots, dtype=np.int64),
    )
    if stored:
        histograms.slot[0] = take_slot(histograms)
        fill_all(histograms.pool[histograms.slot[0]], binned, sample, how.sized)
    return histograms


@njit(cache=True)
def take_slot(histograms):
    """A free slot."""
    histograms.n_free[0] -= 1
    return histograms.free[histograms.n_free[0]]


@njit(cache=True)
def release(histograms, slot):
    """Give a slot back, if there is one."""
    if slot >= 0:
        histograms.free[histograms.n_free[0]] = slot
        histograms.n_free[0] += 1


@njit(cache=True)
def fill_all(hists, binned, part, sized):
    """Histograms of all features."""
    for f in range(len(binned.codes)):
        fill(hists[f], binned.codes[f], part, sized)


@njit(cache=True)
def fill(hist, column, part, sized):
    """Histogram of one feature: masses of the classes, and sizes where they differ."""
    rows, label, mass, size = part
    last = hist.shape[1] - 1
    hist[:] = 0.0
    for i in range(len(rows)):
        b = column[rows[i]]
        hist[b, label[i]] += mass[i]
        if sized:
            hist[b, last] += size[i]
