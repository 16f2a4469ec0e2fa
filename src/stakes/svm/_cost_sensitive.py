"""CS-SVM: a smaller margin, and a smaller penalty, where a mistake is cheaper."""

from numbers import Real

import numpy as np
from sklearn.model_selection import StratifiedKFold

from stakes._core.base import CostSensitiveClassifier, LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.svm._base import KERNEL_CONSTRAINTS, KernelSVC
from stakes.svm._docs import documented
from stakes.svm._penalties import cost_penalties

KAPPA_GRID = (1.0, 0.7, 0.5, 0.25, 0.1, 0.05)
MARGIN_CONSTRAINTS = {
    "normalize_costs": ["boolean"],
    "kappa": [
        None,
        StrOptions({"search"}),
        Interval(Real, 0, 1, closed="right"),
    ],
    "slope": [StrOptions({"paper", "consistent"})],
    "conditions": [StrOptions({"check", "ignore"})],
}


@documented
class CostSensitiveSVC(KernelSVC):
    r"""Kernel SVM on the cost-sensitive hinge: an asymmetric margin and asymmetric penalties.

    With :math:`c_i` the regret of example i, and the dearer class called positive,

    .. math:: \min_{w,b}\ \tfrac12\|w\|^2 + C\sum_{y_i = 1} c_i\,[1 - f_i]_+
              + C\sum_{y_i = -1} \tfrac{1}{\kappa_i}\,[\kappa_i + f_i]_+ ,
              \quad \kappa_i = \frac{1}{2c_i - 1} .

    Even on separable data, where penalties have no say, the dearer class keeps a margin
    :math:`1/\kappa` times that of the other.

    Parameters
    ----------
    C : float, default=1.0
        Penalty against the norm of w, :math:`C`.
    kappa : float, "search" or None, default=None
        Margin of the cheaper class. None: from the costs, example by example; a number: one for
        all; "search": the number out of `KAPPA_GRID` with the least cost in cross-validation.
    [kernel]
    slope : {"paper", "consistent"}, default="paper"
        Penalty of the cheaper class: :math:`1/\kappa_i` as printed, or :math:`c_i`, which makes
        the loss Bayes consistent (see Notes).
    conditions : {"check", "ignore"}, default="check"
        With one cost per class, whether Eq. 50, :math:`0 < \kappa \le 1 \le 1/\kappa \le C_1`,
        is asked for.
    [costs]
    [normalize]
    [solver]

    Attributes
    ----------
    [margin]
    [fitted]

    Notes
    -----
    Minimising the loss of Eq. 46 over all scores gives the decision threshold
    :math:`\frac{1/\kappa}{C_1 + 1/\kappa}` and not :math:`\frac{C_{-1}}{C_1 + C_{-1}}` as Section 4
    says; the two agree only for :math:`\kappa = 1`, where the loss is that of BP-SVM.
    `slope="consistent"` keeps the margins and puts :math:`C_{-1}` in place of :math:`1/\kappa`.
    With one kappa for all, the fit is exactly a weighted SVM, see
    :func:`~stakes.svm.weighted_equivalent`.

    References
    ----------
    .. [1] H. Masnadi-Shirazi, N. Vasconcelos, A. Iranmehr. "Cost-sensitive Support Vector
           Machines". arXiv:1212.0975.

    Examples
    --------
    >>> X, y = [[-1.0], [1.0]], [0, 1]
    >>> model = CostSensitiveSVC(C=100.0, kappa=0.25, kernel="linear", fn_cost=4.0).fit(X, y)
    >>> model.decision_function(X).round(3)
    array([-0.25,  1.  ])
    """

    _parameter_constraints = (
        CostSensitiveClassifier._parameter_constraints | KERNEL_CONSTRAINTS | MARGIN_CONSTRAINTS
    )
    _info = LearnerInfo(
        family="svm",
        speed="slow",
        max_rows=30_000,
        gives_probability=False,
        grid={"C": [0.1, 1.0, 10.0], "slope": ["paper", "consistent"]},
    )

    def __init__(
        self,
        C=1.0,
        *,
        kappa=None,
        kernel="rbf",
        gamma="scale",
        coef0=0.0,
        degree=3,
        slope="paper",
        conditions="check",
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
        normalize_costs=True,
        solver="smo",
        approximation=None,
        n_components=300,
        tol=1e-3,
        max_iter=10_000_000,
        cache_size=200,
        random_state=None,
    ):
        super().__init__(
            C,
            kernel=kernel,
            gamma=gamma,
            coef0=coef0,
            degree=degree,
            fp_cost=fp_cost,
            fn_cost=fn_cost,
            tp_cost=tp_cost,
            tn_cost=tn_cost,
            normalize_costs=normalize_costs,
            solver=solver,
            approximation=approximation,
            n_components=n_components,
            tol=tol,
            max_iter=max_iter,
            cache_size=cache_size,
            random_state=random_state,
        )
        self.kappa = kappa
        self.slope = slope
        self.conditions = conditions

    def _penalties(self, X, y, regret):
        return choose_penalties(self, X, y, regret)


def choose_penalties(learner, X, y, regret):
    """Penalties for the learner's kappa; with "search" the cheapest in cross-validation."""
    options = dict(
        slope=learner.slope, normalize=learner.normalize_costs, conditions=learner.conditions
    )
    if learner.kappa != "search":
        return cost_penalties(regret, y, kappa=learner.kappa, **options)
    cost_penalties(regret, y, kappa=1.0, **options)  # where this one is refused all are
    n_splits = int(min(3, np.sum(y > 0), np.sum(y < 0)))
    best = None
    for kappa in KAPPA_GRID:
        try:
            penalties = cost_penalties(regret, y, kappa=kappa, **options)
        except ValueError:
            continue  # Eq. 50 leaves this kappa out
        if n_splits < 2:
            return penalties
        paid = 0.0
        for train, test in StratifiedKFold(n_splits).split(X, y):
            scores = learner._held_out_scores(X, y, penalties, train, test)
            paid += regret[test][(scores > 0) != (y[test] > 0)].sum()
        if best is None or paid < best[0]:
            best = paid, penalties
    return best[1]
