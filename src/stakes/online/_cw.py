"""Confidence-weighted learning."""

from numbers import Real

from scipy.special import ndtri

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.online._gaussian import GaussianLinear
from stakes.online._gaussian_jit import CW, CW_EXACT
from stakes.online._parameters import learner
from stakes.online._state import Rule


@learner
class CWClassifier(GaussianLinear):
    r"""Confidence-weighted learning: the smallest change that makes the example correct enough.

    .. math:: \min_{\mu,\Sigma}\ KL(N(\mu,\Sigma) \| N(\mu_t,\Sigma_t))
              \quad\text{subject to}\quad y\mu^\top x \ge \Phi^{-1}(\eta)\, x^\top\Sigma x ,

    the variance form of :math:`P(y w^\top x \ge 0) \ge \eta`, which has the standard deviation
    :math:`\sqrt{x^\top\Sigma x}` instead. Costs act in the decision only; an
    example without a cost is ignored. Since the constraint is hard, mislabelled examples move the
    weights far; for noisy data use
    :class:`~stakes.online.CWCVaRClassifier`, :class:`~stakes.online.AROWClassifier` or
    :class:`~stakes.online.ProbitClassifier`.

    Parameters
    ----------
    eta : float, default=0.9
        Sets the factor :math:`\Phi^{-1}(\eta)` of the variance, between 0.5 and 1. It is the
        probability of a correct decision only where the variance of the margin is one, see Notes.
    constraint : {"variance", "deviation"}, default="variance"
        "deviation": the standard deviation takes the place of the variance in the constraint, so
        that after a step the example is correct with probability `eta`.
    [gaussian]
    [stream]

    Attributes
    ----------
    [fitted]
    [covariance]

    Notes
    -----
    After a step the margin is :math:`\Phi^{-1}(\eta)\,v`, with :math:`v = x^\top\Sigma x` after the
    step, so the example is correct with probability :math:`\Phi(\Phi^{-1}(\eta)\sqrt v)`: less than
    :math:`\eta` for :math:`v < 1`, and close to one half once the weights are certain.
    With ``constraint="deviation"`` it is :math:`\eta`, exactly so with a full covariance; the step
    is that of :class:`~stakes.online.SCWClassifier` without a bound.

    With a diagonal covariance the multiplier is that of the full problem, and the off-diagonal
    entries of the new precision are dropped, as in [1]_; the variance of the margin is then
    slightly larger than the constraint requires.

    References
    ----------
    .. [1] M. Dredze, K. Crammer, F. Pereira. "Confidence-Weighted Linear Classification". ICML
       2008.

    Examples
    --------
    >>> model = CWClassifier().fit([[-1.0], [1.0]], [0, 1])
    >>> round(model.covariance_[0], 3)
    np.float64(0.29)
    """

    eta: float = 0.9
    constraint: str = "variance"

    _info = LearnerInfo(family="online", grid={"eta": [0.6, 0.75, 0.9, 0.99]})
    _parameter_constraints = {
        **GaussianLinear._parameter_constraints,
        "eta": [Interval(Real, 0.5, 1, closed="neither")],
        "constraint": [StrOptions({"variance", "deviation"})],
    }

    def _rule(self):
        if self.constraint == "deviation":
            return Rule(CW_EXACT, q=ndtri(self.eta))
        return Rule(CW, omega=ndtri(self.eta))
