"""Quadratic program over the simplex."""

import clarabel
import numpy as np
from scipy import sparse


def simplex_qp(Q, b):
    """Minimize gamma' Q gamma / 2 - b' gamma over the simplex.

    In cutting-plane methods any gamma of the simplex gives a valid lower bound, so the accuracy of
    the solver affects how tight the bound is, not whether it holds.

    Examples
    --------
    >>> simplex_qp(np.eye(2), np.array([0.5, 0.0])).round(6).tolist()
    [0.75, 0.25]
    """
    t = len(b)
    scale = max(np.abs(b).max(), Q.diagonal().max(), 1e-300)
    A = sparse.vstack([np.ones((1, t)), -sparse.eye_array(t)], format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(t)]
    found = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(Q) / scale),
        -b / scale,
        sparse.csc_matrix(A),
        np.append(1.0, np.zeros(t)),
        cones,
        settings,
    ).solve()
    # project the solver's tiny violations back onto the simplex
    gamma = np.maximum(found.x, 0.0)
    return gamma / gamma.sum()
