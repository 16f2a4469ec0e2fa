"""Kernel online learning: one pass over a7a, shared Gram matrices, and an endless stream."""

import os
import time
from pathlib import Path

import numpy as np
import psutil
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks._measure import Row, race
from stakes.online_kernel import (
    CSDUOLClassifier,
    DUOLClassifier,
    KernelALMAClassifier,
    KernelCPAClassifier,
    KernelPAClassifier,
    KernelPAUMClassifier,
    KernelPerceptronClassifier,
    KernelROMMAClassifier,
)

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
    return [*one_pass(), *shared_gram(), *endless(), *limits()]


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
        ("CSDUOL", lambda: CSDUOLClassifier(cost_rule="balanced", gamma=GAMMA)),
    ):
        contestants = {
            f"{label}, numbers": lambda make=make: make().fit(numbers, y),
            f"{label}, bits": lambda make=make: make().fit(X, y),
        }
        if label == "PA-I":
            contestants["PA-I, numpy with BLAS row by row"] = lambda: numpy_pa(X, y)
        rows += race(f"{task}: {label}", contestants, turns=5, clock=CPU)
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


def shared_gram(n=1000, repeats=5):
    """All runs of Table 2 on data like german, with one Gram matrix and without."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 24)) * 3
    y = np.where(X[:, 0] + 3 * rng.normal(size=n) > 2, 1.0, -1.0)
    orders = [rng.permutation(n) for _ in range(repeats)]
    runs = [learner(gamma=GAMMA) for learner in PLAIN]
    runs += [learner(gamma=GAMMA, **setting) for setting in SETTINGS for learner in PRICED]
    runs.append(CSDUOLClassifier(gamma=GAMMA, cost_rule="balanced"))

    def shared():
        gram = rbf_kernel(X, gamma=GAMMA)
        for order in orders:
            K = gram[np.ix_(order, order)]
            for learner in runs:
                clone(learner).set_params(kernel="precomputed").fit(K, y[order])

    def alone():
        for order in orders:
            for learner in runs:
                learner.fit(X[order], y[order])

    task = f"{repeats} orders x {len(runs)} learners, {n:,} x 24"
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


def events_of(rng, n):
    X = rng.normal(size=(n, 8))
    return X, (X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=n) > 0.8).astype(int)


def limits():
    """What a limit on support vectors costs in balanced accuracy, and what it saves."""
    X, y, name = a7a()
    rows = []
    for limit in (None, 2000, 1000, 500, 250):
        learner = CSDUOLClassifier(cost_rule="balanced", gamma=GAMMA, max_support_vectors=limit)
        start = CPU()
        scores = learner.decision_function_then_learn(X, y)
        seconds = CPU() - start
        right = np.where(y > 0, scores > 0, scores <= 0)
        reached = 50.0 * (right[y > 0].mean() + right[y < 0].mean())
        rows.append(
            Row(
                f"one pass over {name}, CSDUOL with a limit",
                "no limit" if limit is None else f"limit {limit:,}",
                seconds,
                note=f"balanced accuracy {reached:.1f} %, "
                f"{len(learner.support_):,} support vectors",
            )
        )
    return rows
