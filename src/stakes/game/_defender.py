"""A classifier that is attacked: its scores, its decisions with costs, and the best move."""

import numpy as np
import polars as pl
from scipy import sparse
from scipy.special import logit

from stakes._core.deciding import predict_with_costs
from stakes._core.plotting import column_of
from stakes.game._move_search import search_response
from stakes.game._response import margin_loss, respond

_MOST_ROWS = 2000  # number of positives used in a numerical search
_LEAST = 1e-12  # probabilities closer to 0 or 1 count as this close
_MOST_PROBES = 2000  # number of features up to which weights are inferred from scores
_MOST_CELLS = 50_000_000  # changed cells of a sparse table up to which it is decided in one call


class Defender:
    """A classifier with the data that it defends.

    Parameters
    ----------
    model : fitted classifier
        Classifier with `decision_function` or `predict_proba`.
    names : list of str or None
        Names of the features.
    classes : ndarray of shape (2,)
        Labels of the model, that of the adversary last.
    costs : Costs of length n
        Costs of the rows.
    priced : bool
        Whether the costs were given; then they reach `predict` of a model that takes them.
    X : ndarray or CSR matrix of shape (n, d)
        Examples before any move.
    signs : ndarray of shape (n,)
        Signs of the classes; the positives are moved.
    loss : {"logistic", "hinge"}
        Loss that the adversary maximizes.
    """

    def __init__(self, model, names, classes, costs, priced, X, signs, loss):
        self.model, self.names, self.classes = model, names, classes
        self.costs, self.priced = costs, priced
        self.X, self.signs, self.loss = X, signs, loss
        self.named = names is not None and hasattr(model, "feature_names_in_")
        self.w, self.b = self._linear()
        # the adversary weighs its examples by what is at stake, as in the game
        stakes = costs.regret(signs > 0)[signs > 0]
        self.at_stake = float(stakes.sum())
        self.v = stakes / self.at_stake if self.at_stake > 0 else _equal(len(stakes))

    def response(self, ease, max_evaluations, random_state):
        """Best move: exact for a linear model, else found by a search."""
        positive = self.X[self.signs > 0]
        if self.w is not None:
            return respond(positive @ self.w + self.b, self.v, self.w, ease, self.loss)
        every = max(1, positive.shape[0] // _MOST_ROWS)
        positive, v = _dense(positive[::every]), self.v[::every]
        v = v / v.sum() if v.sum() > 0 else _equal(len(v))
        return search_response(
            self._scores,
            v,
            positive,
            ease,
            np.asarray(self.X[self.signs < 0].mean(axis=0)).ravel(),
            _spread(_dense(self.X[:: max(1, self.X.shape[0] // _MOST_ROWS)])),
            self.loss,
            max_evaluations=max_evaluations,
            random_state=random_state,
        )

    def outcome(self, response, moved):
        """Detection and costs before or after the move of the positives."""
        positive = self.signs > 0
        shift = response.shift if moved else np.zeros_like(response.shift)
        decided = self._decisions(shift)
        if self.w is not None:
            scores = self.X[positive] @ self.w + self.b + shift @ self.w
        else:
            scores = self._scores(_dense(self.X[positive]) + shift)
        return {
            "caught": float(decided[positive].mean()),
            "cost": float(self.costs.paid(positive, decided).sum()),
            "mean_loss": float(self.v @ margin_loss(scores, self.loss)),
            "paid": response.paid if moved else 0.0,
            "gain": response.gain if moved else 0.0,
        }

    def _decisions(self, shift):
        """The model's own decisions after the move, with the costs if it takes any."""
        n, blocks = len(self.signs), 1
        if sparse.issparse(self.X):
            blocks += int((self.signs > 0).sum() * np.count_nonzero(shift) // _MOST_CELLS)
        parts = []
        for rows in np.array_split(np.arange(n), blocks):
            moved = _moved(self.X[rows] if blocks > 1 else self.X, self.signs[rows] > 0, shift)
            prices = self.costs[rows].keywords() if self.priced else {}
            label = self.classes[1]
            answer = predict_with_costs(self.model, self._framed(moved), pos_label=label, **prices)
            parts.append(np.asarray(answer) == label)
        return np.concatenate(parts)

    def _linear(self):
        """Weights and intercept if the scores are linear in X, else (None, None).

        They are inferred from d + 1 probes, so scaled and calibrated linear models are recognized.
        """
        n, d = self.X.shape
        if not hasattr(self.model, "decision_function"):
            return None, None
        few = _dense(self.X[:: max(1, n // 50)])
        seen = self._scores(few)
        if d > _MOST_PROBES:
            w = np.ravel(_dense(getattr(self.model, "coef_", np.empty(0)))).astype(np.float64)
            b = float(np.ravel(getattr(self.model, "intercept_", 0.0))[0])
            if column_of(self.model, self.classes[1]) == 0:
                w, b = -w, -b
        else:
            here = few.mean(axis=0)
            step = _spread(few)
            at = self._scores(np.vstack([here, here + np.diag(step)]))
            w = (at[1:] - at[0]) / step
            b = float(at[0] - here @ w)
        if len(w) != d or not np.allclose(few @ w + b, seen, atol=1e-8 * (1 + np.abs(seen).max())):
            return None, None
        return w, b

    def _scores(self, rows):
        rows = self._framed(rows)
        column = column_of(self.model, self.classes[1])
        if hasattr(self.model, "decision_function"):
            scores = np.asarray(self.model.decision_function(rows), dtype=np.float64)
            return scores if column == 1 else -scores
        probability = self.model.predict_proba(rows)[:, column]
        return logit(np.clip(probability, _LEAST, 1.0 - _LEAST))

    def _framed(self, rows):
        return pl.DataFrame(rows, schema=list(self.names)) if self.named else rows


def _moved(X, positive, shift):
    """Rows after the move of the positives; sparse rows stay sparse."""
    if sparse.issparse(X):
        move = sparse.csr_matrix(positive[:, None].astype(np.float64)) @ sparse.csr_matrix(shift)
        return (X + move).tocsr()
    X = X.copy()
    X[positive] += shift
    return X


def _spread(X):
    """Standard deviation of each column; one if it is constant, whose own is zero but rounding."""
    spread = X.std(axis=0)
    return np.where(spread > 1e-9 * (1.0 + np.abs(X.mean(axis=0))), spread, 1.0)


def _dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def _equal(n):
    return np.full(n, 1.0 / n)
