r"""The one problem behind all quadratic-mean learners, with the lower bound that certifies it.

.. math:: J(w) = \alpha \|w\|^2 + M_p(m_1(w), \dots, m_k(w)), \qquad
          m_g(w) = \sum_{i \in g} a_i\, l(f_i, y_i), \quad \sum_{i \in g} a_i = 1

The mean is a maximum over weights u of its dual ball, and each loss is a maximum over lines of
slope b_i; fixing both leaves a quadratic whose minimum bounds J from below:

.. math:: J(w) \ge \sum_g u_g \sum_{i \in g} a_i\, o(b_i, y_i)
          - \frac{1}{4\alpha} \Big\| \sum_g u_g \sum_{i \in g} a_i b_i x_i \Big\|^2 .
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from stakes.qmean._mean import mean_curvature, mean_weights, power_mean

_BLOCK = 4096
_CURVED_ROWS = 20_000  # of each group, in the matrix of second derivatives


@dataclass(frozen=True)
class Smoothing:
    """How far the kinks are rounded: width of each loss's kink, and the power of the mean."""

    h: float
    p: float


@dataclass(eq=False)
class Problem:
    """Data, groups and loss; parameters are an array W of shape (d + 1,) or (d + 1, k).

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        The examples, without a column of ones.
    y : ndarray of shape (n,)
        Signs, numbers or class indices, as the loss reads them.
    weight : ndarray of shape (n,)
        Positive weights; only their shares within a group matter.
    group : ndarray of int of shape (n,)
        The group of each example, all of 0 .. k-1 present.
    loss : object with `parts`, `offset` and `smooth`
        See `_losses`.
    share : ndarray of shape (k,)
        What each group counts in the mean; sums to one.
    p : float
        The power of the mean, from one to infinity.
    alpha : float
        The ridge penalty, the thesis's lambda.
    fit_intercept, regularize_intercept : bool
        Whether there is an intercept, and whether the penalty holds for it.
    outputs : int or None
        Number of scores per example; None: one, and arrays are flat.
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
        self.Xt = self.X.T.tocsr() if self.sparse else self.X.T
        self.penalty = np.full(self.d + 1, self.alpha)
        self.penalty[-1] = self.alpha if self.regularize_intercept else 0.0
        if self.outputs is not None:
            self.penalty = self.penalty[:, None]

    @property
    def exact(self):
        """No rounding at all: the problem as stated."""
        return Smoothing(0.0, self.p)

    @property
    def smooth(self):
        """Whether J has a gradient everywhere that matters."""
        return self.loss.smooth and np.isfinite(self.p)

    @property
    def scale(self):
        """The size of a typical kink distance: one for margins, the spread of y for residuals."""
        if self.y.dtype.kind == "f" and not np.isin(self.y, (-1.0, 1.0)).all():
            return float(np.std(self.y)) or 1.0
        return 1.0

    def start(self):
        """All parameters zero."""
        return np.zeros(self.d + 1 if self.outputs is None else (self.d + 1, self.outputs))

    def small(self):
        """The same problem on a part of the rows, to start from; None if there are few anyway."""
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
        """Sum of B_i times (x_i, 1): the transpose of `scores`."""
        out = np.empty((self.d + 1, *B.shape[1:]))
        out[:-1] = self.Xt @ B
        out[-1] = B.sum(axis=0) if self.fit_intercept else 0.0
        return out

    def ridge(self, W):
        """The penalty's value."""
        return float((self.penalty * W * W).sum())

    def group_losses(self, values):
        """m_g: the weighted mean loss of each group."""
        return np.bincount(self.group, self.a * values, minlength=len(self.share))

    def group_weights(self, m, smoothing):
        """Weights of the groups inside the dual ball of the mean, at the group losses m."""
        u = mean_weights(m, self.share, smoothing.p)
        return u / u.sum() if np.isinf(self.p) else u

    def value(self, W, f=None, smoothing=None):
        """J(W), at the scores f = scores(W) if they are known already."""
        smoothing = smoothing or self.exact
        f = self.scores(W) if f is None else f
        m = self.group_losses(self.loss.parts(f, self.y, smoothing.h)[0])
        return self.ridge(W) + power_mean(m, self.share, smoothing.p)

    def risk(self, W, f=None, smoothing=None):
        """The mean over groups without the penalty, and its (sub)gradient."""
        return self.risk_and_weights(W, f, smoothing)[:2]

    def risk_and_weights(self, W, f=None, smoothing=None):
        """The mean over groups without the penalty, its (sub)gradient, and the group weights."""
        smoothing = smoothing or self.exact
        f = self.scores(W) if f is None else f
        values, slope, _ = self.loss.parts(f, self.y, smoothing.h)
        m = self.group_losses(values)
        u = mean_weights(m, self.share, smoothing.p)
        return power_mean(m, self.share, smoothing.p), self.pull(self._weighted(u, slope)), u

    def value_and_gradient(self, W, f=None, smoothing=None):
        """J and its gradient at W."""
        risk, gradient = self.risk(W, f, smoothing)
        return self.ridge(W) + risk, gradient + 2.0 * self.penalty * W

    def gradient_and_hessian(self, W, f, smoothing):
        """Gradient and the full matrix of second derivatives of J, both for raveled W."""
        values, slope, curvature = self.loss.parts(f, self.y, smoothing.h)
        m = self.group_losses(values)
        u = mean_weights(m, self.share, smoothing.p)
        G = self._group_gradients(slope)
        gradient = u @ G + (2.0 * self.penalty * W).ravel()
        H = self._curvature(W, u, curvature)
        H += G.T @ mean_curvature(m, self.share, smoothing.p) @ G
        last = np.arange(H.shape[0] - (self.outputs or 1), H.shape[0])
        width = max(smoothing.h, self.loss.kink)
        if self.fit_intercept and not self.regularize_intercept and width > 0:
            # between kinks a free intercept has no curvature: step over ten widths at most
            H[last, last] += np.abs(gradient[last]) / (10.0 * width)
        return gradient, H

    def weighted_parts(self, W, u, h):
        """For fixed group weights u: group losses, their gradients, and the matrix H of the sum."""
        values, slope, curvature = self.loss.parts(self.scores(W), self.y, h)
        return (
            self.group_losses(values),
            self._group_gradients(slope),
            self._curvature(W, u, curvature),
        )

    def _curvature(self, W, u, curvature):
        H = self._curvature_product(self._weighted(u, curvature))
        H[np.diag_indices_from(H)] += np.broadcast_to(2.0 * self.penalty, W.shape).ravel()
        if not self.fit_intercept:
            last = np.arange(H.shape[0] - (self.outputs or 1), H.shape[0])
            H[last, last] += 1.0
        return H

    def lower_bound(self, f, smoothing, W=None, u=None):
        """A number that J cannot go below, from group weights u and the slopes at the scores f.

        With several outputs and a free intercept the bound holds among intercepts of size up to
        ten times (one plus) those of W; in all other cases it holds for all parameters.
        """
        values, slope, _ = self.loss.parts(f, self.y, smoothing.h)
        u = self.group_weights(self.group_losses(values), smoothing) if u is None else u
        free = self.fit_intercept and not self.regularize_intercept
        if free and self.outputs is None:
            slope = self._balanced(u, slope)
        s = self.pull(self._weighted(u, slope))
        bound = self._weighted(u, self.loss.offset(slope, self.y)).sum()
        bound -= (s[:-1] ** 2).sum() / (4.0 * self.alpha)
        if free and self.outputs is not None:
            bound -= 10.0 * ((1.0 + np.abs(W[-1])) * np.abs(s[-1])).sum()
        elif not free:
            bound -= (s[-1] ** 2).sum() / (4.0 * self.alpha)
        return float(bound)

    def _weighted(self, u, rows):
        """Each row times u_g a_i."""
        factor = u[self.group] * self.a
        return rows * factor.reshape(-1, *(1,) * (rows.ndim - 1))

    def _balanced(self, u, slope):
        """Slopes shrunk on the heavier side so that they sum to zero, as a free intercept asks."""
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
        """The gradient of each group's loss, one row each, in one pass over X."""
        k, q = len(self.share), self.outputs or 1
        spread = np.zeros((self.n, k, q))
        spread[np.arange(self.n), self.group] = self._weighted(np.ones(k), slope).reshape(-1, q)
        G = self.pull(spread.reshape(self.n, k * q)).reshape(self.d + 1, k, q)
        return G.transpose(1, 0, 2).reshape(k, -1)

    def _curvature_product(self, C):
        """Sum of C_i times the outer product of (x_i, 1), by blocks of the rows that count."""
        q = self.outputs or 1
        C = C.reshape(self.n, q, q)
        rows, scale = self._curved_rows(C)
        H = np.zeros((self.d + 1, q, self.d + 1, q))
        for first in range(0, len(rows), _BLOCK):
            part = rows[first : first + _BLOCK]
            X, C_part = self._with_ones(part), C[part] * scale[first : first + _BLOCK, None, None]
            for j in range(q):
                for l in range(j + 1):
                    product = X.T @ (X * C_part[:, j, l][:, None])
                    H[:, j, :, l] += product
                    if l < j:
                        H[:, l, :, j] += product
        return H.reshape((self.d + 1) * q, (self.d + 1) * q)

    def _curved_rows(self, C):
        """Rows with curvature; of a large group only every so many, to stand for the others.

        Newton's steps need the curvature to a few per cent only; the gradient stays exact, and so
        do the minimum and its certificate.
        """
        curved = np.flatnonzero(C.any(axis=(1, 2)) if C.shape[1] > 1 else C[:, 0, 0])
        return self._thinned(curved)

    def _thinned(self, candidates):
        """At most so many rows of each group out of the candidates, and what each stands for."""
        limit = max(_CURVED_ROWS, 20 * self.d)
        if len(candidates) <= limit:
            return candidates, np.ones(len(candidates))
        rows, scale = [], []
        for g in range(len(self.share)):
            own = candidates[self.group[candidates] == g]
            rows.append(own[:: max(1, len(own) // limit)])
            scale.append(np.full(len(rows[-1]), len(own) / max(1, len(rows[-1]))))
        return np.concatenate(rows), np.concatenate(scale)

    def _with_ones(self, rows):
        X = self.X[rows]
        ones = np.full((len(rows), 1), 1.0 if self.fit_intercept else 0.0)
        return np.hstack([X.toarray() if self.sparse else X, ones])
