"""Files whose parts are sound one by one but not together, where compiled code trusts them."""

import json

import joblib
import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

from stakes._core.model_file import FORMAT, load_model, save_model
from stakes._core.stored.lightgbm_text import clean_text
from stakes._core.stored.plain import Damaged
from stakes.compare._error_blend import ErrorColumnsBlend
from stakes.compare._error_columns import ErrorColumnsClassifier
from stakes.compare._timed_blend import TimedBlendClassifier
from stakes.decision import BayesDecisionClassifier
from stakes.errors import InputError
from stakes.sampling import CostingClassifier
from stakes.svm import CostSensitiveBoost
from stakes.tree import ConfidenceForestClassifier
from stakes.uncertain import UncertainLogisticClassifier

X = np.column_stack([np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 5])
TWO, THREE = np.arange(60) % 2, np.arange(60) % 3


def refused(model, path):
    import skops.io

    skops.io.dump({"format": FORMAT, "version": "1", "model": model, "facts": {}}, path / "m")
    with pytest.raises(InputError, match="is damaged"):
        load_model(path / "m")


def _put(thing, **values):
    for name, value in values.items():
        setattr(thing, name, value)


def _objects(*values):
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


CODES = [np.arange(5.0)]
ENCODERS = {
    # scikit-learn looks numbers up by bisection and writes ones without a look at the bounds
    "repeated": (OneHotEncoder(), dict(categories_=[np.tile(CODES[0], 2)])),
    "unsorted": (OneHotEncoder(), dict(categories_=[CODES[0][::-1].copy()])),
    "nan first": (OneHotEncoder(), dict(categories_=[np.array([np.nan, 0, 1, 2, 3])])),
    "fewer columns": (OneHotEncoder(), dict(_n_features_outs=[2])),
    "more columns": (OneHotEncoder(), dict(_n_features_outs=[9])),
    "fewer categories": (OneHotEncoder(), dict(categories_=[CODES[0][:3]])),
    "rare ones": (OneHotEncoder(), dict(_infrequent_enabled=True)),
    "dropped": (OneHotEncoder(), dict(_drop_idx_after_grouping=_objects(0))),
    "none dropped": (OneHotEncoder(drop="first"), dict(_drop_idx_after_grouping=None)),
    "dropped outside": (
        OneHotEncoder(drop="first"),
        dict(_drop_idx_after_grouping=_objects(-3)),
    ),
    "dropped twice": (
        OneHotEncoder(drop="first"),
        dict(_drop_idx_after_grouping=_objects(0, 0)),
    ),
    "missing column": (OrdinalEncoder(), dict(_missing_indices={7: 0})),
    "missing category": (OrdinalEncoder(), dict(_missing_indices={0: 99})),
    "unsorted codes": (OrdinalEncoder(), dict(categories_=[CODES[0][::-1].copy()])),
}


@pytest.mark.parametrize("name", ENCODERS)
def test_an_encoder_writes_as_many_columns_as_it_says(name, tmp_path):
    encoder, damage = ENCODERS[name]
    model = make_pipeline(make_column_transformer((encoder, [3])), LogisticRegression())
    model.fit(X, TWO)
    save_model(model, tmp_path / "m")
    load_model(tmp_path / "m")
    _put(model[0].transformers_[0][1], **damage)
    refused(model, tmp_path)


@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(drop="if_binary"),
        OneHotEncoder(drop="first", handle_unknown="ignore"),
        OneHotEncoder(categories=[["b", "a", "c"]]),
        OrdinalEncoder(encoded_missing_value=-1),
        OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=-2, encoded_missing_value=-1
        ),
    ],
)
def test_encoders_as_they_are_may_be_stored(encoder, tmp_path):
    values = [["a"], ["b"], ["c"], ["b"]] if encoder.categories != "auto" else [[2.0], [np.nan]] * 2
    model = make_pipeline(encoder, LogisticRegression()).fit(values, [0, 1, 0, 1])
    save_model(model, tmp_path / "m")
    assert np.array_equal(load_model(tmp_path / "m").model.predict(values), model.predict(values))


def _drop_numbers(parts):
    parts.transformers_[1] = ("numerical", "drop", parts.transformers_[1][2])


def _lose_numbers(parts):
    del parts.transformers_[1]


def _read_one_number(parts):
    parts.transformers_[1] = (*parts.transformers_[1][:2], np.array([True, False, False, False]))


def _read_one_number_by_name(parts):
    parts._transformer_to_input_indices["numerical"] = [0]


def _read_outside(parts):
    parts._transformer_to_input_indices["numerical"] = [0, 1, 99]


def _be_sparse(parts):
    parts.sparse_output_ = True


def _be_a_table(parts):
    parts._sklearn_output_config = {"transform": "pandas"}


@pytest.mark.parametrize(
    "damage",
    [
        _drop_numbers,
        _lose_numbers,
        _read_one_number,
        _read_one_number_by_name,
        _read_outside,
        _be_sparse,
        _be_a_table,
    ],
)
def test_boosted_trees_get_as_many_columns_as_they_read(damage, tmp_path):
    table = pl.DataFrame(X, schema=list("abcd")).to_pandas()
    model = HistGradientBoostingClassifier(max_iter=3, categorical_features=["d"]).fit(table, TWO)
    save_model(model, tmp_path / "m")
    loaded = load_model(tmp_path / "m").model
    assert np.array_equal(loaded.predict_proba(table), model.predict_proba(table))
    damage(model._preprocessor)
    refused(model, tmp_path)


@pytest.mark.parametrize("init", [None, "zero"])
@pytest.mark.parametrize("name", ["start", "width", "loss", "no trees"])
def test_boosted_trees_begin_with_a_score_for_each_class(name, init, tmp_path):
    def fit(y):
        return GradientBoostingClassifier(n_estimators=3, init=init).fit(X, y)

    model, other = fit(np.array(["a", "b", "c"])[THREE]), fit(TWO)
    save_model(model, tmp_path / "m")
    load_model(tmp_path / "m")
    if name == "start" and init is None:
        model.init_ = other.init_
    elif name == "loss":
        model._loss = other._loss
        model._loss.n_classes = 3
    elif name == "no trees":
        model.estimators_ = model.estimators_[:0]
    else:
        model.n_trees_per_iteration_ = 1
    refused(model, tmp_path)


def test_a_forest_has_trees(tmp_path):
    model = RandomForestClassifier(n_estimators=3).fit(X, TWO)
    model.estimators_ = []
    refused(model, tmp_path)


def test_every_node_of_a_tree_is_reached_once(tmp_path):
    model = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=5).fit(X, TWO)
    nodes = model._predictors[0][0].nodes
    nodes["right"][0] = nodes["left"][0]
    refused(model, tmp_path)


@pytest.mark.parametrize("name", ["coefficients", "dense", "kernel", "function", "order"])
def test_libsvm_gets_all_the_numbers_it_reads(name, tmp_path):
    model = SVC().fit(sparse.csr_array(X) if name in ("coefficients", "dense") else X, TWO)
    save_model(model, tmp_path / "m")
    assert np.array_equal(load_model(tmp_path / "m").model.predict(X), model.predict(X))
    if name == "coefficients":
        few = model._dual_coef_.toarray()
        few[:, 1:] = 0
        model._dual_coef_ = model.dual_coef_ = sparse.csr_array(few)
    elif name == "dense":
        model._sparse = False
    elif name == "order":
        model.support_vectors_ = np.asfortranarray(model.support_vectors_)
    elif name == "function":
        from sklearn.metrics.pairwise import rbf_kernel

        model.kernel = rbf_kernel
    else:
        model.kernel, model.shape_fit_ = "precomputed", (4, 4)
        model.support_ = model.support_ + np.int32(10**9)
    refused(model, tmp_path)


def _loaded(model, path):
    save_model(model, path / "m")
    return load_model(path / "m").model


@pytest.mark.parametrize("name", ["n_jobs", "num_threads", "nthread", "num_thread"])
@pytest.mark.parametrize("many", [1024, 10**6])
def test_lightgbm_is_not_asked_for_more_threads_than_cores(name, many, tmp_path):
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(n_estimators=2, verbose=-1, num_threads=1).fit(X, TWO)
    text = model.booster_.model_to_string().replace("[num_threads: 1]", f"[num_threads: {many}]")
    assert str(many) in text and str(many) not in clean_text(text)[0]
    again = _loaded(model.set_params(**{name: many}), tmp_path)
    assert again.get_params()[name] == joblib.cpu_count()
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X, num_threads=1))
    refused(model.set_params(**{"x=1 num_threads": many}), tmp_path)


def test_xgboost_is_not_asked_for_more_threads_than_cores(tmp_path):
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(n_estimators=2, n_jobs=100_000, nthread=100_000)
    booster = _loaded(model.fit(X, TWO), tmp_path).get_booster()
    settings = json.loads(booster.save_config())["learner"]["generic_param"]
    assert int(settings["nthread"]) <= joblib.cpu_count()
    assert model.get_params()["n_jobs"] == 100_000  # only what is read is changed
    assert _loaded(model, tmp_path).get_params()["n_jobs"] == joblib.cpu_count()


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(5),
        ConfidenceForestClassifier(n_estimators=5),
        make_pipeline(StandardScaler(), CostingClassifier(n_estimators=2)),
        BayesDecisionClassifier(RandomForestClassifier(5)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_file_does_not_start_more_threads_than_there_are_cores(model, tmp_path):
    model = clone(model).fit(X, TWO)
    names = [name for name in model.get_params() if name.split("__")[-1] == "n_jobs"]
    for many in (10**9, np.int64(3000)):
        model.set_params(**dict.fromkeys(names, many))
        found = _loaded(model, tmp_path).get_params()
        assert {found[name] for name in names} == {joblib.cpu_count()}
    model.set_params(**dict.fromkeys(names, -1))
    found = _loaded(model, tmp_path).get_params()
    assert {found[name] for name in names} == {-1}  # as many as there are


@pytest.mark.parametrize("n_jobs", [2, -1, 10**9])
def test_a_column_transformer_of_a_file_starts_no_processes(n_jobs, tmp_path):
    parts = (StandardScaler(), [0, 1]), (StandardScaler(), [2])
    model = make_column_transformer(*parts).fit(X)
    expected = model.transform(X)
    found = _loaded(model.set_params(n_jobs=n_jobs), tmp_path)
    assert found.n_jobs is None and np.array_equal(found.transform(X), expected)


def test_a_lightgbm_tree_has_no_nodes_apart(tmp_path):
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(n_estimators=2, verbose=-1, min_child_samples=2).fit(X, TWO)
    text = model.booster_.model_to_string()
    (left,) = (line for line in text.split("\n")[:30] if line.startswith("left_child="))
    nodes = left.partition("=")[2].split(" ")
    assert int(nodes[0]) > 0
    nodes[0] = nodes[int(nodes[0])]  # a grandchild becomes a child
    damaged = text.replace(left, "left_child=" + " ".join(nodes), 1)
    assert clean_text(text)
    with pytest.raises(Damaged, match="nodes that no walk reaches"):
        clean_text(damaged)


@pytest.mark.parametrize("iteration", ["3", "-1", "1.5", ""])
def test_xgboost_stops_at_a_tree_that_it_has(iteration, tmp_path):
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(n_estimators=3, n_jobs=1).fit(X, TWO)
    model.get_booster().set_attr(best_iteration="2")
    save_model(model, tmp_path / "m")
    assert load_model(tmp_path / "m").model.best_iteration == 2
    model.get_booster().set_attr(best_iteration=iteration)
    refused(model, tmp_path)


@pytest.mark.parametrize("config", [{"transform": -1e-150}, {"other": "pandas"}, 3])
def test_the_kind_of_output_of_a_transformer_is_known(config, tmp_path):
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, TWO)
    model[0].set_output(transform="default")
    save_model(model, tmp_path / "m")
    model[0]._sklearn_output_config = config
    refused(model, tmp_path)


@pytest.mark.parametrize("weights", [[0.3, 1e-150], [0.0, 0.0], [-1.0, 0.0]])
def test_members_of_a_blend_have_models_if_they_have_a_weight(weights, tmp_path):
    members = [("line", LogisticRegression()), ("bayes", GaussianNB())]
    model = TimedBlendClassifier(members, cv=2, random_state=0).fit(X, X[:, 0] > 0)
    model.weights_, model.estimators_[1] = np.array([0.3, 0.0]), []
    save_model(model, tmp_path / "m")
    model.weights_ = np.array(weights)
    refused(model, tmp_path)


def test_a_mean_is_of_at_least_one_member(tmp_path):
    calibrated = CalibratedClassifierCV(GaussianNB(), cv=2).fit(X, TWO)
    calibrated.calibrated_classifiers_ = []
    blend = ErrorColumnsBlend([[ErrorColumnsClassifier(UncertainLogisticClassifier())]])
    blend.fit(np.abs(X), X[:, 0] > 0)
    blend.estimators_, blend.weights_ = [], np.array([])
    for model in (calibrated, blend):
        refused(model, tmp_path)


@pytest.mark.parametrize("weights", [[0.9], [0.5, 0.5], [1.5], [-1.0]])
def test_the_weights_of_a_mean_of_error_bar_learners_add_up_to_one(weights, tmp_path):
    blend = ErrorColumnsBlend([[ErrorColumnsClassifier(UncertainLogisticClassifier())]])
    blend.fit(np.abs(X), X[:, 0] > 0)
    save_model(blend, tmp_path / "m")
    blend.weights_ = np.array(weights)
    refused(blend, tmp_path)


def test_the_trees_of_a_boosted_model_vote_with_a_sign(tmp_path):
    model = CostSensitiveBoost(n_estimators=3).fit(X, TWO)
    save_model(model, tmp_path / "m")
    model.estimators_[1].classes_ = np.array(["-1.", "1.0"])
    refused(model, tmp_path)
