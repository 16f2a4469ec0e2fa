"""The forest for streams: speed next to River's, flat time and memory, money on late labels."""

import time

import numpy as np
import psutil
from river.ensemble import SRPClassifier
from river.forest import ARFClassifier
from river.tree import HoeffdingTreeClassifier

from benchmarks._measure import Row
from benchmarks._stream_money import money, river_money
from stakes.datasets import make_fraud
from stakes.online_forest import StreamBlendClassifier, StreamForestClassifier

CPU = time.process_time


def run():
    return [*speed(), *endless(), *river_money(), *money()]


def speed(events=3_000):
    """Decide and learn one event after the other, 30 features, 10 % positives."""
    data = make_fraud(events, positive_share=0.1, random_state=7)
    X, labels = np.ascontiguousarray(data.X), data.y.tolist()
    dicts = [dict(enumerate(row)) for row in X.tolist()]
    rows, seconds = [], {}
    ours = {
        "StreamForestClassifier": lambda: StreamForestClassifier(random_state=0),
        "StreamBlendClassifier": lambda: StreamBlendClassifier(random_state=0),
    }
    peers = {
        "River ARF": lambda: ARFClassifier(seed=0),
        "River SRP": lambda: SRPClassifier(seed=0),
        "River Hoeffding tree": lambda: HoeffdingTreeClassifier(),
    }
    for name, make in (ours | peers).items():
        inputs = X if name in ours else dicts
        make().learn_one(inputs[0], labels[0])
        model, p = make(), np.full(events, 0.5)
        if name in ours:  # compiles
            make().learn_one(inputs[0], 0).predict_proba_one(inputs[1])
        start = CPU()
        for t, x in enumerate(inputs):
            if t:
                p[t] = model.predict_proba_one(x).get(1, 0.0)
            model.learn_one(x, labels[t])
        seconds[name] = CPU() - start
        q = np.clip(p, 1e-6, 1.0 - 1e-6)
        loss = -np.mean(np.log(np.where(data.y == 1, q, 1.0 - q)))
        size = model._raw_memory_usage / 2**20 if name in peers else _mib(model)
        note = f"{events / seconds[name]:,.0f} events a second, log loss {loss:.4f}, {size:.1f} MiB"
        ratio = None if name in peers else 1.0
        rows.append(Row(f"decide and learn {events:,} x 30, one by one", name, seconds[name],
                        ratio=ratio, note=note))  # fmt: skip
    for row in rows:
        if row.ratio is not None:
            row.ratio = seconds["River ARF"] / row.seconds
            row.note += ", peer River ARF"
    return rows


def _mib(model):
    members = getattr(model, "estimators_", [model])
    return sum(getattr(one, "n_bytes_", 0) for one in members) / 2**20


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
