"""Divergence of a shifted normal distribution: Kullback-Leibler, and the formula of the thesis."""

import numpy as np


def kl_divergence(mean, sd, moved_mean, moved_sd):
    r"""Kullback-Leibler divergence between a normal distribution and a shifted one.

    .. math:: \log\frac{\sigma_2}{\sigma_1} + \frac{\sigma_1^2 + (\mu_2-\mu_1)^2}{2\sigma_2^2}
              - \frac12

    Parameters
    ----------
    mean, sd : float or ndarray
        Original distribution :math:`N(\mu_1, \sigma_1)`.
    moved_mean, moved_sd : float or ndarray
        Shifted distribution :math:`N(\mu_2, \sigma_2)`.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> kl_divergence(1.0, 2.0, 2.0, 2.0)
    np.float64(0.125)
    """
    ratio = sd / moved_sd
    distance = (moved_mean - mean) / moved_sd
    return -np.log(ratio) + 0.5 * (ratio**2 + distance**2 - 1.0)


def thesis_divergence(mean, variance, moved_mean, moved_variance):
    r"""Divergence used in Table 6.1 of the thesis.

    .. math:: \log\frac{v_2}{v_1} + \frac12\left(\frac{v_1}{v_2} - 1\right)
              + \frac{(\mu_2-\mu_1)^2}{2 v_1}

    Parameters
    ----------
    mean, variance : float or ndarray
        Original distribution.
    moved_mean, moved_variance : float or ndarray
        Shifted distribution.

    Returns
    -------
    float or ndarray

    Notes
    -----
    The logarithm is not halved and the distance is scaled by the wrong variance, so it is not a
    divergence: it can be negative. The thesis evaluates it with standard deviations for v.

    Examples
    --------
    >>> round(float(thesis_divergence(1.0, 2.0, 1.0, 5.0)), 4)  # Table 6.1, second row
    0.6163
    """
    distance = (moved_mean - mean) ** 2 / (2.0 * variance)
    ratio = moved_variance / variance
    return np.log(ratio) + 0.5 * (1.0 / ratio - 1.0) + distance


DIVERGENCES = {"kl": kl_divergence, "thesis": thesis_divergence}
