"""Double updating online learning."""

from numbers import Real

import numpy as np
from sklearn.base import clone

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval
from stakes.online_kernel._base import KERNEL_CONSTRAINTS, POSITIVE, KernelOnline
from stakes.online_kernel._bounds import report_bounds
from stakes.online_kernel._docs import documented
from stakes.online_kernel._passes_jit import double_pass

DUOL_CONSTRAINTS = {
    **KERNEL_CONSTRAINTS,
    "C": POSITIVE,
    "rho": [Interval(Real, 0.0, 1.0, closed="both")],
}


class DoubleUpdate(KernelOnline):
    """Base of DUOL and CSDUOL."""

    @property
    def dual_objective_(self):
        """Value of the dual SVM objective that the steps have climbed to; it never falls."""
        return float(self._store.record[5])

    def bound_report(self, X, y, *, tol=1e-3, max_sweeps=300, **costs):
        """Theorems 4 to 6 on this run: the promised beside the actual figures.

        Parameters
        ----------
        X, y : {array-like, sparse matrix} of shape (n, d), array-like of shape (n,)
            The examples of the run, in its order.
        tol : float, default=1e-3
            Relative duality gap to which the best f in hindsight is found.
        max_sweeps : int, default=300
            Most passes over the examples for that; needs their n x n Gram matrix.
        **costs : float or array-like of shape (n,)
            The prices of the run, where the learner takes any.

        Returns
        -------
        BoundReport
        """
        X, y = self._validate_X(X), np.asarray(y)
        if self.n_seen_ != len(y):
            raise ValueError(
                f"bound_report needs the examples of one pass, all {self.n_seen_} of them. "
                f"Got {len(y)} instead."
            )
        signs = np.where(y == self.classes_[1], 1.0, -1.0)
        replay = clone(self)
        replay.classes_ = self.classes_
        replay._start(X.shape[1], signs)
        theta = replay._margins(signs, self._costs_of(len(y), **costs))
        ratio = getattr(replay, "_ratio", 0.0) if theta.min() > 0 else 0.0
        weight = getattr(self, "positive_weight", 0.5)
        gram = self._store.gram_of(X)
        return report_bounds(
            self, gram, signs, theta, ratio, weight / (1.0 - weight), tol, max_sweeps
        )

    def _pass(self, store, batch, y, theta, scores):
        double_pass(
            store.support,
            store.pairs,
            batch,
            y,
            theta,
            float(self.C),
            float(self.rho),
            store.alpha,
            store.y,
            store.f,
            store.theta,
            store.index,
            store.counts,
            store.norm,
            store.budget,
            scores,
            store.record,
        )


@documented
class DUOLClassifier(DoubleUpdate):
    r"""Give the new example its best weight, and re-weight the old one it conflicts with most.

    On an example a with :math:`y_a f(x_a) < 1` the support vector b with
    :math:`y_b f(x_b) \le 1` and the smallest :math:`w = y_a y_b k(x_a, x_b)` is looked up; if
    :math:`w \le -\rho` both weights move to the maximum of the dual SVM objective,

    .. math:: \max_{0 \le \gamma_a \le C,\ 0 \le \gamma_b + d_b \le C}\
              \gamma_a \ell_a + d_b \ell_b
              - \tfrac12 k_a \gamma_a^2 - \tfrac12 k_b d_b^2 - w \gamma_a d_b ,

    with :math:`\ell = 1 - y f(x)`; otherwise only the new one is added, as in PA-I.

    Parameters
    ----------
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
        gives_probability=False,
        grid={"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]},
    )
    _parameter_constraints = DUOL_CONSTRAINTS

    def __init__(
        self,
        *,
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
