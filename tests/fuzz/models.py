"""Models of every kind that a model file may hold, saved, each with rows to use it on."""

import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from checks import accepted, problem
from fuzz.rarer_models import declared, has_skrub, held, rarer_models
from stakes.model_file import save_model


@cache
def models():
    """Name -> (kind, bytes of a model file, rows to use the model on).

    They are made in another process: the threads of polars and OpenMP do not survive a fork.
    """
    return _made("make")


@cache
def trained():
    """The files of `stakes train` among them."""
    return _made("make_trained")


def _made(function):
    with tempfile.TemporaryDirectory() as folder:
        program = f"from fuzz import models; models.{function}({folder!r})"
        path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        subprocess.run(
            [sys.executable, "-c", program], check=True, env=os.environ | {"PYTHONPATH": path}
        )
        with open(Path(folder) / "models", "rb") as file:
            return pickle.load(file)


def make(folder):
    """Write all models to a file."""
    with warnings.catch_warnings(), open(Path(folder) / "models", "wb") as file:
        warnings.simplefilter("ignore")
        found = _estimators() | rarer_models(saved, _table()) | _tables(folder) | _trained(folder)
        found |= _streams(folder)
        if missing := sorted(declared() - {name for one in found.values() for name in held(one)}):
            raise AssertionError(f"no model file of the fuzzer has a {missing}")
        pickle.dump(found, file)


def make_trained(folder):
    """Write the files of `stakes train` to a file."""
    with warnings.catch_warnings(), open(Path(folder) / "models", "wb") as file:
        warnings.simplefilter("ignore")
        pickle.dump(_trained(folder), file)


def _estimators():
    from instances import instances

    X, y, fp, fn = problem(n=60)
    X = np.column_stack([X[:, :3], np.arange(60) % 5])  # the last column may be a category
    found = {}
    for i, model in enumerate([*_others(), *instances()]):
        model.fit(X, y, **accepted(model.fit, fp_cost=fp, fn_cost=fn))
        found[f"{i} {type(model).__name__}"] = "estimator", saved(model), X[:9]
    for i, model in enumerate(_others()):
        if not type(model).__module__.startswith("stakes"):
            model.fit(X, np.arange(60) % 3)
            found[f"{i} {type(model).__name__}, three classes"] = "estimator", saved(model), X[:9]
    return found


def _others():
    from lightgbm import LGBMClassifier
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        GradientBoostingClassifier,
        HistGradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.kernel_approximation import Nystroem, RBFSampler
    from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, SGDClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler
    from sklearn.svm import SVC, LinearSVC
    from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
    from xgboost import XGBClassifier

    from stakes.decision import BayesDecisionClassifier

    few = dict(n_estimators=3, random_state=0)
    booster = HistGradientBoostingClassifier(max_iter=3, categorical_features=[3])
    return [
        LogisticRegression(),
        LogisticRegressionCV(cv=2, Cs=2, use_legacy_attributes=False, l1_ratios=(0,)),
        SVC(),
        SVC(kernel="linear"),
        LinearSVC(),
        HistGradientBoostingClassifier(max_iter=3),
        booster,
        RandomForestClassifier(**few),
        ExtraTreesClassifier(**few),
        GradientBoostingClassifier(**few),
        GradientBoostingClassifier(**few),
        DecisionTreeClassifier(),
        ExtraTreeClassifier(),
        GaussianNB(),
        SGDClassifier(loss="modified_huber"),
        DummyClassifier(strategy="prior"),
        LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1),
        LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1, min_child_samples=2),
        LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1, categorical_feature=[3]),
        XGBClassifier(n_estimators=3, n_jobs=1),
        XGBClassifier(n_estimators=3, n_jobs=1),
        CalibratedClassifierCV(GaussianNB(), cv=3),
        CalibratedClassifierCV(LinearSVC(), cv=3, method="isotonic"),
        BayesDecisionClassifier(LogisticRegression(), calibration="isotonic"),
        BayesDecisionClassifier(RandomForestClassifier(**few), calibration="sigmoid"),
        make_pipeline(MinMaxScaler(), RBFSampler(n_components=8), LogisticRegression()),
        make_pipeline(MaxAbsScaler(), Nystroem(n_components=8), LogisticRegression()),
        make_pipeline(RobustScaler(), LogisticRegression()),
    ]


def _tables(folder):
    """Pipelines over tables with text, numbers, dates and missing values."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    from stakes.tables import prepare

    table, y = _table().drop("y"), _table()["y"].to_numpy()
    found = {}
    for i, (model, how) in enumerate(
        [
            (LogisticRegression(), dict(scale=True, one_hot=True)),
            (HistGradientBoostingClassifier(max_iter=3), dict(one_hot=False)),
        ]
    ):
        model = prepare(model, table, **how).fit(table, y)
        found[f"table {i}"] = "estimator", saved(model), table[:9].to_dict(as_series=False)
    if has_skrub():
        found |= {"table of skrub": ("estimator", *_skrub_table(table, y))}
    return found


def _skrub_table(table, y):
    """A model behind skrub's TableVectorizer, and rows to use it on: all kinds of columns."""
    from datetime import datetime, timedelta

    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.pipeline import make_pipeline
    from skrub import TableVectorizer

    table = table.with_columns(
        when=pl.Series([datetime(2024, 1, 1) + timedelta(hours=7 * i) for i in range(80)]),
        memo=pl.Series([f"to {i} from {79 - i}" for i in range(80)]),
        group=pl.Series(["ab"[i % 2] for i in range(80)], dtype=pl.Categorical),
    )
    model = make_pipeline(TableVectorizer(), HistGradientBoostingClassifier(max_iter=3))
    return saved(model.fit(table, y)), table[:9].to_dict(as_series=False)


def _table():
    rng = np.random.default_rng(0)
    amount = rng.lognormal(3, 1, 80).round(2)
    columns = dict(kind=rng.choice(["a", "b", "c"], 80), amount=amount, x=rng.normal(size=80))
    table = pl.DataFrame(columns | dict(y=(columns["x"] + rng.normal(size=80) > 0).astype(int)))
    return table.with_columns(x=pl.when(pl.int_range(80) % 9 > 0).then("x"))


def _trained(folder):
    """Files of `stakes train`."""
    from stakes.compare import TableSettings, train_to_file

    path = Path(folder) / "table.csv"
    _table().write_csv(path)
    found = {}
    costs = dict(costs=dict(fp_cost="5", fn_cost="amount"))
    table = dict(classes=["0", "1", "2"], actions=["no", "yes"])
    table["cells"] = [[0, 1], ["amount", 2], [5, 1]]
    for name, learner, how in [
        ("logistic regression", "logistic regression, Bayes decision", costs),
        ("Probit", "Probit", costs),
        ("classes", "logistic regression, Bayes decision", dict(cost_matrix=table)),
    ]:
        if name == "classes":
            _table().with_columns(y=pl.int_range(80) % 3).write_csv(path)
        settings = TableSettings(data=str(path), target="y", **how)
        train_to_file(Path(folder) / "m", learner, settings, settings.load(), tune=False)
        data = (Path(folder) / "m").read_bytes()
        found[f"train {name}"] = "trained", data, _table()[:9].drop("y").to_dict(as_series=False)
    return found


def _streams(folder):
    """Checkpoints of streams, with events that wait for their labels."""
    from stakes.compare import all_estimators
    from stakes.online import ProbitClassifier
    from stakes.stream import ClassStream, DecisionStream

    found = {}
    rows = _table().to_dicts()
    for name, learner in all_estimators():
        if not hasattr(learner, "learn_one"):
            continue
        stream = DecisionStream(learner(), target="y", fn_cost="amount", delay=3)
        for i, row in enumerate(rows):
            stream.learn(row) if i % 3 else stream.decide(row, f"e{i}")
        stream.label("e3", 1)
        stream.save(Path(folder) / "m", more={"a": 1})
        found[f"stream {name}"] = "stream", (Path(folder) / "m").read_bytes(), rows
    table = dict(classes=["0", "1"], actions=["no", "yes", "ask"])
    table["cells"] = [[0, 1, 2], ["amount", 2, 1]]
    stream = ClassStream(ProbitClassifier(), cost_matrix=table, target="y", delay=3)
    for i, row in enumerate(rows):
        stream.learn(row) if i % 3 else stream.decide(row, f"e{i}")
    stream.save(Path(folder) / "m", more={"a": 1})
    found["stream of classes"] = "stream", (Path(folder) / "m").read_bytes(), rows
    return found


def saved(model):
    """The bytes of a model file."""
    with tempfile.TemporaryDirectory() as folder:
        save_model(model, Path(folder) / "m")
        return (Path(folder) / "m").read_bytes()
