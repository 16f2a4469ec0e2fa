"""Linear classifier that minimizes the quadratic mean of the class losses."""

from dataclasses import dataclass

import numpy as np

from stakes._core.base import LearnerInfo
from stakes._core.docs import documented
from stakes.qmean._base import QuadraticMeanBase, log_weights
from stakes.qmean._class_sums import MeanObjective, minimize_sums


@documented()
@dataclass(kw_only=True, eq=False, repr=False)  # for __init__ only: each class adds its parameters
class QuadraticMeanClassifier(QuadraticMeanBase):
    r"""Linear classifier for imbalanced classes: minimizes a power mean of the class losses.

    With the mean loss :math:`m_g` of each class, weighted by the costs :math:`c_i`, it solves

    .. math:: \min_{w,b}\ \alpha (\|w\|^2 + b^2)
              + \Big(\frac{1}{k} \sum_{g=1}^k m_g^p\Big)^{1/p}, \qquad
              m_g = \frac{\sum_{i \in g} c_i\, l(f(x_i), y_i)}{\sum_{i \in g} c_i} .

    The number of examples in a class has no influence, only how well they are fitted. The optimum
    is a class-weighted fit with weights proportional to :math:`m_g^{p-1}`.

    Parameters
    ----------
    loss : {"logistic", "hinge", "huber"}, default="logistic"
        Loss of one example. With more than two classes: the softmax loss, or the sum of the margin
        losses against each other class.
    alpha : float, default=1e-3
        Ridge penalty, :math:`\lambda` in the thesis (1/2 there).
    p : float, default=2.0
        Power of the mean: 1 (balanced), 2 (quadratic), up to `numpy.inf` (minimax).
    huber_width : float, default=0.01
        Half the width of the rounded kink of the Huber loss, :math:`h`.
    class_share : {"equal", "cost"}, default="equal"
        Weight of each class in the mean: equal, or proportional to its mean cost. Costs that are
        constant within each class have no effect unless this is "cost".
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    regularize_intercept : bool, default=True
        Whether to penalize the intercept, as in the thesis.
    solver : {"auto", "newton", "lbfgs", "bundle"}, default="auto"
        "auto": Newton while the smaller side of X is below a thousand, else L-BFGS; both smooth
        the hinge loss less and less. "bundle": Algorithm 6 of the thesis.
    tol : float, default=1e-6
        Duality gap at which to stop, relative to the objective.
    max_iter : int, default=1000
        Maximum number of steps (for each level of smoothing).
    [costs]

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        Labels.
    coef_ : ndarray of shape (1, d) or (k, d)
        Weights of the features; `SelectFromModel` can rank by them.
    intercept_ : ndarray of shape (1,) or (k,)
        Intercept.
    class_losses_ : ndarray of shape (k,)
        Mean loss :math:`m_g` of each class.
    class_weights_ : ndarray of shape (k,)
        Weight of each class loss at the optimum, the gradient of the mean.
    objective_, duality_gap_, gradient_norm_ : float
        Minimum; as certificates, the relative duality gap and the largest entry of the gradient.
    gaps_ : list of float
        Relative gap after each iteration of `solver="bundle"`.
    n_iter_ : int
        Number of steps.
    [seen]

    Notes
    -----
    The thesis argues that the mean is convex because squaring preserves convexity and the root is
    monotone; that would also make :math:`\sqrt{|x|}` convex. It is convex because it is a norm of
    non-negative convex functions. The slope of the logistic loss in Table 5.1 has the wrong sign
    in the exponent.

    References
    ----------
    .. [1] W. Liu, S. Chawla. "A Quadratic Mean based Supervised Learning Model for Managing Data
       Skewness". SDM 2011. Chapter 5 of W. Liu's thesis.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.metrics import recall_score
    >>> X, y = make_classification(2000, weights=[0.97], flip_y=0.02, random_state=0)
    >>> model = QuadraticMeanClassifier().fit(X, y)
    >>> model.duality_gap_ < 1e-6
    True
    >>> round(recall_score(y, model.predict(X)), 2)
    0.85
    """

    alpha: float = 1e-3
    class_share: str = "equal"
    fit_intercept: bool = True
    regularize_intercept: bool = True
    solver: str = "auto"

    _accept_sparse = "csr"
    _info = LearnerInfo(
        family="qmean",
        recommended=True,
        grid={"alpha": [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]},
    )

    def fit_sums(self, evaluate, n_features, sample=None):
        """Fit to rows that are read in passes, because they do not fit into memory.

        Parameters
        ----------
        evaluate : callable
            `evaluate(W)` returns the :class:`ClassSums` of all rows, weighted by their regrets, at
            the weights W with the intercept last.
        n_features : int
            Number of columns.
        sample : callable, default=None
            As `evaluate`, for a sample of the rows that is in memory: its optimum is where the
            passes start.

        Returns
        -------
        self
            For two classes, 0 and 1, with `loss="logistic"`, finite p and a regularized intercept.
        """
        plain = self.fit_intercept and self.regularize_intercept and np.isfinite(self.p)
        if self.loss != "logistic" or not plain:
            raise ValueError(
                "Rows that are read in passes need loss='logistic', a finite p, and an intercept "
                "that is regularized."
            )
        objective = MeanObjective(self.alpha, float(self.p), self.class_share)
        start = None if sample is None else minimize_sums(sample, objective, n_features).W
        found = minimize_sums(evaluate, objective, n_features, start=start)
        self.classes_, self.n_features_in_ = np.array([0, 1]), n_features
        self.coef_, self.intercept_ = found.W[None, :-1], found.W[-1:]
        self.objective_, self.duality_gap_ = found.objective, found.relative_gap
        self.gradient_norm_, self.n_iter_ = found.gradient_norm, found.n_passes
        self.class_losses_, self.class_weights_ = objective.weights(found.sums)
        self.gaps_, self._log_weight = [], log_weights(self.class_weights_, found.sums.rows)
        return self

    def _fit_rows(self, X, index, weight, regret):
        W = self._fit_features(X, index, weight, regret)
        self.coef_, self.intercept_ = np.atleast_2d(W[:-1].T), np.atleast_1d(W[-1])
        return self

    def _scores(self, X):
        return X @ self.coef_.T + self.intercept_
