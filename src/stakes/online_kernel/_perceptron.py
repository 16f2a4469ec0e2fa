"""The kernel perceptron."""

from dataclasses import dataclass

from stakes._core.base import LearnerInfo
from stakes.online_kernel._base import KERNEL_CONSTRAINTS
from stakes.online_kernel._docs import documented
from stakes.online_kernel._passes_jit import PERCEPTRON
from stakes.online_kernel._single_update import SingleUpdate


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class KernelPerceptronClassifier(SingleUpdate):
    r"""Perceptron: add every misclassified example, with weight one.

    .. math:: f \leftarrow f + y_t\, k(x_t, \cdot) \quad\text{if}\quad y_t f(x_t) \le 0 .

    Parameters
    ----------
    [zero]
    [kernel]

    Attributes
    ----------
    [fitted]

    References
    ----------
    .. [1] Y. Freund, R. E. Schapire. "Large margin classification using the perceptron algorithm".
       Machine Learning 37, 1999.

    Examples
    --------
    >>> from stakes.online_kernel import KernelPerceptronClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> KernelPerceptronClassifier(gamma=2.0, n_passes=5).fit(X, y).score(X, y)
    1.0
    """

    zero_is_positive: bool = False

    _info = LearnerInfo(
        family="online_kernel",
        speed="slow",
        max_rows=50_000,
        grid={"gamma": [0.01, 0.1, 1.0]},
    )
    _rule_code = PERCEPTRON
    _parameter_constraints = {**KERNEL_CONSTRAINTS, "zero_is_positive": ["boolean"]}

    def _rule_numbers(self):
        return float(self.zero_is_positive), 0.0
