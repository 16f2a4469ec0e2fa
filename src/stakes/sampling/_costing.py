"""Costing: any classifier made cost-sensitive by rejection sampling."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from stakes._core.base import CostSensitiveClassifier, LearnerInfo
from stakes._core.docs import documented
from stakes._core.intake import check_weights, checked_for
from stakes._core.parallel import N_JOBS
from stakes._core.sklearn_private import (
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
)
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import CLASSIFIER, FEATURES, Array, Listed, labels
from stakes._core.stored.state import classes_of, same_input
from stakes._core.stored.unbuilt import Unbuilt
from stakes.sampling._cost_proportionate import draw

SEEDS = np.iinfo(np.int32).max


@documented()
@dataclass(eq=False, repr=False)
class CostingClassifier(MetaEstimatorMixin, CostSensitiveClassifier):
    r"""Any classifier, made cost-sensitive by the sample that it is trained on.

    Fits copies of a classifier that ignores costs, each on a sample in which an example is kept
    with probability :math:`c_i / \max_j c_j`, and averages their votes:

    .. math:: f(x) = \frac1T \sum_{t=1}^T h_t(x) .

    Parameters
    ----------
    estimator : classifier, default=None
        Classifier to copy; None: scikit-learn's decision tree with at least five examples per leaf.
    n_estimators : int, default=20
        Number of samples, :math:`T`.
    voting : {"hard", "soft"}, default="hard"
        :math:`h_t`: the decision as -1 or +1, or :math:`2p - 1` with the copy's probability.
    ceiling : float, default=1.0
        As in :class:`CostProportionateSampler`: quantile of the regrets above which an example is
        always kept. With one very expensive example, the default keeps few others.
    n_jobs : int or None, default=None
        Number of copies fitted in parallel; results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the samples and of the copies.
    [costs]

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Class labels; `classes_[1]` is the positive class.
    estimators_ : list of classifiers
        Fitted copies; a sample with one class gives a constant vote.
    sample_sizes_ : ndarray of int of shape (n_estimators,)
        Number of examples kept in each sample.
    [seen]

    Notes
    -----
    There is no `predict_proba`: the copies estimate probabilities in the sample, which depend on
    the costs, and costs that differ from row to row cannot be corrected for afterwards. To decide
    at costs known only later, train without costs in `BayesDecisionClassifier`.

    References
    ----------
    .. [1] B. Zadrozny, J. Langford, N. Abe. "Cost-Sensitive Learning by Cost-Proportionate Example
       Weighting". ICDM 2003.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> y = (X[:, 0] + rng.normal(size=1000) > 1.5).astype(int)
    >>> [
    ...     int(CostingClassifier(fn_cost=price, random_state=0).fit(X, y).predict(X).sum())
    ...     for price in (1, 10)
    ... ]
    [110, 436]
    """

    _file_state = FEATURES | {
        "classes_": labels(2),
        "sample_sizes_": Array("i", (None,), low=0),
        "estimators_": Listed(CLASSIFIER),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if not state.get("estimators_", [None]):
            raise Damaged("a model has no copies that vote")
        for member in state.get("estimators_", ()):
            same_input(member, scope)
            if not {*classes_of(member).tolist()} <= {False, True}:
                raise Damaged("a copy that votes has other classes than its owner")
            if state["voting"] == "soft" and not hasattr(Unbuilt(member), "predict_proba"):
                raise Damaged("a copy that votes has no probabilities")

    _accept_sparse = "csr"
    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "voting": [StrOptions({"hard", "soft"})],
        "ceiling": [Interval(Real, 0, 1, closed="right")],
        "n_jobs": N_JOBS,
        "random_state": ["random_state"],
        **CostSensitiveClassifier._parameter_constraints,
    }
    _info = LearnerInfo(
        family="sampling",
        speed="medium",
        gives_probability=False,
        grid={"ceiling": [0.95, 1.0]},
    )

    estimator: object = None
    _: KW_ONLY
    n_estimators: int = 20
    voting: str = "hard"
    ceiling: float = 1.0
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Fit a copy on each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Training examples.
        y : array-like of shape (n,)
            Labels.
        [sample_weight]
        [fit_costs]

        Returns
        -------
        self
        """
        X, signs = self._validate_Xy(X, y)
        costs = self._costs_of(len(signs), fp_cost, fn_cost, tp_cost, tn_cost)
        regret = costs.regret(signs > 0)
        if sample_weight is not None:
            regret = regret * check_weights(sample_weight, X, ensure_non_negative=True)
        inner = self._inner()
        X = checked_for(inner, X, fitting=True)
        if self.voting == "soft" and not hasattr(inner, "predict_proba"):
            raise ValueError(
                f"voting='soft' needs probabilities, and {type(inner).__name__} has no "
                "predict_proba; use voting='hard'."
            )
        random = check_random_state(self.random_state)
        samples = [draw(regret, self.ceiling, random) for _ in range(self.n_estimators)]
        seeds = random.randint(SEEDS, size=self.n_estimators)
        self.sample_sizes_ = np.array([len(rows) for rows in samples])
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_copy)(inner, X[rows], signs[rows] > 0, seed)
            for rows, seed in zip(samples, seeds, strict=True)
        )
        return self

    def decision_function(self, X):
        """Mean vote of the copies, between -1 and +1.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        X = self._validate_X(X)
        return np.mean([_vote(model, X, self.voting) for model in self.estimators_], axis=0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._inner()).input_tags.sparse
        return tags

    def _inner(self):
        if self.estimator is None:
            return DecisionTreeClassifier(min_samples_leaf=5)
        return self.estimator


def _fit_copy(estimator, X, positive, seed):
    if positive.all() or not positive.any():
        return DummyClassifier(strategy="prior").fit(X, positive)
    model = clone(estimator)
    seeded = {name: seed for name in model.get_params() if name.split("__")[-1] == "random_state"}
    return model.set_params(**seeded).fit(X, positive)


def _vote(model, X, voting):
    if voting == "hard":
        return np.where(model.predict(X), 1.0, -1.0)
    if len(model.classes_) == 1:
        return np.full(X.shape[0], 1.0 if model.classes_[0] else -1.0)
    return 2.0 * model.predict_proba(X)[:, 1] - 1.0
