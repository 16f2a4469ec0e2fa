"""The perceptron with a price per example."""

from stakes._core.base import LearnerInfo
from stakes.online._base import STREAM_CONSTRAINTS, WEIGHT_CONSTRAINTS
from stakes.online._docs import documented
from stakes.online._first_order import FirstOrderLinear
from stakes.online._first_order_jit import PERCEPTRON


@documented
class PerceptronClassifier(FirstOrderLinear):
    r"""Move towards every example that was decided wrongly, further if it was dear.

    On a mistake, :math:`y\mu^\top x \le 0`,

    .. math:: \mu \leftarrow \mu + \min\left(c, \max\left(1,
              \frac{1 - y\mu^\top x}{\|x\|^2}\right)\right) y x ,

    the classical step at the mean cost, :math:`c = 1`. A dearer example moves the weights further,
    but not past the margin of one that undoes its mistake.

    Parameters
    ----------
    [normalize]
    [stream]

    Attributes
    ----------
    [fitted]

    References
    ----------
    .. [1] F. Rosenblatt. "The perceptron: a probabilistic model for information storage and
       organization in the brain". Psychological Review 65, 1958.

    Examples
    --------
    >>> model = PerceptronClassifier().fit([[-1.0], [1.0], [2.0]], [0, 1, 1])
    >>> model.coef_[0, 0]
    np.float64(2.0)
    """

    _info = LearnerInfo(family="online")
    _parameter_constraints = {**STREAM_CONSTRAINTS, **WEIGHT_CONSTRAINTS}

    def __init__(
        self,
        *,
        weighting="class",
        normalize_costs=True,
        calibration="sigmoid",
        fit_intercept=True,
        n_passes=1,
        shuffle=False,
        random_state=None,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
    ):
        self.weighting = weighting
        self.normalize_costs = normalize_costs
        self.calibration = calibration
        self.fit_intercept = fit_intercept
        self.n_passes = n_passes
        self.shuffle = shuffle
        self.random_state = random_state
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost

    def _rule_numbers(self):
        return PERCEPTRON, 1.0
