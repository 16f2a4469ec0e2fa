"""Predictions of a linear classifier on uncertain points, with certificates."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from stakes._core.base import CostSensitiveClassifier
from stakes._core.intake import check_bounded
from stakes.costs import COST_NAMES
from stakes.uncertain._certificates import certificates
from stakes.uncertain._docs import documented
from stakes.uncertain._information import NAMES, read_information


@documented
class UncertainPoints(CostSensitiveClassifier):
    """Base of linear classifiers of uncertain points: decisions, certificates, reviews.

    A subclass has `fit`, which sets `coef_`, `intercept_` and `missing_`, and the parameter
    `confidence_level`.
    """

    _allow_nan = True
    __metadata_request__predict = dict.fromkeys((*COST_NAMES, *NAMES), True)
    __metadata_request__decision_function = dict.fromkeys(NAMES, True)

    def decision_function(self, X, **information):
        """Score w . x + b at the mean, positive for `classes_[1]`.

        Parameters
        ----------
        [X]
        [information]
            Used only if X is None.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._known(X, information).mean @ self.coef_[0] + self.intercept_[0]

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None, **information):
        """Label of each uncertain point, in the four forms of Table 3.

        By the sign at the mean X (forms 1 and 3), at the middle of the support if X is None
        (form 2), or by majority of the replicates (form 4; ties are decided at the mean).

        Parameters
        ----------
        [X]
        [predict_costs]
            This learner has no class probabilities and raises an error if costs are given.
        [information]

        Returns
        -------
        ndarray of shape (n,)
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if any(cost is not None for cost in costs.values()):
            return super().predict(X, **costs)
        _, signs = self._signs(X, information)
        return self.classes_[(signs > 0).astype(np.intp)]

    def predict_certificate(self, X, *, measure="best", **information):
        r"""Bound on the probability that a measurement error has flipped the prediction.

        Parameters
        ----------
        [X]
        measure : str, default="best"
            "1", "2", "3", "4" or "c" for the bounds of Table 4, the name of a formulation (with -I
            tighter than Table 4), or "best": the smallest bound that the information allows.
        [information]
            Some is required.

        Returns
        -------
        ndarray of shape (n,)
            :math:`\varepsilon_{opt}`, a bound on the probability that the true point is on the
            other side. It does not cover errors that a perfect measurement would make too.
        """
        known, signs = self._signs(X, information)
        return certificates(known, self.coef_[0], self.intercept_[0], signs, measure)

    def needs_review(self, X, *, max_error, measure="best", **information):
        """Predictions that are not certain enough and need a manual review.

        Parameters
        ----------
        [X]
        max_error : float
            Allowed error probability.
        measure : str, default="best"
            As in `predict_certificate`.
        [information]
            Some is required.

        Returns
        -------
        ndarray of bool of shape (n,)
        """
        return self.predict_certificate(X, measure=measure, **information) > max_error

    def _read(self, X, given):
        return read_information(X, confidence_level=self.confidence_level, **given)

    def _known(self, X, given):
        """Information on points to predict, with missing entries filled."""
        check_is_fitted(self)
        if X is None:
            X = self._read(None, given).mean
        X = self._validate_X(X)
        check_bounded(X)
        return self.missing_.fill(self._read(X, given))

    def _signs(self, X, given):
        known = self._known(X, given)
        score = known.mean @ self.coef_[0] + self.intercept_[0]
        signs = np.where(score > 0, 1.0, -1.0)
        if given.get("replicates") is not None:
            R = np.asarray(given["replicates"], np.float64)
            votes = R @ self.coef_[0] + self.intercept_[0]
            tally = np.where(np.isnan(votes), 0, np.where(votes > 0, 1, -1)).sum(axis=1)
            signs = np.where(tally == 0, signs, np.sign(tally))
        return known, signs
