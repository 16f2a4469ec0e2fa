"""Safe-level SMOTE: synthetic examples close to the safer of two neighbors."""

import warnings
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state

from stakes._core.docs import documented
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.sampling._base import Sampler, imbalanced_learn, like_given


@documented()
class SafeLevelSMOTE(Sampler):
    r"""Over-samples the minority class where it has neighbors of its own class.

    The safe level :math:`s_p` of an example is the number of its `k_neighbors` nearest neighbors
    of its class. A synthetic example lies between an example :math:`p` and one of its neighbors
    :math:`n`, nearer to the safer one:

    .. math:: x = p + g\,(n - p), \qquad g \sim \begin{cases}
              0 & s_n = 0 < s_p \\
              U(0, s_n / s_p) & 0 < s_n \le s_p \\
              U(1 - s_p / s_n, 1) & s_p < s_n \end{cases}

    Pairs with :math:`s_p = s_n = 0`, surrounded by the other class, are not used.

    Parameters
    ----------
    sampling_strategy : float, str, dict or callable, default="auto"
        Number of synthetic examples, as in imbalanced-learn: "auto" balances all classes with the
        largest, a number is the ratio of the two classes.
    k_neighbors : int, default=5
        Number of neighbors that are counted, and drawn from.
    partners : {"class", "all"}, default="class"
        Whether :math:`n` is drawn from the nearest neighbors within the class or among all
        examples.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.

    Attributes
    ----------
    sampling_strategy_ : dict
        Class -> number of synthetic examples.
    safe_levels_ : dict
        Class -> safe level of each of its examples, in the order of the training set.
    [seen]

    Notes
    -----
    The paper draws :math:`n` "from the k nearest neighbors" in the whole set, which can put a
    synthetic minority example on a majority one; the package of its second author draws from the
    minority class, the default here. The paper's algorithm draws :math:`g` for each attribute; its
    text puts the point on the line between two examples, as here. Unused pairs are drawn again, so
    that the requested number of examples is made.

    References
    ----------
    .. [1] C. Bunkhumpornpat, K. Sinapiromsaran, C. Lursinsap. "Safe-Level-SMOTE". PAKDD 2009.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(110, 2)), np.repeat([0, 1], [100, 10])
    >>> X[y == 1] += 2
    >>> X_new, y_new = SafeLevelSMOTE(random_state=0).fit_resample(X, y)
    >>> np.bincount(y_new).tolist()
    [100, 100]
    """

    _parameter_constraints = {
        "sampling_strategy": "no_validation",
        "k_neighbors": [Interval(Integral, 1, None, closed="left")],
        "partners": [StrOptions({"class", "all"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self, *, sampling_strategy="auto", k_neighbors=5, partners="class", random_state=None
    ):
        self.sampling_strategy = sampling_strategy
        self.k_neighbors = k_neighbors
        self.partners = partners
        self.random_state = random_state

    def fit_resample(self, X, y):
        """Add synthetic examples of the minority class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples, numbers only.
        y : array-like of shape (n,)
            Labels.

        Returns
        -------
        (X, y)
            The given examples, then the synthetic ones.
        """
        self._validate_params()
        values, labels = self._validate(X, y)
        check = imbalanced_learn("utils", self).check_sampling_strategy
        self.sampling_strategy_ = check(self.sampling_strategy, labels, "over-sampling")
        random = check_random_state(self.random_state)
        self.safe_levels_ = {}
        new_X, new_y = [values], [labels]
        for kind, wanted in self.sampling_strategy_.items():
            if wanted > 0:
                new_X.append(self._synthetic(values, labels == kind, kind, wanted, random))
                new_y.append(np.full(new_X[-1].shape[0], kind, dtype=labels.dtype))
        stack = sparse.vstack if sparse.issparse(values) else np.vstack
        return like_given(stack(new_X), X), np.concatenate(new_y)

    def _synthetic(self, X, own, kind, wanted, random):
        members = np.flatnonzero(own)
        if len(members) < 2:
            raise ValueError(
                f"Class {str(kind)!r} has only one example, and a synthetic one needs two; remove "
                "the class or collect more examples."
            )
        near = nearest(X, self.k_neighbors)
        level = own[near].sum(axis=1)  # neighbors in the class, of every example
        self.safe_levels_[kind] = level[members]
        if self.partners == "all":
            partner = near[members]
        else:
            partner = members[nearest(X[members], self.k_neighbors)]
        first = np.repeat(members, partner.shape[1])
        second = partner.ravel()
        useful = np.flatnonzero((level[first] > 0) | (level[second] > 0))
        if not len(useful):
            warnings.warn(
                f"No example of class {str(kind)!r} has another one of its class among its "
                f"{near.shape[1]} nearest neighbors, so no synthetic example was added.",
                UserWarning,
                stacklevel=3,
            )
            return X[:0]
        pair = useful[random.randint(len(useful), size=wanted)]
        p, n = first[pair], second[pair]
        gap = gap_of(level[p], level[n], random.uniform(size=wanted))
        if sparse.issparse(X):
            return X[p] + sparse.diags_array(gap).tocsr() @ (X[n] - X[p])
        return X[p] + gap[:, None] * (X[n] - X[p])


def nearest(X, k):
    """Indices of the k nearest other rows of each row, or of all if there are fewer."""
    k = min(k, X.shape[0] - 1)
    return NearestNeighbors(n_neighbors=k).fit(X).kneighbors(return_distance=False)


def gap_of(level_p, level_n, u):
    """Position between p (0) and n (1), given their safe levels and a uniform random number.

    Examples
    --------
    >>> gap_of(np.array([2, 4, 1]), np.array([0, 2, 4]), np.array([0.5, 0.5, 0.5]))
    array([0.   , 0.25 , 0.875])
    """
    level_p, level_n = np.asarray(level_p, dtype=np.float64), np.asarray(level_n, dtype=np.float64)
    larger = np.maximum(np.maximum(level_p, level_n), 1.0)
    share = np.minimum(level_p, level_n) / larger
    return np.where(level_n <= level_p, u * share, 1.0 - share + u * share)
