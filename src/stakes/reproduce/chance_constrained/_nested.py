"""One classifier for WDBC: the setting chosen inside each training fold, both errors outside."""

import numpy as np
from sklearn.model_selection import StratifiedKFold

from stakes.datasets import load_wdbc_uncertain
from stakes.reproduce._result import Cell, Table
from stakes.reproduce.chance_constrained._tables import errors_of, fit_wdbc

# how many standard errors squared a variance is
WHOSE = {
    "an image's mean": 1.0,
    "a nucleus, 16 an image": 16.0,
    "a nucleus, 20 an image": 20.0,
}
SETTINGS = [
    (name, epsilon, C)
    for name in ("MM-MC", "MM-SMV-I")
    for epsilon in (0.8, 0.9, 0.95, 0.97)
    for C in (0.03, 0.3, 3.0)
]
SLACK = 0.5  # points of nominal error that a better certificate may cost


def one_model(repeats=3, progress=None):
    """Nominal and certified error of one and the same model, chosen without its test fold.

    Of the settings whose nominal error in an inner three-fold cross-validation is at most half a
    point above the least, the one with the least inner OptErr c is taken.

    Parameters
    ----------
    repeats : int
        Five-fold cross-validations outside.
    progress : callable or None
        Told what is done.

    Returns
    -------
    Table, dict of reading -> (nominal error, OptErr c) in percent
    """
    cells, values = [], {}
    for whose, nuclei in WHOSE.items():
        data = load_wdbc_uncertain(n_nuclei=nuclei)
        outside = []
        for repeat in range(repeats):
            folds = StratifiedKFold(5, shuffle=True, random_state=repeat)
            for train, test in folds.split(data.X, data.y):
                inner = data.take(train)
                model, scaler = fit_wdbc(inner, "middle", *_chosen(inner))
                outside.append(_pair(model, scaler, data.take(test)))
        nominal, certified = (float(100 * each) for each in np.mean(outside, axis=0))
        values[whose] = nominal, certified
        cells.append(Cell(f"uncertain is {whose}", "NomErr", nominal))
        cells.append(Cell(f"uncertain is {whose}", "OptErr c", certified, paper=28.82))
        if progress:
            progress(f"one model: {whose}")
    note = (
        f"Percent, {repeats} five-fold cross-validations; MM-MC or MM-SMV-I, epsilon and C chosen "
        "inside each training fold, images at the middle of their support. The variance of an "
        "image's mean is its squared standard error, that of a nucleus as many times as there are "
        "nuclei: the data do not say how many, but their worst values lie as far out as those of "
        "16 normal draws."
    )
    return Table("WDBC, one model for both errors", cells, note), values


def _chosen(data):
    """The setting with the least inner OptErr c among those of nearly the least nominal error."""
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(data.X, data.y))
    inside = []
    for setting in SETTINGS:
        pairs = []
        for train, test in folds:
            model, scaler = fit_wdbc(data.take(train), "middle", *setting)
            pairs.append(_pair(model, scaler, data.take(test)))
        inside.append(np.mean(pairs, axis=0))
    nominal, certified = np.transpose(inside)
    allowed = nominal <= nominal.min() + SLACK / 100
    return SETTINGS[int(np.argmin(np.where(allowed, certified, np.inf)))]


def _pair(model, scaler, data):
    errors = errors_of(model, scaler, data, "middle", ("c",))
    return errors["NomErr"], errors["OptErr c"]
