"""Exact nearest neighbours from a tree or from blocks of distances, without a full matrix."""

import numpy as np
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

METRICS = {"l1": "manhattan", "l2": "euclidean", "linf": "chebyshev"}
ORDERS = {"l1": 1, "l2": 2, "linf": np.inf}
# a tree is faster while a search visits less than this share of the points, measured: a distance
# in a block is cheaper by this factor, for l2 by a matrix product
WORTH = {"l1": 0.08, "l2": 0.03, "linf": 0.08}
N_PROBES = 16
BLOCK = 2**22  # numbers in memory while distances are recomputed


class NeighborSearch:
    """Nearest of the stored rows X (not copied), by the search that suits the data.

    It is chosen by probes for `n_neighbors` neighbours, see :func:`reached`, unless `by_tree` says
    which. The tree uses `n_jobs` threads.

    Examples
    --------
    >>> search = NeighborSearch(np.arange(10.0)[:, None], "l2", 2, None)
    >>> [found.tolist() for found in search.nearest(np.array([[3.25]]), 2)]
    [[[0.25, 0.75]], [[3, 4]]]
    """

    def __init__(self, X, metric, n_neighbors, n_jobs, by_tree=None):
        self.X, self.metric, self.n_jobs = X, metric, n_jobs
        self.blocks = NearestNeighbors(algorithm="brute", metric=METRICS[metric]).fit(X)
        # cells split at their middle: built many times faster than at the median, as fast to search
        self.tree = cKDTree(X, balanced_tree=False, compact_nodes=False)
        self.by_tree = self._probe(n_neighbors) if by_tree is None else by_tree
        if not self.by_tree:
            self.tree = None

    def nearest(self, X, k):
        """Distances and indices of the k nearest rows, nearest first, ties by index."""
        if self.by_tree:
            p, workers = ORDERS[self.metric], 1 if self.n_jobs is None else self.n_jobs
            near = self.tree.query(X, range(1, k + 1), p=p, workers=workers)[1]
        else:
            near = self.blocks.kneighbors(X, k, return_distance=False)
        distance = self._distances(X, near)
        order = np.lexsort((near, distance), axis=1)
        return np.take_along_axis(distance, order, 1), np.take_along_axis(near, order, 1)

    def _distances(self, X, near):
        """Distances from differences: a matrix product gives duplicates a distance above zero."""
        out = np.empty(near.shape)
        step = max(1, BLOCK // (near.shape[1] * X.shape[1]))
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            gap = self.X[near[rows]] - X[rows, None, :]
            out[rows] = np.linalg.norm(gap, ORDERS[self.metric], axis=2)
        return out

    def _probe(self, n_neighbors):
        n = len(self.X)
        rows = np.unique(np.linspace(0, n - 1, N_PROBES).astype(np.intp))
        k = min(n_neighbors + 1, n)  # the row itself is found too
        radius = self.blocks.kneighbors(self.X[rows], k)[0][:, -1]
        stop = int(WORTH[self.metric] * n)
        shares = [
            reached(self.tree, self.X[i], r, ORDERS[self.metric], stop)
            for i, r in zip(rows, radius, strict=True)
        ]
        return bool(np.mean(shares) <= stop)


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
