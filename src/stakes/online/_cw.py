"""Confidence-weighted learning."""

from numbers import Real

from scipy.special import ndtri

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval
from stakes.online._docs import documented
from stakes.online._gaussian import GAUSSIAN_CONSTRAINTS, GaussianLinear
from stakes.online._gaussian_jit import CW
from stakes.online._state import OMEGA


@documented
class CWClassifier(GaussianLinear):
    r"""Move just so far that the example would be decided rightly with probability eta.

    .. math:: \min_{\mu,\Sigma}\ KL(N(\mu,\Sigma) \| N(\mu_t,\Sigma_t))
              \quad\text{subject to}\quad y\mu^\top x \ge \Phi^{-1}(\eta)\, x^\top\Sigma x ,

    the variance form of :math:`P(y w^\top x \ge 0) \ge \eta`. It reads no costs, except that an
    example without one is passed over: costs act in the decision. Since the constraint is hard,
    mislabelled examples pull it far; for noisy data take
    :class:`~stakes.online.CWCVaRClassifier`, :class:`~stakes.online.AROWClassifier` or
    :class:`~stakes.online.ProbitClassifier`.

    Parameters
    ----------
    eta : float, default=0.9
        Probability with which each example is to be decided rightly, between 0.5 and 1.
    [gaussian]
    [stream]

    Attributes
    ----------
    [fitted]
    [covariance]

    Notes
    -----
    With a diagonal covariance the multiplier is that of the full problem and the off-diagonal
    entries of the new precision are dropped, as in [1]_; the margin's variance is then a little
    larger than the constraint asks.

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

    _info = LearnerInfo(family="online", grid={"eta": [0.6, 0.75, 0.9, 0.99]})
    _parameter_constraints = {
        **GAUSSIAN_CONSTRAINTS,
        "eta": [Interval(Real, 0.5, 1, closed="neither")],
    }

    def __init__(
        self,
        *,
        eta=0.9,
        covariance="diagonal",
        initial_variance=1.0,
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
        self.eta = eta
        self.covariance = covariance
        self.initial_variance = initial_variance
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
        self._state[OMEGA] = ndtri(self.eta)
        return CW, 0.0, 0.0

    def _omega(self, signs, c_pos, c_neg):
        return self._state[OMEGA : OMEGA + 1]
