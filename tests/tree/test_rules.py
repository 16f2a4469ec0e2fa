"""A tree as rules: names, decisions, money, p-values; as a table, text, JSON and pictures."""

import json

import numpy as np
import polars as pl
import pytest
from scipy.stats import fisher_exact
from sklearn.datasets import load_iris

from stakes.datasets import make_fraud
from stakes.tree import AssociationRuleClassifier, ConfidenceTreeClassifier


def problem(rng, n=300):
    X = rng.normal(size=(n, 4)).round(2)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 1.0).astype(int)
    return X, y


def holds(rule, table):
    """Rows for which a rule holds, read from its text alone."""
    inside = np.ones(len(table), dtype=bool)
    for condition in rule.split(" and "):
        missing_too = condition.endswith(" or missing")
        name, sign, value = condition.removesuffix(" or missing").split(" ", 2)
        x = table[name].to_numpy()
        if value.startswith(("{", "in {")):
            named = value.removeprefix("in ").strip("{}").split(", ")
            there = np.isin([str(v) for v in x], named) ^ (sign == "not")
        else:
            there = x <= float(value) if sign == "<=" else x > float(value)
        gap = np.array([v is None or v != v for v in x])
        inside &= np.where(gap, missing_too, there)
    return inside


def test_rules_state_what_the_leaves_hold(rng):
    X, y = problem(rng)
    table = pl.DataFrame(X, schema=["amount", "age", "hour", "kind"])
    model = ConfidenceTreeClassifier(p_value=0.01).fit(table, y, fn_cost=3.0, fp_cost=2.0)
    rules = model.rules()
    assert len(rules) == model.get_n_leaves()
    assert rules["support"].sum() == pytest.approx(1.0)
    assert rules["p_value"].is_sorted()
    leaf, decided, p = model.apply(table), model.predict(table), model.predict_proba(table)[:, 1]
    for rule in rules.iter_rows(named=True):
        inside = holds(rule["rule"], table)
        assert len(np.unique(leaf[inside])) == 1 and inside.sum() == rule["examples"]
        assert (decided[inside] == int(rule["decision"])).all()
        assert p[inside] == pytest.approx(rule["probability"])
        assert rule["cost_ratio"] == pytest.approx((1 - rule["probability"]) / rule["probability"])
        favours = int(rule["favours"])
        assert (y[inside] == favours).mean() == pytest.approx(rule["confidence"])
        rates = [(inside & (y == k)).sum() / (y == k).sum() for k in (0, 1)]
        assert rule["ccp"] == pytest.approx(rates[favours] / sum(rates))
        regret = np.where(y == 1, 3.0, 2.0)
        assert rule["at_stake"] == pytest.approx(regret[inside].sum())
        wrong = inside & (y != decided)
        assert rule["lost"] == pytest.approx(regret[wrong].sum())
    text = model.to_text()
    assert text.startswith("all examples (300 examples")
    assert len(text.splitlines()) == len(model.nodes_) + 1
    assert "not corrected" in text


@pytest.mark.jit
def test_the_decision_of_a_rule_is_that_of_predict():
    """Before, 9 of 37 leaves printed the class with the larger CCP where predict says another."""
    data = make_fraud(5000, random_state=0)
    model = ConfidenceTreeClassifier(pruning=None, min_samples_leaf=20).fit(data.X, data.y)
    rules = model.rules()
    assert (rules["decision"] != rules["favours"]).any()
    table = pl.DataFrame(data.X, schema=[f"x{j}" for j in range(data.X.shape[1])])
    decided = model.predict(data.X)
    for rule in rules.head(20).iter_rows(named=True):
        assert (decided[holds(rule["rule"], table)] == int(rule["decision"])).all()
    at_prices = model.rules(fp_cost=1.0, fn_cost=30.0)
    decided = model.predict(data.X, fp_cost=1.0, fn_cost=30.0)
    counts = at_prices.filter(pl.col("decision") == "1")["examples"].sum()
    assert counts == decided.sum() > model.predict(data.X).sum()
    lost = np.where(data.y == 1, 30.0, 1.0)[decided != data.y].sum()
    assert at_prices["lost"].sum() == pytest.approx(lost)


def test_only_categories_that_occurred_are_named():
    c = np.tile(np.arange(4.0), 25)
    model = ConfidenceTreeClassifier(categorical_features=[0], min_samples_leaf=1, smoothing=1.0)
    model.fit(c[:, None], (c == 3).astype(int))
    assert sorted(model.rules()["rule"]) == ["x0 in {3}", "x0 not in {3}"]
    assert model.predict([[3.0], [7.0], [2.0]]).tolist() == [1, 0, 0]


def test_text_columns_keep_the_names_of_their_categories(rng):
    n = 400
    sex = rng.choice(["F", "M"], n)
    town = rng.choice(["Athens", "Bonn", "Cork", "Dubai"], n).astype(object)
    town[rng.random(n) < 0.1] = None
    y = ((town == "Bonn") | (sex == "M") & (rng.random(n) < 0.4)).astype(int)
    table = pl.DataFrame({"sex": sex, "town": town, "age": rng.normal(size=n)}, strict=False)
    model = ConfidenceTreeClassifier(p_value=0.05, min_samples_leaf=5).fit(table, y)
    rules = model.rules()
    assert any("town" in rule and "Bonn" in rule for rule in rules["rule"])
    for rule in rules.iter_rows(named=True):
        assert holds(rule["rule"], table).sum() == rule["examples"]
    as_objects = model.predict_proba(table.to_pandas())
    np.testing.assert_array_equal(as_objects, model.predict_proba(table))


def test_codes_can_be_given_names():
    c = np.tile(np.arange(3.0), 30)
    model = ConfidenceTreeClassifier(categorical_features=[0], min_samples_leaf=1)
    model.fit(c[:, None], (c == 1).astype(int))
    names = dict(feature_names=["purpose"], category_names={"purpose": ["car", "house", "tv"]})
    assert sorted(model.rules(**names)["rule"]) == ["purpose in {house}", "purpose not in {house}"]
    assert "purpose in {house}" in model.to_text(**names)
    assert "purpose in {house}" in model.to_json(**names)
    assert "house" in model.to_graphviz(**names)
    with pytest.raises(ValueError, match=r"must have 1 names\. Got 2"):
        model.rules(feature_names=["a", "b"])


def test_rules_name_missing_values():
    X = np.array([[np.nan], [1], [2], [np.nan], [1], [2]] * 5, dtype=float)
    settings = dict(min_samples_leaf=1, pruning=None)
    gone = ConfidenceTreeClassifier(**settings).fit(X, np.isnan(X[:, 0]).astype(int))
    assert sorted(gone.rules()["rule"].to_list()) == ["x0 is missing", "x0 is present"]
    one_side = ConfidenceTreeClassifier(**settings).fit(X, (X[:, 0] == 2).astype(int))
    assert sorted(one_side.rules()["rule"].to_list()) == ["x0 <= 1.5 or missing", "x0 > 1.5"]


def test_p_values_on_other_rows_are_valid():
    """On noise, searched p-values are far too small; those of fresh rows keep their level."""
    rng, small, fresh, adjusted = np.random.default_rng(0), [], [], []
    for _ in range(40):
        X, y = rng.normal(size=(400, 5)), rng.integers(0, 2, 400)
        model = ConfidenceTreeClassifier(pruning=None, max_depth=3).fit(X[:200], y[:200])
        small.append(model.rules()["p_value"].to_numpy() < 0.05)
        rules = model.rules(X[200:], y[200:])
        fresh.append(rules["p_value"].to_numpy() < 0.05)
        adjusted.append(rules["p_adjusted"].min() < 0.05)
    # the class that a rule favours is chosen on the fresh rows: at most twice the level
    assert np.concatenate(small).mean() > 0.5
    assert np.concatenate(fresh).mean() < 0.13 and np.mean(adjusted) < 0.25


def test_p_values_on_other_rows_are_fishers(rng):
    X, y = problem(rng)
    model = ConfidenceTreeClassifier(pruning=None, max_depth=2).fit(X[:200], y[:200])
    new, truth = X[200:], y[200:]
    table = pl.DataFrame(new, schema=[f"x{j}" for j in range(4)])
    for rule in model.rules(new, truth).iter_rows(named=True):
        inside, own = holds(rule["rule"], table), truth == int(rule["favours"])
        counts = [[(a & b).sum() for b in (own, ~own)] for a in (inside, ~inside)]
        expected = fisher_exact(counts, alternative="greater").pvalue
        assert rule["p_value"] == pytest.approx(expected)
        assert rule["p_adjusted"] >= rule["p_value"]


def test_json_has_the_rules_of_the_table(rng):
    X, y = problem(rng)
    model = ConfidenceTreeClassifier(p_value=0.01, smoothing=0.0).fit(X, y)
    found = json.loads(model.to_json())
    assert found["classes"] == ["0", "1"] and "not corrected" in found["caveat"]
    assert [r["rule"] for r in found["rules"]] == model.rules()["rule"].to_list()
    assert "fresh" not in model.to_json() and "not used for training" in model.to_json(X, y)


def test_the_drawn_tree_states_what_the_nodes_hold():
    X, y = problem(np.random.default_rng(0))
    model = ConfidenceTreeClassifier(pruning=None, max_depth=4).fit(X, y, fn_cost=3.0)
    nodes, texts = model.nodes_, [text.get_text() for text in model.plot(max_depth=2).texts]
    boxes = [text for text in texts if text not in ("yes", "no")]
    drawn = np.flatnonzero(nodes.depth <= 2)
    assert len(boxes) == len(drawn) and len(texts) - len(boxes) == len(drawn) - 1
    question = f"x{nodes.feature[0]} <= {nodes.threshold[0]:.6g}"
    assert boxes[0].startswith(f"{question}\n300 examples, 100.0%\ndecides")
    lost = np.sum(np.where(y == 1, 3.0, 1.0)[y != (nodes.score[0] > 0)])
    assert f"at stake {np.sum(1 + 2 * y):,.6g}, lost {lost:,.6g}" in boxes[0]
    below = [int(text.split("\n")[-1].split()[0]) for text in boxes if "leaves below" in text]
    assert sum(below) + sum(nodes.is_leaf[drawn]) == model.n_leaves_
    assert len(model.plot(max_depth=None).texts) == 2 * len(nodes) - 1
    assert len(model.plot(kind="rules").collections) == 1
    dot = model.to_graphviz()
    assert dot.startswith("digraph Tree {") and dot.count(" -> ") == len(nodes) - 1
    assert model.to_graphviz(max_depth=1).count("leaves below") == 2
    with pytest.raises(ValueError, match="kind must be 'tree' or 'rules'"):
        model.plot(kind="forest")
    many = ConfidenceTreeClassifier().fit(*load_iris(return_X_y=True))
    with pytest.raises(ValueError, match=r"needs two classes\. Got 3"):
        many.plot(kind="rules")
    assert many.plot().get_title() == "2 against 1 against 0"


def test_association_rules_decide_and_name(rng):
    town = rng.choice(["Athens", "Bonn"], 500)
    y = ((town == "Bonn") & (rng.random(500) < 0.3)).astype(int)
    table = pl.DataFrame({"town": town, "age": rng.normal(size=500)})
    model = AssociationRuleClassifier(fn_cost=5.0).fit(table, y)
    rules, decided = model.rules(), model.predict(table)
    assert set(rules["rule"]) == {"town = Bonn", "town = Athens", "otherwise"}
    for rule in rules.head(2).iter_rows(named=True):
        inside = holds(rule["rule"].replace("= ", "in {") + "}", table)
        assert (decided[inside] == int(rule["decision"])).all()
    assert "if town = Bonn then 1" in model.to_text() and "not corrected" in model.to_text()
    assert json.loads(model.to_json())["rules"][0]["rule"] == rules["rule"][0]


def test_association_rules_at_other_costs_and_rows(rng):
    """The decision, the money at stake and what is lost are those of predict, at any costs."""
    X = rng.normal(size=(600, 3)).round(2)
    y = (X[:, 0] + rng.normal(size=600) > 1.0).astype(int)
    fp_cost, fn_cost = rng.uniform(1, 5, 600), rng.uniform(5, 90, 600)
    model = AssociationRuleClassifier(p_value=0.05).fit(X, y, fp_cost=fp_cost, fn_cost=fn_cost)
    regret = np.where(y == 1, fn_cost, fp_cost)
    trained, cell = model.rules(), model.apply(X)
    assert model.n_rules_ > 1 and trained["p_adjusted"].null_count() == len(trained)
    for k, rule in enumerate(trained.iter_rows(named=True)):
        inside = cell == k
        wrong = inside & (y != int(rule["decision"]))
        assert rule["examples"] == inside.sum()
        assert rule["at_stake"] == pytest.approx(regret[inside].sum())
        assert rule["lost"] == pytest.approx(regret[wrong].sum())
    for costs in (dict(fp_cost=2.0, fn_cost=30.0), dict(fp_cost=30.0, fn_cost=2.0)):
        decided = model.predict(X, **costs)
        for k, rule in enumerate(model.rules(**costs).iter_rows(named=True)):
            inside = cell == k
            assert (decided[inside] == int(rule["decision"])).all()
            paid = np.where(y == 1, costs["fn_cost"], costs["fp_cost"])[inside]
            assert rule["at_stake"] == pytest.approx(paid.sum())
            assert rule["lost"] == pytest.approx(paid[y[inside] != int(rule["decision"])].sum())
    again = model.rules(X, y)
    for name in ("examples", "ccr", "confidence", "support", "log_p"):
        np.testing.assert_allclose(again[name].to_numpy(), trained[name].to_numpy(), rtol=1e-9)
    assert (again["p_adjusted"] >= again["p_value"]).drop_nulls().all()
    assert "not used for training" in model.to_text(X, y)
    picture = model.plot(fn_cost=9.0, max_rules=1)
    assert [label.get_text() for label in picture.get_yticklabels()][-1] == "otherwise"
