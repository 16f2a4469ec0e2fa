"""Search for cheap moves past any classifier: along a linear fit, towards rows that passed."""

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

from stakes.game._leaf_search_jit import CATEGORY

# of the drop that a linear fit asks for
_FACTORS = (0.4, 0.55, 0.7, 0.85, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0)
_DONORS = 12  # rows that passed, the cheapest to imitate, tried for each case
_HALVINGS = 5
_AT_ONCE = 8  # moves of each case in one call of the classifier


def search_past(levers, score, decide, limit, donors, need, pace):
    """Moves past a classifier that is only asked for scores and decisions.

    Parameters
    ----------
    levers : Levers
        The cases and what they can move.
    score : callable
        Function from moved rows of all cases to their scores.
    decide : callable
        Function from moved rows of some cases, and which these are, to whether they are caught.
    limit : ndarray of shape (n,)
        Price that a move must stay below.
    donors : Levers
        Rows that the classifier lets pass.
    need : ndarray of shape (n,)
        Estimated drop of the score that each case needs.
    pace : Pace
        Asked whether there is time left after each batch of decisions.

    Returns
    -------
    (ndarray of shape (n, L), ndarray of shape (n,))
        Amounts, and their price, infinite where nothing was found.
    """
    best = _Best(levers, decide, limit)
    best.cheapest([*_along_fit(levers, score, need), *_along_decisions(levers, donors)], pace)
    best.cheapest(list(_towards(levers, donors)), pace)
    for amounts in _shorter(levers, best):
        if pace.over:
            break
        best.cheapest([amounts], pace)
    if not pace.over:
        pace.tick(len(limit))
    return np.where(np.isfinite(best.price)[:, None], best.amounts, levers.stay()), best.price


class _Best:
    """The cheapest moves so far."""

    def __init__(self, levers, decide, limit):
        self.levers, self.decide, self.limit = levers, decide, limit
        self.amounts = levers.stay()
        self.price = np.full(len(limit), np.inf)

    def cheapest(self, candidates, pace):
        """Of several moves of each case, keep the cheapest that gets past.

        Moves are tried from the cheapest on, a few of all cases in one call of the classifier; a
        case that is past needs no others.
        """
        if not candidates:
            return
        moves = np.array(candidates)
        price = np.array([self.levers.price(amounts) for amounts in candidates])
        order = np.argsort(price, axis=0, kind="stable")
        price = np.take_along_axis(price, order, axis=0)
        same = np.zeros(price.shape, dtype=bool)
        same[1:] = price[1:] == price[:-1]  # mostly the same move at the end of its reach
        for start in range(0, len(moves), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            worth = (price[some] < np.minimum(self.price, self.limit)) & ~same[some]
            at, case = np.nonzero(worth)
            if not len(case):
                continue
            if pace.over:
                return
            tried = moves[order[start + at, case], case]
            past = ~self.decide(self.levers.take(case).apply(tried), case)
            for j in np.flatnonzero(past):
                i, paid = case[j], price[start + at[j], case[j]]
                if paid < self.price[i]:
                    self.price[i], self.amounts[i] = paid, tried[j]


def _along_fit(levers, score, need):
    """Moves that a linear fit of the scores around the cases calls cheapest, at several lengths."""
    rng = np.random.default_rng(0)
    rows, changes, base = [], [], score(levers.table)
    for _ in range(4):
        amounts = levers.stay()
        for l in range(len(levers)):
            if levers.kinds[l] == CATEGORY:
                continue
            spread = np.nanstd(np.clip(levers.upper[:, l] - levers.lower[:, l], 0, 1e6)) or 1.0
            draw = rng.normal(0.0, min(spread, 1e3), len(amounts))
            draw = np.clip(draw, levers.lower[:, l], levers.upper[:, l])
            amounts[:, l] = np.where(rng.random(len(amounts)) < 0.5, draw, 0.0)
        rows.append(np.where(levers.kinds == CATEGORY, 0.0, amounts))
        changes.append(score(levers.apply(amounts)) - base)
    D, drop = np.vstack(rows), np.concatenate(changes)
    scale = np.where(D.std(axis=0) > 0, D.std(axis=0), 1.0)
    slope = Ridge(1.0, fit_intercept=False).fit(D / scale, drop).coef_ / scale
    tables = []
    for l in range(len(levers)):
        table = None
        if levers.kinds[l] == CATEGORY:
            table = []
            for k in range(len(levers.categories[l])):
                amounts = levers.stay()
                amounts[:, l] = k
                table.append((score(levers.apply(amounts)) - base).mean())
            table = np.array(table)
        tables.append(table)
    for factor in _FACTORS:
        yield _greedy(levers, slope, tables, factor * need)


def _along_decisions(levers, donors):
    """As along the fit of the scores, for a fit of the decisions, where scores are flat."""
    use = [l for l in range(len(levers)) if levers.kinds[l] != CATEGORY]
    if not use or not len(donors.table):
        return
    here, there = (
        np.nan_to_num(np.column_stack([side.values(l) for l in use])) for side in (levers, donors)
    )
    Z = np.vstack([here, there])
    center, scale = Z.mean(axis=0), np.where(Z.std(axis=0) > 0, Z.std(axis=0), 1.0)
    caught = np.repeat([1, 0], [len(here), len(there)])
    fit = LogisticRegression(max_iter=200).fit((Z - center) / scale, caught)
    slope = np.zeros(len(levers))
    slope[use] = fit.coef_[0] / scale
    tables = [None if k != CATEGORY else np.zeros(64) for k in levers.kinds]
    need = np.maximum(fit.decision_function((here - center) / scale), 0.1)
    for factor in _FACTORS:
        yield _greedy(levers, slope, tables, factor * need)


def _greedy(levers, slope, tables, need):
    """Amounts that lower a sum over the levers by `need`: the lowest price per drop first."""
    amounts, left = levers.stay(), need.astype(np.float64)
    n, L = amounts.shape
    most, cost = np.zeros((n, L)), np.full((n, L), np.inf)
    to = np.zeros((n, L))
    for l in range(L):
        if levers.kinds[l] == CATEGORY:
            k = np.arange(len(tables[l]))
            free = ((levers.allowed[:, l][:, None] >> k.astype(np.uint64)) & np.uint64(1)) == 1
            best = np.where(free, tables[l], np.inf)
            to[:, l] = best.argmin(axis=1)
            most[:, l] = tables[l][levers.home[:, l]] - best.min(axis=1)
            paid = levers.change[l]
        else:
            room = -levers.lower[:, l] if slope[l] > 0 else levers.upper[:, l]
            most[:, l] = np.minimum(abs(slope[l]) * np.minimum(room, 1e100), need)
            rate = max(abs(slope[l]), 1e-300)
            paid = levers.change[l] + levers.unit[l] * most[:, l] / rate
        useful = most[:, l] > 0
        cost[useful, l] = (paid / np.where(useful, most[:, l], 1.0))[useful]
    rows = np.arange(n)
    for l in np.argsort(cost, axis=1, kind="stable").T:
        use = (left > 0) & np.isfinite(cost[rows, l])
        drop = np.minimum(most[rows, l], left)
        number = levers.kinds[l] != CATEGORY
        step = -np.sign(slope[l]) * drop / np.maximum(np.abs(slope[l]), 1e-300)
        step = np.where(levers.integer[l], np.sign(step) * np.ceil(np.abs(step)), step)
        step = np.clip(step, levers.lower[rows, l], levers.upper[rows, l])
        new = np.where(number, step, to[rows, l])
        amounts[rows, l] = np.where(use, new, amounts[rows, l])
        left = left - np.where(use, np.where(number, drop, most[rows, l]), 0.0)
    return amounts


def _towards(levers, donors):
    """For each case, the moves that make it like one of the rows that passed, cheapest first."""
    n, L = len(levers.table), len(levers)
    if not len(donors.table):
        return
    each = []
    for i in range(n):
        amounts = np.zeros((len(donors.table), L))
        for l in range(L):
            if levers.kinds[l] == CATEGORY:
                code = donors.home[:, l]
                free = (int(levers.allowed[i, l]) >> code.astype(object)) & 1
                amounts[:, l] = np.where(free.astype(bool), code, levers.home[i, l])
            elif len(levers.rates[l]) == 1:
                step = donors.values(l) - levers.values(l)[i]
                step = np.clip(np.nan_to_num(step), levers.lower[i, l], levers.upper[i, l])
                amounts[:, l] = np.round(step) if levers.integer[l] else step
        case = levers.take(np.full(len(amounts), i))
        cost = case.price(amounts)
        each.append(amounts[np.argsort(cost, kind="stable")[:_DONORS]])
    for k in range(min(_DONORS, len(each[0]))):
        yield np.array([amounts[k] for amounts in each])


def _shorter(levers, best):
    """Moves with a lever back where it was, whole or part of the way."""
    order = np.argsort(-levers.change - levers.unit, kind="stable")
    for halving in range(_HALVINGS + 1):
        for l in order:
            amounts = best.amounts.copy()
            if halving == 0 or levers.kinds[l] == CATEGORY:
                amounts[:, l] = levers.stay()[:, l]
            else:
                amounts[:, l] *= 1.0 - 0.5**halving
                if levers.integer[l]:
                    amounts[:, l] = np.trunc(amounts[:, l])
            yield amounts
