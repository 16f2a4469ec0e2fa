"""Classical measurement error: where the truth is, given a noisy measurement of it."""

from dataclasses import replace

import numpy as np
from sklearn.covariance import ledoit_wolf

from stakes._core.stored.spec import Array

MOST_FEATURES = 100  # beyond it each feature is shrunk by itself
UNSEEN = 1e9  # variance of a missing measurement, in units of the population's


class Population:
    r"""Mean and covariance of the true points, and the truth expected behind a measurement.

    A measurement m = x + e of a true point x, with an error of mean zero and covariance V, is
    farther from the mean of the population than x itself. With :math:`\mu` and :math:`\Sigma` the
    mean and the covariance of the true points, x has, given m, the mean and the covariance

    .. math:: \mu + \Sigma(\Sigma + V)^{-1}(m - \mu), \qquad \Sigma - \Sigma(\Sigma + V)^{-1}\Sigma

    if true points and errors are Gaussian; for others it is the best linear prediction. Here
    :math:`\Sigma` is the (shrunken) covariance of the measurements minus the mean of V. A missing
    measurement has an infinite variance.

    Parameters
    ----------
    known : Moments
        Training measurements with their variances or covariances.
    weight : ndarray of shape (n,)
        Weights of the examples.

    Attributes
    ----------
    mean : ndarray of shape (d,)
        Mean of the population.
    cov : ndarray of shape (d, d)
        Covariance of the true points; diagonal for more than 100 features.
    """

    _file_state = {"mean": Array("f8", ("d",)), "cov": Array("f8", ("d", "d"))}

    def __init__(self, known, weight):
        X, V = known.mean[weight > 0], _noise(known)[weight > 0]
        weight = weight[weight > 0]
        seen = ~np.isnan(X)
        shares = np.where(seen, weight[:, None], 0.0)
        count = shares.sum(axis=0)
        if (count == 0).any():
            raise ValueError(
                f"Feature {int((count == 0).argmax())} is missing in every example; remove it."
            )
        self.mean = (shares * np.where(seen, X, 0)).sum(axis=0) / count
        away = np.where(seen, X - self.mean, 0.0)
        var = (shares * away**2).sum(axis=0) / count
        size = np.sqrt(np.where(var > 0, var, 1.0))
        diagonal = V if V.ndim == 2 else np.diagonal(V, axis1=1, axis2=2)
        noise = (shares * np.where(seen, diagonal, 0)).sum(axis=0) / count
        # at least a hundredth of the variance is real, whatever the error bars say
        own = np.maximum(var - noise, 0.01 * var)
        d = X.shape[1]
        if d > MOST_FEATURES or d == 1:
            self.cov = np.diag(own)
            return
        rows = away / size * np.sqrt(weight / weight.mean())[:, None]
        correlated = ledoit_wolf(rows, assume_centered=True)[0] * np.outer(size, size)
        if V.ndim == 3:
            correlated = correlated - np.average(V, axis=0, weights=weight)
        correlated = np.where(np.eye(d, dtype=bool), own, correlated)
        self.cov = _positive(correlated, own)

    def posterior(self, known):
        """Moments of the true points behind measurements, with covariances."""
        V = _noise(known)
        missing = np.isnan(known.mean)
        away = np.where(missing, 0.0, known.mean - self.mean)
        own = np.diagonal(self.cov)
        far = np.where(missing, UNSEEN * np.maximum(own, own.max() + 1e-300), 0.0)
        if len(own) > MOST_FEATURES or not (self.cov - np.diag(own)).any():
            V = V if V.ndim == 2 else np.diagonal(V, axis1=1, axis2=2)
            V = np.where(missing, far, V)
            total = np.where(own + V > 0, own + V, 1.0)
            mean, var = self.mean + own / total * away, own * V / total
            return replace(known, mean=mean, var=var, var_upper=var, cov=None)
        if V.ndim == 2:
            V = np.where(missing, 0.0, V)
        V = _as_matrices(V) + _as_matrices(far)
        gain = np.linalg.solve(self.cov + V, np.broadcast_to(self.cov, V.shape))
        mean = self.mean + np.einsum("nkj,nk->nj", gain, away)
        # Joseph's form stays positive semidefinite: (I - K) S (I - K)' + K V K'
        K = np.swapaxes(gain, 1, 2)
        rest = np.eye(len(own)) - K
        cov = rest @ self.cov @ np.swapaxes(rest, 1, 2) + K @ V @ gain
        cov = (cov + np.swapaxes(cov, 1, 2)) / 2
        var = np.diagonal(cov, axis1=1, axis2=2).copy()
        return replace(known, mean=mean, var=var, var_upper=var, cov=cov)


def _noise(known):
    """Covariances of the errors; zero if none were given."""
    if known.cov is not None:
        return known.cov
    return np.zeros_like(known.mean) if known.var is None else known.var


def _as_matrices(V):
    if V.ndim == 3:
        return V
    return V[:, :, None] * np.eye(V.shape[1])


def _positive(cov, own):
    """The nearest matrix with these variances and no negative eigenvalues, nearly."""
    size = np.sqrt(np.where(own > 0, own, 1.0))
    values, vectors = np.linalg.eigh(cov / np.outer(size, size))
    fixed = (vectors * np.maximum(values, 1e-3)) @ vectors.T
    return fixed * np.outer(size, size)
