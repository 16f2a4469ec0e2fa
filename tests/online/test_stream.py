"""What all online learners promise: exact streams, restarts, merges, costs, dicts."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from stakes._core.jit.prequential import SIZE
from stakes.online import (
    AROWClassifier,
    CWClassifier,
    CWCVaRClassifier,
    CWRobustClassifier,
    PAClassifier,
    PerceptronClassifier,
    ProbitClassifier,
    SCWClassifier,
    _first_order_jit,
    _gaussian_csr_jit,
    _gaussian_jit,
)
from stakes.online._cw_cvar_jit import EXPENSIVE
from stakes.online._state import BOOK, HEAD, N_NOT_FINITE

LEARNERS = [
    PerceptronClassifier(),
    PAClassifier(),
    PAClassifier(variant="PA-II", cost_rule="regret"),
    CWClassifier(),
    CWClassifier(covariance="full"),
    AROWClassifier(),
    SCWClassifier(fit_intercept=False),
    SCWClassifier(variant="SCW-II", covariance="full"),
    ProbitClassifier(),
    ProbitClassifier(covariance="full", calibration=None),
    CWCVaRClassifier(),
    CWCVaRClassifier(cost_rule="regret", max_memory=None, covariance="full"),
    CWCVaRClassifier(cost_rule="paper", normalize_costs=False),
    CWRobustClassifier(prior_variance=[np.inf, 1.0, 0.1, np.inf, 2.0], evidence="paper"),
]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def same_state(a, b):
    """Every number that the two models know is the same, to the last bit."""
    a._trim(), b._trim()
    known = np.r_[0:N_NOT_FINITE, BOOK, HEAD : len(a._knows)]
    np.testing.assert_array_equal(a._knows[known], b._knows[known])
    if hasattr(a, "_buffer"):
        np.testing.assert_array_equal(a._buffer.values(), b._buffer.values())
        np.testing.assert_array_equal(a._buffer.numbers, b._buffer.numbers)


@every_learner
def test_one_batch_equals_single_examples_bit_for_bit(learner, priced):
    X, y, fp, fn = priced
    X, y, fp, fn = X[:60], y[:60], fp[:60], fn[:60]
    batch = clone(learner).partial_fit(X, y, classes=[0, 1], fp_cost=fp, fn_cost=fn)
    rows, ones = clone(learner), clone(learner)
    for t in range(60):
        one = slice(t, t + 1)
        rows.partial_fit(X[one], y[one], classes=[0, 1], fp_cost=fp[one], fn_cost=fn[one])
        ones.learn_one(X[t], y[t], fp_cost=fp[t], fn_cost=fn[t])
    same_state(batch, rows)
    same_state(batch, ones)
    same_state(batch, clone(learner).fit(X, y, fp_cost=fp, fn_cost=fn))


@every_learner
def test_sparse_batch_equals_sparse_rows_and_is_near_dense(learner, priced):
    X, y, fp, fn = (part[:60] for part in priced)
    X = X * (np.abs(X) > 0.5)
    S = sparse.csr_matrix(X)
    batch = clone(learner).partial_fit(S, y, classes=[0, 1], fp_cost=fp, fn_cost=fn)
    rows = clone(learner)
    for t in range(60):
        rows.partial_fit(S[t], y[[t]], classes=[0, 1], fp_cost=fp[[t]], fn_cost=fn[[t]])
    same_state(batch, rows)
    dense = clone(learner).fit(X, y, fp_cost=fp, fn_cost=fn)
    np.testing.assert_allclose(batch.predict_proba(S), dense.predict_proba(X), rtol=1e-6)


@every_learner
@pytest.mark.parametrize("restart", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_restart_is_exact(learner, restart, priced):
    X, y, fp, fn = (part[:80] for part in priced)
    half = slice(0, 40), slice(40, 80)
    through, stopped = clone(learner), clone(learner)
    for part in half:
        through.partial_fit(X[part], y[part], [0, 1], fp_cost=fp[part], fn_cost=fn[part])
    first, second = half
    stopped.partial_fit(X[first], y[first], [0, 1], fp_cost=fp[first], fn_cost=fn[first])
    stopped = restart(stopped)
    stopped.partial_fit(X[second], y[second], [0, 1], fp_cost=fp[second], fn_cost=fn[second])
    same_state(through, stopped)


@every_learner
def test_predict_proba_then_learn_gives_what_predict_proba_would_have(learner, priced):
    X, y, fp, fn = (part[:50] for part in priced)
    model = clone(learner).partial_fit(X[:10], y[:10], [0, 1], fp_cost=fp[:10], fn_cost=fn[:10])
    slow = copy.deepcopy(model)
    found = model.predict_proba_then_learn(X[10:], y[10:], fp_cost=fp[10:], fn_cost=fn[10:])
    for t in range(10, 50):
        assert slow.predict_proba(X[t : t + 1])[0, 1] == found[t - 10]
        assert slow.predict_proba_one(X[t])[1] == found[t - 10]
        slow.learn_one(X[t], y[t], fp_cost=fp[t], fn_cost=fn[t])


@every_learner
def test_an_example_without_a_cost_changes_nothing(learner, priced):
    X, y, _, _ = priced
    model = clone(learner).partial_fit(X[:30], y[:30], [0, 1])
    before = copy.deepcopy(model)
    model.learn_one(100 * X[31], 1, fn_cost=0.0, fp_cost=5.0)
    model.partial_fit(X[:5], np.zeros(5), fp_cost=0.0)
    same_state(before, model)


@every_learner
def test_an_importance_of_a_thousand_does_not_overshoot(learner):
    if getattr(learner, "cost_rule", "") == "paper":
        pytest.skip("the rule as printed; its steps fall as costs grow")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 5))
    y = (X[:, 0] > 0).astype(int)
    model = clone(learner).set_params(calibration=None).fit(X, y)
    x = np.array([-2.0, 0.3, 0.1, -0.5, 0.2])
    z = np.r_[x, float(model.fit_intercept)]
    before = model._mu @ z
    model.learn_one(x, 1, fn_cost=1000.0)
    margin = model._mu @ z
    assert before < margin  # it moved towards the expensive example,
    # not past what corrects the mistake; the CVaR constraint asks for a little more than one
    assert margin <= max(1.2 if hasattr(model, "cost_rule") else 1.0, before + z @ z) + 1e-9


def test_merge_is_the_product_of_gaussians_and_nothing_adds_nothing(priced):
    X, y, _, _ = priced
    for covariance in ("diagonal", "full"):
        a = AROWClassifier(covariance=covariance).fit(X[:100], y[:100])
        b = AROWClassifier(covariance=covariance).fit(X[100:], y[100:])
        merged = a.merge(b)
        P, Q, M = (
            np.linalg.inv(m._Sigma if covariance == "full" else np.diag(m._Sigma))
            for m in (a, b, merged)
        )
        np.testing.assert_allclose(M, P + Q - np.eye(len(P)), rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(M @ merged._mu, P @ a._mu + Q @ b._mu, rtol=1e-8, atol=1e-8)
        empty = AROWClassifier(covariance=covariance)
        empty.partial_fit(X[:2], [0, 1], fp_cost=0.0, fn_cost=0.0)
        alone = a.merge(empty)
        np.testing.assert_allclose(alone._mu, a._mu, rtol=1e-9)
        np.testing.assert_allclose(alone._knows[:SIZE], a._knows[:SIZE])
    assert merged.n_seen_ == len(X)


@every_learner
def test_merged_models_know_more(learner, priced):
    X, y, fp, fn = priced
    parts = slice(0, 150), slice(150, 300)
    models = [clone(learner).fit(X[p], y[p], fp_cost=fp[p], fn_cost=fn[p]) for p in parts]
    merged = models[0].merge(models[1])
    same_state(
        models[0], clone(learner).fit(X[parts[0]], y[parts[0]], fp_cost=2.0, fn_cost=fn[:150])
    )
    assert merged.n_seen_ == 300
    correct = [np.mean(model.predict(X) == y) for model in (merged, *models)]
    assert correct[0] >= min(correct[1:]) - 0.05


def test_merge_refuses_strangers(priced):
    X, y, _, _ = priced
    model = AROWClassifier().fit(X, y)
    with pytest.raises(ValueError, match="equal parameters"):
        model.merge(AROWClassifier(r=2.0).fit(X, y))


@pytest.mark.parametrize(
    "learner", [one for one in LEARNERS if getattr(one, "prior_variance", None) is None], ids=repr
)
def test_rows_with_names_get_the_probabilities_of_dicts(rng, learner):
    model = clone(learner)
    kinds = [("a", "b", f"kind={k}") for k in "xyz"] + [("b", "a", "new")]
    for x in rng.normal(size=(30, 3)):
        x = dict(zip(kinds[int(rng.integers(3))], x.tolist(), strict=True))
        model.learn_one(x, int(x["a"] > x["b"]))
    names, values = [kinds[k] for k in rng.integers(4, size=20)], rng.normal(size=(20, 3))
    dicts = [dict(zip(n, v.tolist(), strict=True)) for n, v in zip(names, values, strict=True)]
    for _ in range(2):  # names that were just met, and known ones
        expected = [model.predict_proba_one(x)[1] for x in dicts]
        assert model.predict_proba_rows(names, values).tolist() == expected
    values[3, 0] = np.nan
    with pytest.raises(ValueError, match="finite"):
        model.predict_proba_rows(names, values)
    with pytest.raises(NotFittedError):
        clone(learner).predict_proba_rows(names, values)


@every_learner
def test_dicts_by_name_equal_sparse_rows(learner):
    if isinstance(learner, CWRobustClassifier):
        learner = CWRobustClassifier(prior_variance=0.5)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.6)
    X[0] = 1.0  # so that all names come with the first row, in this order
    y = rng.integers(0, 2, 30)
    named = clone(learner)
    for x, label in zip(X, y, strict=True):
        named.learn_one({f"f{j}": v for j, v in enumerate(x) if v}, label)
    rows = clone(learner).partial_fit(sparse.csr_matrix(X), y, [0, 1])
    np.testing.assert_array_equal(np.r_[named.coef_[0], named.intercept_], rows._mu)
    assert named.feature_names_in_.tolist() == ["f0", "f1", "f2", "f3"]
    x = dict(f1=0.4, unknown=9.0)
    assert named.predict_one(x) == rows.predict([[0, 0.4, 0, 0]])[0]


@pytest.mark.parametrize("covariance", ["diagonal", "full"])
def test_a_name_that_comes_late_starts_at_the_prior(covariance):
    late = AROWClassifier(covariance=covariance)
    early = AROWClassifier(covariance=covariance)
    for model, first in ((late, {"a": 1.0}), (early, {"a": 1.0, "b": 0.0})):
        model.learn_one(first, 1).learn_one({"a": -1.0}, 0).learn_one({"b": 2.0, "a": 0.3}, 1)
    np.testing.assert_array_equal(late._mu, early._mu)
    np.testing.assert_array_equal(late._Sigma, early._Sigma)
    assert late.n_features_in_ == 2


def test_prices_at_prediction_change_decisions(priced):
    X, y, fp, fn = priced
    model = ProbitClassifier().fit(X, y, fp_cost=fp, fn_cost=fn)
    assert model.predict(X, fp_cost=1.0, fn_cost=1e6).all()
    assert not model.predict(X, fp_cost=1e6, fn_cost=1.0).any()
    assert model.predict_one(X[0], fp_cost=1e6, fn_cost=1.0) == 0
    share = [ProbitClassifier(fp_cost=price).fit(X, y).predict(X).mean() for price in (1.0, 9.0)]
    assert share[1] < share[0]  # without prices now, those of training decide


def test_shuffled_passes_are_seeded(priced):
    X, y, _, _ = priced
    kwargs = dict(n_passes=3, shuffle=True)
    a, b, c = (PAClassifier(random_state=s, **kwargs).fit(X, y)._mu for s in (0, 0, 1))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (dict(x=np.array([np.nan, 1.0])), "finite"),
        (dict(x=np.array([np.inf, 1.0])), "finite"),
        (dict(x=np.array([1.0])), "a row of 2 features"),
        (dict(x={"a": 1.0}), "no feature names"),
        (dict(y=7), "must be 0 or 1"),
        (dict(fn_cost=np.nan), "missing"),
        (dict(fn_cost=-1.0), "smaller"),
    ],
)
def test_learn_one_says_what_is_wrong_and_learns_nothing(change, match):
    model = AROWClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    before = copy.deepcopy(model)
    call = dict(x=np.ones(2), y=1, fn_cost=1.0) | change
    with pytest.raises(ValueError, match=match):
        model.learn_one(call.pop("x"), call.pop("y"), **call)
    same_state(before, model)


def test_a_stream_needs_two_classes_first():
    with pytest.raises(ValueError, match="both classes before it starts"):
        PAClassifier().partial_fit([[1.0]], [1])
    with pytest.raises(ValueError, match="not in classes"):
        PAClassifier().partial_fit([[1.0]], [1], [0, 1]).partial_fit([[1.0]], [2])


def test_tails_in_the_wrong_order_are_refused():
    with pytest.raises(ValueError, match="cheap_tail must be at least expensive_tail"):
        CWCVaRClassifier(expensive_tail=0.3, cheap_tail=0.1).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("max_memory", [4096, None])
def test_memory_is_bounded_if_asked(max_memory):
    model = CWCVaRClassifier(max_memory=max_memory)
    rng = np.random.default_rng(0)
    sizes = []
    for _ in range(3):
        X = rng.normal(size=(400, 3))
        model.partial_fit(X, X[:, 0] > 0, [False, True], fn_cost=rng.lognormal(size=400))
        sizes.append(len(pickle.dumps(model)))
    assert (sizes[2] == sizes[1]) == (max_memory is not None)


@every_learner
def test_a_column_named_twice_in_a_row_counts_as_its_sum(learner):
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(0, 4, size=(20, 6)), axis=1)[:, ::-1]
    parts = rng.normal(size=120), columns.ravel(), np.arange(0, 121, 6)
    twice = sparse.csr_matrix(parts, shape=(20, 5))
    X, y = twice.toarray(), rng.integers(0, 2, 20)
    y[:2] = [0, 1]
    a, b = clone(learner).fit(twice, y), clone(learner).fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(a._mu, b._mu)
    np.testing.assert_array_equal(a.predict_proba(twice), b.predict_proba(sparse.csr_matrix(X)))
    assert twice.nnz == 120  # what the user gave is left alone


@pytest.mark.jit  # long without the compiled loops
def test_a_large_table_with_a_hole_is_refused_and_the_old_model_stays(priced):
    X, y, _, _ = priced
    rng = np.random.default_rng(0)
    large = rng.normal(size=(20_000, 5))
    large[19_000, 3] = np.nan
    labels = rng.integers(0, 2, len(large))
    for data in (large, sparse.csr_matrix(large)):
        with pytest.raises(ValueError, match="contains NaN"):
            AROWClassifier().fit(data, labels)
        model = AROWClassifier().fit(X, y)
        before = copy.deepcopy(model)
        with pytest.raises(ValueError, match="contains NaN"):
            model.fit(data, labels)
        same_state(before, model)


def test_a_refit_with_bad_costs_leaves_the_old_model_whole(priced):
    X, y, _, _ = priced
    model = AROWClassifier().fit(X, y)
    before = copy.deepcopy(model)
    with pytest.raises(ValueError, match="missing"):
        model.fit(X[:, :2], y, fn_cost=np.nan)
    same_state(before, model)
    np.testing.assert_array_equal(model.predict_proba(X), before.predict_proba(X))
    with pytest.raises(ValueError, match="5 features"):
        model.decision_function(X[:, :2])


def test_a_first_batch_that_is_refused_starts_nothing(priced):
    X, y, _, _ = priced
    model = AROWClassifier()
    with pytest.raises(ValueError, match="missing"):
        model.partial_fit(X, y, fn_cost=np.nan)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_names_of_an_earlier_stream_are_forgotten_by_fit(priced):
    X, y, _, _ = priced
    model = PAClassifier()
    for x, label in zip(X[:20], y[:20], strict=True):
        model.learn_one({"a": x[0], "b": x[1]}, label)
    model.fit(pd.DataFrame(X[:, :2], columns=["b", "a"]), y)
    row = pd.DataFrame([[0.0, 3.0]], columns=["b", "a"])
    assert model.predict_proba_one({"a": 3.0, "b": 0.0})[1] == model.predict_proba(row)[0, 1]


@pytest.mark.parametrize("learner", [AROWClassifier(), ProbitClassifier(), PAClassifier()])
def test_dict_streams_in_parts_are_merged_whatever_names_each_saw(learner, rng):
    """A feature that a part has not seen has the prior's weights there, as in one stream."""
    X = rng.normal(size=(400, 4))
    y = (X @ [1.0, -1.0, 2.0, 0.0] + rng.normal(size=400) > 0).astype(int)
    names = [["a", "b", "c"], ["d", "c", "a"]]
    parts, whole = [clone(learner), clone(learner)], [clone(learner), clone(learner)]
    places = dict(a=0, b=1, c=2, d=3)
    for i in range(400):
        x = {name: X[i, places[name]] for name in names[i % 2]}
        parts[i % 2].learn_one(x, int(y[i]))
        # the same, where every event has all names and zeros for what it lacks
        full = dict.fromkeys("abcd", 0.0) | x
        whole[i % 2].learn_one(full, int(y[i]))
    merged, expected = parts[0].merge(parts[1]), whole[0].merge(whole[1])
    assert list(merged.feature_names_in_) == ["a", "b", "c", "d"]
    assert list(parts[0].feature_names_in_) == ["a", "b", "c"] and parts[1].n_features_in_ == 3
    for row in X[:20]:
        x = dict(zip("abcd", row, strict=True))
        assert merged.predict_proba_one(x)[1] == pytest.approx(
            expected.predict_proba_one(x)[1], rel=1e-12
        )
    merged.learn_one({"e": 1.0, "b": 2.0}, 1)
    assert merged.n_features_in_ == 5


def test_merge_looks_at_the_names_and_at_array_parameters(priced):
    X, y, _, _ = priced
    forth, back = PAClassifier(), PAClassifier()
    for (p, q), label in zip(X[:20, :2], y[:20], strict=True):
        forth.learn_one({"p": p, "q": q}, label)
        back.learn_one({"q": q, "p": p}, label)
    other = PAClassifier().fit(pd.DataFrame(X[:, :2], columns=["p", "r"]), y)
    with pytest.raises(ValueError, match="the same features, can be merged"):
        forth.merge(other)
    forth.merge(copy.deepcopy(forth))
    priors = [CWRobustClassifier(prior_variance=np.full(5, v)).fit(X, y) for v in (1.0, 1.0, 2.0)]
    assert priors[0].merge(priors[1]).n_seen_ == 2 * len(y)
    with pytest.raises(ValueError, match="equal parameters"):
        priors[0].merge(priors[2])
    with pytest.raises(ValueError, match="equal parameters"):
        priors[0].merge(clone(priors[0]).set_params(prior_mean="opposite").fit(X, y))


@every_learner
def test_dicts_whose_names_arrived_in_another_order_are_merged(learner, priced):
    X, y, _, fn = priced
    if isinstance(learner, CWRobustClassifier):
        learner = CWRobustClassifier(prior_variance=0.5)
    one, same, back = (clone(learner) for _ in range(3))
    for k, (x, label, cost) in enumerate(zip(X[:60], y[:60], fn[:60], strict=True)):
        row = dict(zip("abcde", x, strict=True))
        if k < 30:
            one.learn_one(row, label, fn_cost=cost)
        else:
            same.learn_one(row, label, fn_cost=cost)
            first = dict(reversed(row.items())) if k == 30 else row
            back.learn_one(first, label, fn_cost=cost)
    assert back.feature_names_in_.tolist() == list("edcba")
    kept = copy.deepcopy(back)
    a, b = one.merge(same), one.merge(back)
    np.testing.assert_allclose(a._mu, b._mu, rtol=1e-9, atol=1e-12)
    row = dict(a=0.3, d=-1.0)
    assert a.predict_proba_one(row)[1] == pytest.approx(b.predict_proba_one(row)[1])
    same_state(back, kept)


def test_arrays_by_feature_are_merged_in_one_order_only(priced):
    X, y, _, _ = priced
    model = CWRobustClassifier(prior_variance=[1.0, 2.0])
    tables = [pd.DataFrame(X[:, :2], columns=names) for names in (["a", "b"], ["b", "a"])]
    forth, back = (clone(model).fit(table, y) for table in tables)
    with pytest.raises(ValueError, match="array as a parameter"):
        forth.merge(back)


@every_learner
def test_an_intercept_cannot_come_or_go_in_a_stream(learner, priced):
    X, y, _, _ = priced
    model = clone(learner).fit(X, y)
    before, p = copy.deepcopy(model), model.predict_proba(X)
    was = model.fit_intercept
    model.set_params(fit_intercept=not was)
    np.testing.assert_array_equal(model.predict_proba(X), p)  # of the stream as it was learned
    for learn in (lambda: model.partial_fit(X, y), lambda: model.learn_one(X[0], 1)):
        with pytest.raises(ValueError, match=f"started with fit_intercept={was}"):
            learn()
    same_state(before, model)
    model.set_params(fit_intercept=was).learn_one(X[0], 1)
    same_state(before.learn_one(X[0], 1), model)
    anew = model.set_params(fit_intercept=not was).fit(X, y)  # a new stream
    assert (anew.learn_one(X[0], 1).intercept_ != 0.0).all() == (not was)


@pytest.mark.parametrize(
    ("first", "match"),
    [
        (dict(x=np.ones(3), y="yes"), "pass other labels as classes="),
        (dict(x=np.ones((1, 3)), y=1), "must be a row"),
        (dict(x=np.ones(3), y=1, fn_cost=np.nan), "missing"),
    ],
)
def test_a_refused_first_example_leaves_the_way_out_open(first, match):
    model = PAClassifier()
    with pytest.raises(ValueError, match=match):
        model.learn_one(first.pop("x"), first.pop("y"), **first)
    model.learn_one(np.ones(2), "yes", classes=("no", "yes"))
    assert model.classes_.tolist() == ["no", "yes"] and model.n_features_in_ == 2


def test_other_classes_than_those_of_the_stream_are_refused(priced):
    X, y, _, _ = priced
    model = PAClassifier().partial_fit(X, y)
    model.learn_one(X[0], 1, classes=(1, 0)).partial_fit(X, y, np.array([1, 0]))
    before = copy.deepcopy(model)
    with pytest.raises(ValueError, match=r"started with, \[0, 1\]. Got \[0, 2\]"):
        model.partial_fit(X, y, [0, 2])
    with pytest.raises(ValueError, match=r"started with, \[0, 1\]. Got \['a', 'b'\]"):
        model.learn_one(X[0], 1, classes=("a", "b"))
    same_state(before, model)


def test_a_new_name_without_a_prior_of_its_own_loses_nothing(priced):
    X, y, _, _ = priced
    model = CWRobustClassifier(prior_variance=[1.0, 2.0])
    model.fit(pd.DataFrame(X[:, :2], columns=["a", "b"]), y)
    before = copy.deepcopy(model)
    with pytest.raises(ValueError, match="each of the 3 features"):
        model.learn_one({"a": 1.0, "c": 2.0}, 1)
    same_state(before, model)


def test_a_stream_continues_with_new_parameters(priced):
    X, y, _, fn = priced
    robust = CWRobustClassifier(prior_variance=0.01).fit(X, y)
    assert (robust.blended_coef_ != robust.coef_).all()
    np.testing.assert_array_equal(
        robust.set_params(prior_variance=np.inf).blended_coef_, robust.coef_
    )
    for max_memory in (None, 4096):
        tails = (
            CWCVaRClassifier(max_memory=max_memory)
            .fit(X, y, fn_cost=fn)
            .set_params(expensive_share=0.9)
        )
        assert tails._buffer.factor(np.median(fn)) == tails._buffer.numbers[EXPENSIVE]
    grown = AROWClassifier().learn_one({"a": 1.0}, 1).set_params(covariance="full")
    assert grown.learn_one({"b": 1.0}, 0).covariance_.shape == (2,)


def test_a_bad_parameter_of_a_running_stream_is_refused(priced):
    X, y, _, _ = priced
    model = PAClassifier().fit(X, y)
    with pytest.raises(ValueError, match="'variant' parameter of PAClassifier"):
        model.set_params(variant="foo")
    assert model.variant == "PA-I"


@pytest.mark.filterwarnings("ignore:overflow")  # numpy warns where the loops are not compiled
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("learner", [PAClassifier(), AROWClassifier(covariance="full")], ids=repr)
def test_rows_whose_squares_overflow_are_refused_everywhere(learner, form, priced):
    X, y, _, _ = priced
    model, large = clone(learner).fit(form(X), y), X[:2].copy()
    large[1, 0] = 1e200
    before = copy.deepcopy(model)
    for call in (model.predict_proba, model.decision_function, lambda A: model.fit(A, [0, 1])):
        with pytest.raises(ValueError, match="squares overflow"):
            call(form(large))
    with pytest.raises(ValueError, match="so must its squares"):
        model.predict_one(large[1])
    same_state(before, model)
    with pytest.raises(ValueError, match="Nothing was learned"):
        model.partial_fit(form(large), [0, 1])
    same_state(before, model)


@pytest.mark.jit
def test_read_only_tables_and_rows_compile_nothing_new(priced):
    X, y, _, fn = priced
    S = sparse.csr_matrix(X)
    for model, loops in (
        (AROWClassifier(), (_gaussian_jit.learn_dense, _gaussian_csr_jit.learn_csr)),
        (PAClassifier(), (_first_order_jit.learn_dense, _first_order_jit.learn_csr)),
    ):
        expected = clone(model).fit(X, y, fn_cost=fn).learn_one(X[0], 1).coef_
        clone(model).fit(S, y)
        before = [len(loop.signatures) for loop in loops]
        locked, cost = X.copy(), fn.copy()
        locked.flags.writeable = cost.flags.writeable = False
        found = clone(model).fit(locked, y, fn_cost=cost).learn_one(locked[0], 1)
        found.predict_one(locked[1])
        np.testing.assert_array_equal(found.coef_, expected)
        L = sparse.csr_matrix(X)
        for part in (L.data, L.indices, L.indptr):
            part.flags.writeable = False
        clone(model).fit(L, y)
        assert [len(loop.signatures) for loop in loops] == before
