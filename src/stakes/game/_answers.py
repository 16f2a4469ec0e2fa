"""What the defender can do about moves: train on them, or do without the columns that move."""

import warnings
from copy import deepcopy

import numpy as np
import polars as pl
import sklearn
from sklearn.base import clone

from stakes._core.deciding import predict_with_costs, takes_costs
from stakes.errors import BelowTrivialWarning
from stakes.game._attack import attack
from stakes.game._box_search import blend_of
from stakes.game._levers import Levers, frame_or_array, rows_of
from stakes.game._pace import Pace


def harden(
    model,
    X,
    y,
    moves,
    *,
    max_rounds=3,
    pos_label=None,
    case_seconds=1.0,
    time_budget=None,
    progress=None,
    fresh=True,
    **costs,
):
    """Fit a classifier that knows the moves of the adversaries: rounds of best replies.

    In each round the adversaries move the positives that they can get past the classifier, and it
    is fitted again on all rows and the moved copies of every round; a
    :class:`~stakes.decision.BlendClassifier` keeps the weights of its first fit. Of all rounds, the
    classifier with the lowest bill after the moves is returned.

    Parameters
    ----------
    model : classifier
        Learner; its settings are used, not its fit.
    X : {array-like, data frame} of shape (n, d)
        Training rows.
    y : array-like of shape (n,)
        Labels.
    moves : Moves or list of Moves
        What each adversary can do.
    max_rounds : int, default=3
        Number of rounds after the first fit.
    pos_label : label, default=None
        Class of the adversary; None: the larger label.
    case_seconds : float, default=1.0
        As in :func:`attack`.
    time_budget : float, default=None
        Seconds after which no further round starts; None: no limit.
    progress : callable, default=None
        Called as `progress(done, total)` after each case of each attack.
    fresh : bool, default=True
        Whether to start from a new fit; False: from `model` as it is.
    **costs : float or array-like of shape (n,)
        fp_cost, fn_cost, tp_cost, tn_cost of the rows.

    Returns
    -------
    fitted classifier

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from stakes.game import Moves, attack
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = (X.sum(axis=1) > 0).astype(int)
    >>> moves = Moves({"x0": 1.0}, max_price=1.5, gain=9.0)
    >>> plain = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    >>> hard = harden(plain, X, y, moves)
    >>> attack(hard, X, y, moves).bill_after < attack(plain, X, y, moves).bill_after
    True
    """
    moves = list(moves) if isinstance(moves, list | tuple) else [moves]
    table, y = frame_or_array(X), np.asarray(y)
    n = len(y)
    prices = {k: np.broadcast_to(c, (n,)) for k, c in costs.items() if c is not None}
    best, lowest = None, np.inf
    pace = Pace(time_budget)
    copies = [np.arange(n)]
    tables = [table]
    for turn in range(max_rounds + 1):
        if turn == 0 and not fresh:
            fitted = model
        else:
            rows = np.concatenate(copies)
            now = {name: cost[rows] for name, cost in prices.items()}
            fitted = _fit_again(best or clone(model), _stacked(tables), y[rows], now)
        how = dict(pos_label=pos_label, settle=False, case_seconds=case_seconds, **prices)
        how |= dict(time_budget=pace.left, progress=progress)
        found = [attack(fitted, table, y, one, **how) for one in moves]
        bill = sum(one.bill_after for one in found)
        if bill < lowest:
            best, lowest = fitted, bill
        past = [one for one in found if one.past.any()]
        if not past or pace.over:
            break
        for one in past:
            copies.append(one.rows[one.past])
            tables.append(rows_of(one.levers.apply(one.amounts), one.past))
    return best


def without_moves(model, X, y, moves, **costs):
    """Fit a classifier that does not see what adversaries can move.

    Parameters
    ----------
    model : classifier
        Learner; its settings are used, not its fit.
    X : {array-like, data frame} of shape (n, d)
        Training rows.
    y : array-like of shape (n,)
        Labels.
    moves : Moves or list of Moves
        What each adversary can do.
    **costs : float or array-like of shape (n,)
        fp_cost, fn_cost, tp_cost, tn_cost of the rows.

    Returns
    -------
    fitted classifier
        It takes rows with all columns, and ignores those that can move.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from stakes.game import Moves
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 2.0]]), [0, 0, 1, 1]
    >>> model = without_moves(LogisticRegression(), X, y, Moves({"x1": 1.0}))
    >>> bool(np.ptp(model.predict_proba([[1.0, 0.0], [1.0, 9.0]])[:, 1]) == 0)
    True
    """
    moves = list(moves) if isinstance(moves, list | tuple) else [moves]
    n = len(y)
    prices = {k: np.broadcast_to(c, (n,)) for k, c in costs.items() if c is not None}
    return Blind(model, moves).fit(X, np.asarray(y), prices)


def fit_with_costs(model, X, y, costs):
    """Fit a learner, with the costs if it takes them."""
    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", BelowTrivialWarning)
        return model.fit(X, y, **(costs if takes_costs(model, "fit") else {}))


def _fit_again(model, X, y, costs):
    """Fit a learner; a fitted blend keeps its weights, which were found where no row had copies."""
    found, before = blend_of(model)
    if before or not hasattr(found, "fit_members"):
        return fit_with_costs(clone(model), X, y, costs)
    model = deepcopy(model)
    blend_of(model)[0].fit_members(X, y)
    return model


class Blind:
    """A classifier that does not see what the adversaries can move: every row has one value there.

    Parameters
    ----------
    model : classifier
        Learner.
    moves : list of Moves
        What each adversary can do.
    """

    def __init__(self, model, moves):
        self.model, self.moves = model, moves

    def fit(self, X, y, costs):
        """Fit without the columns that move."""
        table = frame_or_array(X)
        names = {c for one in self.moves for r in Levers.of(one, table).rates for c in r}
        self.first, self.names = rows_of(table, np.array([0])), sorted(names)
        self.model = fit_with_costs(clone(self.model), self._covered(table), y, costs)
        self.classes_ = self.model.classes_
        if not hasattr(self.model, "predict_proba"):
            self.decision_function = lambda X: self.model.decision_function(self._covered(X))
        else:
            self.predict_proba = lambda X: self.model.predict_proba(self._covered(X))
        return self

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide without the columns that move."""
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        given = {name: cost for name, cost in given.items() if cost is not None}
        return predict_with_costs(self.model, self._covered(X), **given)

    def _covered(self, X):
        table = frame_or_array(X)
        if isinstance(table, np.ndarray):
            out = table.copy()
            columns = [int(name[1:]) for name in self.names]
            out[:, columns] = self.first[0, columns]
            return out
        return table.with_columns(
            pl.lit(self.first[name][0], dtype=table[name].dtype).alias(name) for name in self.names
        )


def _stacked(tables):
    if isinstance(tables[0], np.ndarray):
        return np.vstack(tables)
    schema = {
        name: pl.Float64 if any(t[name].dtype == pl.Float64 for t in tables) else dtype
        for name, dtype in tables[0].schema.items()
    }
    return pl.concat([t.with_columns(pl.col(n).cast(d) for n, d in schema.items()) for t in tables])
