"""Trees and forests against scikit-learn's: time, memory, and what their decisions save."""

import functools
import gc
import time

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks._measure import Row, peak_mib
from stakes.costs import Costs
from stakes.datasets import make_fraud
from stakes.metrics import savings_score
from stakes.tree import ConfidenceForestClassifier, ConfidenceTreeClassifier

N, N_TREES, LEAF = 100_000, 30, 20
SEEDS = (10, 11, 12)


def run():
    data = make_fraud(N, random_state=0)
    warm = data.take(slice(0, 2000))
    for model in (tree(), forest(2)):
        model.fit(warm.X, warm.y).predict_proba(warm.X)  # compiles
    return [*fits(data.X, data.y), *predictions(data.X, data.y), *savings()]


def tree():
    return ConfidenceTreeClassifier(max_depth=8, pruning=None, min_samples_leaf=LEAF)


def forest(n_trees=N_TREES):
    return ConfidenceForestClassifier(n_trees, min_samples_leaf=LEAF, random_state=0, n_jobs=2)


def their_tree():
    return DecisionTreeClassifier(max_depth=8, random_state=0)


def their_forest():
    return RandomForestClassifier(N_TREES, min_samples_leaf=LEAF, random_state=0, n_jobs=2)


def fits(X, y):
    one = {
        "ConfidenceTreeClassifier": functools.partial(tree().fit, X, y),
        "DecisionTreeClassifier": functools.partial(their_tree().fit, X, y),
    }
    many = {
        "ConfidenceForestClassifier": functools.partial(forest().fit, X, y),
        "RandomForestClassifier": functools.partial(their_forest().fit, X, y),
    }
    size = f"{len(y):,} x {X.shape[1]}"
    return [
        *timed(f"depth-8 tree, {size}", one, turns=2),
        *timed(f"{N_TREES} trees, leaf {LEAF}, {size}", many, turns=1),
    ]


def predictions(X, y, n_rows=1_000_000):
    rows = np.tile(X, (n_rows // len(X), 1))
    models = {
        "ConfidenceTreeClassifier": tree().fit(X, y),
        "DecisionTreeClassifier": their_tree().fit(X, y),
    }
    calls = {name: functools.partial(m.predict_proba, rows) for name, m in models.items()}
    return timed(f"predict {n_rows:,} rows, depth-8 tree", calls, turns=3)


def savings():
    """Share of the best trivial policy's cost that the Bayes decision saves, on new rows."""
    fisher = dict(max_depth=8, min_samples_leaf=LEAF, p_value=0.01)
    learners = {
        "ConfidenceTreeClassifier, ccp_gini": lambda: ConfidenceTreeClassifier(
            "ccp_gini", **fisher
        ),
        "ConfidenceTreeClassifier, entropy": lambda: ConfidenceTreeClassifier("entropy", **fisher),
        "DecisionTreeClassifier": their_tree,
        "ConfidenceForestClassifier": forest,
        "RandomForestClassifier": their_forest,
        "LGBMClassifier": lambda: LGBMClassifier(n_jobs=1, verbose=-1, random_state=0),
    }
    found, seconds = {name: [] for name in learners}, dict.fromkeys(learners, 0.0)
    for seed in SEEDS:
        data = make_fraud(60_000, random_state=seed)
        train, test = data.take(slice(0, 30_000)), data.take(slice(30_000, None))
        costs = dict(fp_cost=test.fp_cost, fn_cost=test.fn_cost)
        for name, make in learners.items():
            start = time.process_time()
            probability = make().fit(train.X, train.y).predict_proba(test.X)[:, 1]
            seconds[name] += time.process_time() - start
            decided = Costs.of(len(test.y), **costs).decide(probability).astype(int)
            found[name].append(savings_score(test.y, decided, **costs))
    note = "savings with the Bayes decision, seeds {}: {}"
    return [
        Row(
            "fraud, 30,000 x 30, Bayes decision",
            name,
            seconds[name],
            note=note.format(
                ", ".join(map(str, SEEDS)), ", ".join(f"{value:.3f}" for value in values)
            ),
        )
        for name, values in found.items()
    ]


def timed(task, contestants, turns):
    """Best processor time over all threads, and the peak memory of one more turn."""
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(turns):
        for name, call in contestants.items():
            gc.collect()
            start = time.process_time()
            call()
            best[name] = min(best[name], time.process_time() - start)
    peer = list(contestants)[-1]
    return [
        Row(
            task,
            name,
            seconds,
            peak_mib=peak_mib(contestants[name]) if turns > 1 else None,
            ratio=best[peer] / seconds if name != peer else None,
            note=f"processor time; peer {peer}",
        )
        for name, seconds in best.items()
    ]
