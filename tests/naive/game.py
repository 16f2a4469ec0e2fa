"""The players' problems as they are written, solved by general means."""

import itertools

import cvxpy as cp
import numpy as np


def shifted_logistic(f, v, u):
    """The loss of scores that drop by u, and its derivatives by central differences."""

    def value(at):
        return float(v @ np.logaddexp(0.0, at - f))

    h = 1e-4
    slope = (value(u + h) - value(u - h)) / (2 * h)
    curvature = (value(u + h) - 2 * value(u) + value(u - h)) / h**2
    return value(u), slope, curvature


def payoff(shift, w, b, X, loss, price, v):
    """What a move is worth to the adversary; a feature without a finite price must stay."""
    f = np.asarray(X @ w + b + shift @ w).ravel()
    losses = np.logaddexp(0.0, -f) if loss == "logistic" else np.maximum(0.0, 1.0 - f)
    finite = np.isfinite(price)
    return v @ losses - price[finite] @ shift[finite] ** 2


def payoff_gradient(shift, w, b, X, loss, price, v):
    """Its slope in the move."""
    f = np.asarray(X @ w + b + shift @ w).ravel()
    slope = -1.0 / (1.0 + np.exp(f)) if loss == "logistic" else -(f < 1.0).astype(float)
    finite = np.isfinite(price)
    gradient = (v @ slope) * w
    return np.where(finite, gradient - 2.0 * np.where(finite, price, 0.0) * shift, 0.0)


def learner(X, y, loss, alpha):
    """min alpha (|w|^2 + b^2) + mean loss by a conic solver: value, w, b."""
    w, b = cp.Variable(X.shape[1]), cp.Variable()
    margin = cp.multiply(y, X @ w + b)
    losses = cp.logistic(-margin) if loss == "logistic" else cp.pos(1 - margin)
    objective = alpha * (cp.sum_squares(w) + cp.square(b)) + cp.sum(losses) / len(y)
    problem = cp.Problem(cp.Minimize(objective))
    # 1e-8, the default, is more than the logistic cones give in double precision
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-7, tol_gap_rel=1e-7, tol_feas=1e-7)
    return problem.value, w.value, float(b.value)


def cheapest_past(caught, x, choices, price, limit):
    """Cheapest of all combinations of values that is not caught, by enumeration.

    `choices` has, for each movable column, the values to try; `price` takes the moved row.
    Returns (price, row), (inf, None) if nothing below the limit gets past.
    """
    columns = list(choices)
    rows = np.array(list(itertools.product(*choices.values())), dtype=float).reshape(
        -1, len(columns)
    )
    moved = np.tile(x, (len(rows), 1))
    moved[:, columns] = rows
    paid = np.array([price(row) for row in moved])
    open_ = np.flatnonzero(paid < limit)
    open_ = open_[~caught(moved[open_])]
    if not len(open_):
        return np.inf, None
    best = open_[np.argmin(paid[open_])]
    return paid[best], moved[best]


def values_at_thresholds(trees, column, x):
    """The value of a column, and single-precision numbers next to every threshold on it."""
    found = {float(x)}
    for tree in trees:
        for threshold in tree.threshold[(tree.feature == column) & (tree.children_left >= 0)]:
            below = np.float32(threshold)
            if below > threshold:
                below = np.nextafter(below, np.float32(-np.inf))
            found |= {float(below), float(np.nextafter(below, np.float32(np.inf)))}
    return sorted(found)
