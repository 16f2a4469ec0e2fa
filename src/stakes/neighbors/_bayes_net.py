"""Class confidence by a Bayesian network per class, learned by K2."""

from numbers import Integral, Real

import numpy as np
from scipy.special import gammaln

from stakes._core.intake import check_weights
from stakes._core.labels import category_mask
from stakes._core.sklearn_private import Interval, fit_context
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import COUNT, Array, Listed, Part, Together
from stakes.neighbors._density import ClassDensity
from stakes.neighbors._docs import documented
from stakes.neighbors._k2_jit import k2_search


@documented
class BayesNetConfidence(ClassDensity):
    r"""Class confidence :math:`p(x \mid y)` by a Bayesian network learned for each class.

    Numbers are binned at their quantiles, categories are used as they are. With :math:`N_{ijk}`
    the number of examples of the class in which the parents of column i have their j-th and column
    i its k-th of :math:`r_i` values,

    .. math:: p(x \mid y = c) = \prod_i \frac{N_{ij(x)k(x)} + \alpha}
              {\sum_k N_{ij(x)k} + \alpha r_i} .

    K2 finds the parents: it adds the earlier column that most increases the probability of the
    data, one at a time while there is one,

    .. math:: \prod_j \frac{(r_i - 1)!}{(\sum_k N_{ijk} + r_i - 1)!} \prod_k N_{ijk}! .

    Parameters
    ----------
    n_bins : int, default=5
        Maximum number of bins of a number.
    max_parents : int, default=2
        Maximum number of parents; 0: independent columns, as in naive Bayes.
    categorical_features : array-like of bool, int or str, default=None
        Categorical columns: a mask, indices or names.
    order : array-like of int, default=None
        Order of the columns in the search, parents before children; None: as they are.
    smoothing : float, default=1.0
        Pseudocount :math:`\alpha`; 1 gives the posterior mean under K2's prior.
    joint : bool, default=False
        Whether to learn one network over the columns and the class, which comes first in the
        order, as in Section 4.5.2 of the thesis; else one for each class.

    Attributes
    ----------
    classes_ : ndarray
        Class labels.
    parents_ : list of list of tuple of int
        Parents of each column, for each network; with `joint` there is one, and its last column is
        the class.
    scores_ : ndarray of shape (n_networks, n_columns)
        Logarithm of K2's product, for each network and column.
    [seen]

    Notes
    -----
    Section 4.5.2 learns one network over the columns and the class and divides by p(y), as with
    `joint`; by default each class has its own network, as each has its own mixture. K2 takes
    :math:`O(d^2 u\, n)` for u parents, not the :math:`O(n^2)` of "features and instances" printed
    there. The "density" of a number is the probability of its bin; bins are shared by all classes.
    Values and parents' values that were not seen in training keep the probability of the prior,
    never zero. Parents with more than 64 table cells per example are not tried.

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

    _file_state = {
        "_coder": Part(("stakes.neighbors._bayes_net.Coder",)),
        "parents_": Listed(Listed(Listed(COUNT), "columns"), "networks"),
        "scores_": Array("f8", ("networks", "columns")),
        "_tables": Listed(
            Listed(
                Together((Array("i8", (None,), increasing=True), Array("f8", (None, None)))),
                "columns",
            ),
            "networks",
        ),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if "_coder" not in state:
            return
        arity = state["_coder"].state["arity"]
        scope.bind("columns", len(arity))
        scope.bind("d", len(arity) - bool(state["joint"]))
        scope.bind("networks", 1 if state["joint"] else scope.sizes["k"])
        for parents, tables in zip(state["parents_"], state["_tables"], strict=True):
            for i, (of_i, (keys, log_p)) in enumerate(zip(parents, tables, strict=True)):
                if any(p >= len(arity) for p in of_i):
                    raise Damaged("a parent of a column does not exist")
                if not len(keys) or log_p.shape != (len(keys) + 1, arity[i] + 1):
                    raise Damaged("a table of probabilities has a wrong shape")

    _parameter_constraints = {
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "max_parents": [Interval(Integral, 0, 8, closed="both")],
        "categorical_features": ["array-like", None],
        "order": ["array-like", None],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        "joint": ["boolean"],
    }

    def __init__(
        self,
        *,
        n_bins=5,
        max_parents=2,
        categorical_features=None,
        order=None,
        smoothing=1.0,
        joint=False,
    ):
        self.n_bins = n_bins
        self.max_parents = max_parents
        self.categorical_features = categorical_features
        self.order = order
        self.smoothing = smoothing
        self.joint = joint

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn the structure and the tables of each class.

        Parameters
        ----------
        [training]
        sample_weight : array-like of shape (n,), default=None
            Weights; a row of weight two counts as two, one of weight zero is ignored.

        Returns
        -------
        self
        """
        X, index = self._validate_Xy(X, y)
        weight = check_weights(sample_weight, X, ensure_non_negative=True)
        if not weight.all():
            used = weight > 0
            X, index, weight = X[used], index[used], weight[used]
            present, index = np.unique(index, return_inverse=True)
            self.classes_ = self.classes_[present]
        self._fit(X, index, weight)
        return self

    def _fit(self, X, index, weight):
        d = X.shape[1]
        order = self._order(d)
        names = getattr(self, "feature_names_in_", ())
        categorical = category_mask(self.categorical_features, d, names)
        if self.joint:  # the class is one more column, and the first in the order
            X, categorical = np.column_stack([X, index]), np.append(categorical, True)
            order, groups = np.append(d, order), [np.ones(len(X), dtype=bool)]
        else:
            groups = [index == k for k in range(len(self.classes_))]
        self._coder = Coder(X, self.n_bins, categorical, weight)
        codes = self._coder.codes(X)
        self.parents_, self.scores_, self._tables = [], np.empty((len(groups), X.shape[1])), []
        for k, rows in enumerate(groups):
            mine, w = np.ascontiguousarray(codes[rows].T), weight[rows]
            parents, self.scores_[k] = self._search(mine, w, order)
            self.parents_.append(parents)
            self._tables.append([self._table(mine, w, i, of_i) for i, of_i in enumerate(parents)])

    def _search(self, codes, weight, order):
        arity, d = self._coder.arity, len(codes)
        # integer counts: factorials come from a table; an empty one stands for weights
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
        """Keys of the parents' values that occur, and log p of column i given each.

        The last row is for unseen values of the parents, the last column for unseen categories.
        """
        r = int(self._coder.arity[i])
        keys, at = np.unique(self._key(codes, parents), return_inverse=True)
        counts = np.bincount(at * r + codes[i], weights=weight, minlength=len(keys) * r)
        counts = np.pad(counts.reshape(len(keys), r), ((0, 1), (0, 1)))
        total = counts.sum(axis=1, keepdims=True) + self.smoothing * r
        return keys, np.log(counts + self.smoothing) - np.log(total)

    def _key(self, codes, parents):
        """Values of the parents as one number; the radix leaves room for an unseen category."""
        key = np.zeros(codes.shape[1], dtype=np.int64)
        for p in parents:
            key = key * (self._coder.arity[p] + 1) + codes[p]
        return key

    def _log_density_of(self, X, k):
        d, network = X.shape[1], 0 if self.joint else k
        if self.joint:
            X = np.column_stack([X, np.full(len(X), k)])
        codes = np.ascontiguousarray(self._coder.codes(X).T)
        out = np.zeros(len(X))
        for i, (keys, log_p) in enumerate(self._tables[network][:d]):  # p(y) cancels
            key = self._key(codes, self.parents_[network][i])
            at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            out += log_p[np.where(keys[at] == key, at, len(keys)), codes[i]]
        return out

    def _order(self, d):
        if self.order is None:
            return np.arange(d)
        order = np.asarray(self.order)
        if order.shape != (d,) or not np.array_equal(np.sort(order), np.arange(d)):
            raise ValueError(
                f"order must be a permutation of the columns 0 to {d - 1}. "
                f"Got {order.size} entries instead."
            )
        return order


def cut_points(x, n_bins, weight):
    """Upper edges of the bins except the last: quantiles, or all values if there are few.

    A value is in bin j if it is above j of the edges. A row of weight two counts as two.

    Examples
    --------
    >>> cut_points(np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]), 3, np.ones(7)).tolist()
    [0.0, 1.0]
    """
    values, at = np.unique(x, return_inverse=True)
    if len(values) <= n_bins:
        return values[:-1]
    below = np.cumsum(np.bincount(at, weights=weight))
    found = np.searchsorted(below, below[-1] * np.arange(1, n_bins) / n_bins)
    return values[np.unique(np.minimum(found, len(values) - 2))]


class Coder:
    """Encoder of all columns; unseen categories get the code after the last.

    Examples
    --------
    >>> X = np.array([[0.1, 7.0], [0.2, 9.0], [0.3, 9.0]])
    >>> coder = Coder(X, 2, np.array([False, True]), np.ones(3))
    >>> coder.arity.tolist(), coder.codes(np.array([[5.0, 8.0]])).tolist()
    ([2, 2], [[1, 2]])
    """

    _file_state = {
        "categorical": Array("b", ("d",)),
        "points": Listed(Array("f8", (None,), increasing=True), "d"),
        "arity": Array("i8", ("d",), low=0),
    }

    @staticmethod
    def _check_file_state(state, scope):
        columns = (state[name] for name in ("points", "categorical", "arity"))
        for points, is_category, arity in zip(*columns, strict=True):
            if arity != len(points) + (not is_category) or arity < 1:
                raise Damaged("the codes of a column do not add up")

    def __init__(self, X, n_bins, categorical, weight):
        self.categorical = categorical
        self.points = [
            np.unique(x) if is_category else cut_points(x, n_bins, weight)
            for x, is_category in zip(X.T, categorical, strict=True)
        ]
        self.arity = np.array(
            [len(p) + (not c) for p, c in zip(self.points, categorical, strict=True)], np.int64
        )

    def codes(self, X):
        """Codes of the rows of X, shape (n, d)."""
        out = np.empty(X.shape, dtype=np.int64)
        for i, (points, is_category) in enumerate(zip(self.points, self.categorical, strict=True)):
            at = np.searchsorted(points, X[:, i])
            if is_category:
                known = points[np.minimum(at, len(points) - 1)] == X[:, i]
                at = np.where(known, at, len(points))
            out[:, i] = at
        return out
