"""The dual of all kernel SVMs: a general linear term, a box per example, one equality."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import linalg

from stakes.svm._certificate import certify, violation, warn_if_far
from stakes.svm._dual_jit import add_rows, gather, smo
from stakes.svm._kernels import KernelMatrix
from stakes.svm._pool import Pool

BLOCK = 384  # working set of the large solver
SHRINK_AT = 1.0  # violation below which only the rows that may still move are considered
ROUGH = 0.1  # violation at which the gradient is corrected for the first time
WARM = 2000  # maximum number of rows of the warm start, which takes every tenth or fewer
NEAR_MARGIN = 0.1  # distance from the margin within which the warm start is unsure of a row
NEAREST = 0.3  # share of the rows, those nearest to the margin, that the first round descends on
PATIENCE = 5  # steps per row after which a descent on all rows continues with blocks
LONG = 40  # steps per row after which float32 rows are checked in float64
LANDMARKS = 300  # at which the warm start is balanced
CORRECTIONS = 6  # of that balance
CHUNK_NEAR = 2048  # columns that are copied at a time
SMALL = 2000  # up to this number of rows the whole kernel matrix is one working set
ROUNDS = 10  # of descent and correction of the gradient
CHUNK = 200_000  # pairwise steps between two reports
CLOSE = 0.01  # relative duality gap above which the tolerance is tightened


def solve_dual(
    gram,
    y,
    weight,
    margin,
    *,
    tol=1e-3,
    max_iter=10_000_000,
    cache_mib=200,
    start=None,
    progress=None,
):
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
        Largest remaining violation of the optimality conditions. It is tightened while the relative
        duality gap is above 0.01.
    max_iter : int, default=10_000_000
        Maximum number of pairwise steps; stopping there warns `ConvergenceWarning`.
    cache_mib : float, default=200
        Memory in MiB, most of it for kernel rows.
    start : ndarray of shape (n,), default=None
        Multipliers :math:`\beta` of a similar problem to start from.
    progress : callable, default=None
        Called with the number of steps and the remaining violation.

    Returns
    -------
    DualSolution

    Examples
    --------
    >>> K, y = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0])
    >>> solve_dual(K, y, weight=np.full(2, 9.0), margin=np.array([1.0, 0.5])).beta
    array([ 0.375, -0.375])
    """
    gram = KernelMatrix(gram) if isinstance(gram, np.ndarray) else gram
    problem = _Problem(
        gram,
        y * margin,
        np.minimum(y * weight, 0.0),
        np.maximum(y * weight, 0.0),
        cache_mib,
        progress,
    )
    beta = np.zeros(len(y)) if start is None else _feasible(start, problem)
    steps, goal, best = 0, tol, None
    while True:
        made, F = problem.descend(beta, goal, max_iter - steps)
        steps += made
        found = certify(gram, y, weight, margin, beta, F, steps)
        if best is None or found.gap < best.gap or not np.isfinite(best.gap):
            best = found
        if best.gap <= CLOSE or np.isnan(best.gap) or steps >= max_iter or goal < 1e-10:
            break
        goal /= 10
    warn_if_far(best, tol, CLOSE, stacklevel=3)
    return replace(best, n_iter=steps)


def _feasible(beta, problem):
    """Multipliers of a similar problem, moved into the box and to a sum of zero.

    The smallest ones of the side with the larger sum become zero, so that most of those at a bound
    stay there.
    """
    beta = np.clip(beta, problem.lower, problem.upper)
    surplus = beta.sum()
    if abs(surplus) <= 1e-12 * np.abs(beta).sum():
        return beta
    side = np.flatnonzero(beta * surplus > 0)
    side = side[np.argsort(np.abs(beta[side]), kind="stable")]
    total = np.cumsum(np.abs(beta[side]))
    k = min(np.searchsorted(total, abs(surplus)), len(side) - 1)
    beta[side[k]] = np.sign(surplus) * max(total[k] - abs(surplus), 0.0)
    beta[side[:k]] = 0.0
    return beta


@dataclass
class _Problem:
    """Kernel, linear term and box of the dual."""

    gram: object
    target: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    cache_mib: float
    progress: object = None

    def report(self, steps, F, beta, tol):
        """Pass the progress on, if anyone wants to know."""
        if self.progress is not None:
            m, M = violation(F, beta, self.lower, self.upper)
            self.progress(steps, "steps", "KKT residual", m - M, tol)

    def descend(self, beta, tol, max_steps):
        """Lower the violation to tol in place; the number of steps and F = K beta - target."""
        n = len(beta)
        if isinstance(self.gram, KernelMatrix):  # it is in memory already
            return self._descend_whole(beta, tol, max_steps)
        if n <= SMALL and 8 * n * n <= max(self.cache_mib, 1) * 2**20:
            return self._descend_whole(beta, tol, max_steps)
        return self._descend_blocks(beta, tol, max_steps)

    @cached_property
    def matrix(self):
        """The whole kernel matrix."""
        return self.gram.full()

    def _descend_whole(self, beta, tol, max_steps):
        """All rows as one working set; F is recomputed until it agrees with what was reached."""
        K, rows, steps, rounds = self.matrix, np.arange(len(beta)), 0, 0
        F = K @ beta - self.target
        while steps < max_steps:
            most = min(CHUNK, max_steps - steps)
            made, left = smo(K, rows, F, beta, self.lower, self.upper, tol, most)
            steps += made
            self.report(steps, F, beta, tol)
            if made == 0 or rounds == ROUNDS:
                break
            if left <= tol:  # for F as it was kept up to date
                F = K @ beta - self.target
                rounds += 1
        return steps, K @ beta - self.target

    def _descend_blocks(self, beta, tol, max_steps):
        """Descend on blocks of rows in float32, and correct the gradient in float64.

        Float32 halves the memory of the cache and doubles the speed of the rows; the rounding that
        it leaves in F is removed by recomputing F in float64 at the end of each round. If that does
        not converge, the rows are computed in float64 as well.
        """
        lower, upper = self.lower, self.upper
        fast, steps = self.gram.single_precision(), 0
        pool = Pool(fast, self.cache_mib, BLOCK)
        rows = np.arange(len(beta))
        if not beta.any():
            steps, rows = _warm_start(pool, self.target, beta, lower, upper)
            beta[:] = _feasible(beta, self)
        F = np.zeros(len(beta))
        F[rows] = fast.times(beta, rows) - self.target[rows]
        sure, sure_beta = -self.target, np.zeros(len(beta))  # K sure_beta - target in float64

        def tell(made, left):
            if self.progress is not None:
                self.progress(steps + made, "steps", "KKT residual", left, tol)

        for turn in range(ROUNDS):
            if len(rows) == len(F):
                goal, most = max(tol, SHRINK_AT), max_steps - steps
                steps += _descend(pool, F, beta, lower, upper, goal, most, tell)
            goal = max(0.8 * tol, ROUGH) if turn == 0 else 0.8 * tol
            most = max_steps - steps
            if fast.dtype == np.float32:  # a descent that takes longer follows its rounding
                most = min(most, LONG * len(F))
            steps += _descend_active(pool, rows, F, beta, lower, upper, goal, most, tell)
            rows = np.arange(len(beta))
            sure += self.gram.times(beta - sure_beta)
            F, sure_beta = sure.copy(), beta.copy()
            self.report(steps, F, beta, tol)
            m, M = violation(F, beta, lower, upper)
            if m - M <= tol or steps >= max_steps:
                break
            if turn == 3:
                fast = self.gram
            if pool.gram is not fast:
                pool.reset(fast)
        return steps, F


def _descend_active(pool, rows, F, beta, lower, upper, tol, max_steps, tell):
    """Descend on the rows that may still move, leaving out those that are held at a bound.

    The rows become fewer as the violation falls, and the pool keeps these only. F outside of them
    is not updated; the caller recomputes it, and a row that was left out by mistake then takes
    part again.
    """
    steps, F, b, chosen = 0, F[rows], beta[rows], len(rows) < len(beta)
    if chosen:
        pool.narrow(rows)
    while steps < max_steps:
        low, up = lower[rows], upper[rows]
        m, M = violation(F, b, low, up)
        if m - M <= tol:
            break
        keep = np.flatnonzero(((b < up) & (-F >= M)) | ((b > low) & (-F <= m)))
        if m - M <= SHRINK_AT and len(keep) < 0.7 * len(rows):
            beta[rows] = b
            pool.narrow(keep)
            rows, F, b = rows[keep], F[keep], b[keep]
            low, up = lower[rows], upper[rows]
        goal = max(tol, 0.3 * (m - M))
        most, made, left = max_steps - steps, 0, np.inf
        computed = np.count_nonzero(pool.slot_of >= 0)
        if len(rows) <= len(pool.rows) and (chosen or 2 * computed >= len(rows)):
            slots = pool.slots(np.arange(len(rows)))
            few = min(most, PATIENCE * len(rows))
            made, left = smo(pool.rows, slots, F, b, low, up, goal, few)
        if left > goal:
            before = steps + made
            made += _descend(
                pool, F, b, low, up, goal, most - made, lambda k, v, at=before: tell(at + k, v)
            )
        steps += made
        if made == 0:  # only rounding is left
            break
    beta[rows] = b
    return steps


def _warm_start(pool, target, beta, lower, upper):
    """Multipliers from the solution on every k-th row, each of which stands for k rows.

    A row short of its margin under that solution gets its bound, a row beyond it zero, and a row
    near the margin a share: most rows that end at a bound start there.
    """
    gram, k = pool.gram, max(10, len(target) // WARM)
    rows = np.arange(0, len(target), k)
    K, b = gram.take(rows).astype(np.float64).full(pool.matrix(len(rows))), np.zeros(len(rows))
    F, low, up = -target[rows], k * lower[rows], k * upper[rows]
    steps, _ = smo(K, np.arange(len(b)), F, b, low, up, NEAR_MARGIN, 10 * len(b))
    m, M = violation(F, b, low, up)
    if not np.isfinite(m + M):
        return steps, np.arange(len(target))
    beta[rows] = b
    beta[:], far = _balance(pool, gram.times(beta), (m + M) / 2, target, lower, upper)
    count = min(int(NEAREST * len(target)), int(np.sqrt(pool.rows.size)))
    return steps, np.sort(np.argpartition(far, count - 1)[:count])


def _balance(pool, scores, bias, target, lower, upper):
    """Multipliers that belong to scores near the given ones, with a sum near zero.

    The multipliers of scores f are shares of the bounds. They should return f = K beta, which is a
    small difference of large sums. So f may change by a bias and by the kernel functions of some
    landmarks, with coefficients a: Newton's method for f = K beta at the landmarks and a sum of
    zero, the optimality conditions of an SVM with a smoothed hinge.
    """
    n = len(target)
    marks = np.linspace(0, n - 1, min(LANDMARKS, pool.block, n)).astype(np.intp)
    pool.slots(marks)
    K = pool.rows[: len(marks)]  # landmarks x rows: those of an empty pool, without a copy
    A = K[:, marks] + np.diag(np.full(len(marks), 1e-6 * len(marks) * pool.gram.largest))
    a, bound, best = np.zeros(len(marks)), np.where(upper > 0, upper, lower), None
    for _ in range(CORRECTIONS):
        f = scores + a.astype(K.dtype) @ K + bias
        share = 0.5 + 0.5 * np.sign(bound) * (target - f) / NEAR_MARGIN
        beta = bound * np.clip(share, 0.0, 1.0)
        gradient = np.append(scores[marks] + A @ a - K @ beta.astype(K.dtype), -beta.sum())
        left = np.abs(gradient).max()
        if best is not None and not left < best[0]:
            break
        best = left, beta, np.abs(target - f)
        near = np.flatnonzero((share > 0) & (share < 1))
        H = np.zeros((len(marks) + 1, len(marks) + 1))
        H[:-1, :-1] = A
        for start in range(0, len(near), CHUNK_NEAR):
            part = near[start : start + CHUNK_NEAR]
            slope = (0.5 * np.abs(bound[part]) / NEAR_MARGIN).astype(K.dtype)
            B = np.vstack([K[:, part], np.ones_like(slope)]) * np.sqrt(slope)
            H += B @ B.T
        try:
            move = linalg.solve(H, gradient, assume_a="pos", check_finite=False)
        except (linalg.LinAlgError, ValueError):
            break
        a, bias = a - move[:-1], bias - move[-1]
    return best[1:]


def _descend(pool, F, beta, lower, upper, tol, max_steps, tell):
    """Solve block after block until no pair violates more than tol; `tell` hears of each."""
    steps, block = 0, np.empty(0, dtype=np.intp)
    while steps < max_steps:
        m, M = violation(F, beta, lower, upper)
        if m - M <= tol:
            break
        tell(steps, m - M)
        block = _next_block(F, beta, lower, upper, block, pool.block)
        slots = pool.slots(block)
        K = gather(pool.rows, slots, block)
        f, b = F[block], beta[block]
        local_tol = max(0.1 * (m - M), 0.5 * tol)
        at, low, up = np.arange(len(b)), lower[block], upper[block]
        made, _ = smo(K, at, f, b, low, up, local_tol, 20 * len(b))
        steps += made
        if made == 0:  # only rounding is left: the caller recomputes F in float64
            break
        add_rows(F, pool.rows, slots, b - beta[block])
        beta[block] = b
    return steps


def _next_block(F, beta, lower, upper, old, size):
    """The worst violators of both kinds, and the newer half of the previous block.

    Keeping half of the block avoids zigzagging between blocks that undo each other.
    """
    if len(F) <= size:
        return np.arange(len(F))
    kept = old[len(old) // 2 :]
    want = size - len(kept)
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
