"""Kernel classification of measurements with Gaussian error bars."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy import stats
from sklearn.svm import SVC

from stakes._core.base import COST_CONSTRAINTS
from stakes._core.intake import check_weights
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes._core.stored.spec import FEATURES, Array, Number, labels
from stakes.costs import COST_NAMES
from stakes.uncertain._calibration import fit_calibration, held_out_folds
from stakes.uncertain._certificates import replicate_bounds
from stakes.uncertain._docs import documented
from stakes.uncertain._information import NAMES, present
from stakes.uncertain._points import UncertainPoints, drawn_points, rows_at_stake, spread_given

BLOCK = 2_000_000  # entries of a temporary array
DRAWS = 2000  # of each true point, for a certificate
DRAWN_BADLY = 1e-6  # probability that draws are so good that the bound is too small


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class UncertainKernelClassifier(UncertainPoints):
    r"""Support vector machine whose kernel is averaged over the errors of both measurements.

    With independent Gaussian errors of variances :math:`v_i`, the RBF kernel has the mean

    .. math:: k(i, k) = \prod_j \frac{1}{\sqrt{1 + 2\gamma s_j}}
              e^{-\gamma (x_{ij} - x_{kj})^2 / (1 + 2\gamma s_j)}, \qquad s_j = v_{ij} + v_{kj} ,

    so that a measurement with a long error bar is similar to many others and very similar to none.
    Without errors it is scikit-learn's `SVC`.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the slacks.
    gamma : float or "scale", default="scale"
        Width of the kernel; "scale": 1 over the number of features times their variance.
    [error_model]
    confidence_level : float, default=0.95
        Confidence level of moments that are estimated from replicates.
    [costs]

    Attributes
    ----------
    support_vectors_, support_variances_ : ndarray of shape (n_support, d)
        Means and variances of the support vectors.
    dual_coef_ : ndarray of shape (1, n_support)
        Their coefficients.
    intercept_ : ndarray of shape (1,)
        Intercept.
    gamma_ : float
        Width of the kernel that was used.
    calibration_ : ndarray of shape (3,)
        Slope, offset and zero: the probability of a score, fitted to held-out examples.
    [learned]
    [seen]

    References
    ----------
    .. [1] K. Muandet, K. Fukumizu, F. Dinuzzo, B. Schoelkopf. "Learning from Distributions via
       Support Measure Machines". NIPS 2012.

    Examples
    --------
    >>> X, y = np.array([[-2.0], [-1.5], [0.0], [0.5], [2.0], [1.5]]), [1, 1, 0, 0, 1, 1]
    >>> model = UncertainKernelClassifier(gamma=1.0, C=10.0).fit(X, y, std=0.1)
    >>> model.predict([[-1.8], [0.2]]).tolist()
    [1, 0]
    >>> model.predict_certificate([[0.2], [0.2]], std=[[0.1], [2.0]]).round(2)
    array([0.01, 0.37])
    """

    _file_state = (
        FEATURES
        | UncertainPoints._error_state
        | {
            "classes_": labels(2),
            "support_vectors_": Array("f8", ("s", "d")),
            "support_variances_": Array("f8", ("s", "d"), low=0),
            "dual_coef_": Array("f8", (1, "s")),
            "intercept_": Array("f8", (1,)),
            "gamma_": Number(0),
            "calibration_": Array("f8", (3,), low=-1e100, high=1e100),
        }
    )
    __metadata_request__fit = dict.fromkeys((*COST_NAMES, *NAMES), True)
    _parameter_constraints = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale"})],
        "error_model": UncertainPoints._error_constraints["error_model"],
        "confidence_level": UncertainPoints._error_constraints["confidence_level"],
        **COST_CONSTRAINTS,
    }
    independent = True  # the mean of the kernel is a product over the features

    C: float = 1.0
    gamma: float | str = "scale"
    error_model: str = "berkson"
    confidence_level: float = 0.95
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
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Fit to uncertain examples.

        Parameters
        ----------
        [training]
        [sample_weight]
        [uncertainty]
        [fit_costs]

        Returns
        -------
        self
        """
        given = present(lower=lower, upper=upper, var=var, std=std, cov=cov)
        given |= present(mean_lower=mean_lower, mean_upper=mean_upper, replicates=replicates)
        known, y = self._validate_known(X, y, given)
        regret = self._costs_of(len(y), fp_cost, fn_cost, tp_cost, tn_cost).regret(y > 0)
        weight = check_weights(sample_weight, known.mean, ensure_non_negative=True)
        rows = rows_at_stake(regret * weight, y)
        known = self._learn_truth(known, given, weight)
        M, V = known.mean[rows], spread_of(known)[rows]
        share = weight[rows] / weight[rows].sum()
        size = (share @ (M - (share @ M).mean()) ** 2).mean()  # of all entries, as in SVC
        scale = 1 / (M.shape[1] * size) if size > 0 else 1.0
        self.gamma_ = float(scale if self.gamma == "scale" else self.gamma)
        heavy = regret[rows] * weight[rows] / np.average(regret[rows], weights=weight[rows])
        K, y = mean_kernel(M, V, M, V, self.gamma_), y[rows]
        machine = SVC(C=self.C, kernel="precomputed", tol=1e-6).fit(K, y, heavy)
        self.support_vectors_, self.support_variances_ = M[machine.support_], V[machine.support_]
        self.dual_coef_, self.intercept_ = machine.dual_coef_, machine.intercept_
        self.calibration_ = self._calibrate(K, y, heavy, weight[rows])
        return self

    def predict_certificate(
        self,
        X,
        *,
        measure="best",
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
        **information,
    ):
        """Bound on the probability that a measurement error has flipped the prediction.

        For Gaussian errors, of any covariance: 2,000 true points are drawn, and the bound is the
        upper confidence limit of the share that is decided otherwise (Clopper and Pearson, exceeded
        with a probability of 1e-6), which is at least 0.007. With `replicates` they take the place
        of the draws, and the bound holds for every distribution with probability
        `confidence_level`. If only `lower` and `upper` are given, it is 0 where all of the interval
        is surely on one side, and else 1.

        Parameters
        ----------
        [X]
        measure : {"best"}, default="best"
            There is one bound only.
        [predict_costs]
            With costs, the decision of `predict` with these costs is certified.
        [information]
            Some is required.

        Returns
        -------
        ndarray of shape (n,)
        """
        if measure != "best":
            raise ValueError(f"measure must be 'best'. Got {measure!r} instead.")
        known = self._known(X, information)
        score, least = self._scores(known), np.zeros(len(known))
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if any(cost is not None for cost in costs.values()):
            least = least + self._score_of(self._costs_of(len(score), **costs).break_even)
            decided = self.predict(X, **costs, **information) == self.classes_[1]
        else:
            decided = score > 0
        signs = np.where(decided, 1.0, -1.0)
        if self._counts_replicates(information):
            R = np.asarray(information["replicates"], np.float64)
            votes = self._exact_scores(R.reshape(-1, R.shape[2])).reshape(R.shape[:2])
            margins = signs[:, None] * (votes - least[:, None])
            return replicate_bounds(margins, self.confidence_level, "counts")
        if known.lower is not None and not spread_given(information):
            return np.where(self._least_margins(known, signs, least) > 0, 0.0, 1.0)
        if known.var is None:
            raise ValueError(
                "A certificate needs the uncertainty of the points: pass var, or lower and upper, "
                "or replicates."
            )
        draws = np.random.default_rng(0).standard_normal((DRAWS, known.mean.shape[1]))
        turned = np.empty(len(signs))
        for i, points in enumerate(drawn_points(known, draws)):
            margins = signs[i] * (self._exact_scores(points) - least[i])
            turned[i] = (margins <= 0).sum()
        limit = stats.beta.ppf(1 - DRAWN_BADLY, turned + 1, np.maximum(DRAWS - turned, 1))
        return np.where(turned < DRAWS, limit, 1.0)

    def _scores(self, known):
        against = self.support_vectors_, self.support_variances_
        K = mean_kernel(known.mean, spread_of(known), *against, self.gamma_)
        return K @ self.dual_coef_[0] + self.intercept_[0]

    def _signs(self, known, given):
        return np.where(self._scores(known) > 0, 1.0, -1.0)

    def _variance(self, known, given):
        return np.zeros(len(known))  # the score is a mean over the errors already

    def _bumps(self):
        """The score of exact points as a sum of bumps: centers, precisions, signed heights."""
        p = self.gamma_ / (1 + 2 * self.gamma_ * self.support_variances_)
        height = self.dual_coef_[0] * np.sqrt(p / self.gamma_).prod(axis=1)
        return self.support_vectors_, p, height

    def _exact_scores(self, X):
        S, p, height = self._bumps()
        middle = S.mean(axis=0)  # nearer to zero, so that the squares lose no digits
        X, S = X - middle, S - middle
        log = X**2 @ p.T - 2 * X @ (p * S).T + (p * S**2).sum(axis=1)
        return np.exp(-np.maximum(log, 0.0)) @ height + self.intercept_[0]

    def _least_margins(self, known, signs, least):
        """Lower bounds of the margins in boxes: the slope at the middle, less all curvature.

        The second derivative of a bump :math:`e^{-q}` along a step h is at most
        2 a exp(-q) max(1, 2 q - 1) with a = sum_j p_j h_j^2; the second maximum is at q = 1.5.
        """
        S, p, height = self._bumps()
        margins = np.empty(len(signs))
        for i, (low, high) in enumerate(zip(known.lower, known.upper, strict=True)):
            middle, half = (low + high) / 2, (high - low) / 2
            away = middle - S
            bumps = height * np.exp(-(p * away**2).sum(axis=1))
            slope = np.abs(-2 * bumps @ (p * away)) @ half
            q = (p * np.maximum(np.abs(away) - half, 0.0) ** 2).sum(axis=1)  # the least in the box
            far = np.maximum(q, 1.5)
            most = np.maximum(np.exp(-q), (2 * far - 1) * np.exp(-far))
            curvature = np.abs(height) * most @ (p @ half**2)
            score = bumps.sum() + self.intercept_[0] - least[i]
            margins[i] = signs[i] * score - slope - curvature
        return margins

    def _calibrate(self, K, y, heavy, weight):
        """Probabilities from the scores of held-out examples."""
        fold, part = held_out_folds(y > 0)
        score = np.empty(len(part))
        for k in range(fold.max() + 1):
            test = part[fold == k]
            train = part[fold != k] if fold.max() else part
            machine = SVC(C=self.C, kernel="precomputed").fit(
                K[np.ix_(train, train)], y[train], heavy[train]
            )
            score[fold == k] = machine.decision_function(K[np.ix_(test, train)])
        return fit_calibration(score, np.zeros(len(part)), y[part] > 0, weight[part])


def spread_of(known):
    """Variances of each feature; zero if nothing is known, uniform in a support."""
    if known.var is not None:
        return known.var
    if known.lower is not None:
        return (known.upper - known.lower) ** 2 / 12
    return np.zeros_like(known.mean)


def mean_kernel(M, V, N, W, gamma):
    """Mean of the RBF kernel of Gaussian points of means M, N and variances V, W, by blocks."""
    K = np.empty((len(M), len(N)))
    step = max(1, BLOCK // max(N.size, 1))
    for start in range(0, len(M), step):
        rows = slice(start, start + step)
        wide = 1 + 2 * gamma * (V[rows, None] + W[None])
        log = gamma * (M[rows, None] - N[None]) ** 2 / wide + 0.5 * np.log(wide)
        K[rows] = np.exp(-log.sum(axis=2))
    return K
