"""Online Bayesian probit regression."""

from numbers import Real

from stakes._core.base import LearnerInfo
from stakes._core.intake import LARGEST
from stakes._core.sklearn_private import Interval
from stakes.online._gaussian import GaussianLinear
from stakes.online._gaussian_jit import PROBIT
from stakes.online._parameters import learner
from stakes.online._state import Rule


@learner
class ProbitClassifier(GaussianLinear):
    r"""Online Bayesian probit regression: calibrated probabilities in one pass.

    With weights :math:`w \sim N(\mu,\Sigma)` and :math:`P(y \mid x, w) = \Phi(y w^\top x / b)`,
    the posterior after each example is replaced by the Gaussian with the same mean and covariance
    (assumed-density filtering). With :math:`s^2 = b^2 + x^\top\Sigma x`,
    :math:`z = y\mu^\top x / s`, :math:`V = \phi(z)/\Phi(z)`:

    .. math:: \mu \leftarrow \mu + y\frac{V}{s}\Sigma x, \qquad
              \Sigma \leftarrow \Sigma - \frac{V(V + z)}{s^2}\,\Sigma x x^\top\Sigma .

    Costs act in the decision only, where they belong once probabilities are reliable; an example
    without a cost is ignored. A good first choice.

    Parameters
    ----------
    noise : float, default=1.0
        Standard deviation :math:`b` of the noise on the score.
    [gaussian]
    [stream]

    Attributes
    ----------
    [fitted]
    [covariance]

    Notes
    -----
    The diagonal form keeps the diagonal of the new covariance, which is the closest product of
    one-dimensional Gaussians (adPredictor). It is overconfident if features are correlated;
    `calibration` corrects that.

    References
    ----------
    .. [1] T. Graepel, J. Quinonero Candela, T. Borchert, R. Herbrich. "Web-Scale Bayesian
       Click-Through Rate Prediction for Sponsored Search Advertising in Microsoft's Bing Search
       Engine". ICML 2010.

    Examples
    --------
    >>> model = ProbitClassifier(calibration=None).fit([[-1.0], [1.0]], [0, 1])
    >>> round(model.predict_proba([[1.0]])[0, 1], 3)
    np.float64(0.698)
    """

    noise: float = 1.0

    _info = LearnerInfo(
        family="online",
        recommended=True,
        grid={"covariance": ["diagonal", "full"]},
    )
    _parameter_constraints = {
        **GaussianLinear._parameter_constraints,
        "noise": [Interval(Real, 0, LARGEST, closed="right")],
    }

    def _rule(self):
        return Rule(PROBIT, self.noise**2)
