"""Figures 1 and 2, Table 7 and the limits of the chance-constrained paper, on synthetic data."""

import warnings

import numpy as np

from stakes.datasets import make_uncertain
from stakes.metrics import nominal_error
from stakes.reproduce._printed import printed
from stakes.reproduce._result import Cell, Table
from stakes.uncertain import (
    UncertainMarginClassifier,
    moments_from_replicates,
    uncertainty_set,
)

EPSILONS = (0.01, 0.02, 0.04, 0.1, 0.2)
MARGIN_EPSILONS = (0.01, 0.05, 0.1, 0.15, 0.2)
SCHEMES = ("MM-SMV-I", "MM-SMV", "MM-SM-I", "MM-SM", "MM-MC")
FORMULATIONS = (
    "MM-M",
    "MM-S",
    "MM-MC",
    "MM-SM-I",
    "MM-SMV-I",
    "MM-SBM-I",
    "MM-SBMV-I",
    "MM-SMV",
)
NOISES = {"U": "uniform", "B": "beta", "SN": "skew_normal", "ST": "skew_t"}


def figure_1(runs=50, n_features=10, draws=100):
    """Mean of b_norm: 0 for the whole support, 1 for the mean only; larger is less conservative.

    Support and moments are those of `draws` draws from each distribution.

    Returns
    -------
    Table, dict of (scheme, epsilon) -> mean b_norm
    """
    data = make_uncertain(runs, n_features, noise="skew_t", n_replicates=draws, random_state=0)
    known = moments_from_replicates(data.replicates)
    rng = np.random.default_rng(1)
    values = {}
    norm = {
        (name, e): [] for e in EPSILONS for name in (*SCHEMES, "MM-SMV-I, exact", "MM-SM-I, exact")
    }
    for i in range(runs):
        one, w = known.take([i]), rng.standard_normal(n_features)
        b_mean = (one.mean @ w)[0]
        b_support = _bound(one, "MM-S", 1.0, w)
        for e in EPSILONS:
            for name in SCHEMES:
                exact = _bound(one, name, e, w)
                if name.endswith("-I"):
                    norm[f"{name}, exact", e].append((exact - b_support) / (b_mean - b_support))
                    exact = max(_bound(one, name.removesuffix("-I"), e, w), b_support)
                norm[name, e].append((exact - b_support) / (b_mean - b_support))
    cells = []
    for (name, e), each in norm.items():
        values[name, e] = float(np.mean(each))
        cells.append(Cell(name, f"epsilon {e:g}", values[name, e]))
    note = (
        f"Mean of b_norm over {runs} random distributions (truncated skew-t, {n_features} "
        f"features, {draws} draws of each). The rows -I use Table 5's maximum, the rows 'exact' "
        "the set of Eqs. (26) and (32), which is even less conservative. The figure prints no "
        "numbers."
    )
    return Table("Figure 1: conservativeness of the constraints", cells, note), values


def figure_1_by_draws(runs, at_100, draws=(3, 5, 20)):
    """What Figure 1 says for other numbers of draws, which the paper does not give.

    Returns
    -------
    Table, dict of draws -> values as of figure_1
    """
    by_draws = {count: figure_1(runs, draws=count)[1] for count in draws} | {100: at_100}
    cells = [
        Cell(f"{name}, {count} draws", f"epsilon {e:g}", values[name, e])
        for count, values in by_draws.items()
        for name in ("MM-SMV-I", "MM-SM-I", "MM-MC")
        for e in EPSILONS
    ]
    note = "Support and moments estimated from this many draws: few draws have a narrow range."
    return Table("Conservativeness by the number of draws", cells, note), by_draws


def _bound(known, name, epsilon, w):
    """The minimum of w . x over the set: the largest b with the set on the positive side."""
    return -uncertainty_set(known, name, epsilon).support(-w)[0]


def figure_2(separation, n_samples=60, n_replicates=20, C=10.0, progress=None):
    """Margins 2 / |w| of the formulations on the synthetic families.

    Parameters
    ----------
    separation : float
        Distance between the class centres, in standard deviations.
    n_samples, n_replicates : int
        Points, and measurements of each point.
    C : float
        Penalty on the slacks; 10 in the paper.
    progress : callable or None
        Called with a line of text after each part.

    Returns
    -------
    Table, dict of (family, formulation, epsilon) -> margin
    """
    cells, values = [], {}
    for d in (2, 10):
        for short, noise in NOISES.items():
            family = f"{d}_{short}"
            data = make_uncertain(
                n_samples,
                d,
                noise=noise,
                n_replicates=n_replicates,
                noise_scale=0.5,
                separation=separation,
                random_state=d,
            )
            for epsilon in MARGIN_EPSILONS:
                for name in FORMULATIONS:
                    margin = _margin(data, name, epsilon, C)
                    values[family, name, epsilon] = margin
                    cells.append(Cell(name, f"{family}, {epsilon:g}", margin))
            if progress:
                progress(f"Figure 2, separation {separation:g}: {family}")
    note = (
        f"{n_samples} points, class centres {separation:g} standard deviations apart, "
        f"{n_replicates} replicates, C = {C:g}; support, moments and their bounds are estimated "
        "from the replicates. Columns: family and epsilon. The figure prints no numbers."
    )
    title = f"Figure 2: margin against epsilon, separation {separation:g}"
    return Table(title, cells, note), values


def _margin(data, name, epsilon, C):
    model = UncertainMarginClassifier(formulation=name, max_error=epsilon, C=C)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The best classifier is constant")
        model.fit(None, data.y, replicates=data.replicates)
    return float(2 / max(np.linalg.norm(model.coef_), 1e-6))


def table_7(repeats=20, n_samples=100, n_replicates=20, n_test=2000, progress=None):
    """Spread of the test error over training sets that differ only in their replicates.

    The noise has one law for all of them. With 5 replicates, bounds on the moments are as wide as
    the range of the replicates, and several formulations coincide.

    Returns
    -------
    Table, dict of (dimension, formulation) -> (standard deviation, mean) of the error in percent
    """
    cells, values = [], {}
    for row, paper in printed("chance_constrained")["7"].items():
        d = int(row.removesuffix("_ST"))
        size, draws = n_samples + n_test, repeats * n_replicates
        data = make_uncertain(size, d, noise="skew_t", n_replicates=draws, random_state=d)
        nominal, labels = data.nominal[n_samples:], data.y[n_samples:]
        errors = {name: [] for name in paper}
        for repeat in range(repeats):
            one = slice(repeat * n_replicates, (repeat + 1) * n_replicates)
            R = data.replicates[:n_samples, one]
            for name in paper:
                model = UncertainMarginClassifier(formulation=name, max_error=0.5, C=1.0)
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", "The best classifier is constant")
                    model.fit(None, data.y[:n_samples], replicates=R)
                errors[name].append(100 * nominal_error(labels, model.predict(nominal)))
        for name, number in paper.items():
            spread, mean = float(np.std(errors[name], ddof=1)), float(np.mean(errors[name]))
            values[d, name] = spread, mean
            cells.append(Cell(row, name, spread, paper=number))
            cells.append(Cell(f"{row} mean error", name, mean))
        if progress:
            progress(f"Table 7: {row}")
    note = (
        f"Percent; {repeats} training sets of {n_samples} points with {n_replicates} replicates, "
        f"of one law of noise, {n_test} exact test points, epsilon = 0.5, C = 1. A standard "
        f"deviation of {repeats} errors is itself uncertain by about "
        f"{100 / np.sqrt(2 * (repeats - 1)):.0f} %. The paper does not print sizes, parameters or "
        "mean errors."
    )
    return Table("Table 7: standard deviation of the test error", cells, note), values


def degenerate(seed=0):
    """Largest difference in w between MM-SM-I at the limits of epsilon and MM-M or MM-S."""
    data = make_uncertain(80, 5, noise="beta", n_replicates=8, noise_scale=0.3, random_state=seed)

    def fit(name, epsilon):
        model = UncertainMarginClassifier(formulation=name, max_error=epsilon, tol=1e-10)
        return model.fit(None, data.y, replicates=data.replicates).coef_

    to_mean = float(np.abs(fit("MM-SM-I", 1.0) - fit("MM-M", 1.0)).max())
    to_support = float(np.abs(fit("MM-SM-I", 1e-300) - fit("MM-S", 0.0)).max())
    cells = [
        Cell("epsilon = 1 against MM-M", "largest difference in w", to_mean),
        Cell("epsilon = 1e-300 against MM-S", "largest difference in w", to_support),
    ]
    return Table("Degenerate cases of MM-SM-I", cells), to_mean, to_support
