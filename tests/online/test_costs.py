"""What costs do: monotone steps, noise, probabilities, money."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from stakes.datasets import make_fraud
from stakes.metrics import savings_score
from stakes.online import (
    AROWClassifier,
    CWClassifier,
    CWCVaRClassifier,
    CWRobustClassifier,
    PAClassifier,
    ProbitClassifier,
    SCWClassifier,
)
from stakes.online._cost_buffer import CostBuffer
from stakes.online._gaussian_jit import AROW, CVAR, CVAR_PAPER, SCW_I, SCW_II, step
from stakes.risk import conditional_value_at_risk, omega


def test_the_papers_step_falls_as_the_cost_grows():
    # M = 0, v = 1, epsilon = 0.05, arbitrary margin: the weights move by c lambda
    w = omega(0.05, "arbitrary")
    moves = [step(CVAR_PAPER, 0.0, 1.0, c, w, 1.0, 0.0)[0] for c in (0.1, 1.0, 10.0)]
    np.testing.assert_allclose(moves, [0.701, 0.652, 0.337], atol=1e-3)


@given(
    m=st.floats(-20, 20),
    v=st.floats(1e-6, 1e3),
    c=st.floats(1e-3, 1e3),
    more=st.floats(1.0, 1e3),
    epsilon=st.floats(0.01, 0.99),
    less=st.floats(0.1, 1.0),
)
@settings(max_examples=300, deadline=None)
def test_the_soft_steps_never_fall_as_the_cost_grows(m, v, c, more, epsilon, less):
    for rule in (CVAR, AROW, SCW_I, SCW_II):
        p, q = (1.0, 0.0) if rule in (CVAR, AROW) else (0.3, 1.2)
        low = step(rule, m, v, c, omega(epsilon, "gaussian"), p, q)
        high = step(rule, m, v, c * more, omega(epsilon * less, "gaussian"), p, q)
        for before, after in zip(low, high, strict=True):
            assert after >= before * (1 - 1e-9)


@given(m=st.floats(-20, 0.9), v=st.floats(1e-6, 1e3), c=st.floats(1e-3, 1e9))
@settings(max_examples=200, deadline=None)
def test_no_cost_carries_the_margin_past_what_was_asked(m, v, c):
    w = omega(0.7, "gaussian")
    a, b = step(CVAR, m, v, c, w, 1.0, 0.0)
    assert m + a * v <= 1 + w * v / (1 + b * v) + 1e-6 * (1 + abs(m))
    a, _ = step(AROW, m, v, c, 0.0, 1.0, 0.0)
    assert m + a * v <= 1 + 1e-9


@pytest.mark.parametrize("max_memory", [None, 4096])
@pytest.mark.parametrize("strict", [False, True])
def test_the_buffer_names_the_examples_that_reach_the_cvar(rng, max_memory, strict):
    costs = rng.lognormal(2, 1.5, 200)
    costs[rng.random(200) < 0.1] = 0.0
    buffer = CostBuffer(0.1, expensive=2.0, cheap=1.0, max_memory=max_memory, strict=strict)
    factors = buffer.factors(costs)
    so_far, sure = [], 0
    for cost, factor in zip(costs, factors, strict=True):
        if cost == 0:
            assert factor == 1.0
            continue
        so_far.append(cost)
        star = conditional_value_at_risk(np.array(so_far), 0.1)
        if abs(star - cost) > (1e-9 if max_memory is None else 0.02) * star:
            assert (factor == 2.0) == (cost >= star)
            sure += 1
    assert sure > 150
    singles = CostBuffer(0.1, expensive=2.0, cheap=1.0, max_memory=max_memory, strict=strict)
    np.testing.assert_array_equal([singles.factor(c) for c in costs], factors)


def test_sketches_are_joined_as_if_every_cost_were_replayed(rng):
    a, b = rng.lognormal(0, 2, 200), rng.lognormal(1, 3, 300)
    one, replayed, other = (CostBuffer(0.05, 2.0, 1.0, 4096) for _ in range(3))
    one.factors(a), replayed.factors(a), other.factors(b)
    given = other.values()
    one.join(other)
    replayed.factors(given)
    np.testing.assert_allclose(one.values(), replayed.values(), rtol=1e-9)
    np.testing.assert_array_equal(other.values(), given)
    assert one.factor(1e3) == replayed.factor(1e3)
    assert len(one.values()) == len(a) + len(b) + 1
    empty = CostBuffer(0.05, 2.0, 1.0, 4096)
    empty.join(one)
    np.testing.assert_allclose(empty.values(), one.values(), rtol=0.05)  # in its own unit
    one.join(CostBuffer(0.05, 2.0, 1.0, 4096))
    assert len(one.values()) == len(a) + len(b) + 1


def test_costs_that_repeat_are_placed_as_one_by_one(rng):
    costs = np.repeat(rng.choice([0.0, 0.5, 3.0, 1e-300, 40.0], 60), rng.integers(1, 9, 60))
    many, ones = (CostBuffer(0.05, 2.0, 1.0, 4096, strict=True) for _ in range(2))
    np.testing.assert_array_equal(many.factors(costs), [ones.factor(c) for c in costs])
    np.testing.assert_array_equal(many.numbers, ones.numbers)


def test_among_equal_costs_all_are_expensive_in_the_paper_and_none_under_the_soft_rules():
    ones = np.ones(20)
    assert (CostBuffer(0.05, 2.0, 1.0, None).factors(ones) == 2.0).all()
    assert (CostBuffer(0.05, 2.0, 1.0, None, strict=True).factors(ones) == 1.0).all()


def online_error(model, X, y):
    return np.mean((model.predict_proba_then_learn(X, y, [0, 1]) > 0.5) != y)


@pytest.mark.jit
def test_flipped_labels_do_not_hurt_the_soft_rule(rng):
    n, d = 4000, 20
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=d) > 0).astype(int)
    noisy = np.where(rng.random(n) < 0.05, 1 - y, y)
    hard, soft, arow = (
        online_error(model, X, noisy)
        for model in (CWClassifier(), CWCVaRClassifier(), AROWClassifier())
    )
    assert hard > 0.16  # known to degrade: the constraint is hard, so every flipped label counts
    assert soft < 0.11
    assert soft < arow + 0.015


def fraud(seed, n, share=0.02):
    data = make_fraud(2 * n, positive_share=share, random_state=seed)
    scaled = StandardScaler().fit(data.X[:n]).transform(data.X)
    cost = {k: np.broadcast_to(v, 2 * n) for k, v in data.costs.items()}
    train, test = ({k: v[s] for k, v in cost.items()} for s in (slice(0, n), slice(n, None)))
    return (scaled[:n], data.y[:n], train), (scaled[n:], data.y[n:], test)


def shares_of_batch(models, seed, n, share=0.02):
    """Savings of one pass, as shares of a batch logistic regression's."""
    (X, y, train), (X_test, y_test, test) = fraud(seed, n, share)
    probability = LogisticRegression().fit(X, y).predict_proba(X_test)[:, 1]
    threshold = test["fp_cost"] / (test["fp_cost"] + test["fn_cost"])
    batch = savings_score(y_test, probability > threshold, **test)
    found = []
    for model in models:
        decided = model.fit(X, y, **train).predict(X_test, **test)
        found.append(savings_score(y_test, decided, **test) / batch)
    return found


@pytest.mark.jit
@pytest.mark.parametrize("seed", range(3))
def test_one_pass_saves_nearly_what_a_batch_fit_saves(seed):
    models = [ProbitClassifier(), CWCVaRClassifier(), AROWClassifier(), PAClassifier()]
    probit, cvar, arow, pa = shares_of_batch(models, seed, 50_000)
    assert min(probit, cvar, arow) >= 0.95
    assert pa > 0  # never below the best constant policy


@pytest.mark.jit
def test_probabilities_are_calibrated_after_one_pass():
    parts = [fraud(seed, 50_000) for seed in range(3)]
    y_test = np.concatenate([test[1] for _, test in parts])
    for model in (ProbitClassifier(), CWCVaRClassifier(), AROWClassifier()):
        p = [model.fit(X, y, **cost).predict_proba(test[0])[:, 1] for (X, y, cost), test in parts]
        p = np.concatenate(p)
        assert p.mean() == pytest.approx(y_test.mean(), rel=0.15)
        for low, high in ((0.0, 0.02), (0.02, 0.1), (0.1, 0.3)):
            inside = (p >= low) & (p < high)
            assert y_test[inside].mean() == pytest.approx(p[inside].mean(), rel=0.35)


@pytest.mark.jit
def test_weights_by_the_class_or_the_stake_do_not_count_costs_twice():
    (X, y, train), (X_test, y_test, test) = fraud(1, 8000)
    found = {}
    for rule in ("class", "stake", "regret"):
        model = AROWClassifier(cost_rule=rule).fit(X, y, **train)
        found[rule] = model.predict_proba(X_test)[:, 1]
    amount = np.log(test["fn_cost"])
    tilt = {k: np.corrcoef(p, amount)[0, 1] for k, p in found.items()}
    truth = np.corrcoef(y_test, amount)[0, 1]
    for rule in ("class", "stake"):
        assert abs(tilt[rule] - truth) < abs(tilt["regret"] - truth)


@pytest.mark.jit
@pytest.mark.filterwarnings("ignore::stakes.errors.BelowTrivialWarning")
def test_one_weight_for_a_class_saves_more_than_a_weight_by_the_stake_where_positives_are_few():
    found = {"class": [], "stake": []}
    for seed in range(4):
        models = [CWCVaRClassifier(cost_rule=rule) for rule in found]
        for shares, share in zip(
            found.values(), shares_of_batch(models, seed, 20_000, 0.005), strict=True
        ):
            shares.append(share)
    assert np.mean(found["class"]) > np.mean(found["stake"])
    assert np.mean(found["class"]) >= 0.9


@pytest.mark.parametrize(
    "learner", [PAClassifier(), CWCVaRClassifier(), ProbitClassifier()], ids=repr
)
def test_sample_weights_multiply_the_costs(priced, learner):
    X, y, fp, fn = (part[:60] for part in priced)
    weight = np.random.default_rng(0).integers(0, 3, 60).astype(float)
    weighted = clone(learner).fit(X, y, weight, fp_cost=fp, fn_cost=fn)
    expected = clone(learner).fit(X, y, fp_cost=weight * fp, fn_cost=weight * fn)
    stream, ones = clone(learner), clone(learner)
    for t in range(60):
        row, costs = slice(t, t + 1), dict(fp_cost=fp[t], fn_cost=fn[t])
        stream.partial_fit(X[row], y[row], [0, 1], weight[row], **costs)
        ones.learn_one(X[t], y[t], sample_weight=weight[t], **costs)
    for model in (weighted, stream, ones):
        np.testing.assert_array_equal(model.coef_, expected.coef_)
    assert weighted.n_seen_ == (weight > 0).sum()
    with pytest.raises(ValueError, match="sample_weight must be from 0"):
        ones.learn_one(X[0], y[0], sample_weight=-1.0)
    with pytest.raises(ValueError, match="Negative values"):
        stream.partial_fit(X, y, sample_weight=-weight)


@pytest.mark.jit  # without it numpy warns of the overflow
@pytest.mark.parametrize("half_life", [None, "auto"])
def test_costs_whose_ratio_overflows(half_life, rng):
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] > 0).astype(int)
    for costs in (dict(fp_cost=1e-320, fn_cost=1.0), dict(fp_cost=1.0, fn_cost=1e-320)):
        model = SCWClassifier(half_life=half_life).fit(X, y, **costs)
        assert np.isfinite(model.decision_function(X)).all()
        assert (model.predict(X) == (costs["fn_cost"] > costs["fp_cost"])).all()


def test_a_prior_with_nothing_to_say_changes_no_decision(priced):
    X, y, fp, fn = priced
    plain = CWCVaRClassifier(calibration=None).fit(X, y, fp_cost=fp, fn_cost=fn)
    robust = CWRobustClassifier(calibration=None).fit(X, y, fp_cost=fp, fn_cost=fn)
    np.testing.assert_array_equal(plain.coef_, robust.coef_)
    np.testing.assert_array_equal(plain.predict(X), robust.predict(X))


@pytest.mark.parametrize("evidence", ["once", "paper"])
def test_the_blend_is_eqs_14_and_15(priced, evidence):
    X, y, _, _ = priced
    variance = np.array([np.inf, 1.0, 0.2, np.inf, 5.0])
    mean = np.array([0.0, 1.0, -1.0, 0.0, 0.3])
    model = CWRobustClassifier(prior_mean=mean, prior_variance=variance, evidence=evidence)
    model.fit(X, y)
    t = len(X) if evidence == "paper" else 1.0
    P = np.diag(t / model.covariance_)
    S = np.linalg.inv(np.diag(1 / variance) + P)
    expected = S @ (np.diag(1 / variance) @ mean + P @ model.coef_[0])
    np.testing.assert_allclose(model.blended_coef_[0], expected, rtol=1e-10)


@pytest.mark.filterwarnings("ignore::stakes.errors.BelowTrivialWarning")
def test_the_papers_blend_is_the_learned_weight_after_a_few_examples(priced):
    X, y, _, _ = priced
    model = CWRobustClassifier(prior_mean="opposite", prior_variance=1.0, evidence="paper")
    model.fit(X, y)
    np.testing.assert_allclose(model.blended_coef_, model.coef_, rtol=0.02)
    once = CWRobustClassifier(prior_mean=0.0, prior_variance=1e-4).fit(X, y)
    assert np.abs(once.blended_coef_).max() < 0.1 * np.abs(once.coef_).max()


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (dict(prior_variance=[1.0, 2.0]), "one entry for each of the 5 features"),
        (dict(prior_variance=0.0), "must be positive"),
        (dict(prior_mean=[0.0]), "one entry for each of the 5 features"),
    ],
)
def test_bad_priors_are_named(priced, arguments, match):
    X, y, _, _ = priced
    with pytest.raises(ValueError, match=match):
        CWRobustClassifier(**arguments).fit(X, y)


@pytest.mark.parametrize("max_memory", [256, 4096, None])
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("before", [[], [3.7], [3.7, 3.7], [1.0, 3.7], [3.7, 9.0], [0.0]])
def test_a_cost_added_many_times_at_once_equals_one_by_one(max_memory, strict, before):
    at_once, one_by_one = (CostBuffer(0.05, 2.0, 1.0, max_memory, strict) for _ in range(2))
    for buffer in (at_once, one_by_one):
        buffer.factors(np.array(before))
    for cost, n in ((3.7, 50), (0.0, 5), (3.7, 1), (2.0, 7), (3.7, 30)):
        wanted = one_by_one.factors(np.full(n, cost))
        np.testing.assert_array_equal(np.broadcast_to(at_once.repeated(cost, n), n), wanted)
        np.testing.assert_array_equal(at_once.numbers, one_by_one.numbers)
        np.testing.assert_array_equal(at_once.values(), one_by_one.values())
