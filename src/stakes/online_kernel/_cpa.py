"""The cost-sensitive passive-aggressive learner, max-loss form."""

from dataclasses import dataclass

from stakes.online_kernel._docs import documented
from stakes.online_kernel._margins import MARGIN_CONSTRAINTS, PricedMargins
from stakes.online_kernel._pa import PassiveAggressive


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class KernelCPAClassifier(PricedMargins, PassiveAggressive):
    r"""Passive-aggressive learner that requires larger margins of more expensive examples.

    .. math:: f \leftarrow f + \min\left(C, \frac{(m_t - y_t f(x_t))_+}{k(x_t, x_t)}\right)
              y_t\, k(x_t, \cdot) ,

    with :math:`m_t = \sqrt{\theta_t}` and :math:`\theta_t` from the costs (`cost_rule`).

    Parameters
    ----------
    C : float, default=10.0
        Largest step.
    [margins]
    [kernel]

    Attributes
    ----------
    [fitted]

    References
    ----------
    .. [1] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer. "Online
       passive-aggressive algorithms". JMLR 7, 2006, Section 10.

    Examples
    --------
    >>> from stakes.online_kernel import KernelCPAClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> learner = KernelCPAClassifier(fn_cost=5.0, gamma=2.0, n_passes=5).fit(X, y)
    >>> learner.score(X, y)
    1.0
    """

    _parameter_constraints = {**PassiveAggressive._parameter_constraints, **MARGIN_CONSTRAINTS}
