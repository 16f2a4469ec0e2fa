"""Adaptive regularisation of weights, with a cost per example."""

from numbers import Real

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval
from stakes.online._gaussian import GaussianLinear
from stakes.online._gaussian_jit import AROW
from stakes.online._parameters import CostRuleParameters, learner
from stakes.online._state import Rule


@learner
class AROWClassifier(CostRuleParameters, GaussianLinear):
    r"""Adaptive regularisation of weights: uncertain weights move far, and no margin is forced.

    On an example of cost :math:`c` whose margin :math:`m = y\mu^\top x` is below one, solves

    .. math:: \min_{\mu,\Sigma}\ KL(N(\mu,\Sigma) \| N(\mu_t,\Sigma_t))
              + \frac{c}{2r}\left((1 - m)_+^2 + x^\top\Sigma x\right) .

    However large the cost, the new margin does not exceed one.

    Parameters
    ----------
    r : float, default=1.0
        Regularisation; larger means smaller steps.
    [cost_rule]
    [gaussian]
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

    r: float = 1.0

    _info = LearnerInfo(family="online", grid={"r": [0.1, 1.0, 10.0, 100.0]})
    _parameter_constraints = {
        **GaussianLinear._parameter_constraints,
        **CostRuleParameters._cost_constraints,
        "r": [Interval(Real, 0, None, closed="neither")],
    }

    def _rule(self):
        return Rule(AROW, self.r)
