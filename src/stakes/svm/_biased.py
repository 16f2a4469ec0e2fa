"""BP-SVM: a penalty per class or per example."""

from dataclasses import dataclass

from stakes._core.base import LearnerInfo
from stakes.svm._base import TRAINING_CONSTRAINTS
from stakes.svm._docs import documented
from stakes.svm._kernel_svc import KERNEL_CONSTRAINTS, KernelSVC
from stakes.svm._penalties import biased_penalties


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class BiasedPenaltySVC(KernelSVC):
    r"""Kernel SVM with margin violations weighted by the cost of the mistake.

    .. math:: \min_{w,b}\ \tfrac12\|w\|^2 + C\sum_i c_i\,[1 - y_i(w^\top\varphi(x_i) + b)]_+

    with :math:`c_i` the regret of example i: one per class is BP-SVM (Eq. 1), one per example is
    ED-BP-SVM (Eq. 65).

    Parameters
    ----------
    [kernel]
    [costs]
    [normalize]
    [probability]
    [solver]

    Attributes
    ----------
    [margin]
    [fitted]

    References
    ----------
    .. [1] H. Masnadi-Shirazi, N. Vasconcelos, A. Iranmehr. "Cost-sensitive Support Vector
           Machines". arXiv:1212.0975.
    .. [2] C. Scott. "Surrogate losses and regret bounds for cost-sensitive classification with
           example-dependent costs". ICML 2011.

    Examples
    --------
    >>> X, y = [[-2.0], [-1.0], [0.2], [0.0], [1.0]], [0, 0, 0, 1, 1]
    >>> BiasedPenaltySVC(kernel="linear", fn_cost=5.0).fit(X, y).predict([[0.1]])
    array([1])
    """

    normalize_costs: bool = True
    cost_rule: str = "auto"

    _parameter_constraints = KERNEL_CONSTRAINTS | TRAINING_CONSTRAINTS
    _info = LearnerInfo(
        family="svm",
        speed="slow",
        max_rows=30_000,
        grid={"C": [0.1, 1.0, 10.0]},
    )

    def _plan(self, X, y, costs, weight):
        regret = self._training_regret(y, costs.regret(y > 0), weight)
        return biased_penalties(regret, y, weight, normalize=self.normalize_costs), None
