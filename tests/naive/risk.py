"""Tail risk by other roads: minimisation over the breakpoints, a linear programme over shapes."""

import numpy as np
from scipy import sparse
from scipy.optimize import linprog


def cvar(values, tail, weights=None):
    """Rockafellar and Uryasev's minimum, which a sample value attains."""
    values = np.asarray(values, float)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, float)
    weights = weights / weights.sum()
    return min(v + weights @ np.maximum(values - v, 0) / tail for v in values)


def var(values, tail, weights=None):
    """The least sample value that a share of at most `tail` exceeds."""
    values = np.asarray(values, float)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, float)
    weights = weights / weights.sum()
    return min(v for v in values if weights[values > v].sum() <= tail + 1e-12)


def worst_cvar(tail, shape, reach=6.0, steps=240):
    """Largest CVaR over distributions p on a grid with mean 0 and variance 1, as a programme.

    max sum q x over p and 0 <= q <= p / tail, sum q = 1 (the dual form of CVaR); a symmetric shape
    has p(x) = p(-x); a unimodal one is a symmetric mixture of flat pieces, so p falls from zero.
    """
    x = np.linspace(-reach, reach, 2 * steps + 1)
    n, middle = len(x), steps
    zero, one = sparse.csr_array((1, n)), np.ones((1, n))
    equal = [
        sparse.hstack([one, zero]),
        sparse.hstack([zero, one]),
        sparse.hstack([x[None, :], zero]),
        sparse.hstack([x[None, :] ** 2, zero]),
    ]
    right = [1.0, 1.0, 0.0, 1.0]
    eye = sparse.eye_array(n, format="csr")
    below = [sparse.hstack([-eye / tail, eye])]
    if shape in ("symmetric", "unimodal"):
        mirrored = eye[middle + 1 :] - eye[:middle][::-1]
        equal.append(sparse.hstack([mirrored, sparse.csr_array((steps, n))]))
        right += [0.0] * steps
    if shape == "unimodal":
        falls = eye[middle + 1 :] - eye[middle:-1]
        below.append(sparse.hstack([falls, sparse.csr_array((steps, n))]))
    A_ub = sparse.vstack(below)
    result = linprog(
        np.concatenate([np.zeros(n), -x]),
        A_ub=A_ub,
        b_ub=np.zeros(A_ub.shape[0]),
        A_eq=sparse.vstack(equal),
        b_eq=right,
    )
    assert result.success, result.message
    return -result.fun
