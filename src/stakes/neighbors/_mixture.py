"""Class confidence by a Gaussian mixture per class."""

import warnings
from numbers import Integral

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.utils import check_random_state

from stakes._core.sklearn_private import Interval, StrOptions
from stakes._core.stored.spec import Array, Listed, Part
from stakes._core.stored.state import same_input
from stakes.neighbors._density import ClassDensity
from stakes.neighbors._docs import documented

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
        "scale_": Array("f8", ("d",), low=0),
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

    def _fit(self, X, index):
        deviation = X.std(axis=0)
        self.scale_ = np.where(deviation > 0, deviation, 1.0)
        Z = X / self.scale_
        self.mixtures_ = [self._best(Z[index == k]) for k in range(len(self.classes_))]

    def _log_density_of(self, X, k):
        return self.mixtures_[k].score_samples(X / self.scale_) - np.log(self.scale_).sum()

    def _best(self, X):
        if len(X) > self.max_rows:
            random = check_random_state(self.random_state)
            X = X[np.sort(random.choice(len(X), self.max_rows, replace=False))]
        shape = self.covariance_type if len(X) > X.shape[1] + 1 else "diag"
        # a floor on the variances: duplicates give no infinite peak
        settings, best = dict(covariance_type=shape, reg_covar=FLOOR, max_iter=300), None
        for q in range(1, min(self.max_components, 1 + len(X) // (2 * X.shape[1] + 2)) + 1):
            model = GaussianMixture(q, **settings, random_state=self.random_state)
            with warnings.catch_warnings():
                # only the chosen mixture must converge, see below
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(X if len(X) > 1 else np.repeat(X, 2, axis=0))
            if best is not None and model.bic(X) >= best.bic(X):
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
