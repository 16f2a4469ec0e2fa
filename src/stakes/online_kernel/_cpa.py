"""The cost-sensitive passive-aggressive learner, max-loss form."""

import numpy as np

from stakes._core.base import LearnerInfo
from stakes.online_kernel._base import KERNEL_CONSTRAINTS, POSITIVE, SingleUpdate
from stakes.online_kernel._docs import documented
from stakes.online_kernel._margins import MARGIN_CONSTRAINTS, PricedMargins
from stakes.online_kernel._passes_jit import PA


@documented
class KernelCPA(PricedMargins, SingleUpdate):
    r"""A passive-aggressive learner that asks more margin of the examples that cost more.

    .. math:: f \leftarrow f + \min\left(C, \frac{(m_t - y_t f(x_t))_+}{k(x_t, x_t)}\right)
              y_t\, k(x_t, \cdot) ,

    with :math:`m_t = \sqrt{\theta_t}` and :math:`\theta_t` from the prices (`objective`).

    Parameters
    ----------
    C : float, default=10.0
        The longest step.
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
    >>> from stakes.online_kernel import KernelCPA
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> learner = KernelCPA(fn_cost=5.0, gamma=2.0, n_passes=5).fit(X, y)
    >>> learner.score(X, y)
    1.0
    """

    _info = LearnerInfo(
        family="online_kernel",
        speed="slow",
        max_rows=50_000,
        gives_probability=False,
        grid={"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]},
    )
    _rule_code = PA
    _parameter_constraints = {
        **KERNEL_CONSTRAINTS,
        **MARGIN_CONSTRAINTS,
        "C": POSITIVE,
    }

    def __init__(
        self,
        *,
        C=10.0,
        objective="cost",
        class_ratio=None,
        positive_weight=0.5,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
        normalize_costs=True,
        kernel="rbf",
        gamma="auto",
        degree=3,
        coef0=1.0,
        budget=None,
        n_passes=1,
        shuffle=False,
        random_state=None,
    ):
        self.C = C
        self.objective = objective
        self.class_ratio = class_ratio
        self.positive_weight = positive_weight
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost
        self.normalize_costs = normalize_costs
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.n_passes = n_passes
        self.shuffle = shuffle
        self.random_state = random_state

    def _margins(self, y, costs):
        return np.sqrt(super()._margins(y, costs))

    def _rule_numbers(self):
        return [self.C]
