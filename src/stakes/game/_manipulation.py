"""Report on how an adversary would manipulate a classifier, and at what cost."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse
from scipy.special import logit

from stakes._core.deciding import predict_with_costs
from stakes._core.docs import documented
from stakes._core.intake import checked_sparse
from stakes._core.labels import code_labels
from stakes._core.plotting import open_axes
from stakes.costs import Costs
from stakes.game._response import Response, margin_loss, moving_ease, respond
from stakes.game._stackelberg import StackelbergClassifier

_MOST_ROWS = 2000  # number of positives used in a numerical search
_MOST_PROBES = 2000  # number of features up to which weights are inferred from scores
_LENGTHS = 2.0 ** np.arange(-4, 4, 2)  # of first moves, in standard deviations
_SMALLEST = 1e-3  # step, in standard deviations, at which the search ends


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
    X = checked_sparse(X)
    rows = X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    classes, signs = code_labels(y)
    costs = Costs.of(len(signs), fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    ease = moving_ease(movement_price, rows.shape[1], movable)
    own = _Defender(model, names, classes, costs, rows, signs, loss)
    move = own.response(ease, max_evaluations, random_state)
    price = np.divide(1.0, ease, out=np.full(len(ease), np.inf), where=ease > 0)
    equilibrium = StackelbergClassifier(loss=loss, alpha=alpha, movement_price=price)
    equilibrium.fit(rows, signs, **costs.keywords())
    other = _Defender(equilibrium, None, classes, costs, rows, signs, loss)
    other_move = other.response(ease, max_evaluations, random_state)
    nobody = np.zeros(len(ease))
    outcomes = [
        own.outcome("model", nobody, move, price),
        own.outcome("model", move.shift, move, price),
        other.outcome("equilibrium", nobody, other_move, price),
        other.outcome("equilibrium", other_move.shift, other_move, price),
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


class _Defender:
    """A classifier with the data that it defends."""

    def __init__(self, model, names, classes, costs, X, signs, loss):
        self.model, self.names, self.classes, self.costs = model, names, classes, costs
        self.X, self.signs, self.loss = X, signs, loss
        self.named = names is not None and hasattr(model, "feature_names_in_")
        self.w, self.b = self._linear()

    def response(self, ease, max_evaluations, random_state):
        """Best move: exact for a linear model, else found by a search."""
        positive = self.X[self.signs > 0]
        if self.w is not None:
            v = np.full(positive.shape[0], 1.0 / positive.shape[0])
            return respond(positive @ self.w + self.b, v, self.w, ease, self.loss)
        positive = _dense(positive)[:: max(1, positive.shape[0] // _MOST_ROWS)]
        return _numeric_response(
            lambda rows: float(margin_loss(self._scores(rows), self.loss).mean()),
            positive,
            ease,
            np.asarray(self.X[self.signs < 0].mean(axis=0)).ravel(),
            max_evaluations=max_evaluations,
            random_state=random_state,
        )

    def outcome(self, name, shift, response, price):
        """Detection rate and costs if the positives are moved by `shift`."""
        positive = self.signs > 0
        if self.w is not None:
            scores = self.X @ self.w + self.b + np.where(positive, shift @ self.w, 0.0)
            decided, losses = scores > 0, margin_loss(scores[positive], self.loss)
        else:
            rows = _dense(self.X) + np.outer(positive, shift)
            answer = predict_with_costs(self.model, self._framed(rows), **self.costs.keywords())
            decided = answer == self.classes[1]
            losses = margin_loss(self._scores(rows[positive]), self.loss)
        moved = bool(shift.any())
        return {
            "against": name,
            "moved": moved,
            "caught": round(float(decided[positive].mean()), 3),
            "cost": float(self.costs.paid(positive, decided).sum()),
            "mean_loss": float(losses.mean()),
            "paid": response.paid if moved else 0.0,
            "gain": response.gain if moved else 0.0,
        }

    def _linear(self):
        """Weights and intercept if the scores are linear in X, else (None, None).

        They are inferred from d + 1 probes, so scaled and calibrated linear models are recognised.
        """
        n, d = self.X.shape
        if not hasattr(self.model, "decision_function"):
            return None, None
        few = _dense(self.X[:: max(1, n // 50)])
        seen = self._scores(few)
        if d > _MOST_PROBES:
            w = np.ravel(_dense(getattr(self.model, "coef_", np.empty(0)))).astype(np.float64)
            b = float(np.ravel(getattr(self.model, "intercept_", 0.0))[0])
        else:
            step = np.where(few.std(axis=0) > 0, few.std(axis=0), 1.0)
            here = few.mean(axis=0)
            at = self._scores(np.vstack([here, here + np.diag(step)]))
            w = (at[1:] - at[0]) / step
            b = float(at[0] - here @ w)
        if len(w) != d or not np.allclose(few @ w + b, seen, atol=1e-8 * (1 + np.abs(seen).max())):
            return None, None
        return w, b

    def _scores(self, rows):
        rows = self._framed(rows)
        if hasattr(self.model, "decision_function"):
            return np.asarray(self.model.decision_function(rows), dtype=np.float64)
        probability = self.model.predict_proba(rows)[:, 1]
        return logit(np.clip(probability, 1e-6, 1.0 - 1e-6))

    def _framed(self, rows):
        return pl.DataFrame(rows, schema=list(self.names)) if self.named else rows


def _names(model, X):
    columns = getattr(X, "columns", None)
    return getattr(model, "feature_names_in_", None) if columns is None else list(columns)


def _dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def _lines(frame):
    lines = ["| " + " | ".join(frame.columns) + " |", "| --- " * len(frame.columns) + "|"]
    for row in frame.rows():
        cells = (f"{cell:,.4g}" if isinstance(cell, float) else str(cell) for cell in row)
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _numeric_response(mean_loss, X, ease, towards, *, max_evaluations=400, random_state=None):
    r"""Search for the move with the largest mean loss minus price.

    Tries several lengths along each feature and towards the other class, then improves the best
    move along single features and random directions with shrinking steps. The result is a lower
    bound on what the adversary can gain.

    Parameters
    ----------
    mean_loss : callable
        Function from moved examples to their mean loss.
    X : ndarray of shape (n, d)
        Examples of the adversary.
    ease : ndarray of shape (d,)
        One over the price of moving each feature.
    towards : ndarray of shape (d,)
        Mean of the other class.
    max_evaluations : int, default=400
        Maximum number of calls of `mean_loss`.
    random_state : int or None, default=None
        Seed of the random directions.

    Returns
    -------
    Response
    """
    rng = np.random.default_rng(random_state)
    d = X.shape[1]
    free = np.flatnonzero(ease > 0)
    scale = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    price = np.divide(1.0, ease, out=np.zeros(d), where=ease > 0)
    left = max_evaluations - 1
    stay = mean_loss(X)
    best, payoff = np.zeros(d), stay

    def attempt(shift):
        nonlocal best, payoff, left
        if left <= 0:
            return False
        left -= 1
        value = mean_loss(X + shift) - price @ shift**2
        if value > payoff:
            best, payoff = shift, value
            return True
        return False

    way = np.where(ease > 0, towards - X.mean(axis=0), 0.0)
    for shift in _starts(way, scale, free, max_evaluations // 32):
        attempt(shift)
    step = 1.0
    while left > 0 and step > _SMALLEST and len(free):
        direction = np.zeros(d)
        if rng.random() < 0.5:
            direction[rng.choice(free)] = 1.0
        else:
            direction[free] = rng.normal(size=len(free)) / np.sqrt(len(free))
        direction *= scale * step
        # both directions, then a shorter move, which is cheaper
        if not (attempt(best + direction) or attempt(best - direction) or attempt(0.9 * best)):
            step *= 0.93
    paid = float(price @ best**2)
    return Response(best, float(payoff), float(payoff) + paid, paid, float(payoff - stay))


def _starts(way, scale, free, n_features):
    """Moves towards the other class, and along the features in which it is farthest away."""
    starts = [length * way for length in (0.25, 0.5, 1.0, 1.5)]
    for j in free[np.argsort(-np.abs(way[free] / scale[free]))][:n_features]:
        step = np.zeros(len(way))
        step[j] = np.sign(way[j]) * scale[j] if way[j] else scale[j]
        starts += [length * step for length in _LENGTHS]
    return starts
