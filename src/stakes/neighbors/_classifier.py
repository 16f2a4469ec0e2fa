"""Nearest neighbours whose votes are weighted by how typical they are of their class."""

from numbers import Integral, Real

import numpy as np
from scipy.special import expit

from stakes._core.base import CostSensitiveClassifier, LearnerInfo, at_stake
from stakes._core.deciding import spread_rows, warn_below_trivial
from stakes._core.sigmoid import LARGEST, fit_sigmoid
from stakes._core.sklearn_private import HasMethods, Interval, StrOptions, fit_context
from stakes._core.stored.spec import FEATURES, Array, Flag, Listed, Number, Sometimes, labels
from stakes.neighbors._bayes_net import BayesNetConfidence
from stakes.neighbors._docs import documented
from stakes.neighbors._mixture import MixtureConfidence
from stakes.neighbors._search import ORDERS, NeighborSearch

BLOCK_ROWS = 2**14  # rows whose neighbours are in memory at once
N_HELD = 1000  # maximum number of examples per class that the sigmoid is fitted to
# the mixture with a fixed seed: the same examples give the same votes
MODELS = {"mixture": MixtureConfidence(random_state=0), "bayes_net": BayesNetConfidence()}


@documented
class ConfidenceNeighborsClassifier(CostSensitiveClassifier):
    r"""Nearest neighbours weighted by class confidence (CCW).

    A neighbour :math:`x_i` at distance :math:`d_i` votes for its class with weight

    .. math:: g(d_i)\, \frac{p(x_i \mid y_i)}{\bar p} , \qquad
              g(d) = 1, \quad \frac1d \quad \text{or} \quad 1 - \frac{d}{d_{\max}} ,

    where :math:`\bar p` is the geometric mean confidence of the training examples. `smoothing`
    votes are added in the proportions of the training set.

    Parameters
    ----------
    n_neighbors : int, default=11
        Number of neighbours that vote.
    weights : {"none", "inverse", "additive"}, default="inverse"
        Distance weights :math:`g`: constant, the thesis's MI, or its AI.
    confidence_model : {"mixture", "bayes_net"}, None or object, default="bayes_net"
        Model of :math:`p(x \mid y)`: `MixtureConfidence(random_state=0)` or `BayesNetConfidence()`
        by name, or any object with `log_confidence(X, index)`; None: equal confidence, which gives
        ordinary nearest neighbours.
    metric : {"l1", "l2", "linf"}, default="l2"
        Distance.
    smoothing : float, default=1.0
        Added votes, in units of a neighbour of mean confidence (at distance one for "inverse").
    calibration : {"sigmoid"} or None, default="sigmoid"
        How `predict_proba` follows from the votes: a sigmoid of their log-odds, fitted to at most
        1000 training examples per class that do not vote for themselves; None: the vote share.
    n_jobs : int, default=None
        Number of threads of the tree search.
    [costs]

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Class labels; `classes_[1]` is the positive class.
    log_confidence_ : ndarray of shape (n,)
        Log confidence of the stored examples, minus its mean.
    max_distance_ : float
        Diameter :math:`d_{\max}` of the bounding box of the training examples.
    by_tree_ : bool
        Whether neighbours are searched in a tree or in blocks of distances.
    slope_, offset_ : float
        Parameters of the sigmoid; a slope of zero means that the votes carry no information.
    [seen]

    Notes
    -----
    Eqs. 4.5 to 4.8. The share of a class among near neighbours tends to its posterior, so that the
    confidence counts the likelihood twice: the votes tend to :math:`\pi_c\, p(x \mid c)^2`, not to
    the posterior of Eq. 4.9. `decision_function` is the thesis's rule; `predict_proba` corrects its
    probabilities. With the true densities the slope tends to one half. `fit` warns
    `BelowTrivialWarning` if, on the examples that the sigmoid is fitted to, decisions by expected
    cost cost more than the best constant policy.

    At distance zero, "inverse" lets only neighbours at distance zero vote. Weights are kept as
    logarithms, since densities in many dimensions over- and underflow. Costs weigh the votes in
    `decision_function`. Neighbours are exact: found in a tree, or in blocks of distances where a
    tree would visit too many points (`by_tree_`).

    References
    ----------
    .. [1] W. Liu, S. Chawla. "Class Confidence Weighted kNN Algorithms for Imbalanced Data Sets".
       PAKDD 2011. Chapter 4 of W. Liu's thesis.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.9], [1.0], [1.1]]
    >>> model = ConfidenceNeighborsClassifier(n_neighbors=3).fit(X, [0, 0, 0, 1, 1, 1])
    >>> model.predict([[0.05], [0.95]]).tolist()
    [0, 1]
    """

    _file_state = FEATURES | {
        "classes_": labels(2),
        "log_confidence_": Array("f8", ("n",)),
        "_positive": Array("b", ("n",)),
        "_regret": Array("f8", ("n",), low=0),
        "_share": Number(0, 1),
        "_mean_regret": Listed(Number(0), 2),
        "max_distance_": Number(0),
        "_stored": Array("f8", ("n", "d")),
        "by_tree_": Flag(),
        "slope_": Sometimes(Number()),
        "offset_": Sometimes(Number()),
    }

    _parameter_constraints = {
        **CostSensitiveClassifier._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"none", "inverse", "additive"})],
        "confidence_model": [StrOptions(set(MODELS)), HasMethods("log_confidence"), None],
        "metric": [StrOptions(set(ORDERS))],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "calibration": [StrOptions({"sigmoid"}), None],
        "n_jobs": [None, Integral],
    }
    _info = LearnerInfo(
        family="neighbors",
        speed="medium",
        grid={"n_neighbors": [11, 51], "confidence_model": ["bayes_net", None]},
    )

    def __init__(
        self,
        *,
        n_neighbors=11,
        weights="inverse",
        confidence_model="bayes_net",
        metric="l2",
        smoothing=1.0,
        calibration="sigmoid",
        n_jobs=None,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.confidence_model = confidence_model
        self.metric = metric
        self.smoothing = smoothing
        self.calibration = calibration
        self.n_jobs = n_jobs
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Store the examples and estimate how typical each is of its class.

        Parameters
        ----------
        [training]
        [fit_costs]

        Returns
        -------
        self
        """
        X, signs = self._validate_Xy(X, y)
        costs = self._costs_of(len(X), fp_cost, fn_cost, tp_cost, tn_cost)
        regret = costs.regret(signs > 0)
        used = at_stake(regret)
        X, positive, regret = X[used], signs[used] > 0, regret[used]
        self.log_confidence_ = self._log_confidence(X, positive)
        self._positive, self._regret = positive, regret / regret.mean()
        self._share = float(positive.mean())
        of_class = (self._regret[positive == side] for side in (False, True))
        self._mean_regret = [float(some.mean()) if len(some) else 1.0 for some in of_class]
        span = X.max(axis=0) - X.min(axis=0)
        self.max_distance_ = float(np.linalg.norm(span, ORDERS[self.metric])) or 1.0
        self._stored = X
        self._search = self._index()
        self.by_tree_ = self._search.by_tree
        if self.calibration is not None:
            self.slope_, self.offset_ = self._calibrate(costs[used])
        return self

    def kneighbors(self, X, n_neighbors=None):
        """Find the nearest stored examples of each row.

        Models that store the same examples can share the result, see `predict_proba`.

        Parameters
        ----------
        [rows]
        n_neighbors : int, default=None
            Number of neighbours; None: the constructor's.

        Returns
        -------
        distance, index : ndarray of shape (n, n_neighbors)
            Nearest first, ties in the order of the stored examples.

        Examples
        --------
        >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
        >>> three = ConfidenceNeighborsClassifier(n_neighbors=3, calibration=None).fit(X, y)
        >>> distance, index = three.kneighbors([[0.9]])
        >>> index.tolist()
        [[1, 0, 2]]
        >>> one = ConfidenceNeighborsClassifier(n_neighbors=1, calibration=None).fit(X, y)
        >>> shared = one.predict_proba([[0.9]], neighbors=(distance[:, :1], index[:, :1]))
        >>> bool((shared == one.predict_proba([[0.9]])).all())
        True
        """
        X = self._validate_X(X)
        wanted = self.n_neighbors if n_neighbors is None else n_neighbors
        return self._search.nearest(X, min(wanted, len(self._stored)))

    def decision_function(self, X):
        """Votes for the positive class minus those against, weighted by cost, in [-1, 1].

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n,)
        """
        plus, minus = self._tally(self._validate_X(X), self._regret, self._mean_regret)
        total = plus + minus
        return np.divide(plus - minus, total, out=np.zeros_like(total), where=total > 0)

    def predict_proba(self, X, *, neighbors=None):
        """Class probabilities from the votes.

        Parameters
        ----------
        [rows]
        neighbors : pair of ndarray of shape (n, n_neighbors), default=None
            Distances and indices of the neighbours that vote, from `kneighbors` of a model that
            stores the same examples; None: searched for.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        plus, minus = self._tally(self._validate_X(X), neighbors=neighbors)
        if self.calibration is None:
            total = plus + minus
            positive = np.divide(plus, total, out=np.full_like(total, 0.5), where=total > 0)
        else:
            z = np.clip(_log_odds(plus, minus), -LARGEST, LARGEST)
            positive = expit(self.slope_ * z + self.offset_)
        return np.column_stack([1.0 - positive, positive])

    def __getstate__(self):
        # model files hold data only: the search tree is rebuilt from the examples
        return {name: value for name, value in super().__getstate__().items() if name != "_search"}

    def __setstate__(self, state):
        super().__setstate__(state)
        if hasattr(self, "_stored"):
            self._search = self._index(self.by_tree_)

    def _index(self, by_tree=None):
        k = min(self.n_neighbors, len(self._stored))
        return NeighborSearch(self._stored, self.metric, k, self.n_jobs, by_tree)

    def _log_confidence(self, X, positive):
        if self.confidence_model is None:
            return np.zeros(len(X))
        by_name = isinstance(self.confidence_model, str)
        model = MODELS[self.confidence_model] if by_name else self.confidence_model
        log_p = np.asarray(model.log_confidence(X, positive.astype(np.intp)))
        return log_p - log_p.mean()

    def _tally(self, X, price=None, mean_price=(1.0, 1.0), own=None, neighbors=None):
        """Votes for and against the positive class; `own` are training rows that do not vote."""
        n = len(self._positive)
        k = min(self.n_neighbors, n if own is None else n - 1)
        added = self.smoothing * np.array([self._share, 1.0 - self._share]) * mean_price[::-1]
        out = np.empty((2, len(X)))
        for start in range(0, len(X), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            if neighbors is not None:
                distance, near = (part[rows] for part in neighbors)
            elif own is None:
                distance, near = self._search.nearest(X[rows], k)
            else:
                distance, near = _without(own[rows], *self._search.nearest(X[rows], k + 1))
            votes = self._votes(distance, near)
            votes = votes if price is None else votes * price[near]
            plus = np.where(self._positive[near], votes, 0.0).sum(axis=1)
            out[0, rows] = plus + added[0]
            out[1, rows] = np.where(self._positive[near], 0.0, votes).sum(axis=1) + added[1]
        return out

    def _votes(self, distance, near):
        with np.errstate(divide="ignore"):
            if self.weights == "inverse":
                log_g = -np.log(distance)
                here = distance == 0.0
                log_g = np.where(here.any(axis=1, keepdims=True), np.log(here), log_g)
            elif self.weights == "additive":
                log_g = np.log(np.maximum(1.0 - distance / self.max_distance_, 0.0))
            else:
                log_g = np.zeros_like(distance)
        # beyond e^200 the added votes are negligible, and a sum of votes must not overflow
        return np.exp(np.clip(log_g + self.log_confidence_[near], None, 200.0))

    def _calibrate(self, costs):
        """Fit the sigmoid to training examples that do not vote for themselves."""
        if min(self._positive.sum(), (~self._positive).sum()) < 2:
            return 1.0, 0.0
        own, weight = spread_rows(self._positive, N_HELD)
        z = _log_odds(*self._tally(self._stored[own], own=own))
        slope, intercept = fit_sigmoid(z, self._positive[own], weight)
        warn_below_trivial(
            self,
            costs[own],
            self._positive[own],
            costs[own].decide(expit(slope * z + intercept)),
            weight,
            where="training rows that do not vote for themselves",
            stacklevel=5,
        )
        return slope, intercept

    def _compare_with_trivial(self, *training):
        if self.calibration is None:  # else `_calibrate` has checked, without own votes
            super()._compare_with_trivial(*training)


def _log_odds(plus, minus):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.log(plus) - np.log(minus), nan=0.0, posinf=LARGEST, neginf=-LARGEST)


def _without(own, distance, near):
    """Remove each row's own entry; the last one if copies have crowded it out."""
    out = near == own[:, None]
    out[:, -1] |= ~out.any(axis=1)
    kept = ~out
    return (part[kept].reshape(len(own), -1) for part in (distance, near))
