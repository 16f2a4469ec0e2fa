"""What a model file may hold: every value is checked before an object is made from it."""

import io
import json
import zipfile

import numpy as np
import pytest
import skops.io
from lightgbm import LGBMClassifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from xgboost import XGBClassifier

from checks import problem
from stakes._core.jit.prequential import MEAN_SQUARE, A
from stakes._core.model_file import FORMAT, load_model, save_model
from stakes._core.stored import plain
from stakes.compare._priced_pipeline import PricedPipeline
from stakes.errors import InputError
from stakes.online import CWClassifier, ProbitClassifier, SCWClassifier
from stakes.online._state import GROWTH, N_SEEN, PAID, SCALE, SUM_NEG, SUM_POS
from stakes.online_kernel import CSDUOLClassifier, KernelPAClassifier
from stakes.uncertain import (
    UncertainKernelClassifier,
    UncertainLogisticClassifier,
    UncertainOneVsRestClassifier,
)


def write(model, path):
    """What save_model writes, without its check."""
    skops.io.dump({"format": FORMAT, "version": "1", "model": model, "facts": {}}, path)


def refused(model, path, words=""):
    with pytest.raises(InputError, match=words or "is damaged"):
        save_model(model, path / "m") if words else write(model, path / "m")
        load_model(path / "m")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("_knows", np.zeros(6000)),
        ("_knows", np.zeros(5)),
        ("_knows", np.zeros(0)),
        ("_knows", np.zeros(53, np.float32)),
        ("_knows", np.full(53, np.nan)),
        ("_every", np.array([0, 1, 2, 10**6], np.int32)),
        ("_every", np.zeros(0, np.int32)),
        ("_shape", (6,)),
        ("_labels", (0, 5)),
        ("n_features_in_", 3),
        ("classes_", np.array([0])),
        ("surprise_", 1),
    ],
)
def test_a_linear_learner_whose_state_does_not_fit_is_refused(name, value, tmp_path):
    X, y, _, _ = problem()
    model = ProbitClassifier().fit(X, y)
    assert len(model._knows) == 53
    setattr(model, name, value)
    refused(model, tmp_path)


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        *((slot, -1.0) for slot in (N_SEEN, SUM_POS, SUM_NEG, PAID, MEAN_SQUARE)),
        *((slot, 0.0) for slot in (GROWTH, SCALE)),
        (A, 1e140),
    ],
)
def test_numbers_that_no_stream_reaches_are_refused(slot, value, tmp_path):
    X, y, _, _ = problem()
    model = SCWClassifier().fit(X, y)
    model._knows[slot] = value
    refused(model, tmp_path)


@pytest.mark.parametrize("slot", [SUM_POS, SUM_NEG])
@pytest.mark.parametrize("value", [1e-320, 1e149])
@pytest.mark.jit  # without it numpy warns of the overflow
def test_any_ratio_of_stored_costs_gives_a_finite_score(slot, value, tmp_path):
    X, y, _, _ = problem()
    model = SCWClassifier().fit(X, y)
    model._knows[slot] = value
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m").model
    assert np.isfinite(again.decision_function(X)).all()
    assert np.isfinite(again.partial_fit(X, y).predict_proba(X)).all()


def test_calibrators_are_not_asked_outside_their_thresholds(tmp_path):
    X, y, _, _ = problem()
    model = CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=2).fit(X, y)
    save_model(model, tmp_path / "whole")
    one = model.calibrated_classifiers_[0].calibrators[0]
    one.X_min_ -= 1.0
    refused(model, tmp_path)
    one.X_min_ = one.X_max_ + 1.0
    refused(model, tmp_path)


@pytest.mark.parametrize("change", [np.zeros_like, np.ones_like, np.negative, np.tri])
def test_a_population_needs_a_covariance(change, tmp_path):
    X, y, _, _ = problem()
    model = UncertainLogisticClassifier().fit(X, y, var=np.full_like(X, 0.1))
    save_model(model, tmp_path / "whole")
    change = (lambda cov: np.tri(len(cov))) if change is np.tri else change
    model.population_.cov = change(model.population_.cov)
    if model.population_.cov.any():
        refused(model, tmp_path)
    else:  # nothing varies, and nothing is divided by zero
        save_model(model, tmp_path / "m")
        p = load_model(tmp_path / "m").model.predict_proba(X, var=np.zeros_like(X))
        assert np.isfinite(p).all()


def test_settings_of_kernel_learners_out_of_range_are_refused(tmp_path):
    X, y, _, _ = problem()
    for name, value in (("degree", 2**32), ("_margin_state", -np.ones(7))):
        model = CSDUOLClassifier(kernel="poly").fit(X, y)
        setattr(model, name, value)
        refused(model, tmp_path)
    model = UncertainKernelClassifier().fit(X, y, var=np.full_like(X, 0.1))
    model.gamma_ = -1e149
    refused(model, tmp_path)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_infinite_numbers_of_any_width_are_refused(kind, tmp_path):
    X, y, _, _ = problem()
    model = LogisticRegression().fit(X, y)
    model.intercept_ = np.array([np.inf], kind)
    refused(model, tmp_path)


def test_one_classifier_for_each_class(tmp_path):
    X, y, _, _ = problem()
    model = UncertainOneVsRestClassifier(UncertainLogisticClassifier())
    model.fit(X, np.arange(len(y)) % 3)
    save_model(model, tmp_path / "whole")
    model.classes_ = model.classes_[:2]
    refused(model, tmp_path)


def test_xgboost_knows_what_is_missing(tmp_path):
    X, y, _, _ = problem()
    model = XGBClassifier(n_estimators=2, n_jobs=1).fit(X, y)
    model.missing = None
    refused(model, tmp_path)


def test_categories_of_numbers_are_numbers(tmp_path):
    X, y, _, _ = problem()
    X = np.column_stack([X[:, :2], np.arange(len(X)) % 3])
    model = HistGradientBoostingClassifier(max_iter=2, categorical_features=[2]).fit(X, y)
    save_model(model, tmp_path / "whole")
    encoder = model._preprocessor.named_transformers_["encoder"]
    encoder.categories_[0] = encoder.categories_[0].astype("U3")
    refused(model, tmp_path)


@pytest.mark.parametrize(
    ("name", "value"), [("boosting_type", "auto"), ("_n_features", 0), ("_n_classes", -1)]
)
def test_attributes_of_lightgbm_are_checked(name, value, lightgbm_file, tmp_path):
    model = load_model(lightgbm_file).model
    setattr(model, name, value)
    refused(model, tmp_path)


@pytest.mark.parametrize("step", [1, 2])
def test_a_pipeline_that_lost_a_step_is_refused(step, tmp_path):
    X, y, _, _ = problem()
    model = make_pipeline(
        StandardScaler(), Nystroem(n_components=8), MinMaxScaler(), LogisticRegression()
    ).fit(X, y)
    save_model(model, tmp_path / "whole")
    assert load_model(tmp_path / "whole").model.predict(X).shape == y.shape
    if step == 2:  # eight columns for a Nystroem of as many as X has
        model.steps[1], model.steps[2] = model.steps[2], model.steps[1]
    else:
        del model.steps[step]
    refused(model, tmp_path)


@pytest.mark.parametrize("steps", ["number", "pair", "order"])
def test_own_pipelines_with_damaged_steps_are_refused(steps, tmp_path):
    X, y, _, _ = problem()
    fitted = make_pipeline(StandardScaler(), Nystroem(n_components=8), LogisticRegression())
    model = PricedPipeline(fitted.fit(X, y).steps)
    save_model(model, tmp_path / "whole")
    assert load_model(tmp_path / "whole").model.steps[0][0] == "standardscaler"
    if steps == "number":
        model.steps[1] = (5, model.steps[1][1])
    elif steps == "pair":
        model.steps[1] = model.steps[1][1]
    else:
        model.steps[0], model.steps[1] = model.steps[1], model.steps[0]
    refused(model, tmp_path)


def test_columns_outside_are_refused(tmp_path):
    model = CWClassifier().learn_one({"a": 1.0, "b": 2.0}, 1).learn_one({"a": 0.0}, 0)
    save_model(model, tmp_path / "m")
    loaded = load_model(tmp_path / "m").model
    assert loaded.predict_one({"a": 1.0}) == model.predict_one({"a": 1.0})
    model._columns["a"] = 10**6
    refused(model, tmp_path)


def test_a_missing_attribute_is_named(tmp_path):
    X, y, _, _ = problem()
    model = KernelPAClassifier().fit(X, y)
    del model._mistakes
    refused(model, tmp_path, "KernelPAClassifier has no _mistakes")


def test_support_vectors_that_do_not_fit_together_are_refused(tmp_path):
    X, y, _, _ = problem()
    model = KernelPAClassifier().fit(X, y)
    model._store.support.counts[0] = 10**9
    refused(model, tmp_path)
    svc = SVC().fit(X, y)
    svc.support_vectors_ = svc.support_vectors_[:-1]
    refused(svc, tmp_path)


@pytest.mark.parametrize("kind", ["i8", "f8"])
def test_a_forest_with_other_node_types_is_refused(kind, tmp_path):
    X, y, _, _ = problem()
    model = RandomForestClassifier(n_estimators=1, random_state=0).fit(X, y)
    write(model, tmp_path / "sound")
    with zipfile.ZipFile(tmp_path / "sound") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, data in members.items():
        if name.endswith(".npy") and (nodes := np.load(io.BytesIO(data))).dtype.names:
            types = [(n, "f8" if n == "feature" else nodes.dtype[n]) for n in nodes.dtype.names]
            out = io.BytesIO()
            np.save(out, nodes.astype(types) if kind == "f8" else nodes["feature"])
            members[name] = out.getvalue()
    with zipfile.ZipFile(tmp_path / "m", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="have unknown fields"):
        load_model(tmp_path / "m")


@pytest.fixture(scope="module")
def lightgbm_file(tmp_path_factory):
    X, y, _, _ = problem(n=200)
    model = LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1).fit(X, y)
    path = tmp_path_factory.mktemp("lightgbm") / "m"
    save_model(model, path)
    np.testing.assert_array_equal(load_model(path).model.predict_proba(X), model.predict_proba(X))
    return path


def test_lightgbm_may_split_missing_values_from_all_others(tmp_path):
    X = np.where(np.arange(400)[:, None] % 2 == 0, np.nan, np.arange(400.0)[:, None] % 7)
    y = np.isnan(X[:, 0]).astype(int)
    model = LGBMClassifier(n_estimators=2, verbose=-1, n_jobs=1).fit(X, y)
    assert "inf" in model.booster_.model_to_string().split("threshold=")[1].split("\n")[0]
    save_model(model, tmp_path / "m")
    found = load_model(tmp_path / "m").model.predict_proba(X)
    np.testing.assert_array_equal(found, model.predict_proba(X))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("left_child", "999999", "points outside the tree"),
        ("split_feature", "77777", "split_feature|does not exist"),
        ("num_leaves", "400000000", "impossible sizes"),
        ("num_leaves", "-1", "impossible sizes|numbers"),
        ("num_tree_per_iteration", "0", "wrong number of trees"),
        ("num_tree_per_iteration", "7", "wrong number of trees"),
        ("num_class", "0", "wrong number|impossible"),
        ("max_feature_idx", "1", "reads a feature that does not exist"),
        ("leaf_value", "nan", "leaf_value"),
        ("objective", "none", "objective"),
    ],
)
def test_a_damaged_lightgbm_text_is_refused(key, value, words, lightgbm_file, tmp_path):
    def damage(text):
        lines = text.split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith(f"{key}="))
        numbers = lines[at].split("=")[1].split(" ")
        lines[at] = f"{key}=" + " ".join([value, *numbers[1:]])
        return "\n".join(lines)

    _with_text(lightgbm_file, tmp_path / "m", damage)
    with pytest.raises(InputError, match=words):
        load_model(tmp_path / "m")


def test_tree_sizes_of_a_lightgbm_text_are_not_used(lightgbm_file, tmp_path):
    _with_text(
        lightgbm_file, tmp_path / "m", lambda text: text.replace("tree_sizes=", "tree_sizes=9")
    )
    X = problem()[0]
    models = [load_model(path).model for path in (lightgbm_file, tmp_path / "m")]
    np.testing.assert_array_equal(*(model.predict_proba(X) for model in models))


def test_a_cycle_in_a_lightgbm_tree_is_refused(lightgbm_file, tmp_path):
    def damage(text):
        lines = text.split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("left_child="))
        lines[at] = "left_child=" + " ".join("0" for _ in lines[at].split(" "))
        return "\n".join(lines)

    _with_text(lightgbm_file, tmp_path / "m", damage)
    with pytest.raises(InputError, match="points outside the tree"):
        load_model(tmp_path / "m")


def _with_text(source, target, damage):
    """Copy a model file with another LightGBM text."""
    with zipfile.ZipFile(source) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(members["schema.json"])
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            content = node.get("content")
            if isinstance(content, str) and content.startswith('"tree'):
                node["content"] = json.dumps(damage(json.loads(content)))
            stack += node.values()
        elif isinstance(node, list):
            stack += node
    members["schema.json"] = json.dumps(schema)
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


@pytest.mark.parametrize("booster", ["lightgbm.basic.Booster", "xgboost.core.Booster"])
def test_a_booster_never_opens_a_path(booster, tmp_path, monkeypatch):
    """Loaders that call a class with the arguments of the file are not part of our format."""
    module, _, name = booster.rpartition(".")
    secret = tmp_path / "secret"
    secret.write_text("tree\n")
    text = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
    args = {
        **{"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode"},
        "content": [text | {"content": json.dumps(str(secret))}],
    }
    for loader in ("ConstructorFromReduceNode", "ObjectNode", "TreeNode", "LossNode"):
        schema = {"__class__": name, "__module__": module, "__loader__": loader, "content": args}
        schema |= {"protocol": 2, "__reduce__": {"args": args}}
        with zipfile.ZipFile(tmp_path / "m", "w") as archive:
            archive.writestr("schema.json", json.dumps(schema))
        with pytest.raises(InputError, match="is damaged"):
            load_model(tmp_path / "m")


def test_xgboost_bytes_are_checked(tmp_path):
    X, y, _, _ = problem(n=200)
    model = XGBClassifier(n_estimators=3, n_jobs=1).fit(X, y)
    save_model(model, tmp_path / "sound")
    loaded = load_model(tmp_path / "sound").model
    np.testing.assert_array_equal(model.predict_proba(X), loaded.predict_proba(X))
    with zipfile.ZipFile(tmp_path / "sound") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = next(name for name in members if name.endswith(".bin"))
    whole = members[name]
    for data, words in [
        (whole[:-5], "is cut"),
        (whole + b"}", "longer than it says"),
        (whole.replace(b"split_indices[$l#", b"split_indices[$d#"), "split_indices"),
        (whole.replace(b"\x06gbtree", b"\x06gblinr"), "not made of trees"),
    ]:
        assert data != whole
        members[name] = data
        with zipfile.ZipFile(tmp_path / "m", "w") as archive:
            for member, content in members.items():
                archive.writestr(member, content)
        with pytest.raises(InputError, match=words):
            load_model(tmp_path / "m")


def test_files_that_expand_without_limit_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("stakes._core.model_file.MAX_BYTES", 20_000)
    model = LogisticRegression().fit(np.eye(3), [0, 1, 1])
    with pytest.raises(InputError, match="more than the limit"):
        save_model(model, tmp_path / "m", text="a" * 30_000)


def test_containers_in_containers_are_read_once():
    """A list of two names for one list, forty deep, would have a trillion parts."""
    node = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": []}
    for i in range(1, 41):
        node = {**node, "content": [node | {"__id__": i}, {**node, "__id__": i}]}
        node.pop("__id__", None)
        node["content"][1]["content"] = []
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("schema.json", json.dumps(node))
    assert len(plain.read_plain(out)) == 2


def test_nesting_has_a_limit(tmp_path):
    text = '{"__loader__": "ListNode", "__class__": "list", "__module__": "builtins", "content": ['
    with zipfile.ZipFile(tmp_path / "m", "w") as archive:
        archive.writestr("schema.json", text * 3000 + "]}" * 3000)
    with pytest.raises(InputError, match="nested too deeply"):
        load_model(tmp_path / "m")
