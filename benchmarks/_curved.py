"""Kernel streams on real sets: limits, prices in the box, and learners of fixed size."""

import os
import time
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.base import clone

from benchmarks._measure import Row
from stakes.online import ProbitClassifier
from stakes.online_kernel import CSDUOLClassifier, KernelFeaturesClassifier
from stakes.reproduce._files import load_npz
from stakes.reproduce.csduol._data import load_set, standardised

GAMMA = 1.0 / 128.0
CPU = time.process_time


def _where():
    folder = os.environ.get("STAKES_DATA")
    return Path(folder) if folder and Path(folder).is_dir() else None


def _csv(file, positives):
    def read():
        table = pl.read_csv(_where() / file, null_values="?").drop_nulls()
        X, label = table[:, :-1].cast(pl.Float64).to_numpy(), table[:, -1].cast(pl.String)
        return X, np.isin(label.str.strip_chars("'").to_numpy(), positives)

    return read


def _npz(file, positive):
    def read():
        X, y = load_npz(_where() / file)
        return X, y == positive

    return read


CURVED = {
    "phoneme": _csv("phoneme.csv.gz", ["1"]),
    "letter, vowels": _csv("letter.csv.gz", list("AEIOU")),
    "pendigits, odd": _csv("pendigits.csv.gz", list("13579")),
    "satimage, class 4": _npz("satimage.npz", 4),
    "mammography": _csv("mammography.csv.gz", ["1"]),
    "svmguide1": _npz("svmguide1.npz", 1),
    "ijcnn1": _npz("ijcnn1_train.npz", 1),
    "covtype, class 2": _npz("covtype.npz", 2),
    "spambase": _csv("spambase.csv.gz", ["1"]),
}


def _orders(X, y, orders, rows):
    for seed in range(orders):
        t = np.random.default_rng(1000 + seed).permutation(len(y))[:rows]
        yield np.ascontiguousarray(X[t]), y[t].astype(int)


def curved(orders=6, rows=6000):
    """Prequential cost of the linear learner and of kernel features, over random orders."""
    if _where() is None:
        return []
    learners = {
        "linear": ProbitClassifier(),
        "Fourier, 256": KernelFeaturesClassifier(random_state=0),
        "Nystroem, 256": KernelFeaturesClassifier(features="nystroem"),
    }
    for learner in learners.values():  # compiles
        clone(learner).predict_proba_then_learn(np.eye(4), [0, 1, 0, 1])
    found = []
    for name, read in CURVED.items():
        X, y = read()
        X = standardised(X)
        price = max(1.0, round(np.count_nonzero(~y) / np.count_nonzero(y), 1))
        cost, seconds = {k: [] for k in learners}, dict.fromkeys(learners, 0.0)
        for rows_of, labels in _orders(X, y, orders, rows):
            for k, learner in learners.items():
                start = CPU()
                p = clone(learner).predict_proba_then_learn(
                    rows_of, labels, [0, 1], fp_cost=1.0, fn_cost=price
                )
                seconds[k] += CPU() - start
                acted = p * price > 1 - p
                cost[k].append(np.where(labels == 1, price * ~acted, acted).sum())
        n = orders * min(rows, len(y))
        for k in learners:
            saved = np.array(cost["linear"]) - np.array(cost[k])
            error = saved.std(ddof=1) / np.sqrt(orders)
            than = "" if k == "linear" else f", {saved.mean():+,.0f} ± {error:,.0f} saved"
            found.append(
                Row(
                    f"prequential cost on {name}, {min(rows, len(y)):,} x {X.shape[1]}, "
                    f"a miss costs {price:g}",
                    k,
                    seconds[k] / orders,
                    note=f"cost {np.mean(cost[k]):,.0f}{than}; {1e6 * seconds[k] / n:.1f} us per "
                    "event",
                )
            )
    return found


def limits(a7a):
    """What a limit on support vectors costs in balanced accuracy, and what it saves."""
    sets = {a7a[2]: (a7a[0], a7a[1], (None, 2000, 1000, 500, 250))}
    if _where() is not None:
        X, y = load_set("cod-rna", _where())
        t = np.random.default_rng(0).permutation(len(y))
        sets["cod-rna"] = np.ascontiguousarray(X[t]), y[t], (None, 1000, 300, 100)
    found = []
    for name, (X, y, several) in sets.items():
        ratio = np.count_nonzero(y < 0) / np.count_nonzero(y > 0)
        learners = {
            "no limit" if limit is None else f"limit {limit:,}": CSDUOLClassifier(
                cost_rule="balanced", gamma=GAMMA, scale_C=False, max_support_vectors=limit
            )
            for limit in several
        }
        learners["500 Fourier features"] = KernelFeaturesClassifier(
            n_components=500, gamma=GAMMA, fn_cost=ratio, random_state=0
        )
        learners["linear"] = ProbitClassifier(fn_cost=ratio)
        for label, learner in learners.items():
            best = np.inf
            for _ in range(3):
                fresh = clone(learner)
                start = CPU()
                if hasattr(fresh, "decision_function_then_learn"):
                    scores = fresh.decision_function_then_learn(X, y)
                else:
                    p = fresh.predict_proba_then_learn(X, y)
                    scores = ratio * p - (1.0 - p)
                best = min(best, CPU() - start)
            right = np.where(y > 0, scores > 0, scores <= 0)
            reached = 50.0 * (right[y > 0].mean() + right[y < 0].mean())
            kept = f", {len(fresh.support_):,} support vectors" if "limit" in label else ""
            note = f"balanced accuracy {reached:.1f} %{kept}"
            found.append(Row(f"one pass over {name}, balanced accuracy", label, best, note=note))
    return found


def consistency(orders=4, rows=2000, price=9.0):
    """Cost of CSDUOL's own decisions with C for all and with C theta, over sets and C."""
    if _where() is None:
        return []
    sets = {
        f"{name}, raw": load_set(name, _where()) for name in ("german", "spambase", "a7a", "w7a")
    }
    sets |= {f"{name}": (standardised(X), y) for name, (X, y) in _scaled()}
    found = []
    for C in (0.01, 0.1, 1.0, 10.0):
        won, ratios, seconds = [], [], 0.0
        for name, (X, y) in sets.items():
            cost = {False: [], True: []}
            for seed in range(orders):
                t = np.random.default_rng(2000 + seed).permutation(len(y))[:rows]
                for scaled, paid in cost.items():
                    gamma = GAMMA if "raw" in name else "auto"
                    learner = CSDUOLClassifier(fn_cost=price, C=C, gamma=gamma, scale_C=scaled)
                    start = CPU()
                    acted = learner.decision_function_then_learn(X[t], y[t], [-1, 1]) > 0
                    seconds += CPU() - start
                    paid.append(np.where(y[t] > 0, price * ~acted, acted).sum())
            saved = np.subtract(cost[False], cost[True])
            error = saved.std(ddof=1) / np.sqrt(orders)
            won.append(np.sign(saved.mean()) * (abs(saved.mean()) > 2 * error))
            ratios.append(np.mean(cost[True]) / np.mean(cost[False]))
        found.append(
            Row(
                f"CSDUOL, a miss costs {price:g}, {len(sets)} sets x {orders} orders, C = {C:g}",
                "C theta instead of C",
                seconds,
                note=f"costs less on {won.count(1)} sets, more on {won.count(-1)} (by more than "
                f"two standard errors); "
                f"cost times {np.exp(np.mean(np.log(ratios))):.2f} on average",
            )
        )
    return found


def _scaled():
    for name in ("german", "spambase", "cod-rna", "australian", "breast cancer"):
        yield name, load_set(name, _where())
    for name in (
        "phoneme",
        "letter, vowels",
        "satimage, class 4",
        "mammography",
        "svmguide1",
        "ijcnn1",
    ):
        X, y = CURVED[name]()
        yield name, (X, np.where(y, 1.0, -1.0))
