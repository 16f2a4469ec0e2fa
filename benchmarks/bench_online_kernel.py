"""Kernel online learning: speed and memory; limits, prices and fixed size on real sets."""

import os
import time
import warnings
from pathlib import Path

import numpy as np
import psutil
from numba import njit
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks._curved import consistency, curved, limits
from benchmarks._measure import Row, race
from stakes._core.jit.kernel_rows import fill_row, load_example, new_query
from stakes.errors import BelowTrivialWarning
from stakes.online_kernel import (
    AnomalyDetector,
    CSDUOLClassifier,
    DUOLClassifier,
    KernelALMAClassifier,
    KernelCPAClassifier,
    KernelFeaturesClassifier,
    KernelPAClassifier,
    KernelPAUMClassifier,
    KernelPerceptronClassifier,
    KernelROMMAClassifier,
)
from stakes.online_kernel._passes_jit import box_step

PLAIN = (
    *(KernelPerceptronClassifier, KernelALMAClassifier, KernelROMMAClassifier),
    *(KernelPAClassifier, DUOLClassifier),
)
PRICED = KernelPAUMClassifier, KernelCPAClassifier, CSDUOLClassifier
SETTINGS = (
    dict(cost_rule="balanced", class_ratio=2.0),
    dict(fn_cost=0.95, fp_cost=0.05),
    dict(fn_cost=0.9, fp_cost=0.1),
)
GAMMA = 1.0 / 128.0  # of the CSDUOL paper
CPU = time.process_time  # one thread each, so CPU time is not disturbed by neighbours


def run():
    return [
        *one_pass(),
        *one_by_one(),
        *shared_gram(24),
        *shared_gram(200),
        *endless(),
        *endless_names(),
        *limits(a7a()),
        *consistency(),
        *curved(),
    ]


def a7a():
    """The paper's largest set of Table 2, or one like it: binary, 14 of 123 features set."""
    rng = np.random.default_rng(0)
    where = os.environ.get("STAKES_DATA")
    if where and (Path(where) / "a7a.npz").is_file():
        with np.load(Path(where) / "a7a.npz") as d:
            parts = d["data"].astype(float), d["indices"], d["indptr"]
            X = sparse.csr_array(parts, shape=tuple(d["shape"])).toarray()
            y = np.where(d["y"] > 0, 1.0, -1.0)
        order = rng.permutation(len(y))
        return X[order], y[order], "a7a"
    X = (rng.random((16_100, 123)) < 14 / 123).astype(float)
    y = np.where(X @ rng.normal(size=123) + 2 * rng.normal(size=16_100) > 2, 1.0, -1.0)
    return X, y, "like a7a"


def one_pass():
    """PA-I and CSDUOL with the features as numbers and as bits, next to numpy with BLAS."""
    X, y, name = a7a()
    numbers = X.copy()
    numbers[0, 0] = 2.0  # one value that is neither 0 nor 1 keeps the store from packing bits
    task = f"one pass over {name}, {X.shape[0]:,} x {X.shape[1]}"
    rows = []
    for label, make in (
        ("PA-I", lambda: KernelPAClassifier(gamma=GAMMA)),
        (
            "CSDUOL",
            lambda: CSDUOLClassifier(cost_rule="balanced", gamma=GAMMA, scale_C=False),
        ),
    ):
        contestants = {
            f"{label}, numbers": lambda make=make: make().fit(numbers, y),
            f"{label}, bits": lambda make=make: make().fit(X, y),
        }
        peer = numpy_pa if label == "PA-I" else numpy_csduol
        contestants[f"{label}, numpy with BLAS row by row"] = lambda peer=peer: peer(X, y)
        rows += race(f"{task}: {label}", contestants, turns=2, clock=CPU)
    return rows


def numpy_pa(X, y, C=10.0):
    """The loop that one would write: a matrix-vector product and numpy's exp per example."""
    S, norms, alpha, m = np.empty_like(X), np.empty(len(X)), np.zeros(len(X)), 0
    squares = np.einsum("ij,ij->i", X, X)
    for x, size, sign in zip(X, squares, y, strict=True):
        row = np.exp(-GAMMA * (size + norms[:m] - 2.0 * (S[:m] @ x)))
        loss = 1.0 - sign * (row @ alpha[:m])
        if loss > 0:
            S[m], norms[m], alpha[m] = x, size, sign * min(C, loss)
            m += 1
    return m


def numpy_csduol(X, y, C=10.0):
    """The same for CSDUOL as in the paper, with the running class ratio."""
    S, norms, alpha, m = np.empty_like(X), np.empty(len(X)), np.zeros(len(X)), 0
    signs, theta, f = np.empty(len(X)), np.empty(len(X)), np.empty(len(X))
    squares, seen = np.einsum("ij,ij->i", X, X), {1.0: 0, -1.0: 0}

    def kernel(x, size):
        return np.exp(-GAMMA * (size + norms[:m] - 2.0 * (S[:m] @ x)))

    for x, size, sign in zip(X, squares, y, strict=True):
        seen[sign] += 1
        margin = (seen[-1.0] + 1) / (seen[1.0] + 1) if sign > 0 else 1.0
        row = kernel(x, size)
        score = sign * (row @ alpha[:m])
        loss = margin - score
        if loss <= 0:
            continue
        conflict = np.where(f[:m] <= theta[:m] * (1 + 1e-9), signs[:m] * sign * row, np.inf)
        b = len(conflict) - 1 - int(np.argmin(conflict[::-1])) if m else -1
        S[m], norms[m], signs[m], theta[m], f[m] = x, size, sign, margin, score
        m += 1
        row = np.append(row, 1.0)
        if b >= 0 and conflict[b] <= 0:
            g_b, w = signs[b] * alpha[b], conflict[b]
            g, d = box_step(loss, theta[b] - f[b], 1.0, 1.0, w, C, -g_b, C - g_b)
            alpha[b] = signs[b] * min(max(g_b + d, 0.0), C)
            f[:m] += signs[:m] * (sign * g * row + signs[b] * d * kernel(S[b], norms[b]))
        else:
            g = min(C, loss)
            f[:m] += signs[:m] * (sign * g * row)
        alpha[m - 1] = sign * g
    return m


@njit
def kernel_row(S, batch, m):
    """The kernel row of one example, alone."""
    q, row = new_query(S), np.empty(m)
    load_example(S, batch, 0, q)
    fill_row(S, q, 0, m, row)
    return row[0]


def one_by_one(limit=500, events=300, turns=80):
    """Single events at 500 vectors, next to the kernel row that each of them needs."""
    rng, rows = np.random.default_rng(0), []
    X, y = events_of(rng, 4_000)
    labels = y.tolist()
    for learner in (KernelPAClassifier, CSDUOLClassifier, AnomalyDetector):
        model = learner(gamma=0.1, max_support_vectors=limit).partial_fit(X, y)
        store = model._store
        batches = [store.batch_of_one(x) for x in X[:events]]

        def alone(store=store, batches=batches):
            for batch in batches:
                kernel_row(store.support, batch, limit)

        def learn(model=model):
            for x, label in zip(X[:events], labels, strict=False):
                model.learn_one(x, label)

        def score(model=model):
            for x in X[:events]:
                model.decision_function_one(x)

        def inside(store=store):
            store.scores(X[:events])

        best = _best({"learn": learn, "score": score, "row": inside, "called": alone}, turns)
        name, us = learner.__name__, {key: 1e6 * s / events for key, s in best.items()}
        note = (
            f"us per event: learn_one {us['learn']:.1f}, decision_function_one {us['score']:.1f}, "
            f"its kernel row in a batch {us['row']:.1f} and in a call of its own "
            f"{us['called']:.1f}; beyond the row in a batch {us['learn'] - us['row']:.1f} and "
            f"{us['score'] - us['row']:.1f}"
        )
        rows.append(
            Row(f"single events, {limit} support vectors x 8", name, best["learn"], note=note)
        )
    model = KernelPAClassifier(gamma=0.1, max_support_vectors=limit).partial_fit(X, y)
    best = _best({"one": lambda: model.partial_fit(X[:1], y[:1])}, 200)["one"]
    note = f"{1e6 * best:.0f} us"
    rows.append(Row("partial_fit of one row, 500 support vectors x 8", "PA-I", best, note=note))
    return rows


def _best(calls, turns):
    """The best CPU time of each call; they take turns."""
    best = dict.fromkeys(calls, np.inf)
    for _ in range(turns):
        for name, call in calls.items():
            start = CPU()
            call()
            best[name] = min(best[name], CPU() - start)
    return best


def shared_gram(d, n=1000, repeats=5):
    """All runs of Table 2 on data as large as german, with one Gram matrix and without."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * 3
    y = np.where(X[:, 0] + 3 * rng.normal(size=n) > 2, 1.0, -1.0)
    orders = [rng.permutation(n) for _ in range(repeats)]
    gamma = GAMMA * 24 / d
    runs = [learner(gamma=gamma) for learner in PLAIN]
    runs += [learner(gamma=gamma, **setting) for setting in SETTINGS for learner in PRICED]
    runs.append(CSDUOLClassifier(gamma=gamma, cost_rule="balanced"))

    def shared():
        gram = rbf_kernel(X, gamma=gamma)
        for order in orders:
            K = gram[np.ix_(order, order)]
            for learner in runs:
                clone(learner).set_params(kernel="precomputed").fit(K, y[order])

    def alone():
        for order in orders:
            for learner in runs:
                learner.fit(X[order], y[order])

    warnings.simplefilter("ignore", BelowTrivialWarning)  # the data are noise for the most part
    task = f"{repeats} orders x {len(runs)} learners, {n:,} x {d}"
    return race(task, {"one Gram matrix": shared, "each its own rows": alone}, turns=2, clock=CPU)


def endless(events=1_000_000, limit=500, part=100_000):
    """A million events with bounded memory: time per event and memory must stay flat."""
    rows = []
    for label, make in (
        ("PA-I", lambda: KernelPAClassifier(gamma=0.1, max_support_vectors=limit)),
        ("DUOL", lambda: DUOLClassifier(gamma=0.1, max_support_vectors=limit)),
    ):
        learner, rng = make(), np.random.default_rng(0)
        learner.partial_fit(*events_of(rng, 2_000))  # compiles, and fills the store
        seconds, resident = [], []
        for _ in range(events // part):
            X, y = events_of(rng, part)
            start = CPU()
            learner.partial_fit(X, y)
            seconds.append(CPU() - start)
            resident.append(psutil.Process().memory_info().rss / 2**20)
        rows.append(
            Row(
                f"{events:,} events, {limit} support vectors",
                label,
                sum(seconds),
                peak_mib=resident[-1] - resident[0],
                ratio=seconds[0] / seconds[-1],
                note=f"peer: its first tenth against its last; {1e6 * seconds[0] / part:.2f} and "
                f"{1e6 * seconds[-1] / part:.2f} us per event; MiB: growth from first to last",
            )
        )
    return rows


def endless_names(events=1_000_000, names=50_000):
    """A million dicts with fifty thousand names: time per event and memory must stay flat."""
    rows = []
    for label, make in (
        ("AnomalyDetector", lambda: AnomalyDetector(max_support_vectors=100)),
        ("KernelFeaturesClassifier", lambda: KernelFeaturesClassifier(random_state=0)),
    ):
        learner, rng = make(), np.random.default_rng(0)
        seconds, resident, part = [], [], events // 10
        for k in range(10):
            values, shops = rng.normal(size=(part, 2)), rng.integers(0, names, part)
            if k == 0:
                shops[:names] = np.arange(names)  # all names are known after the first tenth
            labels = (values[:, 0] * values[:, 1] + 0.3 * rng.normal(size=part) > 0.8).tolist()
            start = CPU()
            for (a, b), shop, label_ in zip(values.tolist(), shops.tolist(), labels, strict=True):
                learner.learn_one({"a": a, "b": b, f"shop={shop}": 1.0}, int(label_))
            seconds.append(CPU() - start)
            resident.append(psutil.Process().memory_info().rss / 2**20)
        points = (0, 1, 4, 9)
        spent = ", ".join(f"{1e6 * seconds[k] / part:.1f}" for k in points)
        held = ", ".join(f"{resident[k]:,.0f}" for k in points)
        rows.append(
            Row(
                f"{events:,} dicts, {names:,} names",
                label,
                sum(seconds),
                peak_mib=resident[-1] - resident[0],
                ratio=seconds[1] / seconds[-1],
                note="peer: its second tenth against its last; tenths 1, 2, 5 and 10: "
                f"{spent} us per event, {held} MiB resident; MiB: growth after the first tenth, "
                "which has all names",
            )
        )
    return rows


def events_of(rng, n):
    X = rng.normal(size=(n, 8))
    return X, (X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=n) > 0.8).astype(int)
