"""Adaptive regularisation of weights with a price per example."""

from numbers import Real

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval
from stakes.online._base import WEIGHT_CONSTRAINTS
from stakes.online._docs import documented
from stakes.online._gaussian import GAUSSIAN_CONSTRAINTS, GaussianLinear
from stakes.online._gaussian_jit import AROW


@documented
class AROWClassifier(GaussianLinear):
    r"""Move a weight far only while unsure of it, and never force a margin.

    On an example of cost :math:`c` whose margin :math:`m = y\mu^\top x` is below one, solves

    .. math:: \min_{\mu,\Sigma}\ KL(N(\mu,\Sigma) \| N(\mu_t,\Sigma_t))
              + \frac{c}{2r}\left((1 - m)_+^2 + x^\top\Sigma x\right) .

    A cost without bound makes the margin one, never more.

    Parameters
    ----------
    r : float, default=1.0
        Trust in the past; larger means smaller steps.
    [gaussian]
    [normalize]
    [stream]

    Attributes
    ----------
    [fitted]
    [covariance]

    References
    ----------
    .. [1] K. Crammer, A. Kulesza, M. Dredze. "Adaptive Regularization of Weight Vectors". NIPS
       2009.

    Examples
    --------
    >>> model = AROWClassifier().fit([[-1.0], [1.0]], [0, 1])
    >>> model.predict([[3.0]])
    array([1])
    >>> round(model.covariance_[0], 3)
    np.float64(0.333)
    """

    _info = LearnerInfo(family="online", grid={"r": [0.1, 1.0, 10.0, 100.0]})
    _parameter_constraints = {
        **GAUSSIAN_CONSTRAINTS,
        **WEIGHT_CONSTRAINTS,
        "r": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        r=1.0,
        covariance="diagonal",
        initial_variance=1.0,
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
        self.r = r
        self.covariance = covariance
        self.initial_variance = initial_variance
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
        return AROW, self.r, 0.0
