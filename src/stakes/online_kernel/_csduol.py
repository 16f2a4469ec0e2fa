"""Cost-sensitive double updating online learning."""

from stakes._core.base import LearnerInfo
from stakes.online_kernel._docs import documented
from stakes.online_kernel._duol import DUOL_CONSTRAINTS, DoubleUpdate
from stakes.online_kernel._margins import MARGIN_CONSTRAINTS, PricedMargins


@documented
class CSDUOLClassifier(PricedMargins, DoubleUpdate):
    r"""Double updating that asks more margin of the examples that cost more.

    Follows the dual of the SVM whose hinge starts at a margin set by the price,

    .. math:: \min_f\ \tfrac12 \|f\|^2 + C \sum_t \left(\theta_t - y_t f(x_t)\right)_+ ,

    by moving, on each example below its margin, the weights of that example and of the support
    vector that conflicts with it most to the exact maximum over their box.

    Parameters
    ----------
    [margins]
    C : float, default=10.0
        The largest weight.
    rho : float, default=0.0
        :math:`\rho`: how strongly two examples must conflict for a double update; one turns double
        updates off unless the two are one and the same point.
    [kernel]

    Attributes
    ----------
    [fitted]
    dual_objective_ : float
        Where the dual objective stands; with a budget, before what forgetting took away.

    Notes
    -----
    Proposition 2 lists four of the nine active sets of (3.4), enough where a lies below its margin
    and b not above; here all nine are solved, so that rounding cannot leave a case out.
    The test :math:`y_i f(x_i) \le \theta_i` of Algorithm 1 is met with equality by every vector
    that an unclipped step has put on its margin, so it is made with a relative tolerance of 1e-9.
    One price per example is an extension of the paper: :math:`\theta_t` follows the example's own
    price. The running class ratio is another; the paper takes it from the whole data.

    References
    ----------
    .. [1] P. Zhao, S. C. H. Hoi. "Cost-sensitive double updating online learning and its
       application to online anomaly detection". SDM 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from stakes.online_kernel import CSDUOLClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = (np.abs(X).sum(axis=1) + 0.5 * rng.normal(size=400) > 2.5).astype(int)
    >>> learner = CSDUOLClassifier(fn_cost=10.0, gamma=0.5)
    >>> scores = learner.score_then_learn(X, y)
    >>> int(np.where(y == 1, 10.0, 1.0) @ ((scores > 0) != y))  # paid on the way
    191
    """

    _info = LearnerInfo(
        family="online_kernel",
        speed="slow",
        max_rows=50_000,
        gives_probability=False,
        grid={"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]},
    )
    _parameter_constraints = {**DUOL_CONSTRAINTS, **MARGIN_CONSTRAINTS}

    def __init__(
        self,
        *,
        objective="cost",
        class_ratio=None,
        positive_weight=0.5,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
        normalize_costs=True,
        C=10.0,
        rho=0.0,
        kernel="rbf",
        gamma="auto",
        degree=3,
        coef0=1.0,
        budget=None,
        n_passes=1,
        shuffle=False,
        random_state=None,
    ):
        self.objective = objective
        self.class_ratio = class_ratio
        self.positive_weight = positive_weight
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost
        self.normalize_costs = normalize_costs
        self.C = C
        self.rho = rho
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.n_passes = n_passes
        self.shuffle = shuffle
        self.random_state = random_state
