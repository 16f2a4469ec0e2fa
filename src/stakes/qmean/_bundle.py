r"""Bundle method of Algorithm 6: cutting planes of the risk plus the ridge."""

import numpy as np

from stakes._core.simplex import simplex_qp


def bundle(problem, W, tol, max_iter):
    r"""Minimize J by Algorithm 6, with the gap of its line 8 as certificate.

    Line 7 is solved in the dual, over the simplex of the t planes:

    .. math:: \max_{\gamma \ge 0,\ \sum\gamma = 1}\ b^\top\gamma - \|A\gamma\|^2 / 4\alpha,
              \qquad w = -A\gamma / 2\alpha .

    Returns
    -------
    (W, list of the gap after each iteration, group weights of the last lower bound)

    Notes
    -----
    Line 10 returns the last iterate, but the gap of line 8 is that of the best one, which is
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
        # a new plane only adds a row and a column to Q = A A' / 2 alpha
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
