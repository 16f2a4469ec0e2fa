"""The approximate large margin algorithm, p = 2."""

from dataclasses import dataclass
from numbers import Real

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval
from stakes.online_kernel._base import KERNEL_CONSTRAINTS
from stakes.online_kernel._docs import documented
from stakes.online_kernel._passes_jit import ALMA
from stakes.online_kernel._single_update import SingleUpdate


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class KernelALMAClassifier(SingleUpdate):
    r"""ALMA: approximate the largest margin with steps that shrink as updates add up.

    With k the number of updates so far plus one and :math:`\hat x = x / \sqrt{k(x, x)}`, an example
    whose margin is at most :math:`(1 - a) / (a\sqrt{k})` is added with the step
    :math:`\sqrt{2/k}`, and f is projected back onto the unit ball:

    .. math:: f \leftarrow \frac{f'}{\max(1, \|f'\|)}, \qquad
              f' = f + \sqrt{2/k}\; y_t\, \hat x_t .

    Parameters
    ----------
    margin_loss : float, default=0.9
        :math:`a` in (0, 1]: share of the largest margin that may be lost, the paper's alpha.
    [kernel]

    Attributes
    ----------
    [fitted]

    References
    ----------
    .. [1] C. Gentile. "A new approximate maximal margin classification algorithm". JMLR 2, 2001.

    Examples
    --------
    >>> from stakes.online_kernel import KernelALMAClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> KernelALMAClassifier(gamma=2.0, n_passes=5).fit(X, y).score(X, y)
    1.0
    """

    margin_loss: float = 0.9

    _info = LearnerInfo(
        family="online_kernel",
        speed="slow",
        max_rows=50_000,
        grid={"margin_loss": [0.5, 0.9], "gamma": [0.01, 0.1, 1.0]},
    )
    _rule_code = ALMA
    _parameter_constraints = {
        **KERNEL_CONSTRAINTS,
        "margin_loss": [Interval(Real, 0.0, 1.0, closed="right")],
    }

    def _rule_numbers(self):
        return float(self.margin_loss), 0.0
