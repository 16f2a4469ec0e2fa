"""What the checks cost: loading a checked model file, and looking at the indices of sparse rows."""

import tempfile
import time
from pathlib import Path

import skops.io
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

from benchmarks._measure import race
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
    """The check against one pass of the two quickest learners over the same rows."""
    X = sparse.random_array((n, d), density=per_row / d, format="csr", rng=0)
    y = (X[:, [0]].toarray().ravel() > 0) | (X.sum(axis=1) > per_row / 2)
    contestants = {
        "the check": lambda: checked_sparse(X),
        "pass of PerceptronClassifier": lambda: PerceptronClassifier().fit(X, y),
        "pass of ProbitClassifier": lambda: ProbitClassifier().fit(X, y),
    }
    task = f"{n:,} sparse rows with {per_row} of {d:,} features"
    rows = race(task, contestants, turns=3, clock=time.process_time)
    for row in rows[1:]:
        row.note = f"the check takes {100 * rows[0].seconds / row.seconds:.2f} % of it"
    return rows
