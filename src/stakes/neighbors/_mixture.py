"""How typical an example is of its class: a Gaussian mixture for each class."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from stakes._sklearn import InvalidParameterError


@dataclass(frozen=True)
class MixtureConfidence:
    r"""Class confidence :math:`p(x \mid y)` by a Gaussian mixture fitted to each class alone.

    .. math:: p(x \mid y = c) = \sum_{m=1}^{q_c} \alpha_{cm}\, N(x; \mu_{cm}, \Sigma_{cm}) ,

    the number of components :math:`q_c` being the one with the least BIC.

    Parameters
    ----------
    max_components : int, default=4
        Largest number of components tried.
    covariance_type : {"full", "diag"}, default="full"
        Form of the covariances; a class with fewer examples than features has diagonal ones.
    max_rows : int, default=20000
        A class with more examples is fitted to so many drawn ones.
    random_state : int, default=0
        For the start of the fit and the drawn examples.

    Notes
    -----
    Section 4.5.1 fits one mixture without labels, which gives :math:`p(x)`; the weights of
    Eq. 4.5 are :math:`p(x \mid y)`.

    Examples
    --------
    >>> X = np.array([[-1.0], [0.0], [1.0], [4.0], [6.0]])
    >>> log_p = MixtureConfidence(max_components=1).log_confidence(X, np.array([0, 0, 0, 1, 1]))
    >>> log_p[:3].round(2).tolist()
    [-1.47, -0.72, -1.47]
    """

    max_components: int = 4
    covariance_type: str = "full"
    max_rows: int = 20_000
    random_state: int = 0

    def __post_init__(self):
        if self.max_components < 1 or self.max_rows < 2:
            raise InvalidParameterError(
                "MixtureConfidence needs max_components >= 1 and max_rows >= 2. Got "
                f"{self.max_components} and {self.max_rows} instead."
            )

    def log_confidence(self, X, index):
        """Logarithm of p(x_i | y_i) of each training example.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            The examples.
        index : ndarray of int of shape (n,)
            Their classes.

        Returns
        -------
        ndarray of shape (n,)
        """
        out = np.empty(len(X))
        for k in np.unique(index):
            rows = np.flatnonzero(index == k)
            out[rows] = self._best(X[rows]).score_samples(X[rows])
        return out

    def _best(self, X):
        if len(X) > self.max_rows:
            rng = np.random.default_rng(self.random_state)
            X = X[np.sort(rng.choice(len(X), self.max_rows, replace=False))]
        shape = self.covariance_type if len(X) > X.shape[1] + 1 else "diag"
        # a floor on the variances, in units of the features, so that copies are no infinite peak
        floor = 1e-6 + 1e-3 * float(X.var(axis=0).mean())
        models = []
        for q in range(1, min(self.max_components, 1 + len(X) // (2 * X.shape[1] + 2)) + 1):
            model = GaussianMixture(
                q,
                covariance_type=shape,
                reg_covar=floor,
                max_iter=300,
                random_state=self.random_state,
            )
            with warnings.catch_warnings():
                # a start that does not converge has no better BIC than one that does, or is used
                warnings.simplefilter("ignore", ConvergenceWarning)
                models.append(model.fit(X if len(X) > 1 else np.repeat(X, 2, axis=0)))
        best = min(models, key=lambda model: model.bic(X))
        if not best.converged_:
            warnings.warn(
                f"The mixture of {best.n_components} components did not converge in "
                f"{best.max_iter} iterations.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return best
