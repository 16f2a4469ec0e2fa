"""Class confidence by a Bayesian network per class, learned by K2."""

import math
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy.special import gammaln

from stakes._core.labels import category_mask
from stakes._core.sklearn_private import Interval
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import COUNT, Array, Listed, Part, Together
from stakes.neighbors._density import ClassDensity
from stakes.neighbors._docs import documented
from stakes.neighbors._k2_jit import k2_search
from stakes.neighbors._network_jit import Cuts, Tables, encode, network_log_p

DENSE = 2**10  # keys of the parents of a column up to which all have a row, seen or not
STEPS = 8  # cut points up to which a number is compared with all of them


@documented
@dataclass(kw_only=True, eq=False, repr=False)
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
    max_rows : int, default=5000
        Maximum number of examples of a class; of more, evenly spaced ones are used. All are used
        with `joint`, where a sample of the rare class would change its share.
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
                if keys[0] < 0 or keys[-1] >= math.prod(int(arity[p]) + 1 for p in of_i):
                    raise Damaged("a table has values that its parents cannot have")

    _parameter_constraints = {
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "max_parents": [Interval(Integral, 0, 8, closed="both")],
        "categorical_features": ["array-like", None],
        "order": ["array-like", None],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        "max_rows": [Interval(Integral, 2, None, closed="left")],
        "joint": ["boolean"],
    }

    n_bins: int = 5
    max_parents: int = 2
    categorical_features: object = None
    order: object = None
    smoothing: float = 1.0
    max_rows: int = 5_000
    joint: bool = False

    def _fit(self, X, groups, weight):
        d = X.shape[1]
        order = self._order(d)
        names = getattr(self, "feature_names_in_", ())
        categorical = category_mask(self.categorical_features, d, names)
        sizes = [len(rows) for rows in groups]
        if not self.joint:
            groups = [evenly(rows, self.max_rows) for rows in groups]
        drawn, rows = [len(rows) for rows in groups], np.concatenate(groups)
        X, weight = X[rows], weight[rows]
        if self.joint:  # the class is one more column, and the first in the order
            X = np.column_stack([X, np.repeat(np.arange(len(groups)), drawn)])
            categorical, order = np.append(categorical, True), np.append(d, order)
            drawn = [len(X)]
            stands_for = weight
        else:
            stands_for = weight * np.repeat(np.divide(sizes, drawn), drawn)
        self._coder = Coder(X, self.n_bins, categorical, stands_for)
        codes = self._coder.codes(X)
        self.parents_, self.scores_, self._tables = [], np.empty((len(drawn), X.shape[1])), []
        for k, last in enumerate(np.cumsum(drawn)):
            rows = slice(last - drawn[k], last)
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
        key, n_keys = np.zeros(codes.shape[1], dtype=np.int64), 1
        for p in parents:  # the radix leaves room for an unseen category
            radix = int(self._coder.arity[p]) + 1
            key, n_keys = key * radix + codes[p], n_keys * radix
        if n_keys <= DENSE:
            keys = np.flatnonzero(np.bincount(key, minlength=n_keys))
            at = row_numbers(keys, n_keys)[key]
        else:
            keys, at = np.unique(key, return_inverse=True)
        counts = np.bincount(at * r + codes[i], weights=weight, minlength=len(keys) * r)
        counts = np.pad(counts.reshape(len(keys), r), ((0, 1), (0, 1)))
        total = counts.sum(axis=1, keepdims=True) + self.smoothing * r
        return keys, np.log(counts + self.smoothing) - np.log(total)

    def _log_density_of(self, k):
        network, radix = 0 if self.joint else k, self._coder.arity + 1
        d = len(radix) - self.joint
        cuts = self._coder.cuts(d)
        tables = flat_tables(self.parents_[network], self._tables[network], radix, d)
        return lambda X, rows: network_log_p(X, rows, k, cuts, tables)

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


def evenly(rows, most):
    """The rows, or `most` of them that are evenly spaced.

    Examples
    --------
    >>> evenly(np.arange(10), 4).tolist()
    [0, 3, 6, 9]
    """
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(np.intp)]


def row_numbers(keys, n_keys):
    """Number of each possible key among those that occur; `len(keys)` for the others."""
    out = np.full(n_keys, len(keys))
    out[keys] = np.arange(len(keys))
    return out


def flat_tables(parents, tables, radix, d):
    """The tables of the first d columns as the compiled pass reads them; p(y) cancels."""
    links, searched, flat = [], [], []
    for i, (of_i, (keys, log_p)) in enumerate(zip(parents[:d], tables[:d], strict=True)):
        n_keys = 1
        for p in reversed(of_i):
            links.append((p, i, n_keys))
            n_keys *= int(radix[p])
        small = n_keys <= DENSE
        searched.append(keys[:0] if small else keys)
        flat.append((log_p[row_numbers(keys, n_keys)] if small else log_p).ravel())
    return Tables(
        *np.array(links, dtype=np.int64).reshape(-1, 3).T.copy(),
        radix,
        np.concatenate(searched),
        starts(searched),
        np.concatenate(flat),
        starts(flat),
    )


def starts(parts):
    """Where each part starts if all are joined, and where the last one ends."""
    return np.append(0, np.cumsum([len(part) for part in parts])).astype(np.int64)


def cut_points(x, n_bins, weight):
    """Upper edges of the bins except the last: quantiles, or all values if there are few.

    A value is in bin j if it is above j of the edges. A row of weight two counts as two.

    Examples
    --------
    >>> cut_points(np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]), 3, np.ones(7)).tolist()
    [0.0, 1.0]
    """
    order = np.argsort(x)
    x, below = x[order], np.cumsum(weight[order])
    last = np.append(x[1:] != x[:-1], True)  # of the rows with the same value
    values, below = x[last], below[last]
    if len(values) <= n_bins:
        return values[:-1]
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
        return encode(X, self.cuts(X.shape[1]))

    def cuts(self, d):
        """The codes of the first d columns as the compiled pass reads them."""
        points, categorical = self.points[:d], self.categorical[:d]
        searched = categorical | (np.array([len(p) for p in points]) > STEPS)
        counted = [p[: 0 if s else len(p)] for p, s in zip(points, searched, strict=True)]
        steps = np.full((max(len(p) for p in counted), d), np.inf)
        for j, p in enumerate(counted):
            steps[: len(p), j] = p
        return Cuts(
            steps, np.flatnonzero(searched), categorical, np.concatenate(points), starts(points)
        )
