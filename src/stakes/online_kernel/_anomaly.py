"""Anomaly detector for streams: CSDUOL with bounded memory and probabilities."""

from dataclasses import dataclass

from stakes._core.base import LearnerInfo
from stakes.online_kernel._csduol import CSDUOLClassifier
from stakes.online_kernel._docs import documented


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class AnomalyDetector(CSDUOLClassifier):
    r"""Detector of rare events in a stream, with bounded memory and calibrated probabilities.

    A :class:`CSDUOLClassifier` that maximizes the weighted sum of sensitivity and specificity, as
    in Section 5 of the paper, and maps its scores to probabilities,

    .. math:: P(y = 1 \mid x) = \frac{1}{1 + e^{-(b + a f(x))}} ,

    with a and b learned from each score before its example is learned. With costs, `predict`
    decides by expected cost, event by event.

    Parameters
    ----------
    [margins, balanced]
    [scale_C]
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
    _log_odds = True
