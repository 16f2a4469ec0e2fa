"""The relaxed online maximum margin algorithm."""

from dataclasses import dataclass

from stakes._core.base import LearnerInfo
from stakes.online_kernel._base import KERNEL_CONSTRAINTS
from stakes.online_kernel._docs import documented
from stakes.online_kernel._passes_jit import ROMMA
from stakes.online_kernel._single_update import SingleUpdate


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class KernelROMMAClassifier(SingleUpdate):
    r"""ROMMA: on a mistake, the shortest f that corrects it and keeps what f stood for.

    .. math:: f \leftarrow \arg\min_g \|g\| \quad\text{s.t.}\quad y_t g(x_t) \ge 1,\
              \langle g, f \rangle \ge \|f\|^2 ,

    whose solution is :math:`c f + d\, k(x_t, \cdot)` in closed form.

    Parameters
    ----------
    [zero]
    [kernel]

    Attributes
    ----------
    [fitted]

    References
    ----------
    .. [1] Y. Li, P. M. Long. "The relaxed online maximum margin algorithm". NIPS 1999.

    Examples
    --------
    >>> from stakes.online_kernel import KernelROMMAClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> KernelROMMAClassifier(gamma=2.0, n_passes=5).fit(X, y).score(X, y)
    1.0
    """

    zero_is_positive: bool = False

    _info = LearnerInfo(
        family="online_kernel",
        speed="slow",
        max_rows=50_000,
        grid={"gamma": [0.01, 0.1, 1.0]},
    )
    _rule_code = ROMMA
    _parameter_constraints = {**KERNEL_CONSTRAINTS, "zero_is_positive": ["boolean"]}

    def _rule_numbers(self):
        return float(self.zero_is_positive), 0.0
