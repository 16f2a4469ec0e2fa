"""Compiled K2 search of Cooper and Herskovits (1992) for the parents of each column."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from stakes._core.jit import INNER

CELLS_PER_ROW = 64  # parents whose table has more cells per example are not tried: nearly empty
RADIX_LIMIT = 2.0**62  # keys of parent values must fit into 64 bits
RISE = 1e-12  # relative gain below which a score only differs by rounding: a copy of a parent


FEW = 8  # values of a column up to which its sets of rows are kept and counted by their bits


class Counting(NamedTuple):
    """What every count needs: weights of the rows, memory for the table, log-factorials."""

    weight: np.ndarray
    counts: np.ndarray
    log_factorial: np.ndarray


class RowSets(NamedTuple):
    """Rows with each value of each column, as bits of 64-bit words; `size` is their number.

    The values of column i are the sets `first[i]` to `first[i + 1]`; a column with many values has
    none.
    """

    words: np.ndarray
    size: np.ndarray
    first: np.ndarray


@njit(**INNER)
def log_gamma(x, log_factorial):
    """Log Gamma(x), from a table for integer x; an empty table stands for fractional weights."""
    if len(log_factorial) > 0:
        return log_factorial[int(x + 0.5) - 1]
    return math.lgamma(x)


@njit(**INNER)
def family_score(child, r, other, r_other, config, n_config, counting):
    """Logarithm of prod_j (r - 1)! / (N_j + r - 1)! prod_k N_jk!, with j over (config, other).

    `config` numbers the values of the parents chosen so far and `other` is the candidate, so one
    pass counts the table of any family, however many parents it has.
    """
    weight, counts = counting.weight, counting.counts
    n_rows = n_config * r_other
    counts[: n_rows * r] = 0.0
    for t in range(len(child)):
        counts[(config[t] * r_other + other[t]) * r + child[t]] += weight[t]
    return table_score(counts, n_rows, r, counting.log_factorial)


@njit(**INNER)
def table_score(counts, n_rows, r, log_factorial):
    """The score of a counted table, see `family_score`."""
    score, of_r = 0.0, log_gamma(float(r), log_factorial)
    for j in range(n_rows):
        total = 0.0
        for k in range(r):
            N_jk = counts[j * r + k]
            if N_jk > 0.0:
                total += N_jk
                score += log_gamma(N_jk + 1.0, log_factorial)
        if total > 0.0:  # unseen parent values contribute a factor of one
            score += of_r - log_gamma(total + r, log_factorial)
    return score


@njit(**INNER)
def fill_row_sets(sets, codes):
    """Set the bits of all columns that have sets of rows."""
    words, size, first = sets.words, sets.size, sets.first
    d, n = codes.shape
    for i in range(d):
        for t in range(n if first[i] < first[i + 1] else 0):
            at = first[i] + codes[i, t]
            words[at, t >> 6] |= np.uint64(1) << np.uint64(t & 63)
            size[at] += 1.0


@njit(**INNER)
def count_both(a, b):
    """Number of rows that are in both of two sets: the bits of each word added up in pairs."""
    total = 0
    for w in range(len(a)):
        x = a[w] & b[w]
        x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
        x = (x & np.uint64(0x3333333333333333)) + (
            (x >> np.uint64(2)) & np.uint64(0x3333333333333333)
        )
        x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        x = x + (x >> np.uint64(8))
        x = x + (x >> np.uint64(16))
        x = x + (x >> np.uint64(32))
        total += int(x & np.uint64(127))
    return float(total)


@njit(**INNER)
def pair_score(i, j, sets, counting):
    """`family_score` of column i with the one parent j, rows of weight one.

    Only sets of the values from one upwards are intersected; the first value of each column has
    what the others leave.
    """
    first, size, counts = sets.first, sets.size, counting.counts
    r, r_other = first[i + 1] - first[i], first[j + 1] - first[j]
    for a in range(r):
        counts[a] = size[first[i] + a]
    for b in range(1, r_other):
        rest = size[first[j] + b]
        for a in range(1, r):
            both = count_both(sets.words[first[i] + a], sets.words[first[j] + b])
            counts[b * r + a] = both
            counts[a] -= both
            rest -= both
        counts[b * r] = rest
        counts[0] -= rest
    return table_score(counts, r_other, r, counting.log_factorial)


@njit(**INNER)
def is_among(values, n, value):
    """Whether a value is one of the first n."""
    for k in range(n):
        if values[k] == value:
            return True
    return False


@njit(**INNER)
def compact(config, n_config, other, r_other):
    """Renumber the (config, other) pairs that occur, in place; returns how many there are."""
    number = np.empty(n_config * r_other, dtype=np.int64)
    number[:] = -1
    n_found = 0
    for t in range(len(config)):
        key = config[t] * r_other + other[t]
        if number[key] < 0:
            number[key] = n_found
            n_found += 1
        config[t] = number[key]
    return n_found


def k2_search(codes, arity, weight, max_parents, log_factorial):
    """Parents of each column among earlier ones, added greedily while the score rises.

    `codes` is (d, n) in the order of the search, `arity` the number of values of each column.
    Returns the parents, padded with -1, and the scores.
    """
    d, n = codes.shape
    limit = CELLS_PER_ROW * n + 4096
    counting = Counting(weight, np.empty(max(limit, arity.max(initial=0))), log_factorial)
    most = FEW if np.all(weight == 1.0) else 0
    first = np.append(0, np.cumsum(np.where(arity <= most, arity, 0)))
    words = np.zeros((first[-1], (n + 63) // 64), dtype=np.uint64)
    sets = RowSets(words, np.zeros(first[-1]), first)
    varies = (codes != codes[:, :1]).any(axis=1)  # constant columns neither have nor are parents
    parents, scores = np.full((d, max_parents), -1), np.empty(d)
    one = np.ones(1, dtype=np.int64)
    greedy_parents(codes, arity, varies, one, limit, most, counting, sets, parents, scores)
    return parents, scores


@njit(cache=True)
def greedy_parents(codes, arity, varies, one, limit, most, counting, sets, parents, scores):
    """The search itself; `one` is a number that no call is compiled for alone."""
    d, n = codes.shape
    fill_row_sets(sets, codes)
    nothing, config = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    max_parents = parents.shape[1]
    for i in range(d):
        child, r = codes[i], arity[i]
        config[:] = 0
        n_config, radix = one[0], 1.0
        best = family_score(child, r, nothing, one[0], config, one[0], counting)
        for step in range(max_parents if varies[i] else 0):
            chosen = -1
            for j in range(i):
                if not varies[j] or radix * (arity[j] + 1) > RADIX_LIMIT:
                    continue
                if n_config * arity[j] * r > limit or is_among(parents[i], step, j):
                    continue
                if step == 0 and r <= most and arity[j] <= most:
                    score = pair_score(i, j, sets, counting)
                else:
                    score = family_score(child, r, codes[j], arity[j], config, n_config, counting)
                if score > best + RISE * (1.0 + abs(best)):
                    best, chosen = score, j
            if chosen < 0:
                break
            parents[i, step] = chosen
            radix *= arity[chosen] + 1
            # at most n configurations occur: tables stay small whatever the number of parents
            n_config = compact(config, n_config, codes[chosen], arity[chosen])
        scores[i] = best
