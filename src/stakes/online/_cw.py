"""Confidence-weighted learning."""

from numbers import Real

from scipy.special import ndtri

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval
from stakes.online._gaussian import GaussianLinear
from stakes.online._gaussian_jit import CW
from stakes.online._parameters import learner
from stakes.online._state import Rule


@learner
class CWClassifier(GaussianLinear):
    r"""Confidence-weighted learning: the smallest change that makes the example correct enough.

    .. math:: \min_{\mu,\Sigma}\ KL(N(\mu,\Sigma) \| N(\mu_t,\Sigma_t))
              \quad\text{subject to}\quad y\mu^\top x \ge \Phi^{-1}(\eta)\, x^\top\Sigma x ,

    the variance form of :math:`P(y w^\top x \ge 0) \ge \eta`. Costs act in the decision only; an
    example without a cost is ignored. Since the constraint is hard, mislabelled examples move the
    weights far; for noisy data use
    :class:`~stakes.online.CWCVaRClassifier`, :class:`~stakes.online.AROWClassifier` or
    :class:`~stakes.online.ProbitClassifier`.

    Parameters
    ----------
    eta : float, default=0.9
        Required probability of a correct decision, between 0.5 and 1.
    [gaussian]
    [stream]

    Attributes
    ----------
    [fitted]
    [covariance]

    Notes
    -----
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

    _info = LearnerInfo(family="online", grid={"eta": [0.6, 0.75, 0.9, 0.99]})
    _parameter_constraints = {
        **GaussianLinear._parameter_constraints,
        "eta": [Interval(Real, 0.5, 1, closed="neither")],
    }

    def _rule(self):
        return Rule(CW, omega=ndtri(self.eta))
