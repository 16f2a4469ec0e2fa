"""An anomaly detector for streams: CSDUOL within a budget, with probabilities."""

import numpy as np
from scipy.special import expit

from stakes._core.base import LearnerInfo
from stakes._core.jit.prequential import calibrated, new_calibration
from stakes.online_kernel._anomaly_jit import calibrate_scores
from stakes.online_kernel._csduol import CSDUOLClassifier
from stakes.online_kernel._docs import documented


@documented
class AnomalyDetector(CSDUOLClassifier):
    r"""Watch a stream for rare events, within bounded memory, and say how likely each is.

    A :class:`CSDUOLClassifier` that maximises the weighted sum of sensitivity and specificity, as
    in Section 5 of the paper, and whose scores are mapped to probabilities on the way,

    .. math:: P(y = 1 \mid x) = \frac{1}{1 + e^{-(b + a f(x))}} ,

    with a and b learned from each score before its example is learned. Prices given to `predict`
    then decide by expected cost, event by event.

    Parameters
    ----------
    [margins, sum]
    C : float, default=10.0
        The largest weight.
    rho : float, default=0.0
        :math:`\rho`: how strongly two examples must conflict for a double update.
    [kernel, budget 500]

    Attributes
    ----------
    [fitted]
    dual_objective_ : float
        Where the dual objective stands; with a budget, before what forgetting took away.

    Notes
    -----
    `decision_function` is the log-odds of the probability, so `predict` without prices says
    positive above one half.

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
    >>> detector = AnomalyDetector(budget=100).fit(X, y)
    >>> detector.predict([[0.0, 0.1], [2.5, 2.5]], fp_cost=1.0, fn_cost=20.0)
    array([0, 1])
    """

    _info = LearnerInfo(
        family="online_kernel",
        speed="medium",
        grid={"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]},
    )

    def __init__(
        self,
        *,
        objective="sum",
        class_ratio=None,
        positive_weight=0.5,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
        normalize_costs=True,
        C=10.0,
        rho=0.0,
        kernel="rbf",
        gamma="auto",
        degree=3,
        coef0=1.0,
        budget=500,
        n_passes=1,
        shuffle=False,
        random_state=None,
    ):
        super().__init__(
            objective=objective,
            class_ratio=class_ratio,
            positive_weight=positive_weight,
            fp_cost=fp_cost,
            fn_cost=fn_cost,
            tp_cost=tp_cost,
            tn_cost=tn_cost,
            normalize_costs=normalize_costs,
            C=C,
            rho=rho,
            kernel=kernel,
            gamma=gamma,
            degree=degree,
            coef0=coef0,
            budget=budget,
            n_passes=n_passes,
            shuffle=shuffle,
            random_state=random_state,
        )

    def decision_function(self, X):
        """Log-odds of the positive class of each row."""
        scores = super().decision_function(X)
        return calibrated(self._calibration, scores)

    def predict_proba(self, X):
        """Probability of both classes for each row, the positive one in column 1."""
        p = expit(self.decision_function(X))
        return np.column_stack([1.0 - p, p])

    def score_one(self, x):
        """Log-odds of the positive class for one example."""
        score = super().score_one(x)
        return float(calibrated(self._calibration, score))

    def predict_proba_one(self, x):
        """Probability of each class for one example, as a dict from label to probability."""
        p = float(expit(self.score_one(x)))
        negative, positive = self._labels
        return {negative: 1.0 - p, positive: p}

    def predict_one(self, x, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for one example; see `predict`.

        Parameters
        ----------
        x : array-like of shape (d,) or dict of str -> float
            The example; names that are not known yet count as zero.
        fp_cost, fn_cost, tp_cost, tn_cost : float, default=None
            What the four outcomes cost now; None for all: whichever is likelier.

        Returns
        -------
        label
        """
        given = (fp_cost, fn_cost, tp_cost, tn_cost)
        if all(cost is None for cost in given):
            return super().predict_one(x)
        p = expit(self.score_one(x))
        return self._labels[int(self._costs_of(1, *given).decide([p])[0])]

    def _start(self, n_features, signs=None):
        super()._start(n_features, signs)
        self._calibration = new_calibration()

    def _learn(self, X, y, costs):
        scores = super()._learn(X, y, costs)
        return calibrate_scores(self._calibration, scores, y, costs.regret(y > 0))
