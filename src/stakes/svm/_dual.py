"""The dual of all kernel SVMs: a general linear term, a box per example, one equality."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from stakes.svm._dual_jit import add_rows, gather, smo

BLOCK = 384  # working set of the large solver
SHRINK_AT = 0.3  # violation below which only the rows that may still move are considered
WARM = 2000  # maximum number of rows of the warm start, which takes every tenth or fewer
SMALL = 2000  # up to this number of rows the whole kernel matrix is one working set


@dataclass(frozen=True)
class DualSolution:
    r"""Solution of the dual, with its certificates.

    Attributes
    ----------
    beta : ndarray of shape (n,)
        Signed multipliers :math:`\beta_i = y_i\alpha_i`.
    intercept : float
        :math:`b`.
    margins : ndarray of shape (n,)
        :math:`(K\beta)_i + b`, recomputed in float64 at the end.
    primal, dual : float
        Values of the two objectives; the optimum lies between them.
    kkt_residual : float
        Largest violation of the optimality conditions, in units of the margin.
    n_iter : int
        Number of pairwise steps.
    """

    beta: np.ndarray
    intercept: float
    margins: np.ndarray
    primal: float
    dual: float
    kkt_residual: float
    n_iter: int

    @property
    def gap(self):
        """Duality gap relative to the primal value."""
        return (self.primal - self.dual) / max(abs(self.primal), 1e-300)


def solve_dual(gram, y, weight, margin, *, tol=1e-3, max_iter=10_000_000, cache_mib=200):
    r"""Solve an SVM with a penalty and a margin per example.

    .. math:: \min_{w,b}\ \tfrac12\|w\|^2 + \sum_i u_i\,[p_i - y_i(w^\top\varphi_i + b)]_+

    through its dual in :math:`\beta_i = y_i\alpha_i`,

    .. math:: \min_\beta\ \tfrac12\beta^\top K\beta - \sum_i y_i p_i\beta_i ,\quad
              \sum_i\beta_i = 0,\quad 0 \le y_i\beta_i \le u_i .

    Parameters
    ----------
    gram : Gram or ndarray of shape (n, n)
        Kernel; a matrix is used as it is.
    y : ndarray of shape (n,)
        Signs.
    weight, margin : ndarray of shape (n,)
        :math:`u_i > 0` and :math:`p_i`.
    tol : float, default=1e-3
        Largest remaining violation of the optimality conditions.
    max_iter : int, default=10_000_000
        Maximum number of pairwise steps; stopping there warns `ConvergenceWarning`.
    cache_mib : float, default=200
        Memory for kernel rows in MiB.

    Returns
    -------
    DualSolution

    Examples
    --------
    >>> K, y = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0])
    >>> solve_dual(K, y, weight=np.full(2, 9.0), margin=np.array([1.0, 0.5])).beta
    array([ 0.375, -0.375])
    """
    lower, upper = np.minimum(y * weight, 0.0), np.maximum(y * weight, 0.0)
    target = y * margin
    beta, F = np.zeros(len(y)), -target
    if isinstance(gram, np.ndarray):
        matrix = np.ascontiguousarray(gram, dtype=np.float64)
        steps, _ = smo(matrix, F, beta, lower, upper, tol, max_iter)
        F = matrix @ beta - target
    elif len(y) <= SMALL:
        matrix = gram.full()
        steps, _ = smo(matrix, F, beta, lower, upper, tol, max_iter)
        F = matrix @ beta - target
    else:
        steps, F = _solve_blocks(gram, target, beta, lower, upper, tol, max_iter, cache_mib)
    return certify(y, weight, margin, beta, F, steps, tol)


def violation(F, beta, lower, upper):
    """M and M: the multipliers are optimal if and only if m <= M.

    m is the largest -F among the rows that may rise, M the smallest among those that may fall; at
    the optimum the bias separates the two.
    """
    m = np.max(-F, where=beta < upper, initial=-np.inf)
    M = np.min(-F, where=beta > lower, initial=np.inf)
    return m, M


def certify(y, weight, margin, beta, F, steps, tol):
    """Bias, objectives and KKT residual of multipliers, with F = K beta - y p.

    Warns `ConvergenceWarning` if the residual is above 2 tol.
    """
    lower, upper = np.minimum(y * weight, 0.0), np.maximum(y * weight, 0.0)
    target = y * margin
    m, M = violation(F, beta, lower, upper)
    free = (beta > lower) & (beta < upper)  # on the margin: y_i p_i = (K beta)_i + b
    if free.any():
        b = float(-F[free].mean())
    else:
        b = float((m + M) / 2) if np.isfinite(m + M) else float(m if np.isfinite(m) else M)
    margins = F + target + b
    quadratic = 0.5 * float(beta @ (F + target))
    slack = np.maximum(0.0, margin - y * margins)
    residual = float(max(m - M, 0.0)) if np.isfinite(m - M) else 0.0
    if residual > 2 * tol:
        warnings.warn(
            f"The SVM dual stopped after {steps} steps with a KKT residual of {residual:.2g}, "
            f"above tol={tol:g}; scale the features, lower C or raise max_iter.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return DualSolution(
        beta=beta,
        intercept=b,
        margins=margins,
        primal=quadratic + float(weight @ slack),
        dual=float(target @ beta) - quadratic,
        kkt_residual=residual,
        n_iter=steps,
    )


def _solve_blocks(gram, target, beta, lower, upper, tol, max_iter, cache_mib):
    """Descend on blocks of rows in float32, and correct the gradient in float64 until it is right.

    Float32 halves the memory of the cache and doubles the speed of the rows; the rounding that it
    leaves in F is removed by recomputing F at the end of each round. `sure` is K sure_beta - target
    without that rounding, so a round only adds the product with the change of beta.
    """
    pool = _Pool(gram.astype(np.float32), cache_mib)
    F, steps = -target, _warm_start(pool.gram, target, beta, lower, upper)
    used = np.flatnonzero(beta)
    for start in range(0, len(used), BLOCK):
        part = used[start : start + BLOCK]
        add_rows(F, pool.rows, pool.slots(part), beta[part])
    sure, sure_beta = -target, np.zeros(len(beta))
    for _ in range(10):
        steps += _descend(pool, F, beta, lower, upper, max(tol, SHRINK_AT), max_iter - steps)
        steps += _descend_active(pool, F, beta, lower, upper, 0.8 * tol, max_iter - steps)
        sure += _products(gram, pool, beta - sure_beta, tol)
        F, sure_beta = sure.copy(), beta.copy()
        m, M = violation(F, beta, lower, upper)
        if m - M <= tol or steps >= max_iter:
            break
    return steps, F


def _descend_active(pool, F, beta, lower, upper, tol, max_steps):
    """Descend on the rows that may still move, leaving out those that are held at a bound.

    The rows become fewer as the violation falls. F outside of them is not updated; the caller
    recomputes it, and a row that was left out by mistake then takes part again.
    """
    steps, rows = 0, np.arange(len(F))
    F, b = F.copy(), beta.copy()
    while steps < max_steps:
        low, up = lower[rows], upper[rows]
        m, M = violation(F, b, low, up)
        if m - M <= tol:
            break
        keep = np.flatnonzero(((b < up) & (-F >= M)) | ((b > low) & (-F <= m)))
        if len(keep) < 0.7 * len(rows):
            beta[rows] = b
            pool, rows, F, b = pool.narrow(keep), rows[keep], F[keep], b[keep]
            low, up = lower[rows], upper[rows]
        goal = max(tol, 0.3 * (m - M))
        steps += max(1, _descend(pool, F, b, low, up, goal, max_steps - steps))
    beta[rows] = b
    return steps


def _warm_start(gram, target, beta, lower, upper):
    """A rough solution on every k-th row, so that the first blocks find the rows that matter."""
    rows = np.arange(0, len(target), max(10, len(target) // WARM))
    K, b = gram.take(rows).full().astype(np.float64), np.zeros(len(rows))
    steps, _ = smo(K, -target[rows], b, lower[rows], upper[rows], 0.1, 4 * len(rows))
    beta[rows] = b
    return steps


def _products(gram, pool, beta, tol):
    """K beta, in float64, or from the float32 rows if their rounding is far below tol."""
    rounding = 2 * np.finfo(np.float32).eps * np.sqrt(np.sum(beta**2 * gram.diagonal() ** 2))
    if rounding > 0.1 * tol:
        return gram.times(beta)
    held = (pool.slot_of >= 0) & (beta != 0)
    out = pool.gram.times(np.where(held, 0.0, beta))
    add_rows(out, pool.rows, pool.slot_of[held], beta[held])
    return out


def _descend(pool, F, beta, lower, upper, tol, max_steps):
    """Solve block after block until no pair violates more than tol."""
    steps, block = 0, np.empty(0, dtype=np.intp)
    while steps < max_steps:
        m, M = violation(F, beta, lower, upper)
        if m - M <= tol:
            break
        block = _next_block(F, beta, lower, upper, block)
        slots = pool.slots(block)
        K = gather(pool.rows, slots, block)
        f, b = F[block], beta[block]
        local_tol = max(0.1 * (m - M), 0.5 * tol)
        made, _ = smo(K, f, b, lower[block], upper[block], local_tol, 20 * BLOCK)
        steps += made
        if made == 0:  # only rounding is left: the caller recomputes F in float64
            break
        add_rows(F, pool.rows, slots, b - beta[block])
        beta[block] = b
    return steps


def _next_block(F, beta, lower, upper, old):
    """The worst violators of both kinds, and the newer half of the previous block.

    Keeping half of the block avoids zigzagging between blocks that undo each other.
    """
    if len(F) <= BLOCK:
        return np.arange(len(F))
    kept = old[len(old) // 2 :]
    want = BLOCK - len(kept)
    up = np.where(beta < upper, F, np.inf)
    down = np.where(beta > lower, -F, np.inf)
    up[kept] = down[kept] = np.inf
    half = want // 2
    first = np.argpartition(up, half)[:half]
    first = first[np.isfinite(up[first])]
    down[first] = np.inf
    second = np.argpartition(down, want - half)[: want - half]
    second = second[np.isfinite(down[second])]
    return np.concatenate([kept, first, second])


class _Pool:
    """Cache of kernel rows in one buffer; the least recently used rows are replaced."""

    def __init__(self, gram, cache_mib):
        n = gram.shape[0]
        size = min(n, max(2 * BLOCK, int(cache_mib * 2**20 / (4 * n))))
        self.gram, self.cache_mib = gram, cache_mib
        self.rows = np.empty((size, n), dtype=np.float32)
        self.slot_of = np.full(n, -1)
        self.owner = np.full(size, -1)
        self.used = np.zeros(size, dtype=np.int64)
        self.clock = self.filled = 0

    def slots(self, block):
        """Slots of the rows of a block, after computing the missing ones."""
        self.clock += 1
        slots = self.slot_of[block]
        self.used[slots[slots >= 0]] = self.clock
        missing = np.flatnonzero(slots < 0)
        if len(missing):
            free = self._oldest(len(missing))
            gone = self.owner[free]
            self.slot_of[gone[gone >= 0]] = -1
            new = block[missing]
            if free[-1] - free[0] == len(free) - 1:  # neighbours: written without a copy
                self.gram.block(new, out=self.rows[free[0] : free[-1] + 1])
            else:
                self.rows[free] = self.gram.block(new)
            self.owner[free], self.slot_of[new], self.used[free] = new, free, self.clock
            slots[missing] = free
        return slots

    def _oldest(self, count):
        if self.filled + count <= len(self.used):
            self.filled += count
            return np.arange(self.filled - count, self.filled)
        return np.sort(np.argpartition(self.used, count - 1)[:count])

    def narrow(self, active):
        """A pool over some of the rows and columns, keeping the cached rows that remain."""
        part = _Pool(self.gram.take(active), self.cache_mib)
        slots = self.slot_of[active]
        held = np.flatnonzero(slots >= 0)[: len(part.used)]
        for slot, row in enumerate(held):
            np.take(self.rows[slots[row]], active, out=part.rows[slot])
        part.owner[: len(held)], part.slot_of[held] = held, np.arange(len(held))
        part.filled = len(held)
        return part
