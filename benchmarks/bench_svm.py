"""SVMs with costs against scikit-learn's: same problem, same tolerance, processor time.

Kernel: the class-level CS-SVM and SVC solve the same weighted problem (the exact reduction); with a
margin per example the peer is the epsilon-SVR that is the same problem, and SVC with the same
weights but plain margins runs next to it. Linear, few features and a sparse text-like table:
LinearSVC, and how far each stops from optimal; the tolerance of the sparse task is what LinearSVC
reaches there. Peak memory is that of a fresh process. None of the fits has probabilities.
Landmarks: the whole kernel against the approximation that "auto" chooses for many rows.
Certificates: see svm_certificates.py.
"""

import gc
import time
import warnings

import numpy as np
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.svm import SVC, SVR, LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks._measure import Row, peak_mib
from benchmarks.svm_certificates import check, random_problem
from stakes.svm import CostSensitiveSVC, LinearCostSensitiveSVC, weighted_equivalent

FAR = 100.0  # the oracle's tube and targets
FN_COST = 2.0  # of the linear tasks; at 4 the best w is zero there


def run():
    CostSensitiveSVC(calibration=None).fit(*problem(2_500, 20)[:2])  # compiles
    with threadpool_limits(1):
        return [
            *kernel_classes(5_000, turns=7),
            *kernel_examples(5_000, turns=7),
            *kernel_classes(20_000, turns=1),
            *kernel_examples(20_000, turns=1),
            *linear("linear 100,000 x 30", *problem(100_000, 30)[:2], turns=2, tol=1e-9),
            *linear("linear 20,000 x 50,000 sparse", *text(20_000, 50_000), turns=5, tol=5e-6),
            *landmarks([5_000, 10_000, 20_000, 40_000]),
            certificates(200),
        ]


def landmarks(sizes, n_test=10_000):
    """Time, stated and true loss, and what decisions cost on other rows, by number of rows."""
    X, y, _, _ = problem(max(sizes) + n_test, 20)
    rows = []
    for n in sizes:
        found = {}
        for name, how in {"300 landmarks": "nystroem", "whole kernel": None}.items():
            model = CostSensitiveSVC(
                fn_cost=4.0, approximation=how, calibration=None, random_state=0
            )
            start = time.process_time()
            model.fit(X[:n], y[:n])
            seconds = time.process_time() - start
            decided = model.predict(X[-n_test:])
            paid = np.where(y[-n_test:] == 1, 4.0, 1.0)[decided != y[-n_test:]].sum() / n_test
            found[name] = model, seconds, paid
        fast, whole = found["300 landmarks"], found["whole kernel"]
        task = f"rbf {n:,} x 20, landmarks"
        above = fast[0].objective_ / whole[0].objective_ - 1
        note = (
            f"cost of a test row {fast[2]:.3f}; objective above the optimum by {above:.2f}, "
            f"stated {fast[0].approximation_loss_:.2f}"
        )
        rows += [
            Row(task, "300 landmarks", fast[1], ratio=whole[1] / fast[1], note=note),
            Row(task, "whole kernel", whole[1], note=f"cost of a test row {whole[2]:.3f}"),
        ]
    return rows


def certificates(n):
    """How many of n random problems have a true certificate, and how many a warning instead."""
    start = time.process_time()
    verdicts = [check(random_problem(seed)) for seed in range(n)]
    silent = [v for v in verdicts if not v.warned]
    note = (
        f"{sum(v.true for v in silent)} of {len(silent)} without a warning are true, "
        f"{sum(v.true for v in verdicts) - sum(v.true for v in silent)} of "
        f"{n - len(silent)} with one; largest gap without one {max(v.gap for v in silent):.1e}"
    )
    task = f"certificates of {n} random problems"
    return Row(task, "all solvers", time.process_time() - start, note=note)


def problem(n, d):
    """Overlapping classes, standard features, and a price for each example."""
    X, y = make_classification(
        n, d, n_informative=d // 2, n_redundant=d // 5, flip_y=0.1, class_sep=0.8, random_state=0
    )
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    rng = np.random.default_rng(0)
    return X, y, rng.uniform(1.0, 2.0, n), rng.uniform(3.0, 6.0, n)


def text(n, d, words=80):
    """Rows of few words with Zipf's frequencies, weighted, of length one; a noisy linear label."""
    rng = np.random.default_rng(0)
    share = np.arange(1, d + 1) ** -0.9
    columns = rng.choice(d, size=n * words, p=share / share.sum())
    rows = np.repeat(np.arange(n), words)
    counts = sparse.coo_array((np.ones(n * words), (rows, columns)), shape=(n, d)).tocsr()
    X = TfidfTransformer().fit_transform(counts)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    score = X @ rng.normal(size=d)
    score += 0.3 * score.std() * rng.normal(size=n)
    return X, (score > np.quantile(score, 0.8)).astype(int)


def kernel_classes(n, turns):
    """One cost per class: SVC solves the reduced problem."""
    X, y, _, _ = problem(n, 20)
    same = weighted_equivalent(1.0, 4.0, 0.5)
    weights = {0: same["negative_weight"], 1: same["positive_weight"]}
    contestants = {
        "CostSensitiveSVC": lambda: CostSensitiveSVC(
            kappa=0.5, slope="paper", fn_cost=4.0, calibration=None
        ).fit(X, y),
        "SVC": lambda: SVC(C=same["C"], class_weight=weights).fit(X, y),
    }
    return timed(f"rbf {n:,} x 20, class costs", contestants, turns, "SVC")


def kernel_examples(n, turns):
    """One cost per example: the SVR oracle solves the same problem, SVC a simpler one."""
    X, y, fp, fn = problem(n, 20)
    signs = np.where(y == 1, 1.0, -1.0)
    c = np.where(y == 1, fn, fp)  # false alarms are the cheaper class here
    weight, margin = np.where(y == 1, c, 2 * c - 1), np.where(y == 1, 1.0, 1 / (2 * c - 1))
    gamma = 1.0 / (X.shape[1] * X.var())
    oracle = SVR(gamma=gamma, epsilon=FAR)
    printed = dict(kappa="paper", slope="paper", normalize_costs=False, calibration=None)
    contestants = {
        "CostSensitiveSVC": lambda: CostSensitiveSVC(**printed).fit(X, y, fp_cost=fp, fn_cost=fn),
        "SVC, plain margins": lambda: SVC().fit(X, y, sample_weight=weight),
        "SVR oracle": lambda: oracle.fit(X, signs * (margin + FAR), sample_weight=weight),
    }
    task = f"rbf {n:,} x 20, example costs"
    rows = timed(task, contestants, turns, "SVR oracle")
    ours, svc = rows[0], rows[1]
    ours.note = f"peer SVR oracle; {svc.seconds / ours.seconds:.2f} times faster than SVC"
    return rows


def linear(task, X, y, turns, tol):
    """How long, and how far from the certified optimum of the same objective."""
    found = {}

    def ours():
        found["ours"] = LinearCostSensitiveSVC(
            kappa=1.0, fn_cost=FN_COST, tol=tol, random_state=0, calibration=None
        ).fit(X, y)

    def peer():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LinearSVC(
                loss="hinge", class_weight={1: FN_COST}, max_iter=1000, random_state=0
            )
            found["peer"] = model.fit(X, y)

    contestants = {"LinearCostSensitiveSVC": ours, "LinearSVC": peer}
    rows = timed(f"{task}, class costs", contestants, turns, "LinearSVC")
    model, other = found["ours"], found["peer"]
    bound = model.objective_ * (1 - model.duality_gap_)
    slack = np.maximum(0, 1 - np.where(y == 1, 1, -1) * other.decision_function(X))
    value = 0.5 * np.sum(other.coef_**2) + np.where(y == 1, FN_COST, 1.0) @ slack
    rows[0].note = f"gap {model.duality_gap_:.1e}, |w| {np.linalg.norm(model.coef_):.2f}"
    rows[1].note = f"above the bound by {value / bound - 1:.1e}"
    return rows


def timed(task, contestants, turns, peer):
    """Best processor time of some turns each, and the peak memory of one more."""
    ours = next(iter(contestants))  # the only one that compiles
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(turns):
        for name, call in contestants.items():
            gc.collect()
            start = time.process_time()
            call()
            best[name] = min(best[name], time.process_time() - start)
    return [
        Row(
            task,
            name,
            seconds,
            peak_mib=peak_mib(contestants[name], warm=name == ours),
            ratio=best[peer] / seconds if name != peer else None,
            note=f"peer {peer}",
        )
        for name, seconds in best.items()
    ]
