"""Rejection sampling keeps rows in proportion to their costs; costing learns from such samples."""

import numpy as np
import polars as pl
import pytest
from imblearn.pipeline import make_pipeline
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from checks import problem
from stakes.metrics import cost_loss
from stakes.sampling import CostingClassifier, CostProportionateSampler
from stakes.sampling._cost_proportionate import draw


@pytest.mark.parametrize("ceiling", [1.0, 0.6])
def test_expected_copies_are_proportional_to_the_cost(ceiling):
    cost = np.array([0.0, 0.5, 1.0, 2.0, 3.0, 7.0])
    random, runs = np.random.RandomState(0), 20_000
    counts = np.zeros(len(cost))
    for _ in range(runs):
        counts += np.bincount(draw(cost, ceiling, random), minlength=len(cost))
    top = np.quantile(cost[1:], ceiling, method="higher")
    expected = cost / top
    spread = np.sqrt(expected % 1 * (1 - expected % 1) / runs)
    assert counts[0] == 0  # what costs nothing is never kept
    assert np.abs(counts / runs - expected).max() <= 5 * spread.max()


def test_scaling_all_costs_changes_nothing():
    X, y, fp, fn = problem()
    sampler = CostProportionateSampler(random_state=3)
    sampler.fit_resample(X, y, fp_cost=fp, fn_cost=fn)
    rows = sampler.sample_indices_
    sampler.fit_resample(X, y, fp_cost=1000 * fp, fn_cost=1000 * fn)
    np.testing.assert_array_equal(rows, sampler.sample_indices_)


def test_a_row_without_cost_is_never_kept_and_takes_no_draw(rng):
    X, y, fp, fn = problem()
    odd = rng.uniform(size=len(y)) < 0.3
    fp, fn = np.where(odd, 0.0, fp), np.where(odd, 0.0, fn)
    sampler = CostProportionateSampler(random_state=0)
    X_all, y_all = sampler.fit_resample(X, y, fp_cost=fp, fn_cost=fn)
    assert not odd[sampler.sample_indices_].any()
    without = sampler.fit_resample(X[~odd], y[~odd], fp_cost=fp[~odd], fn_cost=fn[~odd])
    np.testing.assert_array_equal(X_all, without[0])
    np.testing.assert_array_equal(y_all, without[1])


def test_equal_costs_keep_everything():
    X, y, *_ = problem()
    X_new, y_new = CostProportionateSampler(fp_cost=3, fn_cost=3).fit_resample(X, y)
    np.testing.assert_array_equal(X_new, X)
    np.testing.assert_array_equal(y_new, y)


def test_frames_with_text_and_sparse_rows_are_picked_from():
    frame = pl.DataFrame({"k": ["a", "b", "c", "d"], "n": [1, 2, 3, 4]})
    sampler = CostProportionateSampler(random_state=0)
    kept, y = sampler.fit_resample(frame, ["no", "yes", "no", "yes"], fp_cost=0, fn_cost=[1] * 4)
    assert kept["k"].to_list() == ["b", "d"] and y.tolist() == ["yes", "yes"]
    kept, _ = sampler.fit_resample(sparse.coo_array(np.eye(4)), [0, 1, 0, 1], fp_cost=0)
    np.testing.assert_array_equal(kept.toarray(), np.eye(4)[[1, 3]])


def test_bad_input_is_reported():
    X, y, _fp, fn = problem()
    with pytest.raises(ValueError, match="nothing to sample from"):
        CostProportionateSampler(fp_cost=0, fn_cost=0).fit_resample(X, y)
    with pytest.raises(ValueError, match="fn_cost is smaller than tp_cost"):
        CostProportionateSampler().fit_resample(X, y, fn_cost=-fn)
    with pytest.raises(ValueError, match="'ceiling' parameter of CostProportionateSampler"):
        CostProportionateSampler(ceiling=0).fit_resample(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        CostProportionateSampler().fit_resample(X, y[:5])


def test_costs_reach_it_in_a_pipeline():
    X, y, fp, fn = problem()
    steps = make_pipeline(CostProportionateSampler(random_state=0), GaussianNB())
    with config_context(enable_metadata_routing=True):
        steps.fit(X, y, fp_cost=fp, fn_cost=fn)
    sampler = CostProportionateSampler(random_state=0)
    alone = GaussianNB().fit(*sampler.fit_resample(X, y, fp_cost=fp, fn_cost=fn))
    np.testing.assert_array_equal(steps.predict_proba(X), alone.predict_proba(X))


def test_costing_is_the_vote_of_its_samples():
    X, y, fp, fn = problem()
    model = CostingClassifier(LogisticRegression(), n_estimators=4, random_state=7)
    model.fit(X, y, fp_cost=fp, fn_cost=fn)
    random = np.random.RandomState(7)
    regret = np.where(y == 1, fn, fp)
    votes = []
    for size in model.sample_sizes_:
        rows = draw(regret, 1.0, random)
        assert len(rows) == size
        votes.append(np.where(LogisticRegression().fit(X[rows], y[rows]).predict(X) == 1, 1, -1))
    np.testing.assert_allclose(model.decision_function(X), np.mean(votes, axis=0))


def test_costing_equals_its_learner_when_all_costs_are_equal():
    X, y, *_ = problem()
    model = CostingClassifier(LinearSVC(random_state=0), n_estimators=3, fp_cost=2, fn_cost=2)
    alone = LinearSVC(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.fit(X, y).predict(X), alone.predict(X))


def test_costing_costs_less_than_its_learner_alone():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3))
    y = (X @ [1.0, 1.0, 0.0] + rng.normal(size=6000) > 2.2).astype(int)
    costs = dict(fp_cost=1.0, fn_cost=rng.lognormal(2.0, 0.5, 6000))
    half = {name: c if np.isscalar(c) else c[:3000] for name, c in costs.items()}
    rest = {name: c if np.isscalar(c) else c[3000:] for name, c in costs.items()}
    costing = CostingClassifier(LogisticRegression(), random_state=0).fit(
        X[:3000], y[:3000], **half
    )
    alone = LogisticRegression().fit(X[:3000], y[:3000])
    paid = [cost_loss(y[3000:], model.predict(X[3000:]), **rest) for model in (costing, alone)]
    assert paid[0] < 0.7 * paid[1]


def test_jobs_change_nothing():
    X, y, fp, fn = problem()
    model = CostingClassifier(n_estimators=4, random_state=0)
    one = model.fit(X, y, fp_cost=fp, fn_cost=fn).decision_function(X)
    two = clone(model).set_params(n_jobs=2).fit(X, y, fp_cost=fp, fn_cost=fn)
    np.testing.assert_array_equal(one, two.decision_function(X))


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_a_sample_of_one_class_votes_for_it(voting):
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 0, 1])
    model = CostingClassifier(GaussianNB(), voting=voting, fn_cost=1e9, random_state=0)
    assert model.fit(X, y).sample_sizes_.tolist() == [1] * 20
    np.testing.assert_array_equal(model.decision_function(X), np.ones(6))


def test_votes_that_cannot_be_are_refused():
    X, y, *_ = problem()
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba; use voting='hard'"):
        CostingClassifier(LinearSVC(), voting="soft").fit(X, y)
    model = CostingClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="wrap it in BayesDecisionClassifier"):
        model.predict(X, fp_cost=1.0)


def test_sample_weight_multiplies_the_costs(rng):
    X, y = rng.normal(size=(300, 2)), np.arange(300) % 2
    weight = rng.integers(0, 4, 300)
    fn_cost, fp_cost = rng.uniform(1, 5, 300), rng.uniform(1, 5, 300)
    weighted = dict(fn_cost=weight * fn_cost, fp_cost=weight * fp_cost)
    one, two = (CostProportionateSampler(random_state=0) for _ in range(2))
    one.fit_resample(X, y, weight, fn_cost=fn_cost, fp_cost=fp_cost)
    two.fit_resample(X, y, **weighted)
    np.testing.assert_array_equal(one.sample_indices_, two.sample_indices_)
    assert not np.isin(np.flatnonzero(weight == 0), one.sample_indices_).any()
    one, two = (CostingClassifier(random_state=0, n_estimators=3) for _ in range(2))
    one.fit(X, y, weight, fn_cost=fn_cost, fp_cost=fp_cost)
    two.fit(X, y, **weighted)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))
    with pytest.raises(ValueError, match=r"[Nn]egative values"):
        CostProportionateSampler().fit_resample(X, y, weight - 1.0)


@pytest.mark.parametrize("largest", [1e30, 1e99])
def test_a_sample_of_endless_rows_is_refused(largest):
    sampler = CostProportionateSampler(ceiling=0.5, random_state=0)
    X, y, cost = np.arange(8.0)[:, None], [0, 1] * 4, np.r_[np.full(7, 1e-20), largest]
    with pytest.raises(ValueError, match="raise ceiling, or cap the costs"):
        sampler.fit_resample(X, y, fn_cost=cost)


def test_no_rows_are_named():
    with pytest.raises(ValueError, match="y has no rows"):
        CostProportionateSampler().fit_resample(np.zeros((0, 2)), np.zeros(0))
