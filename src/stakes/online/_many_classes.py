"""More than two classes in a stream: one learner per class, and the least expected cost."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._core.base import canonical, unchanged_if_it_fails
from stakes._core.deciding import only_scores_count, warn_many_below_trivial
from stakes._core.docs import documented
from stakes._core.intake import check_weights, validate_data
from stakes._core.labels import check_same_classes, code_labels
from stakes._core.sklearn_private import HasMethods, fit_context
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import FEATURES, PROBABLE, Listed, labels
from stakes._core.stored.state import classes_of, same_input
from stakes.costs import CostMatrix
from stakes.online._probit import ProbitClassifier

MANY = {
    "matrix": """\
cost_matrix : array-like of shape (k, k) or (n, k, k), default=None
    Costs of these examples, row: true class, column: decision; None: the constructor's.
""",
    "one": """\
x : ndarray of shape (d,) or dict of str -> float
    Example. Features that a dict does not name are zero.
""",
}


def _has(name):
    return available_if(lambda self: hasattr(self._base(), name))


def _weight(at_stake, sample_weight):
    if sample_weight is None:
        return at_stake
    weight = check_weights(
        sample_weight, at_stake, ensure_non_negative=True, allow_all_zero_weights=True
    )
    return at_stake * weight


@documented(MANY)
class OneVsRestStreamClassifier(ClassifierMixin, BaseEstimator):
    r"""Stream learner for two or more classes, and decisions of least expected cost.

    One learner separates each class from the others. Its weight of an example is what is at stake
    in it, :math:`\max_j c_{yj} - \min_j c_{yj}`, so an example whose decision does not matter
    teaches nothing. The probabilities of the learners are scaled to a sum of one, and the decision
    is :math:`\arg\min_j \sum_y p_y c_{yj}`.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, `sample_weight` and `predict_proba`, default=None
        Learner of two classes; None: :class:`ProbitClassifier`.
    cost_matrix : array-like of shape (k, k), default=None
        Costs, row: true class, column: decision. None: every mistake costs one.

    Attributes
    ----------
    estimators_ : list of classifiers
        One per class.
    classes_ : ndarray of shape (k,)
        Labels.
    [seen]

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> order = np.random.default_rng(0).permutation(150)
    >>> model = OneVsRestStreamClassifier().fit(X[order], y[order])
    >>> model.score(X, y) > 0.9
    True
    >>> wary = [[0, 1, 1], [1, 0, 1], [20, 20, 0]]
    >>> [int((model.predict(X, cost_matrix=c) == 2).sum()) for c in (None, wary)]
    [56, 100]
    """

    _file_state = FEATURES | {"classes_": labels("k"), "estimators_": Listed(PROBABLE, "k")}

    @staticmethod
    def _check_file_state(state, scope):
        for member in state.get("estimators_", ()):
            same_input(member, scope)
            if len(classes_of(member)) != 2:
                raise Damaged("a model of one class against the others has other classes")

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "partial_fit", "predict_proba"]), None],
        "cost_matrix": ["array-like", None],
    }
    __metadata_request__fit = {"cost_matrix": True}
    __metadata_request__partial_fit = {"cost_matrix": True}
    __metadata_request__predict = {"cost_matrix": True}
    __metadata_request__score = {"cost_matrix": True}

    def __init__(self, estimator=None, *, cost_matrix=None):
        self.estimator = estimator
        self.cost_matrix = cost_matrix

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None, *, cost_matrix=None):
        """Learn from scratch.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        y : array-like of shape (n,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n,), default=None
            Factors on the costs of the examples; None: all one.
        [matrix]

        Returns
        -------
        self
        """
        with unchanged_if_it_fails(self):
            X, y = self._read_rows(X, y, reset=True)
            check_classification_targets(y)
            if (y == y[0]).all():
                code_labels(y)  # raises for a single class
            self._start(y)
            costs, truth = self._priced(y, cost_matrix)
            weight = _weight(costs.regret(truth), sample_weight)
            with only_scores_count():
                for c, model in enumerate(self.estimators_):
                    model.fit(X, truth == c, weight)
        if cost_matrix is not None or self.cost_matrix is not None:
            warn_many_below_trivial(self, costs, X, y, sample_weight, self.classes_)
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X, y, classes=None, sample_weight=None, *, cost_matrix=None):
        """Continue learning; n calls with one example equal one call with n examples.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        y : array-like of shape (n,)
            Labels.
        classes : array-like of shape (k,), default=None
            All labels; required in the first call unless y contains all.
        sample_weight : array-like of shape (n,), default=None
            Factors on the costs of the examples; None: all one.
        [matrix]

        Returns
        -------
        self
        """
        first = not hasattr(self, "estimators_")
        with unchanged_if_it_fails(self):
            X, y = self._read_rows(X, y, reset=first)
            if first:
                self._start(y if classes is None else classes)
            elif classes is not None:
                check_same_classes(np.unique(classes), self.classes_)
            costs, truth = self._priced(y, cost_matrix)
            weight = _weight(costs.regret(truth), sample_weight)
            for c, model in enumerate(self.estimators_):
                model.partial_fit(X, truth == c, [False, True], weight)
        return self

    @_has("learn_one")
    def learn_one(self, x, y, *, classes=None, sample_weight=None, cost_matrix=None):
        """Learn one example.

        Parameters
        ----------
        [one]
            New names become new features.
        y : label
            One of the classes.
        classes : sequence of labels, default=None
            All labels; required with the first example unless they are 0 and 1.
        sample_weight : float, default=None
            Factor on the costs; None: one.
        cost_matrix : array-like of shape (k, k), default=None
            Costs of this example; None: the constructor's.

        Returns
        -------
        self
        """
        with unchanged_if_it_fails(self):
            if not hasattr(self, "estimators_"):
                self._start((0, 1) if classes is None else classes)
            elif classes is not None:
                check_same_classes(np.unique(classes), self.classes_)
            costs, truth = self._priced(np.array([y]), cost_matrix)
            weight = float(_weight(costs.regret(truth), sample_weight)[0])
            for c, model in enumerate(self.estimators_):
                is_this = bool(truth[0] == c)
                model.learn_one(x, is_this, classes=[False, True], sample_weight=weight)
            self.n_features_in_ = self.estimators_[0].n_features_in_
        return self

    def predict_proba(self, X):
        """Probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n, k)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64, order="C")
        return self._scaled(
            np.column_stack([m.predict_proba(canonical(X))[:, 1] for m in self.estimators_])
        )

    def predict(self, X, *, cost_matrix=None):
        """The decision of least expected cost for each row.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        [matrix]

        Returns
        -------
        ndarray of shape (n,)
            Labels from `classes_`.
        """
        P = self.predict_proba(X)
        return self.classes_[self._costs(cost_matrix, len(P)).decide(P)]

    @_has("predict_proba_one")
    def predict_proba_one(self, x):
        """Probability of each class for one example, as a dict from label to probability."""
        return dict(zip(self.classes_.tolist(), self._probability_one(x), strict=True))

    @_has("predict_proba_one")
    def predict_one(self, x, *, cost_matrix=None):
        """Decide for one example; see `predict`.

        Parameters
        ----------
        [one]
            Unknown names are ignored.
        cost_matrix : array-like of shape (k, k), default=None
            Costs of this example; None: the constructor's.

        Returns
        -------
        label
        """
        P = np.array([self._probability_one(x)])
        return self.classes_.tolist()[int(self._costs(cost_matrix, 1).decide(P)[0])]

    def score(self, X, y, sample_weight=None, *, cost_matrix=None):
        """Share of the money at stake that was not lost; accuracy if all mistakes cost the same.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), default=None
            Factors on the costs of the examples; None: all one.
        [matrix]

        Returns
        -------
        float
        """
        check_is_fitted(self)
        costs, truth = self._priced(column_or_1d(y), cost_matrix)
        weight = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight)
        lost = costs.paid(truth, costs.decide(self.predict_proba(X)))
        lost = weight @ (lost - costs.paid(truth, truth))
        at_stake = weight @ costs.regret(truth)
        return float(1.0 - lost / at_stake) if at_stake > 0 else 1.0

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _base(self):
        return ProbitClassifier() if self.estimator is None else self.estimator

    def _read_rows(self, X, y, reset):
        X, y = validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=np.float64, order="C"
        )
        return canonical(X), column_or_1d(y)

    def _start(self, classes):
        self.classes_ = np.unique(classes)
        if len(self.classes_) < 2:
            raise ValueError(
                f"A stream needs all classes before it starts. Got {self.classes_.tolist()}; pass "
                "all as classes=."
            )
        self.estimators_ = [clone(self._base()) for _ in self.classes_]

    def _costs(self, cost_matrix, n):
        """Costs of n examples: those given in the call, else those of the constructor."""
        k = len(self.classes_)
        given = self.cost_matrix if cost_matrix is None else cost_matrix
        return CostMatrix.of(1.0 - np.eye(k) if given is None else given, k, self.classes_, n=n)

    def _priced(self, y, cost_matrix):
        """Costs, and the index of the true class, of examples."""
        truth = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
        unknown = self.classes_[truth] != y
        if unknown.any():
            raise ValueError(
                f"y has the label {y[unknown].tolist()[0]!r}, and the classes are "
                f"{self.classes_.tolist()}; pass all labels as classes= in the first call."
            )
        return self._costs(cost_matrix, len(y)), truth

    def _probability_one(self, x):
        check_is_fitted(self)
        found = [model.predict_proba_one(x)[True] for model in self.estimators_]
        return self._scaled(np.array([found]))[0].tolist()

    @staticmethod
    def _scaled(P):
        """Rows with a sum of one; equal probabilities where no class has any."""
        total = P.sum(axis=1, keepdims=True)
        return np.where(total > 0, P, 1.0) / np.where(total > 0, total, P.shape[1])
