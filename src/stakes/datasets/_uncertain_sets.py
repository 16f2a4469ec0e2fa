"""Synthetic sets of the chance-constrained paper: points measured with bounded noise."""

import numpy as np
from scipy import stats
from sklearn.utils import check_random_state

from stakes.datasets._uncertain_data import UncertainData

NOISES = ("uniform", "beta", "skew_normal", "skew_t")
_DESCRIPTION = (
    "Generated: points of a Gaussian mixture, each measured {n_replicates} times with {noise} "
    "noise of bounded support. Both mistakes cost 1."
)


def make_uncertain(
    n_samples=200,
    n_features=2,
    *,
    noise="uniform",
    n_replicates=10,
    noise_scale=1.0,
    separation=3.0,
    random_state=None,
):
    """Generate noisy replicates of points whose true position, support and variance are known.

    Each class is a mixture of two Gaussians. The noise has mean zero and bounded support; its
    shape is drawn for each feature, its width for each point and feature. The paper's names
    :math:`2_U`, :math:`10_{ST}` and so on give the dimension and the noise.

    Parameters
    ----------
    n_samples : int, default=200
        Number of points, half of them positive.
    n_features : int, default=2
        Dimension, at least 2; 2 and 10 in the paper.
    noise : {"uniform", "beta", "skew_normal", "skew_t"}, default="uniform"
        Shape of the noise; the last two are truncated at three and four standard deviations.
    n_replicates : int, default=10
        Number of measurements per point.
    noise_scale : float, default=1.0
        Mean half-width of the noise; the classes' standard deviation is 1.
    separation : float, default=3.0
        Distance between the class centers.
    random_state : int, RandomState or None, default=None
        Seed of the generator.

    Returns
    -------
    UncertainData
        `X` is the mean of the replicates, `nominal` are the true points, `lower`, `upper` and `var`
        their true support and variance.

    Notes
    -----
    The paper gives the method but no parameters (Chapter 4, "Synthetic"); the values here are ours.

    Examples
    --------
    >>> data = make_uncertain(100, 2, noise="skew_t", random_state=0)
    >>> data.replicates.shape, bool((data.replicates <= data.upper[:, None]).all())
    ((100, 10, 2), True)
    """
    if noise not in NOISES:
        raise ValueError(f"noise must be one of {', '.join(NOISES)}. Got {noise!r} instead.")
    if n_features < 2 or n_replicates < 1:
        raise ValueError(
            f"n_features must be at least 2 and n_replicates at least 1. Got {n_features} and "
            f"{n_replicates} instead."
        )
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    y = rng.permutation(np.arange(n_samples) % 2)
    nominal = _mixture(rng, y, n_features, separation)
    half_width = noise_scale * rng.uniform(0.5, 1.5, nominal.shape)
    replicates = np.empty((n_samples, n_replicates, n_features))
    lower, upper, var = (np.empty_like(nominal) for _ in range(3))
    for j in range(n_features):
        quantile, mean, variance = _bounded_law(noise, rng)
        draws = quantile(rng.random((n_samples, n_replicates))) - mean
        width = half_width[:, j]
        replicates[:, :, j] = nominal[:, j, None] + width[:, None] * draws
        lower[:, j] = nominal[:, j] + width * (-1.0 - mean)
        upper[:, j] = nominal[:, j] + width * (1.0 - mean)
        var[:, j] = width**2 * variance
    return UncertainData(
        f"uncertain_{n_features}_{noise}",
        replicates.mean(axis=1),
        y,
        positive="class 1",
        description=_DESCRIPTION.format(n_replicates=n_replicates, noise=noise.replace("_", "-")),
        lower=lower,
        upper=upper,
        var=var,
        replicates=replicates,
        nominal=nominal,
    )


def _mixture(rng, y, n_features, separation):
    """Two components per class, side by side across the line that joins the classes."""
    axes = np.linalg.qr(rng.standard_normal((n_features, 2)))[0].T
    side = rng.choice([-1.0, 1.0], len(y))
    centre = separation / 2 * np.where(y == 1, 1.0, -1.0)[:, None] * axes[0]
    return centre + side[:, None] * axes[1] + rng.standard_normal((len(y), n_features))


def _bounded_law(noise, rng, nodes=2001):
    """Quantile function, mean and variance of a random distribution on [-1, 1]."""
    x = np.linspace(-1.0, 1.0, nodes)
    if noise == "uniform":
        density = np.ones(nodes)
    elif noise == "beta":
        density = stats.beta.pdf((x + 1) / 2, *rng.uniform(1.0, 5.0, 2))
    elif noise == "skew_normal":
        density = stats.skewnorm.pdf(3 * x, rng.uniform(-5.0, 5.0))
    else:
        density = _skew_t(4 * x, rng.uniform(-5.0, 5.0), rng.uniform(3.0, 8.0))
    mass = (density[1:] + density[:-1]) / 2
    cdf = np.concatenate([[0.0], np.cumsum(mass)]) / mass.sum()
    middle, p = (x[1:] + x[:-1]) / 2, np.diff(cdf)
    mean = p @ middle
    return (lambda u: np.interp(u, cdf, x)), mean, p @ middle**2 - mean**2


def _skew_t(x, alpha, nu):
    """Azzalini's skew-t density, up to a factor."""
    slant = alpha * x * np.sqrt((nu + 1) / (nu + x**2))
    return stats.t.pdf(x, nu) * stats.t.cdf(slant, nu + 1)
