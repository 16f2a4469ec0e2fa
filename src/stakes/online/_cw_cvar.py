"""Confidence-weighted learning under a CVaR constraint, with a cost per example."""

from numbers import Integral, Real

import numpy as np
from scipy.special import ndtri

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.online._cost_buffer import CostBuffer
from stakes.online._cw_cvar_jit import learn_sketched_row, learn_sketched_sparse_row
from stakes.online._gaussian import GaussianLinear, fading_of
from stakes.online._gaussian_jit import CVAR, CVAR_COSTS, CVAR_EXACT, CVAR_PAPER
from stakes.online._parameters import CostRuleParameters, learner
from stakes.online._state import OMEGA, Rule
from stakes.risk import omega

RULES = {
    "class": CVAR,
    "stake": CVAR,
    "regret": CVAR,
    "paper": CVAR_PAPER,
    "costs": CVAR_COSTS,
}


@learner
class CWCVaRClassifier(CostRuleParameters, GaussianLinear):
    r"""Confidence-weighted learning that demands most of the examples that cost most.

    The soft rules, ``cost_rule="class"``, ``"stake"`` and ``"regret"``, require a margin of one
    plus :math:`\omega_\epsilon` times its variance, with a penalty of the weight :math:`c` on the
    shortfall:

    .. math:: \min_{\mu,\Sigma}\ KL(N(\mu,\Sigma) \| N(\mu_t,\Sigma_t))
              + C c\,\left(1 + \omega_\epsilon\,x^\top\Sigma x - y\mu^\top x\right)_+ ,

    where :math:`\epsilon` is `expensive_tail` for an example that costs more than
    :math:`CVaR_\tau`, the mean of the largest share :math:`\tau` (`expensive_share`) of the costs
    so far, and `cheap_tail` for the others (Eq. 13). The multiplier is
    :math:`\lambda = \min(C c, \lambda_{hard}(\omega_\epsilon))`.

    Parameters
    ----------
    expensive_tail : float, default=0.7
        Tail of the constraint for expensive examples, the paper's :math:`\alpha`.
    cheap_tail : float, default=0.8
        Tail of the constraint for the others, :math:`\beta`; at least `expensive_tail`.
    expensive_share : float, default=0.05
        Share of the largest costs whose mean separates expensive from cheap examples,
        :math:`\tau`.
    margin : {"gaussian", "unimodal", "symmetric", "arbitrary"}, default="gaussian"
        Assumption on the distribution of the margin, which determines omega (Table I).
    C : float, default=1.0
        Penalty on the shortfall under the soft rules.
    constraint : {"variance", "deviation"}, default="variance"
        "deviation": the standard deviation takes the place of the variance under the soft rules, so
        that a step that is not cut short by `C` makes the CVaR of the margin one, see Notes.
    buffer : bool, default=True
        Whether to tell expensive from cheap examples; False: `expensive_tail` for all.
    max_memory : int or None, default=4096
        Maximum number of values in the cost buffer; None: all costs, exact, O(log t) per example.
    cost_rule : {"class", "stake", "regret", "paper", "costs"}, default="class"
        Weight of an example. "class": the mean regret of its class so far; "stake": that mean,
        times the sum of both regrets of the row; "regret": the cost of misclassifying the example.
        "paper": Algorithm 1 as printed. "costs": the paper's baseline CW-costs, the plain
        confidence-weighted step times the cost.
    [normalize]
    [gaussian]
    [stream]

    Attributes
    ----------
    [fitted]
    [covariance]

    Notes
    -----
    The worst-case CVaR of the margin has its standard deviation where Eq. 6, and the rules here,
    have the variance. So a tail sets a factor :math:`\omega_\epsilon`, not a guarantee on the CVaR,
    unless the variance is one. With ``constraint="deviation"`` the guarantee holds: after a step
    that `C` does not cut short, the mean of the worst share :math:`\epsilon` of the margin's
    distribution is one (exactly so with a full covariance and a margin as assumed).

    Eq. 6 multiplies only the mean of the margin by the cost, so under the paper's rule the step
    :math:`c\lambda` shrinks as the cost grows. The soft rules cannot do that. With margin M and
    variance v, :math:`\lambda_{hard}` solves
    :math:`M + \lambda v = 1 + \omega v / (1 + 2\lambda\omega v)`, whose right side grows with
    :math:`\omega` and shrinks with :math:`\lambda`, so :math:`\lambda_{hard}` grows with
    :math:`\omega`; :math:`\omega` never shrinks as the cost grows, since
    `expensive_tail` <= `cheap_tail`; and :math:`C c` grows.

    The bound :math:`C c` limits the influence of one example; a hard constraint gives a mislabelled
    example everything it asks for. The one in the constraint sets the scale: CVaR is homogeneous,
    so a margin that need only be positive shrinks with the variance, until one mislabelled example
    outweighs everything learned before.

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

    expensive_tail: float = 0.7
    cheap_tail: float = 0.8
    expensive_share: float = 0.05
    margin: str = "gaussian"
    C: float = 1.0
    constraint: str = "variance"
    buffer: bool = True
    max_memory: int | None = 4096

    _info = LearnerInfo(
        family="online",
        recommended=True,
        grid={"C": [0.01, 0.1, 1.0], "cheap_tail": [0.8, 0.95]},
    )
    _parameter_constraints = {
        **GaussianLinear._parameter_constraints,
        **CostRuleParameters._cost_constraints,
        "expensive_tail": [Interval(Real, 0, 1, closed="neither")],
        "cheap_tail": [Interval(Real, 0, 1, closed="neither")],
        "expensive_share": [Interval(Real, 0, 1, closed="right")],
        "margin": [StrOptions({"gaussian", "unimodal", "symmetric", "arbitrary"})],
        "cost_rule": [StrOptions(set(RULES))],
        "C": [Interval(Real, 0, None, closed="neither")],
        "constraint": [StrOptions({"variance", "deviation"})],
        "buffer": ["boolean"],
        "max_memory": [Interval(Integral, 64, None, closed="left"), None],
    }

    def _begin(self, d):
        super()._begin(d)
        self._buffer = CostBuffer(self.expensive_share, 1.0, 1.0, self.max_memory)

    def _rule(self):
        tails = self.expensive_tail, self.cheap_tail
        if tails[0] > tails[1]:
            raise ValueError(
                f"cheap_tail must be at least expensive_tail, {tails[0]}. Got {tails[1]} instead."
            )
        if self.cost_rule == "costs":  # value at risk, as in plain confidence-weighted learning
            expensive, cheap = np.maximum(-ndtri(tails), 0.0).tolist()
        else:
            expensive, cheap = omega(tails[0], self.margin), omega(tails[1], self.margin)
        code = RULES[self.cost_rule]
        if self.constraint == "deviation":
            if code != CVAR:
                raise ValueError(
                    f"constraint='deviation' needs one of the soft cost rules, 'class', 'stake' or "
                    f"'regret'. Got cost_rule={self.cost_rule!r}."
                )
            code = CVAR_EXACT
        self._buffer.set_rule(
            self.expensive_share, expensive, cheap, strict=code in (CVAR, CVAR_EXACT)
        )
        return Rule(code, self.C, omega=expensive)

    def _omega(self, signs, c_pos, c_neg):
        if not self.buffer:
            return super()._omega(signs, c_pos, c_neg)
        if len(c_pos) == len(c_neg) == 1 and c_pos[0] == c_neg[0]:  # no prices
            return self._buffer.repeated(c_pos[0], len(signs))
        return self._buffer.factors(np.where(signs > 0, c_pos, c_neg))

    def _step(self, row, sign, c_pos, c_neg, knows):
        if self.buffer and knows is self._knows:  # its rivals take the factor from it
            buffer = self._buffer
            if self._sketches_row():
                rest = *row, sign, c_pos, c_neg, knows, buffer.numbers
                if len(row) == 1:
                    return learn_sketched_row(*rest)
                return learn_sketched_sparse_row(*rest, fading_of(knows))
            self._refuse_row(*(row if len(row) == 2 else (self._every, *row)))  # before the buffer
            knows[OMEGA] = buffer.factor(c_pos if sign > 0 else c_neg)
        return self._step_at(row, sign, c_pos, c_neg, knows)

    def _sketches_row(self):
        """Whether one compiled call takes the cost and learns a row."""
        return self._buffer.max_memory is not None and len(self._shape) == 1

    def _step_at(self, row, sign, c_pos, c_neg, knows):
        return super()._step(row, sign, c_pos, c_neg, knows)

    def _join(self, other, share):
        super()._join(other, share)
        self._buffer.join(other._buffer)
