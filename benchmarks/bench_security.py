"""What the checks cost: loading a checked model file, and looking at the indices of sparse rows."""

import inspect
import re
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
import skops.io
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

from benchmarks._measure import Row, race
from stakes._core import intake
from stakes._core.intake import checked_sparse
from stakes.datasets import make_fraud
from stakes.model_file import load_model, save_model
from stakes.online import (
    AROWClassifier,
    PerceptronClassifier,
    ProbitClassifier,
    _first_order,
    _first_order_jit,
    _gaussian,
    _gaussian_csr_jit,
)


def run():
    return [*load_a_forest(), *look_at_indices()]


def load_a_forest(n_trees=100):
    """Ours checks every value first; the peer is the plain loader of skops, told to trust all."""
    data = make_fraud(5_000, random_state=0)
    forest = RandomForestClassifier(n_trees, random_state=0, n_jobs=1).fit(data.X, data.y)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        save_model(forest, path)
        types = skops.io.get_untrusted_types(file=path)
        contestants = {
            "load_model": lambda: load_model(path),
            "skops.io.load": lambda: skops.io.load(path, trusted=types),
        }
        task = f"load a forest of {n_trees} trees"
        return race(task, contestants, turns=5, clock=time.process_time)


def look_at_indices(n=100_000, d=50_000, per_row=60):
    """A pass of the quickest learners over sparse rows, with the check and without it.

    Their compiled loops look at each index when they read it; without the check this look is cut
    out of the loops.
    """
    X = sparse.random_array((n, d), density=per_row / d, format="csr", rng=0)
    y = (X[:, [0]].toarray().ravel() > 0) | (X.sum(axis=1) > per_row / 2)
    task = f"{n:,} sparse rows with {per_row} of {d:,} features"
    rows, bare = [], [loop_without_look(module) for module in (_first_order_jit, _gaussian_csr_jit)]
    for learner, turns in (
        (PerceptronClassifier, 101),
        (AROWClassifier, 101),
        (ProbitClassifier, 51),
    ):
        checked, unchecked = pairs(
            lambda learner=learner: learner().fit(X, y),
            lambda learner=learner: fit_unchecked(learner(), bare, X, y),
            turns,
        )
        more = 100 * (np.median(checked / unchecked) - 1)
        note = f"{more:+.1f} % by the check, the median of {turns} pairs"
        rows.append(Row(task, f"pass of {learner.__name__}", np.median(checked), note=note))
        rows.append(Row(task, f"{learner.__name__} without the check", np.median(unchecked)))
    alone, _ = pairs(lambda: checked_sparse(X), int, 51)
    return [*rows, Row(task, "the check by itself, for other learners", np.median(alone))]


def pairs(one, other, turns):
    """Seconds of two calls in turns, each of them first in every second turn."""
    found = np.empty((turns + 1, 2))
    for turn in range(turns + 1):
        for which in (0, 1) if turn % 2 else (1, 0):
            start = time.process_time()
            (one, other)[which]()
            found[turn, which] = time.process_time() - start
    return found[1:].T  # the first compiles


def fit_unchecked(learner, bare, X, y):
    with (
        patch.object(intake, "checked_sparse", lambda X, **how: X),
        patch.object(_first_order, "learn_csr", bare[0]),
        patch.object(_gaussian, "learn_csr", bare[1]),
    ):
        return learner.fit(X, y)


def loop_without_look(module):
    """The compiled loop over sparse rows, as if all indices were right."""
    source = inspect.getsource(module.learn_csr.py_func)
    look = r"( +)if (?:.*>= d|not below4.*):.*\n\1 +\w+ = .*math.nan.*\n\1 +break\n"
    bare, looks = re.subn(look, "", source)
    assert looks, "the loop does not look at the indices"
    space = dict(vars(module))
    exec(bare.replace("cache=True, ", ""), space)
    return space["learn_csr"]
