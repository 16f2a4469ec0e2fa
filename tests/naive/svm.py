"""The SVM problems as the paper writes them, solved by a general conic solver."""

import cvxpy as cp
import numpy as np


def primal(K, y, weight, margin):
    """Value, K beta and b of min 1/2 |w|^2 + sum u_i [p_i - y_i f_i]_+, in a basis of K."""
    values, vectors = np.linalg.eigh(K)
    Phi = vectors * np.sqrt(np.maximum(values, 0.0))
    w, b, xi = cp.Variable(Phi.shape[1]), cp.Variable(), cp.Variable(len(y), nonneg=True)
    f = Phi @ w + b
    problem = cp.Problem(
        cp.Minimize(0.5 * cp.sum_squares(w) + weight @ xi), [cp.multiply(y, f) >= margin - xi]
    )
    solve(problem)
    return problem.value, Phi @ w.value, float(b.value)


def dual(K, y, weight, margin):
    """Value and alpha of the dual, Eq. 51 of the CS-SVM paper with a term per example."""
    values, vectors = np.linalg.eigh(K)
    Phi = vectors * np.sqrt(np.maximum(values, 0.0))
    alpha = cp.Variable(len(y))
    problem = cp.Problem(
        cp.Maximize(margin @ alpha - 0.5 * cp.sum_squares(Phi.T @ cp.multiply(y, alpha))),
        [alpha >= 0, alpha <= weight, y @ alpha == 0],
    )
    solve(problem)
    return problem.value, alpha.value


def cost_sensitive_primal(X, y, C, fn_cost, kappa):
    """Eq. 49 literally, linear: value, w and b."""
    w, b = cp.Variable(X.shape[1]), cp.Variable()
    xi = cp.Variable(len(y), nonneg=True)
    f, P, N = X @ w + b, y > 0, y < 0
    cost = 0.5 * cp.sum_squares(w) + C * (fn_cost * cp.sum(xi[P]) + cp.sum(xi[N]) / kappa)
    problem = cp.Problem(cp.Minimize(cost), [f[P] >= 1 - xi[P], f[N] <= -kappa + xi[N]])
    solve(problem)
    return problem.value, w.value, float(b.value)


def coordinate_pass(X, target, lower, upper, beta, c, offset, order):
    """Multipliers one by one, from the whole Hessian of the rows without their mean."""
    Z, beta = X - X.mean(axis=0), beta.copy()
    H = Z @ Z.T + c
    for i in order:
        g = H[i] @ beta + offset - target[i]
        beta[i] = np.clip(beta[i] - g / H[i, i], lower[i], upper[i])
    return beta


def smo(K, target, beta, lower, upper, tol, max_steps):
    """Pairwise steps, with the gradient from the whole matrix each time; beta and the steps."""
    beta, diagonal = beta.copy(), np.diag(K)
    for step in range(max_steps):
        F = K @ beta - target
        may_rise, may_fall = np.flatnonzero(beta < upper), np.flatnonzero(beta > lower)
        if len(may_rise) == 0 or len(may_fall) == 0:
            return beta, step
        i = may_rise[np.argmin(F[may_rise])]
        if (F[may_fall] - F[i]).max() <= tol:
            return beta, step
        curve = np.maximum(diagonal[i] + diagonal - 2 * K[i], 1e-12)
        gain = np.maximum(F - F[i], 0) ** 2 / curve
        j = may_fall[np.argmax(gain[may_fall])]
        move = min((F[j] - F[i]) / curve[j], upper[i] - beta[i], beta[j] - lower[j])
        beta[[i, j]] += [move, -move]
        beta = np.where(np.isclose(beta, lower, atol=1e-12), lower, beta)
        beta = np.where(np.isclose(beta, upper, atol=1e-12), upper, beta)
    return beta, max_steps


def solve(problem):
    problem.solve(solver=cp.CLARABEL, tol_gap_rel=1e-11, tol_gap_abs=1e-11, tol_feas=1e-11)


def kernel(X, name, gamma=0.5):
    """Kernel matrix entry by entry."""
    if name == "linear":
        return np.array([[x @ z for z in X] for x in X])
    if name == "poly":
        return np.array([[(gamma * (x @ z) + 1.0) ** 3 for z in X] for x in X])
    return np.array([[np.exp(-gamma * np.sum((x - z) ** 2)) for z in X] for x in X])
