"""Safe-level SMOTE: synthetic examples lean to the neighbour that has more of its own kind."""

import warnings
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state

from stakes._core.sklearn_private import Interval, StrOptions
from stakes.sampling._base import Sampler, imbalanced_learn, like_given


class SafeLevelSMOTE(Sampler):
    r"""Over-samples the rare class where it is at home.

    The safe level :math:`s_p` of an example is how many of its `k_neighbors` nearest neighbours
    are of its class. A synthetic example lies between an example :math:`p` and a neighbour
    :math:`n` of it, on the side of the safer one:

    .. math:: x = p + g\,(n - p), \qquad g \sim \begin{cases}
              0 & s_n = 0 < s_p \\
              U(0, s_n / s_p) & 0 < s_n \le s_p \\
              U(1 - s_p / s_n, 1) & s_p < s_n \end{cases}

    and pairs with :math:`s_p = s_n = 0`, both in the midst of the other class, give none.

    Parameters
    ----------
    sampling_strategy : float, str, dict or callable, default="auto"
        How many are made, as in imbalanced-learn: "auto" makes all classes as large as the
        largest, a number sets the ratio of the two classes.
    k_neighbors : int, default=5
        Neighbours that are counted, and drawn from.
    partners : {"class", "all"}, default="class"
        Whether :math:`n` is drawn from the nearest neighbours of the own class, or from the
        nearest of all.
    random_state : int, RandomState instance or None, default=None
        For the draws.

    Attributes
    ----------
    sampling_strategy_ : dict
        Class -> how many examples were asked for.
    safe_levels_ : dict
        Class -> safe level of each of its examples, in the order of the training set.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The paper draws :math:`n` "from the k nearest neighbours" in the whole set, which lets a
    synthetic rare example lie at a common one; the package of its second author draws from the
    rare class, as here by default. The paper draws :math:`g` for each attribute anew, its text has
    the point on the line between two examples, as here. Pairs that give none are drawn again, so
    that as many examples are made as are asked for.

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
        """Add synthetic examples of the rare class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples, numbers only.
        y : array-like of shape (n,)
            Their labels.

        Returns
        -------
        (X, y) with the given examples first, then the synthetic ones.
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
                f"Class {str(kind)!r} has one example only, and a synthetic one lies between two; "
                "leave it out or gather more."
            )
        near = nearest(X, self.k_neighbors)
        level = own[near].sum(axis=1)  # of every example, how many neighbours are of the class
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
                f"No example of class {str(kind)!r} has one of its own class among its "
                f"{near.shape[1]} nearest neighbours: none is safe, and none was added.",
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
    """The k nearest other rows of each row; fewer if there are fewer."""
    k = min(k, X.shape[0] - 1)
    return NearestNeighbors(n_neighbors=k).fit(X).kneighbors(return_distance=False)


def gap_of(level_p, level_n, u):
    """How far from p towards n, given the safe levels and a number between 0 and 1 by chance.

    Examples
    --------
    >>> gap_of(np.array([2, 4, 1]), np.array([0, 2, 4]), np.array([0.5, 0.5, 0.5]))
    array([0.   , 0.25 , 0.875])
    """
    level_p, level_n = np.asarray(level_p, dtype=np.float64), np.asarray(level_n, dtype=np.float64)
    larger = np.maximum(np.maximum(level_p, level_n), 1.0)
    share = np.minimum(level_p, level_n) / larger
    return np.where(level_n <= level_p, u * share, 1.0 - share + u * share)
