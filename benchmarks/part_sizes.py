"""One-pass learners that learn each part of a table on their own and are merged: what that loses.

python -m benchmarks.part_sizes prints the table of docs/scale.md, or that of the data sets that
are named: card_payments, card_fraud, kdd99, kdd98. They are read from the folder STAKES_DATA.

A quarter of the shuffled rows is held out. The rest is cut into parts of a number of rows; a
learner reads each part once, and they are merged. Shown is what is saved on the held-out rows
less than by the learner that read all rows, as a mean over seeds, with its standard error.
"""

import sys
import warnings

import numpy as np
from sklearn.base import clone

from stakes._core.deciding import decide_with_costs, take_rows
from stakes.datasets import load
from stakes.metrics import savings_score
from stakes.online import AROWClassifier, CWCVaRClassifier, ProbitClassifier, SCWClassifier
from stakes.tables import prepare

SETS = ("card_payments", "card_fraud", "kdd99", "kdd98")
SIZES = (60_000, 15_000, 4000, 1000)
SEEDS = (11, 12, 13)
LEARNERS = (ProbitClassifier, AROWClassifier, SCWClassifier, CWCVaRClassifier)


def main():
    heads = [f"{size:,} rows a part" for size in SIZES]
    print("| data | learner | savings, one pass over all rows | " + " | ".join(heads) + " |")
    print("| --- " * (3 + len(SIZES)) + "|", flush=True)
    for name in sys.argv[1:] or SETS:
        data = load(name)
        found = np.array([savings(data, seed) for seed in SEEDS])  # seed x learner x size
        for k, learner in enumerate(LEARNERS):
            lost = found[:, k, :1] - found[:, k, 1:]
            cells = [
                f"{mean:.4f} ± {error:.4f}"
                for mean, error in zip(
                    lost.mean(0), lost.std(0, ddof=1) / np.sqrt(len(lost)), strict=True
                )
            ]
            word = learner.__name__.removesuffix("Classifier")
            row = [data.name, word, f"{found[:, k, 0].mean():.4f}", *cells]
            print("| " + " | ".join(row) + " |", flush=True)


def savings(data, seed):
    """Savings of each learner with one part, and with parts of each size."""
    order = np.random.default_rng(seed).permutation(len(data.y))
    test, train = np.split(order, [len(order) // 4])
    y, costs = np.asarray(data.y), data.as_costs().keywords()
    X, held = take_rows(data.X, train), take_rows(data.X, test)
    given = [
        {n: np.broadcast_to(c, len(y))[rows] for n, c in costs.items()} for rows in (train, test)
    ]
    found = []
    for learner in LEARNERS:
        pipeline = prepare(learner(), data)
        Z, T = pipeline[0].fit_transform(X), pipeline[0].transform(held)
        found.append([])
        for size in (len(train), *SIZES):
            model = merged(pipeline[-1], Z, y[train], given[0], size)
            decided, _ = decide_with_costs(model, T, **given[1])
            found[-1].append(savings_score(y[test], decided, **given[1]))
    return found


def merged(learner, Z, y, costs, size):
    """One learner of parts of at least a number of rows."""
    whole = None
    for part in np.array_split(np.arange(len(y)), max(len(y) // size, 1)):
        now = {name: cost[part] for name, cost in costs.items()}
        one = clone(learner).partial_fit(Z[part], y[part], classes=[0, 1], **now)
        whole = one if whole is None else whole.merge(one)
    return whole


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
