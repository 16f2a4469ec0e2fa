"""Cheapest moves past a forest: a first move, then a mixed-integer program that proves it."""

import time
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from stakes.game._leaf_search_jit import (
    CATEGORY,
    amounts_at,
    first_move,
    leaf_paths,
    lowest_sum,
    part_of,
    value_at,
)

_SLACK = 1e-9  # relative: a move at exactly the limit stays within reach
_INSIDE = 1e-5  # share of the needed drop by which a program that ended outside is tightened
_INFEASIBLE = 2  # status of scipy's milp


class Cases(NamedTuple):
    """Cases as the compiled loops read them; n cases, F encoded columns, L levers.

    Attributes
    ----------
    rows : ndarray of shape (n, F)
        Encoded rows.
    target : ndarray of shape (n,)
        Sum of leaf values that must not be exceeded.
    lower, upper : ndarray of shape (n, L)
        Smallest and largest amount of the number levers.
    home, allowed : ndarray of shape (n, L)
        Category of the case, and the set of categories within reach, as bits.
    """

    rows: np.ndarray
    target: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    home: np.ndarray
    allowed: np.ndarray


def past_forest(cases, limit, forest, prices, tick, *, settle, case_seconds):
    """Cheapest move of every case past a forest.

    Parameters
    ----------
    cases : Cases
        The cases.
    limit : ndarray of shape (n,)
        Price that a move must stay below.
    forest : tuple
        (trees, roots, columns, levers), see :class:`~stakes.game._ensembles.Forest`.
    prices : tuple
        Price per unit and per change of each lever, and whether prices add up as squares.
    tick : callable
        Called after each case; the other cases are left alone if it returns False.
    settle : bool
        Whether to look for the cheapest move; False: any move below the limit, or a proof that
        there is none.
    case_seconds : float
        Time limit of the program of one case.

    Returns
    -------
    (ndarray of shape (n, L), ndarray of shape (n,), ndarray of shape (n,))
        Amounts of the levers, their price (infinite if no move was found), and a lower bound on
        the price of any move.
    """
    n, L = cases.lower.shape
    squared = prices[2]
    m = len(forest[0][0])
    number, amount = np.int64, np.float64
    kinds = (number, amount, amount, np.uint64, number, number, amount, number)
    work = tuple(np.empty(m, dtype=kind) for kind in kinds)
    amounts, price, bound = np.zeros((n, L)), np.full(n, np.inf), np.zeros(n)

    def one(i):
        paid, amounts[i] = first_move(i, tuple(cases), limit[i], forest, prices, work)
        price[i] = np.sqrt(paid) if squared else paid
        if paid == 0.0 or (np.isfinite(paid) and not settle):
            return
        top = min(price[i], limit[i]) * (1.0 + _SLACK)
        found, low, at = _programme(i, cases, top, forest, prices, work, case_seconds)
        if found < min(price[i], limit[i]):
            price[i], amounts[i] = found, at
        bound[i] = min(low, price[i], limit[i])

    for i in range(n):
        if limit[i] > 0.0:
            one(i)
        if not tick():
            break
    return amounts, price, bound


def _programme(i, cases, top, forest, prices, work, seconds):
    """Cheapest move below `top` by a mixed-integer program: (price, bound, amounts)."""
    own, part, shape, parent, _ = part_of(i, tuple(cases), top, forest, prices, work)
    squared = prices[2]
    if lowest_sum(own, part) > 0.0:
        return np.inf, top, None
    columns = _Columns(part, shape)
    c, constant = columns.objective()
    paths = columns.constraints(parent, own)
    ends = time.monotonic() + seconds
    inside, low = 0.0, 0.0
    while True:
        score = LinearConstraint(columns.score(), -np.inf, -inside)
        result = milp(
            c,
            integrality=columns.integrality,
            bounds=Bounds(0.0, 1.0),
            constraints=[paths, score],
            options={"time_limit": max(ends - time.monotonic(), 0.01), "mip_rel_gap": 1e-6},
        )
        if result.status == _INFEASIBLE:
            # a tightened program proves nothing about the rest
            return np.inf, top if inside == 0.0 else _root(low, squared), None
        if inside == 0.0 and result.mip_dual_bound is not None:
            low = max(result.mip_dual_bound + constant, 0.0)
        if result.x is None:
            return np.inf, _root(low, squared), None
        point = columns.point(result.x)
        if value_at(own, part, shape, point) <= 0.0:
            paid = shape[4][shape[2] + point].sum()
            return _root(paid, squared), _root(low, squared), amounts_at(point, shape)
        if inside > 0.0:
            return np.inf, _root(low, squared), None
        inside = _INSIDE


class _Columns:
    """Variables of the program: sides of thresholds, categories, and leaves.

    A leaf is chosen in each tree; every split on the way to it must agree with the levers. Of a
    number lever there is one variable for each threshold, one if the case ends at or below it.
    """

    def __init__(self, part, shape):
        self.part, self.shape = part, shape
        kinds, _, _, ways, _, _, _ = shape
        self.is_category = kinds == CATEGORY
        widths = np.where(self.is_category, ways, ways - 1)
        self.first = np.cumsum(widths) - widths
        self.n_levers = int(widths.sum())
        self.leaves = np.flatnonzero(part[0] < 0)
        self.n = self.n_levers + len(self.leaves)
        self.integrality = np.zeros(self.n)
        self.integrality[: self.n_levers] = 1

    def objective(self):
        """Prices of the variables and the constant that they are added to."""
        _, homes, offs, ways, money, _, _ = self.shape
        c, constant = np.zeros(self.n), 0.0
        for l in range(len(ways)):
            prices, at = money[offs[l] : offs[l] + ways[l]], self.first[l]
            if self.is_category[l]:
                c[at : at + ways[l]] = prices
                continue
            steps, home = np.diff(prices), homes[l]
            # below home the price falls with every threshold, above it rises
            c[at : at + len(steps)] = -steps
            constant += steps[home:].sum()
        return c, constant

    def constraints(self, parent, roots):
        """Levers are consistent, every tree has one leaf, and leaves agree with the levers."""
        lever, cut, bits, _, _, _ = self.part
        _, _, _, ways, _, _, mask = self.shape
        rows, cols, values, low, high = [], [], [], [], []

        def add(columns, coefficients, a, b):
            rows.append(np.full(len(columns), len(low)))
            cols.append(columns)
            values.append(coefficients)
            low.append(a)
            high.append(b)

        for l in range(len(ways)):
            at = self.first[l] + np.arange(ways[l])
            if self.is_category[l]:
                yes = _bits(mask[l], ways[l])
                add(at, np.ones(len(at)), 1.0, 1.0)
                if not yes.all():
                    add(at[~yes], np.ones(int((~yes).sum())), 0.0, 0.0)
            else:
                for k in at[: ways[l] - 2]:
                    add([k, k + 1], [1.0, -1.0], -np.inf, 0.0)
        column_of_leaf = np.full(len(lever), -1)
        column_of_leaf[self.leaves] = self.n_levers + np.arange(len(self.leaves))
        where, leaf = leaf_paths(self.part, parent)
        inner = np.flatnonzero(lever >= 0)
        place = np.full(2 * len(lever), -1)
        place[2 * inner], place[2 * inner + 1] = (
            len(low) + 2 * np.arange(len(inner)) + side for side in (0, 1)
        )
        rows.append(place[where])
        cols.append(column_of_leaf[leaf])
        values.append(np.ones(len(leaf)))
        for k in inner:
            l = lever[k]
            if self.is_category[l]:
                columns = self.first[l] + np.arange(ways[l])
                goes = _bits(bits[k], ways[l])
                add(columns[goes], -np.ones(int(goes.sum())), -np.inf, 0.0)
                add(columns[~goes], -np.ones(int((~goes).sum())), -np.inf, 0.0)
            else:
                column = self.first[l] + cut[k]
                add([column], [-1.0], -np.inf, 0.0)
                add([column], [1.0], -np.inf, 1.0)
        tree = np.searchsorted(roots, self.leaves, side="right") - 1
        rows.append(len(low) + tree)
        cols.append(column_of_leaf[self.leaves])
        values.append(np.ones(len(tree)))
        low += [1.0] * len(roots)
        high += [1.0] * len(roots)
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(cols)))
        return LinearConstraint(sparse.csr_array(entries, shape=(len(low), self.n)), low, high)

    def score(self):
        """Row with the values of the leaves."""
        row = np.zeros((1, self.n))
        row[0, self.n_levers :] = self.part[5][self.leaves]
        return row

    def point(self, x):
        """Positions of the levers in a solution."""
        _, homes, _, ways, _, _, _ = self.shape
        point = homes.copy()
        for l in range(len(ways)):
            mine = x[self.first[l] : self.first[l] + ways[l]]
            if self.is_category[l]:
                point[l] = int(np.argmax(mine))
            elif ways[l] > 1:
                point[l] = int((mine[: ways[l] - 1] < 0.5).sum())
        return point


def _bits(mask, n):
    return np.array([bool((int(mask) >> k) & 1) for k in range(n)])


def _root(amount, squared):
    return float(np.sqrt(max(amount, 0.0)) if squared else amount)
