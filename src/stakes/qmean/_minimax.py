r"""High-accuracy minimax: Newton steps on the optimality conditions."""

import numpy as np

_STEPS = 20


def minimax_steps(problem, W, u, h):
    r"""Refine W and the group weights u where the largest group losses are equal.

    For the groups A of positive weight, and with losses smoothed over h, solves

    .. math:: 2\alpha w + \sum_{g \in A} u_g \nabla m_g(w) = 0, \qquad
              m_g(w) = t\ (g \in A), \qquad \sum_{g \in A} u_g = 1

    by Newton's method, as long as the steps reduce the largest violation. Smoothing the maximum
    by a power mean cannot reach this accuracy: the power would have to be so large that rounding
    leaves no correct digits.

    Parameters
    ----------
    problem : QuadraticMeanProblem
        Problem with p = infinity.
    W : ndarray
        Starting point, near the minimum.
    u : ndarray of shape (k,)
        Weights of the groups at W; those below 1e-6 count as zero.
    h : float
        Smoothing width of the losses.

    Returns
    -------
    (W, u)
    """
    active = np.flatnonzero(u > 1e-6)
    u = _spread(u[active] / u[active].sum(), active, len(u))
    best = np.inf
    found = W, u
    for _ in range(_STEPS):
        m, G, H = problem.weighted_parts(W, u, h)
        ridge = (2.0 * problem.penalty * W).ravel()
        slope = np.abs(ridge + u @ G).max()
        violation = max(slope, np.ptp(m[active]))
        if not violation < best or u.min() < 0.0:
            break
        best, found = violation, (W, u)
        step, u_active = _step(H, G[active], ridge, m[active])
        W, u = W + step.reshape(W.shape), _spread(u_active, active, len(u))
    return found


def _step(H, G, ridge, m):
    """Solve the linearised conditions for the step in w, the new weights and t."""
    d, k = H.shape[0], len(m)
    A = np.zeros((d + k + 1, d + k + 1))
    A[:d, :d] = H
    A[:d, d : d + k], A[d : d + k, :d] = G.T, G
    A[d : d + k, -1] = A[-1, d : d + k] = -1.0
    # the unknown weights enter the first block as G' u, so u is found itself, not its change
    right = np.concatenate([-ridge, -m, [-1.0]])
    found = np.linalg.lstsq(A, right, rcond=None)[0]
    return found[:d], found[d : d + k]


def _spread(values, places, k):
    out = np.zeros(k)
    out[places] = values
    return out
