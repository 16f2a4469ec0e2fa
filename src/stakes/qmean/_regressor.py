"""Linear regression that minimizes the quadratic mean of the losses of target groups."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from stakes._core.docs import documented
from stakes._core.intake import check_weights, validate_data
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes._core.stored.spec import COUNT, FEATURES, FIGURE, Array, Number, Plain
from stakes.qmean._base import MEAN_CONSTRAINTS, check_bundle
from stakes.qmean._losses import EpsilonInsensitive, Quantile, Squared
from stakes.qmean._problem import QuadraticMeanProblem
from stakes.qmean._solve import minimize_quadratic_mean


@documented()
@dataclass(kw_only=True, eq=False, repr=False)  # for __init__ only: each class adds its parameters
class QuadraticMeanRegressor(RegressorMixin, BaseEstimator):
    r"""Linear regression for skewed targets: both halves around the median count equally.

    With the mean loss :math:`m_1` of the examples up to the median of y and :math:`m_2` of those
    above it (Eq. 5.4), solves

    .. math:: \min_{w,b}\ \alpha \|w\|^2 + \sqrt{(m_1^2 + m_2^2) / 2} ,

    or the same with more groups of the sorted targets and another power.

    Parameters
    ----------
    loss : {"squared", "epsilon_insensitive", "quantile"}, default="squared"
        Loss of one example.
    alpha : float, default=1e-3
        Ridge penalty, :math:`\lambda` in the thesis (1/2 there).
    p : float, default=2.0
        Power of the mean, from 1 to `numpy.inf`.
    n_groups : int, default=2
        Number of groups of equal weight of the sorted targets; 1 is the plain mean loss.
    epsilon : float, default=0.01
        Errors up to this size cost nothing under the epsilon-insensitive loss.
    quantile : float, default=0.5
        Quantile :math:`q` of the quantile loss.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    regularize_intercept : bool, default=False
        Whether to penalize the intercept, as in the thesis; the fit then depends on the origin
        of y.
    solver : {"auto", "newton", "lbfgs", "bundle"}, default="auto"
        As in :class:`QuadraticMeanClassifier`.
    tol : float, default=1e-6
        Duality gap at which to stop, relative to the objective.
    max_iter : int, default=1000
        Maximum number of steps (for each level of smoothing).

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        Weights of the features.
    intercept_ : float
        Intercept.
    cuts_ : ndarray
        Largest target of each group except the last.
    group_losses_, group_weights_ : ndarray
        Mean loss of each group, and its weight at the optimum.
    objective_, duality_gap_, gradient_norm_ : float
        Minimum; as certificates, the relative duality gap and the largest entry of the gradient.
    gaps_ : list of float
        Relative gap after each iteration of `solver="bundle"`.
    n_iter_ : int
        Number of steps.
    [seen]

    Notes
    -----
    The quantile loss of Table 5.1 has :math:`\tau` on overestimates, so :math:`\tau` there is
    :math:`1 - q` here; both agree at 1/2, the value used in the thesis. Eq. 5.4 splits by rank;
    here equal targets stay together, so the order of the rows does not matter.

    References
    ----------
    .. [1] W. Liu, S. Chawla. "A Quadratic Mean based Supervised Learning Model for Managing Data
       Skewness". SDM 2011. Section 5.4.1 of W. Liu's thesis.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = np.exp(X @ [1.0, 0.5, 0.0] + 0.3 * rng.normal(size=500))
    >>> model = QuadraticMeanRegressor(loss="quantile").fit(X, y)
    >>> model.group_losses_.round(2).tolist()
    [0.25, 0.63]
    """

    loss: str = "squared"
    alpha: float = 1e-3
    p: float = 2.0
    n_groups: int = 2
    epsilon: float = 0.01
    quantile: float = 0.5
    fit_intercept: bool = True
    regularize_intercept: bool = False
    solver: str = "auto"
    tol: float = 1e-6
    max_iter: int = 1000

    _file_state = FEATURES | {
        "cuts_": Array("f8", (None,), increasing=True),
        "coef_": Array("f8", ("d",)),
        "intercept_": Number(),
        **dict.fromkeys(("objective_", "duality_gap_", "gradient_norm_"), FIGURE),
        "n_iter_": COUNT,
        **dict.fromkeys(("group_losses_", "group_weights_"), Array("f8", ("groups",), nan=True)),
        "gaps_": Plain(),
    }

    _parameter_constraints = {
        **MEAN_CONSTRAINTS,
        "loss": [StrOptions({"squared", "epsilon_insensitive", "quantile"})],
        "n_groups": [Interval(Integral, 1, None, closed="left")],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "quantile": [Interval(Real, 0, 1, closed="neither")],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit to examples with numeric targets.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), default=None
            Weights; an example of weight two counts as two, in the median as well.

        Returns
        -------
        self
        """
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, order="C", y_numeric=True
        )
        try:
            y = y.astype(np.float64)
        except ValueError:
            raise ValueError(
                f"y contains text, and {type(self).__name__} predicts numbers; use a classifier "
                "for labels."
            ) from None
        weight = check_weights(sample_weight, X, ensure_non_negative=True)
        if not weight.all():
            used = weight > 0
            X, y, weight = X[used], y[used], weight[used]
        group, self.cuts_ = target_groups(y, weight, self.n_groups)
        k = len(self.cuts_) + 1
        check_bundle(self)
        problem = QuadraticMeanProblem(
            X,
            y,
            weight,
            group,
            self._loss(),
            np.full(k, 1.0 / k),
            p=float(self.p),
            alpha=self.alpha,
            fit_intercept=self.fit_intercept,
            regularize_intercept=self.regularize_intercept,
        )
        found = minimize_quadratic_mean(problem, self.solver, self.tol, self.max_iter)
        self.coef_, self.intercept_ = found.W[:-1], float(found.W[-1])
        self.objective_, self.duality_gap_ = found.objective, found.relative_gap
        self.gradient_norm_, self.n_iter_ = found.gradient_norm, found.n_iter
        self.group_losses_, self.group_weights_ = found.group_losses, found.group_weights
        self.gaps_ = found.relative_gaps
        return self

    def predict(self, X):
        """Predict the targets.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64, order="C")
        return X @ self.coef_ + self.intercept_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _loss(self):
        if self.loss == "squared":
            return Squared()
        if self.loss == "quantile":
            return Quantile(self.quantile)
        return EpsilonInsensitive(self.epsilon)


def target_groups(y, weight, n_groups):
    """Split the sorted targets into groups of about equal weight; equal targets stay together.

    Returns
    -------
    (group of each example, largest target of each group except the last)

    Examples
    --------
    >>> group, cuts = target_groups(np.array([5.0, 1.0, 2.0, 9.0]), np.ones(4), 2)
    >>> group.tolist(), cuts.tolist()
    ([1, 0, 0, 1], [2.0])
    """
    values, index = np.unique(y, return_inverse=True)
    mass = np.cumsum(np.bincount(index, weight))
    levels = np.arange(1, n_groups) / n_groups * mass[-1]
    places = np.searchsorted(mass, levels * (1 - 1e-12))  # slack for the rounding of the sums
    places = np.unique(np.minimum(places, len(values) - 2)) if len(values) > 1 else places[:0]
    cuts = values[places]
    return np.searchsorted(cuts, y, side="left"), cuts
