"""Online linear learners, validation included, against scikit-learn and River.

The physical bounds are listed too: reading the data once, and the two dot products alone.
Everything runs in one thread and is measured in processor time, so that a busy machine does not
matter.
"""

import time
import warnings

import numpy as np
from numba import njit
from scipy import sparse
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.preprocessing import StandardScaler

from benchmarks._measure import Row
from benchmarks._measure import race as race_by
from benchmarks._online_drift import half_lives, peers
from stakes.datasets import make_fraud
from stakes.errors import BelowTrivialWarning
from stakes.metrics import savings_score
from stakes.online import (
    AROWClassifier,
    CWClassifier,
    CWCVaRClassifier,
    PAClassifier,
    PerceptronClassifier,
    ProbitClassifier,
    SCWClassifier,
)


def race(task, contestants, turns=5):
    return race_by(task, contestants, turns=turns, clock=time.process_time)


@njit(cache=True)
def read_once(x):
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(0, x.size - 3, 4):
        a += x[i]
        b += x[i + 1]
        c += x[i + 2]
        d += x[i + 3]
    return a + b + c + d


@njit(cache=True)
def dots_dense(X, mu, sigma):
    total = 0.0
    for t in range(X.shape[0]):
        m, v = 0.0, 0.0
        for j in range(X.shape[1]):
            m += mu[j] * X[t, j]
            v += sigma[j] * X[t, j] * X[t, j]
        total += m + v
    return total


@njit(cache=True)
def dots_csr(indices, data, mu, sigma):
    m, v = 0.0, 0.0
    for k in range(indices.size):
        j = np.uintp(indices[k])
        m += mu[j] * data[k]
        v += sigma[j] * data[k] * data[k]
    return m + v


def sgd(**more):
    return SGDClassifier(shuffle=False, max_iter=1, tol=None, **more)


def passes(task, X, y, bounds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = dict(calibration=None)
        rows = race(
            f"{task}, one pass",
            {
                "CWClassifier": lambda: CWClassifier(**plain).fit(X, y),
                "CWClassifier, calibrated": lambda: CWClassifier().fit(X, y),
                "AROWClassifier, calibrated": lambda: AROWClassifier().fit(X, y),
                "CWCVaRClassifier, calibrated": lambda: CWCVaRClassifier().fit(X, y),
                "ProbitClassifier, calibrated": lambda: ProbitClassifier().fit(X, y),
                **bounds,
                "scikit-learn SGD": lambda: sgd().fit(X, y),
            },
        )
        rows += race(
            f"{task}, one pass, PA-I",
            {
                "PAClassifier": lambda: PAClassifier(C=1.0, **plain).fit(X, y),
                "PAClassifier, calibrated": lambda: PAClassifier(C=1.0).fit(X, y),
                "scikit-learn SGD pa1": lambda: sgd(
                    loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0
                ).fit(X, y),
            },
        )
    return rows


def dense(n=500_000, d=30):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=d) + rng.normal(size=n) > 0).astype(int)
    mu, sigma, flat = np.zeros(d), np.ones(d), X.ravel()
    bounds = {
        "bound: read once": lambda: read_once(flat),
        "bound: dot products": lambda: dots_dense(X, mu, sigma),
    }
    return passes(f"dense {n:,} x {d}", X, y, bounds)


def sparse_rows(n, d, k, rng):
    """Rows with exactly k distinct columns each; a few columns are common, most are rare."""
    columns = np.empty((n, k), dtype=np.int32)
    for start in range(0, n, 10_000):
        m = min(10_000, n - start)
        # k distinct columns out of many draws; ties in a sorted row are duplicates
        drawn = np.minimum((rng.pareto(0.6, size=(m, 2 * k)) * 50).astype(np.int64), d - 1)
        drawn = np.where(drawn == d - 1, rng.integers(0, d, size=drawn.shape), drawn)
        drawn.sort(axis=1)
        fresh = np.ones(drawn.shape, dtype=bool)
        fresh[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
        rank = np.where(fresh, rng.random(drawn.shape), 2.0)
        kept = np.sort(np.take_along_axis(drawn, np.argsort(rank, axis=1)[:, :k], axis=1), axis=1)
        columns[start : start + m] = kept
    ends = np.arange(0, n * k + 1, k, dtype=np.int32)
    return sparse.csr_matrix((rng.random(n * k), columns.ravel(), ends), shape=(n, d))


def csr(n=200_000, d=47_000, k=75):
    rng = np.random.default_rng(0)
    X = sparse_rows(n, d, k, rng)
    y = (X @ rng.normal(size=d) + rng.normal(size=n) > 0).astype(int)
    mu, sigma = np.zeros(d), np.ones(d)
    bounds = {
        "bound: read once": lambda: read_once(X.data),
        "bound: dot products": lambda: dots_csr(X.indices, X.data, mu, sigma),
    }
    return passes(f"CSR {n:,} x {d:,}, {X.nnz / n:g} a row", X, y, bounds)


class Nothing:
    """The cost of a call with the same arguments that does nothing."""

    def learn_one(self, x, y, *, classes=None, fp_cost=None, fn_cost=None, tp_cost=None, **_):
        return self


def singles(n=20_000, d=30):
    from river import linear_model, optim

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)
    rows, labels, cost = list(X), y.tolist(), rng.lognormal(size=n).tolist()
    dicts = [dict(enumerate(x.tolist())) for x in X]
    named = [{str(j): v for j, v in x.items()} for x in dicts]

    def ours(make, rows=rows):
        def call():
            model = make()
            for x, label, c in zip(rows, labels, cost, strict=True):
                model.learn_one(x, label, fn_cost=c)

        return call

    def river(make):
        def call():
            model = make()
            for x, label in zip(dicts, labels, strict=True):
                model.learn_one(x, label)

        return call

    def at_once():
        ProbitClassifier().partial_fit(X, y, [0, 1], fn_cost=cost)

    def pa_at_once():
        PAClassifier(C=1.0).partial_fit(X, y, [0, 1], fn_cost=cost)

    def logistic():
        return linear_model.LogisticRegression(optim.SGD(0.1))

    makes = {m.__name__: m for m in (CWClassifier, CWCVaRClassifier, ProbitClassifier)}
    call = {"a call that does nothing": ours(Nothing)}
    task = f"learn_one, {n:,} rows of {d}"
    probabilities = race(
        f"{task}, probabilities",
        {
            **{name: ours(make) for name, make in makes.items()},
            "ProbitClassifier, dicts": ours(ProbitClassifier, named),
            "ProbitClassifier, partial_fit of all": at_once,
            **call,
            "River LogisticRegression": river(logistic),
        },
        turns=9,
    )
    margins = race(
        f"{task}, PA-I",
        {
            "PAClassifier": ours(lambda: PAClassifier(C=1.0)),
            "PAClassifier, partial_fit of all": pa_at_once,
            **call,
            "River PAClassifier": river(lambda: linear_model.PAClassifier(C=1.0)),
        },
        turns=9,
    )
    for found in (probabilities, margins):
        least = next(row.seconds for row in found if row.contestant in call)
        for row in found:
            row.note += f"; {(row.seconds - least) / n * 1e6:.2f} microseconds beyond the call"
    return probabilities + margins


LEARNERS = (
    ProbitClassifier,
    CWCVaRClassifier,
    AROWClassifier,
    SCWClassifier,
    CWClassifier,
    PAClassifier,
    PerceptronClassifier,
)


def money(share, n=20_000, unseen=100_000, seeds=range(900, 924)):
    """Savings on unseen payments after one pass, compared with a batch logistic regression.

    Savings are relative to the better constant policy, whose own savings are zero.
    """
    found = {}
    for seed in seeds:
        data = make_fraud(n + unseen, positive_share=share, random_state=seed)
        X = StandardScaler().fit(data.X[:n]).transform(data.X)
        costs = {k: np.broadcast_to(v, n + unseen) for k, v in data.costs.items()}
        train, test = ({k: v[s] for k, v in costs.items()} for s in (slice(n), slice(n, None)))
        start = time.process_time()
        batch = LogisticRegression().fit(X[:n], data.y[:n])
        seconds = time.process_time() - start
        threshold = test["fp_cost"] / (test["fp_cost"] + test["fn_cost"])
        decided = {"scikit-learn LogisticRegression": batch.predict_proba(X[n:])[:, 1] > threshold}
        times, warned = {"scikit-learn LogisticRegression": seconds}, {}
        for learner in LEARNERS:
            name, model = learner.__name__, learner()
            start = time.process_time()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", BelowTrivialWarning)
                model.fit(X[:n], data.y[:n], **train)
            times[name] = time.process_time() - start
            warned[name] = len(caught) > 0
            decided[name] = model.predict(X[n:], **test)
        for name, decision in decided.items():
            saved = savings_score(data.y[n:], decision, **test)
            found.setdefault(name, []).append((times[name], saved, warned.get(name, False)))
    task = f"fraud, {share:.1%} positive, {n:,} x 30, {len(seeds)} seeds, money"
    found = {name: np.transpose(results) for name, results in found.items()}
    reached = found["scikit-learn LogisticRegression"][1]
    rows = []
    for name, (seconds, saved, warned) in found.items():
        rows.append(
            Row(
                task,
                name,
                seconds.min(),
                note=f"savings {saved.mean():.3f} ({saved.min():.3f} to {saved.max():.3f}), "
                f"{saved.mean() / reached.mean():.3f} of the batch fit's; seed by seed "
                f"{(saved / reached).mean():.3f} ({(saved / reached).min():.3f} to "
                f"{(saved / reached).max():.3f}); below a constant policy {sum(saved < 0)} times, "
                f"of which it warned {sum(warned[saved < 0]):.0f}; warned {sum(warned):.0f} times",
            )
        )
    return rows


def noise(n=50_000, d=30, flipped=0.05, seeds=range(3)):
    """Online error where a share `flipped` of the labels is flipped, which no learner can avoid."""
    found = {}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, d))
        truth = X @ rng.normal(size=d) > 0
        y = (truth != (rng.random(n) < flipped)).astype(int)
        for learner in (CWClassifier, AROWClassifier, CWCVaRClassifier, ProbitClassifier):
            start = time.process_time()
            p = learner().predict_proba_then_learn(X, y, [0, 1])
            seconds = time.process_time() - start
            found.setdefault(learner.__name__, []).append((seconds, np.mean((p > 0.5) != y)))
    return [
        Row(
            f"dense {n:,} x {d}, {flipped:.0%} of the labels flipped",
            name,
            np.min(results, axis=0)[0],
            note="online error "
            + " ".join(f"{error:.2%}" for _, error in results)
            + f" (seeds {seeds[0]} to {seeds[-1]})",
        )
        for name, results in found.items()
    ]


PARTS = {
    "speed": lambda: dense() + csr() + singles(),
    "money": lambda: money(0.02) + money(0.005) + noise(),
    "half_lives": lambda: half_lives(LEARNERS),
    "peers": peers,
}


def run(parts=PARTS):
    return [row for part in parts for row in PARTS[part]()]
