"""Streams that change, and some that do not: what forgetting is worth, next to SGD and River.

Everyone sees one event at a time and decides before the label is known: by the larger probability
where mistakes cost the same, and by expected cost where a missed positive costs FN.
"""

import os
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from river import drift as river_drift
from river import linear_model, optim
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler, normalize

from benchmarks._measure import Row
from stakes.datasets import make_fraud

HALF_LIVES = (None, 8192, 2048, 1024, 512, 256, 128, 64, 32, 16, 8)
FN = 4.0  # times the cost of a false alarm
MOST = 60_000  # events of a stream
RATES = "constant", "optimal"  # of SGD
CPU = time.process_time


def streams():
    """(name, X, y) of each stream."""
    rng = np.random.default_rng(0)
    n, d = 40_000, 20
    X = rng.normal(size=(n, d))
    a, b = np.linalg.qr(rng.normal(size=(d, 2)))[0].T
    angle = np.linspace(0.0, np.pi, n)
    rotating = 3.0 * (np.cos(angle) * (X @ a) + np.sin(angle) * (X @ b))
    fixed = 3.0 * (X @ a)
    flipped = np.where(np.arange(n) < n // 2, fixed, -fixed)
    for name, f, noise in (
        ("weights rotate by 180 degrees", rotating, 0.5),
        ("sign flip", flipped, 1.0),
        ("stationary", fixed, 1.0),
    ):
        yield name, X, (f + noise * rng.normal(size=n) > 0).astype(int)
    for share in (0.02, 0.005):
        data = make_fraud(MOST, positive_share=share, random_state=903)
        Z = StandardScaler().fit_transform(data.X)
        yield f"stationary fraud, {share:.1%}", Z, data.y
    folder = os.environ.get("STAKES_DATA")
    for name in ("sea", "elec2", "interchanging_rbf") if folder else ():
        stored = np.load(Path(folder) / f"drift_{name}.npz")
        Z, y = stored["X"][:MOST].astype(float), stored["y"][:MOST]
        y = (y < 7) if name == "interchanging_rbf" else (y == 1)  # of 15 classes the first seven
        yield name, StandardScaler().fit_transform(Z), y.astype(int)
    for name in ("katakis", "spamassassin_dated", "trec07p_first37710") if folder else ():
        stored = np.load(Path(folder) / f"spam_stream_{name}.npz", allow_pickle=False)
        parts = np.ones(len(stored["data"])), stored["indices"].astype(np.int32), stored["indptr"]
        S = sparse.csr_matrix(parts, shape=tuple(stored["shape"]))
        yield f"spam, {name}", normalize(S), stored["y"].astype(int)


def half_lives(learners):
    """Online error and cost with the adaptive default, every half-life and none."""
    rows = []
    for task, X, y in tasks():
        rows += shown(Row(task, learner.__name__, *ours(learner, X, y)) for learner in learners)
    return rows


def peers():
    """Online error and cost of SGD and River on the same streams."""
    rows = []
    for task, X, y in tasks():
        logistic = linear_model.LogisticRegression(optim.SGD(0.1))
        found = {f"scikit-learn SGD, {rate} rate": sgd(rate, X, y) for rate in RATES}
        found["River LogisticRegression"] = river(logistic, X, y)
        for detector in (river_drift.binary.DDM(), river_drift.binary.HDDMW()):
            again = river_drift.DriftRetrainingClassifier(logistic.clone(), detector)
            found[f"River LogisticRegression, {type(detector).__name__}"] = river(again, X, y)
        rows += shown(Row(task, name, *measured) for name, measured in found.items())
    return rows


def tasks():
    for name, X, y in streams():
        yield f"drift: {name}, {X.shape[0]:,} x {X.shape[1]:,}", X, y


def shown(rows):
    """The rows, printed as they come: a run takes long."""
    rows = list(rows)
    print(rows[0].task, *(f"  {row.contestant}: {row.note}" for row in rows), sep="\n", flush=True)
    return rows


def ours(learner, X, y):
    """(seconds, no memory, no ratio, note) of a learner of stakes."""
    error, cost, seconds = {}, {}, 0.0
    for half_life in (*HALF_LIVES, "auto"):
        for found, price in ((error, 1.0), (cost, FN)):
            model = learner(half_life=half_life)
            start = CPU()
            p = model.predict_proba_then_learn(X, y, [0, 1], fn_cost=price)
            seconds = CPU() - start
            found[half_life] = paid(p, y, price)
    note = f"error {error['auto'].mean():.2%}, cost {cost['auto'].mean():.4f}; "
    note += f"half-life {model.half_life_:g} at the end"
    for word, found in (("error", error), ("cost", cost)):
        best = min(HALF_LIVES, key=lambda h, found=found: found[h].mean())
        note += f"; {word} / best fixed ({best}) {compared(found['auto'], found[best])}"
        note += f", / none {found['auto'].mean() / found[None].mean():.3f}"
    return seconds, None, None, note


def compared(own, other):
    """Ratio of the means, and the standard error of the paired difference in the same unit."""
    error = (own - other).std() / np.sqrt(len(own))
    return f"{own.mean() / other.mean():.3f} (s.e. {error / other.mean():.3f})"


def paid(p, y, fn_cost):
    """Costs of the decisions by expected cost, a false alarm costing one."""
    acts = p * fn_cost > 1.0 - p
    return np.where(y == 1, np.where(acts, 0.0, fn_cost), acts)


def sgd(rate, X, y):
    model, p, start = SGDClassifier(loss="log_loss", learning_rate=rate, eta0=0.05), [], CPU()
    for t in range(len(y)):
        x = X[t : t + 1]
        p.append(0.5 if t == 0 else expit((x @ model.coef_[0])[0] + model.intercept_[0]))
        model.partial_fit(x, y[t : t + 1], [0, 1])
    return CPU() - start, None, None, note_of(np.array(p), y)


def river(model, X, y):
    if sparse.issparse(X):
        ends, words, values = X.indptr, X.indices.tolist(), X.data.tolist()
        events = (dict(zip(words[a:b], values[a:b], strict=True))
                  for a, b in pairwise(ends))  # fmt: skip
    else:
        events = (dict(enumerate(row)) for row in X.tolist())
    p, start = np.empty(len(y)), CPU()
    for t, (x, label) in enumerate(zip(events, y.tolist(), strict=True)):
        p[t] = model.predict_proba_one(x).get(True, 0.5)
        model.learn_one(x, bool(label))
    return CPU() - start, None, None, note_of(p, y)


def note_of(p, y):
    return f"error {paid(p, y, 1.0).mean():.2%}, cost {paid(p, y, FN).mean():.4f}"
