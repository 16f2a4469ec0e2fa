"""Quadratic-mean learning, literally: Eqs. 5.3 and 5.7 for cvxpy, and by loops."""

import warnings

import cvxpy as cp
import numpy as np
from scipy.special import expit

TIGHT = dict(solver="CLARABEL", tol_gap_abs=1e-13, tol_gap_rel=1e-13, tol_feas=1e-13)


def loss_expression(name, f, y, constraints, width=0.01, epsilon=0.01, quantile=0.5):
    """One of Table 5.1's six losses; the Huber loss as an infimal convolution."""
    if name == "logistic":
        return cp.logistic(-cp.multiply(y, f))
    if name == "hinge":
        return cp.pos(1 - cp.multiply(y, f))
    if name == "huber":
        v, r = cp.Variable(len(y), nonneg=True), cp.Variable(len(y), nonneg=True)
        constraints.append(1 - cp.multiply(y, f) + width - v <= r)
        return cp.square(v) / (4 * width) + r
    if name == "squared":
        return cp.square(f - y) / 2
    if name == "epsilon_insensitive":
        return cp.pos(cp.abs(f - y) - epsilon)
    return cp.maximum(quantile * (y - f), (1 - quantile) * (f - y))


def several_class_losses(name, F, y, width=0.01):
    """Softmax loss, or the margin losses against each rival, as a list of expressions."""
    k = F.shape[1]
    if name == "logistic":
        return [cp.log_sum_exp(F[i]) - F[i, y[i]] for i in range(len(y))]
    return [
        sum(cp.pos(1 - F[i, y[i]] + F[i, j]) for j in range(k) if j != y[i]) for i in range(len(y))
    ]


def minimum(X, y, groups, weight, name, alpha, p=2.0, free_intercept=False, **loss):
    """Value, weights and intercept of the least J, by a conic solver."""
    w, b, constraints = cp.Variable(X.shape[1]), cp.Variable(), []
    values = loss_expression(name, X @ w + b, y, constraints, **loss)
    penalty = alpha * (cp.sum_squares(w) + (0 if free_intercept else cp.square(b)))
    value = _solve(values, groups, weight, penalty, p, constraints)
    return value, w.value, b.value


def several_class_minimum(X, y, weight, name, alpha, p=2.0, free_intercept=False):
    """The same with one score for each class."""
    k = y.max() + 1
    W, b = cp.Variable((X.shape[1], k)), cp.Variable(k)
    values = cp.hstack(several_class_losses(name, X @ W + cp.reshape(b, (1, k), order="C"), y))
    penalty = alpha * (cp.sum_squares(W) + (0 if free_intercept else cp.sum_squares(b)))
    value = _solve(values, y, weight, penalty, p, [])
    return value, W.value.T, b.value


def _solve(values, groups, weight, penalty, p, constraints):
    k = groups.max() + 1
    m = cp.Variable(k)
    for g in range(k):
        rows = np.flatnonzero(groups == g)
        share = weight[rows] / weight[rows].sum()
        constraints.append(m[g] >= cp.sum(cp.multiply(share, values[rows])))
    mean = cp.max(m) if np.isinf(p) else k ** (-1 / p) * cp.norm(m, p)
    task = cp.Problem(cp.Minimize(penalty + mean), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "may be inaccurate": asked for more than it can give
        task.solve(**TIGHT)
    return task.value


def logistic_objective(w, b, X, y, alpha):
    """Eq. 5.6 for labels -1 and +1, by loops over the examples."""
    losses = {1: [], -1: []}
    for x, label in zip(X, y, strict=True):
        losses[int(label)].append(np.log1p(np.exp(-label * (x @ w + b))))
    squares = [np.mean(of_class) ** 2 for of_class in losses.values()]
    return alpha * (w @ w + b * b) + np.sqrt(sum(squares) / 2)


def logistic_parts(f, y):
    """Value, slope and curvature of the logistic loss by special functions."""
    return np.logaddexp(0.0, -y * f), -y * expit(-y * f), expit(f) * expit(-f)
