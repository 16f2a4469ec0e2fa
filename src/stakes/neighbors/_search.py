"""Exact nearest neighbours without a matrix of all distances: a tree, or blocks of distances."""

import numpy as np
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

METRICS = {"l1": "manhattan", "l2": "euclidean", "linf": "chebyshev"}
ORDERS = {"l1": 1, "l2": 2, "linf": np.inf}
# a tree pays while a search reaches less than this share of the points: a distance costs it so
# much more than one in a block, where for l2 a matrix product gives them
WORTH = {"l1": 0.08, "l2": 0.03, "linf": 0.08}
N_PROBES = 16
BLOCK = 2**22  # numbers held at once while distances are computed again


class NeighborSearch:
    """Nearest of the stored rows, by the search that fits the data.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows to be found; kept, not copied.
    metric : {"l1", "l2", "linf"}
        The distance.
    n_neighbors : int
        How many will be asked for.
    n_jobs : int or None
        Threads of the tree.
    by_tree : bool or None, default=None
        Which search; None: probed, see :func:`reached`.

    Examples
    --------
    >>> search = NeighborSearch(np.arange(10.0)[:, None], "l2", 2, None)
    >>> [found.tolist() for found in search.nearest(np.array([[3.25]]), 2)]
    [[[0.25, 0.75]], [[3, 4]]]
    """

    def __init__(self, X, metric, n_neighbors, n_jobs, by_tree=None):
        self.X, self.metric, self.n_jobs = X, metric, n_jobs
        self.blocks = NearestNeighbors(algorithm="brute", metric=METRICS[metric]).fit(X)
        # cells cut in the middle: built many times faster than at the median, found as fast
        self.tree = cKDTree(X, balanced_tree=False, compact_nodes=False)
        self.by_tree = self._probe(n_neighbors) if by_tree is None else by_tree
        if not self.by_tree:
            self.tree = None

    def nearest(self, X, k):
        """Distances and indices of the k nearest, nearest first, equal ones by their index."""
        if self.by_tree:
            p, workers = ORDERS[self.metric], 1 if self.n_jobs is None else self.n_jobs
            near = self.tree.query(X, range(1, k + 1), p=p, workers=workers)[1]
        else:
            near = self.blocks.kneighbors(X, k, return_distance=False)
        distance = self._distances(X, near)
        order = np.lexsort((near, distance), axis=1)
        return np.take_along_axis(distance, order, 1), np.take_along_axis(near, order, 1)

    def _distances(self, X, near):
        """Distances from differences: those of a matrix product are not zero between copies."""
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
        k = min(n_neighbors + 1, n)  # the row itself is found as well
        radius = self.blocks.kneighbors(self.X[rows], k)[0][:, -1]
        stop = int(WORTH[self.metric] * n)
        shares = [
            reached(self.tree, self.X[i], r, ORDERS[self.metric], stop)
            for i, r in zip(rows, radius, strict=True)
        ]
        return bool(np.mean(shares) <= stop)


def reached(tree, x, radius, order, stop):
    """How many points lie in cells of the tree that touch the ball; counted up to `stop`.

    It is what a search must look at, known without a clock, so that the choice and with it every
    tie is the same in each run.
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
