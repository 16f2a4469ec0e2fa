r"""Optimization problem of all quadratic-mean learners, with a lower bound as certificate.

.. math:: J(w) = \alpha \|w\|^2 + M_p(m_1(w), \dots, m_k(w)), \qquad
          m_g(w) = \sum_{i \in g} a_i\, l(f_i, y_i), \quad \sum_{i \in g} a_i = 1

The mean is a maximum over weights u in its dual ball, and each loss is a maximum over lines of
slope b_i; fixing both leaves a quadratic whose minimum bounds J from below:

.. math:: J(w) \ge \sum_g u_g \sum_{i \in g} a_i\, o(b_i, y_i)
          - \frac{1}{4\alpha} \Big\| \sum_g u_g \sum_{i \in g} a_i b_i x_i \Big\|^2 .
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from stakes.qmean._mean import mean_curvature, mean_weights, power_mean

_BLOCK = 4096  # rows multiplied at once
_CURVED_ROWS = 20_000  # of each group in the Hessian


@dataclass(frozen=True)
class Smoothing:
    """Smoothing: half the width of the kink of each loss, and the power of the mean."""

    h: float
    p: float


@dataclass(eq=False)
class QuadraticMeanProblem:
    """Power mean of group losses plus ridge; W has shape (d + 1,) or (d + 1, k), intercept last.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        Examples, without a column of ones.
    y : ndarray of shape (n,)
        Signs, numbers or class indices, as the loss requires.
    weight : ndarray of shape (n,)
        Positive weights; only their shares within each group matter.
    group : ndarray of int of shape (n,)
        Group of each example, all of 0 .. k-1 present.
    loss : object with `parts`, `offset` and `smooth`
        Loss, see :func:`classification_loss`.
    share : ndarray of shape (k,)
        Weight of each group in the mean; sums to one.
    p : float, default=2.0
        Power of the mean, from one to infinity.
    alpha : float, default=0.5
        Ridge penalty, lambda in the thesis.
    fit_intercept, regularize_intercept : bool, default=True
        Whether there is an intercept, and whether it is penalized.
    outputs : int or None, default=None
        Number of scores per example; None: one, and arrays are flat.

    Examples
    --------
    >>> from stakes.qmean import classification_loss
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([-1.0, -1.0, 1.0])
    >>> loss, share = classification_loss("hinge"), np.full(2, 0.5)
    >>> group = (y > 0).astype(int)
    >>> problem = QuadraticMeanProblem(X, y, np.ones(3), group, loss, share)
    >>> float(problem.value(problem.start()))  # both classes have loss one
    1.0
    """

    X: object
    y: np.ndarray
    weight: np.ndarray
    group: np.ndarray
    loss: object
    share: np.ndarray
    p: float = 2.0
    alpha: float = 0.5
    fit_intercept: bool = True
    regularize_intercept: bool = True
    outputs: int | None = None

    def __post_init__(self):
        totals = np.bincount(self.group, self.weight)
        self.a = self.weight / totals[self.group]
        self.n, self.d = self.X.shape
        self.sparse = sparse.issparse(self.X)
        self.Xt = self.X.T
        self.penalty = np.full(self.d + 1, self.alpha)
        self.penalty[-1] = self.alpha if self.regularize_intercept else 0.0
        if self.outputs is not None:
            self.penalty = self.penalty[:, None]

    @property
    def exact(self):
        """No smoothing: the problem as stated."""
        return Smoothing(0.0, self.p)

    @property
    def smooth(self):
        """Whether J is differentiable for the purposes of the solvers."""
        return self.loss.smooth and np.isfinite(self.p)

    @property
    def scale(self):
        """Scale of the scores: one for margins, the standard deviation of y for residuals."""
        if self.y.dtype.kind == "f" and not np.isin(self.y, (-1.0, 1.0)).all():
            return float(np.std(self.y)) or 1.0
        return 1.0

    def start(self):
        """Starting point: all parameters zero."""
        return np.zeros(self.d + 1 if self.outputs is None else (self.d + 1, self.outputs))

    def small(self):
        """The same problem on a subset of the rows, for a warm start; None if n is small."""
        rows, _ = self._thinned(np.arange(self.n))
        if len(rows) > self.n // 4:
            return None
        rows = np.sort(rows)
        part = {name: getattr(self, name)[rows] for name in ("X", "y", "weight", "group")}
        return replace(self, **part)

    def scores(self, W):
        """F = X w + b."""
        return self.X @ W[:-1] + W[-1]

    def pull(self, B):
        """Sum of B_i times (x_i, 1), the transpose of `scores`."""
        out = np.empty((self.d + 1, *B.shape[1:]))
        # B' X is twice as fast as X' B if B has two columns stored one after the other
        out[:-1] = self.Xt @ B if self.sparse or B.ndim == 1 else (B.T @ self.X).T
        out[-1] = B.sum(axis=0) if self.fit_intercept else 0.0
        return out

    def ridge(self, W):
        """Value of the penalty."""
        return float((self.penalty * W * W).sum())

    def group_losses(self, values):
        """Weighted mean loss m_g of each group."""
        return np.bincount(self.group, self.a * values, minlength=len(self.share))

    def group_weights(self, m, smoothing):
        """Weights of the groups inside the dual ball of the mean, at the group losses m."""
        u = mean_weights(m, self.share, smoothing.p)
        return u / u.sum() if np.isinf(self.p) else u

    def parts(self, f, smoothing):
        """Value, slope and curvature of the loss of each example at its score."""
        return self.loss.parts(f, self.y, smoothing.h)

    def value(self, W, f=None, smoothing=None, parts=None):
        """J(W); pass f = scores(W) or parts(f) if already computed."""
        smoothing = smoothing or self.exact
        if parts is None:
            parts = self.parts(self.scores(W) if f is None else f, smoothing)
        m = self.group_losses(parts[0])
        return self.ridge(W) + power_mean(m, self.share, smoothing.p)

    def risk(self, W, f=None, smoothing=None):
        """Mean over groups without the penalty, and its (sub)gradient."""
        return self.risk_and_weights(W, f, smoothing)[:2]

    def risk_and_weights(self, W, f=None, smoothing=None):
        """Mean over groups without the penalty, its (sub)gradient, and the group weights."""
        smoothing = smoothing or self.exact
        f = self.scores(W) if f is None else f
        values, slope, _ = self.loss.parts(f, self.y, smoothing.h)
        m = self.group_losses(values)
        u = mean_weights(m, self.share, smoothing.p)
        return power_mean(m, self.share, smoothing.p), self.risk_slope(u, slope), u

    def risk_slope(self, u, slope):
        """Gradient of the mean with group weights u, from the slopes of the losses."""
        return self.pull(self._weighted(u, slope))

    def value_and_gradient(self, W, f=None, smoothing=None):
        """J and its gradient at W."""
        risk, gradient = self.risk(W, f, smoothing)
        return self.ridge(W) + risk, gradient + 2.0 * self.penalty * W

    def gradient_and_hessian(self, W, parts, smoothing):
        """Gradient and full Hessian of J at W with the given parts, both for raveled W."""
        values, slope, curvature = parts
        m = self.group_losses(values)
        u = mean_weights(m, self.share, smoothing.p)
        G = self._group_gradients(slope)
        gradient = u @ G + (2.0 * self.penalty * W).ravel()
        # chain rule of M_p(m(w)): curvature of the losses, plus that of the mean
        H = self._curvature(W, u, curvature)
        H += G.T @ mean_curvature(m, self.share, smoothing.p) @ G
        last = np.arange(H.shape[0] - (self.outputs or 1), H.shape[0])
        width = max(smoothing.h, self.loss.kink)
        if self.fit_intercept and not self.regularize_intercept and width > 0:
            # a free intercept has no curvature between kinks: limit its step to ten widths
            H[last, last] += np.abs(gradient[last]) / (10.0 * width)
        return gradient, H

    def weighted_parts(self, W, u, h):
        """For fixed group weights u: group losses, their gradients, and the Hessian of the sum."""
        values, slope, curvature = self.loss.parts(self.scores(W), self.y, h)
        return (
            self.group_losses(values),
            self._group_gradients(slope),
            self._curvature(W, u, curvature),
        )

    def curvature_diagonal(self, W, smoothing):
        """Diagonal of the Hessian of J without the curvature of the mean; one output only."""
        values, _, curvature = self.parts(self.scores(W), smoothing)
        u = mean_weights(self.group_losses(values), self.share, smoothing.p)
        c = self._weighted(u, curvature)
        if self.sparse:
            squares = self.X.copy()
            squares.data **= 2
            diagonal = squares.T @ c
        else:
            diagonal = np.einsum("ij,ij,i->j", self.X, self.X, c)
        return np.append(diagonal, c.sum()) + 2.0 * self.penalty

    def _curvature(self, W, u, curvature):
        H = self._curvature_product(self._weighted(u, curvature))
        H[np.diag_indices_from(H)] += np.broadcast_to(2.0 * self.penalty, W.shape).ravel()
        if not self.fit_intercept:
            last = np.arange(H.shape[0] - (self.outputs or 1), H.shape[0])
            H[last, last] += 1.0  # keeps the unused intercept at zero and H invertible
        return H

    def lower_bound(self, slope, W, u, s=None):
        """Lower bound on J from group weights u and slopes; s = risk_slope(u, slope) if known.

        With several outputs and a free intercept, the bound holds for intercepts up to ten times
        (one plus) those of W; otherwise it holds for all parameters.
        """
        free = self.fit_intercept and not self.regularize_intercept
        # an unpenalized intercept makes the quadratic unbounded unless the slopes sum to zero
        if free and self.outputs is None:
            slope = self._balanced(u, slope)
        s = self.risk_slope(u, slope) if s is None or free else s
        bound = self._weighted(u, self.loss.offset(slope, self.y)).sum()
        bound -= (s[:-1] ** 2).sum() / (4.0 * self.alpha)
        if free and self.outputs is not None:
            bound -= 10.0 * ((1.0 + np.abs(W[-1])) * np.abs(s[-1])).sum()
        elif not free:
            bound -= (s[-1] ** 2).sum() / (4.0 * self.alpha)
        return float(bound)

    def _weighted(self, u, rows):
        """Rows multiplied by u_g a_i."""
        factor = u[self.group] * self.a
        return rows * factor.reshape(-1, *(1,) * (rows.ndim - 1))

    def _balanced(self, u, slope):
        """Slopes shrunk on the heavier side so that their weighted sum is zero."""
        pull = self._weighted(u, slope)
        up, down = pull[pull > 0].sum(), -pull[pull < 0].sum()
        if min(up, down) <= 0.0:
            return np.zeros_like(slope)
        return np.where(
            pull > 0,
            slope * min(1.0, down / up),
            np.where(pull < 0, slope * min(1.0, up / down), 0),
        )

    def _group_gradients(self, slope):
        """Gradient of each group's loss, one per row, in one pass over X."""
        k, q = len(self.share), self.outputs or 1
        spread = np.zeros((k, self.n, q) if q == 1 else (self.n, k, q))
        spread = spread.transpose(1, 0, 2) if q == 1 else spread
        spread[np.arange(self.n), self.group] = self._weighted(np.ones(k), slope).reshape(-1, q)
        G = self.pull(spread.reshape(self.n, k * q)).reshape(self.d + 1, k, q)
        return G.transpose(1, 0, 2).reshape(k, -1)

    def _curvature_product(self, C):
        """Sum of C_i times the outer product of (x_i, 1), in blocks of rows."""
        q = self.outputs or 1
        C = C.reshape(self.n, q, q)
        rows, scale = self._curved_rows(C)
        H = np.zeros((self.d + 1, q, self.d + 1, q))
        for first in range(0, len(rows), _BLOCK):
            part = rows[first : first + _BLOCK]
            X, C_part = self.with_ones(part), C[part] * scale[first : first + _BLOCK, None, None]
            for j in range(q):  # C is symmetric: the lower triangle of blocks is enough
                for l in range(j + 1):
                    product = X.T @ (X * C_part[:, j, l][:, None])
                    H[:, j, :, l] += product
                    if l < j:
                        H[:, l, :, j] += product
        return H.reshape((self.d + 1) * q, (self.d + 1) * q)

    def _curved_rows(self, C):
        """Rows with curvature, thinned in large groups, and the factor of each.

        Newton steps need the Hessian to a few per cent only; the gradient stays exact, and so do
        the minimum and its certificate.
        """
        curved = np.flatnonzero(C.any(axis=(1, 2)) if C.shape[1] > 1 else C[:, 0, 0])
        return self._thinned(curved)

    def _thinned(self, candidates):
        """Evenly spaced candidates of each group, and the number of rows each represents."""
        limit = max(_CURVED_ROWS, 20 * self.d)
        if len(candidates) <= limit:
            return candidates, np.ones(len(candidates))
        rows, scale = [], []
        for g in range(len(self.share)):
            own = candidates[self.group[candidates] == g]
            rows.append(own[:: max(1, len(own) // limit)])
            scale.append(np.full(len(rows[-1]), len(own) / max(1, len(rows[-1]))))
        return np.concatenate(rows), np.concatenate(scale)

    def with_ones(self, rows):
        """Dense rows of X with the column of the intercept."""
        X = self.X[rows]
        ones = np.full((len(rows), 1), 1.0 if self.fit_intercept else 0.0)
        return np.hstack([X.toarray() if self.sparse else X, ones])
