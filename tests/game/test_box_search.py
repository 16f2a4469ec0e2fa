"""Moves past blends of trees and linear models against enumeration; time budgets."""

import time

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from naive import game as naive
from stakes.decision import BayesDecisionClassifier, BlendClassifier
from stakes.game import Moves, attack, attack_report, harden
from stakes.tables import prepare


def points(seed, n=150):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32).astype(np.float64)
    return X, (X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=n) > 0.2).astype(int)


def blend(linear, X, y):
    members = {
        "forest": RandomForestClassifier(4, max_depth=3, random_state=0),
        "extra": ExtraTreesClassifier(4, max_depth=3, random_state=0),
        "booster": HistGradientBoostingClassifier(
            max_iter=3, max_leaf_nodes=4, min_samples_leaf=10, random_state=0
        ),
    }
    if linear:
        members["linear"] = LogisticRegression()
    found = BlendClassifier(list(members.items()), alpha=0.1, random_state=0).fit(X, y)
    assert (found.weights_ > 0).all()
    return found


def thresholds(model, column, x):
    """All values of a column at which a tree of the blend changes."""
    values = {float(x)}
    for member in model.estimators_:
        for tree in getattr(member, "estimators_", []):
            values |= set(naive.values_at_thresholds([tree.tree_], column, x))
        for (one,) in getattr(member, "_predictors", []):
            mine = ~one.nodes["is_leaf"].astype(bool) & (one.nodes["feature_idx"] == column)
            for cut in one.nodes["num_threshold"][mine]:
                values |= {float(cut), float(np.nextafter(cut, np.inf))}
    return sorted(values)


@pytest.mark.jit
@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("linear", [False, True])
def test_moves_past_blends_are_the_cheapest(linear, norm):
    X, y = points(1 + linear)
    model = BayesDecisionClassifier(blend(linear, X, y), fn_cost=2.0, cv=2)
    model = model.fit(X, y)
    inner = model.estimator_
    moves = Moves(
        {"x0": {"unit_price": 1.0, "change_price": 0.1}, "x1": {"unit_price": 0.5, "upper": 1.0}},
        norm=norm,
    )
    found = attack(model, X[:40], y[:40], moves, fn_cost=1.5)
    assert found.method == "blend"
    assert len(found.rows) > 10
    assert found.past.any()
    moved = found.levers.apply(found.amounts)
    np.testing.assert_array_equal(model.predict(moved, fn_cost=1.5) == 0, found.past)
    for i, row in enumerate(found.rows):
        x = X[row]
        choices = {j: thresholds(inner, j, x[j]) for j in (0, 1)}
        if linear:  # the best move may lie between thresholds
            for j in choices:
                choices[j] = sorted({*choices[j], *np.linspace(x[j] - 3.0, x[j] + 3.0, 81)})
        choices[1] = [v for v in choices[1] if v <= max(1.0, x[1])]

        def price(at, x=x):
            first, second = abs(at[0] - x[0]), abs(at[1] - x[1])
            each = np.array([first + 0.1 * (first > 0), 0.5 * second])
            return each.sum() if norm == "l1" else np.sqrt((each**2).sum())

        want, _ = naive.cheapest_past(
            lambda rows: model.predict(rows, fn_cost=1.5) == 1, x, choices, price, 1.5
        )
        # a bound is one on every move, and the price is within a thousandth of it
        assert found.bound[i] <= min(want, 1.5) * (1 + 1e-9)
        assert found.price[i] <= want * (1 + 1.1e-3)
        if found.past[i]:
            assert found.price[i] <= found.bound[i] * (1 + 1.1e-3)
            if not linear:
                assert found.price[i] >= want * (1 - 1e-6)
        else:
            assert found.bound[i] == pytest.approx(1.5)
    assert found.bill_bound == pytest.approx(found.bill_after)
    quick = attack(model, X[:40], y[:40], moves, fn_cost=1.5, settle=False)
    np.testing.assert_array_equal(quick.past, found.past)


def table(n=300):
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "amount": rng.lognormal(3.0, 1.0, n).round(2),
            "items": rng.integers(1, 9, n),
            "channel": rng.choice(["web", "shop", "phone"], n),
        }
    )
    signal = np.log(frame["amount"].to_numpy()) - 0.3 * frame["items"].to_numpy()
    signal += (frame["channel"] == "phone").to_numpy()
    return frame, (signal + 0.5 * rng.normal(size=n) > 2.2).astype(int)


def member_blend(frame, y):
    members = [
        ("linear", prepare(LogisticRegression(C=0.1), frame, scale=True, one_hot=True)),
        ("extra", prepare(ExtraTreesClassifier(20, min_samples_leaf=3, random_state=0), frame)),
        ("booster", prepare(HistGradientBoostingClassifier(max_iter=10, random_state=0), frame)),
    ]
    members = BlendClassifier(members, cv=2, random_state=0)
    return BayesDecisionClassifier(members, costs_in_training=False).fit(frame, y)


@pytest.mark.jit
def test_no_random_move_undercuts_the_bounds_of_a_blend_of_tables():
    frame, y = table()
    model = member_blend(frame, y)
    costs = dict(fp_cost=2.0, fn_cost=0.5 * frame["amount"].to_numpy())
    moves = Moves(
        {
            "amount": {"unit_price": 0.1, "direction": "down", "lower": 1.0},
            "items": {"unit_price": 0.5, "direction": "up", "integer": True, "upper": 12},
            "channel": {"change_price": 1.0, "values": ["web", "shop"]},
        },
        max_price=6.0,
    )
    found = attack(model, frame, y, moves, **costs)
    assert found.method == "blend"
    assert 0 < found.past.sum() < len(found.rows)
    assert found.gap < 2e-3
    rng = np.random.default_rng(0)
    levers, tried = found.levers, 40
    for _ in range(tried):
        amounts = levers.stay()
        on = rng.random(amounts.shape) < 0.6
        amounts[:, 0] = np.where(on[:, 0], levers.lower[:, 0] * rng.random(len(amounts)) ** 2, 0.0)
        amounts[:, 1] = np.where(on[:, 1], np.floor(levers.upper[:, 1] * rng.random(len(on))), 0.0)
        web = rng.integers(0, 2, len(on)) * 2 + 0.0  # "shop" and "web"
        web = np.where(web == 0, 1.0, web)
        amounts[:, 2] = np.where(on[:, 2], web, amounts[:, 2])
        here = {k: np.broadcast_to(c, (len(y),))[found.rows] for k, c in costs.items()}
        past = model.predict(levers.apply(amounts), **here) == 0
        price = levers.price(amounts)
        worth = past & (price < found.limit)
        assert (price[worth] >= found.bound[worth] * (1 - 1e-9)).all()
        assert not (worth & ~found.past).any()


@pytest.mark.jit
def test_a_blend_that_is_trained_on_moves_keeps_its_weights():
    frame, y = table()
    model = member_blend(frame, y)
    moves = Moves({"amount": {"unit_price": 0.05, "direction": "down", "lower": 1.0}}, gain=4.0)
    hard = harden(model, frame, y, moves, fresh=False, fn_cost=8.0)
    assert hard is not model
    np.testing.assert_array_equal(hard.estimator_.weights_, model.estimator_.weights_)
    bills = [attack(one, frame, y, moves, fn_cost=8.0).bill_after for one in (hard, model)]
    assert bills[0] < bills[1]


MODELS = {
    "linear": lambda: LogisticRegression(),
    "trees": lambda: RandomForestClassifier(5, max_depth=3, random_state=0),
    "blend": None,
    "search": lambda: SVC(kernel="rbf"),
}


@pytest.mark.parametrize("method", [*MODELS])
def test_a_time_budget_counts_the_cases_that_were_not_searched(method):
    X, y = points(4)
    model = blend(True, X, y) if method == "blend" else MODELS[method]().fit(X, y)
    moves = Moves({"x0": {"unit_price": 0.5, "change_price": 0.1}, "x1": 1.0})
    whole = attack(model, X, y, moves, fn_cost=1.5)
    assert whole.method == method
    assert whole.n_searched == len(whole.rows)
    steps = []
    cut = attack(
        model, X, y, moves, fn_cost=1.5, time_budget=1e-9, progress=lambda *at: steps.append(at)
    )
    assert cut.n_searched < len(cut.rows)
    assert all(0 <= done <= total == len(cut.rows) for done, total in steps)
    assert cut.bill_after <= whole.bill_after
    # what was not searched may get past
    assert cut.bill_bound >= whole.bill_after
    assert (cut.bound[cut.n_searched :] == 0).all()


def test_a_report_names_what_the_time_budget_did_not_reach():
    X, y = points(5)
    model = LogisticRegression().fit(X, y)
    moves = Moves({"x0": {"unit_price": 0.5, "change_price": 0.1}}, name="mover")
    stages = []
    report = attack_report(
        model, X, y, moves, time_budget=1e-9, progress=lambda *at: stages.append(at)
    )
    assert report.missing == ["refitted", "trained on moved rows", "without the columns they move"]
    assert report.answer is None
    text = "\n".join(report.sentences())
    assert "the time budget was too short: 1 of" in text
    assert "too short for these answers: 'refitted', 'trained on moved rows'" in text
    caught = len(report.attacks[0].rows)
    assert stages[0] == ("mover against the model", 0, caught)
    start = time.monotonic()
    report = attack_report(model, X, y, moves, time_budget=600.0, random_state=0)
    assert time.monotonic() - start < 60.0
    assert report.missing == []
