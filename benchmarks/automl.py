"""AutoML in money: equal time, the same decision of least expected cost on top.

python -m benchmarks.automl rows.jsonl --budget 60 --splits 2 prints the table; results that the
file has are not computed again. `bench automl` shows docs/benchmarks/automl_rows.jsonl. FLAML,
AutoGluon and empulse take part where they are installed.
"""

import argparse
import importlib.metadata
import os
import shutil
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    train_test_split,
)
from sklearn.preprocessing import StandardScaler

from stakes.compare import recommended, timed_blend
from stakes.costs import Costs
from stakes.datasets import load
from stakes.metrics import cost_loss, make_cost_scorer, savings_score
from stakes.reproduce._rows import StoredRows
from stakes.study import SETS as STUDY
from stakes.tables import ModelMatrix, TableEncoder, load_table

ROWS = Path(__file__).parents[1] / "docs" / "benchmarks" / "automl_rows.jsonl"
MOST = 12_000  # rows of a set
# further sets: file, positive labels, costs of a false positive and of a false negative; the
# costs are assumptions, of which the first half makes a miss ten times as expensive
MORE = {
    "mammography": None,
    "sick": None,
    "oil_spill": None,
    "pima": None,
    "hypothyroid": ("hypothyroid_uci3163.csv.gz", "hypothyroid", 1, 10),
    "phoneme": ("phoneme.csv.gz", "1", 1, 5),
    "credit_approval": ("credit_approval.csv.gz", "+", 2, 1),
    "page_blocks": ("page_blocks.csv.gz", "5", 1, 10),
}
SETS = (*STUDY, *MORE)


def data_of(name):
    """A set with costs, at most 12,000 rows."""
    if MORE.get(name) is None:
        data = load(name)
    else:
        file, positive, fp, fn = MORE[name]
        frame = pl.read_csv(Path(os.environ["STAKES_DATA"]) / file, infer_schema_length=None)
        target = "target" if "target" in frame.columns else frame.columns[-1]
        frame = frame.with_columns(pl.col(target).cast(pl.String).str.strip_chars("' "))
        data = load_table(frame, target, positive, fp_cost=fp, fn_cost=fn, name=name)
    return data.sample(MOST, random_state=0)


def split(data, seed):
    """Training and test rows."""
    train, test = train_test_split(
        np.arange(len(data)), test_size=0.4, stratify=data.y, random_state=seed
    )
    return data.take(train), data.take(test)


def frames(train, test):
    """Both parts as pandas frames: numbers, and categories as categories; missing is NaN."""
    import pandas as pd

    if not isinstance(train.X, pl.DataFrame):
        return tuple(pd.DataFrame(np.asarray(part.X)).add_prefix("x") for part in (train, test))
    encoder = TableEncoder(kinds=train.kinds).fit(train.X)
    found = []
    for part in (train, test):
        frame = pd.DataFrame(encoder.transform(part.X)).add_prefix("x")
        for j in np.flatnonzero(encoder.categorical_mask_):
            codes = frame[f"x{j}"]
            labels = pd.Series(pd.NA, index=codes.index, dtype="string")
            labels[codes.notna()] = codes.dropna().astype(int).astype(str)
            frame[f"x{j}"] = labels.astype(pd.CategoricalDtype(_categories(encoder, j)))
        found.append(frame)
    return tuple(found)


def _categories(encoder, j):
    name = encoder.feature_names_out_[j]
    return [str(k) for k in range(len(encoder.categories_[name]) + encoder.has_other_[name])]


def numbers(train, test):
    """Both parts as matrices of numbers; categories as codes, missing values as NaN."""
    if not isinstance(train.X, pl.DataFrame):
        return np.asarray(train.X), np.asarray(test.X)
    encoder = TableEncoder(kinds=train.kinds)
    return encoder.fit_transform(train.X), encoder.transform(test.X)


def our_timed_blend(train, test, budget, seed):
    model = timed_blend(budget, random_state=seed).fit(train.X, train.y)
    return model.predict_proba(test.X)[:, 1]


def recommended_blend(train, test, budget, seed):
    return recommended(seed).fit(train.X, train.y).predict_proba(test.X)[:, 1]


def tuned_lightgbm(train, test, budget, seed):
    """Random search by log loss in three folds for three quarters of the time, then a refit."""
    from lightgbm import LGBMClassifier

    X, Z = frames(train, test)
    rng, end = np.random.default_rng(seed), time.monotonic() + 0.75 * budget
    folds = StratifiedKFold(3, shuffle=True, random_state=seed)
    best, best_score, settings = None, -np.inf, {}
    while best is None or time.monotonic() < end:
        model = LGBMClassifier(n_jobs=1, verbose=-1, random_state=seed, **settings)
        score = cross_val_score(model, X, train.y, cv=folds, scoring="neg_log_loss").mean()
        if score > best_score:
            best, best_score = model, score
        settings = dict(
            n_estimators=int(2 ** rng.uniform(5, 10)),
            learning_rate=float(10 ** rng.uniform(-2, -0.7)),
            num_leaves=int(2 ** rng.uniform(2, 7)),
            min_child_samples=int(2 ** rng.uniform(2, 7)),
            colsample_bytree=float(rng.uniform(0.3, 1)),
            reg_lambda=float(10 ** rng.uniform(-3, 1.5)),
        )
    return best.fit(X, train.y).predict_proba(Z)[:, 1]


def flaml(train, test, budget, seed):
    from flaml import AutoML

    X, Z = frames(train, test)
    model = AutoML()
    how = dict(task="classification", metric="log_loss", time_budget=budget, n_jobs=1, verbose=0)
    model.fit(X, train.y, seed=seed, **how)
    return model.predict_proba(Z)[:, 1]


def autogluon(train, test, budget, seed, presets="medium_quality"):
    """With its default presets; "best_quality" bags and stacks."""
    from autogluon.tabular import TabularPredictor

    X, Z = frames(train, test)
    folder = tempfile.mkdtemp()
    try:
        model = TabularPredictor("y", eval_metric="log_loss", path=folder, verbosity=0)
        model.fit(X.assign(y=train.y), time_limit=budget, presets=presets, num_cpus=1)
        return model.predict_proba(Z)[1].to_numpy()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def tuned_threshold(train, test, budget, seed):
    """One threshold for all rows, tuned on the mean costs; it decides itself."""
    X, Z = frames(train, test)
    means = {name: float(np.mean(cost)) for name, cost in train.costs.items()}
    model = TunedThresholdClassifierCV(
        HistGradientBoostingClassifier(random_state=seed),  # categories by their type
        scoring=make_cost_scorer(cost_loss, **means),
        cv=5,
    )
    return model.fit(X, train.y).predict(Z) == 1


def empulse(train, test, budget, seed):
    """Its learner with the lowest cost in three folds, deciding as it decides itself."""
    folds = list(StratifiedKFold(3, shuffle=True, random_state=seed).split(train.y, train.y))
    lowest, best = np.inf, None
    for learner in _EMPULSE:
        parts = [(train.take(seen), train.take(unseen)) for seen, unseen in folds]
        cost = sum(_paid(part[1], _empulse_decides(learner, *part, seed)) for part in parts)
        if cost < lowest:
            lowest, best = cost, learner
    return _empulse_decides(best, train, test, seed)


_EMPULSE = ("CSBoost", "CSForest", "CSLogit", "CSThreshold")


def _paid(data, decided):
    return Costs.of(len(data), **data.costs).paid(data.y == 1, decided).sum()


def _empulse_decides(learner, train, test, seed):
    from empulse import models

    matrix = ModelMatrix() if isinstance(train.X, pl.DataFrame) else None
    if learner == "CSLogit":  # wants scaled columns
        model, matrix = models.CSLogitClassifier(), matrix or StandardScaler()
    elif learner == "CSForest":
        model = models.CSForestClassifier(random_state=seed)
    elif learner == "CSBoost":
        model = models.CSBoostClassifier()
    else:
        booster = HistGradientBoostingClassifier(random_state=seed)
        model = models.CSThresholdClassifier(booster, random_state=seed)
    X, Z = numbers(train, test)
    if learner in ("CSLogit", "CSForest") and matrix is not None:
        X, Z = matrix.fit_transform(train.X), matrix.transform(test.X)
    else:  # none of its learners takes missing values
        fill = SimpleImputer(strategy="median", add_indicator=True)
        X, Z = fill.fit_transform(X), fill.transform(Z)
    prices, asked = (
        {name: np.broadcast_to(cost, (len(part),)) for name, cost in part.costs.items()}
        for part in (train, test)
    )
    if learner == "CSThreshold":
        return model.fit(X, train.y).predict(Z, **asked) == 1
    return model.fit(X, train.y, **prices).predict(Z) == 1


CONTESTANTS = {
    "timed blend": our_timed_blend,
    "recommended blend": recommended_blend,
    "tuned LightGBM": tuned_lightgbm,
    "FLAML": flaml,
    "AutoGluon": autogluon,
    "AutoGluon best_quality": partial(autogluon, presets="best_quality"),
    "TunedThresholdClassifierCV": tuned_threshold,
    "empulse, best of four": empulse,
}
_NEEDS = {  # what a contestant runs on
    "tuned LightGBM": "lightgbm",
    "FLAML": "flaml",
    "AutoGluon": "autogluon.tabular",
    "AutoGluon best_quality": "autogluon.tabular",
    "TunedThresholdClassifierCV": "scikit-learn",
    "empulse, best of four": "empulse",
}
UNTIMED = ("recommended blend", "TunedThresholdClassifierCV", "empulse, best of four")


def measure(name, contestant, budget, seed):
    """What the decisions about the test rows cost, and the time of training and predicting."""
    train, test = split(data_of(name), seed)
    start = time.monotonic()
    found = CONTESTANTS[contestant](train, test, budget, seed)
    seconds = time.monotonic() - start
    costs = Costs.of(len(test), **test.costs)
    decided = found if found.dtype == bool else costs.decide(found)
    loss = None if found.dtype == bool else float(log_loss(test.y, np.clip(found, 1e-6, 1 - 1e-6)))
    return dict(
        version=installed(contestant),
        seconds=seconds,
        log_loss=loss,
        savings=float(savings_score(test.y, decided.astype(int), **test.costs)),
        cost_per_1000=float(1000 * costs.paid(test.y == 1, decided).mean()),
    )


def run(path=ROWS, budget=60.0, splits=1, names=SETS, contestants=CONTESTANTS):
    """All results, from the file or computed and added to it."""
    stored = StoredRows(path)
    for name in names:
        for seed in range(splits):
            for contestant in contestants:
                if installed(contestant) is None:
                    continue
                # what ignores the time is computed once
                limit = 0 if contestant in UNTIMED else budget
                key = f"{name}/{seed}/{contestant}/{limit:g}"
                stored.get(key, partial(tried, name, contestant, budget, seed))
    return stored.known


def installed(contestant):
    """Name and version of the package that a contestant runs on; None if it is not installed."""
    package = _NEEDS.get(contestant, "stakes")
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return None


def tried(name, contestant, budget, seed):
    """The result, or the error of a peer that fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return measure(name, contestant, budget, seed)
    except Exception as error:
        return dict(error=f"{type(error).__name__}: {str(error)[:200]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, nargs="?", default=ROWS)
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--contestants", nargs="+", default=list(CONTESTANTS))
    given = parser.parse_args()
    run(given.path, given.budget, given.splits, given.sets, given.contestants)
    from benchmarks.bench_automl import table

    for row in table(given.path):
        print(row.task, row.contestant, row.note, sep=" | ")


if __name__ == "__main__":
    main()
