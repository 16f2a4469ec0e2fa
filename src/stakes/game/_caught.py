"""The caught positives, and the ways past the model: exact ones first, then a search."""

from copy import copy

import numpy as np
from scipy.special import logit

from stakes.game._additive import Additive
from stakes.game._box_search import TOL, BlendBoxes
from stakes.game._case_search import search_past
from stakes.game._ensembles import forest_of
from stakes.game._leaf_search import Cases, past_forest
from stakes.game._leaf_search_jit import NUMBER
from stakes.game._levers import Levers, rows_of

LINEAR, TREES, BLEND, SEARCH = "linear", "trees", "blend", "search"
_MOST_DONORS = 1000
_AGREES = 1e-6  # largest error of a sum of trees that is taken for the model's probability
_TIE, _BACK_OFF = 1e-12, 1e-7  # of a sum of leaf values: what counts as equal, as below
_NUDGE = 1e-9  # relative: how much further a move goes that rounding brought back


class CaughtCases:
    """The caught positives, and the ways past the model.

    Parameters
    ----------
    target : Target
        The model.
    levers : Levers
        The cases and what they can move.
    rows : ndarray of int
        Rows of the cases in the table.
    table : data frame or ndarray
        All rows.
    costs : Costs
        Costs of all rows.
    decided : ndarray of bool
        Decisions about all rows.
    """

    def __init__(self, target, levers, rows, table, costs, decided):
        self.target, self.levers, self.costs = target, levers, costs[rows]
        self.table, self.decided, self.at = table, decided, rows
        limits = target.limits(table, costs, decided)
        self.limits = None if limits is None else limits[rows]
        self.rows = np.arange(len(levers.table))

    def caught(self, table, rows=None):
        """Whether the moved cases, all or those given, are still called positive."""
        return self.target.decide(table, self.costs if rows is None else self.costs[rows])

    def score(self, table):
        """Scores of moved rows."""
        return self.target.scores(table)[0]

    def solve(self, limit, pace, *, settle, case_seconds):
        """(method, (amounts, price, bound)); every move is checked."""
        how = dict(settle=settle, case_seconds=case_seconds)
        ways = ((BLEND, self._blend), (LINEAR, self._linear), (TREES, self._trees))
        for method, solve in ways if self.limits is not None else ():
            pace.begin(len(self.rows))
            found = solve(limit, pace, **how)
            if found is not None:
                return method, found
        pace.begin(len(self.rows))
        return SEARCH, self._checked(*self._search(limit, pace), limit)

    def _blend(self, limit, pace, *, settle, case_seconds):
        boxes, p = BlendBoxes.of(self.target, self.levers), self.target.probability(self.table)
        if boxes is None or p is None:
            return None
        scores = logit(p[self.at])
        found = boxes.past(scores, logit(self.limits), limit, settle=settle, tick=pace.tick)
        if found is None:
            return None
        amounts, price, bound = self._checked(*found, limit)
        searched = pace.done
        reached = np.minimum(price, limit) if settle else np.where(np.isfinite(price), 0.0, limit)
        rest = np.flatnonzero(bound < reached * (1.0 - 2.0 * TOL))
        if len(rest) and not pace.over:
            pace.begin(len(rest))
            at, paid, _ = self._take(rest)._search(limit[rest], pace)
            better = paid < price[rest]
            amounts[rest[better]], price[rest[better]] = at[better], paid[better]
        pace.done = searched
        return amounts, price, bound

    def _take(self, rows):
        """Some of the cases."""
        part = copy(self)
        part.levers, part.costs = self.levers.take(rows), self.costs[rows]
        part.limits, part.rows = self.limits[rows], np.arange(len(rows))
        return part

    def _linear(self, limit, pace, *, settle, case_seconds):
        scores, log_odds = self.target.scores(self.levers.table)
        found = Additive.of(self.levers, self.score)
        if found is None:
            return None
        need = scores - (logit(self.limits) if log_odds else self.limits)
        found = found.past(self.levers, need, limit, pace)
        return None if found is None else self._checked(*found, limit)

    def _trees(self, limit, pace, *, settle, case_seconds):
        forest = forest_of(self.target.model)
        if forest is None or self.target.side < 0:
            return None
        levers = self.levers
        E = forest.rows(levers.table)
        p = self.target.probability(levers.table)
        if not np.allclose(forest.probability(E), p, rtol=0, atol=_AGREES):
            return None
        arrays = forest.bound(levers, levers.take(self.rows[:: max(1, len(self.rows) // 10)]))
        if arrays is None:
            return None
        threshold = logit(self.limits) if forest.log_odds else self.limits
        prices = (levers.unit, levers.change, levers.squared)
        how = dict(settle=settle, case_seconds=case_seconds)
        reach = (levers.lower, levers.upper, levers.home, levers.allowed)
        scale = np.maximum(1e-3, np.abs(threshold))

        def solve(rows, slack, tick):
            at = threshold[rows] - forest.start + slack * scale[rows]
            cases = Cases(np.ascontiguousarray(E[rows]), at, *(part[rows] for part in reach))
            amounts, price, bound = past_forest(cases, limit[rows], arrays, prices, tick, **how)
            amounts = np.where(np.isfinite(price)[:, None], amounts, levers.stay()[rows])
            return self._from_encoded(amounts, E[rows], arrays[2], rows), price, bound

        # a tie gets past, but the sum of the model may be rounded differently: then stay clear
        amounts, price, bound = self._checked(*solve(self.rows, _TIE, pace.tick), limit)
        searched = self.rows < pace.done
        again = np.flatnonzero(np.isinf(price) & (bound < limit * (1.0 - 1e-9)) & searched)
        if len(again):
            amounts[again], price[again], _ = solve(again, -_BACK_OFF, lambda: not pace.over)
        return self._checked(amounts, price, bound, limit)

    def _from_encoded(self, amounts, E, columns, rows):
        """Amounts of the raw rows: trees round values to single precision before they compare."""
        of_lever, rate = columns
        for l in range(len(self.levers)):
            mine = np.flatnonzero(of_lever == l)
            if self.levers.kinds[l] == NUMBER and len(mine) == 1 and rate[mine[0]] == 1.0:
                moved = amounts[:, l] != 0
                exact = E[:, mine[0]] + amounts[:, l] - self.levers.values(l)[rows]
                amounts[:, l] = np.where(moved, exact, 0.0)
        return amounts

    def _search(self, limit, pace):
        donors = np.flatnonzero(~self.decided)[: _MOST_DONORS * 20]
        donors = donors[:: max(1, len(donors) // _MOST_DONORS)]
        at = self.levers
        past = _bind_like(at, rows_of(self.table, donors))
        scores, log_odds = self.target.scores(at.table)
        threshold = self.limits
        if threshold is None:
            threshold = np.full(len(scores), 0.5 if log_odds else 0.0)
        need = np.maximum(scores - (logit(threshold) if log_odds else threshold), 0.1)
        amounts, price = search_past(at, self.score, self.caught, limit, past, need, pace)
        return amounts, price, np.zeros(len(price))

    def _checked(self, amounts, price, bound, limit):
        """Moves that the model's own decision confirms; the others did not get past."""
        moved = np.isfinite(price)
        if moved.any():
            wrong = moved & self.caught(self.levers.apply(amounts))
            if wrong.any():
                nudged = np.where(wrong[:, None], self._nudged(amounts), amounts)
                better = self.levers.price(nudged) < limit
                wrong &= ~better | self.caught(self.levers.apply(nudged))
                amounts = np.where((moved & ~wrong)[:, None], nudged, amounts)
            price = np.where(wrong, np.inf, price)
            amounts = np.where(wrong[:, None], self.levers.stay(), amounts)
        return amounts, price, np.minimum(bound, limit)

    def _nudged(self, amounts):
        """Amounts that go further by a rounding error, within reach."""
        levers, out = self.levers, amounts.copy()
        for l in range(len(levers)):
            if levers.kinds[l] == NUMBER and not levers.integer[l]:
                size = np.abs(np.nan_to_num(levers.values(l))) + np.abs(amounts[:, l])
                out[:, l] += np.sign(amounts[:, l]) * _NUDGE * size
                out[:, l] = np.clip(out[:, l], levers.lower[:, l], levers.upper[:, l])
        return out


def _bind_like(levers, table):
    """Levers for other rows, of which only the home positions and values are used."""
    n, L = len(table), len(levers)
    home = np.zeros((n, L), dtype=np.int64)
    for l, known in enumerate(levers.categories):
        if known is not None:
            number = {value: k for k, value in enumerate(known)}
            name = levers.names[l]
            values = (
                table[:, int(name[1:])] if isinstance(table, np.ndarray) else table[name].to_list()
            )
            home[:, l] = [number.get(value, 0) for value in values]
    nothing = np.zeros((n, L))
    more = dict(lower=nothing, upper=nothing, home=home, allowed=nothing.astype(np.uint64))
    return Levers(**{**vars(levers), **more, "table": table})
