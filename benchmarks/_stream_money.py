"""Money of stream learners, one pass, late labels, next to a booster retrained at every tenth.

What was measured is kept under a hash of the data, the contestant, its settings and its code, in
.cache, so that a run that was stopped resumes, and only what changed is measured again.
"""

import hashlib
import importlib.metadata
import inspect
import json
import os
import time
from pathlib import Path

import numpy as np
from lightgbm import LGBMClassifier
from river.forest import ARFClassifier

from benchmarks._measure import Row
from stakes.costs import Costs
from stakes.datasets import fetch_card_fraud, fetch_card_payments, make_fraud
from stakes.online import AROWClassifier, CWCVaRClassifier, ProbitClassifier
from stakes.online_forest import StreamBlendClassifier, StreamForestClassifier

CPU = time.process_time
ROOT = Path(__file__).parents[1]
BLOCK = 200  # events after which labels that arrived meanwhile are learned
LINEAR = ProbitClassifier, AROWClassifier, CWCVaRClassifier
FOREST, BLEND = StreamForestClassifier.__name__, StreamBlendClassifier.__name__
LATE = f"{BLEND}, label_delay"  # the same blend, which knows how late the labels are
FORESTS = {FOREST: StreamForestClassifier, BLEND: StreamBlendClassifier}
BOOSTER, RIVER = "LightGBM retrained at tenths", "River ARF"
FIRST = 8_000  # labels that River's forest learns: it takes a millisecond and more for each
SEEDS = 101, 102, 103
BY_SOURCE = "online", "online_forest", "online_kernel", "_core", "costs"


def streams():
    """(group, whether it changes, X, y, costs, delay of the labels in events) in order of time.

    Where events have no date, a stream counts as half a year, so a week is one part in 26.
    """
    for share in (0.02, 0.005):
        for drift in (0.0, 1.5):
            for seed in SEEDS:
                data = make_fraud(40_000, positive_share=share, drift=drift, random_state=seed)
                name = f"make_fraud, {share:.1%}{', drift' if drift else ''}, 40,000 events"
                yield name, drift > 0, data.X, data.y, data.costs, 40_000 // 26
    folder = os.environ.get("STAKES_DATA")
    if not folder:
        return
    for name, delay in (("elec2", 336), ("sea", 500), ("interchanging_rbf", 500)):
        stored = np.load(Path(folder) / f"drift_{name}.npz")
        y = stored["y"] < 7 if name == "interchanging_rbf" else stored["y"] == 1
        X = stored["X"][:60_000].astype(float)
        costs = dict(fp_cost=1.0, fn_cost=2.0)
        yield f"{name}, {len(X):,} events", True, X, y[: len(X)].astype(int), costs, delay
    data = fetch_card_payments()
    order = np.argsort(np.asarray(data.origin.time), kind="stable")
    X = np.column_stack([data.X[name].to_numpy().astype(float) for name in data.X.columns])
    costs = {k: np.broadcast_to(c, len(X))[order] for k, c in data.costs.items()}
    yield f"card_payments, {len(X):,} events", False, X[order], data.y[order], costs, len(X) // 26
    data = fetch_card_fraud()
    X = np.asarray(data.X, float)
    yield f"card_fraud, {len(X):,} events", False, X, data.y, data.costs, len(X) // 26


def money():
    """Savings of every contestant after the first tenth, from which the booster decides too."""
    groups = {}
    few = make_fraud(600, positive_share=0.1, random_state=0)
    costs = {k: np.broadcast_to(np.asarray(c, float), 600) for k, c in few.costs.items()}
    for one in (*LINEAR, *FORESTS.values()):  # compiles
        prequential(one(), np.ascontiguousarray(few.X), few.y.astype(int), costs, 50)
    for name, changes, X, y, costs, delay in streams():
        X, y = np.ascontiguousarray(X), np.asarray(y).astype(int)
        costs = {k: np.broadcast_to(np.asarray(c, float), len(y)) for k, c in costs.items()}
        print(name, end=":", flush=True)
        found = measured(X, y, costs, delay)
        print({who: one["savings"] for who, one in found.items()}, flush=True)
        groups.setdefault(name, (changes, []))[1].append(found)
    return [
        *(row for name, (_, runs) in groups.items() for row in group_rows(name, runs)),
        *(row for blend in (BLEND, LATE) for row in goal_rows(groups.values(), blend)),
    ]


def group_rows(name, runs):
    """One row for each contestant: its savings with each seed, and next to the booster's."""
    booster = mean(runs, BOOSTER)
    for who in runs[0]:
        note = "savings " + " ".join(f"{run[who]['savings'] or 0.0:.3f}" for run in runs)
        if who not in (BOOSTER, RIVER) and booster > 0:
            note += f"; {mean(runs, who) / booster:.2f} of the booster's"
        if who in (RIVER, LATE, *FORESTS):
            first = " ".join(f"{run[who]['first_savings']:.3f}" for run in runs)
            loss = np.mean([run[who]["first_loss"] for run in runs])
            first = f"up to label {FIRST:,} {first}, log loss {loss:.4f}"
            note = f"savings {first}" if who == RIVER else f"{note}; {first}"
        yield Row(f"money: {name}", who, sum(run[who]["seconds"] for run in runs), note=note)


def goal_rows(groups, blend):
    """On how many streams a blend reached what it should, one row for each goal."""

    def row(goal, changes, wins):
        wins = [wins(run) for changed, runs in groups if changed in changes for run in runs]
        return Row(goal, blend, None, note=f"on {sum(wins)} of {len(wins)} streams")

    def above(share, *others):
        return lambda run: run[blend]["savings"] >= share * max(run[o]["savings"] for o in others)

    def not_surely_more(other):
        """Whether it does not cost more by two standard errors, from the parts of the stream."""

        def wins(run):
            more = np.subtract(run[blend]["paid"], run[other]["paid"])
            return more.mean() <= 2.0 * more.std(ddof=1) / np.sqrt(len(more))

        return wins

    names = [one.__name__ for one in LINEAR]
    return [
        row("95 % of the booster's savings, stationary streams", [False], above(0.95, BOOSTER)),
        row("at least the booster's savings, streams that change", [True], above(1.0, BOOSTER)),
        row("at least the savings of ProbitClassifier", [False, True], above(1.0, names[0])),
        row("not below ProbitClassifier by two standard errors", [False, True],
            not_surely_more(names[0])),
        row("at least those of the best of three linear learners", [False, True],
            above(1.0, *names)),
        row(f"at least River ARF's up to label {FIRST:,}", [False, True],
            lambda run: run[blend]["first_savings"] >= run[RIVER]["first_savings"]),
    ]  # fmt: skip


def mean(runs, who):
    return np.mean([run[who]["savings"] for run in runs])


def measured(X, y, costs, delay):
    """What each contestant saved on a stream, as a dict; measured before or now."""
    scaled = (X - X[:1000].mean(0)) / np.maximum(X[:1000].std(0), 1e-9)
    data = hashlib.sha256(X.tobytes() + y.tobytes() + str((delay, FIRST)).encode())
    for name, cost in costs.items():
        data.update(name.encode() + cost.tobytes())
    runs = {one.__name__: (prequential, one(), scaled, y, costs, delay) for one in LINEAR}
    for name, one in FORESTS.items():
        runs[name] = prequential, one(random_state=0), X, y, costs, delay
    late = StreamBlendClassifier(random_state=0, label_delay=delay)
    runs[LATE] = prequential, late, X, y, costs, delay
    runs[BOOSTER] = retrained, X, y, delay
    early = slice(delay + FIRST)  # what River's forest reads
    runs[RIVER] = river_prequential, X[early], y[early], delay
    found = {}
    for who, (run, *inputs) in runs.items():
        parts = data.hexdigest(), who, CODE[who], *map(inspect.getsource, (run, savings))
        if run is prequential:
            parts += (str(inputs[0].get_params()),)
        key = hashlib.sha256(repr(parts).encode()).hexdigest()[:24]
        path = ROOT / ".cache" / "stream_forest" / f"{key}.json"
        if not path.exists():
            p, seconds = run(*inputs)
            later = slice(delay + FIRST // 10, delay + FIRST)
            result = dict(
                seconds=seconds,
                savings=savings(p, y, costs, slice(len(y) // 10, None)) if who != RIVER else None,
                first_savings=savings(p, y, costs, later),
                first_loss=log_loss(p[later], y[later]),
                paid=paid_in_parts(p, y, costs) if who != RIVER else None,
            )
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_suffix(".new").write_text(json.dumps(result))
            path.with_suffix(".new").rename(path)
        found[who] = json.loads(path.read_text())
    return found


def hash_of_sources():
    """Hash of the code of our learners."""
    folders = [ROOT / "src" / "stakes" / name for name in BY_SOURCE]
    sources = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


CODE = {  # read once: the files may change during a run
    BOOSTER: importlib.metadata.version("lightgbm"),
    RIVER: importlib.metadata.version("river"),
    **{who: hash_of_sources() for who in (*(c.__name__ for c in LINEAR), *FORESTS, LATE)},
}


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
    n, start = len(y), CPU()
    p = np.full(n, 0.5)
    for k in range(1, 10):
        known, now = k * n // 10 - delay, slice(k * n // 10, (k + 1) * n // 10)
        model = LGBMClassifier(n_jobs=1, verbose=-1, random_state=0).fit(X[:known], y[:known])
        p[now] = model.predict_proba(X[now])[:, 1]
    return p, CPU() - start


def river_prequential(X, y, delay):
    """River's adaptive random forest, event by event."""
    model, start = ARFClassifier(seed=0), CPU()
    events = [dict(enumerate(row)) for row in X.tolist()]
    p = np.full(len(y), 0.5)
    for t, x in enumerate(events):
        p[t] = model.predict_proba_one(x).get(1, 0.0) if t > delay else 0.5
        if t >= delay:
            model.learn_one(events[t - delay], int(y[t - delay]))
    return p, CPU() - start


def savings(p, y, costs, part):
    """Share of the best constant policy's cost that decisions by expected cost saved."""
    c, positive = Costs.of(len(y), **costs)[part], y[part] == 1
    n = len(positive)
    constant = min(c.paid(positive, np.full(n, acts)).sum() for acts in (False, True))
    return float(1.0 - c.paid(positive, c.decide(p[part])).sum() / constant)


def paid_in_parts(p, y, costs, parts=100):
    """What decisions after the first tenth cost in each part of the stream."""
    c = Costs.of(len(y), **costs)
    paid = np.broadcast_to(c.paid(y == 1, c.decide(p)), len(y))[len(y) // 10 :]
    return [float(part.sum()) for part in np.array_split(paid, parts)]


def log_loss(p, y):
    p = np.clip(p, 1e-6, 1.0 - 1e-6)
    return float(-np.mean(np.log(np.where(y == 1, p, 1.0 - p))))
