"""The passive-aggressive learner, PA-I."""

import math
from dataclasses import dataclass

import numpy as np

from stakes._core.base import LearnerInfo
from stakes.online_kernel._base import KERNEL_CONSTRAINTS, POSITIVE
from stakes.online_kernel._docs import documented
from stakes.online_kernel._passes_jit import PA
from stakes.online_kernel._single_update import SingleUpdate


@dataclass(kw_only=True, eq=False, repr=False)
class PassiveAggressive(SingleUpdate):
    r"""Base of PA-I and CPA: the margin is :math:`\sqrt{\theta_t}`, a step at most C."""

    C: float = 10.0

    _info = LearnerInfo(
        family="online_kernel",
        speed="slow",
        max_rows=50_000,
        grid={"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]},
    )
    _rule_code = PA
    _parameter_constraints = {**KERNEL_CONSTRAINTS, "C": POSITIVE}

    def _margins(self, y, costs):
        return np.sqrt(super()._margins(y, costs))

    def _margin_of(self, sign, fp, fn):
        return math.sqrt(super()._margin_of(sign, fp, fn))

    def _rule_numbers(self):
        return float(self.C), 0.0


@documented
class KernelPAClassifier(PassiveAggressive):
    r"""PA-I: the smallest step to a margin of one, and never more than C.

    .. math:: f \leftarrow f + \min\left(C, \frac{(1 - y_t f(x_t))_+}{k(x_t, x_t)}\right)
              y_t\, k(x_t, \cdot) .

    An example of weight :math:`\theta_t` must reach the margin :math:`\sqrt{\theta_t}`, as in
    `KernelCPAClassifier`.

    Parameters
    ----------
    C : float, default=10.0
        Largest step.
    [kernel]

    Attributes
    ----------
    [fitted]

    References
    ----------
    .. [1] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer. "Online
       passive-aggressive algorithms". JMLR 7, 2006.

    Examples
    --------
    >>> from stakes.online_kernel import KernelPAClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> KernelPAClassifier(gamma=2.0, n_passes=5).fit(X, y).score(X, y)
    1.0
    """
