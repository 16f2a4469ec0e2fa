"""Classical measurement error: where the truth is, given a noisy measurement of it."""

from dataclasses import replace

import numpy as np

from stakes._core.intake import LARGEST
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Array

MOST_FEATURES = 60  # beyond it each feature is shrunk by itself
MOST_ROWS = 1000  # that the covariance is learned from
N_ITER = 30
UNSEEN = 1e9  # variance of a missing measurement, in units of the population's


class Population:
    r"""Mean and covariance of the true points, and the truth expected behind a measurement.

    A measurement m = x + e of a true point x, with an error of mean zero and covariance V, is
    farther from the mean of the population than x itself. With :math:`\mu` and :math:`\Sigma` the
    mean and the covariance of the true points, x has, given m, the mean and the covariance

    .. math:: \mu + \Sigma(\Sigma + V)^{-1}(m - \mu), \qquad \Sigma - \Sigma(\Sigma + V)^{-1}\Sigma

    if true points and errors are Gaussian; for others it is the best linear prediction.
    :math:`\mu` and :math:`\Sigma` have the highest likelihood of the measurements, each with its
    own error bars, by the EM algorithm, with the correlations of d additional points shrunk to
    zero. A missing measurement has an infinite variance.

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
        Covariance of the true points; diagonal for more than 60 features.
    """

    _file_state = {
        "mean": Array("f8", ("d",)),
        "cov": Array("f8", ("d", "d"), low=-LARGEST, high=LARGEST),
    }

    @staticmethod
    def _check_file_state(state, scope):
        cov = state["cov"]
        varies = np.diagonal(cov) > 0
        try:
            np.linalg.cholesky(cov[np.ix_(varies, varies)])
        except np.linalg.LinAlgError:
            raise Damaged("the covariance of a population is not positive definite") from None
        odd = max(np.abs(cov - cov.T).max(), np.abs(cov[~varies]).max(initial=0.0))
        if odd > 1e-9 * np.abs(cov).max():  # products are symmetric up to rounding
            raise Damaged("the covariance of a population is damaged")

    def __init__(self, known, weight):
        rows = np.flatnonzero(weight > 0)
        known, weight = known.take(rows), weight[rows]
        seen = ~np.isnan(known.mean)
        shares = np.where(seen, weight[:, None], 0.0)
        count = shares.sum(axis=0)
        if (count == 0).any():
            raise ValueError(
                f"Feature {int((count == 0).argmax())} is missing in every example; remove it."
            )
        self.mean = (shares * np.where(seen, known.mean, 0)).sum(axis=0) / count
        away = np.where(seen, known.mean - self.mean, 0.0)
        var = (shares * away**2).sum(axis=0) / count
        V = _noise(known)
        V = V if V.ndim == 2 else np.diagonal(V, axis1=1, axis2=2)
        noise = (shares * np.where(seen, V, 0)).sum(axis=0) / count
        # at least a hundredth of the variance is real, whatever the error bars say
        self.cov = np.diag(np.maximum(var - noise, 0.01 * var))
        if V.any() or not seen.all():
            self._learn(known, weight, 0.01 * var)

    def _learn(self, known, weight, least):
        """EM: the population of the expected true points and of what is unsure about them."""
        d = len(self.mean)
        most = int(np.clip(2e8 / d**3, 200, MOST_ROWS)) if d <= MOST_FEATURES else len(weight)
        rows = np.unique(np.linspace(0, len(weight) - 1, most).astype(np.intp))
        known, count = known.take(rows), weight[rows].sum()
        share = weight[rows] / count
        prior = d / (count + d)  # of d additional points without correlation
        for _ in range(N_ITER):
            truth = self.posterior(known, as_matrices=d <= MOST_FEATURES)
            mean = share @ truth.mean
            away = truth.mean - mean
            if truth.cov is None:
                new = np.diag(share @ (away**2 + truth.var))
            else:
                new = (away * share[:, None]).T @ away + np.tensordot(share, truth.cov, axes=1)
                new = (1 - prior) * new + prior * np.diag(np.diagonal(new))
            lift = np.maximum(least - np.diagonal(new), 0.0)
            change = np.abs(new - self.cov).max()
            self.mean, self.cov = mean, new + np.diag(lift)
            if change <= 1e-4 * np.abs(new).max():
                break

    def posterior(self, known, as_matrices=False):
        """Moments of the true points behind measurements, with covariances."""
        V = _noise(known)
        missing = np.isnan(known.mean)
        away = np.where(missing, 0.0, known.mean - self.mean)
        own = np.diagonal(self.cov)
        far = np.where(missing, UNSEEN * np.maximum(own, own.max() + 1e-300), 0.0)
        if not as_matrices and not (self.cov - np.diag(own)).any():
            V = V if V.ndim == 2 else np.diagonal(V, axis1=1, axis2=2)
            V = np.where(missing, far, V)
            total = np.where(own + V > 0, own + V, 1.0)
            mean, var = self.mean + own / total * away, own * V / total
            return replace(known, mean=mean, var=var, var_upper=var, cov=None)
        if V.ndim == 2:
            V = np.where(missing, 0.0, V)
        V = _as_matrices(V) + _as_matrices(far)
        total = self.cov + V
        # a constant feature that is known exactly: nothing is divided by its zero
        total += _as_matrices((np.diagonal(total, axis1=1, axis2=2) == 0).astype(float))
        gain = np.linalg.solve(total, np.broadcast_to(self.cov, V.shape))
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
