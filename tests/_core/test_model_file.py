"""Model files: the same predictions after a round trip, and no code from a file, ever."""

import functools
import io
import json
import os
import pickle
import warnings
import zipfile

import numpy as np
import polars as pl
import pytest
import skops.io
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from checks import accepted, problem
from instances import instances
from stakes._core.model_file import FORMAT, load_model, save_model
from stakes.decision import BayesDecisionClassifier
from stakes.errors import InputError
from stakes.tables import prepare

OTHERS = [
    LogisticRegression(),
    HistGradientBoostingClassifier(max_iter=5),
    RandomForestClassifier(n_estimators=5),
    LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1),
    XGBClassifier(n_estimators=5, n_jobs=1),
    BayesDecisionClassifier(HistGradientBoostingClassifier(max_iter=5), calibration="isotonic"),
    BayesDecisionClassifier(LogisticRegression(), calibration="sigmoid"),
]


@pytest.mark.parametrize("estimator", [*instances(), *OTHERS], ids=lambda e: type(e).__name__)
def test_the_same_predictions_after_a_round_trip(estimator, tmp_path):
    X, y, fp, fn = problem(n=80)
    model = clone(estimator)
    if not hasattr(model, "predict"):
        pytest.skip("nothing to predict with")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, **accepted(model.fit, fp_cost=fp, fn_cost=fn))
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops").model
    assert type(loaded) is type(model)
    np.testing.assert_array_equal(model.predict(X), loaded.predict(X))
    for method in ("decision_function", "predict_proba"):
        if hasattr(model, method):
            before, after = getattr(model, method)(X), getattr(loaded, method)(X)
            np.testing.assert_array_equal(before, after)
    for name, value in vars(model).items():
        if isinstance(value, np.ndarray) and value.dtype != object:
            np.testing.assert_array_equal(value, vars(loaded)[name])


@pytest.mark.parametrize("scale", [True, False])
def test_a_pipeline_on_a_mixed_table(scale, tmp_path):
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {"k": rng.choice(["a", "b", "c"], 200), "n": rng.normal(size=200), "f": rng.random(200) < 1}
    )
    y = (table["k"] == "a").to_numpy().astype(int)
    learner = LogisticRegression() if scale else HistGradientBoostingClassifier(max_iter=5)
    model = prepare(learner, table, scale=scale, one_hot=scale).fit(table, y)
    save_model(model, tmp_path / "m.skops", columns=["k", "n"], costs={"fn_cost": "2*n"}, n=3)
    stored = load_model(tmp_path / "m.skops")
    np.testing.assert_array_equal(stored.model.predict_proba(table), model.predict_proba(table))
    assert stored.facts == {"columns": ["k", "n"], "costs": {"fn_cost": "2*n"}, "n": 3}


class Evil:
    def __reduce__(self):
        return os.system, (f"touch {Evil.target}",)


def test_a_pickle_is_not_opened(tmp_path):
    Evil.target = tmp_path / "ran"
    path = tmp_path / "model.skops"
    path.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(InputError, match="not a stakes model file or is damaged"):
        load_model(path)
    assert not Evil.target.exists()


def test_a_function_in_a_file_is_named_and_not_run(tmp_path):
    path = tmp_path / "model.skops"
    step = FunctionTransformer(func=os.system)
    content = {"format": FORMAT, "version": "1", "model": make_pipeline(step), "facts": {}}
    skops.io.dump(content, path)
    with pytest.raises(InputError, match=r"contains a posix.system, which no stakes model has"):
        load_model(path)


def node(module, name, **more):
    return {"__class__": name, "__module__": module, "__loader__": "FunctionNode"} | more


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        (node("builtins", "eval"), "builtins.eval"),
        (node("stakes.errors", "difflib"), "stakes.errors.difflib"),
        (node("stakes.tables._reading", "gzip"), "stakes.tables._reading.gzip"),
        (node("stakes.cli", "main"), "stakes.cli.main"),
        (node("stakes._core.model_file", "save_model"), "stakes._core.model_file.save_model"),
        (node("stakes.compare._results", "os.system"), "stakes.compare._results.os.system"),
        (node("subprocess", "Popen", __loader__="TypeNode"), "subprocess.Popen"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hand_made_files_are_refused(schema, word, tmp_path):
    path = tmp_path / "model.skops"
    schema = schema | {"protocol": 2, "_skops_version": "0.16"}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", json.dumps(schema))
    with pytest.raises(InputError, match=f"contains a {word}"):
        load_model(path)


def test_a_partial_of_another_function_is_refused(tmp_path):
    step = FunctionTransformer(func=functools.partial(os.system, "true"))
    write(step, tmp_path / "m")
    with pytest.raises(InputError, match=r"contains a posix.system"):
        load_model(tmp_path / "m")


@pytest.mark.parametrize(
    "name",
    [
        "stakes.decision.BayesDecisionClassifier",  # only where it is defined
        "stakes.tables._priced.PricedData",
        "stakes.nowhere.Thing",
        "stakesx.evil.Thing",
        "sklearn.neighbors._classification.KNeighborsClassifier",  # nothing checks its tree
        "sklearn.linear_model.LogisticRegression",
    ],
)
def test_objects_of_unknown_classes_are_refused(name, tmp_path):
    module, _, attribute = name.rpartition(".")
    schema = node(module, attribute, __loader__="ObjectNode") | {"protocol": 2}
    with zipfile.ZipFile(tmp_path / "m", "w") as archive:
        archive.writestr("schema.json", json.dumps(schema))
    with pytest.raises(InputError, match=f"contains a {name}, which no stakes model has"):
        load_model(tmp_path / "m")


def test_other_files_end_in_a_sentence(tmp_path):
    path = tmp_path / "m.skops"
    with pytest.raises(InputError, match="There is no model file"):
        load_model(path)
    for data in [b"", b"hello", _zip(), _zip(("schema.json", "{}")), _zip(("schema.json", "["))]:
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"not a stakes model file|is damaged"):
            load_model(path)
    skops.io.dump(LogisticRegression(), path)
    with pytest.raises(InputError, match="is not a stakes model file; create one"):
        load_model(path)


def _zip(*entries):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in entries:
            archive.writestr(name, text)
    return buffer.getvalue()


def write(model, path):
    """What save_model writes, without its check."""
    content = {"format": FORMAT, "version": "1", "model": model, "facts": {}}
    skops.io.dump(content, path)


def test_a_cut_file_ends_in_a_sentence(tmp_path):
    path = tmp_path / "m.skops"
    save_model(LogisticRegression().fit([[0.0], [1.0]], [0, 1]), path)
    data = path.read_bytes()
    for length in (10, len(data) // 2, len(data) - 5):
        path.write_bytes(data[:length])
        with pytest.raises(InputError, match="not a stakes model file or is damaged"):
            load_model(path)


@pytest.mark.parametrize("field", ["left", "right", "feature_idx", "bitset_idx"])
def test_a_booster_that_points_outside_is_refused(field, tmp_path):
    X, y, _, _ = problem()
    X[:, 3] = np.arange(len(X)) % 5
    y = ((X[:, 3] % 2) == 0).astype(int)
    model = HistGradientBoostingClassifier(max_iter=3, categorical_features=[3]).fit(X, y)
    save_model(model, tmp_path / "sound.skops")
    load_model(tmp_path / "sound.skops")
    nodes = model._predictors[0][0].nodes
    nodes[field][np.flatnonzero((nodes["is_leaf"] == 0) & (nodes["is_categorical"] == 1))[0]] = 9999
    outer = BayesDecisionClassifier(model)
    outer.estimator_, outer.classes_ = model, model.classes_
    outer.prior_ = outer.training_prior_ = None
    write(make_pipeline(outer), tmp_path / "m.skops")
    with pytest.raises(InputError, match="a tree node points outside"):
        load_model(tmp_path / "m.skops")


def test_a_boosted_regressor_that_points_outside_is_refused(tmp_path):
    X, y, _, _ = problem()
    model = HistGradientBoostingRegressor(max_iter=1).fit(X, y)
    model._predictors[0][0].nodes["left"][0] = 10**8
    write(model, tmp_path / "m.skops")
    with pytest.raises(InputError, match="a tree node points outside"):
        load_model(tmp_path / "m.skops")


@pytest.mark.parametrize("field", ["left_child", "right_child", "feature"])
def test_a_forest_that_points_outside_is_refused(field, tmp_path):
    X, y, _, _ = problem()
    model = RandomForestClassifier(n_estimators=2, random_state=0).fit(X, y)
    tree = model.estimators_[1].tree_
    state = tree.__getstate__()
    state["nodes"][field][0] = 10**6
    tree.__setstate__(state)
    write(model, tmp_path / "m.skops")
    with pytest.raises(InputError, match="a tree node points outside"):
        load_model(tmp_path / "m.skops")


def test_a_forest_whose_member_reads_more_features_is_refused(tmp_path):
    X, y, _, _ = problem()
    model = RandomForestClassifier(n_estimators=2, random_state=0).fit(X, y)
    model.estimators_[1] = DecisionTreeClassifier().fit(np.hstack([X, X]), y)
    write(model, tmp_path / "m.skops")
    with pytest.raises(InputError, match="has size 8 where d = 4"):
        load_model(tmp_path / "m.skops")


def test_a_model_that_could_not_be_read_is_not_written(tmp_path):
    path = tmp_path / "m.skops"
    with pytest.raises(InputError, match=r"contains a posix.system, and model files may only"):
        save_model(FunctionTransformer(func=os.system), path)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m.skops"
    save_model(LogisticRegression(), path, n=1)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        save_model(LogisticRegression(), path, n=2)
    monkeypatch.undo()
    assert [p.name for p in tmp_path.iterdir()] == ["m.skops"]
    assert load_model(path).facts == {"n": 1}


def test_where_nothing_can_be_written_is_said(tmp_path):
    for path, words in [
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "m.skops", "does not exist; create it"),
    ]:
        with pytest.raises(InputError, match=words):
            save_model(LogisticRegression(), path)
