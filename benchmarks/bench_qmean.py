"""Quadratic-mean logistic regression against scikit-learn's LogisticRegression(lbfgs).

Both stop when the largest entry of the gradient of their own objective is at most 1e-6, with the
same ridge penalty; `note` has the value that was reached. `python -m benchmarks.bench_qmean` also
plots the gap of the bundle method by iteration to docs/figures/qmean_bundle.svg.
"""

import os
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from benchmarks._measure import Row, race
from stakes.qmean import (
    KernelQuadraticMeanClassifier,
    QuadraticMeanClassifier,
    QuadraticMeanProblem,
    classification_loss,
)

SLOPE = 1e-6
PEER = "LogisticRegression(lbfgs)"


def dense(n=500_000, d=50):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=d) + 3 * rng.normal(size=n) > 12).astype(int)


def online_csr(n=200_000, d=47_000, k=75):
    """The CSR data of the online benchmark, generated in the same way."""
    rng = np.random.default_rng(0)
    columns = np.minimum((rng.pareto(0.6, size=(n, k)) * 50).astype(np.int64), d - 1)
    columns = np.where(columns == d - 1, rng.integers(0, d, size=(n, k)), columns)
    X = sparse.csr_matrix(
        (rng.random(n * k), columns.ravel(), np.arange(0, n * k + 1, k)), shape=(n, d)
    )
    X.sum_duplicates()
    return X, (X @ rng.normal(size=d) + rng.normal(size=n) > 0).astype(int)


def mails():
    """A stream of mails as word counts: CSR, 37,710 x 10,840; None without STAKES_DATA."""
    where = os.environ.get("STAKES_DATA")
    path = Path(where or "", "spam_stream_trec07p_first37710.npz")
    if not where or not path.exists():
        return None
    d = np.load(path)
    X = sparse.csr_matrix((d["data"], d["indices"], d["indptr"]), shape=tuple(d["shape"]))
    return X.astype(np.float64).log1p(), d["y"].astype(int)


def contest(task, X, y, alpha, tols, turns):
    n = X.shape[0]
    fitted = {}

    def ours(solver):
        def call():
            model = QuadraticMeanClassifier(alpha=alpha, solver=solver, tol=tols[solver])
            fitted[f"quadratic mean ({solver})"] = model.fit(X, y).gradient_norm_

        return call

    def peer():
        model = LogisticRegression(C=1 / (2 * alpha * n), tol=SLOPE, max_iter=10_000).fit(X, y)
        fitted[PEER] = plain_slope(model, X, y, alpha)

    contestants = {f"quadratic mean ({solver})": ours(solver) for solver in tols}
    rows = race(task, {**contestants, PEER: peer}, turns=turns, peer=PEER)
    for row in rows:
        row.note = f"largest slope {fitted[row.contestant]:.1e}"
    return rows


def plain_slope(model, X, y, alpha):
    """Largest entry of the gradient of the mean logistic loss with ridge alpha, free intercept."""
    problem = QuadraticMeanProblem(
        X,
        2.0 * y - 1,
        np.ones(len(y)),
        np.zeros(len(y), dtype=int),
        classification_loss("logistic"),
        np.ones(1),
        alpha=alpha,
        regularize_intercept=False,
    )
    W = np.append(model.coef_[0], model.intercept_)
    return np.abs(problem.value_and_gradient(W)[1]).max()


def run():
    X, y = dense()
    rows = contest(
        f"dense {X.shape[0]:,} x {X.shape[1]}, {y.mean():.1%} positive",
        X,
        y,
        1e-4,
        {"auto": 1e-6, "lbfgs": 1e-6},
        turns=3,
    )
    # ours is a tolerance of the duality gap: these values reach the gradient of the peer
    for title, data, tol in (
        ("CSR of the online benchmark", online_csr(), 1e-4),
        ("CSR mails", mails(), 1e-5),
    ):
        if data is not None:
            X, y = data
            task = f"{title}, {X.shape[0]:,} x {X.shape[1]:,}, {y.mean():.0%} positive"
            rows += contest(task, X, y, 1e-4, {"auto": tol}, turns=2)
    return rows + kernel_rows() + bundle_rows()


def kernel_rows(n=20_000, d=20, landmarks=1000):
    """Processor time of the kernel learner with landmarks, by loss."""
    X, y = make_classification(n, d, n_informative=10, weights=[0.9], flip_y=0.02, random_state=0)
    rows = []
    for loss in ("logistic", "hinge"):
        model = KernelQuadraticMeanClassifier(loss=loss, n_components=landmarks, random_state=0)
        start = time.process_time()
        model.fit(X, y)
        seconds = time.process_time() - start
        note = f"relative duality gap {model.duality_gap_:.1e}"
        rows.append(Row(f"kernel, {n:,} x {landmarks:,} landmarks", loss, seconds, note=note))
    return rows


def bundle_fits(alphas=(0.5, 0.05, 0.005), tol=1e-5):
    """Seconds of Algorithm 6 and its gap after each iteration, by loss and alpha."""
    X, y = dense(20_000, 20)
    for loss in ("logistic", "hinge", "huber"):
        for alpha in alphas:
            model = QuadraticMeanClassifier(
                loss=loss, alpha=alpha, solver="bundle", tol=tol, max_iter=500
            )
            start = time.perf_counter()
            gaps = model.fit(X, y).gaps_
            yield loss, alpha, time.perf_counter() - start, gaps


def bundle_rows():
    task = "bundle method (Algorithm 6), 20,000 x 20, relative gap 1e-5"
    return [
        Row(task, f"{loss}, alpha = {alpha:g}", seconds, note=f"{len(gaps)} iterations")
        for loss, alpha, seconds, gaps in bundle_fits()
    ]


def draw(path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for loss, alpha, _, gaps in bundle_fits():
        axes.semilogy(range(1, len(gaps) + 1), gaps, label=f"{loss}, alpha = {alpha:g}")
        print(f"{loss:9} alpha {alpha:<6g} {len(gaps):4d} iterations to a gap of {gaps[-1]:.1e}")
    axes.set(xlabel="iterations of Algorithm 6", ylabel="gap")
    axes.legend(fontsize=7)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    draw(Path(__file__).parents[1] / "docs/figures/qmean_bundle.svg")
