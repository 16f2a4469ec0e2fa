"""The linear SVM with a free bias by a primal-dual interior point method."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import row_norms

from stakes.svm._certificate import certify_linear, far_center

CHUNK = 1024  # rows of the weighted copy that is held at a time, in the processor's cache


def solve_linear(X, y, weight, margin, *, tol=1e-6, max_iter=100, progress=None):
    r"""Solve a linear SVM with a penalty and a margin per example.

    .. math:: \min_{w,b}\ \tfrac12\|w\|^2 + \sum_i u_i\,[p_i - y_i(w^\top x_i + b)]_+

    Mehrotra's predictor-corrector on the box-constrained dual in :math:`\beta_i = y_i\alpha_i`.
    With :math:`\Theta` the diagonal of the box's barrier, each iteration factors

    .. math:: \begin{pmatrix} I + X^\top\Theta X & X^\top\Theta 1 \\
              1^\top\Theta X & 1^\top\Theta 1\end{pmatrix} ,

    at a cost of :math:`O(n d^2 + d^3)`; the number of iterations hardly grows with n.

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
    max_iter : int, default=100
        Maximum number of iterations; stopping there warns `ConvergenceWarning`.
    progress : callable, default=None
        Called with the number of iterations and the gap.

    Returns
    -------
    LinearSolution

    Examples
    --------
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    >>> found = solve_linear(X, y, weight=np.full(2, 9.0), margin=np.array([0.5, 1.0]))
    >>> found.w.round(4), round(found.b, 4)
    (array([0.75]), 0.25)
    """
    center = far_center(X)
    if center is not None:
        X = X - center  # the bias makes up for it, and nothing cancels in the sums
    lower, upper = np.minimum(y * weight, 0.0), np.maximum(y * weight, 0.0)
    target, lengths = y * margin, row_norms(X)
    state = _start(X, y, lower, upper)
    best = None
    for iteration in range(max_iter):
        scores = X @ state.w
        found = dict(w=state.w, b=state.b, scores=scores)
        solution = certify_linear(X, lengths, y, weight, margin, state.beta, iteration, **found)
        if best is None or solution.gap < best.gap:
            best = solution
        if progress is not None:
            progress(iteration, "iterations", "relative gap", best.gap, tol)
        if solution.gap <= tol or not _step(X, scores, target, lower, upper, state):
            break
    if center is not None:
        moved = float(best.w @ center)
        rounding = 4 * np.finfo(np.float64).eps * (len(center) + 1) * abs(moved) * weight.sum()
        best = replace(best, b=best.b - moved, rounding=best.rounding + rounding)
    if best.gap > tol:
        warnings.warn(
            f"The interior point stopped after {best.n_iter} iterations with a relative duality "
            f"gap of {best.gap:.2g}, above tol={tol:g}; scale the features or lower C.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return best


@dataclass
class _State:
    beta: np.ndarray
    w: np.ndarray
    b: float
    z_low: np.ndarray
    z_up: np.ndarray


def _start(X, y, lower, upper):
    """Multipliers inside the box whose sum is zero, and slack multipliers of one."""
    room = upper - lower
    total = min(room[y > 0].sum(), room[y < 0].sum())
    share = 0.5 * total / np.where(y > 0, room[y > 0].sum(), room[y < 0].sum())
    beta = y * share * room
    n = len(y)
    return _State(beta, np.zeros(X.shape[1]), 0.0, np.ones(n), np.ones(n))


def _step(X, scores, target, lower, upper, state):
    """One predictor-corrector step in place; False if no further progress is possible.

    `scores` are X w, `low` and `up` the distances of beta to its bounds, z_low and z_up their
    multipliers; the r_ are residuals of the optimality conditions, mu is the mean complementarity.
    """
    low, up = state.beta - lower, upper - state.beta
    r_d = scores + state.b - target - state.z_low + state.z_up
    r_w = state.w - X.T @ state.beta
    r_b = state.beta.sum()
    mu = (low @ state.z_low + up @ state.z_up) / (2 * len(low))
    theta = 1.0 / (state.z_low / low + state.z_up / up)
    factor = _factor(X, theta)
    if factor is None:
        return False

    def direction(c_low, c_up):
        """Newton step to the complementarities low z_low = c_low + ..., up z_up = c_up + ..."""
        q = -r_d + c_low / low - c_up / up
        right = np.append(X.T @ (theta * q) - r_w, theta @ q + r_b)
        move = factor(right)
        d_w, d_b = move[:-1], move[-1]
        d_beta = theta * (q - X @ d_w - d_b)
        d_low = (c_low - state.z_low * d_beta) / low
        d_up = (c_up + state.z_up * d_beta) / up
        return d_beta, d_w, d_b, d_low, d_up

    # predictor: straight to complementarity zero, which shows how far mu can fall
    affine = direction(-low * state.z_low, -up * state.z_up)
    length_b, length_z = _lengths(low, up, state, affine)
    d_beta, _, _, d_low, d_up = affine
    ahead = (low + length_b * d_beta) @ (state.z_low + length_z * d_low)
    ahead += (up - length_b * d_beta) @ (state.z_up + length_z * d_up)
    sigma = (ahead / (2 * len(low)) / mu) ** 3  # Mehrotra's centring
    # corrector: to sigma mu, with the second-order terms of the predictor
    both = direction(
        sigma * mu - low * state.z_low - d_beta * d_low,
        sigma * mu - up * state.z_up + d_beta * d_up,
    )
    length_b, length_z = _lengths(low, up, state, both)
    # one length for both sides keeps the residual that couples them falling
    length = 0.995 * min(length_b, length_z)
    if not np.isfinite(length) or length < 1e-12:
        return False
    d_beta, d_w, d_b, d_low, d_up = both
    state.beta = np.clip(state.beta + length * d_beta, lower, upper)
    state.w, state.b = state.w + length * d_w, float(state.b + length * d_b)
    state.z_low, state.z_up = state.z_low + length * d_low, state.z_up + length * d_up
    return True


def _lengths(low, up, state, move):
    """Step lengths to the boundary for beta and for the slack multipliers."""
    d_beta, _, _, d_low, d_up = move
    primal = min(_ratio(low, d_beta), _ratio(up, -d_beta))
    return primal, min(_ratio(state.z_low, d_low), _ratio(state.z_up, d_up))


def _ratio(value, change):
    """Largest step that keeps value + step * change >= 0; at most one after the factor 0.995."""
    with np.errstate(all="ignore"):  # 0 / 0 is NaN, which fmin leaves out
        steepest = -float(np.fmin.reduce(change / value))
    return min(1.0 / 0.995, 1.0 / steepest) if steepest > 0 else 1.0 / 0.995


def _factor(X, theta):
    """A solver for the bordered normal matrix, scaled to a unit diagonal; None if it fails."""
    A = _normal_matrix(X, theta)
    scale = 1.0 / np.sqrt(np.diag(A))
    try:
        chol = linalg.cho_factor(A * scale * scale[:, None], lower=True, check_finite=False)
    except linalg.LinAlgError:
        return None
    if not np.isfinite(chol[0]).all():
        return None

    def solve(right):
        return scale * linalg.cho_solve(chol, scale * right, check_finite=False)

    return solve


def _normal_matrix(X, theta):
    d = X.shape[1]
    A = np.empty((d + 1, d + 1))
    if sparse.issparse(X):
        A[:d, :d] = (X.T @ sparse.diags_array(theta) @ X).toarray()
        A[:d, d] = X.T @ theta
    else:
        A[:] = 0.0
        root = np.sqrt(theta)
        for start in range(0, len(theta), CHUNK):
            rows = slice(start, start + CHUNK)
            part = X[rows] * root[rows, None]
            A[:d, :d] += part.T @ part
            A[:d, d] += part.T @ root[rows]
    A[:d, :d] += np.eye(d)
    A[d, :d] = A[:d, d]
    A[d, d] = theta.sum()
    return A
