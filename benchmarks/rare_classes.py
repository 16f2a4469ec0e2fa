"""Forests and boosters on real sets with rare positives: log loss, average precision, savings.

python -m benchmarks.rare_classes rows.jsonl prints the table; results that the file has are not
computed again. `bench rare` runs it with docs/benchmarks/rare_rows.jsonl.
"""

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from imblearn.ensemble import BalancedRandomForestClassifier
from lightgbm import LGBMClassifier
from scipy import sparse
from scipy.stats import rankdata
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.metrics import average_precision_score, log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split

from stakes.costs import Costs
from stakes.metrics import savings_score
from stakes.reproduce._files import load_npz
from stakes.reproduce._rows import StoredRows
from stakes.tree import ConfidenceForestClassifier

ROWS = Path(__file__).parents[1] / "docs" / "benchmarks" / "rare_rows.jsonl"
MOST = 4000  # rows of a set, with the share of positives that it has
# name -> file and labels of the positive class; none of these was used to choose defaults
SETS = {
    "sick": ("sick.csv.gz", ("sick",)),
    "mammography": ("mammography.csv.gz", ("'1'",)),
    "hypothyroid": ("hypothyroid_uci3163.csv.gz", ("hypothyroid",)),
    "page blocks": ("page_blocks.csv.gz", ("2", "3", "4", "5")),
    "oil": ("oil_spill.csv.gz", ("1",)),
    "satimage": ("satimage.npz", ("4",)),
    "letter H": ("letter.csv.gz", ("H",)),
    "w7a": ("w7a.npz", ("1",)),
    "ijcnn1": ("ijcnn1_train.npz", ("1",)),
    "covtype 4": ("covtype.npz", ("4",)),
    "sylva": ("sylva_agnostic.npz", ("1",)),
    "bank marketing": ("bank_marketing.csv.gz", ("1", "yes")),
    "arrhythmia": ("arrhythmia.csv.gz", ("2",)),
    "ecoli": ("ecoli.csv.gz", ("om",)),
}
# equal budgets: four settings each, chosen by log loss on a fifth of the training rows
LEARNERS = {
    "ConfidenceForestClassifier": (
        lambda **k: ConfidenceForestClassifier(random_state=0, **k),
        [{}, {"max_features": 0.5}, {"min_samples_leaf": 10}, {"criterion": "entropy"}],
    ),
    "RandomForestClassifier": (
        lambda **k: RandomForestClassifier(random_state=0, **k),
        [{}, {"max_features": 0.33}, {"min_samples_leaf": 5}, {"criterion": "entropy"}],
    ),
    "ExtraTreesClassifier": (
        lambda **k: ExtraTreesClassifier(random_state=0, **k),
        [{}, {"max_features": 0.33}, {"min_samples_leaf": 5}, {"criterion": "entropy"}],
    ),
    "BalancedRandomForestClassifier": (
        lambda **k: BalancedRandomForestClassifier(random_state=0, **k),
        [{}, {"max_features": 0.33}, {"min_samples_leaf": 5}, {"criterion": "entropy"}],
    ),
    "LGBMClassifier": (
        lambda **k: LGBMClassifier(n_jobs=1, verbose=-1, random_state=0, **k),
        [{}, {"learning_rate": 0.03}, {"num_leaves": 7}, {"min_child_samples": 50}],
    ),
    "HistGradientBoostingClassifier": (
        lambda **k: HistGradientBoostingClassifier(random_state=0, **k),
        [{}, {"learning_rate": 0.03}, {"max_leaf_nodes": 7}, {"min_samples_leaf": 50}],
    ),
}
FORESTS = list(LEARNERS)[:4]
WIDE = ("w7a", "sylva")  # thousands of rows by hundreds of columns: at defaults only


def load(name):
    """X with codes of categories, gaps filled by the median, and the mask of the positives."""
    file, positive = SETS[name]
    path = Path(os.environ["STAKES_DATA"]) / file
    if file.endswith(".npz"):
        X, y = load_npz(path)
        y = np.asarray(y).astype(float).astype(int).astype(str)
    else:
        table = pl.read_csv(path, infer_schema=False, null_values=["?"])
        y = table[table.columns[-1]].to_numpy()
        X = np.column_stack([_numbers(table[c]) for c in table.columns[:-1]])
    keep = np.random.default_rng(0).permutation(len(y))[:MOST]
    X, y = X[keep], np.isin(y[keep], positive)
    X = np.asarray(X.todense()) if sparse.issparse(X) else X
    empty = np.isnan(X).all(axis=0)
    X[:, empty] = 0.0
    return np.where(np.isnan(X), np.nanmedian(X, axis=0), X), y


def _numbers(column):
    numbers = column.cast(pl.Float64, strict=False)
    if numbers.null_count() > column.null_count():
        codes = {value: k for k, value in enumerate(sorted(column.drop_nulls().unique()))}
        numbers = column.replace_strict(codes, return_dtype=pl.Float64)
    return numbers.fill_null(np.nan).to_numpy()


def prices(y, seed):
    """A missed positive costs a random amount, on average as much in all as all false alarms."""
    odds = (~y).sum() / y.sum()
    fn_cost = odds * np.random.default_rng(seed).lognormal(-0.5, 1.0, len(y))
    return dict(fp_cost=np.ones(len(y)), fn_cost=fn_cost)


def one_set(name, learner, tuned):
    """Log loss, average precision and savings of one learner, mean over two folds."""
    X, y = load(name)
    make, grid = LEARNERS[learner]
    costs, found = prices(y, 1), []
    for train, test in StratifiedKFold(2, shuffle=True, random_state=0).split(X, y):
        chosen = _choose(make, grid, X[train], y[train]) if tuned else {}
        p = make(**chosen).fit(X[train], y[train]).predict_proba(X[test])[:, 1]
        here = {k: c[test] for k, c in costs.items()}
        decided = Costs.of(len(test), **here).decide(p).astype(int)
        truth = y[test].astype(int)
        found.append(
            [
                log_loss(truth, np.clip(p, 1e-6, 1 - 1e-6)),
                average_precision_score(truth, p),
                savings_score(truth, decided, **here),
            ]
        )
    return np.mean(found, axis=0).tolist()


def _choose(make, grid, X, y):
    A, B, a, b = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
    losses = [
        log_loss(b, np.clip(make(**k).fit(A, a).predict_proba(B)[:, 1], 1e-6, 1 - 1e-6))
        for k in grid
    ]
    return grid[int(np.argmin(losses))]


def table(path=ROWS, names=tuple(SETS)):
    """Setting -> learner -> (mean of each measure, mean rank of each) over the sets."""
    rows, out = StoredRows(path), {}
    for tuned in (False, True):
        scores = np.array(
            [
                [
                    rows.get(
                        f"{name}, {learner}, {'tuned' if tuned else 'default'}",
                        lambda n=name, k=learner, t=tuned: one_set(n, k, t),
                    )
                    for learner in LEARNERS
                ]
                for name in names
                if not tuned or name not in WIDE
            ]
        )
        signed = scores * [1, -1, -1]
        ranks = {
            some: np.mean(rankdata(signed[:, : len(some)], axis=1), axis=0)
            for some in (tuple(FORESTS), tuple(LEARNERS))
        }
        out["tuned" if tuned else "default"] = {
            learner: dict(
                mean=scores[:, i].mean(axis=0),
                rank=ranks[tuple(LEARNERS)][i],
                forest_rank=ranks[tuple(FORESTS)][i] if learner in FORESTS else None,
            )
            for i, learner in enumerate(LEARNERS)
        }
    return out


def main():
    warnings.simplefilter("ignore")
    for setting, learners in table(sys.argv[1]).items():
        for learner, facts in learners.items():
            print(setting, learner, *(f"{k} {v}" for k, v in facts.items()))


if __name__ == "__main__":
    main()
