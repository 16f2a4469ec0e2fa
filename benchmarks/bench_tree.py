"""Trees and forests compared with scikit-learn's: time, memory and savings."""

import functools
import gc
import time

import numpy as np
from lightgbm import LGBMClassifier
from scipy.stats import t
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks._measure import Row, peak_mib
from stakes.costs import Costs
from stakes.datasets import make_fraud
from stakes.metrics import savings_score
from stakes.tree import ConfidenceForestClassifier, ConfidenceTreeClassifier

N, N_TREES, LEAF = 100_000, 100, 20
SEEDS = tuple(range(20, 28))


def run():
    data = make_fraud(N, random_state=0)
    warm = data.take(slice(0, 2000))
    for model in (tree(), forest(2)):
        model.fit(warm.X, warm.y).predict_proba(warm.X)  # compiles
    return [*fits(data.X, data.y), *predictions(data.X, data.y), *savings()]


def tree():
    return ConfidenceTreeClassifier(max_depth=8, pruning=None, min_samples_leaf=LEAF)


def forest(n_trees=N_TREES):
    return ConfidenceForestClassifier(
        n_estimators=n_trees, min_samples_leaf=LEAF, random_state=0, n_jobs=2
    )


def their_tree():
    return DecisionTreeClassifier(max_depth=8, random_state=0)


def their_forest(n_trees=N_TREES):
    return RandomForestClassifier(n_trees, min_samples_leaf=LEAF, random_state=0, n_jobs=2)


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
        *timed(f"depth-8 tree, {size}", one, turns=4),
        *timed(f"{N_TREES} trees, leaf {LEAF}, {size}, 2 threads", many, turns=1),
    ]


def predictions(X, y, n_rows=1_000_000):
    rows = np.tile(X, (n_rows // len(X), 1))
    models = {
        "ConfidenceTreeClassifier": tree().fit(X, y),
        "DecisionTreeClassifier": their_tree().fit(X, y),
    }
    calls = {name: functools.partial(m.predict, rows) for name, m in models.items()}
    return timed(f"predict {n_rows:,} rows, depth-8 tree", calls, turns=3)


def savings(seeds=SEEDS, n_train=20_000, n_trees=N_TREES):
    """Savings of the decisions against the best constant policy on new rows, for each seed.

    The tree is fitted with the costs; the others only use them to decide. Ours have default
    settings except for the depth of the tree and the number of trees.
    """
    learners = {
        "ConfidenceTreeClassifier": lambda: ConfidenceTreeClassifier(max_depth=8),
        "DecisionTreeClassifier": their_tree,
        "ConfidenceForestClassifier": lambda: ConfidenceForestClassifier(
            n_estimators=n_trees, random_state=0
        ),
        "RandomForestClassifier": lambda: their_forest(n_trees),
        "LGBMClassifier": lambda: LGBMClassifier(n_jobs=1, verbose=-1, random_state=0),
    }
    found, seconds = {name: [] for name in learners}, dict.fromkeys(learners, 0.0)
    for seed in seeds:
        data = make_fraud(n_train + N, random_state=seed)
        train, test = data.take(slice(0, n_train)), data.take(slice(n_train, None))
        costs = dict(fp_cost=test.fp_cost, fn_cost=test.fn_cost)
        for name, make in learners.items():
            start, model = time.process_time(), make()
            known = name == "ConfidenceTreeClassifier"
            given = dict(fp_cost=train.fp_cost, fn_cost=train.fn_cost) if known else {}
            probability = model.fit(train.X, train.y, **given).predict_proba(test.X)[:, 1]
            seconds[name] += time.process_time() - start
            decided = Costs.of(len(test.y), **costs).decide(probability).astype(int)
            found[name].append(savings_score(test.y, decided, **costs))
    task = f"fraud, {n_train:,} x 30, Bayes decision on {N:,} rows, {len(seeds)} seeds"
    rows = [
        Row(task, name, seconds[name], note="savings " + " ".join(f"{v:.3f}" for v in values))
        for name, values in found.items()
    ]
    return rows + [
        Row(task, ours, seconds[ours], note=compared(found[ours], found[peer], peer))
        for ours, peer in (
            ("ConfidenceTreeClassifier", "DecisionTreeClassifier"),
            ("ConfidenceForestClassifier", "RandomForestClassifier"),
            ("ConfidenceForestClassifier", "LGBMClassifier"),
        )
    ]


def compared(ours, peers, name):
    """Mean difference with its 95 % interval, number of seeds no worse, ratio of means."""
    difference = np.subtract(ours, peers)
    half = t.ppf(0.975, len(ours) - 1) * difference.std(ddof=1) / np.sqrt(len(ours))
    return (
        f"{difference.mean():+.3f} +- {half:.3f} against {name}, no worse on "
        f"{(difference >= 0).sum()} of {len(ours)}; ratio of means "
        f"{np.mean(ours) / np.mean(peers):.2f}"
    )


def timed(task, contestants, turns):
    """Best CPU time, of all threads, and the peak memory of one more run."""
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
            note=f"CPU time; peer {peer}",
        )
        for name, seconds in best.items()
    ]
