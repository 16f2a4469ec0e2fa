"""Cheapest moves past a score that is a sum over the levers, as that of a linear model."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from stakes.game._leaf_search_jit import CATEGORY, NUMBER

_PROBES = 40  # rows on which the sum is tested
_TOL = 1e-6  # relative error of the sum
_NEAR = 1e-9  # relative: how far past the limit a case moves


@dataclass
class Additive:
    """A score whose change is a sum over the levers.

    Attributes
    ----------
    slope : ndarray of shape (L,)
        Change of the score per unit of each number lever.
    tables : list
        Of a category lever, the contribution of each category; None for a number.
    """

    slope: np.ndarray
    tables: list

    @classmethod
    def of(cls, levers, score):
        """From the scores of moved rows; None if the score is not such a sum.

        Parameters
        ----------
        levers : Levers
            The cases and what they can move.
        score : callable
            Function from a table to scores.
        """
        probes = levers.take(np.arange(len(levers.table))[:: max(1, len(levers.table) // _PROBES)])
        stay, base = probes.stay(), score(probes.table)
        scale = 1.0 + np.abs(base).max()
        slope, tables, rng = np.zeros(len(levers)), [None] * len(levers), np.random.default_rng(0)
        for l in range(len(levers)):
            if levers.kinds[l] == CATEGORY:
                found = []
                for k in range(len(levers.categories[l])):
                    amounts = stay.copy()
                    amounts[:, l] = k
                    found.append(score(probes.apply(amounts)))
                tables[l] = np.array(found)[:, 0]
                tables[l] = tables[l] - tables[l][0]
                continue
            amounts = stay.copy()
            amounts[:, l] = _within(probes, l, 1.0)
            moved = amounts[:, l] != 0
            if moved.any():
                change = (score(probes.apply(amounts)) - base)[moved] / amounts[moved, l]
                slope[l] = np.median(change)
        found = cls(slope, tables)
        for _ in range(3):
            amounts = stay.copy()
            for l in range(len(levers)):
                if levers.kinds[l] == CATEGORY:
                    amounts[:, l] = rng.integers(0, len(tables[l]), len(amounts))
                else:
                    amounts[:, l] = _within(probes, l, rng.uniform(-2.0, 2.0, len(amounts)))
            want = base + found.change(probes, amounts)
            if not np.allclose(score(probes.apply(amounts)), want, rtol=_TOL, atol=_TOL * scale):
                return None
        return found

    def change(self, levers, amounts):
        """Change of the score by the amounts."""
        total = np.zeros(len(amounts))
        for l, table in enumerate(self.tables):
            if table is None:
                total += self.slope[l] * amounts[:, l]
            else:
                at = amounts[:, l].astype(np.intp)
                total += table[at] - table[levers.home[:, l]]
        return total

    def past(self, levers, need, limit, pace):
        """Cheapest amounts that lower the score of each case by `need`, for less than the limit.

        Returns
        -------
        (ndarray of shape (n, L), ndarray of shape (n,), ndarray of shape (n,)) or None
            Amounts, price (infinite if there is no move) and a lower bound on it; None if no exact
            method knows such prices.
        """
        need = need + _NEAR * (1.0 + np.abs(need))
        continuous = (levers.kinds == NUMBER).all() and not levers.integer.any()
        if continuous and not levers.change.any():
            solve = _by_squares if levers.squared else _by_rate
            amounts = solve(levers, self.slope, need)
            pace.tick(len(need))
        elif levers.squared:
            return None
        else:
            amounts = np.full((len(need), len(levers)), np.nan)
            for i in range(len(need)):
                amounts[i] = self._programme(levers, i, need[i], limit[i])
                if not pace.tick():
                    break
        price = levers.price(np.nan_to_num(amounts))
        price = np.where(np.isnan(amounts).any(axis=1) | (price >= limit), np.inf, price)
        amounts = np.where(np.isfinite(price)[:, None], amounts, levers.stay())
        searched = np.arange(len(need)) < pace.done
        return amounts, price, np.where(searched, np.minimum(price, limit), 0.0)

    def _programme(self, levers, i, need, limit):
        """One case with whole numbers, prices per change or categories: a small program.

        Variables: the amount of each number lever in its useful direction, and whether it is
        moved; of a category lever, one for each category.
        """
        c, gain, high, whole, back = [], [], [], [], []
        rows = []
        if limit <= 0:
            return np.full(len(levers), np.nan)
        for l in range(len(levers)):
            if levers.kinds[l] == CATEGORY:
                table, home = self.tables[l], levers.home[i, l]
                at = len(c)
                for k in range(len(table)):
                    free = k != home and (int(levers.allowed[i, l]) >> k) & 1
                    if free and table[k] < table[home]:
                        c.append(levers.change[l])
                        gain.append(table[home] - table[k])
                        high.append(1.0)
                        whole.append(1)
                        back.append((l, float(k), 0.0))
                rows.append((list(range(at, len(c))), [1.0] * (len(c) - at), 1.0))
                continue
            sign = -1.0 if self.slope[l] > 0 else 1.0
            most = levers.upper[i, l] if sign > 0 else -levers.lower[i, l]
            rate = abs(self.slope[l])
            if rate == 0 or most <= 0 or levers.change[l] >= limit:
                continue
            # no more than what is needed, nor what the limit pays for
            most = min(most, np.ceil(need / rate) if levers.integer[l] else need / rate)
            if levers.unit[l] > 0:
                most = min(most, (limit - levers.change[l]) / levers.unit[l])
            if levers.integer[l]:
                most = np.floor(most + 1e-9)
            if most <= 0:
                continue
            # in units of the largest amount, so that numbers are of the order of one
            c += [levers.unit[l] * most, levers.change[l]]
            gain += [rate * most, 0.0]
            high += [most if levers.integer[l] else 1.0, 1.0]
            if levers.integer[l]:
                c[-2], gain[-2] = levers.unit[l], rate
            whole += [int(levers.integer[l]), int(levers.change[l] > 0)]
            scale = 1.0 if levers.integer[l] else most
            back += [(l, 0.0, sign * scale), (l, 0.0, 0.0)]
            rows.append(([len(c) - 2, len(c) - 1], [1.0, -high[-2]], 0.0))
        if not c or sum(g * h for g, h in zip(gain, high, strict=True)) < need:
            return np.full(len(levers), np.nan)
        A = np.zeros((len(rows), len(c)))
        for r, (columns, values, _) in enumerate(rows):
            A[r, columns] = values
        scale = max(c) or 1.0
        result = milp(
            np.array(c) / scale,
            integrality=whole,
            bounds=Bounds(0.0, high),
            constraints=[
                LinearConstraint(np.array(gain)[None] / need, 1.0, np.inf),
                LinearConstraint(A, -np.inf, [b for _, _, b in rows]),
            ],
            options={"mip_rel_gap": 0.0},
        )
        if result.x is None:
            return np.full(len(levers), np.nan)
        amounts = levers.take(np.array([i])).stay()[0]
        for x, (l, category, unit) in zip(result.x, back, strict=True):
            if unit:
                amounts[l] = unit * (np.round(x) if levers.integer[l] else x)
            elif levers.kinds[l] == CATEGORY and x > 0.5:
                amounts[l] = category
        return amounts


def _within(levers, l, amount):
    """An amount within the reach of each case, in either direction."""
    low, high = np.maximum(levers.lower[:, l], -4.0), np.minimum(levers.upper[:, l], 4.0)
    found = np.clip(amount, low, high)
    found = np.where(found == 0, np.where(high > 0, high, low), found)
    return np.trunc(found) if levers.integer[l] else found


def _by_rate(levers, slope, need):
    """Prices that add up: the levers with the largest drop per price first, to their limits."""
    room = np.where(slope > 0, -levers.lower, levers.upper)
    rate = np.abs(slope)
    cost = np.divide(levers.unit, rate, out=np.full(len(rate), np.inf), where=rate > 0)
    left, amounts = need.copy(), np.zeros_like(room)
    for l in np.argsort(cost, kind="stable"):
        if not np.isfinite(cost[l]):
            continue
        step = np.clip(left / rate[l], 0.0, room[:, l])
        amounts[:, l] = -np.sign(slope[l]) * step
        left = left - rate[l] * step
    short = left > 1e-12 * (1.0 + np.abs(need))
    amounts[short] = np.nan
    return amounts


def _by_squares(levers, slope, need):
    """Prices as the root of a sum of squares: amounts in proportion to slope / price squared.

    Every amount is the smaller of its room and lambda times its pull; lambda is found between the
    values at which levers reach their limits.
    """
    room = np.where(slope > 0, -levers.lower, levers.upper)
    rate, amounts = np.abs(slope), np.zeros_like(room)
    free = (levers.unit == 0) & (rate > 0)
    for i in range(len(need)):
        left = need[i]
        for l in np.flatnonzero(free):
            amounts[i, l] = min(room[i, l], left / rate[l])
            left -= rate[l] * amounts[i, l]
        use = (levers.unit > 0) & (rate > 0) & (room[i] > 0)
        pull = np.where(use, rate / np.where(use, levers.unit, 1.0) ** 2, 0.0)
        stops = np.divide(room[i], pull, out=np.full(len(rate), np.inf), where=pull > 0)
        order = np.argsort(stops, kind="stable")
        order = order[use[order]]
        fixed, power = 0.0, float((rate * pull)[use].sum())
        factor = None if left > 0 else 0.0
        for l in order:
            if factor is None and fixed + power * stops[l] >= left:
                factor = (left - fixed) / power
            if factor is not None:
                break
            fixed += rate[l] * room[i, l]
            power -= rate[l] * pull[l]
        if factor is None:
            amounts[i] = np.nan
            continue
        amounts[i, use] = np.minimum(room[i, use], factor * pull[use])
        amounts[i] *= -np.sign(slope)
    return amounts
