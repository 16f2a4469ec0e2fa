"""Logistic regression on measurements with error bars."""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.exceptions import ConvergenceWarning

from stakes._core.base import COST_CONSTRAINTS
from stakes._core.intake import LARGEST, check_weights
from stakes._core.sklearn_private import Interval, fit_context
from stakes._core.stored.spec import COUNT, FEATURES, FIGURE, Array, Number, labels
from stakes.uncertain._docs import documented
from stakes.uncertain._information import NAMES, present
from stakes.uncertain._points import UncertainPoints, score_variance, with_covariances

PROBIT = np.pi / 8  # E[sigmoid(t)] of a Gaussian t is about sigmoid(mean / sqrt(1 + pi/8 var))
MOST_SPREAD = 10.0


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class UncertainLogisticClassifier(UncertainPoints):
    r"""Logistic regression whose probabilities use the error bar of each measurement.

    Each example has a true point of mean :math:`x_i` and covariance :math:`P_i`, for classical
    errors that of the truth behind the measurement, which is nearer to the population where the
    error bar is long. With :math:`t_i = w^\top x_i + b`, minimizes over w, b and :math:`k \ge 0`

    .. math:: \tfrac12\|w\|^2 + C\sum_i s_i\log\left(1 + e^{-y_i z_i}\right), \qquad
              z_i = \frac{t_i}{\sqrt{1 + \frac{\pi}{8}k\,w^\top P_i w}} ,

    where :math:`s_i` are the sample weights. An uncertain point counts less in training, and its
    probability is nearer to 1/2. With :math:`k = 0` it is logistic regression on means that are
    shrunk by their error bars; without error bars it is scikit-learn's `LogisticRegression`.

    Parameters
    ----------
    C : float, default=1.0
        Inverse penalty on the weights.
    error_model : {"berkson", "classical"}, default="classical"
        What an error bar means. "classical": the measurement is the true point plus an error.
        "berkson": the true point is random around the measurement.
    [independent]
    confidence_level : float, default=0.95
        Confidence level of certificates that are estimated from replicates.
    tol : float, default=1e-6
        Largest gradient, relative to that at zero; otherwise `fit` warns.
    max_iter : int, default=1000
        Maximum number of iterations.
    [costs]

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        Weights w.
    intercept_ : ndarray of shape (1,)
        Intercept b.
    spread_ : float
        k, from 0 to 10: how much of the error bars the labels confirm.
    gradient_norm_ : float
        Largest entry of the gradient, relative to that at zero.
    n_iter_ : int
        Number of iterations.
    [learned]
    [seen]

    Notes
    -----
    Costs are used in `predict` only: probabilities need all examples, at their frequencies.

    References
    ----------
    .. [1] R. J. Carroll, D. Ruppert, L. A. Stefanski, C. M. Crainiceanu. "Measurement Error in
       Nonlinear Models", Chapter 4. Chapman and Hall, 2006.
    .. [2] D. J. C. MacKay. "The Evidence Framework Applied to Classification Networks". Neural
       Computation 4, 1992.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> std = rng.choice([0.1, 2.0], (200, 1))
    >>> X = rng.normal(size=(200, 1)) + 3 * y[:, None] + std * rng.normal(size=(200, 1))
    >>> model = UncertainLogisticClassifier().fit(X, y, std=std)
    >>> model.predict_proba([[4.0], [4.0]], std=[[0.1], [2.0]])[:, 1].round(2)
    array([1.  , 0.83])
    """

    _file_state = (
        FEATURES
        | UncertainPoints._error_state
        | {
            "classes_": labels(2),
            "coef_": Array("f8", (1, "d")),
            "intercept_": Array("f8", (1,)),
            "spread_": Number(0, LARGEST),
            "gradient_norm_": FIGURE,
            "n_iter_": COUNT,
        }
    )
    __metadata_request__fit = dict.fromkeys(NAMES, True)
    _parameter_constraints = {
        "C": [Interval(Real, 0, None, closed="neither")],
        **UncertainPoints._error_constraints,
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        **COST_CONSTRAINTS,
    }

    C: float = 1.0
    error_model: str = "classical"
    independent: bool = True
    confidence_level: float = 0.95
    tol: float = 1e-6
    max_iter: int = 1000
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X,
        y,
        sample_weight=None,
        *,
        lower=None,
        upper=None,
        var=None,
        std=None,
        cov=None,
        mean_lower=None,
        mean_upper=None,
        replicates=None,
    ):
        """Fit to uncertain examples.

        Parameters
        ----------
        [training]
        sample_weight : array-like of shape (n,), default=None
            Weights of the examples; None: all one.
        [uncertainty]

        Returns
        -------
        self
        """
        given = present(lower=lower, upper=upper, var=var, std=std, cov=cov)
        given |= present(mean_lower=mean_lower, mean_upper=mean_upper, replicates=replicates)
        known, y = self._validate_known(X, y, given)
        weight = check_weights(sample_weight, known.mean, ensure_non_negative=True)
        known = self._learn_truth(known, given, weight)
        if self.error_model == "berkson":
            known = with_covariances(known, given)
        rows = weight > 0
        loss = _Loss(known.take(rows), y[rows], self.C * weight[rows], self.independent)
        self._solve(loss)
        return self

    def _solve(self, loss):
        start, scale = loss.start(), np.abs(loss(loss.start())[1]).max() or 1.0
        found = minimize(
            lambda z: tuple(part / scale for part in loss(z)),
            start,
            jac=True,
            bounds=loss.bounds(),
            method="L-BFGS-B",
            options=dict(maxiter=self.max_iter, gtol=self.tol, ftol=1e-15, maxfun=10**6),
        )
        d = len(start) - 2
        self.coef_, self.intercept_ = found.x[None, :d], found.x[d : d + 1]
        self.spread_, self.n_iter_ = float(found.x[-1]), int(found.nit)
        inside = found.x - np.clip(found.x - found.jac, *np.transpose(loss.bounds()))
        self.gradient_norm_ = float(np.abs(inside).max())
        if self.gradient_norm_ > max(self.tol, 1e-5):
            warnings.warn(
                f"The relative gradient is {self.gradient_norm_:.1e} after {self.n_iter_} "
                "iterations; scale the features or increase max_iter.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _calibrated_line(self):
        return self.coef_[0], self.intercept_[0]

    def _score_of(self, probability):
        return np.clip(logit(probability), -1e9, 1e9)

    def _probability(self, score, variance):
        return expit(score / np.sqrt(1 + PROBIT * self.spread_ * variance))


class _Loss:
    """The objective and its gradient in z = (w, b, k)."""

    def __init__(self, known, y, weight, independent):
        self.known, self.y, self.weight, self.independent = known, y, weight, independent
        self.d = known.mean.shape[1]

    def start(self):
        z = np.zeros(self.d + 2)
        z[-1] = self.bounds()[-1][1] / MOST_SPREAD
        return z

    def bounds(self):
        """No bounds on w and b; k is fixed at zero without error bars."""
        uncertain = score_variance(self.known, np.ones(self.d)).any()
        return [(-1e9, 1e9)] * (self.d + 1) + [(0.0, MOST_SPREAD if uncertain else 0.0)]

    def __call__(self, z):
        w, b, k = z[:-2], z[-2], z[-1]
        variance = score_variance(self.known, w, self.independent)
        root2 = 1 + PROBIT * k * variance
        t = self.known.mean @ w + b
        margin = self.y * t / np.sqrt(root2)
        value = 0.5 * w @ w + self.weight @ np.logaddexp(0.0, -margin)
        pull = -self.weight * self.y * expit(-margin) / np.sqrt(root2)  # by t
        bend = -pull * t * PROBIT / (2 * root2)  # by k times the variance
        by_w = w + self.known.mean.T @ pull + k * self._variance_slope(w, bend)
        return value, np.concatenate([by_w, [pull.sum(), bend @ variance]])

    def _variance_slope(self, w, factor):
        """Gradient of sum_i factor_i w . P_i w."""
        known = self.known
        if known.cov is not None:
            return 2 * np.tensordot(factor, known.cov, axes=1) @ w
        var = known.var
        if var is None:
            if known.lower is None:
                return np.zeros(self.d)
            var = (known.upper - known.lower) ** 2 / 12
        if self.independent:
            return 2 * w * (factor @ var)
        sd = np.sqrt(var)
        return 2 * np.sign(w) * ((factor * (sd @ np.abs(w))) @ sd)
