"""Anomaly detector for streams: CSDUOL with bounded memory and probabilities."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from stakes._core.base import LearnerInfo
from stakes._core.jit.prequential import calibrated, new_calibration
from stakes.online_kernel._anomaly_jit import calibrate_scores
from stakes.online_kernel._csduol import CSDUOLClassifier
from stakes.online_kernel._docs import documented


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class AnomalyDetector(CSDUOLClassifier):
    r"""Detector of rare events in a stream, with bounded memory and calibrated probabilities.

    A :class:`CSDUOLClassifier` that maximises the weighted sum of sensitivity and specificity, as
    in Section 5 of the paper, and maps its scores to probabilities,

    .. math:: P(y = 1 \mid x) = \frac{1}{1 + e^{-(b + a f(x))}} ,

    with a and b learned from each score before its example is learned. With costs, `predict`
    decides by expected cost, event by event.

    Parameters
    ----------
    [margins, balanced]
    [double]
    [kernel, at most 500 vectors]

    Attributes
    ----------
    [dual]

    Notes
    -----
    `decision_function` is the log-odds of the probability, so `predict` without costs is positive
    above one half.

    References
    ----------
    .. [1] P. Zhao, S. C. H. Hoi. "Cost-sensitive double updating online learning and its
       application to online anomaly detection". SDM 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from stakes.online_kernel import AnomalyDetector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> y = (X[:, 0] ** 2 + X[:, 1] ** 2 + 0.5 * rng.normal(size=2000) > 7.0).astype(int)
    >>> detector = AnomalyDetector(max_support_vectors=100).fit(X, y)
    >>> detector.predict([[0.0, 0.1], [2.5, 2.5]], fp_cost=1.0, fn_cost=20.0)
    array([0, 1])
    """

    cost_rule: str = "balanced"
    max_support_vectors: int | None = 500

    _info = LearnerInfo(
        family="online_kernel",
        speed="medium",
        grid={"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]},
    )

    def decision_function(self, X):
        """Log-odds of the positive class of each row."""
        scores = super().decision_function(X)  # first: it reports a model that is not fitted
        return calibrated(self._calibration, scores)

    def predict_proba(self, X):
        """Probability of both classes for each row, the positive one in column 1."""
        p = expit(self.decision_function(X))
        return np.column_stack([1.0 - p, p])

    def decision_function_one(self, x):
        """Log-odds of the positive class for one example."""
        score = super().decision_function_one(x)
        return float(calibrated(self._calibration, score))

    def predict_proba_one(self, x):
        """Probability of each class for one example, as a dict from label to probability."""
        p = float(expit(self.decision_function_one(x)))
        negative, positive = self._labels
        return {negative: 1.0 - p, positive: p}

    def predict_one(self, x, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for one example; see `predict`.

        Parameters
        ----------
        [one]
        fp_cost, fn_cost, tp_cost, tn_cost : float, default=None
            Costs of the four outcomes in this call; all None: the more likely class.

        Returns
        -------
        label
        """
        given = (fp_cost, fn_cost, tp_cost, tn_cost)
        if all(cost is None for cost in given):
            return super().predict_one(x)
        p = expit(self.decision_function_one(x))
        return self._labels[int(self._costs_of(1, *given).decide([p])[0])]

    def _start(self, n_features, signs=None):
        super()._start(n_features, signs)
        self._calibration = new_calibration()

    def _learn(self, X, y, costs, order=None):
        scores = super()._learn(X, y, costs, order)
        return calibrate_scores(self._calibration, scores, y, costs.regret(y > 0))
