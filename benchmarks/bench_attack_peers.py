"""Our moves and those of the attacks of ART (adversarial-robustness-toolbox), at the same price.

Spambase, the 54 columns of words, each free between 0 and 100 in both directions, because ART knows
no directions, prices or whole numbers; the price is the Euclidean norm, which its attacks minimise.
Ours is exact with a bound. "cheaper than ours" counts cases in which an attack of ART gets past for
less. Attacks that only bound the norm (PGD) run for 24 norms, and the smallest that works counts.
SignOPT is missing: it refuses two classes.
"""

import os
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from benchmarks._measure import Row
from benchmarks.bench_attack import halves, spam
from stakes.game import Moves, attack

WORDS = 54
CASES = {"logistic regression": 100, "tree of depth 8": 100, "forest of 100 trees of depth 8": 20}


def models():
    return {
        "logistic regression": LogisticRegression(max_iter=5000),
        "tree of depth 8": DecisionTreeClassifier(max_depth=8, random_state=0),
        "forest of 100 trees of depth 8": RandomForestClassifier(100, max_depth=8, random_state=0),
    }


def peers(title, model):
    """Name -> function from rows to moved rows, for the attacks of ART that apply."""
    from art.attacks import evasion
    from art.estimators.classification import BlackBoxClassifier, SklearnClassifier

    ends = (0.0, 100.0)
    if title.startswith("forest"):
        box = BlackBoxClassifier(model.predict_proba, (WORDS,), 2, clip_values=ends)
    else:
        box = SklearnClassifier(model, clip_values=ends)
    quiet = dict(verbose=False)
    found = {
        "HopSkipJump": evasion.HopSkipJump(box, norm=2, max_iter=20, max_eval=500, **quiet),
        "Boundary": evasion.BoundaryAttack(
            box, targeted=False, max_iter=200, num_trial=10, sample_size=10, **quiet
        ),
        "ZOO": evasion.ZooAttack(
            box, max_iter=50, nb_parallel=10, use_resize=False, use_importance=False, **quiet
        ),
    }
    calls = {name: one.generate for name, one in found.items()}
    if title.startswith("tree"):
        calls["DecisionTreeAttack"] = evasion.DecisionTreeAttack(box, **quiet).generate
    if title.startswith("logistic"):
        calls["Carlini L2"] = evasion.CarliniL2Method(
            box, max_iter=50, binary_search_steps=10, batch_size=32, **quiet
        ).generate
        calls["elastic net"] = evasion.ElasticNet(
            box, max_iter=50, decision_rule="L2", batch_size=32, **quiet
        ).generate
        calls["DeepFool"] = evasion.DeepFool(box, max_iter=100, epsilon=1e-4, **quiet).generate
        calls["PGD"] = lambda Z: _smallest_ball(evasion, box, model, Z)
    return calls


def _smallest_ball(evasion, box, model, Z):
    """Moves of PGD within the smallest ball in which it gets past."""
    best = Z.copy()
    left = np.ones(len(Z), dtype=bool)
    for eps in np.geomspace(0.02, 30.0, 24):
        ball = evasion.ProjectedGradientDescent(
            box, norm=2, eps=eps, eps_step=eps / 8, max_iter=40, verbose=False
        )
        moved = ball.generate(Z[left])
        past = model.predict(moved) == 0
        rows = np.flatnonzero(left)[past]
        best[rows], left[rows] = moved[past], False
        if not left.any():
            break
    return best


def run():
    if not Path(os.environ.get("STAKES_DATA", ""), "spambase.csv.gz").exists():
        return []
    try:
        import art  # noqa: F401
    except ImportError:
        return []
    _, X, y, costs, _ = spam()
    (A, a, _), (B, b, _) = halves(X[:, :WORDS], y, costs)
    free = {f"x{j}": {"unit_price": 1.0, "lower": 0.0, "upper": 100.0} for j in range(WORDS)}
    moves = Moves(free, norm="l2", gain=100.0)
    rows = []
    for title, model in models().items():
        model.fit(A, a)
        caught = np.flatnonzero((b == 1) & (model.predict(B) == 1))[: CASES[title]]
        task = f"{title}, {len(caught)} cases"
        some = np.append(caught, np.flatnonzero(b == 0)[:1])
        start = time.process_time()
        ours = attack(model, B[some], b[some], moves, case_seconds=2.0)
        note = (
            f"{ours.past.sum()} get past, mean price {ours.price[ours.past].mean():.4g}, at least "
            f"{ours.bound[ours.past].mean():.4g}"
        )
        rows.append(Row(task, f"ours, {ours.method}", time.process_time() - start, note=note))
        for name, call in peers(title, model).items():
            rows.append(_peer_row(task, name, call, model, B[caught], ours))
    return rows


def _peer_row(task, name, call, model, Z, ours):
    np.random.seed(0)  # noqa: NPY002  ART draws from the global generator
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        moved = np.clip(np.asarray(call(Z.astype(np.float32)), dtype=np.float64), 0.0, 100.0)
    seconds = time.process_time() - start
    # single precision moves columns that an attack did not touch
    moved = np.where(np.abs(moved - Z) < 1e-6 * (1.0 + np.abs(Z)), Z, moved)
    past = model.predict(moved) == 0
    price = np.where(past, np.linalg.norm(moved - Z, axis=1), np.inf)
    both = past & ours.past
    note = f"{past.sum()} get past"
    if both.any():
        times = np.median(price[both] / ours.price[both])
        cheaper = int(np.sum(price < ours.price * (1 - 1e-6)))
        note += f", at {times:.3g} times our price in the median; cheaper than ours {cheaper}"
    return Row(task, f"ART, {name}", seconds, note=note)


if __name__ == "__main__":
    for row in run():
        print(row, flush=True)
