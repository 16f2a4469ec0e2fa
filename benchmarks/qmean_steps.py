"""Where the two constants of L-BFGS in the quadratic mean come from: real sets that no race uses.

`python -m benchmarks.qmean_steps` counts the gradients that L-BFGS needs until no entry of the
gradient exceeds 1e-6, for powers of the curvature by which the parameters are scaled and for sizes
of its memory, relative to L-BFGS as scipy has it (no scaling, 10 pairs of vectors). Eight sets of
texts, two streams of mails, two sparse tables and three dense ones; none of them is in
`bench qmean`, whose sets the constants must not be chosen on. Counts do not depend on the machine.
"""

import os
from itertools import product
from pathlib import Path

import numpy as np
from scipy import sparse

from stakes.qmean import QuadraticMeanProblem, _descent, classification_loss

TEXTS = ("fbis", "re0", "re1", "tr12", "tr23", "oh0", "oh5", "oh10", "wap")
MAILS = ("spam_stream_katakis", "spam_stream_spamassassin_dated")
TABLES = ("a9a", "w7a", "isolet1560", "usps", "sylva_agnostic")
POWERS = {"0": 0.0, "1/12": 1 / 12, "1/6": 1 / 6, "1/4": 1 / 4, "1/2": 1 / 2}
PAIRS = (10, 20, 40)
ALPHAS = (1e-2, 1e-4)
MOST = 3000  # gradients


def read(name):
    """X and the labels -1 and +1: the largest class against the others."""
    d = np.load(Path(os.environ["STAKES_DATA"], f"{name}.npz"))
    if "indptr" in d:
        parts = (d["data"].astype(np.float64), d["indices"].astype(np.int64), d["indptr"])
        X = sparse.csr_matrix(parts, shape=tuple(d["shape"]))
        X = X.log1p() if name.startswith(("text", "spam")) else X
    else:
        X = d["X"].astype(np.float64)
        spread = X.std(axis=0)
        X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    values, counts = np.unique(d["y"], return_counts=True)
    return X, np.where(d["y"] == values[counts.argmax()], 1.0, -1.0)


def gradients(X, y, alpha, power, pairs):
    """Number of gradients until none of their entries exceeds 1e-6; at most `MOST`."""
    group = (y > 0).astype(int)
    loss, share = classification_loss("logistic"), np.full(2, 0.5)
    problem = QuadraticMeanProblem(X, y, np.ones(len(y)), group, loss, share, alpha=alpha)
    plain, count = problem.value_and_gradient, 0

    def counted(*args):
        nonlocal count
        count += 1
        return plain(*args)

    problem.value_and_gradient = counted
    W = problem.start()
    before = _descent._SCALING, _descent._MEMORY
    _descent._SCALING, _descent._MEMORY = power, pairs * W.size
    try:
        _descent.lbfgs(problem, W, problem.exact, 1e-6, MOST)
    finally:
        _descent._SCALING, _descent._MEMORY = before
    return min(count, MOST)


def main():
    if not os.environ.get("STAKES_DATA"):
        raise SystemExit("Set STAKES_DATA to the folder of the data sets.")
    names = [*(f"text_{name}" for name in TEXTS), *MAILS, *TABLES]
    settings = list(product(POWERS, PAIRS))
    ratios = {key: [] for key in settings}
    print("| set, alpha | " + " | ".join(f"{p}, {m}" for p, m in settings) + " |")
    print("| --- |" + " ---: |" * len(settings))
    for name, alpha in product(names, ALPHAS):
        X, y = read(name)
        counts = {key: gradients(X, y, alpha, POWERS[key[0]], key[1]) for key in settings}
        for key in settings:
            ratios[key].append(counts[key] / counts["0", 10])
        print(f"| {name}, {alpha:g} | " + " | ".join(map(str, counts.values())) + " |", flush=True)
    for title, fold in (("geometric mean", lambda r: np.exp(np.log(r).mean())), ("worst", max)):
        row = " | ".join(f"{fold(ratios[key]):.2f}" for key in settings)
        print(f"| {title} of the ratio to 0, 10 | {row} |")


if __name__ == "__main__":
    main()
