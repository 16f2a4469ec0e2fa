"""What the checks cost: loading a checked model file, and looking at the indices of sparse rows."""

import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import skops.io
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

from benchmarks._measure import race
from stakes._core import intake
from stakes._core.intake import checked_sparse
from stakes.datasets import make_fraud
from stakes.model_file import load_model, save_model
from stakes.online import PerceptronClassifier, ProbitClassifier


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
    """A pass of the two quickest learners with the check, and without it.

    By itself the check takes longer: it reads the indices from memory, and leaves them in the cache
    for the pass.
    """
    X = sparse.random_array((n, d), density=per_row / d, format="csr", rng=0)
    y = (X[:, [0]].toarray().ravel() > 0) | (X.sum(axis=1) > per_row / 2)
    rows = []
    for learner, turns in ((PerceptronClassifier, 100), (ProbitClassifier, 7)):
        contestants = {
            f"pass of {learner.__name__}": lambda learner=learner: learner().fit(X, y),
            "without the check": lambda learner=learner: unchecked(learner(), X, y),
            "the check alone": lambda: checked_sparse(X),
        }
        task = f"{n:,} sparse rows with {per_row} of {d:,} features"
        peer = "without the check"
        found = race(task, contestants, turns=turns, peer=peer, clock=time.process_time)
        more = 100 * (found[0].seconds / found[1].seconds - 1)
        found[0].note = f"the check takes {more:.1f} % of it"
        rows += found
    return rows


def unchecked(learner, X, y):
    with patch.object(intake, "checked_sparse", lambda X: X):
        return learner.fit(X, y)
