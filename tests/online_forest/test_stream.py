"""A stream is a stream: rows or batches, files and restarts, dicts, classes, hostile values."""

import copy
import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from stakes.model_file import load_model, save_model
from stakes.online_forest import StreamBlendClassifier, StreamForestClassifier
from stakes.online_forest._memory_jit import buffer_of
from stakes.online_forest._state import CHILD, FEATURE, GROWTH, N_SEEN, SHARES, USED
from stakes.stream import DecisionStream, progressive

FORM = dict(n_estimators=4, max_nodes=31, max_features=3, trial_length=150, random_state=0)


def stream(seed=0, n=500, d=4, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    s = X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=n)
    return X, np.digitize(s, np.linspace(-0.3, 0.5, classes + 1)[1:-1])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("sparsely", [False, True])
def test_batch_equals_one_by_one_bit_for_bit(classes, sparsely):
    X, y = stream(n=400, classes=classes)
    X[::7, 2] = np.nan
    if sparsely:
        X = sparse.csr_array(np.where(X > 0, X, 0.0))
    cost = np.linspace(0.0, 3.0, len(y))
    costs = dict(fp_cost=2.0, fn_cost=cost) if classes == 2 else {}
    batch, ones = StreamForestClassifier(**FORM), StreamForestClassifier(**FORM)
    p = batch.predict_proba_then_learn(X, y, range(classes), cost + 1.0, **costs)
    for t in range(len(y)):
        x = X[[t]] if sparsely else X[t]
        if t:
            known = ones.predict_proba_one(x)
            assert p[t].tolist() == (known[1] if classes == 2 else list(known.values()))
        price = dict(fp_cost=2.0, fn_cost=cost[t]) if classes == 2 else {}
        weight = cost[t] + 1.0
        ones.learn_one(x, y[t], classes=range(classes), sample_weight=weight, **price)
    np.testing.assert_array_equal(batch.decision_function(X), ones.decision_function(X))
    parts = StreamForestClassifier(**FORM)
    for part in (slice(0, 7), slice(7, 150), slice(150, 400)):
        price = dict(fp_cost=2.0, fn_cost=cost[part]) if classes == 2 else {}
        parts.partial_fit(X[part], y[part], range(classes), cost[part] + 1.0, **price)
    np.testing.assert_array_equal(batch.decision_function(X), parts.decision_function(X))
    assert batch.predict_one(X[[3]] if sparsely else X[3]) == batch.predict(X[[3]])[0]


def test_scale_of_costs_and_weights_changes_nothing():
    X, y = stream()
    fn, w = np.linspace(0.5, 3.0, len(y)), np.linspace(1.0, 2.0, len(y))
    for rule in (None, "stake"):
        model = StreamForestClassifier(cost_rule=rule, **FORM)
        plain = model.fit(X, y, w, fp_cost=1.0, fn_cost=fn).predict_proba(X)
        scaled = model.fit(X, y, 1024 * w, fp_cost=4096.0, fn_cost=4096 * fn).predict_proba(X)
        np.testing.assert_array_equal(plain, scaled)


@pytest.mark.jit
def test_curves_rare_classes_and_prices():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 6))
    p = 0.25 * (np.abs(X[:, 0]) > 1.5) * (X[:, 1] > 0)
    y = (rng.random(30_000) < p).astype(int)
    model = StreamForestClassifier(random_state=0).fit(X[:20_000], y[:20_000])
    found = model.predict_proba(X[20_000:])[:, 1]
    assert np.corrcoef(found, p[20_000:])[0, 1] > 0.8
    assert abs(found.mean() - y[20_000:].mean()) < 0.006
    rates = [model.predict(X, fp_cost=1.0, fn_cost=c).mean() for c in (0.2, 3.0, 50.0)]
    assert rates[0] < rates[1] < rates[2]


@pytest.mark.jit
def test_categories_and_missing_values_carry_information():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 12, 6_000), rng.normal(size=6_000)]).astype(float)
    X[rng.random(6_000) < 0.3, 1] = np.nan
    y = (np.isin(X[:, 0], [2, 7, 9]) ^ np.isnan(X[:, 1])).astype(int)
    model = StreamForestClassifier(categorical_features=[0], random_state=0)
    assert (model.fit(X[:5_000], y[:5_000]).predict(X[5_000:]) == y[5_000:]).mean() > 0.97


@pytest.mark.jit
def test_three_classes_are_learned_and_refuse_prices():
    X, y = stream(n=6_000, classes=3)
    model = StreamForestClassifier(random_state=0).fit(X[:5_000], y[:5_000])
    assert (model.predict(X[5_000:]) == y[5_000:]).mean() > 0.6
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    with pytest.raises(ValueError, match="two classes only"):
        model.predict(X, fp_cost=1.0)


@pytest.mark.jit
def test_the_forest_follows_a_change():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24_000, 5))
    y = (np.abs(np.where(np.arange(24_000) < 12_000, X[:, 0], X[:, 1])) > 1).astype(int)
    form = dict(n_estimators=5, max_nodes=31, random_state=0)
    last = slice(12_500, 16_000)
    stays = StreamForestClassifier(half_life=None, trial_length=None, **form)
    follows = StreamForestClassifier(trial_length=1_000, **form)
    wrong = [
        np.mean((model.predict_proba_then_learn(X, y, [0, 1])[last] > 0.5) != y[last])
        for model in (stays, follows)
    ]
    assert wrong[1] < 0.8 * wrong[0]


def test_memory_is_what_it_says_and_stays():
    X, y = stream(n=2_000)
    model = StreamForestClassifier(**FORM).partial_fit(X[:50], y[:50])
    size, before = model.n_bytes_, len(pickle.dumps(model))
    model.partial_fit(X, y)
    assert model.n_bytes_ == size and abs(len(pickle.dumps(model)) - before) < 100
    assert model.n_nodes_.max() <= 31
    assert StreamForestClassifier(max_nodes=7).fit(X, y).n_bytes_ < 0.1 * (
        StreamForestClassifier(max_nodes=255).fit(X, y).n_bytes_
    )


def test_dicts_have_columns_for_so_many_names():
    model = StreamForestClassifier(n_features=3, **FORM)
    for t in range(200):
        model.learn_one({"a": np.sin(t), "b": 1.0, f"shop={t}": 1.0}, int(np.sin(t) > 0))
    assert list(model._columns) == ["a", "b", "shop=0"]
    assert model.predict_one({"a": 0.9}) == 1 and model.predict_one({"a": -0.9}) == 0
    events = DecisionStream(StreamForestClassifier(**FORM), fn_cost="amount", target="y")
    for t in range(60):
        events.learn({"amount": float(t % 7), "country": "FR" if t % 2 else "DE", "y": t % 2})
    assert events.totals.labels == 60


@pytest.mark.parametrize("make", [StreamForestClassifier, StreamBlendClassifier])
def test_later_names_share_columns_by_a_hash(make):
    """The only sign of the class is a name that comes when all columns are taken."""
    form = dict(estimators=["probit"]) if make is StreamBlendClassifier else FORM
    model, rng = make(**{**form, "n_features": 8}), np.random.default_rng(0)
    for t in range(400):
        y = int(rng.random() < 0.5)
        own = {"late": 2.0} if t > 20 and y else {}
        model.learn_one({"a": rng.normal(), f"n{t % 20}": 1.0} | own, y)
    assert len(model._columns) == 8 and "late" not in model._columns
    late = model.predict_proba_one({"a": 0.0, "late": 2.0})[1]
    assert late > 0.8 > 0.5 > model.predict_proba_one({"a": 0.0})[1]
    row, empty = model._named_row({"late": 2.0}, False), model._named_row({}, False)
    assert np.abs(row[0, 4:]).sum() == 2.0 and not row[0, :4].any() and not empty.any()


@pytest.mark.parametrize("classes", [2, 3])
def test_rows_of_one_are_checked(classes):
    X, y = stream(n=60, classes=classes)
    model = StreamForestClassifier(**FORM).fit(X, y)
    before = pickle.dumps(model)
    for x in ([np.inf, 0.0, 0.0, 0.0], np.array([0.0, 0.0, -np.inf, 0.0])):
        for call in (model.predict_one, model.predict_proba_one, lambda v: model.learn_one(v, 1)):
            with pytest.raises(ValueError, match=r"x must be finite\. Got infinity"):
                call(x)
    with pytest.raises(ValueError, match="x must have 4 features"):
        model.learn_one(X[0, :3].copy(), 1)
    with pytest.raises(ValueError, match="y must be one of"):
        model.learn_one(X[0], 7)
    assert pickle.dumps(model) == before
    fixed = X[0].copy()
    fixed.flags.writeable = False
    assert model.predict_proba_one(fixed) == model.predict_proba_one(X[0].tolist())


def test_files_and_restart_are_exact(tmp_path):
    X, y = stream(1)
    model = StreamForestClassifier(**FORM).partial_fit(X[:200], y[:200])
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops").model
    model.partial_fit(X[200:], y[200:])
    again.partial_fit(X[200:], y[200:])
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))


KILLED = """
import os, signal, sys
import numpy as np
sys.path.insert(0, {tests!r})
from online_forest.test_stream import FORM, stream
from stakes.model_file import save_model
from stakes.online_forest import StreamBlendClassifier, StreamForestClassifier
X, y = stream(2)
model = StreamForestClassifier(**FORM)
for t in range(400):
    model.learn_one(X[t], y[t])
    if t == 249:
        save_model(model, {path!r})
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.jit
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_a_killed_process_resumes_from_its_file(tmp_path):
    path = str(tmp_path / "model.skops")
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = KILLED.format(tests=tests, path=path)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    X, y = stream(2)
    model = load_model(path).model.partial_fit(X[250:], y[250:])
    whole = StreamForestClassifier(**FORM).partial_fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), whole.decision_function(X))


def test_damaged_files_are_refused(tmp_path):
    X, y = stream(3, n=2_000)
    model = StreamForestClassifier(**FORM).partial_fit(X, y)
    f = model._parts()[0]
    used = np.arange(31) < f.trees[:, USED][:, None]
    tree, node = np.argwhere((f.nodes[:, :, FEATURE] >= 0) & used)[0]
    for column, value in ((FEATURE, 99), (CHILD, node), (CHILD, 10_000)):
        again = pickle.loads(pickle.dumps(model))
        again._parts()[0].nodes[tree, node, column] = value
        with pytest.raises(ValueError):
            save_model(again, tmp_path / "model.skops")
            load_model(tmp_path / "model.skops")


@pytest.mark.parametrize(
    ("slot", "value"), [(SHARES, -1.0), (SHARES + 2, 0.5), (N_SEEN, -1.0), (GROWTH, 800.0)]
)
def test_counters_that_learning_cannot_reach_are_refused(slot, value, tmp_path):
    model = StreamForestClassifier(**FORM).partial_fit(*stream(3, n=200))
    save_model(model, tmp_path / "model.skops")
    model._parts()[0].head[slot] = value
    with pytest.raises(ValueError, match="counters of a stream forest are damaged"):
        save_model(model, tmp_path / "damaged.skops")


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(allow_infinity=False, width=64),
            st.floats(allow_infinity=False, width=64),
            st.booleans(),
            st.sampled_from([0.0, 1e-90, 1.0, 1e90]),
        ),
        min_size=1,
        max_size=60,
    )
)
def test_hostile_values_never_break_it(events):
    model = StreamForestClassifier(n_estimators=2, max_nodes=5, trial_length=10, random_state=0)
    for a, b, positive, price in events * 4:
        model.learn_one([a, b], int(positive), fp_cost=1.0, fn_cost=price, sample_weight=1 + price)
        p = model.predict_proba_one([a, b])[1]
        assert 0.0 <= p <= 1.0
    for f in model._parts():
        assert all(np.isfinite(array).all() for array in (f.value, f.linear, f.mass, f.head))
        assert (f.value[..., 1] >= 0).all() and (f.linear[..., 1] >= 0).all()


def test_messages():
    X, y = stream(n=60)
    model = StreamForestClassifier(**FORM).partial_fit(X, y)
    with pytest.raises(ValueError, match="cannot change in a stream"):
        model.set_params(max_nodes=63).partial_fit(X, y)
    model.set_params(max_nodes=31)
    for bad, message in (
        (dict(x=[1.0], y=1), "must have 4 features"),
        (dict(x=[1.0, 2.0, 3.0, np.inf], y=1), "finite"),
        (dict(x=X[0], y=7), "must be one of"),
        (dict(x=X[0], y=1, sample_weight=-1.0), "sample_weight must be"),
        (dict(x={"a": 1.0}, y=1), "no names"),
    ):
        with pytest.raises(ValueError, match=message):
            model.learn_one(bad.pop("x"), bad.pop("y"), **bad)
    with pytest.raises(ValueError, match="only one class"):
        StreamForestClassifier().partial_fit(X, np.zeros(60))
    with pytest.raises(ValueError, match="name of its own"):
        StreamForestClassifier(categorical_features=[0]).learn_one({"a": 1.0}, 1)


def test_late_labels():
    X, y = stream(n=300)
    result = progressive(StreamForestClassifier(**FORM), X, y, fn_cost=3.0, delay=50)
    assert np.isfinite(result.probability).all() and (result.probability[:51] == 0.5).all()


def test_a_copy_has_its_own_memory():
    X, y = stream()
    model = StreamForestClassifier(**FORM).fit(X[:300], y[:300])
    assert all(buffer_of(arrays) is not None for arrays in model._forests)
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model, protocol=5))):
        assert buffer_of(copied._forests[0]) is None
        before = model.decision_function(X)
        np.testing.assert_array_equal(copied.decision_function(X), before)
        copied.partial_fit(X[300:], y[300:])
        np.testing.assert_array_equal(model.decision_function(X), before)
        assert np.abs(copied.decision_function(X) - before).max() > 0
        assert buffer_of(copied._forests[0]).nbytes == buffer_of(model._forests[0]).nbytes
        assert copied.n_bytes_ == model.n_bytes_
