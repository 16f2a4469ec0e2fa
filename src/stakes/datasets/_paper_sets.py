"""Two synthetic sets from the papers: a corrupted feature and a checkerboard."""

import numpy as np
from sklearn.utils import check_random_state

from stakes.tables import PricedData


def make_corrupted_feature(n_samples=1000, *, random_state=None):
    """Generate the set of Section VI-B of the CW-CVaR paper: one of two features is unreliable.

    40 % of the points are positive, around (5, 5); 40 % are negative, around (0, 5); the rest are
    around (0, 0), half of them positive. All Gaussians have covariance 2I.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points; 1,000 in the paper.
    random_state : int, RandomState or None, default=None
        Seed of the generator.

    Returns
    -------
    PricedData
        Both mistakes cost 1, as the paper gives no costs.

    Notes
    -----
    The paper does not state the covariance of the points around (0, 0); 2I is assumed.

    Examples
    --------
    >>> make_corrupted_feature(random_state=0).y.sum().item()
    500
    """
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    kind = np.arange(n_samples) * 10 // max(n_samples, 1)  # tenths: 0-3, 4-7, 8-9
    centre = np.array([[5.0, 5.0]] * 4 + [[0.0, 5.0]] * 4 + [[0.0, 0.0]] * 2)[kind]
    X = centre + np.sqrt(2.0) * rng.standard_normal((n_samples, 2))
    y = np.isin(kind, (0, 1, 2, 3, 8)).astype(np.int64)
    order = rng.permutation(n_samples)
    return PricedData(
        "corrupted_feature",
        X[order],
        y[order],
        positive="class 1",
        description="Generated after Section VI-B of the CW-CVaR paper. Both mistakes cost 1.",
    )


def make_checkerboard(
    n_samples=10_010, *, n_cells=4, positive_share=1 / 1001, fn_cost=100.0, random_state=None
):
    """Generate a two-dimensional checkerboard with few positives, as in the CS-SVM paper.

    Points are uniform on the cells of their class; positives are where column plus row is odd.

    Parameters
    ----------
    n_samples : int, default=10010
        Number of points.
    n_cells : int, default=4
        Cells along each side, at least 2.
    positive_share : float, default=1/1001
        Share of positives; one per thousand negatives in the paper's Figure 2.
    fn_cost : float, default=100.0
        Cost of a missed positive; a false alarm costs 1 (Figure 2 c: C1 = 100).
    random_state : int, RandomState or None, default=None
        Seed of the generator.

    Returns
    -------
    PricedData
        X on the square [0, n_cells]^2.

    Examples
    --------
    >>> make_checkerboard(random_state=0).y.sum().item()
    10
    """
    if n_cells < 2:
        raise ValueError(f"n_cells must be at least 2. Got {n_cells} instead.")
    if not 0 < positive_share < 1:
        raise ValueError(f"positive_share must lie between 0 and 1. Got {positive_share} instead.")
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    y = np.zeros(n_samples, dtype=np.int64)
    y[: max(1, round(positive_share * n_samples))] = 1
    y = rng.permutation(y)
    column, row = np.divmod(np.arange(n_cells**2), n_cells)
    odd = (column + row) % 2 == 1
    cells = np.where(
        y == 1,
        rng.choice(np.flatnonzero(odd), n_samples),
        rng.choice(np.flatnonzero(~odd), n_samples),
    )
    X = np.column_stack([column[cells], row[cells]]) + rng.random((n_samples, 2))
    return PricedData(
        "checkerboard",
        X,
        y,
        fp_cost=1.0,
        fn_cost=float(fn_cost),
        positive="odd cell",
        description="Generated after Figure 2 of the CS-SVM paper; costs as in its Figure 2 c.",
    )
