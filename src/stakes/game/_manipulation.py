"""Report on how an adversary would manipulate a classifier, and at what cost."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from stakes._core.docs import documented
from stakes._core.intake import checked_sparse
from stakes._core.plotting import open_axes
from stakes.costs import COST_NAMES, Costs
from stakes.game._attack_report import attack_report
from stakes.game._defender import Defender
from stakes.game._moves import Moves
from stakes.game._prices import prices_of
from stakes.game._response import moving_ease
from stakes.game._stackelberg import StackelbergClassifier
from stakes.game._target import coded_labels


@dataclass(frozen=True)
class ManipulationReport:
    """Moved features, gain of the adversary, and cost of the defender.

    Attributes
    ----------
    features : polars.DataFrame
        Price of each feature, and its weight and move against the model and at the equilibrium
        (the weight in the model is null if the model is not linear; at the equilibrium: means over
        the folds).
    outcomes : polars.DataFrame
        Before and after the best move against each: share of positives caught, cost of the
        defender, mean loss of the positives weighted by what is at stake, price and gain of the
        move. Against the "model"; a "plain" linear classifier fitted with the costs, as if nobody
        moved; and the classifier at "equilibrium". The difference of the last two is due to the
        game, that of the first two to the costs, the rows and the kind of model.
    exact : bool
        Whether the move against the model is optimal; otherwise it was found by a search.
    """

    features: pl.DataFrame
    outcomes: pl.DataFrame
    exact: bool

    def to_markdown(self, top=10):
        """Both tables as Markdown, with the largest moves first.

        Parameters
        ----------
        top : int, default=10
            Maximum number of features.
        """
        moved = self.features.sort(pl.col("move").abs(), descending=True).head(top)
        return "\n".join([*_lines(self.outcomes), "", *_lines(moved)]) + "\n"

    def plot(self, ax=None, top=10):
        """Plot the largest moves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None: new ones.
        top : int, default=10
            Maximum number of features.

        Returns
        -------
        matplotlib Axes
        """
        _, ax = open_axes(ax)
        rows = self.features.sort(pl.col("move").abs(), descending=True).head(top).reverse()
        place = np.arange(len(rows))
        ax.barh(place + 0.2, rows["move"], 0.4, label="against the model", color="#b3542e")
        ax.barh(place - 0.2, rows["move_eq"], 0.4, label="at equilibrium", color="#1f4e79")
        ax.set_yticks(place, rows["feature"])
        ax.set_xlabel("move of the positives")
        ax.axvline(0.0, color="0.55", linewidth=1.0)
        ax.legend()
        return ax


@documented()
def manipulation_report(
    model,
    X,
    y,
    movement_price=1.0,
    *,
    movable=None,
    loss="logistic",
    alpha=1e-3,
    pos_label=None,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    max_evaluations=400,
    cv=3,
    random_state=None,
):
    """Report what an adversary would gain by moving the positives against a classifier.

    The adversary weighs the positives by what is at stake, as in the game. The plain classifier
    and that at equilibrium are cross-fitted: each row is scored by classifiers that were fitted
    without it, at the best move against them.

    Parameters
    ----------
    model : fitted classifier
        If its `decision_function` is linear in X, even behind a scaler or a calibration, the best
        move is exact. For any other classifier with `decision_function` or `predict_proba`, it is
        searched for.
        Detection and costs come from its own `predict`, which gets the costs if it takes them and
        any are given.
    X : {array-like, sparse matrix, data frame} of shape (n, d)
        Examples, best those that the model was not trained on.
    y : array-like of shape (n,)
        Labels.
    movement_price : float, array-like of shape (d,), dict or Moves, default=1.0
        Price of moving a feature by one, in units of the loss. A dict gives prices by column name;
        columns that it does not name cannot be moved. With :class:`Moves`, or a list of them, each
        case moves by itself at prices in money, and the result is that of :func:`attack_report`.
    movable : array-like of bool of shape (d,), default=None
        Mask of the movable features; None: all with a finite price.
    loss : {"logistic", "hinge"}, default="logistic"
        Loss that the adversary maximizes, a function of the score of the model.
    alpha : float, default=1e-3
        Ridge penalty of the plain classifier and that at equilibrium.
    pos_label : label, default=None
        Positive class, that of the adversary, to which the costs refer; None: the larger label.
        Required if the labels are words.
    [metric_costs]
    max_evaluations : int, default=400
        Maximum number of evaluations of the model in a search.
    cv : int, default=3
        Number of folds in which the plain classifier and that at equilibrium are fitted.
    random_state : int or None, default=None
        Seed of the folds and the search.

    Returns
    -------
    ManipulationReport or AttackReport

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> y = (X.sum(axis=1) + 0.5 * rng.normal(size=500) > 0).astype(int)
    >>> model = LogisticRegression().fit(X, y)
    >>> report = manipulation_report(model, X, y, [0.5, 5.0], fn_cost=9.0, random_state=0)
    >>> report.outcomes.select("against", "moved", "cost").rows()
    [('model', False, 248.0), ('model', True, 2192.0),
     ('plain', False, 121.0), ('plain', True, 202.0),
     ('equilibrium', False, 145.0), ('equilibrium', True, 154.0)]
    """
    if _are_moves(movement_price):
        if movable is not None:
            raise ValueError("movable has no meaning with Moves, which name what can be moved.")
        how = dict(pos_label=pos_label, cv=cv, random_state=random_state)
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        return attack_report(model, X, y, movement_price, **how, **costs)
    names = _names(model, X)
    X = checked_sparse(X)
    rows = X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    classes, signs = coded_labels(y, pos_label)
    given = dict(zip(COST_NAMES, (fp_cost, fn_cost, tp_cost, tn_cost), strict=True))
    costs = Costs.of(len(signs), **given)
    priced = any(cost is not None for cost in given.values())
    ease = moving_ease(prices_of(movement_price, rows.shape[1], names), rows.shape[1], movable)
    own = Defender(model, names, classes, costs, priced, rows, signs, loss)
    move = own.response(ease, max_evaluations, random_state)
    price = np.divide(1.0, ease, out=np.full(len(ease), np.inf), where=ease > 0)
    plain, held = (
        _held_out(
            StackelbergClassifier(loss=loss, alpha=alpha, movement_price=prices),
            _folds(signs, cv, random_state),
            (rows, signs, costs, ease, loss),
        )
        for prices in (np.inf, price)
    )
    outcomes = [
        {"against": name, "moved": moved, **_pooled(against, moved)}
        for name, against in (("model", [(own, move)]), ("plain", plain), ("equilibrium", held))
        for moved in (False, True)
    ]
    features = pl.DataFrame(
        {
            "feature": [f"x{j}" for j in range(len(ease))] if names is None else list(names),
            "price": price,
            "weight": [None] * len(ease) if own.w is None else own.w,
            "move": move.shift,
            "weight_eq": np.mean([fold.w for fold, _ in held], axis=0),
            "move_eq": np.mean([response.shift for _, response in held], axis=0),
        },
        schema_overrides={"weight": pl.Float64},
    )
    return ManipulationReport(features, pl.DataFrame(outcomes), own.w is not None)


def _are_moves(given):
    several = given if isinstance(given, list | tuple) else [given]
    return len(several) > 0 and all(isinstance(one, Moves) for one in several)


def _folds(signs, cv, random_state):
    """Pairs of training and test rows; fewer than `cv` if a class has fewer examples."""
    fewest = int(min((signs > 0).sum(), (signs < 0).sum()))
    if fewest < 2:
        raise ValueError(
            "The equilibrium is fitted on other rows than those it is scored on, so each class "
            f"needs at least two examples. Got {fewest} instead."
        )
    folds = StratifiedKFold(min(cv, fewest), shuffle=True, random_state=random_state)
    return list(folds.split(signs, signs))


def _held_out(learner, folds, data):
    """For each fold, the learner fitted on the other rows and the best move against it."""
    X, signs, costs, ease, loss = data
    found = []
    for train, test in folds:
        model = clone(learner).fit(X[train], signs[train], **costs[train].keywords())
        # its decisions take no costs, which it has learned from
        defender = Defender(
            model, None, model.classes_, costs[test], False, X[test], signs[test], loss
        )
        found.append((defender, defender.response(ease, 0, None)))
    return found


def _pooled(defenders, moved):
    """Outcomes of all folds: the sum of the costs, means of the rest over the positives."""
    parts = pl.DataFrame([defender.outcome(response, moved) for defender, response in defenders])
    count = np.array([len(defender.v) for defender, _ in defenders], dtype=np.float64)
    stakes = np.array([defender.at_stake for defender, _ in defenders])
    stakes = stakes if stakes.any() else count
    mean = {name: float(np.average(parts[name], weights=stakes)) for name in parts.columns}
    caught = round(float(np.average(parts["caught"], weights=count)), 3)
    return {**mean, "caught": caught, "cost": float(parts["cost"].sum())}


def _names(model, X):
    columns = getattr(X, "columns", None)
    return getattr(model, "feature_names_in_", None) if columns is None else list(columns)


def _lines(frame):
    lines = ["| " + " | ".join(frame.columns) + " |", "| --- " * len(frame.columns) + "|"]
    for row in frame.rows():
        cells = (f"{cell:,.4g}" if isinstance(cell, float) else str(cell) for cell in row)
        lines.append("| " + " | ".join(cells) + " |")
    return lines
