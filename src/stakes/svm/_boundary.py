"""BM-SVM: a plain SVM whose threshold is moved to where mistakes cost least."""

from dataclasses import dataclass

import numpy as np

from stakes._core.base import LearnerInfo
from stakes.costs import Costs
from stakes.decision import threshold_curve
from stakes.svm._docs import documented
from stakes.svm._kernel_svc import KERNEL_CONSTRAINTS, KernelSVC
from stakes.svm._penalties import Penalties


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class BoundaryMovementSVC(KernelSVC):
    r"""Kernel SVM without costs, with the threshold that costs least on held-out scores.

    The SVM :math:`f` ignores the costs; the decision is :math:`f(x) > \theta` with

    .. math:: \theta = \arg\min_\theta\ \sum_{y_i = 1,\ f_i \le \theta} c_i
              + \sum_{y_i = -1,\ f_i > \theta} c_i ,

    :math:`f_i` from a fit that has not seen example i, :math:`c_i` its regret.

    Parameters
    ----------
    [kernel]
    [costs]
    calibration : {"sigmoid"} or None, default=None
        "sigmoid": `predict_proba`, and `predict` with costs, by a sigmoid of the scores.
    cv : int or splitter, default=5
        Folds whose held-out scores tune the threshold and the sigmoid, each row in exactly one of
        them; a number of stratified folds of random rows, at most as many as the smaller class has
        examples.
    [parallel]
    [solver]

    Attributes
    ----------
    threshold_ : float
        :math:`\theta`, already subtracted from `intercept_`.
    [margin]
    [fitted]

    References
    ----------
    .. [1] G. Karakoulas, J. Shawe-Taylor. "Optimizing classifiers for imbalanced training sets".
           NIPS 1999.

    Examples
    --------
    >>> X, y = [[-2.0], [-1.0], [-0.5], [-0.7], [1.0], [2.0]], [0, 0, 0, 1, 1, 1]
    >>> model = BoundaryMovementSVC(kernel="linear", cv=3, fn_cost=9.0).fit(X, y)
    >>> model.predict([[-0.6]])
    array([1])
    """

    calibration: str | None = None
    cv: object = 5

    _parameter_constraints = KERNEL_CONSTRAINTS
    _info = LearnerInfo(
        family="svm",
        speed="slow",
        max_rows=15_000,
        gives_probability=False,
        grid={"C": [0.1, 1.0, 10.0]},
    )
    _moves_boundary = True

    def _plan(self, X, y, costs, weight):
        return Penalties(weight, np.ones(len(y)), 1.0, 1), None

    def _move_boundary(self, scores, y, regret):
        self.threshold_ = best_threshold(scores, y, regret)
        self.intercept_ -= self.threshold_
        return scores - self.threshold_

    def _fit_constant(self, X, sign):
        super()._fit_constant(X, sign)
        self.threshold_ = 0.0


def best_threshold(scores, y, regret):
    """Find the threshold on scores with the lowest total regret.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Scores of the examples.
    y : ndarray of shape (n,)
        Labels; positive numbers are the positive class.
    regret : ndarray of shape (n,)
        Cost of a wrong decision for each example.

    Returns
    -------
    float
        Scores above it are decided positive. Among equally good thresholds the one nearest zero.

    Examples
    --------
    >>> best_threshold(np.array([-1.0, -0.5, 1.0]), np.array([-1, 1, 1]), np.ones(3))
    -0.75
    """
    curve = threshold_curve(scores, y > 0, Costs.of(len(y), fp_cost=regret, fn_cost=regret))
    cuts = np.clip(curve.thresholds, scores.min() - 1.0, scores.max() + 1.0)
    least = np.flatnonzero(curve.costs <= curve.costs.min() + 1e-12 * curve.at_stake)
    return float(cuts[least[np.argmin(np.abs(cuts[least]))]])
