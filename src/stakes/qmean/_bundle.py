r"""The bundle method of Algorithm 6: cutting planes under the risk, a ridge beside them."""

import numpy as np


def bundle(problem, W, tol, max_iter):
    r"""Minimise J as Algorithm 6 does, with the gap of its line 8 as certificate.

    Line 7 is solved in its dual, over the simplex of the t planes:

    .. math:: \max_{\gamma \ge 0,\ \sum\gamma = 1}\ b^\top\gamma - \|A\gamma\|^2 / 4\alpha,
              \qquad w = -A\gamma / 2\alpha .

    Returns
    -------
    (W, list of gaps, one per iteration)

    Notes
    -----
    Line 10 returns the last iterate, but the gap of line 8 belongs to the best one; the best is
    returned here.
    """
    A = np.empty((0, W.size))
    Q, b, gamma = np.empty((0, 0)), np.empty(0), np.empty(0)
    best_value, best_W, gaps = np.inf, W, []
    w = W.ravel()
    for _ in range(max_iter):
        risk, slope = problem.risk(w.reshape(W.shape))
        a = slope.ravel()
        value = problem.ridge(w.reshape(W.shape)) + risk
        if value < best_value:
            best_value, best_W = value, w.reshape(W.shape)
        cross = A @ a / (2.0 * problem.alpha)
        own = np.array([[a @ a / (2.0 * problem.alpha)]])
        Q = np.block([[Q, cross[:, None]], [cross[None, :], own]])
        A, b = np.vstack([A, a]), np.append(b, risk - w @ a)
        start = np.append(gamma, 0.0) if len(gamma) else np.ones(1)
        gamma = simplex_qp(Q, b, start)
        w = -(gamma @ A) / (2.0 * problem.alpha)
        lower = b @ gamma - 0.5 * gamma @ Q @ gamma
        gaps.append(float(best_value - lower))
        if gaps[-1] <= tol * abs(best_value):
            break
    return best_W, gaps


def simplex_qp(Q, b, gamma, tol=1e-13):
    """Minimise gamma' Q gamma / 2 - b' gamma over the simplex, from a feasible gamma.

    An active-set method: on the planes in use the equality-constrained problem is solved; a
    plane whose share turns negative leaves, and the plane that promises most enters.

    Examples
    --------
    >>> simplex_qp(np.eye(2), np.array([0.5, 0.0]), np.array([1.0, 0.0])).round(6).tolist()
    [0.75, 0.25]
    """
    active = gamma > 0
    scale = max(1.0, np.abs(Q).max(), np.abs(b).max())
    for _ in range(50 * len(b)):
        target = _on_face(Q, b, active)
        step = _longest_step(gamma, target)
        gamma = gamma + step * (target - gamma)
        if step < 1.0:
            active = gamma > tol
            gamma = np.where(active, gamma, 0.0)
            gamma /= gamma.sum()
            continue
        promise = b - Q @ gamma  # the larger, the better to move weight there
        level = gamma @ promise
        entering = np.where(active, -np.inf, promise).argmax()
        if active.all() or promise[entering] <= level + tol * scale:
            return gamma
        active[entering] = True
    return gamma


def _on_face(Q, b, active):
    rows = np.flatnonzero(active)
    k = len(rows)
    K = np.ones((k + 1, k + 1))
    K[:k, :k], K[k, k] = Q[np.ix_(rows, rows)], 0.0
    solution = np.linalg.lstsq(K, np.append(b[rows], 1.0), rcond=None)[0]
    out = np.zeros(len(b))
    out[rows] = solution[:k]
    return out


def _longest_step(gamma, target):
    falling = target < 0
    if not falling.any():
        return 1.0
    return float(min(1.0, (gamma[falling] / (gamma[falling] - target[falling])).min()))
