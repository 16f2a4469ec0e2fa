"""The perceptron with uneven margins."""

from dataclasses import dataclass
from numbers import Real

from stakes._core.base import LearnerInfo
from stakes._core.intake import LARGEST
from stakes._core.sklearn_private import Interval
from stakes.online_kernel._base import KERNEL_CONSTRAINTS, POSITIVE
from stakes.online_kernel._docs import documented
from stakes.online_kernel._margins import MARGIN_CONSTRAINTS, PricedMargins
from stakes.online_kernel._passes_jit import PAUM
from stakes.online_kernel._single_update import SingleUpdate


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class KernelPAUMClassifier(PricedMargins, SingleUpdate):
    r"""Perceptron that requires larger margins of more expensive examples.

    .. math:: f \leftarrow f + \eta\, y_t \left(k(x_t, \cdot) + R^2\right) \quad\text{if}\quad
              y_t f(x_t) \le \theta_t ,

    with :math:`\theta_t` from the costs (`cost_rule`).

    Parameters
    ----------
    learning_rate : float, default=1.0
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
    support vectors are reproduced with :math:`R = 1`, and far off without it.

    References
    ----------
    .. [1] Y. Li, H. Zaragoza, R. Herbrich, J. Shawe-Taylor, J. Kandola. "The perceptron algorithm
       with uneven margins". ICML 2002.

    Examples
    --------
    >>> from stakes.online_kernel import KernelPAUMClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> learner = KernelPAUMClassifier(fn_cost=5.0, gamma=2.0, n_passes=5).fit(X, y)
    >>> learner.score(X, y)
    1.0
    """

    learning_rate: float = 1.0
    radius: float = 1.0

    _info = LearnerInfo(
        family="online_kernel",
        speed="slow",
        max_rows=50_000,
        grid={"learning_rate": [0.1, 1.0], "gamma": [0.01, 0.1, 1.0]},
    )
    _rule_code = PAUM
    _parameter_constraints = {
        **KERNEL_CONSTRAINTS,
        **MARGIN_CONSTRAINTS,
        "learning_rate": POSITIVE,
        "radius": [Interval(Real, 0.0, LARGEST, closed="both")],
    }

    def _rule_numbers(self):
        return float(self.learning_rate), float(self.radius**2)
