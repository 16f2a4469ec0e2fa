"""Bayesian probit regression, one example at a time."""

from numbers import Real

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval
from stakes.online._docs import documented
from stakes.online._gaussian import GAUSSIAN_CONSTRAINTS, GaussianLinear
from stakes.online._gaussian_jit import PROBIT


@documented
class ProbitClassifier(GaussianLinear):
    r"""The Gaussian nearest to Bayes' posterior after each example: probabilities in one pass.

    With weights :math:`w \sim N(\mu,\Sigma)` and :math:`P(y \mid x, w) = \Phi(y w^\top x / b)`,
    the posterior after an example is replaced by the Gaussian of its mean and covariance
    (assumed-density filtering). With :math:`s^2 = b^2 + x^\top\Sigma x`,
    :math:`z = y\mu^\top x / s`, :math:`V = \phi(z)/\Phi(z)`:

    .. math:: \mu \leftarrow \mu + y\frac{V}{s}\Sigma x, \qquad
              \Sigma \leftarrow \Sigma - \frac{V(V + z)}{s^2}\,\Sigma x x^\top\Sigma .

    Costs act in the decision alone, where they belong once probabilities are sound; an example
    without a cost is passed over. The learner to start with.

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
    The diagonal form keeps the diagonal of the new covariance, which is the product of
    one-dimensional Gaussians that is nearest to the posterior (adPredictor). Where features go
    together it becomes too sure of itself; `calibration` mends that.

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

    _info = LearnerInfo(
        family="online",
        recommended=True,
        grid={"covariance": ["diagonal", "full"]},
    )
    _parameter_constraints = {
        **GAUSSIAN_CONSTRAINTS,
        "noise": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        noise=1.0,
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
        self.noise = noise
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
        return PROBIT, self.noise**2, 0.0
