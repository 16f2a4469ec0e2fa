"""Report on how an adversary would manipulate a classifier, and at what cost."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse

from stakes._core.docs import documented
from stakes._core.labels import code_labels
from stakes._core.plotting import open_axes
from stakes.costs import COST_NAMES, Costs
from stakes.game._defender import Defender
from stakes.game._response import moving_ease
from stakes.game._stackelberg import StackelbergClassifier


@dataclass(frozen=True)
class ManipulationReport:
    """Moved features, gain of the adversary, and cost of the defender.

    Attributes
    ----------
    features : polars.DataFrame
        Price of each feature, and its weight and move against the model and at the equilibrium
        (the weight in the model is null if the model is not linear).
    outcomes : polars.DataFrame
        For the model and for the classifier at equilibrium, before and after the best move: share
        of positives caught, cost of the defender, mean loss, price and gain of the move.
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
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    max_evaluations=400,
    random_state=None,
):
    """Report what an adversary would gain by moving the positives against a classifier.

    Parameters
    ----------
    model : fitted classifier
        If its `decision_function` is linear in X, even behind a scaler or a calibration, the best
        move is exact. For any other classifier with `decision_function` or `predict_proba`, it is
        searched for.
        Detection and costs come from its own `predict`, which gets the costs if it takes them and
        any are given.
    X : {array-like, sparse matrix, data frame} of shape (n, d)
        Examples.
    y : array-like of shape (n,)
        Labels; the larger one is the class of the adversary.
    movement_price : float or array-like of shape (d,), default=1.0
        Price of moving a feature by one, in units of the loss.
    movable : array-like of bool of shape (d,), default=None
        Mask of the movable features; None: all with a finite price.
    loss : {"logistic", "hinge"}, default="logistic"
        Loss that the adversary maximises, a function of the score of the model.
    alpha : float, default=1e-3
        Ridge penalty of the classifier at equilibrium.
    [metric_costs]
    max_evaluations : int, default=400
        Maximum number of evaluations of the model in a search.
    random_state : int or None, default=None
        Seed of the search.

    Returns
    -------
    ManipulationReport

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> y = (X.sum(axis=1) + 0.5 * rng.normal(size=500) > 0).astype(int)
    >>> report = manipulation_report(LogisticRegression().fit(X, y), X, y, [0.05, 5.0], fn_cost=9.0)
    >>> report.outcomes.select("against", "moved", "caught").rows()
    [('model', False, 0.901), ('model', True, 0.0),
     ('equilibrium', False, 1.0), ('equilibrium', True, 0.988)]
    """
    names = _names(model, X)
    rows = X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    classes, signs = code_labels(y)
    given = dict(zip(COST_NAMES, (fp_cost, fn_cost, tp_cost, tn_cost), strict=True))
    costs = Costs.of(len(signs), **given)
    priced = any(cost is not None for cost in given.values())
    ease = moving_ease(movement_price, rows.shape[1], movable)
    own = Defender(model, names, classes, costs, priced, rows, signs, loss)
    move = own.response(ease, max_evaluations, random_state)
    price = np.divide(1.0, ease, out=np.full(len(ease), np.inf), where=ease > 0)
    equilibrium = StackelbergClassifier(loss=loss, alpha=alpha, movement_price=price)
    equilibrium.fit(rows, signs, **costs.keywords())
    other = Defender(equilibrium, None, np.array([-1.0, 1.0]), costs, priced, rows, signs, loss)
    other_move = other.response(ease, max_evaluations, random_state)
    nobody = np.zeros(len(ease))
    outcomes = [
        own.outcome("model", nobody, move),
        own.outcome("model", move.shift, move),
        other.outcome("equilibrium", nobody, other_move),
        other.outcome("equilibrium", other_move.shift, other_move),
    ]
    features = pl.DataFrame(
        {
            "feature": [f"x{j}" for j in range(len(ease))] if names is None else list(names),
            "price": price,
            "weight": [None] * len(ease) if own.w is None else own.w,
            "move": move.shift,
            "weight_eq": equilibrium.coef_[0],
            "move_eq": other_move.shift,
        },
        schema_overrides={"weight": pl.Float64},
    )
    return ManipulationReport(features, pl.DataFrame(outcomes), own.w is not None)


def _names(model, X):
    columns = getattr(X, "columns", None)
    return getattr(model, "feature_names_in_", None) if columns is None else list(columns)


def _lines(frame):
    lines = ["| " + " | ".join(frame.columns) + " |", "| --- " * len(frame.columns) + "|"]
    for row in frame.rows():
        cells = (f"{cell:,.4g}" if isinstance(cell, float) else str(cell) for cell in row)
        lines.append("| " + " | ".join(cells) + " |")
    return lines
