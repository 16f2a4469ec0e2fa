"""The exact reduction to a weighted SVM, solved by scikit-learn's LIBSVM."""

import numpy as np
from scipy import sparse
from sklearn.svm import SVC

from stakes.svm._certificate import certify, warn_if_far
from stakes.svm._dual import CLOSE


def solve_libsvm(gram, X, y, weight, margin, *, tol=1e-3, max_iter=10_000_000, cache_mib=200):
    r"""Solve an SVM with one margin per class as the equivalent weighted SVM.

    With margins :math:`p_+, p_-` and a free bias, :math:`f = sg + t`, :math:`s = (p_+ + p_-)/2`,
    :math:`t = (p_+ - p_-)/2`, has the margins one and one in g, and penalties :math:`u_i / s`.

    Parameters
    ----------
    gram : Gram
        The kernel, used to certify the solution.
    X : ndarray or CSR matrix of shape (n, d)
        Its rows.
    y, weight, margin : ndarray of shape (n,)
        Signs, penalties :math:`u_i > 0` and margins.
    tol, max_iter, cache_mib : float, int, float
        As in :func:`~stakes.svm.solve_dual`; LIBSVM keeps kernel values in float32, so it cannot
        reach tolerances far below 1e-6.

    Returns
    -------
    DualSolution

    Examples
    --------
    >>> from stakes.svm._gram import Gram
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    >>> found = solve_libsvm(Gram(X, "linear"), X, y, np.full(2, 9.0), np.array([0.5, 1.0]))
    >>> found.beta, found.intercept
    (array([-0.375,  0.375]), 0.25)
    """
    positive, negative = margin[y > 0], margin[y < 0]
    if np.ptp(positive) > 0 or np.ptp(negative) > 0:
        raise ValueError(
            "solver='libsvm' needs one margin per class. Got margins from "
            f"{margin.min():.3g} to {margin.max():.3g} instead; set kappa to a number, or use "
            "solver='smo'."
        )
    scale = (positive[0] + negative[0]) / 2
    plain = SVC(
        C=1.0,
        kernel=gram.kernel,
        gamma=gram.gamma,
        coef0=gram.coef0,
        degree=gram.degree,
        tol=tol / scale,
        max_iter=max_iter,
        cache_size=max(1.0, cache_mib),
    ).fit(X, y, sample_weight=weight / scale)
    beta = np.zeros(len(y))
    dual_coef = plain.dual_coef_  # sparse if X is
    dual_coef = dual_coef.toarray() if sparse.issparse(dual_coef) else dual_coef
    beta[plain.support_] = scale * dual_coef[0]
    # at a bound up to the rounding of the scale: exactly there, or it would count as a violation
    beta = np.where(np.abs(beta) >= (1 - 1e-12) * weight, y * weight, beta)
    steps = int(plain.n_iter_[0])
    F = gram.times(beta) - y * margin
    found = certify(gram, y, weight, margin, beta, F, steps)
    warn_if_far(found, tol, CLOSE, stacklevel=3)
    return found
