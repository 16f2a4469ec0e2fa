"""A stand-in for the paper's micro-array tasks, whose data are not available."""

import warnings

import numpy as np

from stakes.datasets import make_uncertain
from stakes.metrics import nominal_error
from stakes.reproduce._result import Cell, Table
from stakes.uncertain import UncertainMarginClassifier

NAMES = ("MM-M", "MM-R", "MM-S", "MM-MC", "MM-SM-I", "MM-SMV-I", "MM-SBM-I", "MM-SBMV-I")
EPSILONS = (0.5, 0.9)
PROPOSED = NAMES[4:]


def stand_in(n_tasks=6, n_samples=80, progress=None):
    """Test errors on generated tasks of the paper's size: 3 replicates of 166 features.

    Parameters
    ----------
    n_tasks : int
        Number of tasks; six in the paper.
    n_samples : int
        Samples per task, half of them for training.
    progress : callable or None
        Called with a line of text after each task.

    Returns
    -------
    Table, dict of formulation -> mean error in percent
    """
    errors = {name: [] for name in NAMES}
    for task in range(n_tasks):
        data = make_uncertain(
            n_samples, 166, noise="skew_t", n_replicates=3, separation=4.0, random_state=task
        )
        train, test = np.arange(n_samples) % 2 == 0, np.arange(n_samples) % 2 == 1
        for name in NAMES:
            grid = (0.5,) if name in ("MM-M", "MM-R", "MM-S") else EPSILONS
            errors[name].append(min(_error(data, name, e, train, test) for e in grid))
        if progress:
            progress(f"micro-array stand-in: task {task + 1}")
    cells = []
    for name, each in errors.items():
        cells += [Cell(f"task {task + 1}", name, 100 * error) for task, error in enumerate(each)]
        cells.append(Cell("mean", name, 100 * float(np.mean(each))))
    note = (
        f"Percent. A stand-in, not the paper's data: {n_tasks} generated tasks of {n_samples} "
        "samples, half for training, with 3 replicates of 166 features and skew-t noise; test "
        "samples are decided by majority of their replicates. C = 1, best of epsilon in "
        f"{EPSILONS}."
    )
    values = {name: 100 * float(np.mean(each)) for name, each in errors.items()}
    return Table("Micro-arrays: a generated stand-in", cells, note), values


def _error(data, name, epsilon, train, test):
    model = UncertainMarginClassifier(formulation=name, max_error=epsilon)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The best classifier is constant")
        model.fit(None, data.y[train], replicates=data.replicates[train])
    return nominal_error(data.y[test], model.predict(None, replicates=data.replicates[test]))
