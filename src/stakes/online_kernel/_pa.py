"""The passive-aggressive learner, PA-I."""

from stakes._core.base import LearnerInfo
from stakes.online_kernel._base import KERNEL_CONSTRAINTS, POSITIVE, SingleUpdate
from stakes.online_kernel._docs import documented
from stakes.online_kernel._passes_jit import PA


@documented
class KernelPA(SingleUpdate):
    r"""Move no further than needed for a margin of one, and never by more than C.

    .. math:: f \leftarrow f + \min\left(C, \frac{(1 - y_t f(x_t))_+}{k(x_t, x_t)}\right)
              y_t\, k(x_t, \cdot) .

    Parameters
    ----------
    C : float, default=10.0
        The longest step.
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
    >>> from stakes.online_kernel import KernelPA
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> KernelPA(gamma=2.0, n_passes=5).fit(X, y).score(X, y)
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
    _parameter_constraints = {**KERNEL_CONSTRAINTS, "C": POSITIVE}

    def __init__(
        self,
        *,
        C=10.0,
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
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.n_passes = n_passes
        self.shuffle = shuffle
        self.random_state = random_state

    def _rule_numbers(self):
        return [self.C]
