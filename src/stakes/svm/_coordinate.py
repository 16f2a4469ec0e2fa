"""The linear SVM with a free bias by dual coordinate descent, for very many features."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms

from stakes.svm._certificate import certify_linear
from stakes.svm._coordinate_jit import MULTIPLIER, SUM, Box, Rows, descend

CHECK_EVERY = 5  # passes between two checks of the gap
NEAR = 0.1  # range of the projected gradients below which the gap may be small
CURVATURE = 0.05  # c of the method of multipliers, relative to the mean squared norm


def solve_coordinate(
    X, y, weight, margin, *, tol=1e-6, max_iter=1000, random_state=None, progress=None
):
    r"""Solve a linear SVM with a penalty and a margin per example, O(nonzeros) per pass.

    .. math:: \min_{w,b}\ \tfrac12\|w\|^2 + \sum_i u_i\,[p_i - y_i(w^\top x_i + b)]_+

    One multiplier :math:`\beta_i = y_i\alpha_i` after the other takes its best value. The bias is
    free, which couples the multipliers by :math:`\sum_i\beta_i = 0`; no single one could move
    then, so the sum is penalised instead, by the method of multipliers:

    .. math:: \min_\beta\ \tfrac12\|X^\top\beta\|^2 - \sum_i y_i p_i\beta_i
              + b_k\sum_i\beta_i + \tfrac{c}{2}\Bigl(\sum_i\beta_i\Bigr)^2 ,\quad
              0 \le y_i\beta_i \le u_i ,

    with :math:`b_{k+1} = b_k + c\sum_i\beta_i`. The mean row is subtracted from X, which only moves
    b and removes a direction that all rows share. In the limit the sum is zero: this is the exact
    problem, not the one with a penalty on b that LIBLINEAR solves.

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
        Maximum number of passes; stopping there warns `ConvergenceWarning`.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of the rows.
    progress : callable, default=None
        Called with the number of passes and the gap.

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
    rows, bound, lengths = _rows_of(X), y * weight, row_norms(X)
    c = CURVATURE * max(rows.norms.mean(), 1e-12)
    box = Box(y * margin, np.minimum(bound, 0.0), np.maximum(bound, 0.0), c)
    beta, w, state = np.zeros(len(y)), np.zeros(X.shape[1]), np.zeros(3)
    everything = np.arange(len(y))
    order, extremes = everything.copy(), np.array([-np.inf, np.inf])
    best = None
    for passes in range(1, max_iter + 1):
        rng.shuffle(order)
        active, least, most = descend(rows, box, beta, w, state, order, extremes)
        order = order[:active]
        extremes[:] = min(least, 0.0) or -np.inf, max(most, 0.0) or np.inf
        if passes % CHECK_EVERY and passes < max_iter and active:
            continue
        if most - least < NEAR or passes == max_iter or not active:
            solution = certify_linear(X, lengths, y, weight, margin, beta, passes)
            if progress is not None:
                progress(passes, "passes", "relative gap", solution.gap, tol)
            if best is None or solution.gap < best.gap:
                best = solution
            if best.gap <= tol:
                break
        state[MULTIPLIER] += box.c * state[SUM]
        order = everything.copy()  # rows that shrinking has dropped are checked again
    if best.gap > tol:
        warnings.warn(
            f"The coordinate descent stopped after {max_iter} passes with a relative duality gap "
            f"of {best.gap:.2g}, above tol={tol:g}; scale the features, lower C or raise max_iter.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return best


def _rows_of(X):
    if sparse.issparse(X):
        # unsigned: a signed index may be negative, and every access would check for that
        arrays = X.data, X.indices.view(f"u{X.indices.itemsize}"), X.indptr
    else:
        n, d = X.shape
        arrays = X.ravel(), np.empty(0, dtype=np.uint32), np.arange(n + 1, dtype=np.int64) * d
    mean = np.asarray(X.mean(axis=0)).ravel()
    along, mean_norm = X @ mean, mean @ mean
    norms = np.maximum(row_norms(X, squared=True) - 2 * along + mean_norm, 0.0)
    return Rows(*arrays, norms, along, mean_norm)
