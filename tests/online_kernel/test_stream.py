"""Streams: one batch equals many calls, whatever the layout; restart; one example at a time."""

import pickle
from itertools import pairwise

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from stakes.online_kernel import (
    AnomalyDetector,
    CSDUOLClassifier,
    DUOLClassifier,
    KernelCPAClassifier,
    KernelROMMAClassifier,
)
from stakes.online_kernel import _store as store_module

LEARNERS = [
    CSDUOLClassifier(cost_rule="balanced", gamma=0.3),
    KernelCPAClassifier(gamma=0.3, fn_cost=3.0),
    KernelROMMAClassifier(gamma=0.3),
    CSDUOLClassifier(fn_cost=7.0, gamma=0.3, max_support_vectors=12),
]


def stream(seed=0, n=150, d=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0.2).astype(int)


def assert_same(a, b, X):
    np.testing.assert_array_equal(a.dual_coef_, b.dual_coef_)
    np.testing.assert_array_equal(a.support_, b.support_)
    np.testing.assert_array_equal(a.decision_function(X), b.decision_function(X))


@pytest.mark.filterwarnings("ignore::stakes.errors.BelowTrivialWarning")  # a toy problem
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("form", ["dense", "binary", "sparse", "wide"])
def test_batch_equals_one_by_one_bit_for_bit(learner, form, monkeypatch):
    X, y = stream()
    if form == "binary":
        X = (X > 0).astype(float)
    elif form != "dense":
        X = sparse.csr_array(np.where(X > 0.2, X, 0.0))
    if form == "wide":
        monkeypatch.setattr(store_module, "_saves_memory", lambda *of: True)
    batch = pickle.loads(pickle.dumps(learner)).fit(X, y)
    steps, cuts = pickle.loads(pickle.dumps(learner)), [0, 1, 2, 40, 41, 90, 150]
    for start, stop in pairwise(cuts):
        steps.partial_fit(X[start:stop], y[start:stop], classes=[0, 1])
    assert_same(batch, steps, X)
    if form in ("dense", "binary"):
        ones = pickle.loads(pickle.dumps(learner))
        for x, label in zip(X, y, strict=True):
            ones.learn_one(x, label)
        assert_same(batch, ones, X)
        assert ones.predict_one(X[3]) == batch.predict(X[3:4])[0]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_restart_is_exact(learner):
    X, y = stream(1)
    learner = pickle.loads(pickle.dumps(learner)).partial_fit(X[:70], y[:70])
    again = pickle.loads(pickle.dumps(learner))
    assert_same(learner.partial_fit(X[70:], y[70:]), again.partial_fit(X[70:], y[70:]), X)


@pytest.mark.parametrize("limit", [None, 20])
def test_a_model_mapped_from_its_file_learns_on(limit, tmp_path):
    X, y = stream(5)
    learner = CSDUOLClassifier(gamma=0.3, max_support_vectors=limit).partial_fit(X[:100], y[:100])
    joblib.dump(learner, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    assert not mapped._store.support.counts.flags.writeable
    assert_same(mapped.partial_fit(X[100:], y[100:]), learner.partial_fit(X[100:], y[100:]), X)


def test_scores_before_learning():
    X, y = stream(2)
    learner = DUOLClassifier(gamma=0.3)
    scores = learner.decision_function_then_learn(X[:80], y[:80])
    assert scores[0] == 0.0
    before = learner.decision_function(X[80:81])
    assert learner.decision_function_then_learn(X[80:], y[80:])[0] == before[0]
    wrong = np.where(y == 1, 1, -1)[:80] * scores <= 0
    first = DUOLClassifier(gamma=0.3).partial_fit(X[:80], y[:80])
    assert first.n_mistakes_.tolist() == [wrong[y[:80] == 0].sum(), wrong[y[:80] == 1].sum()]
    assert (first.n_seen_, len(first.support_)) == (80, first.n_updates_)


def test_layout_changes_when_the_data_do():
    X, y = stream(3)
    X[:50] = X[:50] > 0
    mixed = CSDUOLClassifier(gamma=0.3, fn_cost=2.0)
    for start in range(0, 150, 10):
        mixed.partial_fit(X[start : start + 10], y[start : start + 10], classes=[0, 1])
    assert_same(mixed, CSDUOLClassifier(gamma=0.3, fn_cost=2.0).fit(X, y), X)


@pytest.mark.parametrize("kernel", ["rbf", lambda A, B: A @ B.T])
def test_dicts_may_bring_new_features(kernel):
    learner = KernelROMMAClassifier(kernel=kernel, gamma=1.0)
    learner.learn_one({"a": 1.0}, 1).learn_one({"a": -1.0, "b": 0.5}, 0).learn_one({"c": 2.0}, 1)
    assert learner.feature_names_in_.tolist() == ["a", "b", "c"]
    assert learner.decision_function_one(
        {"b": 1.0, "unknown": 9.0}
    ) == learner.decision_function_one([0.0, 1.0, 0.0])
    many = KernelROMMAClassifier(gamma=1.0)
    for k in range(140):  # bits across two words
        many.learn_one({f"w{k}": 1.0, f"w{k // 2}": 1.0}, k % 2)
    assert many.n_features_in_ == 140 and many.support_vectors_.shape[1] == 140


def test_messages():
    X, y = stream()
    with pytest.raises(ValueError, match="A stream needs both classes"):
        DUOLClassifier().partial_fit(X[:2], [1, 1])
    learner = DUOLClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="not in classes"):
        learner.partial_fit(X[:1], [7])
    with pytest.raises(ValueError, match="must be one of"):
        learner.learn_one(X[0], 7)
    with pytest.raises(ValueError, match="must have 6 features"):
        learner.learn_one([1.0], 1)
    with pytest.raises(ValueError, match="must be finite"):
        learner.predict_one([np.nan] * 6)
    with pytest.raises(ValueError, match="no names"):
        learner.predict_one({"a": 1.0})


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ({"fn_cost": -1.0}, "smaller"),
        ({"fp_cost": np.nan}, "missing"),
        ({"fn_cost": np.inf}, "missing"),
        ({"fp_cost": "dear"}, "must be a number"),
        ({"fp_cost": [1.0, 2.0]}, "one value for each"),
        ({"fp_cost": np.ones(2)}, "one value for each"),
    ],
)
def test_bad_prices_of_one_example(costs, words):
    learner = CSDUOLClassifier().learn_one([0.0], 1, fn_cost=[3.0])
    with pytest.raises(ValueError, match=words):
        learner.learn_one([1.0], 0, **costs)


def test_order_of_fit():
    X, y = stream(4, n=70)
    order = np.random.RandomState(5).permutation(len(y))
    shuffled = DUOLClassifier(gamma=0.3, shuffle=True, random_state=5).fit(X, y)
    np.testing.assert_array_equal(
        shuffled.dual_coef_, DUOLClassifier(gamma=0.3).fit(X[order], y[order]).dual_coef_
    )
    twice = DUOLClassifier(gamma=0.3, n_passes=2).fit(X, y)
    assert_same(twice, DUOLClassifier(gamma=0.3).fit(X, y).partial_fit(X, y), X)


def test_a_refit_with_bad_costs_leaves_the_old_model_whole():
    X, y = stream()
    model = KernelCPAClassifier(gamma=0.3).partial_fit(X, y)
    before = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="missing"):
        model.fit(X[:, :2], y, fn_cost=np.nan)
    assert_same(before, model, X)
    with pytest.raises(ValueError, match="6 features"):
        model.decision_function(X[:, :2])


@pytest.mark.parametrize(
    ("first", "match"),
    [
        (dict(x=np.ones(3), y="yes"), "given by classes="),
        (dict(x=np.ones((2, 3)), y=1), "must have 2 features"),
        (dict(x=np.ones(3), y=1, fn_cost=np.nan), "missing"),
    ],
)
def test_a_refused_first_example_leaves_the_way_out_open(first, match):
    model = KernelCPAClassifier()
    with pytest.raises(ValueError, match=match):
        model.learn_one(first.pop("x"), first.pop("y"), **first)
    model.learn_one(np.ones(4), "yes", classes=("no", "yes"))
    assert model.classes_.tolist() == ["no", "yes"] and model.n_features_in_ == 4


def test_other_classes_than_those_of_the_stream_are_refused():
    X, y = stream()
    model = KernelROMMAClassifier(gamma=0.3).partial_fit(X, y)
    model.learn_one(X[0], 1, classes=(1, 0)).partial_fit(X, y, [1, 0])
    for learn in (
        lambda: model.partial_fit(X, y, [0, 2]),
        lambda: model.learn_one(X[0], 1, classes=[0, 2]),
    ):
        with pytest.raises(ValueError, match=r"started with, \[0, 1\]. Got \[0, 2\]"):
            learn()
    assert model.n_seen_ == 2 * len(y) + 1


@pytest.mark.parametrize(
    "learner", [KernelROMMAClassifier(gamma=0.3), AnomalyDetector(gamma=0.3)], ids=repr
)
def test_one_example_is_decided_whatever_the_labels_are(learner):
    X, y = stream()
    with pytest.raises(NotFittedError):
        learner.predict_one(X[0])
    labels = np.array(["no", "yes"], dtype=object)[y]
    model = pickle.loads(pickle.dumps(learner)).fit(X, labels)
    assert [model.predict_one(x) for x in X[:9]] == model.predict(X[:9]).tolist()
    if hasattr(model, "predict_proba"):
        with pytest.raises(NotFittedError):
            learner.predict_one(X[0], fn_cost=2.0)
        dear = dict(fp_cost=1.0, fn_cost=1e6)
        assert model.predict_one(X[0], **dear) == model.predict(X[:1], **dear)[0] == "yes"
        assert model.predict_proba_one(X[0])["yes"] == model.predict_proba(X[:1])[0, 1]


def test_an_oracle_is_refused_in_a_stream_each_time():
    X, y = stream()
    model = CSDUOLClassifier(cost_rule="balanced", class_ratio="oracle")
    for _ in range(2):
        with pytest.raises(ValueError, match="works with fit only"):
            model.partial_fit(X, y)
        with pytest.raises(ValueError, match="works with fit only"):
            model.learn_one(X[0], 1)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_sparse_rows_in_any_form_give_one_model_and_are_left_alone():
    X, y = stream()
    plain = sparse.csr_matrix(np.where(X > 0.2, 2.0, 0.0))
    entries = np.repeat(plain.data / 2, 2), np.repeat(plain.indices, 2), 2 * plain.indptr
    for part in entries:
        part.flags.writeable = False
    halves = sparse.csr_matrix(entries, shape=plain.shape)
    learner = KernelROMMAClassifier(gamma=0.3)
    want = pickle.loads(pickle.dumps(learner)).fit(plain, y)
    assert_same(want, pickle.loads(pickle.dumps(learner)).fit(halves, y), halves)
    assert_same(want, pickle.loads(pickle.dumps(learner)).partial_fit(halves, y), halves)
    assert halves.nnz == 2 * plain.nnz
