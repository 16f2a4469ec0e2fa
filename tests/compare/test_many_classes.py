"""Compare, train and predict with a cost matrix of many classes and actions."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from stakes._core.stored.facts import check_trained
from stakes.compare import (
    Contestant,
    TableSettings,
    _class_contestants,
    compare,
    load_decider,
    predict_folder,
    train_to_file,
    winner_of,
)
from stakes.costs import COST_NAMES, CostMatrix
from stakes.decision import BayesDecisionClassifier
from stakes.errors import InputError
from stakes.model_file import load_model
from stakes.tables import ClassData, CostTable, PricedData, load_table

COSTS = 'kind,ignore,call,block\nfine,0,3,"max(5, 0.2*amount)"\ntheft,amount,10,1\nfault,20,2,25\n'
SQUARE = "kind,theft,fault,fine\nfine,2,1,0\ntheft,0,5,amount\nfault,3,0,4\n"


@pytest.fixture
def fast(monkeypatch):
    """Only logistic regressions: the tests are about the machinery."""
    bayes = BayesDecisionClassifier(LogisticRegression())
    field = [
        Contestant("logistic at 0.5", "baseline", LogisticRegression()),
        Contestant("logistic, Bayes decision", "baseline", bayes, {"estimator__C": [0.1, 1.0]}),
    ]
    monkeypatch.setattr(_class_contestants, "baselines", lambda: field)


@pytest.fixture
def alarms(tmp_path):
    """A table of three classes and its cost matrix, as files."""
    rng = np.random.default_rng(0)
    y = rng.choice(["fine", "theft", "fault"], 150, p=[0.5, 0.3, 0.2])
    x = rng.normal(size=150) + 2.0 * (y == "theft") - 2.0 * (y == "fault")
    amount = rng.exponential(50, 150)
    pl.DataFrame({"x": x, "amount": amount, "kind": y}).write_csv(tmp_path / "alarms.csv")
    (tmp_path / "costs.csv").write_text(COSTS)
    (tmp_path / "square.csv").write_text(SQUARE)
    return tmp_path


def settings_of(folder, costs="costs.csv"):
    table = CostTable.read(folder / costs).to_dict()
    return TableSettings(str(folder / "alarms.csv"), "kind", cost_matrix=table)


def test_a_cost_matrix_is_read_by_its_names(alarms):
    data = settings_of(alarms, "square.csv").load()
    assert data.classes == data.actions == ("fine", "theft", "fault") and data.decides_classes
    row = int(np.flatnonzero(data.y == 1)[0])
    assert data.cost_matrix[row, 1].tolist() == [data.X["amount"][row], 0, 5]
    own = settings_of(alarms).load()
    assert own.actions == ("ignore", "call", "block")
    row = int(np.flatnonzero(data.y == 0)[0])
    expected = [0, 3, max(5, 0.2 * data.X["amount"][row])]
    assert own.cost_matrix[row, 0].tolist() == expected
    assert "'amount' of the costs is a feature too." in own.notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind,a\nfine,1\n", "at least two classes"),
        ("kind,a,b\nfine,1,2\ntheft,1\nfault,1,2\n", "Row 3 of the cost matrix"),
        ("kind,a,b\nfine,1,2\nFine,1,2\nfault,1,2\n", "the class 'fine' twice"),
        ("kind,a,b\nfine,1,2\ntheft,1,2\n", "label 'fault', which is not a row"),
        ("kind,a,b\nfine,1,2\ntheft,kind,2\nfault,1,1\n", "uses the target 'kind'"),
        ("kind,a,b\nfine,1,2\ntheft,1/(x-x),2\nfault,1,1\n", "missing or infinite in 150 row"),
        ("k,fine,theft,fault\nfine,5,2,1\ntheft,1,0,1\nfault,1,1,0\n", "cheaper than the correct"),
    ],
)
def test_a_bad_cost_matrix_is_named(alarms, text, message):
    (alarms / "bad.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        settings_of(alarms, "bad.csv").load()
    with pytest.raises(InputError, match="has all classes"):
        TableSettings(
            str(alarms / "alarms.csv"),
            "kind",
            costs={"fp_cost": "2"},
            cost_matrix=CostTable.read(alarms / "costs.csv").to_dict(),
        ).load()


def test_costs_are_those_of_the_out_of_fold_decisions(alarms, fast):
    data = settings_of(alarms).load()
    results = compare(data, learners=[], folds=3, out=alarms / "out")
    part = results.summary()["datasets"][0]
    found = {facts["learner"]: facts for facts in part["learners"]}
    constants = {f"always {action}" for action in data.actions}
    assert set(found) == constants | {"logistic, Bayes decision"}
    assert part["best"] == "logistic, Bayes decision"
    truth, table, paid = data.y, data.cost_matrix, np.zeros(len(data))
    for row in results.rows:
        if row["learner"] == part["best"]:
            stored = results.file.arrays(row)
            rows = stored["test_rows"]
            expected = np.einsum("nk,nkm->nm", stored["probability"], table[rows])
            assert (stored["decided"] == expected.argmin(axis=1)).all()
            paid[rows] = [
                table[i, truth[i], j] for i, j in zip(rows, stored["decided"], strict=True)
            ]
    assert found[part["best"]]["cost_per_1000"] == pytest.approx(1000 * paid.mean())
    always = [1000 * np.mean([table[i, truth[i], j] for i in range(len(data))]) for j in range(3)]
    for action, cost in zip(data.actions, always, strict=True):
        assert found[f"always {action}"]["cost_per_1000"] == pytest.approx(cost)
    assert found[part["best"]]["savings"] == pytest.approx(1 - 1000 * paid.mean() / min(always))
    by_class = {one["class"]: one for one in part["by_class"]}
    assert by_class["theft"]["cost_per_1000"] == pytest.approx(1000 * paid[truth == 1].mean())
    assert sum(one["share_of_cost"] for one in part["by_class"]) == pytest.approx(1)
    page = results.report().read_text()
    assert "By true class" in page and "block per 1,000" in page and "always call" in page
    assert "mistakes about theft" in page
    json.loads((alarms / "out" / "report.json").read_text())


def test_scaled_costs_give_the_same_decisions(alarms, fast):
    data = settings_of(alarms).load()
    scaled = ClassData(
        "alarms",
        data.X,
        data.y,
        classes=data.classes,
        actions=data.actions,
        cost_matrix=1000 * data.cost_matrix,
    )
    decided = []
    for one, out in ((data, "a"), (scaled, "b")):
        results = compare(one, learners=[], folds=3, out=alarms / out)
        rows = [r for r in results.rows if r["family"] != "constant"]
        decided.append([results.file.arrays(r)["decided"].tolist() for r in rows])
    assert decided[0] == decided[1]


def test_two_classes_are_the_two_class_comparison(tmp_path, monkeypatch, few, fast):
    rng = np.random.default_rng(1)
    X = pl.DataFrame({"x": rng.normal(size=120), "amount": rng.exponential(9, 120)})
    y = (X["x"].to_numpy() + rng.normal(size=120) > 0.5).astype(int)
    fn = X["amount"].to_numpy()
    table = np.stack([np.zeros(120), np.full(120, 2.0), fn, np.ones(120)], 1).reshape(120, 2, 2)
    table[:, 1, 0] += 1.0  # no miss is cheaper than a hit
    two = PricedData("toy", X, y, fp_cost=2.0, fn_cost=fn + 1, tp_cost=1.0)
    names = ("negative", "positive")
    many = ClassData("toy", X, y, classes=names, actions=names, cost_matrix=table)
    found = []
    for data, out in ((two, "a"), (many, "b")):
        part = compare(data, learners=[], folds=3, out=tmp_path / out).summary()["datasets"][0]
        found.append({f["learner"]: (f["cost_per_1000"], f["savings"]) for f in part["learners"]})
    for name in ("always negative", "always positive", "logistic, Bayes decision"):
        assert found[0][name] == pytest.approx(found[1][name], abs=1e-9)
    assert found[0]["logistic at 0.5"] == pytest.approx(found[1]["logistic, most probable class"])


def test_train_and_predict(alarms, fast):
    settings = settings_of(alarms)
    data = settings.load()
    compare(data, learners=[], folds=3, out=alarms / "out").report()
    model = alarms / "model.skops"
    name = winner_of(alarms / "out")
    card = train_to_file(model, name, settings, data, run=alarms / "out").read_text()
    assert "| theft | `amount` | `10` | `1` |" in card and "decisions | ignore, call, block" in card
    decider = load_decider(model, ["kind"])
    table = pl.read_csv(alarms / "alarms.csv")
    result = decider.decide(table)
    assert decider.counts == dict(result["decision"].value_counts().iter_rows())
    P = result.select(f"probability_{name}" for name in data.classes).to_numpy()
    costs = CostMatrix(data.cost_matrix)
    expected = np.array(data.actions)[costs.decide(P)]
    assert result["decision"].to_list() == expected.tolist()
    np.testing.assert_allclose(result["expected_cost"], costs.expected(P).min(axis=1))
    stored = load_model(model).model
    assert stored.predict(table).tolist() == expected.tolist()
    assert set(stored.predict(table, cost_matrix=np.ones((3, 3)) - np.eye(3)[1])) == {"call"}
    # other actions at prediction time, and a folder of files
    (alarms / "other.csv").write_text("k,wait,act\nfault,0,1\nfine,0,1\ntheft,9,0\n")
    other = load_decider(model, cost_matrix=alarms / "other.csv")
    assert set(other.decide(table)["decision"]) == {"wait", "act"}
    (alarms / "new").mkdir()
    table.write_csv(alarms / "new" / "a.csv")
    decided = predict_folder(model, alarms / "new", alarms / "decided")
    assert (decided.rows, decided.positive) == (150, None)
    again = pl.read_csv(alarms / "decided" / "a.csv")
    assert again["decision"].to_list() == expected.tolist()
    with pytest.raises(InputError, match="the model fine, theft, fault"):
        (alarms / "wrong.csv").write_text("k,wait,act\nfault,0,1\nfine,0,1\n")
        load_decider(model, cost_matrix=alarms / "wrong.csv")
    with pytest.raises(InputError, match="The model has a cost matrix"):
        load_decider(model, fp_cost="3")
    with pytest.raises(InputError, match="Reasons are for two classes"):
        decider.with_reasons(table, result, 3)


def test_what_cannot_take_part_is_named(alarms, fast):
    data = settings_of(alarms).load()
    results = compare(data, learners="probit", folds=3, out=alarms / "out", time_budget=0)
    assert "ProbitClassifier was skipped" in results.refused[0]
    with pytest.raises(InputError, match="does not predict probabilities of more than two classes"):
        train_to_file(alarms / "m.skops", "probit", settings_of(alarms), data)
    own = Contestant("mine", "own", DummyClassifier())
    results = compare(data, learners=[own], folds=3, out=alarms / "own")
    assert "mine" in results.summary()["datasets"][0]["fold_ranks"]


def test_a_sample_represents_the_costs(rng):
    y = np.repeat([0, 1, 2], [5000, 300, 60])
    table = rng.random((len(y), 3, 2))
    kinds = dict(classes=("a", "b", "c"), actions=("x", "y"))
    data = ClassData("toy", np.arange(len(y))[:, None] * 1.0, y, **kinds, cost_matrix=table)
    drawn = data.sample(600, random_state=0)
    assert len(drawn) <= 600 and (np.bincount(drawn.y) >= 50).all()
    full, part = (np.array(list(d.summary().constant.values())) / len(d) for d in (data, drawn))
    np.testing.assert_allclose(part, full, rtol=0.15)


def test_a_column_that_gives_every_class_away(rng):
    y = rng.integers(3, size=300)
    frame = pl.DataFrame({"code": y * 1.0, "noise": rng.normal(size=300), "t": y.astype(str)})
    text = "t,a,b\n0,0,1\n1,1,0\n2,1,1\n"
    rows = [line.split(",") for line in text.split()]
    table = CostTable.of([r[0] for r in rows[1:]], rows[0][1:], [r[1:] for r in rows[1:]])
    data = load_table(frame, "t", cost_matrix=table)
    assert len(data.alarms) == 1 and "'code' alone gives the answer" in data.alarms[0]


@pytest.mark.parametrize(
    ("actions", "cells"),
    [
        (["call"], [["0", "3"], ["9", "1"]]),
        (["call", "block"], [["0", "3"]]),
        (["call", "block"], [["0", "3"], ["9"]]),
    ],
)
def test_costs_that_do_not_fit_the_names_are_refused(actions, cells):
    message = f"must have 2 rows, one per class, of {len(actions)} costs, one per decision"
    with pytest.raises(InputError, match=message):
        CostTable.of(["fine", "theft"], actions, cells)


def test_stored_costs_that_do_not_fit_the_names_are_damaged():
    stored = {"classes": ["fine", "theft"], "actions": ["call"], "cells": [["0", "3"], ["9", "1"]]}
    facts = {"kinds": {}, "costs": dict.fromkeys(COST_NAMES), "target": "kind"}
    with pytest.raises(InputError, match="is damaged"):
        check_trained("model.skops", facts | {"cost_matrix": stored})
    check_trained("model.skops", facts | {"cost_matrix": stored | {"actions": ["call", "block"]}})
