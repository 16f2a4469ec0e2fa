"""Maps from examples to a fixed number of features whose inner product is the Gaussian kernel."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse

from stakes._core.row_hash import hash_name
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Array, Count, Number
from stakes.online_kernel._features_jit import fourier_entries, fourier_rows, landmark_rows

PART = 1024  # rows whose features are in memory at a time
TOL = 0.05  # share of an example outside of the span of the landmarks that makes it one


class FourierMap:
    r"""Orthogonal random features of the kernel exp(-gamma |x - z|^2).

    :math:`\phi(x) = h^{-1/2} (\cos w_j^\top x, \sin w_j^\top x)_{j \le h}`. The directions w_j have
    the length of Gaussian ones and are orthogonal in groups of d, which approximates the kernel
    better than independent ones do.

    Parameters
    ----------
    n_features : int
        Number of features of an example, d.
    n_components : int
        Number of features made of them, two per direction.
    gamma : float
        Parameter of the kernel.
    rng : RandomState
        Source of the directions.
    """

    _file_state = {"W": Array("f8", ("d", None)), "gamma": Number(0.0)}

    def __init__(self, n_features, n_components, gamma, rng):
        h, groups = -(-n_components // 2), []
        while sum(group.shape[1] for group in groups) < h:
            n = min(n_features, h - sum(group.shape[1] for group in groups))
            Q, _ = np.linalg.qr(rng.normal(size=(n_features, n)))
            groups.append(Q * np.sqrt(rng.chisquare(n_features, size=n)))
        self.W = np.ascontiguousarray(np.hstack(groups))
        self.gamma = float(gamma)

    @property
    def n_components(self):
        """Number of features."""
        return 2 * self.W.shape[1]

    def rows(self, X, out, may_join=None):
        """Write the features of the rows of X to `out`; `may_join` is not used."""
        _own(self)
        scale = np.sqrt(2.0 * self.gamma)
        if sparse.issparse(X):
            fourier_entries(X.indptr, X.indices, X.data, self.W, scale, out)
        else:
            fourier_rows(X, self.W, scale, out)

    def scoring_parts(self):
        """Directions of the waves, (d, h)."""
        return self.W * np.sqrt(2.0 * self.gamma)

    def set_gamma(self, gamma):
        """Change the kernel."""
        self.gamma = float(gamma)


class NystroemMap:
    r"""Coordinates of k(x, .) in the span of landmarks, which are chosen as the examples come.

    :math:`\phi(x) = U^{-\top} (k(l_j, x))_{j \le m}` with :math:`U^\top U` the Gram matrix of the
    landmarks: for landmarks, inner products are exactly the kernel. An example of which more than
    5 % lies outside of their span becomes a landmark while there is room, and a new landmark adds
    a feature without changing the others, so that what a learner knows of them stays true.

    Parameters
    ----------
    n_features, n_components : int
        Number of features of an example, and maximum number of landmarks.
    gamma : float
        Parameter of the kernel.
    rng : RandomState
        Not used: the examples decide.
    """

    _file_state = {
        "L": Array("f8", ("d", "c")),
        "norms": Array("f8", ("c",), low=0.0),
        "U": Array("f8", ("c", "c"), low=-1.01, high=1.01),  # the kernel is at most one
        "m": Count("m"),
        "gamma": Number(0.0),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if state["m"] > len(state["norms"]) or np.any(np.diag(state["U"])[: state["m"]] < 1e-6):
            raise Damaged("the landmarks of a kernel learner do not fit together")

    def __init__(self, n_features, n_components, gamma, rng=None):
        self.L = np.zeros((n_features, n_components))
        self.norms, self.U = np.zeros(n_components), np.zeros((n_components, n_components))
        self.m, self.gamma = 0, float(gamma)

    @property
    def n_components(self):
        """Number of features; those of landmarks to come are zero."""
        return len(self.norms)

    def rows(self, X, out, may_join=None):
        """Write the features of the rows of X to `out`; `may_join`: which may become landmarks."""
        _own(self)
        X = X.toarray() if sparse.issparse(X) else X
        landmarks = self.L, self.norms, self.U, self.m  # m last: see set_gamma
        if may_join is None:  # another thread may learn meanwhile: its m stays
            landmark_rows(X, *landmarks, self.gamma, TOL, np.zeros(len(X), bool), out)
        else:
            self.m = landmark_rows(X, *landmarks, self.gamma, TOL, may_join, out)

    def scoring_parts(self):
        """Landmarks (m, d), the factor of their Gram matrix, gamma, and the number of features."""
        m = self.m
        return self.L[:, :m].T, self.U[:m, :m], self.gamma, self.n_components

    def set_gamma(self, gamma):
        """Change the kernel: the same examples, in their order, are asked again."""
        landmarks = np.ascontiguousarray(self.L[:, : self.m].T)
        other = NystroemMap(len(self.L), self.n_components, gamma)
        out = np.empty((len(landmarks), self.n_components))
        other.rows(landmarks, out, np.ones(len(landmarks), bool))
        # a thread that predicts meanwhile reads m last, and never more of U than is filled
        self.m = 0
        self.L, self.norms, self.U, self.gamma = other.L, other.norms, other.U, other.gamma
        self.m = other.m


def _own(part):
    """Copy the arrays that a loaded model maps read-only from its file."""
    for name, value in vars(part).items():
        if isinstance(value, np.ndarray) and not value.flags.writeable:
            setattr(part, name, value.copy())


def by_parts(score, X, n_jobs):
    """Scores of many rows, PART of them at a time, in `n_jobs` threads."""
    parts = [X[start : start + PART] for start in range(0, X.shape[0], PART)]
    threads = min(effective_n_jobs(n_jobs), len(parts))
    if threads == 1:
        return np.concatenate([score(rows) for rows in parts])
    with ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(score, parts)))


def hashed_row(x, n):
    """A dict as a row of n columns, by a hash of each name with a sign."""
    row = np.zeros((1, n))
    for name, value in x.items():
        at, sign = hash_name(name, n)
        row[0, at] += sign * value
    return row


def named_row(x, names):
    """A dict as a row; unknown names are ignored."""
    return np.array([[x.get(name, 0.0) for name in names]], dtype=np.float64)


MAPS = {"fourier": FourierMap, "nystroem": NystroemMap}
