"""How far multipliers are from optimal, whatever was rounded on the way."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning


@dataclass(frozen=True)
class DualSolution:
    r"""Solution of the dual, with its certificates.

    Attributes
    ----------
    beta : ndarray of shape (n,)
        Signed multipliers :math:`\beta_i = y_i\alpha_i`.
    intercept : float
        :math:`b`.
    margins : ndarray of shape (n,)
        :math:`(K\beta)_i + b`, recomputed in float64 at the end.
    primal, dual : float
        Values of the two objectives; the optimum lies between them, up to `rounding`.
    rounding : float
        Upper bound on the error that rounding leaves in the difference of the two.
    kkt_residual : float
        Largest violation of the optimality conditions, in units of the margin, with rounding.
    n_iter : int
        Number of pairwise steps.
    """

    beta: np.ndarray
    intercept: float
    margins: np.ndarray
    primal: float
    dual: float
    rounding: float
    kkt_residual: float
    n_iter: int

    @property
    def gap(self):
        """Upper bound on the duality gap, relative to the primal value."""
        return (self.primal - self.dual + self.rounding) / max(abs(self.primal), 1e-300)


@dataclass(frozen=True)
class LinearSolution:
    """Weights, bias and multipliers of a linear SVM, and the gap that certifies them."""

    w: np.ndarray
    b: float
    beta: np.ndarray
    primal: float
    dual: float
    rounding: float
    n_iter: int

    @property
    def gap(self):
        """Upper bound on the duality gap, relative to the primal value."""
        return (self.primal - self.dual + self.rounding) / max(abs(self.primal), 1e-300)


def certify_linear(X, lengths, y, weight, margin, beta, n_iter, w=None, b=None, scores=None):
    """Both objectives of a linear SVM: of multipliers made feasible, and of w and b.

    The multipliers of the side with the larger sum are scaled down, so that the sum is zero. A w
    of None is the one that belongs to the multipliers, a b of None the best one for w. `lengths`
    are the norms of the rows, `scores` X @ w if it is known.
    """
    up, down = beta[beta > 0].sum(), -beta[beta < 0].sum()
    least = min(up, down)
    beta = np.where(beta > 0, beta * (least / max(up, 1e-300)), beta * (least / max(down, 1e-300)))
    u = np.asarray(X.T @ beta).ravel()
    w = u if w is None else w
    target, scores = y * margin, X @ w if scores is None else scores
    b = best_bias(scores, y, weight, target) if b is None else b
    short = margin - y * (scores + b)
    slack = np.maximum(0.0, short)
    primal = 0.5 * float(w @ w) + float(weight @ slack)
    dual = float(target @ beta) - 0.5 * float(u @ u)
    # a sum of k products is wrong by at most k eps times the sum of their absolute values
    n, d = X.shape
    eps, size, length = np.finfo(np.float64).eps, np.abs(beta), np.linalg.norm(u)
    error_u = (n + 4) * eps * float(size @ lengths)
    error_scores = (d + 4) * eps * np.linalg.norm(w) * lengths + 4 * eps * abs(b)
    rest = abs(float(beta.sum()))
    rounding = (
        length * error_u
        + 0.5 * error_u**2
        + float(weight @ np.minimum(error_scores, np.maximum(0.0, short + error_scores)))
        + rest * (lengths.max(initial=0) * (length + rest * lengths.max(initial=0)) + margin.max())
        + (n + 4) * eps * (float(size @ np.abs(target)) + float(weight @ slack))
        + (d + 4) * eps * (float(w @ w) + float(u @ u))
    )
    return LinearSolution(w.copy(), b, beta, primal, dual, rounding, n_iter)


def far_center(X):
    """Mean of dense rows that are far from the origin compared with their spread, or None."""
    if sparse.issparse(X) or len(X) == 0:
        return None
    center = X.mean(axis=0)
    return center if center @ center > 100 * X.var(axis=0).sum() else None


def violation(F, beta, lower, upper):
    """M and M: the multipliers are optimal if and only if m <= M.

    m is the largest -F among the rows that may rise, M the smallest among those that may fall; at
    the optimum the bias separates the two.
    """
    m = np.max(-F, where=beta < upper, initial=-np.inf)
    M = np.min(-F, where=beta > lower, initial=np.inf)
    return m, M


def certify(gram, y, weight, margin, beta, F, steps):
    """Bias, objectives and KKT residual of multipliers, with F = K beta - y p.

    The rounding of F is bounded by the kernel, see :meth:`Gram.error`, and added to the residual
    and to the gap. Without a positive semi-definite kernel there is no lower bound, and the gap is
    NaN.
    """
    lower, upper = np.minimum(y * weight, 0.0), np.maximum(y * weight, 0.0)
    target, error = y * margin, gram.error(beta)
    m, M = violation(F, beta, lower, upper)
    b = _bias(F, beta, lower, upper, m, M, y, weight, margin)
    margins = F + target + b
    quadratic = 0.5 * float(beta @ (F + target))
    short = margin - y * margins
    slack = np.maximum(0.0, short)
    residual = float(max(m - M, 0.0)) if np.isfinite(m - M) else 0.0
    # the sum of the multipliers is zero up to rounding: what moving the rest to one would change
    rest = abs(float(beta.sum()))
    size = np.abs(beta)
    eps = np.finfo(np.float64).eps * (len(y) + 4)
    quadratic_error = 0.5 * float(size @ error)
    rounding = (
        2 * quadratic_error
        + float(weight @ np.minimum(error, np.maximum(0.0, short + error)))
        + rest * (float(np.abs(F).max()) + float(error.max()) + rest * gram.largest)
        + eps * (float(size @ np.abs(target)) + float(weight @ slack) + 2 * abs(quadratic))
    )
    if not gram.is_convex:
        rounding = np.nan
    return DualSolution(
        beta=beta.copy(),
        intercept=b,
        margins=margins,
        primal=quadratic + float(weight @ slack),
        dual=float(target @ beta) - quadratic,
        rounding=rounding,
        kkt_residual=residual + 2 * float(error.max()),
        n_iter=steps,
    )


def best_bias(scores, y, weight, target):
    """The b with the least total slack: a weighted quantile, where the slope crosses zero.

    If the slack is the same on an interval, its middle.
    """
    at = target - scores  # where the slack of each example begins or ends
    order = np.argsort(at, kind="stable")
    total = np.cumsum(weight[order])
    slope = total - weight[y > 0].sum()
    flat = 1e-12 * total[-1]
    k = min(np.searchsorted(slope, -flat), len(order) - 1)
    last = k + 1 if slope[k] <= flat and k + 1 < len(order) else k
    return float((at[order[k]] + at[order[last]]) / 2)


def warn_if_far(found, tol, close, stacklevel):
    """Warn `ConvergenceWarning` if the residual is above 2 tol or the gap too large to trust."""
    if found.kkt_residual > 2 * tol:
        reason = f"a KKT residual of {found.kkt_residual:.2g}, above tol={tol:g}"
    elif np.isnan(found.gap):
        reason = "no bound on the objective: the kernel is not known to be positive semi-definite"
    elif found.gap > close:
        reason = f"a relative duality gap of {found.gap:.2g}, above {close:g}"
    else:
        return
    warnings.warn(
        f"The SVM dual stopped after {found.n_iter} steps with {reason}; scale the features, lower "
        "C or raise max_iter.",
        ConvergenceWarning,
        stacklevel=stacklevel + 1,
    )


def _bias(F, beta, lower, upper, m, M, y, weight, margin):
    """The mean over the rows on the margin, unless another bias has a clearly lower objective."""
    free = (beta > lower) & (beta < upper)  # on the margin: y_i p_i = (K beta)_i + b
    if free.any():
        usual = float(-F[free].mean())
    else:
        usual = float((m + M) / 2) if np.isfinite(m + M) else float(m if np.isfinite(m) else M)
    scores = F + y * margin
    least = best_bias(scores, y, weight, y * margin)

    def objective(b):
        slack = weight @ np.maximum(0.0, margin - y * (scores + b))
        return 0.5 * float(beta @ scores) + slack

    return least if objective(least) < 0.999 * objective(usual) else usual
