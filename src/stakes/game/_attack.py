"""The cheapest move of every case past a classifier, exact where it can be."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import logit

from stakes._core.intake import checked_sparse
from stakes.costs import COST_NAMES, Costs
from stakes.errors import InputError
from stakes.game._additive import Additive
from stakes.game._case_search import search_past
from stakes.game._ensembles import forest_of
from stakes.game._leaf_search import Cases, past_forest
from stakes.game._leaf_search_jit import NUMBER
from stakes.game._levers import Levers, column, column_names, frame_or_array, rows_of
from stakes.game._target import Target, coded_labels

LINEAR, TREES, SEARCH = "linear", "trees", "search"
_MOST_DONORS = 1000
_AGREES = 1e-6  # largest error of a sum of trees that is taken for the model's probability
_TIE, _BACK_OFF = 1e-12, 1e-7  # of a sum of leaf values: what counts as equal, as below
_NUDGE = 1e-9  # relative: how much further a move goes that rounding brought back


@dataclass(frozen=True)
class Attack:
    """Moves of an adversary against a classifier, and what they cost both.

    Attributes
    ----------
    moves : Moves
        What the adversary can do.
    method : {"linear", "trees", "search"}
        How the moves were found. "linear" is exact; "trees" is exact up to the stated bounds;
        "search" gives moves that work, but cheaper ones may exist.
    rows : ndarray of int
        The positives that the classifier catches, the only cases that have a reason to move.
    gain : ndarray
        What each of them gains by getting past.
    price : ndarray
        Price of the cheapest move found that gets it past for less than its gain and the budget;
        infinite if there is none.
    bound : ndarray
        Lower bound on the price of any such move.
    levers : Levers
        What the cases can move.
    amounts : ndarray of shape (n_cases, L)
        Amount of each lever.
    paid_before, paid_after : ndarray of shape (n,)
        Cost of the decision about each row before and after the moves.
    stakes : ndarray
        Cost of each case if it gets past, minus that if it is caught.
    limit : ndarray
        Smaller of gain and budget: the price at which a case stays.
    n_positive : int
        Number of positives among all rows.
    decided_after : ndarray of bool of shape (n,)
        Whether each row is called positive after the moves.
    """

    moves: object
    method: str
    rows: np.ndarray
    gain: np.ndarray
    price: np.ndarray
    bound: np.ndarray
    levers: object
    amounts: np.ndarray
    paid_before: np.ndarray
    paid_after: np.ndarray
    stakes: np.ndarray
    limit: np.ndarray
    n_positive: int
    decided_after: np.ndarray

    @property
    def past(self):
        """Which of the cases move and get past."""
        return np.isfinite(self.price)

    @property
    def bill(self):
        """Cost of all decisions before any move."""
        return float(self.paid_before.sum())

    @property
    def bill_after(self):
        """Cost of all decisions after the moves."""
        return float(self.paid_after.sum())

    @property
    def bill_bound(self):
        """Upper bound on the cost after any moves: cases that may get past are counted."""
        open_ = ~self.past & (self.bound < self.limit * (1.0 - 1e-9))
        return self.bill_after + float(self.stakes[open_].sum())

    @property
    def gap(self):
        """Largest relative distance of a price to its lower bound; one if there is no bound."""
        price, bound = self.price[self.past], self.bound[self.past]
        return float(np.max((price - bound) / np.where(price > 0, price, 1.0), initial=0.0))

    @property
    def spent(self):
        """Money that the adversary pays for its moves."""
        return float(self.price[self.past].sum())

    def describe(self, i):
        """What case i changes, in words."""
        levers, changes = self.levers, []
        for l in np.flatnonzero(levers.moved(self.amounts)[i]):
            amount = self.amounts[i, l]
            if levers.kinds[l] == NUMBER:
                changes.append(f"{levers.names[l]} {amount:+.4g}")
            else:
                changes.append(f"{levers.names[l]} to {levers.categories[l][int(amount)]}")
        return ", ".join(changes)


def attack(
    model,
    X,
    y,
    moves,
    *,
    pos_label=None,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    settle=True,
    case_seconds=5.0,
):
    """Find for every positive the cheapest move that gets it past a classifier.

    A case moves if that costs less than it gains and its budget allows it. Against linear models,
    also behind encoders and scalers, the moves are exact. Against trees, forests and boosters they
    are found by search and proved by a mixed-integer programme, with a bound on the gap. Against
    any other classifier they are searched for. Every move is checked with the model's `predict`.

    Parameters
    ----------
    model : fitted classifier
        With `predict_proba` or `decision_function`. Its `predict` gets the costs if it takes them
        and any are given.
    X : {array-like, sparse matrix, data frame} of shape (n, d)
        Rows, best those that the model was not trained on.
    y : array-like of shape (n,)
        Labels.
    moves : Moves
        What the adversary can change and at what price.
    pos_label : label, default=None
        Class of the adversary; None: the larger label. Required if the labels are words.
    fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
        Costs of the rows, before any move; they do not change if a column moves.
    settle : bool, default=True
        Whether to find the cheapest move against trees; False: any move that pays, which is faster
        and gives the same bill.
    case_seconds : float, default=5.0
        Time limit of the programme of one case against trees.

    Returns
    -------
    Attack

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from stakes.game import Moves
    >>> X, y = np.arange(10.0)[:, None], np.arange(10) > 4
    >>> model = LogisticRegression().fit(X, y)
    >>> found = attack(model, X, y, Moves({"x0": 1.0}, gain=3.0))
    >>> found.price.round(1).tolist(), found.bill, found.bill_after
    ([0.5, 1.5, 2.5, inf, inf], 0.0, 3.0)
    """
    table = frame_or_array(checked_sparse(X))
    classes, signs = coded_labels(y, pos_label)
    label, positive = classes[1], signs > 0
    given = dict(zip(COST_NAMES, (fp_cost, fn_cost, tp_cost, tn_cost), strict=True))
    costs = Costs.of(len(positive), **given)
    target = Target(model, label, any(cost is not None for cost in given.values()))
    original = X.tocsr() if sparse.issparse(X) else X
    decided = target.decide(original, costs)
    rows = np.flatnonzero(positive & decided)
    stakes = costs.positive_regret[rows]
    gain = _gain(moves, table, rows, stakes)
    limit = np.minimum(gain, moves.max_price)
    levers = Levers.of(moves, rows_of(table, rows), table)
    if not len(rows):
        method, found = LINEAR, (levers.stay(), np.empty(0), np.empty(0))
    else:
        cases = _Cases(target, levers, rows, table, costs, decided)
        method, found = cases.solve(limit, settle, case_seconds)
    amounts, price, bound = found
    after = decided.copy()
    after[rows[np.isfinite(price)]] = False
    return Attack(
        moves=moves,
        method=method,
        rows=rows,
        gain=gain,
        price=price,
        bound=bound,
        levers=levers,
        amounts=amounts,
        paid_before=costs.paid(positive, decided),
        paid_after=costs.paid(positive, after),
        stakes=stakes,
        limit=limit,
        n_positive=int(positive.sum()),
        decided_after=after,
    )


class _Cases:
    """The caught positives, and the ways past the model."""

    def __init__(self, target, levers, rows, table, costs, decided):
        self.target, self.levers, self.costs = target, levers, costs[rows]
        self.table, self.decided = table, decided
        limits = target.limits(table, costs, decided)
        self.limits = None if limits is None else limits[rows]
        self.rows = np.arange(len(levers.table))

    def caught(self, table):
        """Whether the moved cases are still called positive."""
        return self.target.decide(table, self.costs)

    def score(self, table):
        """Scores of moved rows."""
        return self.target.scores(table)[0]

    def solve(self, limit, settle, case_seconds):
        """(method, (amounts, price, bound)); every move is checked."""
        for method, solve in ((LINEAR, self._linear), (TREES, self._trees)):
            found = None
            if self.limits is not None:
                found = solve(limit, settle, case_seconds)
            if found is not None:
                return method, self._checked(*found, limit)
        return SEARCH, self._checked(*self._search(limit), limit)

    def _linear(self, limit, settle, case_seconds):
        scores, log_odds = self.target.scores(self.levers.table)
        found = Additive.of(self.levers, self.score)
        if found is None:
            return None
        need = scores - (logit(self.limits) if log_odds else self.limits)
        return found.past(self.levers, need, limit)

    def _trees(self, limit, settle, case_seconds):
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

        def solve(rows, slack):
            at = threshold[rows] - forest.start + slack * scale[rows]
            cases = Cases(np.ascontiguousarray(E[rows]), at, *(part[rows] for part in reach))
            amounts, price, bound = past_forest(cases, limit[rows], arrays, prices, **how)
            amounts = np.where(np.isfinite(price)[:, None], amounts, levers.stay()[rows])
            return self._from_encoded(amounts, E[rows], arrays[2], rows), price, bound

        # a tie gets past, but the sum of the model may be rounded differently: then stay clear
        amounts, price, bound = self._checked(*solve(self.rows, _TIE), limit)
        again = np.flatnonzero(np.isinf(price) & (bound < limit * (1.0 - 1e-9)))
        if len(again):
            amounts[again], price[again], _ = solve(again, -_BACK_OFF)
        return amounts, price, bound

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

    def _search(self, limit):
        donors = np.flatnonzero(~self.decided)[: _MOST_DONORS * 20]
        donors = donors[:: max(1, len(donors) // _MOST_DONORS)]
        at = self.levers
        past = _bind_like(at, rows_of(self.table, donors))
        scores, log_odds = self.target.scores(at.table)
        threshold = np.full(len(scores), 0.5 if log_odds else 0.0)
        need = np.maximum(scores - (logit(threshold) if log_odds else threshold), 0.1)
        amounts, price = search_past(at, self.score, self.caught, limit, past, need)
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


def _gain(moves, table, rows, stakes):
    if moves.gain == "stake":
        return stakes
    if isinstance(moves.gain, str):
        if moves.gain not in column_names(table):
            raise InputError(f"gain={moves.gain!r} of the moves is not a column of the table.")
        return column(table, moves.gain)[rows]
    return np.full(len(rows), float(moves.gain))
