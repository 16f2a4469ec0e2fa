"""Association rules: the same as by enumeration, and what the classifier makes of them."""

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from checks import problem
from naive import association as naive
from stakes.tree import AssociationRuleClassifier, fisher_exact_p
from stakes.tree._association_items import entropy_cuts, item_codes, item_list
from stakes.tree._association_mine import mine


def coded_problem(rng, n=240):
    codes = rng.integers(0, 3, size=(n, 4)).astype(np.int32)
    codes[rng.uniform(size=codes.shape) < 0.05] = -1
    chance = 0.08 + 0.5 * (codes[:, 0] == 1) * (codes[:, 1] == 2) + 0.25 * (codes[:, 2] == 0)
    return codes, rng.uniform(size=n) < chance


def test_mined_rules_are_those_of_the_enumeration(rng):
    codes, positive = coded_problem(rng)
    feature, code = item_list(codes, [True] * 4, [0] * 4)
    found = mine(
        codes.T[feature] == code[:, None],
        feature,
        positive,
        np.ones(len(positive)),
        p_value=0.05,
        ccr=1.0,
        min_support=5,
        max_length=3,
        beam=10_000,
    )
    settings = dict(alpha=0.05, ccr=1.0, min_support=5, max_length=3)
    expected = naive.rules(codes, positive, **settings)
    ours = {
        tuple(sorted((int(feature[i]), int(code[i])) for i in items)): k
        for k, items in enumerate(found.items)
    }
    assert set(ours) == set(expected) and len(ours) >= 3
    for conditions, (kind, counts, p) in expected.items():
        k = ours[conditions]
        assert found.favours[k] == kind and found.counts[k].tolist() == counts
        assert np.exp(found.log_p[k]) == pytest.approx(p, rel=1e-9)
    assert np.all(np.diff(found.strength) <= 0)


def test_cuts_are_those_of_the_recursion(rng):
    x = np.sort(np.round(rng.normal(size=150), 1))
    positive = rng.uniform(size=150) < np.where(np.abs(x) > 1, 0.8, 0.1)
    ones = np.ones(150)
    np.testing.assert_allclose(entropy_cuts(x, positive, ones), naive.entropy_cuts(x, positive))
    assert len(entropy_cuts(x, positive, ones)) >= 1
    assert len(entropy_cuts(np.zeros(9), positive[:9], ones[:9])) == 0  # a constant
    assert len(entropy_cuts(x[:1], positive[:1], ones[:1])) == 0
    times = rng.integers(1, 4, 150)
    copies = naive.entropy_cuts(np.repeat(x, times), np.repeat(positive, times))
    np.testing.assert_allclose(entropy_cuts(x, positive, times), copies)


@pytest.mark.parametrize("discretize", ["entropy", "quantile"])
def test_weights_are_copies_in_any_unit(discretize, rng):
    X, y, *_ = problem(n=300)
    times = rng.integers(0, 4, len(y))
    make = lambda: AssociationRuleClassifier(p_value=0.05, discretize=discretize)  # noqa: E731
    copied = make().fit(*(np.repeat(part, times, axis=0) for part in (X, y)))
    for unit in (1.0, 1e-3 / 7):
        weighted = make().fit(X, y, sample_weight=times * unit)
        assert weighted.rules()["rule"].to_list() == copied.rules()["rule"].to_list()
        np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X))
    uneven = rng.uniform(0.5, 1.5, len(y))
    one, other = (make().fit(X, y, sample_weight=uneven * unit) for unit in (1.0, 1e6))
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X))
    assert one.n_rules_ > 0


def test_rows_fall_to_the_first_rule_that_they_meet(rng):
    codes, positive = coded_problem(rng)
    X = np.where(codes < 0, np.nan, codes)
    settings = dict(p_value=0.05, categorical_features=range(4))
    model = AssociationRuleClassifier(**settings).fit(X, positive)
    rules = [
        [(model._feature[c], model._code[c]) for c in range(*model._start[k : k + 2])]
        for k in range(model.n_rules_)
    ]
    expected = naive.first_match(codes.tolist(), rules)
    np.testing.assert_array_equal(model.apply(X), expected)
    # the share of positives among the training rows of the same rule, one of each class added
    for cell in set(expected):
        inside = positive[np.array(expected) == cell]
        share = (inside.sum() + 1) / (len(inside) + 2)
        np.testing.assert_allclose(model.predict_proba(X)[np.array(expected) == cell, 1], share)


def test_copies_of_the_common_class_change_no_ratio():
    codes, positive = coded_problem(np.random.default_rng(0))
    X = np.where(codes < 0, np.nan, codes)
    model = AssociationRuleClassifier(categorical_features=range(4), max_length=1)
    once = model.fit(X, positive).rules()
    rows = np.concatenate([np.repeat(np.flatnonzero(~positive), 10), np.flatnonzero(positive)])
    often = model.fit(X[rows], positive[rows]).rules()
    shared = once.join(often, on=["rule", "favours"])
    assert len(shared) == len(once) - 1 > 0
    np.testing.assert_allclose(shared["ccr"], shared["ccr_right"])
    assert (shared["confidence"] != shared["confidence_right"]).any()


def test_rules_as_frame_and_text():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"age": rng.uniform(20, 80, 500), "kind": rng.integers(0, 3, 500)})
    y = np.where((frame["age"] > 60) & (frame["kind"] == 2), "bad", "good")
    model = AssociationRuleClassifier(categorical_features=["kind"]).fit(frame, y)
    rules, text = model.rules(), model.to_text().splitlines()
    assert len(rules) == model.n_rules_ + 1 == len(text) - 1
    assert rules["rule"][-1] == "otherwise" and rules["examples"].sum() == 500
    assert any("kind = 2" in rule and "age > 6" in rule for rule in rules["rule"])
    assert text[0].startswith(f"if {rules['rule'][0]} then {rules['decision'][0]} (")
    assert text[-2].startswith("else ")
    row = rules.row(0, named=True)
    met = (frame["age"] > model.cuts_[0][-1]) & (frame["kind"] == 2)
    best = rules.filter(pl.col("favours") == "bad").row(0, named=True)
    assert best["ccr"] == np.inf and best["support"] == pytest.approx(met.mean(), abs=0.01)
    n = len(y)
    a, c = round(row["confidence"] * row["support"] * n), round(row["support"] * n)
    own = int((y == row["favours"]).sum())
    assert row["p_value"] == pytest.approx(
        fisher_exact_p(a, c - a, own - a, n - own - (c - a)), rel=1e-9
    )


def test_without_a_rule_the_share_decides():
    X, y, *_ = problem()
    model = AssociationRuleClassifier(p_value=1e-300).fit(X, y)
    assert model.n_rules_ == 0 and model.rules()["rule"].to_list() == ["otherwise"]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], (y.sum() + 1) / (len(y) + 2))
    lost = min(y.sum(), len(y) - y.sum())
    assert f"in {len(y)} examples; at stake {len(y)}, lost {lost})" in model.to_text()


@pytest.mark.parametrize("discretize", ["entropy", "quantile"])
def test_it_ranks_and_prices_move_its_decision(discretize):
    X, y, fp, fn = problem(n=600)
    model = AssociationRuleClassifier(discretize=discretize).fit(X, y, fp_cost=fp, fn_cost=fn)
    assert roc_auc_score(y, model.predict_proba(X)[:, 1]) > 0.85
    few = model.predict(X, fp_cost=10.0, fn_cost=1.0).sum()
    many = model.predict(X, fp_cost=1.0, fn_cost=10.0).sum()
    assert few < many
    costly = AssociationRuleClassifier(discretize=discretize).fit(X, y, fp_cost=1, fn_cost=10)
    assert costly.predict(X).sum() > few


def test_unseen_categories_meet_no_rule(rng):
    X = np.array([[2.5], [-1.0], [np.nan], [7.0]] * 30)
    y = (X[:, 0] == 7).astype(int)
    model = AssociationRuleClassifier(categorical_features=[0]).fit(X, y)
    codes = item_codes(model._validate_X([[2.5], [7.0], [np.nan], [1e18]]), model.cuts_, [True])
    assert codes.ravel().tolist() == [1, 2, -1, 254]
    assert model.apply([[1e18]])[0] == model.n_rules_


def test_only_free_examples_are_refused():
    X, y, *_ = problem()
    with pytest.raises(ValueError, match="No mistake costs anything"):
        AssociationRuleClassifier(fp_cost=0, fn_cost=0).fit(X, y)
