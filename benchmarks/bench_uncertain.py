"""Maximum margins over uncertainty sets compared with cone programs, CPU time of one thread.

The two tasks that take minutes, MM-SMV-I at 3,000 x 100 with cvxpy and 1,000,000 x 100, run with
STAKES_BENCH_FULL=1; without it their stored rows are kept.
"""

import json
import os
import resource
import time
import warnings

import cvxpy as cp
import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks._measure import Row
from benchmarks._page import PAGES
from stakes.uncertain import Box, Ellipsoid, Intersection, MeanIntervalEllipsoid, bernstein_nu
from stakes.uncertain._problem import MarginProblem
from stakes.uncertain._solve import solve_margin

LONG = [("MM-SMV-I", 3_000, 100), ("MM-SMV", 1_000_000, 100)]
KAPPA = np.sqrt(2 * np.log(1 / 0.1))


def run():
    full = os.environ.get("STAKES_BENCH_FULL") == "1"
    with threadpool_limits(1):
        rows = against("MM-SMV", 3_000, 30, ["CLARABEL"])
        rows += against("MM-SMV", 10_000, 30, ["CLARABEL"])
        rows += against("MM-SMV", 3_000, 100, ["CLARABEL", "SCS", "ECOS"])
        rows += against("MM-SMV-I", 3_000, 30, ["CLARABEL"])
        for name in ("MM-SMV", "MM-SMV-I"):
            rows += against(name, 80, 2_500, ["CLARABEL"])
        for n in (1_000, 10_000, 100_000):
            rows += against("MM-SMV", n, 30, [], note="growth with n;")
        rows += [nu_row(), hostile_row()]
        return rows + (long_rows() if full else stored_rows())


def long_rows():
    """Tasks that take minutes."""
    return against(*LONG[0], ["CLARABEL"]) + large(*LONG[1])


def stored_rows():
    """The rows of the long tasks, as the last full run stored them."""
    stored = json.loads((PAGES / "uncertain.json").read_text())["rows"]
    return [Row(**row) for row in stored if row["task"] in map(task_of, *zip(*LONG, strict=True))]


def task_of(name, n, d):
    return f"{name} {n:,} x {d}"


def examples(n, d, seed=0):
    """Two Gaussian classes; each point is a mean in a box with its own spread."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    X = rng.standard_normal((n, d))
    X += 1.5 / np.sqrt(d) * y[:, None]
    widths = 0.15 * rng.uniform(0.2, 1.8, (n, d))
    return X, y, widths


def box_of(X, widths):
    return X - 2.0 * widths, X + 3.0 * widths


def problem_of(name, n, d):
    X, y, widths = examples(n, d)
    sets = Ellipsoid(X, KAPPA * widths)
    if name.endswith("-I"):
        sets = Intersection(sets, Box(*box_of(X, widths)))
    return MarginProblem(sets, y, np.ones(n))


def against(name, n, d, solvers, note=""):
    task = task_of(name, n, d)
    problem = problem_of(name, n, d)
    solution, ours = best_of(lambda: solve_margin(problem, tol=1e-6), 5)
    facts = f"gap {solution.gap:.0e}, {solution.n_iter} iterations, {solution.solver}, best of ten"
    times = {}
    for solver in solvers:
        if solver in cp.installed_solvers():
            value, times[solver] = by_cvxpy(name, n, d, solver)
            facts += f"; {solver} value {value / solution.objective - 1:+.0e}"
    # five runs before the peers and five after: they take long, and the machine may change
    ours = min(ours, best_of(lambda: solve_margin(problem, tol=1e-6), 5)[1])
    ratio = min(times.values()) / ours if times else None
    rows = [Row(task, "stakes", ours, ratio=ratio, note=f"{note} {facts}".strip())]
    return rows + [Row(task, f"cvxpy + {s}", t, note="one run") for s, t in times.items()]


def best_of(call, turns):
    best = np.inf
    for _ in range(turns):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return result, best


def by_cvxpy(name, n, d, solver):
    X, y, widths = examples(n, d)
    axes, (lower, upper) = KAPPA * widths, box_of(X, widths)
    start = time.process_time()
    w, b, xi = cp.Variable(d), cp.Variable(), cp.Variable(n, nonneg=True)
    rows = np.ones((n, 1)) @ cp.reshape(w, (1, d), order="C")
    if name.endswith("-I"):
        a, z = cp.Variable((n, d)), cp.Variable((n, d))
        rest = cp.multiply(y[:, None] * np.ones((1, d)), rows) + a
        spread = cp.norm(cp.multiply(axes, a), 2, axis=1)
        total = cp.sum(z, axis=1) + cp.sum(cp.multiply(X, a), axis=1) + spread
        constraints = [
            1 - xi - cp.multiply(y, b * np.ones(n)) + total <= 0,
            z >= -cp.multiply(lower, rest),
            z >= -cp.multiply(upper, rest),
        ]
    else:
        spread = cp.norm(cp.multiply(axes, rows), 2, axis=1)
        constraints = [cp.multiply(y, X @ w + b) >= 1 - xi + spread]
    program = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(w) + cp.sum(xi)), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            program.solve(solver=solver)
        except cp.SolverError:
            return np.nan, np.inf
    return program.value, time.process_time() - start


def large(name, n, d):
    problem = problem_of(name, n, d)
    start = time.process_time()
    solution = solve_margin(problem, tol=1e-6)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    note = f"gap {solution.gap:.0e}, {solution.n_iter} iterations, {solution.solver}; the process"
    return [Row(task_of(name, n, d), "stakes", seconds, peak, note=note + "'s peak")]


def nu_row():
    rng = np.random.default_rng(0)
    low, high = np.sort(rng.uniform(-1, 1, (2, 10**6)), axis=0)
    bernstein_nu(low[:2], high[:2], 0.5)
    seconds = best_of(lambda: bernstein_nu(low, high, 0.5), 1)[1]
    return Row("nu of 1,000,000 mean intervals", "stakes", seconds)


def hostile_row():
    """Count open duality gaps over all kinds of sets, C from 1e-3 to 1e4, kappa from 0.1 to 100."""
    open_, count, methods = 0, 0, {}
    start = time.process_time()
    for n, d in ((60, 5), (80, 20), (30, 60)):
        X, y, widths = examples(n, d, seed=3)
        axes, (lower, upper) = KAPPA * widths, box_of(X, widths)
        box = Box(X - 2 * axes, X + 3 * axes)
        for C in (1e-3, 1e-2, 0.1, 1.0, 100.0, 1e4):
            for factor in (0.1, 0.5, 1, 2, 3, 5, 10, 100):
                ellipsoid = Ellipsoid(X, factor * axes)
                union = MeanIntervalEllipsoid(
                    X - 0.3 * (X - lower), X + 0.3 * (upper - X), factor * axes
                )
                for sets in (
                    ellipsoid,
                    union,
                    Intersection(ellipsoid, box),
                    Intersection(union, box),
                ):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        found = solve_margin(MarginProblem(sets, y, np.full(n, C)), tol=1e-6)
                    count += 1
                    open_ += not found.gap <= 1e-6
                    methods[found.solver] = methods.get(found.solver, 0) + 1
    note = f"{open_} of {count} uncertified; " + ", ".join(f"{k} {v}" for k, v in methods.items())
    return Row("hostile grid of C x kappa", "stakes", time.process_time() - start, note=note)
