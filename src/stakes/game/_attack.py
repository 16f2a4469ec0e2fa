"""The cheapest move of every case past a classifier, exact where it can be."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from stakes._core.intake import checked_sparse
from stakes.costs import COST_NAMES, Costs
from stakes.errors import InputError
from stakes.game._caught import LINEAR, CaughtCases
from stakes.game._leaf_search_jit import NUMBER
from stakes.game._levers import Levers, column, column_names, frame_or_array, rows_of
from stakes.game._pace import Pace
from stakes.game._target import Target, coded_labels


@dataclass(frozen=True)
class Attack:
    """Moves of an adversary against a classifier, and what they cost both.

    Attributes
    ----------
    moves : Moves
        What the adversary can do.
    method : {"linear", "trees", "blend", "search"}
        How the moves were found. "linear" is exact; "trees" and "blend" are exact up to the stated
        bounds; "search" gives moves that work, but cheaper ones may exist.
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
    n_searched : int
        Number of cases, the first ones, whose search was finished within the time budget.
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
    n_searched: int

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
    time_budget=None,
    progress=None,
):
    """Find for every positive the cheapest move that gets it past a classifier.

    A case moves if that costs less than it gains and its budget allows it. Against linear models,
    also behind encoders and scalers, the moves are exact. Against trees, forests and boosters they
    are found by search and proved by a mixed-integer program, with a bound on the gap. Against
    blends of trees and linear models (:class:`~stakes.decision.BlendClassifier`) they are found and
    proved by splitting boxes of moves, the cheapest first. Against any other classifier they are
    searched for. Every move is checked with the model's `predict`.

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
        Time limit of the program of one case against trees.
    time_budget : float, default=None
        Seconds after which no further case is searched; those that were not count as possibly past
        in `bill_bound`. None: no limit.
    progress : callable, default=None
        Called as `progress(done, total)`.

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
    pace = Pace(time_budget, progress)
    if not len(rows):
        method, found = LINEAR, (levers.stay(), np.empty(0), np.empty(0))
    else:
        cases = CaughtCases(target, levers, rows, table, costs, decided)
        method, found = cases.solve(limit, pace, settle=settle, case_seconds=case_seconds)
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
        n_searched=pace.done,
    )


def _gain(moves, table, rows, stakes):
    if moves.gain == "stake":
        return stakes
    if isinstance(moves.gain, str):
        if moves.gain not in column_names(table):
            raise InputError(f"gain={moves.gain!r} of the moves is not a column of the table.")
        return column(table, moves.gain)[rows]
    return np.full(len(rows), float(moves.gain))
