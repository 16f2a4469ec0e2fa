"""Nearest neighbors whose votes are weighted by how typical they are of their class."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy.special import expit

from stakes._core.base import CostSensitiveClassifier, LearnerInfo, at_stake
from stakes._core.columns import TakesCategories, read_training
from stakes._core.deciding import spread_rows, warn_below_trivial
from stakes._core.intake import check_bounded, check_weights, example_counts
from stakes._core.labels import code_positive
from stakes._core.parallel import N_JOBS
from stakes._core.sigmoid import LARGEST, fit_sigmoid
from stakes._core.sklearn_private import HasMethods, Interval, StrOptions, fit_context
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    FEATURES,
    Array,
    Flag,
    Listed,
    Maybe,
    Number,
    Part,
    Sometimes,
    labels,
)
from stakes.neighbors._bayes_net import BayesNetConfidence
from stakes.neighbors._density import log_confidence_of, with_categories
from stakes.neighbors._docs import documented
from stakes.neighbors._embedding import SCALES, Embedding
from stakes.neighbors._mixture import MixtureConfidence
from stakes.neighbors._search import ORDERS, NeighborSearch
from stakes.neighbors._votes import log_odds, log_weights, places_of, without

BLOCK_ROWS = 2**14  # rows whose neighbors are in memory at once
N_HELD = 1000  # maximum number of examples per class that the sigmoid is fitted to
# the mixture with a fixed seed: the same examples give the same votes
MODELS = {"mixture": MixtureConfidence(random_state=0), "bayes_net": BayesNetConfidence()}


@documented
@dataclass(kw_only=True, eq=False, repr=False)  # for __init__ only
class ConfidenceNeighborsClassifier(TakesCategories, CostSensitiveClassifier):
    r"""Nearest neighbors weighted by class confidence (CCW).

    A neighbor :math:`x_i` at distance :math:`d_i` votes for its class with weight

    .. math:: g(d_i)\, \frac{p(x_i \mid y_i)}{\bar p} , \qquad
              g(d) = 1, \quad \frac1d \quad \text{or} \quad 1 - \frac{d}{d_{\max}} ,

    where :math:`\bar p` is the geometric mean confidence of the training examples. `smoothing`
    votes are added in the proportions of the training set. Distances are measured after all
    numbers have been put on one scale, so that their units have no effect.

    Parameters
    ----------
    n_neighbors : int, default=11
        Number of neighbors that vote.
    weights : {"none", "inverse", "additive"}, default="inverse"
        Distance weights :math:`g`: constant, the thesis's MI, or its AI.
    confidence_model : {"mixture", "bayes_net"}, None or object, default="bayes_net"
        Model of :math:`p(x \mid y)`: `MixtureConfidence(random_state=0)` or `BayesNetConfidence()`
        by name, or any object with `log_confidence(X, y)`; None: equal confidence, which gives
        ordinary nearest neighbors. A mixture sees the points between which distances are
        measured, every other model the numbers as they are and categories as codes.
    confidence_folds : int or None, default=3
        Folds of the confidence: that of an example is estimated without its fold. None: from all
        examples, as in the thesis, which makes rare examples look typical of their class.
    metric : {"l1", "l2", "linf"}, default="l2"
        Distance.
    scale : {"standard", "range", "none"}, default="standard"
        Scale of the numbers: standard deviation one; from 0 to 1, as in the thesis; as they are.
        Two different categories are as far from each other as two numbers on average (root mean
        square) with "standard", at distance one otherwise. Missing numbers count as the mean.
    [categories]
    smoothing : float, default=1.0
        Added votes, in units of a neighbor of mean confidence (for "inverse", at the mean distance
        of the `n_neighbors`-th neighbor).
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
    unit_distance_ : float
        Mean distance of some training examples to their `n_neighbors`-th neighbor.
    categories_ : list of ndarray or None
        Categories of each categorical feature, in the order of their codes.
    by_tree_ : bool
        Whether neighbors are searched in a tree or in blocks of distances.
    slope_, offset_ : float
        Parameters of the sigmoid; a slope of zero means that the votes carry no information.
    [seen]

    Notes
    -----
    Eqs. 4.5 to 4.8. The share of a class among near neighbors tends to its posterior, so that the
    confidence counts the likelihood twice: the votes tend to :math:`\pi_c\, p(x \mid c)^2`, not to
    the posterior of Eq. 4.9. `calibration=None` is the thesis's rule; the sigmoid corrects its
    probabilities. With the true densities the slope tends to one half. `fit` warns
    `BelowTrivialWarning` if, on the examples that the sigmoid is fitted to, decisions by expected
    cost cost more than the best constant policy.

    At distance zero, "inverse" lets only neighbors at distance zero vote, with more weight than
    any at another distance. Weights are kept as logarithms, since densities in many dimensions
    over- and underflow. Neighbors are exact: found in a tree, or in blocks of distances where a
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
        "_size": Array("f8", ("n",), low=0),
        "max_distance_": Number(0),
        "unit_distance_": Number(0),
        "_stored": Array("f8", ("n", "d"), nan=True),
        "_embed": Part(("stakes.neighbors._embedding.Embedding",)),
        "categories_": Listed(Maybe(Array("label", (None,))), "d"),
        "by_tree_": Flag(),
        **dict.fromkeys(("slope_", "offset_"), Sometimes(Number())),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if "_embed" in state:
            columns = np.concatenate([state["_embed"].state[n] for n in ("numbers", "codes")])
            if not np.array_equal(np.sort(columns), np.arange(scope.sizes["d"])):
                raise Damaged("the points of the neighbors have a wrong size")
            if state["calibration"] is not None and not {"slope_", "offset_"} <= state.keys():
                raise Damaged("the probabilities of the neighbors have no calibration")

    n_neighbors: int = 11
    weights: str = "inverse"
    confidence_model: object = "bayes_net"
    confidence_folds: int | None = 3
    metric: str = "l2"
    scale: str = "standard"
    categorical_features: object = None
    smoothing: float = 1.0
    calibration: str | None = "sigmoid"
    n_jobs: int | None = None
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    _parameter_constraints = {
        **CostSensitiveClassifier._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"none", "inverse", "additive"})],
        "confidence_model": [StrOptions(set(MODELS)), HasMethods("log_confidence"), None],
        "confidence_folds": [None, Interval(Integral, 2, None, closed="left")],
        "metric": [StrOptions(set(ORDERS))],
        "scale": [StrOptions(set(SCALES))],
        "categorical_features": ["array-like", None],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "calibration": [StrOptions({"sigmoid"}), None],
        "n_jobs": N_JOBS,
    }
    _info = LearnerInfo(
        family="neighbors",
        speed="medium",
        grid={"n_neighbors": [11, 51], "confidence_model": ["bayes_net", None]},
    )

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Store the examples and estimate how typical each is of its class.

        Parameters
        ----------
        [training]
        sample_weight : array-like of shape (n,), default=None
            Weights; an example of weight two takes the places of two neighbors and has two votes.
            Their unit has no effect. The models of confidence count it as two as well.
        [fit_costs]

        Returns
        -------
        self
        """
        X, y = read_training(self, X, y)
        check_bounded(X)
        self.classes_, positive = code_positive(y)
        weight = check_weights(sample_weight, X, ensure_non_negative=True)
        costs = self._costs_of(len(X), fp_cost, fn_cost, tp_cost, tn_cost)
        regret = costs.regret(positive)
        used = at_stake(weight * regret)
        if not used.all():
            X, positive, regret, weight = X[used], positive[used], regret[used], weight[used]
            costs = costs[used]
        self._size = example_counts(weight)
        self._embed = Embedding(X, self._categorical, self.scale, self.metric, self._size)
        self.log_confidence_ = self._log_confidence(X, positive)
        self._positive = positive
        self._regret = regret / np.average(regret, weights=self._size)
        self._share = float(np.average(positive, weights=self._size))
        self._mean_regret = [self._mean_of_class(positive == side) for side in (False, True)]
        span = self._embed.high - self._embed.low
        self.max_distance_ = float(np.linalg.norm(span, ORDERS[self.metric])) or 1.0
        self._stored = X
        self._search = self._index()
        self.by_tree_, self.unit_distance_ = self._search.by_tree, self._search.unit
        if self.calibration is not None:
            self.slope_, self.offset_ = self._calibrate(costs)
        return self

    def kneighbors(self, X, n_neighbors=None):
        """Find the nearest stored examples of each row.

        Models that store the same examples can share the result, see `predict_proba`.

        Parameters
        ----------
        [rows]
        n_neighbors : int, default=None
            Number of neighbors; None: the constructor's.

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
        """Expected regret of deciding negative minus that of deciding positive, as a share.

        The regret of each class is the mean over the votes for it. Without calibration this is the
        thesis's rule: votes for the positive class minus those against, weighted by their costs.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n,)
            Between -1 and 1.
        """
        votes, priced = self._tally(self._validate_X(X))
        p = self._probability(*votes)
        mean = np.array(self._mean_regret[::-1])[:, None]
        regret = np.divide(priced, votes, out=np.tile(mean, votes.shape[1]), where=votes > 0)
        plus, minus = p * regret[0], (1.0 - p) * regret[1]
        total = plus + minus
        return np.divide(plus - minus, total, out=np.zeros_like(total), where=total > 0)

    def predict_proba(self, X, *, neighbors=None):
        """Class probabilities from the votes.

        Parameters
        ----------
        [rows]
        neighbors : pair of ndarray of shape (n, n_neighbors), default=None
            Distances and indices of the neighbors that vote, from `kneighbors` of a model that
            stores the same examples; None: searched for.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        positive = self._probability(*self._tally(self._validate_X(X), neighbors=neighbors)[0])
        return np.column_stack([1.0 - positive, positive])

    def _probability(self, plus, minus):
        """Probability of the positive class, from the votes for and against it."""
        if self.calibration is None:
            total = plus + minus
            return np.divide(plus, total, out=np.full_like(total, 0.5), where=total > 0)
        z = np.clip(log_odds(plus, minus), -LARGEST, LARGEST)
        return expit(self.slope_ * z + self.offset_)

    def __getstate__(self):
        # model files hold data only: the search tree is rebuilt from the examples
        return {name: value for name, value in super().__getstate__().items() if name != "_search"}

    def __setstate__(self, state):
        super().__setstate__(state)
        if hasattr(self, "_stored"):
            self._search = self._index(self.by_tree_)

    def _mean_of_class(self, rows):
        found = self._regret[rows]
        return float(np.average(found, weights=self._size[rows])) if len(found) else 1.0

    def _index(self, by_tree=None):
        k = min(self.n_neighbors, len(self._stored))
        return NeighborSearch(self._stored, self._embed, self.metric, k, self.n_jobs, by_tree)

    def _log_confidence(self, X, positive):
        """Log confidence of each example, less its mean."""
        if self.confidence_model is None:
            return np.zeros(len(X))
        by_name = isinstance(self.confidence_model, str)
        model = MODELS[self.confidence_model] if by_name else self.confidence_model
        if isinstance(model, MixtureConfidence):
            X = self._embed(X)
        else:
            X, model = self._embed.filled(X), with_categories(model, self._categorical)
        index = positive.astype(np.intp)
        log_p = log_confidence_of(model, X, index, self._size, self.confidence_folds)
        return log_p - np.average(log_p, weights=self._size)

    def _tally(self, X, own=None, neighbors=None):
        """Votes for and against the positive class, and these times their regrets.

        `own` are training rows, which do not vote on themselves. Returns two arrays (2, n).
        """
        n = len(self._positive)
        k = min(self.n_neighbors, n if own is None else n - 1)
        out = np.empty((2, 2, len(X)))
        for start in range(0, len(X), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            if neighbors is not None:
                distance, near = (part[rows] for part in neighbors)
            elif own is None:
                distance, near = self._search.nearest(X[rows], k)
            else:
                distance, near = without(own[rows], *self._search.nearest(X[rows], k + 1))
            votes = self._votes(distance, near)
            for which, kind in enumerate((votes, votes * self._regret[near])):
                for side, mine in enumerate((self._positive[near], ~self._positive[near])):
                    out[which, side, rows] = np.where(mine, kind, 0.0).sum(axis=1)
        added = self.smoothing * np.array([self._share, 1.0 - self._share])
        out[0] += added[:, None]
        out[1] += (added * self._mean_regret[::-1])[:, None]
        return out

    def _votes(self, distance, near):
        log_g = log_weights(self.weights, distance, self.unit_distance_, self.max_distance_)
        places = places_of(self._size[near], self.n_neighbors)
        # beyond e^200 the added votes are negligible, and a sum of votes must not overflow
        return places * np.exp(np.clip(log_g + self.log_confidence_[near], None, 200.0))

    def _calibrate(self, costs):
        """Fit the sigmoid to training examples that do not vote for themselves."""
        if min(self._positive.sum(), (~self._positive).sum()) < 2:
            return 1.0, 0.0
        own, weight = spread_rows(self._positive, N_HELD)
        weight = weight * self._size[own]
        z = log_odds(*self._tally(self._stored[own], own=own)[0])
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
