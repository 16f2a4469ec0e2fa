"""Confidence-weighted learning under a CVaR constraint with a price per example."""

from numbers import Integral, Real

import numpy as np
from scipy.special import ndtri

from stakes._core.base import LearnerInfo
from stakes._core.jit.weight import AS_GIVEN, CLASS, REGRET, STAKE
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.online._cost_buffer import CostBuffer
from stakes.online._cw_cvar_jit import learn_sketched_row
from stakes.online._docs import documented
from stakes.online._gaussian import GAUSSIAN_CONSTRAINTS, GaussianLinear
from stakes.online._gaussian_jit import CVAR, CVAR_COSTS, CVAR_PAPER
from stakes.online._state import OMEGA
from stakes.risk import omega

RULES = {
    "class": CVAR,
    "stake": CVAR,
    "regret": CVAR,
    "paper": CVAR_PAPER,
    "costs": CVAR_COSTS,
}
WEIGHTINGS = {"class": CLASS, "stake": STAKE}
CVAR_CONSTRAINTS = {
    **GAUSSIAN_CONSTRAINTS,
    "normalize_costs": ["boolean"],
    "alpha": [Interval(Real, 0, 1, closed="neither")],
    "beta": [Interval(Real, 0, 1, closed="neither")],
    "tau": [Interval(Real, 0, 1, closed="right")],
    "margin": [StrOptions({"gaussian", "unimodal", "symmetric", "arbitrary"})],
    "cost_rule": [StrOptions(set(RULES))],
    "C": [Interval(Real, 0, None, closed="neither")],
    "buffer": ["boolean"],
    "max_memory": [Interval(Integral, 64, None, closed="left"), None],
}


@documented
class CWCVaRClassifier(GaussianLinear):
    r"""Confidence-weighted learning that asks most of the examples that cost most.

    The soft rules, ``cost_rule="class"``, ``"stake"`` and ``"regret"``, ask the worst-case CVaR of
    the margin to be one, and pay the weight :math:`c` of the example for what it lacks:

    .. math:: \min_{\mu,\Sigma}\ KL(N(\mu,\Sigma) \| N(\mu_t,\Sigma_t))
              + C c\,\left(1 + \omega_\epsilon\,x^\top\Sigma x - y\mu^\top x\right)_+ ,

    with :math:`\epsilon = \alpha` for an example dearer than :math:`CVaR_\tau`, the mean of the
    share :math:`\tau` of dearest examples so far, and :math:`\epsilon = \beta` for the others
    (Eq. 13). The multiplier is :math:`\lambda = \min(C c, \lambda_{hard}(\omega_\epsilon))`.

    Parameters
    ----------
    alpha : float, default=0.7
        Tail of the constraint for dear examples.
    beta : float, default=0.8
        Tail of the constraint for the others; at least `alpha`.
    tau : float, default=0.05
        Share of the dearest examples whose mean cost makes an example dear.
    margin : {"gaussian", "unimodal", "symmetric", "arbitrary"}, default="gaussian"
        What is assumed of the margin's distribution; sets omega (Table I).
    cost_rule : {"class", "stake", "regret", "paper", "costs"}, default="class"
        The weight of an example: "class", the mean regret of its class so far; "stake", all that is
        at stake in its row times that mean; "regret", what its mistake costs.
        "paper": Algorithm 1 as printed; "costs": the paper's baseline CW-costs, the plain
        confidence-weighted step times the cost.
    C : float, default=1.0
        Price of the slack under the soft rules.
    buffer : bool, default=True
        False: `alpha` for every example.
    max_memory : int or None, default=4096
        Numbers that the cost buffer may keep; None: every cost, exact and O(log t) a step.
    [gaussian]
    normalize_costs : bool, default=True
        Take each cost in units of the mean cost so far, so that the currency does not matter;
        False: the regrets as they are.
    [stream]

    Attributes
    ----------
    [fitted]
    [covariance]

    Notes
    -----
    Eq. 6 scales only the mean of the margin by the cost, so under the paper's rule the step
    :math:`c\lambda` falls as the cost grows. The soft rules cannot do that: with M the margin and
    v its variance, :math:`\lambda_{hard}` solves
    :math:`M + \lambda v = 1 + \omega v / (1 + 2\lambda\omega v)`, whose right side rises with
    :math:`\omega` and falls with :math:`\lambda`, so :math:`\lambda_{hard}` rises with
    :math:`\omega`; :math:`\omega` never falls as the cost grows, since
    :math:`\omega_\alpha \ge \omega_\beta`; and :math:`C c` rises.

    The bound :math:`C c` is the most that one example can pull; a hard constraint gives a
    mislabelled example all that it asks for. The one in the constraint sets the scale: CVaR is
    homogeneous, so a margin that need only be positive shrinks with the variance, until a
    mislabelled example outweighs all that was learnt.

    References
    ----------
    .. [1] A. Ali, K. Collins-Thompson. "Robust Cost-Sensitive Confidence-Weighted
       Classification". ICDM Workshops 2013.

    Examples
    --------
    >>> X, y = [[-1.0, 0.2], [1.0, 0.1], [2.0, -0.3]], [0, 1, 1]
    >>> model = CWCVaRClassifier().fit(X, y, fn_cost=[1.0, 5.0, 2.0])
    >>> model.predict([[3.0, 0.0]])
    array([1])
    >>> round(model.coef_[0, 0], 3)
    np.float64(1.299)
    """

    _info = LearnerInfo(
        family="online",
        recommended=True,
        grid={"C": [0.01, 0.1, 1.0], "beta": [0.8, 0.95]},
    )
    _parameter_constraints = CVAR_CONSTRAINTS

    def __init__(
        self,
        *,
        alpha=0.7,
        beta=0.8,
        tau=0.05,
        margin="gaussian",
        cost_rule="class",
        C=1.0,
        buffer=True,
        max_memory=4096,
        covariance="diagonal",
        initial_variance=1.0,
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
        self.alpha = alpha
        self.beta = beta
        self.tau = tau
        self.margin = margin
        self.cost_rule = cost_rule
        self.C = C
        self.buffer = buffer
        self.max_memory = max_memory
        self.covariance = covariance
        self.initial_variance = initial_variance
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

    def _begin(self, d):
        super()._begin(d)
        self._buffer = CostBuffer(self.tau, 1.0, 1.0, self.max_memory)

    def _rule_numbers(self):
        if self.beta < self.alpha:
            raise ValueError(
                f"beta must be at least alpha, the tail of the dear examples ({self.alpha}). "
                f"Got {self.beta} instead."
            )
        dear, cheap = (self._factor(epsilon) for epsilon in (self.alpha, self.beta))
        self._buffer.set_rule(self.tau, dear, cheap, RULES[self.cost_rule] == CVAR)
        self._state[OMEGA] = dear
        return RULES[self.cost_rule], self.C, 0.0

    def _factor(self, epsilon):
        if self.cost_rule == "costs":  # value at risk, as in plain confidence-weighted learning
            return max(-ndtri(epsilon), 0.0)
        return omega(epsilon, self.margin)

    def _weighting(self):
        if not self.normalize_costs:
            return AS_GIVEN
        return WEIGHTINGS.get(self.cost_rule, REGRET)

    def _omega(self, signs, c_pos, c_neg):
        if not self.buffer:
            return self._state[OMEGA : OMEGA + 1]
        return self._buffer.factors(np.where(signs > 0, c_pos, c_neg))

    def _learn_row(self, x, sign, c_pos, c_neg):
        buffer = self._buffer
        if self.buffer and buffer.max_memory is not None and len(self._shape) == 1:
            return learn_sketched_row(x, sign, c_pos, c_neg, self._knows, buffer._numbers)
        self._take_cost(sign, c_pos, c_neg)
        return super()._learn_row(x, sign, c_pos, c_neg)

    def _learn_sparse_row(self, index, x, sign, c_pos, c_neg):
        self._take_cost(sign, c_pos, c_neg)
        return super()._learn_sparse_row(index, x, sign, c_pos, c_neg)

    def _take_cost(self, sign, c_pos, c_neg):
        if self.buffer:
            self._state[OMEGA] = self._buffer.factor(c_pos if sign > 0 else c_neg)

    def _join(self, other):
        super()._join(other)
        self._buffer.join(other._buffer)
