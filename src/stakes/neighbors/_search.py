"""Exact nearest neighbors from a tree or from blocks of distances, without a full matrix."""

import numpy as np
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

from stakes.neighbors._search_jit import keep_smallest, lower_bounds

METRICS = {"l1": "manhattan", "l2": "euclidean", "linf": "chebyshev"}
ORDERS = {"l1": 1, "l2": 2, "linf": np.inf}
# a tree is faster while a search visits less than this share of the points, measured: a distance
# in a block is cheaper by this factor, for l2 by a matrix product
WORTH = {"l1": 0.08, "l2": 0.02, "linf": 0.08}
N_PROBES = 16
SAMPLE = 2000  # points of a small tree that is tried first
HOPELESS = 0.5  # share of the points of that tree in reach, above which no tree is built
BLOCK = 2**22  # numbers in memory while distances are recomputed
TILE = 512, 512  # queries and points of one matrix product; the result stays in the cache


class NeighborSearch:
    """Nearest of the stored rows X (not copied), by the search that suits the data.

    It is chosen by probes for `n_neighbors` neighbors, see :func:`reached`, unless `by_tree` says
    which. Distances are between the points that `embed` makes of rows. The tree uses `n_jobs`
    threads.

    Attributes
    ----------
    by_tree : bool
        Whether a tree is searched.
    unit : float
        Mean distance of some rows to their last neighbor.

    Examples
    --------
    >>> search = NeighborSearch(np.arange(10.0)[:, None], np.array, "l2", 2, None)
    >>> [found.tolist() for found in search.nearest(np.array([[3.25]]), 2)]
    [[[0.25, 0.75]], [[3, 4]]]
    """

    def __init__(self, X, embed, metric, n_neighbors, n_jobs, by_tree=None):
        self.X, self.embed, self.metric, self.n_jobs = X, embed, metric, n_jobs
        self._flat = self._tree = None
        rows = np.unique(np.linspace(0, len(X) - 1, N_PROBES).astype(np.intp))
        k = min(n_neighbors + 1, len(X))  # the row itself is found too
        self.by_tree = bool(by_tree)
        if by_tree is None:
            self.by_tree, self.unit = self._probe(rows, k)
        if not self.by_tree:
            self._tree = None
        else:
            self._flat = None

    @property
    def tree(self):
        """All points in a tree."""
        if self._tree is None:
            # cells split at their middle: built many times faster than at the median, as fast to
            # search
            self._tree = cKDTree(self.embed(self.X), balanced_tree=False, compact_nodes=False)
        return self._tree

    @property
    def flat(self):
        """All points for a search in blocks."""
        if self._flat is None:
            self._flat = (
                FlatPoints(self.X, self.embed)
                if self.metric == "l2"
                else OtherMetric(self.embed(self.X), self.metric)
            )
        return self._flat

    def nearest(self, X, k):
        """Distances and indices of the k nearest rows, nearest first, ties by index."""
        points = np.ascontiguousarray(self.embed(X))
        if self.by_tree:
            p, workers = ORDERS[self.metric], 1 if self.n_jobs is None else self.n_jobs
            near = self.tree.query(points, range(1, k + 1), p=p, workers=workers)[1]
        else:
            return self._in_blocks(points, k)
        return _sorted(self._distances(points, near), near, k)

    def _in_blocks(self, points, k):
        if self.metric != "l2":
            near = self.flat.nearest(points, k)
            return _sorted(self._distances(points, near), near, k)
        near, bound = self.flat.nearest(points, k)
        distance, near = _sorted(self._distances(points, near), near, k)
        # all points that were dropped are at least as far as the bound
        unsure = np.flatnonzero(distance[:, -1] > bound) if near.shape[1] < len(self.X) else []
        for i in unsure:
            every = np.concatenate(
                [np.linalg.norm(block - points[i], axis=1) for _, block in self._blocks()]
            )
            near[i] = np.lexsort((np.arange(len(every)), every))[:k]
            distance[i] = every[near[i]]
        return distance, near

    def _blocks(self):
        step = max(1, BLOCK // self.X.shape[1])
        for start in range(0, len(self.X), step):
            yield start, self.embed(self.X[start : start + step])

    def _distances(self, points, near):
        """Distances from differences: a matrix product gives duplicates a distance above zero."""
        out = np.empty(near.shape)
        step = max(1, BLOCK // (near.shape[1] * points.shape[1]))
        for start in range(0, len(points), step):
            rows = slice(start, start + step)
            there = self.embed(self.X[near[rows].ravel()])
            gap = there.reshape(*near[rows].shape, -1) - points[rows, None, :]
            out[rows] = np.linalg.norm(gap, ORDERS[self.metric], axis=2)
        return out

    def _probe(self, rows, k):
        """Whether a tree pays, and the mean distance of the probes to their last neighbor."""
        points, order = self.embed(self.X[rows]), ORDERS[self.metric]
        self.by_tree = False
        radius = self._in_blocks(points, k)[0][:, -1]
        unit = float(radius[radius > 0].mean()) if (radius > 0).any() else 1.0
        if len(self.X) > 2 * SAMPLE:
            some = self.X[np.linspace(0, len(self.X) - 1, SAMPLE).astype(np.intp)]
            small = cKDTree(self.embed(some), balanced_tree=False, compact_nodes=False)
            limit = HOPELESS * SAMPLE
            if self._share(small, points[::4], radius[::4], order, limit) > limit:
                return False, unit
        stop = int(WORTH[self.metric] * len(self.X))
        return bool(self._share(self.tree, points, radius, order, stop) <= stop), unit

    @staticmethod
    def _share(tree, points, radius, order, stop):
        return np.mean(
            [reached(tree, x, r, order, stop) for x, r in zip(points, radius, strict=True)]
        )


class FlatPoints:
    """Points in single precision, whose squared distances come from matrix products.

    The product of (-2 x, |x|^2) and (q, 1) is the squared distance of x and q without |q|^2. Each
    search keeps more points than asked for, those with the smallest lower bounds of this number;
    all others are provably farther than the largest of these bounds.
    """

    def __init__(self, X, embed):
        # points are measured from one of them: far from the origin nothing would be left of them
        self.origin = embed(X[:1])[0]
        d = len(self.origin)
        self.points = np.empty((len(X), d + 1), np.float32)
        # rounding of the scaled point, the product, both norms and their sum
        self.slack = (d + 16) * float(np.finfo(np.float32).eps)
        if getattr(embed, "is_affine", False):
            at_origin = embed.shift + self.origin * embed.scale
            facts = embed.fill, at_origin, 1.0 / embed.scale, self.slack
            lower_bounds(X, *facts, self.points)
            return
        zero, one, step = np.zeros(d), np.ones(d), max(1, BLOCK // d)
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            lower_bounds(embed(X[rows]), zero, self.origin, one, self.slack, self.points[rows])

    def nearest(self, points, k):
        """Candidates for the k nearest rows, and the distance that all others have at least."""
        n = len(self.points)
        exact = points - self.origin
        m = min(n, k + 8 + k // 4)
        values = np.full((len(points), m), np.inf, dtype=np.float32)
        indices = np.zeros((len(points), m), dtype=np.int64)
        queries = np.column_stack([exact, np.ones(len(points))]).astype(np.float32)
        buffer = np.empty(TILE, dtype=np.float32)
        for start in range(0, n, TILE[1]):
            block = self.points[start : start + TILE[1]].T
            for first in range(0, len(points), TILE[0]):
                rows = slice(first, first + TILE[0])
                out = buffer[: len(queries[rows]), : block.shape[1]]
                keep_smallest(
                    np.matmul(queries[rows], block, out=out), start, values[rows], indices[rows]
                )
        square = np.einsum("ij,ij->i", exact, exact)
        bound = values[:, 0].astype(np.float64) + square * (1.0 - self.slack)
        return indices, np.sqrt(np.maximum(bound, 0.0))


class OtherMetric:
    """Blocks of distances that are no matrix products, by scikit-learn."""

    def __init__(self, points, metric):
        self.blocks = NearestNeighbors(algorithm="brute", metric=METRICS[metric]).fit(points)

    def nearest(self, points, k):
        """Indices of the k nearest rows."""
        return self.blocks.kneighbors(points, k, return_distance=False)


def _sorted(distance, near, k):
    order = np.lexsort((near, distance), axis=1)[:, :k]
    return np.take_along_axis(distance, order, 1), np.take_along_axis(near, order, 1)


def reached(tree, x, radius, order, stop):
    """Number of points in cells of the tree that touch the ball, counted up to `stop`.

    This is what a search must visit. Unlike a timing it is the same in every run, and so are the
    choice of the search and the order of ties.
    """
    gap = np.maximum(0.0, np.maximum(tree.mins - x, x - tree.maxes))
    stack, count = [(tree.tree, gap)], 0
    while stack and count <= stop:
        node, gap = stack.pop()
        j = node.split_dim
        if j < 0:
            count += node.children
            continue
        beyond = x[j] - node.split
        near, far = (node.lesser, node.greater) if beyond < 0 else (node.greater, node.lesser)
        across = gap.copy()
        across[j] = abs(beyond)
        if np.linalg.norm(across, order) <= radius:
            stack.append((far, across))
        stack.append((near, gap))
    return count
