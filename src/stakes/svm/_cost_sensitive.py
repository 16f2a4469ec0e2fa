"""CS-SVM: a smaller margin, and a smaller penalty, where a mistake is cheaper."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.model_selection import StratifiedKFold

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.svm._base import KERNEL_CONSTRAINTS, KernelSVC, PricedSVC
from stakes.svm._docs import documented
from stakes.svm._penalties import cost_penalties

KAPPA_GRID = (1.0, 0.7, 0.5, 0.25, 0.1, 0.05)
MARGIN_CONSTRAINTS = {
    "normalize_costs": ["boolean"],
    "kappa": [None, StrOptions({"search"}), Interval(Real, 0, 1, closed="right")],
    "slope": [StrOptions({"paper", "consistent"})],
    "conditions": [StrOptions({"check", "ignore"})],
}


@dataclass(kw_only=True, eq=False, repr=False)
class CostMargin(PricedSVC):
    """Base of the CS-SVMs: the penalties and margins of the cost-sensitive hinge."""

    kappa: float | str | None = None
    slope: str = "paper"
    conditions: str = "check"
    normalize_costs: bool = True

    def _penalties(self, X, y, regret, weight):
        """Penalties for kappa; with "search" the cheapest in cross-validation."""
        options = dict(slope=self.slope, normalize=self.normalize_costs, conditions=self.conditions)
        if self.kappa != "search":
            return cost_penalties(regret, y, weight, kappa=self.kappa, **options)
        cost_penalties(regret, y, weight, kappa=1.0, **options)  # if this raises, all would
        n_splits = int(min(3, np.sum(y > 0), np.sum(y < 0)))
        best = None
        for kappa in KAPPA_GRID:
            try:
                penalties = cost_penalties(regret, y, weight, kappa=kappa, **options)
            except ValueError:
                continue  # excluded by Eq. 50
            if n_splits < 2:
                return penalties
            paid = 0.0
            for train, test in StratifiedKFold(n_splits).split(X, y):
                scores = self._held_out_scores(X, y, penalties, train, test)
                paid += (regret * weight)[test][(scores > 0) != (y[test] > 0)].sum()
            if best is None or paid < best[0]:
                best = paid, penalties
        return best[1]


@documented
@dataclass(kw_only=True, eq=False, repr=False)  # joins the parameters of both
class CostSensitiveSVC(CostMargin, KernelSVC):
    r"""Kernel SVM on the cost-sensitive hinge: an asymmetric margin and asymmetric penalties.

    With :math:`c_i` the regret of example i, and the more expensive class called positive,

    .. math:: \min_{w,b}\ \tfrac12\|w\|^2 + C\sum_{y_i = 1} c_i\,[1 - f_i]_+
              + C\sum_{y_i = -1} \tfrac{1}{\kappa_i}\,[\kappa_i + f_i]_+ ,
              \quad \kappa_i = \frac{1}{2c_i - 1} .

    Even on separable data, where penalties have no effect, the more expensive class keeps a margin
    :math:`1/\kappa` times that of the other.

    Parameters
    ----------
    [cost_margin]
    [kernel]
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
    `slope="consistent"` keeps the margins and replaces :math:`1/\kappa` by :math:`C_{-1}`.
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

    _parameter_constraints = KERNEL_CONSTRAINTS | MARGIN_CONSTRAINTS
    _info = LearnerInfo(
        family="svm",
        speed="slow",
        max_rows=30_000,
        gives_probability=False,
        grid={"C": [0.1, 1.0, 10.0], "slope": ["paper", "consistent"]},
    )
