"""What landmarks lose against the kernel that they stand for."""

import numpy as np

ROWS = 2000  # support vectors whose kernel values are computed; more are sampled


def landmark_loss(gram, target, found):
    r"""Upper bound on how far a fit on landmarks is above the optimum with the whole kernel.

    The features of Nystroem's method belong to functions in the kernel's space with the same norm,
    so the objective of the fit is one that the whole problem can reach. Its multipliers
    :math:`\beta` are feasible there too, and bound the optimum from below by
    :math:`s\,t^\top\beta - \tfrac{s^2}{2}\beta^\top K\beta` for every s in [0, 1]. With more than
    2,000 support vectors :math:`\beta^\top K\beta` is estimated from 2,000 of its rows, plus two
    standard errors.

    Parameters
    ----------
    gram : Kernel
        The whole kernel.
    target : ndarray of shape (n,)
        :math:`y_i p_i`.
    found : LinearSolution
        Fit on the features.

    Returns
    -------
    float
        Relative to the objective of the fit.
    """
    used = np.flatnonzero(found.beta)
    part, beta = gram.take(used), found.beta[used]
    rows = np.arange(len(used))
    if len(used) > ROWS:
        rows = np.linspace(0, len(used) - 1, ROWS).astype(np.intp)
    terms = np.empty(len(rows))
    for start in range(0, len(rows), 64):
        some = rows[start : start + 64]
        terms[start : start + 64] = beta[some] * (part.block(some) @ beta)
    quadratic = len(used) * terms.mean() if len(used) else 0.0
    if len(rows) < len(used):
        quadratic += 2 * len(used) * terms.std(ddof=1) / np.sqrt(len(rows))
    linear = float(target @ found.beta)
    s = min(1.0, linear / quadratic) if quadratic > 0 else 1.0
    return float((found.primal - s * linear + 0.5 * s**2 * quadratic) / found.primal)
