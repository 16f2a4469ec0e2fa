"""Class confidence by a Gaussian mixture per class."""

import warnings
from numbers import Integral

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.utils import check_random_state

from stakes._core.sklearn_private import Interval, StrOptions
from stakes._core.stored.spec import Array, Listed, Part
from stakes._core.stored.state import same_input
from stakes.neighbors._density import ClassDensity
from stakes.neighbors._docs import documented
from stakes.neighbors._embedding_jit import column_facts

FLOOR = 1e-3  # of a variance, in units of the column's


@documented
class MixtureConfidence(ClassDensity):
    r"""Class confidence :math:`p(x \mid y)` by a Gaussian mixture fitted to each class.

    .. math:: p(x \mid y = c) = \sum_{m=1}^{q_c} \alpha_{cm}\, N(x; \mu_{cm}, \Sigma_{cm}) ,

    with the number of components :math:`q_c` that has the lowest BIC.

    Parameters
    ----------
    max_components : int, default=4
        Maximum number of components.
    covariance_type : {"full", "diag"}, default="full"
        Form of the covariances; diagonal for a class with fewer examples than features.
    max_rows : int, default=5000
        Maximum number of examples of a class; of more, a random sample is used.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialization and of the sample.

    Attributes
    ----------
    classes_ : ndarray
        Class labels.
    mixtures_ : list of GaussianMixture
        Mixture of each class, of columns divided by `scale_`.
    scale_ : ndarray of shape (d,)
        Standard deviation of each column.
    [seen]

    Notes
    -----
    Section 4.5.1 fits one mixture without labels, which gives :math:`p(x)`; the weights of
    Eq. 4.5 are :math:`p(x \mid y)`. Eq. 4.12 omits the :math:`\alpha_m`. Components are added one
    at a time while the BIC falls. Each column is divided by its standard deviation first, so that
    the floor on the variances, a thousandth, is in the units of the column.

    Examples
    --------
    >>> X = np.array([[-1.0], [0.0], [1.0], [4.0], [6.0]])
    >>> model = MixtureConfidence(max_components=1, random_state=0).fit(X, [0, 0, 0, 1, 1])
    >>> model.log_density([[0.0], [5.0]]).round(2).tolist()
    [[-0.72, -13.34], [-19.28, -0.92]]
    """

    _file_state = {
        "mixtures_": Listed(Part(("sklearn.mixture._gaussian_mixture.GaussianMixture",)), "k"),
        "scale_": Array("f8", ("d",), low=1e-300),  # rows are divided by it
    }

    @staticmethod
    def _check_file_state(state, scope):
        for mixture in state.get("mixtures_", ()):
            same_input(mixture, scope)

    _parameter_constraints = {
        "max_components": [Interval(Integral, 1, None, closed="left")],
        "covariance_type": [StrOptions({"full", "diag"})],
        "max_rows": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, *, max_components=4, covariance_type="full", max_rows=5_000, random_state=None
    ):
        self.max_components = max_components
        self.covariance_type = covariance_type
        self.max_rows = max_rows
        self.random_state = random_state

    def _fit(self, X, groups, weight):
        rows = np.concatenate(groups)
        deviation = column_facts(X[rows], weight[rows])[1]
        self.scale_ = np.where(deviation > 0, deviation, 1.0)
        self.mixtures_ = [self._best(X[rows] / self.scale_, weight[rows]) for rows in groups]

    def _log_density_of(self, k):
        mixture, log_unit = self.mixtures_[k], np.log(self.scale_).sum()
        return lambda X, rows: mixture.score_samples(X[rows] / self.scale_) - log_unit

    def _best(self, X, weight):
        """The mixture with the lowest BIC, a row of weight two counting as two."""
        if len(X) > self.max_rows:
            random = check_random_state(self.random_state)
            rows = np.sort(random.choice(len(X), self.max_rows, replace=False))
            X, weight = X[rows], weight[rows]
        d, n = X.shape[1], weight.sum()
        shape = self.covariance_type if n > d + 1 else "diag"
        best = None
        for q in range(1, min(self.max_components, 1 + int(n // (2 * d + 2)), len(X)) + 1):
            # a floor on the variances: duplicates give no infinite peak
            model = GaussianMixture(
                q,
                covariance_type=shape,
                reg_covar=FLOOR,
                max_iter=300,
                random_state=self.random_state,
            )
            fit_mixture(model, X, weight)
            if best is not None and bic(model, X, weight) >= bic(best, X, weight):
                break
            best = model
        if not best.converged_:
            warnings.warn(
                f"The mixture of {best.n_components} components did not converge in "
                f"{best.max_iter} iterations.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return best


def fit_mixture(model, X, weight):
    """Fit scikit-learn's mixture, which takes no weights: by its own EM if all are equal."""
    with warnings.catch_warnings():
        # only the mixture that is chosen in the end must converge
        warnings.simplefilter("ignore", ConvergenceWarning)
        if np.ptp(weight) == 0.0:
            model.fit(X if len(X) > 1 else np.repeat(X, 2, axis=0))
        else:
            weighted_em(model, X, weight)


def weighted_em(model, X, weight):
    """The steps of `GaussianMixture.fit` with each row as often as its weight says."""
    start = KMeans(model.n_components, n_init=1, random_state=model.random_state)
    labels = start.fit(X, sample_weight=weight).labels_
    model.n_features_in_, model.converged_ = X.shape[1], False
    maximize(model, X, weight, labels[:, None] == np.arange(model.n_components))
    model.lower_bound_ = -np.inf
    for step in range(1, model.max_iter + 1):
        before, model.n_iter_ = model.lower_bound_, step
        model.lower_bound_ = float(np.average(model.score_samples(X), weights=weight))
        maximize(model, X, weight, model.predict_proba(X))
        if abs(model.lower_bound_ - before) < model.tol:
            model.converged_ = True
            break


def maximize(model, X, weight, responsibility):
    """Parameters of highest likelihood if the rows belong to the components in these shares."""
    share = responsibility * weight[:, None]
    size = share.sum(axis=0) + 10.0 * np.finfo(float).eps
    model.weights_, model.means_ = size / size.sum(), share.T @ X / size[:, None]
    gaps = [X - mean for mean in model.means_]
    if model.covariance_type == "diag":
        model.covariances_ = model.reg_covar + np.array(
            [s @ gap**2 / n for s, gap, n in zip(share.T, gaps, size, strict=True)]
        )
        model.precisions_cholesky_ = 1.0 / np.sqrt(model.covariances_)
        model.precisions_ = model.precisions_cholesky_**2
        return
    floor = model.reg_covar * np.eye(X.shape[1])
    model.covariances_ = np.array(
        [(s * gap.T) @ gap / n + floor for s, gap, n in zip(share.T, gaps, size, strict=True)]
    )
    model.precisions_cholesky_ = np.array(
        [
            solve_triangular(np.linalg.cholesky(cov), np.eye(len(cov)), lower=True).T
            for cov in model.covariances_
        ]
    )
    model.precisions_ = np.array([root @ root.T for root in model.precisions_cholesky_])


def bic(model, X, weight):
    """Bayesian information criterion, a row of weight two counting as two."""
    q, d = model.means_.shape
    n_parameters = q - 1 + q * d + q * (d * (d + 1) // 2 if model.covariances_.ndim == 3 else d)
    return -2.0 * weight @ model.score_samples(X) + n_parameters * np.log(weight.sum())
