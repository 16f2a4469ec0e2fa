"""Where the defaults of the SVMs come from: 31 real data sets that the money study does not use.

`python -m benchmarks.svm_defaults` prints the table of docs/svm.md. The features are real, the
costs drawn: five to one in either direction, amounts that say nothing about the class, and amounts
that go with a feature. Savings are relative to the best constant policy, on held-out rows.
"""

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from stakes.svm import CostSensitiveSVC

POSITIVE = {  # of tables; None: the rarer class, "not X": all but X
    **{"australian": 2, "breast_cancer_wisconsin": 4, "cmc": 2, "credit_approval": "+"},
    **{"diabetes_pima": 1, "ionosphere": "b", "mammography": "'1'", "oil_spill": 1},
    **{"page_blocks": "not 1", "phoneme": 1, "sick": "sick", "hypothyroid_uci3163": "hypothyroid"},
    **{"kr_vs_kp": "nowin", "haberman": 2, "heart_statlog": "present", "liver_bupa": 1},
    **{"vehicle": "van", "segment": "window", "waveform5000": 0, "letter": "A", "sonar": "M"},
    **{"ijcnn1_train": 1, "a9a": 1, "svmguide1": None, "svmguide3": None, "fourclass": 1},
    **{"splice_train": None, "satimage": 4, "ada_agnostic": 1, "cod-rna_train_zscored": None},
    **{"drift_elec2": None},
}
COSTS = ("a miss costs 5", "a false alarm costs 5", "amounts", "amounts by a feature")
PLAIN = dict(calibration=None)
CONTESTANTS = {
    "smallest cost as unit, kappa = 1 (until now)": dict(kappa=1.0, normalize_costs=False, **PLAIN),
    "mean cost as unit, kappa = 1": dict(kappa=1.0, **PLAIN),
    "kappa = 0.5": dict(kappa=0.5, **PLAIN),
    "kappa = 0.25": dict(kappa=0.25, **PLAIN),
    "kappa searched in inner folds": dict(kappa="search", **PLAIN),
    "kappa from the ratio, slope of the paper": dict(slope="paper", **PLAIN),
    "kappa from the ratio": PLAIN,
    "the same, probabilities, costs of examples in training": dict(cost_rule="example"),
    "the same, probabilities, costs of classes in training (default)": {},
}


def load(name, n, rng):
    """Up to n rows with at least 60 positives, numbers and indicators."""
    folder = Path(os.environ["STAKES_DATA"])
    if (folder / f"{name}.npz").exists():
        with np.load(folder / f"{name}.npz") as file:
            y = file["y"]
            if "X" in file:
                X = file["X"].astype(np.float64)
            else:
                parts = file["data"], file["indices"], file["indptr"]
                X = sparse.csr_array(parts, shape=tuple(file["shape"])).toarray().astype(np.float64)
    else:
        table = pl.read_csv(folder / f"{name}.csv.gz", infer_schema_length=None)
        table = table.filter(pl.col("target").is_not_null())
        y = table["target"].to_numpy()
        X = _numbers(table.drop("target", "id", strict=False))
    positive = POSITIVE[name]
    if positive is None:
        values, counts = np.unique(y, return_counts=True)
        positive = values[counts.argmin()]
    y = y != 1 if positive == "not 1" else y == positive
    order = rng.permutation(len(y))
    few = order[y[order]][: max(60, int(n * y.mean()))]
    rows = rng.permutation(np.concatenate([few, order[~y[order]][: n - len(few)]]))
    return X[rows], y[rows].astype(int)


def _numbers(table):
    columns = []
    for column in table.get_columns():
        if column.dtype.is_numeric():
            values = column.cast(pl.Float64).to_numpy()
            mean = np.nanmean(values) if np.isfinite(values).any() else 0.0
            columns.append(np.where(np.isnan(values), mean, values))
        else:
            text = column.cast(pl.String).fill_null("missing")
            columns += [(text == v).to_numpy().astype(float) for v in text.unique().sort()[:15]]
    return np.column_stack(columns)


def draw_costs(kind, X, y, rng):
    """fp_cost and fn_cost of each example."""
    n, ratio = len(y), (y == 0).sum() / (y == 1).sum()
    if kind == COSTS[0]:
        return np.ones(n), np.full(n, 5.0)
    if kind == COSTS[1]:
        return np.full(n, 5.0), np.ones(n)
    if kind == COSTS[2]:
        return np.ones(n), 0.5 * ratio * np.exp(rng.normal(size=n))
    amount = np.exp(rng.normal(size=n) + (X[:, 0] - X[:, 0].mean()) / (X[:, 0].std() + 1e-9))
    return 0.2 * amount**0.5, 0.75 * amount


def savings(name, kind, n, seed):
    """Savings of every contestant, over three folds."""
    rng = np.random.default_rng([seed, list(POSITIVE).index(name), COSTS.index(kind)])
    X, y = load(name, n, rng)
    fp, fn = draw_costs(kind, X, y, rng)
    paid, best = dict.fromkeys(CONTESTANTS, 0.0), 0.0
    for train, test in StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y):
        mean, sd = X[train].mean(axis=0), X[train].std(axis=0)
        Z = (X - mean) / np.where(sd > 0, sd, 1.0)
        regret = np.where(y, fn, fp)
        means = regret[train][y[train] == 0].mean(), regret[train][y[train] == 1].mean()
        cheap = y[train] == int(np.argmin(means))
        for label, options in CONTESTANTS.items():
            unit = regret[train][cheap].min() if options.get("normalize_costs") is False else 1.0
            model = CostSensitiveSVC(**options)
            model.fit(Z[train], y[train], fp_cost=fp[train] / unit, fn_cost=fn[train] / unit)
            if model.calibration is None:
                decided = model.predict(Z[test])
            else:
                decided = model.predict(Z[test], fp_cost=fp[test], fn_cost=fn[test])
            paid[label] += regret[test][decided != y[test]].sum()
        best += min(regret[test][y[test] == side].sum() for side in (0, 1))
    return [max(1 - total / best, -1.0) for total in paid.values()]


def main(n=300, seed=7):
    """Print the mean savings by kind of costs, best last."""
    warnings.simplefilter("ignore")
    found = {kind: [] for kind in COSTS}
    for name in POSITIVE:
        for kind in COSTS:
            found[kind].append(savings(name, kind, n, seed))
        print(name, file=sys.stderr, flush=True)
    table = np.array([found[kind] for kind in COSTS])  # kinds x sets x contestants
    print(f"| {len(POSITIVE)} data sets, {n} rows | {' | '.join(COSTS)} | mean | better, worse |")
    print("| --- " * (len(COSTS) + 3) + "|")
    for k, label in enumerate(CONTESTANTS):
        values = " | ".join(f"{value:.3f}" for value in table[:, :, k].mean(axis=1))
        gain = table[:, :, k] - table[:, :, 0]
        counts = f"{(gain > 1e-9).sum()}, {(gain < -1e-9).sum()}" if k else ""
        print(f"| {label} | {values} | {table[:, :, k].mean():.3f} | {counts} |")


if __name__ == "__main__":
    main()
