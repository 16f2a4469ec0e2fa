"""The approximate large margin algorithm, p = 2."""

from numbers import Real

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval
from stakes.online_kernel._base import KERNEL_CONSTRAINTS, SingleUpdate
from stakes.online_kernel._docs import documented
from stakes.online_kernel._passes_jit import ALMA


@documented
class KernelALMA(SingleUpdate):
    r"""Approximate the largest margin with a step that falls as the mistakes add up.

    With k the number of updates so far plus one and :math:`\hat x = x / \sqrt{k(x, x)}`, an example
    whose margin is at most :math:`(1 - a) / (a\sqrt{k})` is added with the step
    :math:`\sqrt{2/k}`, and f is brought back into the unit ball:

    .. math:: f \leftarrow \frac{f'}{\max(1, \|f'\|)}, \qquad
              f' = f + \sqrt{2/k}\; y_t\, \hat x_t .

    Parameters
    ----------
    alpha : float, default=0.9
        :math:`a` in (0, 1]: the share of the largest margin that is aimed at.
    [kernel]

    Attributes
    ----------
    [fitted]

    References
    ----------
    .. [1] C. Gentile. "A new approximate maximal margin classification algorithm". JMLR 2, 2001.

    Examples
    --------
    >>> from stakes.online_kernel import KernelALMA
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> KernelALMA(gamma=2.0, n_passes=5).fit(X, y).score(X, y)
    1.0
    """

    _info = LearnerInfo(
        family="online_kernel",
        speed="slow",
        max_rows=50_000,
        gives_probability=False,
        grid={"alpha": [0.5, 0.9], "gamma": [0.01, 0.1, 1.0]},
    )
    _rule_code = ALMA
    _parameter_constraints = {
        **KERNEL_CONSTRAINTS,
        "alpha": [Interval(Real, 0.0, 1.0, closed="right")],
    }

    def __init__(
        self,
        *,
        alpha=0.9,
        kernel="rbf",
        gamma="auto",
        degree=3,
        coef0=1.0,
        budget=None,
        n_passes=1,
        shuffle=False,
        random_state=None,
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.n_passes = n_passes
        self.shuffle = shuffle
        self.random_state = random_state

    def _rule_numbers(self):
        return [self.alpha]
