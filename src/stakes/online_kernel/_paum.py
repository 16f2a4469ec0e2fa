"""The perceptron with uneven margins."""

from numbers import Real

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval
from stakes.online_kernel._base import KERNEL_CONSTRAINTS, POSITIVE, SingleUpdate
from stakes.online_kernel._docs import documented
from stakes.online_kernel._margins import MARGIN_CONSTRAINTS, PricedMargins
from stakes.online_kernel._passes_jit import PAUM


@documented
class KernelPAUM(PricedMargins, SingleUpdate):
    r"""A perceptron that asks more margin of the examples that cost more.

    .. math:: f \leftarrow f + \eta\, y_t \left(k(x_t, \cdot) + R^2\right) \quad\text{if}\quad
              y_t f(x_t) \le \theta_t ,

    with :math:`\theta_t` from the prices (`objective`).

    Parameters
    ----------
    eta : float, default=1.0
        :math:`\eta`, the step.
    radius : float, default=1.0
        :math:`R`, the largest norm of an example in feature space (one for the rbf kernel): the
        intercept moves by :math:`\eta y R^2`. Zero: no intercept.
    [margins]
    [kernel]

    Attributes
    ----------
    [fitted]

    Notes
    -----
    The comparison in the CSDUOL paper does not mention the intercept; its sums and numbers of
    support vectors are met with :math:`R = 1` and missed by far without it.

    References
    ----------
    .. [1] Y. Li, H. Zaragoza, R. Herbrich, J. Shawe-Taylor, J. Kandola. "The perceptron algorithm
       with uneven margins". ICML 2002.

    Examples
    --------
    >>> from stakes.online_kernel import KernelPAUM
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> learner = KernelPAUM(fn_cost=5.0, gamma=2.0, n_passes=5).fit(X, y)
    >>> learner.score(X, y)
    1.0
    """

    _info = LearnerInfo(
        family="online_kernel",
        speed="slow",
        max_rows=50_000,
        gives_probability=False,
        grid={"eta": [0.1, 1.0], "gamma": [0.01, 0.1, 1.0]},
    )
    _rule_code = PAUM
    _parameter_constraints = {
        **KERNEL_CONSTRAINTS,
        **MARGIN_CONSTRAINTS,
        "eta": POSITIVE,
        "radius": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        eta=1.0,
        radius=1.0,
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
        self.eta = eta
        self.radius = radius
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

    def _rule_numbers(self):
        return [self.eta, self.radius**2]
