"""Passive-aggressive learning with a price per example."""

from numbers import Real

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.online._base import STREAM_CONSTRAINTS, WEIGHT_CONSTRAINTS
from stakes.online._docs import documented
from stakes.online._first_order import FirstOrderLinear
from stakes.online._first_order_jit import PA, PA_I, PA_II

RULES = {"PA": PA, "PA-I": PA_I, "PA-II": PA_II}


@documented
class PAClassifier(FirstOrderLinear):
    r"""The smallest change that gives the example its margin, less willing if it is cheap.

    .. math:: \min_\mu\ \tfrac12\|\mu - \mu_t\|^2 + C c\,\xi^k
              \quad\text{subject to}\quad y\mu^\top x \ge 1 - \xi ,

    with :math:`k = 1` for PA-I and :math:`k = 2` for PA-II; PA has no slack and reads no cost. The
    cost :math:`c` bounds the step and never carries it past the margin of one.

    Parameters
    ----------
    variant : {"PA-I", "PA-II", "PA"}, default="PA-I"
        How a margin that is missed is paid for.
    C : float, default=0.1
        Price of the slack; larger means larger steps.
    [normalize]
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

    _info = LearnerInfo(family="online", grid={"C": [0.001, 0.01, 0.1, 1.0]})
    _parameter_constraints = {
        **STREAM_CONSTRAINTS,
        **WEIGHT_CONSTRAINTS,
        "variant": [StrOptions(set(RULES))],
        "C": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        variant="PA-I",
        C=0.1,
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
        return RULES[self.variant], self.C
