"""Certificates of the SVMs on random problems: scale, offset and C over twelve orders of magnitude.

A certificate says: the objective is `objective_`, and no f has an objective below
`objective_ * (1 - duality_gap_)`. It is checked in extended precision, from distances that do not
cancel, and against the optimum that LIBSVM finds. `python -m benchmarks svm` runs 200 problems.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from stakes.svm import CostSensitiveSVC, LinearCostSensitiveSVC
from stakes.svm._certificate import far_center
from stakes.svm._penalties import cost_penalties

MAX_ITER = 20_000


@dataclass
class Problem:
    X: np.ndarray
    y: np.ndarray
    regret: np.ndarray
    learner: str
    kernel: str
    C: float
    sparse: bool


@dataclass
class Verdict:
    true: bool
    warned: bool
    gap: float
    excess: float  # of the claimed objective over the true one, relative
    below: float  # how far LIBSVM is below the claimed bound, relative


def random_problem(seed):
    """Two overlapping classes of 40 to 150 rows; scale, offset and C from 1e-6 to 1e6."""
    rng = np.random.default_rng([20, seed])
    n, d = int(rng.integers(40, 150)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d))
    y = X[:, 0] + 0.5 * rng.normal(size=n) > rng.normal() * 0.3
    y[:2] = True, False
    if rng.random() < 0.3:
        X[:, -1] += rng.choice([-1, 1], n) * 10.0 ** rng.uniform(0, 4)
    scale, offset, C = 10.0 ** rng.uniform(-6, 6, 3)
    X = scale * (X + offset * (rng.random() < 0.7))
    if rng.random() < 0.4:
        X[rng.random(X.shape) < 0.5] = 0.0
    regret = np.where(y, rng.uniform(2.0, 9.0, n), rng.uniform(1.0, 2.0, n))
    learner = str(rng.choice(["kernel", "kernel", "interior", "coordinate"]))
    kernel = str(rng.choice(["rbf", "rbf", "linear"])) if learner == "kernel" else "linear"
    return Problem(X, y, regret, learner, kernel, float(C), bool(rng.random() < 0.5))


def fit(problem):
    """The fitted model, and whether it warned."""
    X = sparse.csr_array(problem.X) if problem.sparse else problem.X
    options = dict(C=problem.C, calibration=None, cost_rule="example", random_state=0)
    if problem.learner == "kernel":
        model = CostSensitiveSVC(kernel=problem.kernel, max_iter=MAX_ITER, **options)
    else:
        most = 100 if problem.learner == "interior" else 300
        model = LinearCostSensitiveSVC(solver=problem.learner, max_iter=most, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        prices = dict(fp_cost=problem.regret, fn_cost=problem.regret)
        model.fit(X, problem.y.astype(int), **prices)
    return model, any(issubclass(w.category, ConvergenceWarning) for w in caught)


def check(problem):
    """Whether what a fit claims is true."""
    model, warned = fit(problem)
    signs = np.where(problem.y, 1.0, -1.0)
    plan = cost_penalties(problem.regret, signs, np.ones(len(signs)))
    u, p = problem.C * plan.weight.astype(np.longdouble), plan.margin
    X = problem.X.astype(np.longdouble)
    gamma = getattr(model, "gamma_", 1.0)
    if problem.learner == "kernel":
        beta = np.zeros(len(signs), dtype=np.longdouble)
        beta[model.support_] = model.dual_coef_[0]
        # of the rows as the model moves them: its multipliers sum to zero up to rounding only,
        # and the rest times a far origin would be another function
        K = _kernel(X - _origin(problem), problem.kernel, gamma)
        f, half = K @ beta, 0.5 * beta @ K @ beta
    else:
        w = model.coef_[0].astype(np.longdouble)
        f, half = (X - X.mean(axis=0)) @ w, 0.5 * w @ w
    reached = half + _least_slack(f, signs, u, p)  # at the best bias: at most what is claimed
    found = _libsvm(_without_mean(_kernel(X - X.mean(axis=0), problem.kernel, gamma)), signs, u, p)
    claimed, gap = model.objective_, model.duality_gap_
    bound = claimed * (1 - gap)
    excess = float((reached - claimed) / max(abs(claimed), 1e-300))
    below = float((bound - found) / max(abs(claimed), 1e-300))
    true = np.isfinite(gap) and excess <= gap + 1e-9 and below <= 1e-9
    return Verdict(bool(true), warned, float(gap), excess, below)


def _origin(problem):
    """Where the model puts the origin of a linear kernel."""
    center = None if problem.sparse else far_center(problem.X)
    return 0.0 if center is None else center.astype(np.longdouble)


def _kernel(X, kernel, gamma):
    if kernel == "rbf":
        return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    return X @ X.T


def _without_mean(K):
    """The kernel in the space without its mean, which the bias makes up for."""
    return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()


def _least_slack(f, signs, u, p):
    """The least total slack over all biases, which is at one of the breakpoints."""
    at = signs * p - f
    slack = np.maximum(0, p[None] - signs * (f[None] + at[:, None]))
    return (slack * u).sum(axis=1).min()


def _libsvm(K, signs, u, p):
    """An objective that the same problem reaches, by LIBSVM on the exact kernel matrix."""
    scale = (p[signs > 0][0] + p[signs < 0][0]) / 2
    K64 = np.ascontiguousarray(K, dtype=np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weight = np.asarray(u / scale, dtype=np.float64)
        unit = max(np.abs(np.diag(K64)).max(), 1e-300)  # LIBSVM wants numbers of ordinary size
        svc = SVC(kernel="precomputed", C=1.0, tol=1e-6, max_iter=200_000)
        svc.fit(K64 / unit, signs, sample_weight=weight * unit)
    beta = np.zeros(len(signs), dtype=np.longdouble)
    beta[svc.support_] = scale * svc.dual_coef_[0] / unit
    return 0.5 * beta @ K @ beta + _least_slack(K @ beta, signs, u, p)
