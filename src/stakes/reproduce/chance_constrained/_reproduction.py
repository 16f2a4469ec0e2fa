"""Ben-Tal, Bhadra, Bhattacharyya and Nath: classification of uncertain points, re-run."""

from stakes.reproduce._result import Claim, Reproduction
from stakes.reproduce.chance_constrained._claims import (
    bounds_claim,
    chebyshev_claim,
    figure_1_claim,
    margin_claim,
    microarray_claim,
    table_6_claim,
    table_7_claim,
)
from stakes.reproduce.chance_constrained._microarray import PROPOSED, stand_in
from stakes.reproduce.chance_constrained._runs import (
    degenerate,
    figure_1,
    figure_1_by_draws,
    figure_2,
    table_7,
)
from stakes.reproduce.chance_constrained._wdbc import one_model, table_6

PAPER = (
    "A. Ben-Tal, S. Bhadra, C. Bhattacharyya, J. S. Nath. Chance Constrained Uncertain "
    "Classification via Robust Optimization. Mathematical Programming 127, 2011"
)


def run(*, repeats=None, data=None, progress=None):
    """Re-run Figures 1 and 2, Table 6 on WDBC, Table 7 and the degenerate cases.

    Parameters
    ----------
    repeats : int, default=None
        Random distributions of Figure 1 and training sets of Table 7 (50 and 20 by default);
        also the cross-validations of Table 6, at most three, and the stand-in tasks, at most six.
    data : path, default=None
        Not used: WDBC comes with scikit-learn, the rest is generated.
    progress : callable, default=None
        Called with a line of text after each part.

    Returns
    -------
    Reproduction
    """
    one, conservative = figure_1(repeats or 50)
    draws, by_draws = figure_1_by_draws(repeats or 50, conservative)
    apart, margins = figure_2(10.0, progress=progress)
    mixed, mixed_margins = figure_2(3.0, progress=progress)
    folds = min(repeats or 3, 3)
    mean, by_mean = table_6("mean", folds, progress)
    middle, by_middle = table_6("middle", folds, progress)
    single, of_one = one_model(folds, progress)
    seven, spread = table_7(max(repeats or 20, 2), progress=progress)
    arrays, array_errors = stand_in(min(repeats or 6, 6), progress=progress)
    ends, to_mean, to_support = degenerate()
    claims = [
        figure_1_claim(by_draws),
        chebyshev_claim(by_draws),
        margin_claim(margins, mixed_margins),
        table_6_claim(by_mean, by_middle, of_one),
        bounds_claim(by_mean),
        table_7_claim(spread),
        Claim(
            "MM-SM-I becomes MM-M at epsilon = 1 and MM-S at epsilon = 0",
            "reproduced" if max(to_mean, to_support) < 1e-4 else "not reproduced",
            f"largest difference in w: {to_mean:.0e} and {to_support:.0e}",
        ),
        microarray_claim(array_errors, PROPOSED),
    ]
    tables = [one, apart, mixed, draws, mean, middle, single, seven, arrays, ends]
    return Reproduction(
        "chance-constrained", PAPER, "stakes reproduce chance-constrained", tables, claims
    )
