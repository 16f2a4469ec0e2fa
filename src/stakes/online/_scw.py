"""Soft confidence-weighted learning, with a cost per example."""

from numbers import Real

from scipy.special import ndtri

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.online._gaussian import GaussianLinear
from stakes.online._gaussian_jit import SCW_I, SCW_II
from stakes.online._parameters import CostRuleParameters, learner
from stakes.online._state import Rule

RULES = {"SCW-I": SCW_I, "SCW-II": SCW_II}


@learner
class SCWClassifier(CostRuleParameters, GaussianLinear):
    r"""Confidence-weighted learning with slack, for noisy labels.

    .. math:: \min_{\mu,\Sigma}\ KL(N(\mu,\Sigma) \| N(\mu_t,\Sigma_t)) + C c\,
              \left(\Phi^{-1}(\eta)\sqrt{x^\top\Sigma x} - y\mu^\top x\right)_+^k ,

    with :math:`k = 1` for SCW-I and :math:`k = 2` for SCW-II; the weight :math:`c` of the
    example scales the penalty.

    Parameters
    ----------
    variant : {"SCW-I", "SCW-II"}, default="SCW-I"
        Penalty on the slack: linear or squared.
    C : float, default=0.1
        Penalty on the slack; larger means larger steps.
    eta : float, default=0.9
        Required probability of a correct decision, between 0.5 and 1.
    [cost_rule]
    [gaussian]
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

    variant: str = "SCW-I"
    C: float = 0.1
    eta: float = 0.9

    _info = LearnerInfo(
        family="online",
        grid={"C": [0.01, 0.1, 1.0, 10.0], "eta": [0.75, 0.9]},
    )
    _parameter_constraints = {
        **GaussianLinear._parameter_constraints,
        **CostRuleParameters._cost_constraints,
        "variant": [StrOptions(set(RULES))],
        "C": [Interval(Real, 0, None, closed="neither")],
        "eta": [Interval(Real, 0.5, 1, closed="neither")],
    }

    def _rule(self):
        return Rule(RULES[self.variant], self.C, ndtri(self.eta))
