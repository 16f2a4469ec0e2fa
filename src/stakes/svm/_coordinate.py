"""The linear SVM with a free bias by dual coordinate descent, for very many features."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms

from stakes.svm._coordinate_jit import descend
from stakes.svm._interior import LinearSolution

CHECK_EVERY = 5  # passes between two looks at the gap
PRICE = 0.05  # of the sum of all multipliers, c, times the mean squared norm


def solve_coordinate(X, y, weight, margin, *, tol=1e-6, max_iter=1000, random_state=None):
    r"""Solve a linear SVM with a penalty and a margin per example, O(nonzeros) a pass.

    .. math:: \min_{w,b}\ \tfrac12\|w\|^2 + \sum_i u_i\,[p_i - y_i(w^\top x_i + b)]_+

    One multiplier :math:`\beta_i = y_i\alpha_i` after the other takes its best value. The bias is
    free, which couples the multipliers by :math:`\sum_i\beta_i = 0`; no single one could move
    then, so the sum is priced instead, by the method of multipliers:

    .. math:: \min_\beta\ \tfrac12\|X^\top\beta\|^2 - \sum_i y_i p_i\beta_i
              + b_k\sum_i\beta_i + \tfrac{c}{2}\Bigl(\sum_i\beta_i\Bigr)^2 ,\quad
              0 \le y_i\beta_i \le u_i ,

    with :math:`b_{k+1} = b_k + c\sum_i\beta_i`, and in X the mean row is taken off, which only
    moves b and spares the descent a direction that all rows share. The limit has the sum zero:
    this is the exact problem and not the one with a penalty on b that LIBLINEAR solves.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        The examples.
    y : ndarray of shape (n,)
        Signs.
    weight, margin : ndarray of shape (n,)
        :math:`u_i > 0` and :math:`p_i`.
    tol : float, default=1e-6
        Relative duality gap at which to stop.
    max_iter : int, default=1000
        Passes after which it gives up with a warning.
    random_state : int, RandomState instance or None, default=None
        For the order of the rows.

    Returns
    -------
    LinearSolution

    Examples
    --------
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    >>> found = solve_coordinate(X, y, np.full(2, 9.0), np.array([0.5, 1.0]), random_state=0)
    >>> found.w.round(4), round(found.b, 4)
    (array([0.75]), 0.25)
    """
    rng = check_random_state(random_state)
    lower, upper = np.minimum(y * weight, 0.0), np.maximum(y * weight, 0.0)
    target, rows = y * margin, _row_arrays(X)
    mean = np.asarray(X.mean(axis=0)).ravel()
    along, mm = X @ mean, mean @ mean
    norms = np.maximum(row_norms(X, squared=True) - 2 * along + mm, 0.0)
    beta, w = np.zeros(len(y)), np.zeros(X.shape[1])
    # sum of beta, mean'w, b_k, c, mean'mean
    state = np.array([0.0, 0.0, 0.0, PRICE * max(norms.mean(), 1e-12), mm])
    everything = np.arange(len(y))
    order, bounds = everything.copy(), np.array([-np.inf, np.inf])
    best = None
    for passes in range(1, max_iter + 1):
        rng.shuffle(order)
        active, least, most = descend(
            *rows, norms, along, target, lower, upper, beta, w, state, order, bounds
        )
        order = order[:active]
        bounds[:] = min(least, 0.0) or -np.inf, max(most, 0.0) or np.inf
        if passes % CHECK_EVERY and passes < max_iter and active:
            continue
        solution = _objectives(X, y, weight, margin, beta, passes)
        if best is None or solution.gap < best.gap:
            best = solution
        if best.gap <= tol:
            break
        state[2] += state[3] * state[0]
        order = everything.copy()  # what was left out is looked at again
    if best.gap > tol:
        warnings.warn(
            f"The coordinate descent stopped after {max_iter} passes with a relative duality gap "
            f"of {best.gap:.2g}, above tol={tol:g}; scale the features, lower C or raise max_iter.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return best


def _row_arrays(X):
    if sparse.issparse(X):
        return X.data, X.indices, X.indptr
    n, d = X.shape
    return X.ravel(), np.empty(0, dtype=np.int32), np.arange(n + 1, dtype=np.int64) * d


def _objectives(X, y, weight, margin, beta, passes):
    """Both objectives: of the multipliers made feasible, and of their w with its best bias."""
    up, down = beta[beta > 0].sum(), -beta[beta < 0].sum()
    least = min(up, down)
    beta = np.where(beta > 0, beta * (least / max(up, 1e-300)), beta * (least / max(down, 1e-300)))
    w = np.asarray(X.T @ beta).ravel()
    scores, target = X @ w, y * margin
    b = _best_bias(scores, y, weight, target)
    half = 0.5 * float(w @ w)
    primal = half + float(weight @ np.maximum(0.0, margin - y * (scores + b)))
    return LinearSolution(w, b, beta, primal, float(target @ beta) - half, passes)


def _best_bias(scores, y, weight, target):
    """The b with the least total slack, which has a slope of zero: a weighted quantile."""
    at = target - scores  # where the slack of each example begins or ends
    order = np.argsort(at, kind="stable")
    slope = np.cumsum(weight[order]) - weight[y > 0].sum()
    return float(at[order[min(np.searchsorted(slope, 0.0), len(order) - 1)]])
