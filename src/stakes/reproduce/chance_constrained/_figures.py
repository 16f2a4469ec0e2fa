"""Figures 1 and 2 of the chance-constrained paper: how conservative each formulation is."""

import warnings

import numpy as np

from stakes.datasets import make_uncertain
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


def figure_1(runs=50, n_features=10):
    """Mean of b_norm: 0 for the whole support, 1 for the mean alone; larger is less conservative.

    Returns
    -------
    Table, dict of (scheme, epsilon) -> mean b_norm
    """
    data = make_uncertain(runs, n_features, noise="skew_t", n_replicates=100, random_state=0)
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
        f"Mean over {runs} random laws (truncated skew-t, {n_features} features, 100 draws of "
        "each) of b_norm. The rows -I use Table 5's maximum, the rows 'exact' the set of Eqs. (26) "
        "and (32), which is less conservative still. The figure prints no numbers."
    )
    return Table("Figure 1: conservativeness of the constraints", cells, note), values


def _bound(known, name, epsilon, w):
    """The least w . x over the set: the largest b for which it is on the positive side."""
    return -uncertainty_set(known, name, epsilon).support(-w)[0]


def figure_2(separation, n_samples=60, n_replicates=20, C=10.0, progress=None):
    """Margins 2 / |w| of the formulations on the synthetic families.

    Parameters
    ----------
    separation : float
        Distance of the classes' centres, in their standard deviations.
    n_samples, n_replicates : int
        Points, and measurements of each.
    C : float
        Weight of the slacks; 10 in the paper.
    progress : callable or None
        Told what is done.

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
        f"{n_samples} points whose classes lie {separation:g} standard deviations apart, "
        f"{n_replicates} replicates, C = {C:g}; support, moments and their "
        "bounds from the replicates. Columns: family and epsilon. The figure prints no numbers."
    )
    title = f"Figure 2: margin against epsilon, separation {separation:g}"
    return Table(title, cells, note), values


def _margin(data, name, epsilon, C):
    model = UncertainMarginClassifier(formulation=name, max_error=epsilon, C=C)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The best classifier is constant")
        model.fit(None, data.y, replicates=data.replicates)
    return float(2 / max(np.linalg.norm(model.coef_), 1e-6))
