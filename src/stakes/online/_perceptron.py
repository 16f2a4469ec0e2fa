"""Perceptron, with a cost per example."""

from stakes._core.base import LearnerInfo
from stakes.online._first_order import FirstOrderLinear
from stakes.online._first_order_jit import PERCEPTRON
from stakes.online._parameters import learner
from stakes.online._state import Rule


@learner
class PerceptronClassifier(FirstOrderLinear):
    r"""Perceptron whose steps grow with the cost of the mistake.

    On a mistake, :math:`y\mu^\top x \le 0`,

    .. math:: \mu \leftarrow \mu + \min\left(c, \max\left(1,
              \frac{1 - y\mu^\top x}{\|x\|^2}\right)\right) y x ,

    which at the mean cost, :math:`c = 1`, is the classical step. A more expensive example moves the
    weights further, but not past the margin of one that corrects the mistake.

    Parameters
    ----------
    [cost_rule]
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

    def _rule(self):
        return Rule(PERCEPTRON)
