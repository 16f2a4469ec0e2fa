"""The paper's programmes, typed out in cvxpy, and brute force for nu and the worst points."""

import cvxpy as cp
import numpy as np


def bernstein_nu(mean_lower, mean_upper, bound=1.0, n_means=41, n_t=600, var=None):
    """Eq. (14) on a grid of means and of t, with a bound on the second moment or the variance."""
    ts = np.geomspace(1e-4, 300, n_t)
    best = 0.0
    for mu in np.linspace(mean_lower, mean_upper, n_means):
        for sign in (1, -1):
            m = sign * mu
            second_moment = bound if var is None else min(var + m * m, 1.0)
            a, norm = (m - second_moment) / (1 - m), 1 - 2 * m + second_moment
            weight = (1 - m) ** 2 / norm, max(second_moment - m * m, 0) / norm
            h = np.log(weight[0] * np.exp(ts * (a - 1)) + weight[1]) + ts
            slope = max(sign * mean_lower, sign * mean_upper)
            best = max(best, (2 * (h - slope * ts) / ts**2).max())
    return np.sqrt(best)


def formulation(
    name,
    y,
    C,
    *,
    mean=None,
    lower=None,
    upper=None,
    axes=None,
    kappa=1.0,
    cov=None,
    mean_lower=None,
    mean_upper=None,
):
    """The numbered programmes of the paper: (value, w, b) with w . x - b as printed there."""
    some = mean if mean is not None else (lower if mean_lower is None else mean_lower)
    n, d = some.shape
    w, b, xi = cp.Variable(d), cp.Variable(), cp.Variable(n, nonneg=True)
    constraints = []
    for i in range(n):
        if name == "MM-M":  # (2)
            constraints += [y[i] * (w @ mean[i] - b) >= 1 - xi[i]]
        elif name == "MM-S":  # (3)
            center, half = (lower[i] + upper[i]) / 2, (upper[i] - lower[i]) / 2
            constraints += [y[i] * (w @ center - b) >= 1 - xi[i] + cp.norm1(cp.multiply(half, w))]
        elif name == "MM-MC":  # (4)
            root = np.linalg.cholesky(cov[i])
            constraints += [y[i] * (w @ mean[i] - b) >= 1 - xi[i] + kappa * cp.norm(root.T @ w)]
        elif name in ("MM-SMV", "MM-SM"):  # (24), (30)
            spread = kappa * cp.norm(cp.multiply(axes[i], w))
            constraints += [y[i] * (w @ mean[i] - b) >= 1 - xi[i] + spread]
        elif name in ("MM-SBMV", "MM-SBM"):  # (16), (27)
            z = cp.Variable(d)
            constraints += [
                1 - xi[i] + y[i] * b + cp.sum(z) + kappa * cp.norm(cp.multiply(axes[i], w)) <= 0,
                z >= -y[i] * cp.multiply(mean_lower[i], w),
                z >= -y[i] * cp.multiply(mean_upper[i], w),
            ]
        else:  # (23), (26), (29), (32)
            a, z, z_box = cp.Variable(d), cp.Variable(d), cp.Variable(d)
            if name in ("MM-SMV-I", "MM-SM-I"):
                constraints += [z == cp.multiply(mean[i], a)]
            else:
                constraints += [
                    z >= cp.multiply(mean_lower[i], a),
                    z >= cp.multiply(mean_upper[i], a),
                ]
            spread = kappa * cp.norm(cp.multiply(axes[i], a))
            constraints += [
                1 - xi[i] + y[i] * b + cp.sum(z_box) + cp.sum(z) + spread <= 0,
                z_box >= -cp.multiply(lower[i], y[i] * w + a),
                z_box >= -cp.multiply(upper[i], y[i] * w + a),
            ]
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(w) + C @ xi), constraints)
    problem.solve(solver=cp.CLARABEL, tol_gap_rel=1e-9, tol_gap_abs=1e-9, tol_feas=1e-9)
    return problem.value, w.value, b.value


def worst_point(direction, center, half_width=None, axes=None, factor=None, below=None, above=None):
    """The farthest point of one set, as a cone programme."""
    d = len(direction)
    x, p, e = cp.Variable(d), cp.Variable(d), cp.Variable(d)
    constraints = [x == center + p + e]
    constraints += [cp.abs(p) <= half_width] if half_width is not None else [p == 0]
    a = cp.Variable(d)
    if factor is not None:
        constraints += [e == factor @ a, cp.norm(a) <= 1]
    elif axes is not None:
        constraints += [e == cp.multiply(axes, a), cp.norm(a) <= 1]
    else:
        constraints += [e == 0]
    if above is not None:
        constraints += [e <= above, e >= -below]
    problem = cp.Problem(cp.Maximize(direction @ x), constraints)
    problem.solve(solver=cp.CLARABEL)
    return problem.value, x.value


def newton_rows(M, E, free, signed, bend):
    """The rows A - B and A + B of the Newton system, from its two parts kept apart."""
    A = np.column_stack([signed[:, None] * (M + E), signed])
    B = np.column_stack([bend[:, None] * np.where(free > 0, E, 0.0), np.zeros(len(M))])
    return A - B, A + B
