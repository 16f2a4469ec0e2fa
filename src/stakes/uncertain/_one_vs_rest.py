"""More than two classes of uncertain points."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from stakes._core.intake import validate_data
from stakes._core.labels import code_labels
from stakes._core.sklearn_private import HasMethods
from stakes._core.stored.spec import FEATURES, Listed, Part, labels
from stakes._core.stored.state import classes_of, same_input
from stakes.uncertain._certificates import MEASURES, certificates, replicate_bounds
from stakes.uncertain._docs import documented
from stakes.uncertain._information import NAMES
from stakes.uncertain._points import PROJECTED, with_covariances

_MEMBERS = (
    "stakes.uncertain._logistic.UncertainLogisticClassifier",
    "stakes.uncertain._margin.UncertainMarginClassifier",
)


@documented
class UncertainOneVsRestClassifier(ClassifierMixin, BaseEstimator):
    r"""Classifier of uncertain points with two or more classes, and a certificate for each label.

    One classifier separates each class from the others. Its calibrated score
    :math:`s_c(x) = u_c^\top x + v_c` is linear, and the label is the class with the largest one at
    the expected true point. By the union bound, the true point has another label with a
    probability of at most

    .. math:: \sum_{c' \ne c} P\left(s_c(x) \le s_{c'}(x)\right) ,

    and each term is bounded by a certificate for two classes.

    Parameters
    ----------
    estimator : UncertainMarginClassifier or UncertainLogisticClassifier
        Classifier of two classes.

    Attributes
    ----------
    estimators_ : list of classifiers
        One per class.
    classes_ : ndarray of shape (k,)
        Class labels.
    [seen]

    Examples
    --------
    >>> from stakes.uncertain import UncertainLogisticClassifier
    >>> X, y = np.array([[0.0], [0.5], [4.0], [4.5], [9.0], [9.5]]), [0, 0, 1, 1, 2, 2]
    >>> X = np.column_stack([X, (X - 4.5) ** 2])
    >>> model = UncertainOneVsRestClassifier(UncertainLogisticClassifier(C=100.0))
    >>> model = model.fit(X, y, std=0.1)
    >>> model.predict(X, std=0.1).tolist()
    [0, 0, 1, 1, 2, 2]
    >>> int((model.predict_certificate(X, std=0.1) < 0.1).sum())
    6
    """

    __metadata_request__fit = dict.fromkeys(NAMES, True)
    __metadata_request__predict = dict.fromkeys(NAMES, True)
    __metadata_request__predict_proba = dict.fromkeys(NAMES, True)
    __metadata_request__decision_function = dict.fromkeys(NAMES, True)
    _file_state = FEATURES | {
        "classes_": labels("k", least=2),
        "estimators_": Listed(Part(_MEMBERS), "k"),
    }

    _parameter_constraints = {"estimator": [HasMethods(["fit", "predict_proba"])]}

    @staticmethod
    def _check_file_state(state, scope):
        for member in state.get("estimators_", ()):
            same_input(member, scope)
            classes_of(member)

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y, sample_weight=None, **information):
        """Fit one classifier per class.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Measurements; NaN is missing.
        y : array-like of shape (n,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n,), default=None
            Weights of the examples; None: all one.
        [information]
            None: the measurements are exact.

        Returns
        -------
        self
        """
        validate_data(self, X, y, dtype=None, ensure_all_finite="allow-nan", accept_sparse="csr")
        check_classification_targets(y)
        y = np.asarray(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            code_labels(y)  # raises for a single class
        self.estimators_ = [
            clone(self.estimator).fit(X, y == label, sample_weight, **information)
            for label in self.classes_
        ]
        return self

    def decision_function(self, X, **information):
        """Calibrated score of each class; of two classes that of the second minus the first.

        Parameters
        ----------
        [measured]
        [information]

        Returns
        -------
        ndarray of shape (n, k), or (n,) for two classes
        """
        scores = self._scores(X, information)
        return scores if scores.shape[1] > 2 else scores[:, 1] - scores[:, 0]

    def predict(self, X, **information):
        """The class with the largest score at the expected true point.

        Parameters
        ----------
        [measured]
        [information]

        Returns
        -------
        ndarray of shape (n,)
        """
        best = self._scores(X, information).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X, **information):
        """Probability of each class: those of the classifiers, scaled to a sum of one.

        Parameters
        ----------
        [measured]
        [information]

        Returns
        -------
        ndarray of shape (n, k)
        """
        check_is_fitted(self)
        p = np.column_stack([one.predict_proba(X, **information)[:, 1] for one in self.estimators_])
        p = np.maximum(p, 1e-12)
        return p / p.sum(axis=1, keepdims=True)

    def predict_certificate(self, X, *, measure="best", **information):
        """Bound on the probability that a measurement error has changed the label.

        Parameters
        ----------
        [measured]
        measure : str, default="best"
            As for two classes. With replicates, "best", "gaussian" and "counts" are bounds with
            probability `confidence_level` for all pairs of classes together.
        [information]
            Some is required.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        first = self.estimators_[0]
        known = first._known(X, information)
        coef, intercept = self._lines()
        chosen = (known.mean @ coef.T + intercept).argmax(axis=1)
        if first._counts_replicates(information):
            if measure in PROJECTED:
                return self._replicate_bounds(chosen, information["replicates"], PROJECTED[measure])
            if MEASURES.get(measure, measure) == "MM-MC":
                known = with_covariances(known, information)
        total = np.zeros(len(chosen))
        for label in np.unique(chosen):
            rows = np.flatnonzero(chosen == label)
            part, signs = known.take(rows), np.ones(len(rows))
            for other in range(len(coef)):
                if other != label:
                    line = coef[label] - coef[other], intercept[label] - intercept[other]
                    total[rows] += certificates(part, *line, signs, measure, first.independent)
        return np.minimum(total, 1.0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def _replicate_bounds(self, chosen, replicates, measure):
        coef, intercept = self._lines()
        k, allowed = len(coef), 1 - self.estimators_[0].confidence_level
        scores = np.asarray(replicates, np.float64) @ coef.T + intercept
        margins = np.take_along_axis(scores, chosen[:, None, None], axis=2) - scores
        others = np.arange(k)[:, None] != chosen
        if measure == "counts":
            # one event: another class has the largest score; each of k classes may be chosen
            least = np.where(others.T[:, None], margins, np.inf).min(axis=2)
            return replicate_bounds(least, 1 - 2 * allowed / k, measure)
        # any class may be chosen, so that each of k (k - 1) tails may fail
        level = 1 - 2 * allowed / (k * (k - 1))
        bounds = [replicate_bounds(margins[:, :, other], level, measure) for other in range(k)]
        return np.minimum(np.where(others, bounds, 0.0).sum(axis=0), 1.0)

    def _lines(self):
        """Calibrated score of each class as weights and intercepts."""
        lines = [one._calibrated_line() for one in self.estimators_]
        return np.array([w for w, _ in lines]), np.array([b for _, b in lines])

    def _scores(self, X, information):
        check_is_fitted(self)
        coef, intercept = self._lines()
        known = self.estimators_[0]._known(X, information)
        return known.mean @ coef.T + intercept
