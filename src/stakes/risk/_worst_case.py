"""Worst-case CVaR for a given mean and variance, by what is known of the shape."""

import numpy as np
from scipy.special import ndtri

MARGINS = ("gaussian", "unimodal", "symmetric", "arbitrary")


def omega(tail, margin):
    r"""Worst-case CVaR factor: distance of the mean of the tail from the mean, in deviations.

    .. math:: \omega_\epsilon = \sup\{CVaR_\epsilon(M) : E M = 0,\ E M^2 = 1,\ M \in shape\}

    ============ ================================================================================
    gaussian     :math:`\varphi(\Phi^{-1}(\epsilon))/\epsilon`
    unimodal     :math:`\frac{2}{3\sqrt\epsilon}` up to 1/3, :math:`\sqrt3(1 - \epsilon)` up to
                 2/3, then :math:`\frac{2\sqrt{1-\epsilon}}{3\epsilon}` (and symmetric)
    symmetric    :math:`\frac{1}{\sqrt{2\epsilon}}` up to 1/2, then
                 :math:`\frac{1}{\epsilon}\sqrt{\frac{1-\epsilon}{2}}`
    arbitrary    :math:`\sqrt{(1-\epsilon)/\epsilon}`
    ============ ================================================================================

    Parameters
    ----------
    tail : float or array-like
        Share of the distribution in the tail, :math:`\epsilon` in (0, 1].
    margin : {"gaussian", "unimodal", "symmetric", "arbitrary"}
        Assumed shape; each class of distributions contains the one before it.

    Returns
    -------
    float or ndarray
        Falls from infinity to zero as the tail grows to one.

    Notes
    -----
    Table I of the CW-CVaR paper prints the symmetric factor for :math:`\epsilon \ge 1/2` as
    :math:`\sqrt{1-\epsilon}/\sqrt{2\epsilon}`, which jumps at 1/2. The tail and the rest balance,
    :math:`\epsilon\,CVaR_\epsilon(M) = (1-\epsilon)\,CVaR_{1-\epsilon}(-M)`, so every class that
    contains -M along with M has
    :math:`\omega_\epsilon = \frac{1-\epsilon}{\epsilon}\omega_{1-\epsilon}`, which gives the value
    above.

    References
    ----------
    A. Ali, K. Collins-Thompson. "Robust Cost-Sensitive Confidence-Weighted Classification".
    ICDM Workshops 2013, Table I.

    Examples
    --------
    >>> [round(omega(0.05, margin), 3) for margin in MARGINS]
    [2.063, 2.981, 3.162, 4.359]
    """
    if margin not in MARGINS:
        raise ValueError(f"margin must be one of {', '.join(MARGINS)}. Got {margin!r} instead.")
    e = np.asarray(tail, dtype=np.float64)
    if not ((e > 0) & (e <= 1)).all():
        raise ValueError("tail must lie in (0, 1].")
    small, mirror = np.minimum(e, 1 - e), e > 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = _SMALL[margin](small)
        # the balance of Notes; at e = 1 the tail is everything, so its mean is zero
        factor = np.where(mirror, np.where(e < 1, small / e * factor, 0.0), factor)
    return float(factor) if factor.ndim == 0 else factor


# factors for tails up to 1/2; larger ones follow from the balance
_SMALL = {
    "gaussian": lambda e: np.exp(-0.5 * ndtri(e) ** 2) / np.sqrt(2 * np.pi) / e,
    "unimodal": lambda e: np.where(e <= 1 / 3, 2 / (3 * np.sqrt(e)), np.sqrt(3) * (1 - e)),
    "symmetric": lambda e: 1 / np.sqrt(2 * e),
    "arbitrary": lambda e: np.sqrt((1 - e) / e),
}
