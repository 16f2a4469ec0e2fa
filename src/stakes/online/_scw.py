"""Soft confidence-weighted learning with a price per example."""

from numbers import Real

from scipy.special import ndtri

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.online._base import WEIGHT_CONSTRAINTS
from stakes.online._docs import documented
from stakes.online._gaussian import GAUSSIAN_CONSTRAINTS, GaussianLinear
from stakes.online._gaussian_jit import SCW_I, SCW_II

RULES = {"SCW-I": SCW_I, "SCW-II": SCW_II}


@documented
class SCWClassifier(GaussianLinear):
    r"""Confidence-weighted learning that may miss its margin, at a price.

    .. math:: \min_{\mu,\Sigma}\ KL(N(\mu,\Sigma) \| N(\mu_t,\Sigma_t)) + C c\,
              \left(\Phi^{-1}(\eta)\sqrt{x^\top\Sigma x} - y\mu^\top x\right)_+^k ,

    with :math:`k = 1` for SCW-I and :math:`k = 2` for SCW-II; the cost :math:`c` of the example
    scales the price of the slack.

    Parameters
    ----------
    variant : {"SCW-I", "SCW-II"}, default="SCW-I"
        How a margin that is missed is paid for.
    C : float, default=0.1
        Price of the slack; larger means larger steps.
    eta : float, default=0.9
        Probability with which each example is to be decided rightly, between 0.5 and 1.
    [gaussian]
    [normalize]
    [stream]

    Attributes
    ----------
    [fitted]
    [covariance]

    References
    ----------
    .. [1] J. Wang, P. Zhao, S. C. H. Hoi. "Exact Soft Confidence-Weighted Learning". ICML 2012.

    Examples
    --------
    >>> model = SCWClassifier(C=0.1).fit([[-1.0], [1.0]], [0, 1])
    >>> round(model.coef_[0, 0], 3)
    np.float64(0.191)
    """

    _info = LearnerInfo(
        family="online",
        grid={"C": [0.01, 0.1, 1.0, 10.0], "eta": [0.75, 0.9]},
    )
    _parameter_constraints = {
        **GAUSSIAN_CONSTRAINTS,
        **WEIGHT_CONSTRAINTS,
        "variant": [StrOptions(set(RULES))],
        "C": [Interval(Real, 0, None, closed="neither")],
        "eta": [Interval(Real, 0.5, 1, closed="neither")],
    }

    def __init__(
        self,
        *,
        variant="SCW-I",
        C=0.1,
        eta=0.9,
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
        self.variant = variant
        self.C = C
        self.eta = eta
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
        return RULES[self.variant], self.C, ndtri(self.eta)
