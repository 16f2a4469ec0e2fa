"""The cost-sensitive passive-aggressive learner, max-loss form."""

import math
from dataclasses import dataclass

import numpy as np

from stakes._core.base import LearnerInfo
from stakes.online_kernel._base import KERNEL_CONSTRAINTS, POSITIVE
from stakes.online_kernel._docs import documented
from stakes.online_kernel._margins import MARGIN_CONSTRAINTS, PricedMargins
from stakes.online_kernel._passes_jit import PA
from stakes.online_kernel._single_update import SingleUpdate


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class KernelCPAClassifier(PricedMargins, SingleUpdate):
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

    C: float = 10.0

    _info = LearnerInfo(
        family="online_kernel",
        speed="slow",
        max_rows=50_000,
        grid={"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]},
    )
    _rule_code = PA
    _parameter_constraints = {**KERNEL_CONSTRAINTS, **MARGIN_CONSTRAINTS, "C": POSITIVE}

    def _margins(self, y, costs):
        return np.sqrt(super()._margins(y, costs))

    def _margin_of(self, sign, fp, fn):
        return math.sqrt(super()._margin_of(sign, fp, fn))

    def _rule_numbers(self):
        return float(self.C), 0.0
