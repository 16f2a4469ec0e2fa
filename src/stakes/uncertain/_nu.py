"""Bernstein constant nu of a bounded variable from bounds on its moments."""

import numpy as np

from stakes.uncertain._docs import documented
from stakes.uncertain._nu_jit import fill_nu, fill_nu_of_variance


@documented
def bernstein_nu(mean_lower, mean_upper, second_moment=1.0, *, var=None):
    r"""Smallest Gaussian width that dominates a variable on [-1, 1], from bounds on its moments.

    The smallest :math:`\nu` such that for every :math:`X \in [-1, 1]` with mean :math:`\mu`
    between :math:`\mu^-` and :math:`\mu^+` and :math:`E[X^2] \le \sigma^2`

    .. math:: \log E[e^{tX}] \le \max(\mu^- t, \mu^+ t) + \tfrac12\nu^2 t^2 \quad\forall t .

    Parameters
    ----------
    mean_lower, mean_upper : array-like
        Bounds on the mean, :math:`\mu^-` and :math:`\mu^+`; equal if the mean is known.
    second_moment : array-like, default=1.0
        Bound on the second moment, :math:`\sigma^2`; 1 if it is unknown.
    var : array-like, default=None
        Bound on the variance, instead of one on the second moment: tighter if the mean is not
        known exactly.

    Returns
    -------
    ndarray of the broadcast shape, or float
        Values in [0, 1].

    Notes
    -----
    The paper finds nu by bisection (Section 2.1.1) and has a closed form only for
    :math:`\sigma = 1` and an interval around the center (Lemma 4). Here, the worst distribution for
    :math:`t \ge 0` is on the two points :math:`1 - L` and 1 with :math:`P(X = 1) = q`,
    :math:`L = (1 - 2\mu + \sigma^2)/(1 - \mu)` and :math:`q = (\sigma^2 - \mu^2)/(1 - 2\mu +
    \sigma^2)`, and the sharp sub-Gaussian constant of two points is known [2]_:
    :math:`\nu^2 = L^2 (1 - 2q)/(2\log((1 - q)/q))` for :math:`q < 1/2`, else the variance.
    The worst mean for :math:`t \ge 0` is :math:`\mu^+` unless :math:`\mu^+ > \sigma^2`, which needs
    a one-dimensional search. With a bound on the variance it always is :math:`\mu^+`: the worst
    :math:`E[e^{tX}]` of mean :math:`1 - a` and variance v is
    :math:`e^t(v + a^2e^{-t(a + v/a)})/(a^2 + v)`, which falls with a. A mean beyond the root of
    the second moment contradicts Jensen's inequality and is moved to it.

    References
    ----------
    [paper]
    .. [2] M. Kearns, L. Saul. "Large Deviation Methods for Approximate Probabilistic
       Inference". UAI 1998.

    Examples
    --------
    >>> bernstein_nu(0.0, 0.0, 0.09)
    0.4538...
    >>> bernstein_nu([-0.3, 0.9], [0.5, 0.9], 1.0)
    array([0.9539392 , 0.78187076])
    >>> bernstein_nu(-0.5, 0.5, 0.01 + 0.5**2), bernstein_nu(-0.5, 0.5, var=0.01)
    (0.3064..., 0.1969...)
    """
    spread = second_moment if var is None else var
    arrays = (np.asarray(a, np.float64) for a in (mean_lower, mean_upper, spread))
    mean_lower, mean_upper, spread = np.broadcast_arrays(*arrays)
    name = "second_moment" if var is None else "var"
    given = {"mean_lower": mean_lower, "mean_upper": mean_upper, name: spread}
    for name, array in given.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{name} of bernstein_nu has missing or infinite values.")
    if (mean_lower > mean_upper).any():
        raise ValueError("mean_lower of bernstein_nu is above mean_upper in some entries.")
    nu = np.empty(mean_lower.shape)
    flat = (np.ascontiguousarray(array).reshape(-1) for array in given.values())
    (fill_nu if var is None else fill_nu_of_variance)(*flat, nu.reshape(-1))
    return nu if nu.ndim else float(nu)
