"""How typical an example is of its class: a Bayesian network for each class, learnt by K2."""

from numbers import Integral, Real

import numpy as np
from scipy.special import gammaln

from stakes._core.labels import category_mask
from stakes._core.sklearn_private import Interval, check_sample_weight, fit_context
from stakes.neighbors._codes import Coder
from stakes.neighbors._density import ClassDensity
from stakes.neighbors._k2_jit import k2_search


class BayesNetConfidence(ClassDensity):
    r"""Class confidence :math:`p(x \mid y)` by a Bayesian network learnt from each class alone.

    Numbers are cut into bins at their quantiles, categories are taken as they are. With
    :math:`N_{ijk}` the examples of the class whose parents of column i have their j-th values and
    whose column i has its k-th of :math:`r_i` values,

    .. math:: p(x \mid y = c) = \prod_i \frac{N_{ij(x)k(x)} + \alpha}
              {\sum_k N_{ij(x)k} + \alpha r_i} ,

    and the parents are those that K2 finds: out of the columns before, one by one, the one that
    raises the probability of the data most,

    .. math:: \prod_j \frac{(r_i - 1)!}{(\sum_k N_{ijk} + r_i - 1)!} \prod_k N_{ijk}! .

    Parameters
    ----------
    n_bins : int, default=5
        Bins of a number; one with so few different values keeps them.
    max_parents : int, default=2
        Largest number of parents; 0: independent columns, naive Bayes.
    categorical_features : array-like of bool, int or str, default=None
        Columns that hold categories as numbers: a mask, their numbers from zero or their names.
    order : array-like of int, default=None
        Columns in the order of the search, parents before children; None: as they come.
    smoothing : float, default=1.0
        :math:`\alpha`; 1 is the mean under K2's prior.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    parents_ : list of list of tuple of int
        For each class the parents of each column.
    scores_ : ndarray of shape (n_classes, d)
        Logarithms of the products that K2 raises, for each class and column.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Section 4.5.2 learns one network over the columns and the class and divides by p(y); here each
    class has a network of its own, as each has its own mixture. K2 takes :math:`O(d^2 u\, n)` for
    u parents, not the :math:`O(n^2)` of "features and instances" printed there. Of numbers the
    "density" is the probability of their bins, which are the same for all classes. A value that
    is unseen under its parents, a category that is unseen at all and parents that are unseen
    together have the probability that the prior leaves them, never zero. Parents with more than
    64 cells per example are not tried.

    References
    ----------
    .. [1] G. Cooper, E. Herskovits. "A Bayesian Method for the Induction of Probabilistic Networks
       from Data". Machine Learning 9, 1992.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 0], [0, 0], [1, 1], [1, 1], [1, 1], [0, 1], [1, 0]])
    >>> model = BayesNetConfidence().fit(X, [0, 0, 0, 0, 0, 0, 1, 1])
    >>> model.parents_[0]
    [(), (0,)]
    >>> np.exp(model.log_density([[1, 1]])).round(3).tolist()  # 1/2 x 4/5, 1/2 x 1/3
    [[0.4, 0.167]]
    """

    _parameter_constraints = {
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "max_parents": [Interval(Integral, 0, 8, closed="both")],
        "categorical_features": ["array-like", None],
        "order": ["array-like", None],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self, n_bins=5, *, max_parents=2, categorical_features=None, order=None, smoothing=1.0
    ):
        self.n_bins = n_bins
        self.max_parents = max_parents
        self.categorical_features = categorical_features
        self.order = order
        self.smoothing = smoothing

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn the structure and the tables of each class.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their classes.
        sample_weight : array-like of shape (n,), default=None
            Weights; a weight of two is the same as the row twice, one of zero as no row.

        Returns
        -------
        self
        """
        X, index = self._validate_Xy(X, y)
        weight = check_sample_weight(sample_weight, X, ensure_non_negative=True)
        if not weight.all():
            used = weight > 0
            X, index, weight = X[used], index[used], weight[used]
            self.classes_, index = self.classes_[np.unique(index)], _renumber(index)
        self._fit(X, index, weight)
        return self

    def _fit(self, X, index, weight):
        d = X.shape[1]
        order = self._order(d)
        names = getattr(self, "feature_names_in_", ())
        categorical = category_mask(self.categorical_features, d, names)
        self._coder = Coder(X, self.n_bins, categorical, weight)
        codes = self._coder.codes(X)
        self.parents_, self.scores_, self._tables = [], np.empty((len(self.classes_), d)), []
        for k in range(len(self.classes_)):
            rows = index == k
            mine, w = np.ascontiguousarray(codes[rows].T), weight[rows]
            parents, self.scores_[k] = self._search(mine, w, order)
            self.parents_.append(parents)
            self._tables.append([self._table(mine, w, i, of_i) for i, of_i in enumerate(parents)])

    def _search(self, codes, weight, order):
        arity, d = self._coder.arity, len(codes)
        whole = (weight == np.rint(weight)).all() and weight.sum() < 1e8
        top = int(weight.sum()) + int(arity.max()) + 1 if whole else 0
        found, scores = k2_search(
            np.ascontiguousarray(codes[order]),
            arity[order],
            weight,
            self.max_parents,
            gammaln(np.arange(1.0, top + 1)),
        )
        parents, of_column = [()] * d, np.empty(d)
        for i, row, score in zip(order, found, scores, strict=True):
            parents[i] = tuple(int(order[j]) for j in row if j >= 0)
            of_column[i] = score
        return parents, of_column

    def _table(self, codes, weight, i, parents):
        """Keys of the parents' values that occur, and log p of column i under each.

        The last row is for parents that do not occur, the last column for unknown categories.
        """
        r = int(self._coder.arity[i])
        keys, at = np.unique(self._key(codes, parents), return_inverse=True)
        counts = np.bincount(at * r + codes[i], weights=weight, minlength=len(keys) * r)
        counts = np.pad(counts.reshape(len(keys), r), ((0, 1), (0, 1)))
        total = counts.sum(axis=1, keepdims=True) + self.smoothing * r
        return keys, np.log(counts + self.smoothing) - np.log(total)

    def _key(self, codes, parents):
        key = np.zeros(codes.shape[1], dtype=np.int64)
        for p in parents:
            key = key * (self._coder.arity[p] + 1) + codes[p]
        return key

    def _log_density_of(self, X, k):
        codes = np.ascontiguousarray(self._coder.codes(X).T)
        out = np.zeros(len(X))
        for i, (keys, log_p) in enumerate(self._tables[k]):
            key = self._key(codes, self.parents_[k][i])
            at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            out += log_p[np.where(keys[at] == key, at, len(keys)), codes[i]]
        return out

    def _order(self, d):
        if self.order is None:
            return np.arange(d)
        order = np.asarray(self.order)
        if order.shape != (d,) or not np.array_equal(np.sort(order), np.arange(d)):
            raise ValueError(
                f"order must hold each of the {d} columns once, as 0 to {d - 1}. "
                f"Got {order.size} entries instead."
            )
        return order


def _renumber(index):
    return np.unique(index, return_inverse=True)[1]
