"""Nearest neighbours whose votes count by how typical they are of their class."""

from numbers import Integral, Real

import numpy as np
from sklearn.neighbors import NearestNeighbors

from stakes._sklearn import HasMethods, Interval, StrOptions, fit_context
from stakes.base import CostSensitiveClassifier, LearnerInfo
from stakes.neighbors._bayes_net import BayesNetConfidence
from stakes.neighbors._mixture import MixtureConfidence

METRICS = {"l1": "manhattan", "l2": "euclidean", "linf": "chebyshev"}
SOURCES = {"mixture": MixtureConfidence, "bayes_net": BayesNetConfidence}


class ConfidenceNeighborsClassifier(CostSensitiveClassifier):
    r"""Nearest neighbours weighted by class confidence (CCW).

    A neighbour :math:`x_i` votes for its class with

    .. math:: g(d_i)\, \frac{p(x_i \mid y_i)}{\bar p} , \qquad
              g(d) = 1, \quad \frac1d \quad \text{or} \quad 1 - \frac{d}{d_{\max}} ,

    :math:`\bar p` being the geometric mean confidence of the training examples. A probability is
    the share of a class in these votes and in `smoothing` votes at the frequencies of training.

    Parameters
    ----------
    n_neighbors : int, default=11
        How many neighbours vote.
    weights : {"none", "inverse", "additive"}, default="inverse"
        :math:`g`: the same for all, the thesis's MI, and its AI.
    confidence : {"mixture", "bayes_net"}, None or object, default="mixture"
        Where :math:`p(x \mid y)` comes from: a :class:`~stakes.neighbors.MixtureConfidence`, a
        :class:`~stakes.neighbors.BayesNetConfidence`, by name with their defaults, or any object
        with `log_confidence(X, index)`; None: every vote has the same confidence, the usual
        nearest neighbours.
    metric : {"l1", "l2", "linf"}, default="l2"
        The distance.
    smoothing : float, default=1.0
        Votes of a neighbour of mean confidence (at distance one, with "inverse") that are added.
    n_jobs : int, default=None
        Threads of the search.
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
        What the four outcomes cost; arrays of one per example go to `fit`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The second one is positive.
    log_confidence_ : ndarray of shape (n,)
        Logarithm of the confidence of the stored examples, less its mean.
    max_distance_ : float
        Diameter of the box around the training examples, :math:`d_{\max}`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Eqs. 4.5 to 4.8. At distance zero, "inverse" lets only the neighbours at distance zero vote.
    Weights are kept as logarithms, since densities in many dimensions over- and underflow. Costs
    weigh the votes in `decision_function`; examples that cost nothing are left out.

    References
    ----------
    .. [1] W. Liu, S. Chawla. "Class Confidence Weighted kNN Algorithms for Imbalanced Data Sets".
       PAKDD 2011. Chapter 4 of W. Liu's thesis.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.9], [1.0], [1.1]]
    >>> model = ConfidenceNeighborsClassifier(3).fit(X, [0, 0, 0, 1, 1, 1])
    >>> model.predict([[0.05], [0.95]]).tolist()
    [0, 1]
    """

    _parameter_constraints = {
        **CostSensitiveClassifier._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"none", "inverse", "additive"})],
        "confidence": [StrOptions(set(SOURCES)), HasMethods("log_confidence"), None],
        "metric": [StrOptions(set(METRICS))],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [None, Integral],
    }
    _info = LearnerInfo(
        family="neighbors",
        needs_scaling=True,
        speed="medium",
        grid={"n_neighbors": [11, 51], "confidence": ["mixture", None]},
    )

    def __init__(
        self,
        n_neighbors=11,
        *,
        weights="inverse",
        confidence="mixture",
        metric="l2",
        smoothing=1.0,
        n_jobs=None,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.confidence = confidence
        self.metric = metric
        self.smoothing = smoothing
        self.n_jobs = n_jobs
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Store the examples and find how typical each is of its class.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Two classes.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost; the constructor's numbers where not given.

        Returns
        -------
        self
        """
        X, signs = self._validate_Xy(X, y)
        regret = self._costs_of(len(X), fp_cost, fn_cost, tp_cost, tn_cost).regret(signs > 0)
        used = regret > 0
        if not used.any():
            raise ValueError("No example costs anything: all regrets are zero, nothing to learn.")
        X, positive, regret = X[used], signs[used] > 0, regret[used]
        self.log_confidence_ = self._log_confidence(X, positive)
        self._positive, self._regret = positive, regret / regret.mean()
        self._share = float(positive.mean())
        of_class = (self._regret[positive == side] for side in (False, True))
        self._mean_regret = [float(some.mean()) if len(some) else 1.0 for some in of_class]
        span = X.max(axis=0) - X.min(axis=0)
        order = {"l1": 1, "l2": 2, "linf": np.inf}[self.metric]
        self.max_distance_ = float(np.linalg.norm(span, order)) or 1.0
        self._stored = X
        self._search = self._index()
        return self

    def decision_function(self, X):
        """Votes for the positive class less the others, weighed by their costs, in [-1, 1].

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        votes, near = self._votes(self._validate_X(X))
        return self._balance(votes * self._regret[near], near, *self._mean_regret)

    def predict_proba(self, X):
        """Probability of each class: its share of the votes.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        votes, near = self._votes(self._validate_X(X))
        positive = 0.5 * (1.0 + self._balance(votes, near, 1.0, 1.0))
        return np.column_stack([1.0 - positive, positive])

    def __getstate__(self):
        # the search tree is built again from the examples: model files hold data only
        return {name: value for name, value in super().__getstate__().items() if name != "_search"}

    def __setstate__(self, state):
        super().__setstate__(state)
        if hasattr(self, "_stored"):
            self._search = self._index()

    def _index(self):
        return NearestNeighbors(metric=METRICS[self.metric], n_jobs=self.n_jobs).fit(self._stored)

    def _log_confidence(self, X, positive):
        if self.confidence is None:
            return np.zeros(len(X))
        by_name = isinstance(self.confidence, str)
        source = SOURCES[self.confidence]() if by_name else self.confidence
        log_p = np.asarray(source.log_confidence(X, positive.astype(np.intp)))
        return log_p - log_p.mean()

    def _votes(self, X):
        """Votes of the neighbours of each row, and which training examples these are."""
        k = min(self.n_neighbors, len(self._positive))
        distance, near = self._search.kneighbors(X, k)
        with np.errstate(divide="ignore"):
            if self.weights == "inverse":
                log_g = -np.log(distance)
                here = distance == 0.0
                log_g = np.where(here.any(axis=1, keepdims=True), np.log(here), log_g)
            elif self.weights == "additive":
                log_g = np.log(np.maximum(1.0 - distance / self.max_distance_, 0.0))
            else:
                log_g = np.zeros_like(distance)
        log_vote = log_g + self.log_confidence_[near]
        # votes beyond e^200 outweigh the added ones whatever they are
        return np.exp(np.clip(log_vote, None, 200.0)), near

    def _balance(self, votes, near, negative_price, positive_price):
        positive = self._positive[near]
        added = self.smoothing * np.array(
            [(1.0 - self._share) * negative_price, self._share * positive_price]
        )
        plus = np.where(positive, votes, 0.0).sum(axis=1) + added[1]
        minus = np.where(positive, 0.0, votes).sum(axis=1) + added[0]
        total = plus + minus
        return np.divide(plus - minus, total, out=np.zeros_like(total), where=total > 0)
