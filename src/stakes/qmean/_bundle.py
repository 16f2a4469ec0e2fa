r"""The bundle method of Algorithm 6: cutting planes under the risk, a ridge beside them."""

import clarabel
import numpy as np
from scipy import sparse


def bundle(problem, W, tol, max_iter):
    r"""Minimise J as Algorithm 6 does, with the gap of its line 8 as certificate.

    Line 7 is solved in its dual, over the simplex of the t planes:

    .. math:: \max_{\gamma \ge 0,\ \sum\gamma = 1}\ b^\top\gamma - \|A\gamma\|^2 / 4\alpha,
              \qquad w = -A\gamma / 2\alpha .

    Returns
    -------
    (W, list of gaps, one per iteration, group weights of the last lower bound)

    Notes
    -----
    Line 10 returns the last iterate, but the gap of line 8 belongs to the best one; the best is
    returned here.
    """
    A = np.empty((0, W.size))
    Q, b, weights = np.empty((0, 0)), np.empty(0), []
    best_value, best_W, lower, gaps = np.inf, W, -np.inf, []
    w = W.ravel()
    for _ in range(max_iter):
        risk, slope, u = problem.risk_and_weights(w.reshape(W.shape))
        weights.append(u)
        a = slope.ravel()
        value = problem.ridge(w.reshape(W.shape)) + risk
        if value < best_value:
            best_value, best_W = value, w.reshape(W.shape)
        cross = A @ a / (2.0 * problem.alpha)
        own = np.array([[a @ a / (2.0 * problem.alpha)]])
        Q = np.block([[Q, cross[:, None]], [cross[None, :], own]])
        A, b = np.vstack([A, a]), np.append(b, risk - w @ a)
        gamma = simplex_qp(Q, b)
        w = -(gamma @ A) / (2.0 * problem.alpha)
        lower = max(lower, b @ gamma - 0.5 * gamma @ Q @ gamma)
        gaps.append(float(best_value - lower))
        if gaps[-1] <= tol * abs(best_value):
            break
    return best_W, gaps, gamma @ np.array(weights)


def simplex_qp(Q, b):
    """Minimise gamma' Q gamma / 2 - b' gamma over the simplex.

    Any gamma of the simplex gives a valid lower bound, so that the solver's last digits decide
    how tight the bound is, not whether it holds.

    Examples
    --------
    >>> simplex_qp(np.eye(2), np.array([0.5, 0.0])).round(6).tolist()
    [0.75, 0.25]
    """
    t = len(b)
    scale = max(np.abs(b).max(), Q.diagonal().max(), 1e-300)
    A = sparse.vstack([np.ones((1, t)), -sparse.eye_array(t)], format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(t)]
    found = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(Q) / scale),
        -b / scale,
        sparse.csc_matrix(A),
        np.append(1.0, np.zeros(t)),
        cones,
        settings,
    ).solve()
    gamma = np.maximum(found.x, 0.0)
    return gamma / gamma.sum()
