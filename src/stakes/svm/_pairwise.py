"""SVMs with costs for more than two classes: one for each pair, each with the costs of its pair."""

from itertools import combinations

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils.multiclass import check_classification_targets

from stakes._core.base import COST_CONSTRAINTS, ManyClassClassifier, canonical
from stakes._core.deciding import only_scores_count, warn_many_below_trivial
from stakes._core.intake import checked_for, validate_data
from stakes._core.parallel import N_JOBS
from stakes._core.sklearn_private import HasMethods, fit_context
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import FEATURES, Listed, Part, labels
from stakes._core.stored.state import classes_of, same_input
from stakes.costs import CostMatrix
from stakes.svm._cost_sensitive import CostSensitiveSVC
from stakes.svm._docs import documented

_MEMBER = Part(methods=("predict_proba", "decision_function"))


@documented
class PairwiseSVC(ManyClassClassifier):
    r"""SVMs for more than two classes: one two-class SVM per pair, and the least expected cost.

    The SVM of classes i and j sees their examples only, with the costs that the two have for each
    other, :math:`c_{ij}` for deciding j where i is true. Their probabilities :math:`r_{ij}` of i
    given i or j are coupled to class probabilities,

    .. math:: \min_p\ \sum_i\sum_{j \ne i}(r_{ji}p_i - r_{ij}p_j)^2 ,\quad \sum_i p_i = 1 ,

    and the decision is the one with the least expected cost.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Two-class SVM of this family, with probabilities; None: :class:`CostSensitiveSVC`.
    cost_matrix : array-like of shape (k, k), default=None
        Costs, row: true class, column: decision. None: every mistake costs one.
    n_jobs : int or None, default=None
        Number of processes for the pairs; -1: one per core.
    [costs]
        Two classes only.

    Attributes
    ----------
    estimators_ : list of k (k - 1) / 2 classifiers
        The SVMs of the pairs (0, 1), (0, 2), ..., (k - 2, k - 1).
    classes_ : ndarray of shape (k,)
        The labels.
    [seen]

    References
    ----------
    .. [1] T.-F. Wu, C.-J. Lin, R. Weng. "Probability estimates for multi-class classification by
           pairwise coupling". Journal of Machine Learning Research 5, 2004.

    Examples
    --------
    >>> X, y = [[0.0], [0.2], [1.0], [1.2], [2.0], [2.2]], [0, 0, 1, 1, 2, 2]
    >>> model = PairwiseSVC(CostSensitiveSVC(C=10.0)).fit(X, y)
    >>> model.predict([[0.1], [1.1], [2.1]])
    array([0, 1, 2])
    >>> wary = model.set_params(cost_matrix=[[0, 1, 1], [1, 0, 1], [99, 99, 0]]).fit(X, y)
    >>> wary.predict([[1.1]])
    array([2])
    """

    _file_state = FEATURES | {"classes_": labels(), "estimators_": Listed(_MEMBER, None)}

    @staticmethod
    def _check_file_state(state, scope):
        if "estimators_" not in state:
            return
        k = scope.sizes["k"]
        if len(state["estimators_"]) != k * (k - 1) // 2:
            raise Damaged("a model has no SVM for some pair of classes, or too many")
        for member in state["estimators_"]:
            same_input(member, scope)
            if len(classes_of(member)) != 2:
                raise Damaged("the SVM of a pair has another number of classes")

    _parameter_constraints = COST_CONSTRAINTS | {
        "estimator": [HasMethods(["fit", "predict_proba", "decision_function"]), None],
        "cost_matrix": ["array-like", None],
        "n_jobs": N_JOBS,
    }
    _accept_sparse = "csr"
    _instead_of_costs = "set cost_matrix instead"

    def __init__(
        self,
        estimator=None,
        *,
        cost_matrix=None,
        n_jobs=None,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
    ):
        self.estimator = estimator
        self.cost_matrix = cost_matrix
        self.n_jobs = n_jobs
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Fit one SVM per pair of classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples, features on one scale.
        y : array-like of shape (n,)
            Their labels.
        sample_weight : array-like of shape (n,), default=None
            Factors on the penalties of the examples; None: all one.
        [fit_costs]
            Two classes only.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        X = canonical(X if self.estimator is None else checked_for(self.estimator, X, fitting=True))
        check_classification_targets(y)
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        index, weight, _ = self._read_classes(X, y, sample_weight, given)
        k = len(self.classes_)
        if k == 2:
            costs = self._costs_of(len(y), **given).keywords()
            tasks = [(np.arange(len(y)), costs)]
        else:
            table = self._matrix().table
            regret = table - np.diag(table)[:, None]
            tasks = [
                (np.flatnonzero((index == i) | (index == j)), _pair_costs(regret, i, j))
                for i, j in combinations(range(k), 2)
            ]
        with only_scores_count():
            self.estimators_ = Parallel(n_jobs=self.n_jobs)(
                delayed(self._fit_pair)(X[rows], y[rows], weight[rows], costs)
                for rows, costs in tasks
            )
        return self

    def _fit_pair(self, X, y, weight, costs):
        estimator = CostSensitiveSVC() if self.estimator is None else clone(self.estimator)
        return estimator.fit(X, y, sample_weight=weight, **costs)

    def decision_function(self, X):
        """Scores of each row: of the positive class, or minus the expected cost of each decision.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,) or (n, k)
        """
        X = self._validate_X(X)
        if len(self.classes_) == 2:
            return self.estimators_[0].decision_function(X)
        return self._class_scores(X)

    def predict_proba(self, X):
        """Probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n, k)
        """
        X = self._validate_X(X)
        if len(self.classes_) == 2:
            return self.estimators_[0].predict_proba(X)
        return couple([model.predict_proba(X)[:, 1] for model in self.estimators_])

    def _class_scores(self, X):
        return -self._matrix().expected(self.predict_proba(X))

    def _matrix(self):
        k = len(self.classes_)
        given = 1.0 - np.eye(k) if self.cost_matrix is None else self.cost_matrix
        return CostMatrix.of(given, k, self.classes_)

    def _costs_of(self, n, *args, **given):
        now = any(cost is not None for cost in (*args, *given.values()))
        if self.cost_matrix is None or now:
            return super()._costs_of(n, *args, **given)
        (tn, fp), (fn, tp) = self._matrix().table
        return super()._costs_of(n, fp_cost=fp, fn_cost=fn, tp_cost=tp, tn_cost=tn)

    def _has_prices(self, given):
        return self.cost_matrix is not None or super()._has_prices(given)

    def _compare_many_with_trivial(self, X, y, sample_weight):
        warn_many_below_trivial(self, self._matrix(), X, y, sample_weight, self.classes_)


def _pair_costs(regret, i, j):
    """Costs that two classes have for each other; equal ones if a mistake costs nothing."""
    if min(regret[i, j], regret[j, i]) <= 0:
        return dict(fp_cost=1.0, fn_cost=1.0)
    return dict(fp_cost=float(regret[i, j]), fn_cost=float(regret[j, i]))


def couple(later):
    r"""Class probabilities from those of pairs.

    Parameters
    ----------
    later : sequence of k (k - 1) / 2 arrays of shape (n,)
        Probability of j given i or j, for i < j in lexicographic order.

    Returns
    -------
    ndarray of shape (n, k)

    Examples
    --------
    >>> p = np.array([0.2, 0.3, 0.5])
    >>> pairs = [p[j] / (p[i] + p[j]) for i, j in combinations(range(3), 2)]
    >>> couple([np.array([r]) for r in pairs]).round(6)
    array([[0.2, 0.3, 0.5]])
    """
    n = len(later[0])
    k = round((1 + np.sqrt(1 + 8 * len(later))) / 2)
    r = np.zeros((n, k, k))  # r[:, i, j]: probability of i given i or j
    for (i, j), p in zip(combinations(range(k), 2), later, strict=True):
        p = np.clip(p, 1e-7, 1 - 1e-7)  # as in LIBSVM: a zero would leave p undetermined
        r[:, j, i], r[:, i, j] = p, 1 - p
    system, right = np.zeros((n, k + 1, k + 1)), np.zeros((n, k + 1, 1))
    system[:, :k, :k] = -r.transpose(0, 2, 1) * r
    diagonal = np.arange(k)
    system[:, diagonal, diagonal] = (r**2).sum(axis=1)
    system[:, :k, k] = system[:, k, :k] = 1.0
    right[:, k] = 1.0
    p = np.clip(np.linalg.solve(system, right)[:, :k, 0], 0.0, None)
    return p / p.sum(axis=1, keepdims=True)
