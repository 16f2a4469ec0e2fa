"""What a linear classifier says of points that are known up to an error."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from stakes._core.base import CostSensitiveClassifier
from stakes.costs import COST_NAMES
from stakes.uncertain._certificates import certificates
from stakes.uncertain._information import NAMES, read_information


class UncertainPoints(CostSensitiveClassifier):
    """Base of a linear classifier of uncertain points: decisions, certificates, reviews.

    A learner gives `fit`, which sets `coef_`, `intercept_` and `missing_`, and the parameter
    `confidence`.
    """

    _allow_nan = True
    __metadata_request__predict = dict.fromkeys((*COST_NAMES, *NAMES), True)
    __metadata_request__decision_function = dict.fromkeys(NAMES, True)

    def decision_function(
        self,
        X,
        *,
        lower=None,
        upper=None,
        var=None,
        mean_lower=None,
        mean_upper=None,
        replicates=None,
    ):
        """Score w . x + b at the mean, positive for `classes_[1]`.

        Parameters
        ----------
        X : array-like of shape (n, d) or None
            The measurements; None as in `fit`.
        lower, upper, var, mean_lower, mean_upper, replicates : array-like, default=None
            As in `fit`; they only matter where X is None.

        Returns
        -------
        ndarray of shape (n,)
        """
        given = dict(lower=lower, upper=upper, var=var, mean_lower=mean_lower)
        given |= dict(mean_upper=mean_upper, replicates=replicates)
        return self._known(X, given).mean @ self.coef_[0] + self.intercept_[0]

    def predict(
        self,
        X,
        *,
        lower=None,
        upper=None,
        var=None,
        mean_lower=None,
        mean_upper=None,
        replicates=None,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Label of each uncertain point, in the four forms of Table 3.

        By the sign at the mean X (forms 1 and 3), at the middle of the support if X is None
        (form 2), or the majority over the replicates (form 4; a tie is decided at the mean).

        Parameters
        ----------
        X : array-like of shape (n, d) or None
            The measurements; None as in `fit`.
        lower, upper, var, mean_lower, mean_upper, replicates : array-like, default=None
            As in `fit`.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            Not for this learner, which has no probability of the class: see the error.

        Returns
        -------
        ndarray of shape (n,)
        """
        given = dict(lower=lower, upper=upper, var=var, mean_lower=mean_lower)
        given |= dict(mean_upper=mean_upper, replicates=replicates)
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if any(cost is not None for cost in costs.values()):
            return super().predict(X, **costs)
        _, signs = self._signs(X, given)
        return self.classes_[(signs > 0).astype(np.intp)]

    def predict_certificate(
        self,
        X,
        *,
        measure="best",
        lower=None,
        upper=None,
        var=None,
        mean_lower=None,
        mean_upper=None,
        replicates=None,
    ):
        r"""Bound on the probability that an error of measurement has turned the prediction.

        Parameters
        ----------
        X : array-like of shape (n, d) or None
            The measurements; None as in `fit`.
        measure : str, default="best"
            "1", "2", "3", "4" or "c" for the bounds of Table 4, or the name of a formulation (with
            -I tighter than Table 4), or "best": the least that the information allows.
        lower, upper, var, mean_lower, mean_upper, replicates : array-like, default=None
            As in `fit`; some information is needed.

        Returns
        -------
        ndarray of shape (n,)
            :math:`\varepsilon_{opt}`: the true point is on the side of its predicted label but for
            this probability. It says nothing of a true point whose label is not what its side
            says, the error that a perfect measurement would have too.
        """
        given = dict(lower=lower, upper=upper, var=var, mean_lower=mean_lower)
        given |= dict(mean_upper=mean_upper, replicates=replicates)
        known, signs = self._signs(X, given)
        return certificates(known, self.coef_[0], self.intercept_[0], signs, measure)

    def needs_review(self, X, *, max_error, measure="best", **information):
        """Which predictions are not certain enough and should go to a person.

        Parameters
        ----------
        X : array-like of shape (n, d) or None
            The measurements.
        max_error : float
            The largest acceptable probability of an error.
        measure : str, default="best"
            As in `predict_certificate`.
        **information : array-like
            As in `predict_certificate`.

        Returns
        -------
        ndarray of bool of shape (n,)
        """
        return self.predict_certificate(X, measure=measure, **information) > max_error

    def _read(self, X, given):
        return read_information(X, confidence=self.confidence, **given)

    def _known(self, X, given):
        """Information on points to predict, complete where entries are missing."""
        check_is_fitted(self)
        if X is None:
            X = self._read(None, given).mean
        return self.missing_.fill(self._read(self._validate_X(X), given))

    def _signs(self, X, given):
        known = self._known(X, given)
        score = known.mean @ self.coef_[0] + self.intercept_[0]
        signs = np.where(score > 0, 1.0, -1.0)
        if given["replicates"] is not None:
            R = np.asarray(given["replicates"], np.float64)
            votes = R @ self.coef_[0] + self.intercept_[0]
            tally = np.where(np.isnan(votes), 0, np.where(votes > 0, 1, -1)).sum(axis=1)
            signs = np.where(tally == 0, signs, np.sign(tally))
        return known, signs
