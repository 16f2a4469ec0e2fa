"""The forest for streams: speed next to River's, flat time and memory, growth, money."""

import pickle
import time

import numpy as np
import psutil
from river.ensemble import SRPClassifier
from river.forest import ARFClassifier
from river.tree import HoeffdingTreeClassifier

from benchmarks._measure import Row
from benchmarks._stream_growth import growth
from benchmarks._stream_money import log_loss, money
from stakes.datasets import make_fraud
from stakes.online_forest import StreamBlendClassifier, StreamForestClassifier

CPU = time.process_time
OURS = StreamForestClassifier, StreamBlendClassifier
PEER = "River ARF"
PEERS = {
    PEER: lambda: ARFClassifier(seed=0),
    "River SRP": lambda: SRPClassifier(seed=0),
    "River Hoeffding tree": HoeffdingTreeClassifier,
}
TURNS = 3  # of which the best counts; SRP, the slowest, has one
BATCH = 256


def speed(events=3_000):
    """Decide and learn one event after the other, 30 features, 10 % positives.

    Our learners also in batches of 256, each decided before it is learned. River's forests have no
    batches, so their time one by one is the peer of both.
    """
    data = make_fraud(events, positive_share=0.1, random_state=7)
    X, y = np.ascontiguousarray(data.X), data.y
    dicts = [dict(enumerate(row)) for row in X.tolist()]
    runs = {(one.__name__, "one by one"): (one_by_one, one, X) for one in OURS}
    runs |= {(one.__name__, f"in batches of {BATCH}"): (in_batches, one, X) for one in OURS}
    runs |= {(name, "one by one"): (one_by_one, make, dicts) for name, make in PEERS.items()}
    for one in OURS:  # compiles
        in_batches(one, X[:600], y)
        one_by_one(one, X[:50], y)
    best = {}
    for turn in range(TURNS):
        for key, (work, make, inputs) in runs.items():
            if turn and key[0] == "River SRP":
                continue
            found = work(make, inputs, y)
            best[key] = min(best.get(key, found), found, key=lambda one: one[0])
    rows = []
    for (name, how), (seconds, loss, mib) in best.items():
        note = f"{events / seconds:,.0f} events a second, log loss {loss:.4f}, {mib:.1f} MiB"
        ratio = None
        if name not in PEERS:
            ratio, note = best[PEER, "one by one"][0] / seconds, f"{note}, peer {PEER}"
        rows.append(Row(f"decide and learn {events:,} x 30, {how}", name, seconds, ratio=ratio,
                        note=note))  # fmt: skip
    return rows


def one_by_one(make, inputs, y):
    """Seconds, log loss and MiB of a learner that reads event by event."""
    model, labels, p = new(make), y.tolist(), np.full(len(inputs), 0.5)
    start = CPU()
    for t, x in enumerate(inputs):
        if t:
            p[t] = model.predict_proba_one(x).get(1, 0.0)
        model.learn_one(x, labels[t])
    return CPU() - start, log_loss(p, y[: len(p)]), mib(model)


def in_batches(make, X, y):
    """Seconds, log loss and MiB of a learner that reads batch by batch."""
    model, p = new(make), np.full(len(X), 0.5)
    start = CPU()
    for t in range(0, len(X), BATCH):
        part = slice(t, t + BATCH)
        if t:
            p[part] = model.predict_proba(X[part])[:, 1]
        model.partial_fit(X[part], y[: len(X)][part], [0, 1])
    return CPU() - start, log_loss(p, y[: len(p)]), mib(model)


def new(make):
    return make(random_state=0) if make in OURS else make()


def mib(model):
    ours = isinstance(model, OURS)
    return (len(pickle.dumps(model)) if ours else model._raw_memory_usage) / 2**20


def endless(events=2_000_000):
    """Two million events in one pass: time per event and memory must stay flat."""
    model, rng = StreamForestClassifier(random_state=0), np.random.default_rng(0)
    seconds, resident, part = [], [], events // 20
    for _ in range(20):
        X = rng.normal(size=(part, 30))
        odds = X[:, 0] + X[:, 1] * X[:, 2] + 2.0 * (X[:, 3] > 1.0) - 4.0
        y = (rng.random(part) < 1.0 / (1.0 + np.exp(-odds))).astype(int)
        start = CPU()
        model.partial_fit(X, y, [0, 1])
        seconds.append(CPU() - start)
        resident.append(psutil.Process().memory_info().rss / 2**20)
    note = (
        "us per event in each tenth: "
        + " ".join(f"{1e6 * (a + b) / (2 * part):.1f}" for a, b in _pairs(seconds))
        + f"; peer: its second tenth against its last; {model.n_bytes_ / 2**20:.1f} MiB of arrays; "
        "MiB: growth from the second tenth to the last"
    )
    ratio = sum(seconds[2:4]) / sum(seconds[-2:])
    grown = resident[-1] - resident[3]
    return [Row(f"{events:,} events x 30, one pass", "StreamForestClassifier", sum(seconds),
                peak_mib=grown, ratio=ratio, note=note)]  # fmt: skip


def _pairs(values):
    return zip(values[::2], values[1::2], strict=True)


PARTS = {"speed": speed, "endless": endless, "growth": growth, "money": money}


def run(parts=PARTS):
    return [row for part in parts for row in PARTS[part]()]
