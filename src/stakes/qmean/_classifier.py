"""Linear classifier that minimises the quadratic mean of the class losses."""

import numpy as np

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import fit_context
from stakes.qmean._base import QuadraticMeanBase


class QuadraticMeanClassifier(QuadraticMeanBase):
    r"""Linear classifier that no class can outvote: it minimises a mean over class losses.

    With the mean loss :math:`m_g` of each class, over its examples and weighted by their costs
    :math:`c_i`, it solves

    .. math:: \min_{w,b}\ \alpha (\|w\|^2 + b^2)
              + \Big(\frac{1}{k} \sum_{g=1}^k m_g^p\Big)^{1/p}, \qquad
              m_g = \frac{\sum_{i \in g} c_i\, l(f(x_i), y_i)}{\sum_{i \in g} c_i} .

    The number of examples in a class has no influence, only how well they are fitted. At the
    optimum it is a class-weighted fit whose weights are proportional to :math:`m_g^{p-1}`.

    Parameters
    ----------
    loss : {"logistic", "hinge", "huber"}, default="logistic"
        The loss of one example. With more than two classes: the softmax loss, or the sum of the
        margin losses against each rival.
    alpha : float, default=1e-3
        Ridge penalty, the thesis's :math:`\lambda` (there 1/2).
    p : float, default=2.0
        Power of the mean, from 1 (balanced) over 2 (quadratic) to `numpy.inf` (minimax).
    huber_width : float, default=0.01
        Half the width of the rounded kink of the Huber loss, :math:`h`.
    class_share : {"equal", "cost"}, default="equal"
        What a class counts in the mean: the same, or in proportion to its mean cost. Costs that
        are constant within each class change nothing unless this is "cost".
    fit_intercept : bool, default=True
        Whether the scores have an intercept.
    regularize_intercept : bool, default=True
        Whether the penalty holds for the intercept, as in the thesis.
    solver : {"auto", "newton", "lbfgs", "bundle"}, default="auto"
        "auto": Newton while the smaller side of X is below a thousand, else L-BFGS; both round
        the kinks of the hinge less and less. "bundle": Algorithm 6 of the thesis.
    tol : float, default=1e-6
        Duality gap to stop at, relative to the objective.
    max_iter : int, default=1000
        Steps at most (for each rounding of the kinks).
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
        What the four outcomes cost; arrays of one per example go to `fit`.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels.
    coef_ : ndarray of shape (1, d) or (k, d)
        Weights of the features; `SelectFromModel` ranks by their size.
    intercept_ : ndarray of shape (1,) or (k,)
        The intercept.
    class_losses_ : ndarray of shape (k,)
        :math:`m_g`, the mean loss of each class.
    class_weights_ : ndarray of shape (k,)
        What each class loss counts at the optimum, the slope of the mean.
    objective_, duality_gap_, gradient_norm_ : float
        The minimum; certificates: at most which share of it lies above the best value, and the
        largest slope left.
    gaps_ : list of float
        With `solver="bundle"`, the relative gap after each iteration.
    n_iter_ : int
        Steps made.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The thesis argues that the mean is convex because squaring preserves convexity and the root is
    monotone; that would also make :math:`\sqrt{|x|}` convex. It is convex because it is a norm of
    non-negative convex functions. Table 5.1's slope of the logistic loss has the wrong sign in
    the exponent.

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

    _accept_sparse = "csr"
    _info = LearnerInfo(
        family="qmean",
        recommended=True,
        grid={"alpha": [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]},
    )

    def __init__(
        self,
        *,
        loss="logistic",
        alpha=1e-3,
        p=2.0,
        huber_width=0.01,
        class_share="equal",
        fit_intercept=True,
        regularize_intercept=True,
        solver="auto",
        tol=1e-6,
        max_iter=1000,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
    ):
        self.loss = loss
        self.alpha = alpha
        self.p = p
        self.huber_width = huber_width
        self.class_share = class_share
        self.fit_intercept = fit_intercept
        self.regularize_intercept = regularize_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Fit to examples with labels, weights and costs.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their labels; two classes or more.
        sample_weight : array-like of shape (n,), default=None
            Weights; an example of weight two counts as two.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost; two classes only.

        Returns
        -------
        self
        """
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        X, index, weight, regret = self._validate_training(X, y, sample_weight, given)
        W = self._fit_features(X, index, weight, regret)
        self.coef_, self.intercept_ = np.atleast_2d(W[:-1].T), np.atleast_1d(W[-1])
        return self

    def decision_function(self, X):
        """Scores: (n,) for two classes, positive for `classes_[1]`; else (n, k).

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray
        """
        scores = self._validate_X(X) @ self.coef_.T + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores
