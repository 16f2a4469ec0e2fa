"""The players' problems as they are written, solved by general means."""

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
    problem.solve(solver=cp.CLARABEL)
    return problem.value, w.value, float(b.value)
