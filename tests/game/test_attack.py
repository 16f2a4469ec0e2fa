"""Moves of single cases against enumeration, and the models they are exact for."""

import importlib.util

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from naive import game as naive
from stakes.decision import BayesDecisionClassifier
from stakes.game import Moves, attack, harden, make_attack_scorer
from stakes.tables import prepare
from stakes.tree import ConfidenceForestClassifier, ConfidenceTreeClassifier


def points(seed, n=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32).astype(np.float64)
    return X, (X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=n) > 0.2).astype(int)


FORESTS = [
    RandomForestClassifier(5, max_depth=3, random_state=0),
    ExtraTreesClassifier(4, max_depth=3, random_state=0),
    DecisionTreeClassifier(max_depth=4, random_state=0),
    GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0),
]


@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("model", FORESTS, ids=lambda model: type(model).__name__)
def test_moves_past_trees_are_the_cheapest(model, norm):
    X, y = points(0)
    model.fit(X, y)
    moves = Moves(
        {"x0": {"unit_price": 1.0, "change_price": 0.1}, "x1": {"unit_price": 0.5, "upper": 1.0}},
        norm=norm,
    )
    found = attack(model, X[:60], y[:60], moves, fn_cost=1.5)
    assert found.method == "trees"
    assert len(found.rows) > 10
    trees = [one.tree_ for one in np.ravel(getattr(model, "estimators_", [model]))]

    def price_from(x):
        def price(row):
            first, second = abs(row[0] - x[0]), abs(row[1] - x[1])
            each = np.array([first + 0.1 * (first > 0), 0.5 * second])
            return each.sum() if norm == "l1" else np.sqrt((each**2).sum())

        return price

    for i, row in enumerate(found.rows):
        x = X[row]
        choices = {j: naive.values_at_thresholds(trees, j, x[j]) for j in (0, 1)}
        choices[1] = [v for v in choices[1] if v <= max(1.0, x[1])]
        want, _ = naive.cheapest_past(
            lambda rows: model.predict(rows) == 1, x, choices, price_from(x), 1.5
        )
        assert found.price[i] == pytest.approx(want, rel=1e-5, abs=1e-7)
        if np.isfinite(want):
            assert found.bound[i] <= want * (1 + 1e-9)
            assert found.bound[i] == pytest.approx(want, rel=1e-4, abs=1e-6)
        else:
            assert found.bound[i] == pytest.approx(1.5)
    moved = found.levers.apply(found.amounts)
    np.testing.assert_array_equal(model.predict(moved) == 0, found.past)
    assert found.bill_bound == pytest.approx(found.bill_after)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_moves_past_linear_models_are_the_cheapest(seed, norm):
    X, y = points(seed)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    prices = {"x0": {"unit_price": 1.0, "lower": -0.5}, "x1": {"unit_price": 1.5}}
    found = attack(model, X, y, Moves(prices, norm=norm), fn_cost=4.0)
    assert found.method == "linear"
    w, b = model[-1].coef_[0] / model[0].scale_, model[-1].intercept_[0]
    b -= model[0].mean_ @ w
    for i, row in enumerate(found.rows):
        x = X[row]
        most = max(x[0] + 0.5, 0.0)
        steps = np.append(np.linspace(0.0, most, 2001), np.clip((x @ w + b) / w[0], 0.0, most))
        rest = np.maximum(x @ w + b - w[0] * steps, 0.0) / -w[1]
        paid = steps + 1.5 * rest if norm == "l1" else np.hypot(steps, 1.5 * rest)
        want = paid.min()
        if want < 4.0 - 1e-3:
            assert found.price[i] == pytest.approx(want, rel=1e-3)
            assert found.price[i] <= want + 1e-7
        elif want > 4.0 + 1e-3:
            assert np.isinf(found.price[i])


@pytest.mark.parametrize("seed", range(3))
def test_whole_numbers_flags_and_prices_per_change(seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 6, 150), rng.integers(0, 2, 150), rng.normal(size=150)])
    y = (X[:, 0] + 2 * X[:, 1] + X[:, 2] + rng.normal(size=150) > 4).astype(int)
    moves = Moves(
        {
            "x0": {"unit_price": 1.0, "change_price": 0.5, "integer": True, "lower": 0},
            "x1": {"change_price": 1.2, "values": [0, 1]},
        }
    )
    forest = RandomForestClassifier(5, max_depth=3, random_state=0)
    for model in (LogisticRegression(), forest):
        model.fit(X, y)
        found = attack(model, X, y, moves, fn_cost=5.0)
        assert found.method != "search"
        for i, row in enumerate(found.rows):
            x = X[row]
            want, _ = naive.cheapest_past(
                lambda rows, model=model: model.predict(rows) == 1,
                x,
                {0: range(8), 1: (0, 1)},
                lambda r, x=x: (abs(r[0] - x[0]) + 0.5) * (r[0] != x[0]) + 1.2 * (r[1] != x[1]),
                5.0,
            )
            assert found.price[i] == pytest.approx(want)


def test_groups_move_together_and_columns_keep_their_direction():
    X, y = points(1)
    model = LogisticRegression().fit(X, y)
    group = {"columns": {"x0": -1.0, "x1": 0.5}, "unit_price": 2.0, "direction": "up"}
    found = attack(model, X, y, Moves(groups={"both": group}), fn_cost=3.0)
    w, b = model.coef_[0], model.intercept_[0]
    need = (X[found.rows] @ w + b) / (w[0] - 0.5 * w[1])
    want = np.where(2.0 * need < 3.0, 2.0 * need, np.inf)
    np.testing.assert_allclose(found.price, want, rtol=1e-6, atol=1e-8)
    moved = found.levers.apply(found.amounts)[found.past] - X[found.rows][found.past]
    np.testing.assert_allclose(moved[:, 1], -0.5 * moved[:, 0])
    # the useful direction is closed
    stays = attack(model, X, y, Moves({"x0": {"unit_price": 0.1, "direction": "up"}}), fn_cost=3.0)
    assert not stays.past.any()
    assert stays.bill_after == stays.bill
    # trees: the same group, checked with the model's own decisions
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    found = attack(forest, X, y, Moves(groups={"both": group}), fn_cost=3.0)
    assert found.method == "trees"
    assert found.past.any()
    assert (forest.predict(found.levers.apply(found.amounts))[found.past] == 0).all()


TABLE_MODELS = [
    BayesDecisionClassifier(LogisticRegression()),
    BayesDecisionClassifier(HistGradientBoostingClassifier(max_iter=8, random_state=0)),
    ConfidenceForestClassifier(n_estimators=6, min_samples_leaf=5, random_state=0),
    ConfidenceTreeClassifier(min_samples_leaf=5, pruning=None),
]
if importlib.util.find_spec("lightgbm"):
    from lightgbm import LGBMClassifier

    TABLE_MODELS.append(BayesDecisionClassifier(LGBMClassifier(n_estimators=8, verbose=-1)))


def table(n=300):
    rng = np.random.default_rng(3)
    kind = rng.choice(["car", "house", "other"], n)
    amount = np.round(rng.lognormal(3.0, 1.0, n), 2)
    score = np.log(amount) + 1.2 * (kind == "car") - 0.8 * (kind == "other")
    y = (score + rng.normal(size=n) > 3.5).astype(int)
    return pl.DataFrame({"amount": amount, "kind": kind, "age": rng.integers(18, 70, n)}), y


@pytest.mark.parametrize("model", TABLE_MODELS, ids=lambda model: type(model).__name__)
def test_tables_with_categories_and_costs_per_row(model):
    X, y = table()
    costs = dict(fp_cost=5.0, fn_cost=X["amount"].to_numpy())
    model = prepare(model, X).fit(X, y)
    moves = Moves(
        {
            "kind": {"change_price": 2.0, "values": ["house", "other"]},
            "amount": {"unit_price": 0.3, "direction": "down", "lower": 1.0},
        },
        max_price=6.0,
    )
    found = attack(model, X, y, moves, **costs)
    assert found.method in ("linear", "trees")
    assert found.past.any()
    assert (found.price[found.past] < found.gain[found.past]).all()
    assert (found.price[found.past] <= 6.0).all()
    moved = found.levers.apply(found.amounts)
    here = {"fp_cost": 5.0, "fn_cost": costs["fn_cost"][found.rows]}
    last = model[-1].predict(model[:-1].transform(moved), **here)
    np.testing.assert_array_equal(last == 0, found.past)
    # the case keeps what cannot move, and goes only where it may
    before = X[found.rows]
    assert moved["age"].equals(before["age"])
    assert (moved["amount"] <= before["amount"]).all()
    changed = moved["kind"] != before["kind"]
    assert set(moved["kind"].filter(changed)) <= {"house", "other"}
    quick = attack(model, X, y, moves, settle=False, **costs)
    assert quick.bill_after == pytest.approx(found.bill_after)


def test_any_other_classifier_is_searched():
    X, y = points(2, 200)
    model = SVC(kernel="linear").fit(X[:100], y[:100])
    exact = attack(model, X, y, Moves({"x0": 1.0, "x1": 2.0}), fn_cost=2.0)
    assert exact.method == "linear"

    class Hidden:
        """Scores that are no sum over the columns, with the same decisions."""

        classes_ = model.classes_

        def predict(self, X):
            return model.predict(X)

        def decision_function(self, X):
            return np.tanh(model.decision_function(X)) ** 3

    found = attack(Hidden(), X, y, Moves({"x0": 1.0, "x1": 2.0}), fn_cost=2.0)
    assert found.method == "search"
    assert (found.price >= exact.price - 1e-9).all()
    assert found.past.mean() > 0.95 * exact.past.mean()
    both = found.past
    assert found.price[both].sum() < 1.25 * exact.price[both].sum()
    assert (found.bound == 0).all()
    assert found.bill_bound >= exact.bill_after


@pytest.mark.parametrize("threshold", [0.2, 0.8])
def test_the_models_own_threshold(threshold):
    X, y = points(3)
    model = FixedThresholdClassifier(LogisticRegression(), threshold=threshold).fit(X, y)
    found = attack(model, X, y, Moves({"x0": 1.0}), fn_cost=3.0)
    inner = model.estimator_
    need = inner.decision_function(X[found.rows]) - np.log(threshold / (1 - threshold))
    want = need / inner.coef_[0, 0]
    np.testing.assert_allclose(found.price, np.where(want < 3.0, want, np.inf), rtol=1e-6)


def test_the_class_of_the_adversary_and_its_gain():
    X, y = points(4)
    words = np.where(y == 1, "fraud", "legit")
    model = LogisticRegression().fit(X, words)
    moves = Moves({"x0": 1.0}, gain=2.0)
    found = attack(model, X, words, moves, pos_label="fraud", fn_cost=7.0)
    want = attack(LogisticRegression().fit(X, y), X, y, moves, fn_cost=7.0)
    np.testing.assert_allclose(found.price, want.price, rtol=1e-4)
    assert found.bill_after == want.bill_after
    assert (found.gain == 2.0).all()
    assert (found.stakes == 7.0).all()
    by_column = attack(model, X, words, Moves({"x0": 1.0}, gain="x2"), pos_label="fraud")
    np.testing.assert_array_equal(by_column.gain, X[by_column.rows, 2])
    with pytest.raises(ValueError, match="pass pos_label"):
        attack(model, X, words, moves)


def test_a_scorer_chooses_the_model_that_holds():
    X, y = points(5, 400)
    moves = Moves({"x0": {"unit_price": 0.2}})
    scorer = make_attack_scorer(moves, fn_cost=3.0)
    plain = LogisticRegression()
    blind = make_pipeline(StandardScaler(), LogisticRegression())
    Z = X.copy()
    Z[:, 0] = 0.0
    assert cross_val_score(blind, Z, y, scoring=scorer).mean() > (
        cross_val_score(plain, X, y, scoring=scorer).mean()
    )
    model = plain.fit(X, y)
    several = make_attack_scorer([moves, Moves({"x2": 1.0})], fn_cost=3.0)
    assert several(model, X, y) == scorer(model, X, y)  # the worse of the two
    assert scorer(model, X, y) == -attack(model, X, y, moves, fn_cost=3.0).bill_after / len(y)


def test_training_on_moves_lowers_the_bill():
    X, y = points(6, 400)
    moves = Moves({"x0": 1.0}, max_price=0.8)
    plain = LogisticRegression().fit(X, y)
    hard = harden(plain, X, y, moves, fn_cost=3.0)
    now, then = (attack(m, X, y, moves, fn_cost=3.0).bill_after for m in (plain, hard))
    assert then < now
    assert attack(harden(plain, X, y, moves, max_rounds=0, fn_cost=3.0), X, y, moves, fn_cost=3.0)
