"""Double updating online learning."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import column_or_1d

from stakes._core.base import LearnerInfo
from stakes._core.jit.kernel_rows import for_loops
from stakes._core.labels import positive_among
from stakes._core.sklearn_private import Interval
from stakes.online_kernel._base import KERNEL_CONSTRAINTS, POSITIVE, KernelOnline
from stakes.online_kernel._bounds import report_bounds
from stakes.online_kernel._docs import documented
from stakes.online_kernel._expansion_jit import DUAL_VALUE
from stakes.online_kernel._passes_jit import double_pass, double_row

DUOL_CONSTRAINTS = {
    **KERNEL_CONSTRAINTS,
    "C": POSITIVE,
    "rho": [Interval(Real, 0.0, 1.0, closed="both")],
}


@dataclass(kw_only=True, eq=False, repr=False)
class DoubleUpdate(KernelOnline):
    """Base of DUOL and CSDUOL."""

    C: float = 10.0
    rho: float = 0.0

    @property
    def dual_objective_(self):
        """Value of the dual SVM objective reached by the steps; it never falls."""
        return float(self._store.support.numbers[DUAL_VALUE])

    def bound_report(self, X, y, *, tol=1e-3, max_sweeps=300, sample_weight=None, **costs):
        """Compare this run with the bounds of Theorems 4 to 6.

        Parameters
        ----------
        X, y : {array-like, sparse matrix} of shape (n, d), array-like of shape (n,)
            The examples of the run, in the same order.
        tol : float, default=1e-3
            Relative duality gap of the best f in hindsight, whose n x n Gram matrix is needed.
        max_sweeps : int, default=300
            Maximum number of passes over the examples to find it.
        sample_weight : array-like of shape (n,), default=None
            The weights of the run, if the learner takes any.
        **costs : float or array-like of shape (n,)
            The costs of the run, if the learner takes any.

        Returns
        -------
        BoundReport
        """
        X, y = self._validate_X(X), column_or_1d(y)
        if self.n_seen_ != len(y) or X.shape[0] != len(y):
            raise ValueError(
                f"bound_report needs the examples of one pass, all {self.n_seen_} of them. "
                f"Got {len(y)} instead."
            )
        signs = np.where(positive_among(y, self.classes_), 1.0, -1.0)
        replay = clone(self)
        replay.classes_ = self.classes_
        replay._start(X.shape[1], X, signs)
        theta = replay._margins(signs, self._weighted_costs(X, costs, sample_weight))
        store = self._store
        if not (
            np.array_equal(store.signs, signs[store.index])
            and (self.half_life or np.array_equal(store.theta, theta[store.index]))
        ):
            raise ValueError(
                "bound_report needs the examples, labels, costs and weights of the run, in the "
                "same order. Got others."
            )
        balanced = getattr(self, "cost_rule", "") == "balanced" and theta.min() > 0
        weight = self.positive_weight if balanced else None
        C = self.C * theta if self._scales_C() else np.full(len(y), float(self.C))
        gram = store.gram_of(X)
        return report_bounds(self, gram, signs, theta, C, weight, tol=tol, max_sweeps=max_sweeps)

    def _pass(self, store, batch, y, theta, scores):
        rule = float(self.C), self._scales_C(), float(self.rho)
        double_pass(for_loops(store.support), batch, y, theta, *rule, scores)

    def _row(self, store, batch, y, theta):
        rule = float(self.C), self._scales_C(), float(self.rho)
        return double_row(for_loops(store.support), batch, y, theta, *rule)

    def _scales_C(self):
        """Whether the largest weight of an example is C theta, which fades with it, not C."""
        return True


@documented
class DUOLClassifier(DoubleUpdate):
    r"""DUOL: weight the new example, and re-weight the old one that it conflicts with most.

    On an example a with :math:`y_a f(x_a) < 1` the support vector b with
    :math:`y_b f(x_b) \le 1` and the smallest :math:`w = y_a y_b k(x_a, x_b)` is found; if
    :math:`w \le -\rho` both weights move to the maximum of the dual SVM objective,

    .. math:: \max_{0 \le \gamma_a \le C,\ 0 \le \gamma_b + d_b \le C}\
              \gamma_a \ell_a + d_b \ell_b
              - \tfrac12 k_a \gamma_a^2 - \tfrac12 k_b d_b^2 - w \gamma_a d_b ,

    with :math:`\ell = 1 - y f(x)`; otherwise only the new one is added, as in PA-I.

    Parameters
    ----------
    [double]
    [kernel]

    Attributes
    ----------
    [dual]

    References
    ----------
    .. [1] P. Zhao, S. C. H. Hoi, R. Jin. "Double updating online learning". JMLR 12, 2011.

    Examples
    --------
    >>> from stakes.online_kernel import DUOLClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> DUOLClassifier(gamma=2.0).fit(X, y).score(X, y)
    1.0
    """

    _info = LearnerInfo(
        family="online_kernel",
        speed="slow",
        max_rows=50_000,
        grid={"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]},
    )
    _parameter_constraints = DUOL_CONSTRAINTS
