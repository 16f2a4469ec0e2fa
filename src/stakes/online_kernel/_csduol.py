"""Cost-sensitive double updating online learning."""

from dataclasses import dataclass

from stakes._core.base import LearnerInfo
from stakes.online_kernel._docs import documented
from stakes.online_kernel._duol import DUOL_CONSTRAINTS, DoubleUpdate
from stakes.online_kernel._margins import MARGIN_CONSTRAINTS, PricedMargins


@documented
@dataclass(kw_only=True, eq=False, repr=False)  # joins the parameters of both bases
class CSDUOLClassifier(PricedMargins, DoubleUpdate):
    r"""Double updating that requires larger margins of more expensive examples.

    Follows the dual of the SVM whose hinge starts at a margin set by the cost,

    .. math:: \min_f\ \tfrac12 \|f\|^2 + \sum_t C_t \left(\theta_t - y_t f(x_t)\right)_+ ,
              \qquad C_t = C\theta_t ,

    by moving, on each example below its margin, the weights of that example and of the support
    vector that conflicts with it most to the exact maximum over their box.

    Parameters
    ----------
    [margins]
    [scale_C]
    [double]
    [kernel]

    Attributes
    ----------
    [dual]

    Notes
    -----
    The paper's surrogate (3.3) has :math:`C_t = C` for all. At a point whose label is positive with
    probability p its minimizer changes sign at p = 1/2 for every :math:`\theta`, not at the
    probability :math:`1/(1 + \theta)` from which on acting is cheaper: between the margins -1 and
    :math:`\theta` its slope is :math:`1 - 2p`. Prices matter only as far as the penalty on f keeps
    f from its margins, and not at all where C binds. With :math:`C_t = C\theta_t` the slope is
    :math:`1 - p - p\theta`, which changes sign at :math:`1/(1 + \theta)`. Nothing else changes: the
    dual has the box :math:`0 \le \gamma_t \le C\theta_t`, each step is its exact maximum over two
    weights, and Theorems 4 to 6 hold as they are, with :math:`C \ge 1` instead of
    :math:`C \ge \theta`. `scale_C=False` is the paper's rule.
    Proposition 2 lists four of the nine active sets of (3.4), enough where a lies below its margin
    and b not above; here all nine are solved, so that rounding cannot leave a case out.
    The test :math:`y_i f(x_i) \le \theta_i` of Algorithm 1 is met with equality by every vector
    that an unclipped step has put on its margin, so it has a relative tolerance of 1e-9.
    One cost per example is an extension of the paper: :math:`\theta_t` follows the example's own
    cost. The running class ratio is another; the paper takes it from the whole data.

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
    >>> scores = learner.decision_function_then_learn(X, y)
    >>> int(np.where(y == 1, 10.0, 1.0) @ ((scores > 0) != y))  # cost while learning
    167
    """

    scale_C: bool = True

    _info = LearnerInfo(
        family="online_kernel",
        speed="slow",
        max_rows=50_000,
        grid={"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]},
    )
    _parameter_constraints = {**DUOL_CONSTRAINTS, **MARGIN_CONSTRAINTS, "scale_C": ["boolean"]}

    def _scales_C(self):
        return bool(self.scale_C)
