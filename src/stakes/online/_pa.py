"""Passive-aggressive learning, with a cost per example."""

from numbers import Real

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.online._first_order import FirstOrderLinear
from stakes.online._first_order_jit import PA, PA_I, PA_II
from stakes.online._parameters import learner
from stakes.online._state import Rule

RULES = {"PA": PA, "PA-I": PA_I, "PA-II": PA_II}


@learner
class PAClassifier(FirstOrderLinear):
    r"""Passive-aggressive learning: the smallest change that gives each example its margin.

    .. math:: \min_\mu\ \tfrac12\|\mu - \mu_t\|^2 + C c\,\xi^k
              \quad\text{subject to}\quad y\mu^\top x \ge 1 - \xi ,

    with :math:`k = 1` for PA-I and :math:`k = 2` for PA-II; PA has no slack and ignores costs. The
    weight :math:`c` of the example bounds the step, which never goes past a margin of one.

    Parameters
    ----------
    variant : {"PA-I", "PA-II", "PA"}, default="PA-I"
        Penalty on the slack: linear, squared, or no slack.
    C : float, default=0.1
        Penalty on the slack; larger means larger steps.
    [cost_rule]
    [stream]

    Attributes
    ----------
    [fitted]

    References
    ----------
    .. [1] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer. "Online
       Passive-Aggressive Algorithms". JMLR 7, 2006.

    Examples
    --------
    >>> model = PAClassifier(C=10.0, fit_intercept=False).fit([[-2.0], [2.0]], [0, 1])
    >>> model.coef_[0, 0]
    np.float64(0.5)
    """

    variant: str = "PA-I"
    C: float = 0.1

    _info = LearnerInfo(family="online", grid={"C": [0.001, 0.01, 0.1, 1.0]})
    _parameter_constraints = {
        **FirstOrderLinear._parameter_constraints,
        "variant": [StrOptions(set(RULES))],
        "C": [Interval(Real, 0, None, closed="neither")],
    }

    def _rule(self):
        return Rule(RULES[self.variant], self.C)
