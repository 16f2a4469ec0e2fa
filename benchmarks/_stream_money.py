"""Money of stream learners, one pass, late labels, next to a booster retrained at every tenth."""

import os
import time
from pathlib import Path

import numpy as np
from river.forest import ARFClassifier

from benchmarks._measure import Row
from stakes.costs import Costs
from stakes.datasets import fetch_card_fraud, fetch_card_payments, make_fraud
from stakes.online import AROWClassifier, CWCVaRClassifier, ProbitClassifier
from stakes.online_forest import StreamBlendClassifier, StreamForestClassifier

CPU = time.process_time
BLOCK = 200  # events after which labels that arrived meanwhile are learned
LINEAR = ProbitClassifier, AROWClassifier, CWCVaRClassifier
FIRST = 6_000  # events that River's forest reads: it takes a millisecond and more for each


def streams():
    """(name, X, y, costs, delay of the labels in events) in the order of time.

    Where events have no date, a stream counts as half a year, so a week is one part in 26.
    """
    for share in (0.02, 0.005):
        for drift in (0.0, 1.5):
            for seed in (101, 102):
                data = make_fraud(40_000, positive_share=share, drift=drift, random_state=seed)
                name = f"make_fraud, {share:.1%}{', drift' if drift else ''}, seed {seed}"
                yield name, data.X, data.y, data.costs, 40_000 // 26
    folder = os.environ.get("STAKES_DATA")
    if not folder:
        return
    for name, delay in (("elec2", 336), ("sea", 500), ("interchanging_rbf", 500)):
        stored = np.load(Path(folder) / f"drift_{name}.npz")
        y = stored["y"] < 7 if name == "interchanging_rbf" else stored["y"] == 1
        X = np.ascontiguousarray(stored["X"][:60_000], dtype=float)
        yield name, X, y[: len(X)].astype(int), dict(fp_cost=1.0, fn_cost=2.0), delay
    data = fetch_card_payments(customers=400)
    order = np.argsort(np.asarray(data.origin.time), kind="stable")
    X = np.column_stack([data.X[name].to_numpy().astype(float) for name in data.X.columns])
    costs = {k: np.broadcast_to(c, len(X))[order] for k, c in data.costs.items()}
    yield "card_payments, 400 customers", X[order], data.y[order], costs, len(X) // 26
    data = fetch_card_fraud()
    yield "card_fraud", np.asarray(data.X, float), data.y, data.costs, len(data.y) // 26


def money(wanted=""):
    """Savings of every contestant after the first tenth, from which the booster decides too."""
    rows = []
    for name, X, y, costs, delay in streams():
        if not name.startswith(wanted):
            continue
        X, y = np.ascontiguousarray(X), np.asarray(y).astype(int)
        scaled = (X - X[:1000].mean(0)) / np.maximum(X[:1000].std(0), 1e-9)
        costs = {k: np.broadcast_to(np.asarray(c, float), len(y)) for k, c in costs.items()}
        found = {}
        for learner in LINEAR:
            found[learner.__name__] = prequential(learner(), scaled, y, costs, delay)
        forest = StreamForestClassifier(random_state=0)
        found["StreamForestClassifier"] = prequential(forest, X, y, costs, delay)
        blend = StreamBlendClassifier(random_state=0)
        found["StreamBlendClassifier"] = prequential(blend, X, y, costs, delay)
        found["LightGBM retrained at tenths"] = retrained(X, y, delay)
        booster = savings(found["LightGBM retrained at tenths"][0], y, costs)
        linear = max(savings(found[one.__name__][0], y, costs) for one in LINEAR)
        for contestant, (p, seconds) in found.items():
            s = savings(p, y, costs)
            note = f"savings {s:.3f}"
            if not contestant.startswith("LightGBM"):
                note += f", {s / booster:.2f} of the booster's" if booster > 0 else ""
            if contestant.startswith("Stream"):
                note += f", best linear learner {linear:.3f}"
            rows.append(Row(f"money: {name}, {len(y):,} events", contestant, seconds, note=note))
        print(*(f"{row.contestant} {row.note}" for row in rows[-6:]), name, sep="; ", flush=True)
    return rows


def prequential(model, X, y, costs, delay):
    """Probability of each event before its label, which comes `delay` events later."""
    p, start, learned = np.full(len(y), 0.5), CPU(), 0
    for t in range(0, len(y), BLOCK):
        part = slice(t, t + BLOCK)
        if learned:
            p[part] = model.predict_proba(X[part])[:, 1]
        known = max(t + BLOCK - delay, 0)
        if known > learned:
            new = slice(learned, known)
            model.partial_fit(X[new], y[new], [0, 1], **{k: c[new] for k, c in costs.items()})
            learned = known
    return p, CPU() - start


def retrained(X, y, delay):
    """LightGBM with its defaults, trained on all labels so far at every tenth of the stream."""
    from lightgbm import LGBMClassifier

    n, start = len(y), CPU()
    p = np.full(n, 0.5)
    for k in range(1, 10):
        known, now = k * n // 10 - delay, slice(k * n // 10, (k + 1) * n // 10)
        model = LGBMClassifier(n_jobs=1, verbose=-1, random_state=0).fit(X[:known], y[:known])
        p[now] = model.predict_proba(X[now])[:, 1]
    return p, CPU() - start


def savings(p, y, costs, first=None):
    """Share of the best constant policy's cost that decisions by expected cost saved."""
    later = slice(len(y) // 10 if first is None else 0, first)
    c = Costs.of(len(y), **costs)[later]
    positive, n = y[later] == 1, len(y[later])
    constant = min(c.paid(positive, np.full(n, acts)).sum() for acts in (False, True))
    return 1.0 - c.paid(positive, c.decide(p[later])).sum() / constant


def river_money():
    """River's adaptive random forest with the same decision, on the first events of streams."""
    rows, chosen = [], ("make_fraud, 2.0%, seed 101", "elec2", "sea")
    for name, X, y, costs, delay in streams():
        if name not in chosen:
            continue
        X, y = np.ascontiguousarray(X[:FIRST]), y[:FIRST]
        costs = {k: np.broadcast_to(np.asarray(c, float), 10**6)[:FIRST] if np.ndim(c) == 0
                 else c[:FIRST] for k, c in costs.items()}  # fmt: skip
        found = {"StreamForestClassifier": prequential(
            StreamForestClassifier(random_state=0), X, y, costs, delay)}  # fmt: skip
        found["StreamBlendClassifier"] = prequential(
            StreamBlendClassifier(random_state=0), X, y, costs, delay
        )
        found["River ARF"] = river_prequential(X, y, delay)
        for contestant, (p, seconds) in found.items():
            q = np.clip(p, 1e-6, 1 - 1e-6)[FIRST // 10 :]
            loss = -np.mean(np.log(np.where(y[FIRST // 10 :] == 1, q, 1 - q)))
            note = f"savings {savings(p, y, costs):.3f}, log loss {loss:.4f}"
            rows.append(Row(f"money: {name}, first {FIRST:,} events", contestant, seconds,
                            note=note))  # fmt: skip
            print(rows[-1], flush=True)
    return rows


def river_prequential(X, y, delay):
    model, start = ARFClassifier(seed=0), CPU()
    events = [dict(enumerate(row)) for row in X.tolist()]
    p = np.full(len(y), 0.5)
    for t, x in enumerate(events):
        p[t] = model.predict_proba_one(x).get(1, 0.0) if t > delay else 0.5
        if t >= delay:
            model.learn_one(events[t - delay], int(y[t - delay]))
    return p, CPU() - start
