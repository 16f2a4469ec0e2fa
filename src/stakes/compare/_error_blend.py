"""The mean of several classifiers of uncertain points, weighted by held-out likelihood."""

import numpy as np
from scipy.special import softmax
from scipy.stats import beta
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Array, Listed, Part, labels
from stakes.compare._error_columns import ERROR_FORM, blocks_of
from stakes.costs import COST_NAMES, Costs

FOLDS = 3
RESAMPLES = 200  # of the held-out examples, for the weights
LEAST = 0.03  # weight of a member that is worth keeping
DRAWS = 2000  # of each true point, for a certificate
DRAWN_BADLY = 1e-6  # probability that draws are so good that the bound is too small


class ErrorColumnsBlend(ClassifierMixin, BaseEstimator):
    r"""Weighted mean of the probabilities of several classifiers of uncertain points.

    .. math:: p(x) = \sum_m w_m p_m(x), \qquad
              w_m \propto \operatorname{mean}_b \frac{q_m e^{-n L_{mb}}}{\sum_k q_k e^{-n L_{kb}}} ,

    where :math:`L_{mb}` is the log loss of member m on n held-out examples with the random weights
    b of a Bayesian bootstrap, and :math:`q_m` is 1 over the size of its group. So a member counts
    as often as it would be the likeliest in other samples of that size: the weights are nearly
    equal if the data cannot tell the members apart, and one is chosen if they can. Which one is
    best depends on the shape of the classes and on what the error bars mean.

    Parameters
    ----------
    groups : list of lists of ErrorColumnsClassifier
        Settings of the same classifier are a group; all groups have the same weight at first.
    error_form : {"std", "interval", "cov"}, default="std"
        As in :class:`ErrorColumnsClassifier`.
    random_state : int, RandomState or None, default=None
        Seed of the folds.

    Attributes
    ----------
    estimators_ : list of ErrorColumnsClassifier
        Members with a weight of at least 0.03, fitted to all rows. The first one is the likeliest
        of the first group, whatever its weight: certificates draw true points as it sees them.
    weights_ : ndarray of shape (n_members,)
        Their weights, which add up to 1.
    classes_ : ndarray of shape (2,)
        Class labels.

    References
    ----------
    .. [1] Y. Yao, A. Vehtari, D. Simpson, A. Gelman. "Using Stacking to Average Bayesian Predictive
       Distributions". Bayesian Analysis 13, 2018 (pseudo-BMA+).

    Examples
    --------
    >>> from stakes.compare._error_columns import ErrorColumnsClassifier
    >>> from stakes.uncertain import UncertainKernelClassifier, UncertainLogisticClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 2))
    >>> Z, y = np.hstack([X, np.full_like(X, 0.1)]), (np.hypot(*X.T) > 1.2).astype(int)
    >>> kernels = [ErrorColumnsClassifier(UncertainKernelClassifier(C=C)) for C in (1e-3, 10.0)]
    >>> lines = [ErrorColumnsClassifier(UncertainLogisticClassifier())]
    >>> model = ErrorColumnsBlend([lines, kernels], random_state=0).fit(Z, y)
    >>> model.estimators_[1].estimator.C, model.weights_.round(2).tolist()
    (10.0, [0.0, 1.0])
    """

    certifies_rows = True
    chooses_by_likelihood = True  # so that `compare` adds no further inner folds
    __metadata_request__fit = dict.fromkeys(COST_NAMES, True)
    __metadata_request__predict = dict.fromkeys(COST_NAMES, True)
    _file_state = {
        "estimators_": Listed(Part(("stakes.compare._error_columns.ErrorColumnsClassifier",)), "m"),
        "weights_": Array("f8", ("m",), low=0, high=1),
        "classes_": labels(2),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if not state.get("estimators_", [None]):
            raise Damaged("a blend has no members")
        if "weights_" in state and abs(state["weights_"].sum() - 1) > 1e-9:
            raise Damaged("the weights of a mean do not add up to 1")

    _parameter_constraints = {
        "groups": [list],
        "error_form": ERROR_FORM,
        "random_state": ["random_state"],
    }

    def __init__(self, groups, *, error_form="std", random_state=None):
        self.groups = groups
        self.error_form = error_form
        self.random_state = random_state

    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Find the weights in inner folds, and fit to all rows; costs count in `predict`."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        weights = self._find_weights(X, y)
        first = int(weights[: len(self.groups[0])].argmax())
        weights = np.where(weights >= min(LEAST, weights.max()), weights, 0.0)
        kept = [first, *(k for k in np.flatnonzero(weights) if k != first)]
        members = self._members()
        self.estimators_ = [members[k].fit(X, y) for k in kept]
        self.weights_ = weights[kept] / weights[kept].sum()
        self.classes_ = self.estimators_[0].classes_
        return self

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for each row: by least expected cost, without costs for the likelier class."""
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        return self._predict_from(self.predict_proba(X), **costs)

    def _predict_from(self, probabilities, **given):
        positive = probabilities[:, 1] > self._break_even(len(probabilities), given)
        return self.classes_[positive.astype(np.intp)]

    def predict_proba(self, X):
        """Probability of each class: the weighted mean of all."""
        check_is_fitted(self)
        mean = sum(weight * one.predict_proba(X) for weight, one in self._used())
        return np.minimum(mean, 1.0)  # weights add up to 1 except for rounding

    def predict_certificate(self, X, **costs):
        """Bound on the probability that the measurement error has flipped the decision.

        For standard errors: true points are drawn as the first classifier sees them, with Gaussian
        errors, and the bound is the upper confidence limit of the share that is decided otherwise
        (Clopper and Pearson, exceeded with a probability of 1e-6), which is at least 0.007. For
        intervals 0 where every classifier is sure of the decision, and else 1.
        """
        decided = self.predict(X, **costs)
        if self.error_form == "interval":
            sure = [
                (one.predict_certificate(X, **costs) == 0) & (one.predict(X, **costs) == decided)
                for _, one in self._used()
            ]
            return np.where(np.all(sure, axis=0), 0.0, 1.0)
        values, errors = blocks_of(X, self.error_form)
        first, draw = self.estimators_[0].estimator_, np.random.default_rng(0).standard_normal
        normal = draw((DRAWS, values.shape[1]))
        positive, least = decided == self.classes_[1], self._break_even(len(values), costs)
        turned = [
            ((self._exact(points) > least[i]) != positive[i]).sum()
            for i, points in enumerate(
                first._true_points(values, normal, **{self.error_form: errors})
            )
        ]
        turned = np.array(turned, dtype=float)
        limit = beta.ppf(1 - DRAWN_BADLY, turned + 1, np.maximum(DRAWS - turned, 1))
        return np.where(turned < DRAWS, limit, 1.0)

    def _exact(self, points):
        """Probability of the positive class at exact points."""
        return sum(w * one.estimator_._exact_probability(points) for w, one in self._used())

    def _used(self):
        """Weights and classifiers, without those of weight zero."""
        return [pair for pair in zip(self.weights_, self.estimators_, strict=True) if pair[0] > 0]

    def _break_even(self, n, costs):
        if all(cost is None for cost in costs.values()):
            return np.full(n, 0.5)
        return np.broadcast_to(Costs.of(n, **costs).break_even, (n,))

    def _members(self):
        """All settings, unfitted, for the form of the matrix."""
        every = [clone(one) for group in self.groups for one in group]
        return [one.set_params(error_form=self.error_form) for one in every]

    def _find_weights(self, X, y):
        """Weights of all settings; the first ones of the groups are used if a class is too rare."""
        sizes = [len(group) for group in self.groups]
        prior = np.repeat(1 / np.array(sizes), sizes)
        if np.unique(y, return_counts=True)[1].min() < FOLDS:
            prior[:] = 0.0
            prior[np.cumsum([0, *sizes[:-1]])] = 1.0
            return prior / prior.sum()
        loss = np.array([self._held_out_loss(one, X, y) for one in self._members()])
        # the same random weights for all data, so that only the folds depend on random_state
        counts = len(y) * np.random.default_rng(0).dirichlet(np.ones(len(y)), RESAMPLES)
        return softmax(np.log(prior) - counts @ loss.T, axis=1).mean(axis=0)

    def _held_out_loss(self, member, X, y):
        """Log loss of each example."""
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=self.random_state)
        right = np.empty(len(y))
        for train, test in folds.split(X, y):
            model = clone(member).fit(X[train], y[train])
            own = y[test][:, None] == model.classes_
            right[test] = model.predict_proba(X[test])[own]
        return -np.log(np.maximum(right, np.finfo(float).eps))
