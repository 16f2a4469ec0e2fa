"""Nearest neighbours whose votes count by how typical they are of their class."""

from numbers import Integral, Real

import numpy as np
from scipy.special import expit

from stakes._core.base import CostSensitiveClassifier, LearnerInfo, at_stake
from stakes._core.deciding import spread_rows, warn_below_trivial
from stakes._core.sklearn_private import HasMethods, Interval, StrOptions, fit_context
from stakes.neighbors._bayes_net import BayesNetConfidence
from stakes.neighbors._mixture import MixtureConfidence
from stakes.neighbors._search import ORDERS, NeighborSearch
from stakes.neighbors._sigmoid import LARGEST, fit_sigmoid

BLOCK_ROWS = 2**14  # rows whose neighbours are held at once
N_HELD = 1000  # examples of each class that the sigmoid is fitted to
SOURCES = {"mixture": MixtureConfidence, "bayes_net": BayesNetConfidence}


class ConfidenceNeighborsClassifier(CostSensitiveClassifier):
    r"""Nearest neighbours weighted by class confidence (CCW).

    A neighbour :math:`x_i` votes for its class with

    .. math:: g(d_i)\, \frac{p(x_i \mid y_i)}{\bar p} , \qquad
              g(d) = 1, \quad \frac1d \quad \text{or} \quad 1 - \frac{d}{d_{\max}} ,

    :math:`\bar p` being the geometric mean confidence of the training examples; `smoothing` votes
    are added at the frequencies of training.

    Parameters
    ----------
    n_neighbors : int, default=11
        How many neighbours vote.
    weights : {"none", "inverse", "additive"}, default="inverse"
        :math:`g`: the same for all, the thesis's MI, and its AI.
    confidence : {"mixture", "bayes_net"}, None or object, default="bayes_net"
        Where :math:`p(x \mid y)` comes from: a :class:`~stakes.neighbors.MixtureConfidence`, a
        :class:`~stakes.neighbors.BayesNetConfidence`, by name with their defaults, or any object
        with `log_confidence(X, index)`; None: every vote has the same confidence, the usual
        nearest neighbours.
    metric : {"l1", "l2", "linf"}, default="l2"
        The distance.
    smoothing : float, default=1.0
        Votes of a neighbour of mean confidence (at distance one, with "inverse") that are added.
    calibration : {"sigmoid"} or None, default="sigmoid"
        How `predict_proba` comes from the votes: a sigmoid of their log-odds, fitted to training
        examples that had no vote on themselves (at most 1000 of each class); None: the bare share.
    n_jobs : int, default=None
        Threads of the search by a tree.
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
    by_tree_ : bool
        Whether neighbours are found by a tree or by blocks of distances, as the data decide.
    slope_, offset_ : float
        The sigmoid; a slope of zero says that the votes tell nothing.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Eqs. 4.5 to 4.8. The share of a class among near neighbours tends to its posterior, so that the
    confidence counts the likelihood twice: the votes tend to :math:`\pi_c\, p(x \mid c)^2`, not to
    the posterior of Eq. 4.9. `decision_function` is the thesis's rule, `predict_proba` mends its
    probabilities; where the densities are right the slope tends to one half. If on the examples
    that the sigmoid is fitted to the decisions by expected cost are dearer than one answer for
    all, `fit` warns `BelowTrivialWarning`.

    At distance zero, "inverse" lets only the neighbours at distance zero vote. Weights are kept as
    logarithms, since densities in many dimensions over- and underflow. Costs weigh the votes in
    `decision_function`; examples that cost nothing are left out. Neighbours are exact: found in
    a tree, or in blocks of distances where a tree would reach too many points (`by_tree_`).

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

    _parameter_constraints = {
        **CostSensitiveClassifier._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"none", "inverse", "additive"})],
        "confidence": [StrOptions(set(SOURCES)), HasMethods("log_confidence"), None],
        "metric": [StrOptions(set(ORDERS))],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "calibration": [StrOptions({"sigmoid"}), None],
        "n_jobs": [None, Integral],
    }
    _info = LearnerInfo(
        family="neighbors",
        speed="medium",
        grid={"n_neighbors": [11, 51], "confidence": ["bayes_net", None]},
    )

    def __init__(
        self,
        n_neighbors=11,
        *,
        weights="inverse",
        confidence="bayes_net",
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
        self.confidence = confidence
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
        plus, minus = self._tally(self._validate_X(X), self._regret, self._mean_regret)
        total = plus + minus
        return np.divide(plus - minus, total, out=np.zeros_like(total), where=total > 0)

    def predict_proba(self, X):
        """Probability of each class, from its share of the votes.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        plus, minus = self._tally(self._validate_X(X))
        if self.calibration is None:
            total = plus + minus
            positive = np.divide(plus, total, out=np.full_like(total, 0.5), where=total > 0)
        else:
            z = np.clip(_log_odds(plus, minus), -LARGEST, LARGEST)
            positive = expit(self.slope_ * z + self.offset_)
        return np.column_stack([1.0 - positive, positive])

    def __getstate__(self):
        # the search tree is built again from the examples: model files hold data only
        return {name: value for name, value in super().__getstate__().items() if name != "_search"}

    def __setstate__(self, state):
        super().__setstate__(state)
        if hasattr(self, "_stored"):
            self._search = self._index(self.by_tree_)

    def _index(self, by_tree=None):
        k = min(self.n_neighbors, len(self._stored))
        return NeighborSearch(self._stored, self.metric, k, self.n_jobs, by_tree)

    def _log_confidence(self, X, positive):
        if self.confidence is None:
            return np.zeros(len(X))
        by_name = isinstance(self.confidence, str)
        source = SOURCES[self.confidence]() if by_name else self.confidence
        log_p = np.asarray(source.log_confidence(X, positive.astype(np.intp)))
        return log_p - log_p.mean()

    def _tally(self, X, price=None, mean_price=(1.0, 1.0), own=None):
        """Votes for and against the positive class; `own` rows of the training set do not vote."""
        n = len(self._positive)
        k = min(self.n_neighbors, n if own is None else n - 1)
        added = self.smoothing * np.array([self._share, 1.0 - self._share]) * mean_price[::-1]
        out = np.empty((2, len(X)))
        for start in range(0, len(X), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            if own is None:
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
        # votes beyond e^200 outweigh the added ones whatever they are
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
        if self.calibration is None:  # else `_calibrate` has looked, at votes of others only
            super()._compare_with_trivial(*training)


def _log_odds(plus, minus):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.log(plus) - np.log(minus), nan=0.0, posinf=LARGEST, neginf=-LARGEST)


def _without(own, distance, near):
    """Leave each row's own entry out; among more copies than neighbours, the last one."""
    out = near == own[:, None]
    out[:, -1] |= ~out.any(axis=1)
    kept = ~out
    return (part[kept].reshape(len(own), -1) for part in (distance, near))
