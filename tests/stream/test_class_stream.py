"""Streams of many classes: costs by hand, exact restart, late labels."""

import numpy as np
import polars as pl
import pytest

from stakes.errors import InputError
from stakes.online import ProbitClassifier
from stakes.stream import ClassStream, DecisionStream, FileStream, open_records
from stakes.tables import CostTable

ACTIONS = ["ignore", "call", "block"]
CELLS = [[0, 3, 8], ["amount", 10, 1], [20, 2, 25]]
COSTS = CostTable.of(["fine", "theft", "fault"], ACTIONS, CELLS)


def events(n=120, seed=0):
    rng = np.random.default_rng(seed)
    kinds = rng.choice(["fine", "theft", "fault"], n)
    shift = {"fine": 0.0, "theft": 3.0, "fault": -3.0}
    return [
        {"x": float(rng.normal() + shift[kind]), "amount": float(rng.exponential(50)), "kind": kind}
        for kind in kinds
    ]


def cost(event, kind, action):
    cell = CELLS[["fine", "theft", "fault"].index(kind)][action]
    return event["amount"] if cell == "amount" else cell


def test_decisions_and_totals_are_those_of_the_formulas():
    stream = ClassStream(ProbitClassifier(), cost_matrix=COSTS, target="kind")
    paid, always = 0.0, np.zeros(3)
    for event in events():
        decision = stream.learn(event)
        expected = [
            sum(p * cost(event, COSTS.classes[k], a) for k, p in enumerate(decision.probability))
            for a in range(3)
        ]
        assert sum(decision.probability) == pytest.approx(1)
        assert decision.action == int(np.argmin(expected))
        assert decision.expected_cost == pytest.approx(min(expected))
        paid += cost(event, event["kind"], decision.action)
        always += [cost(event, event["kind"], a) for a in range(3)]
    assert stream.totals.paid == pytest.approx(paid)
    np.testing.assert_allclose(stream.totals.constant, always)
    assert paid < always.min()  # it learned something


def test_two_classes_are_the_two_class_stream():
    one = DecisionStream(ProbitClassifier(), fp_cost=2, fn_cost="amount", target="kind")
    table = CostTable.of(["0", "1"], ["0", "1"], [[0, 2], ["amount", 0]])
    two = ClassStream(ProbitClassifier(), cost_matrix=table, target="kind")
    for event in events():
        event["kind"] = int(event["kind"] == "theft")
        first, second = one.learn(event), two.learn(event)
        assert first.action == second.action
        assert first.expected_cost == pytest.approx(second.expected_cost)
    assert one.totals.paid == pytest.approx(two.totals.paid)


def test_a_saved_stream_goes_on_exactly(tmp_path):
    whole = ClassStream(ProbitClassifier(), cost_matrix=COSTS, target="kind")
    part = ClassStream(ProbitClassifier(), cost_matrix=COSTS, target="kind")
    rows = events()
    for i, event in enumerate(rows):
        if i == 60:
            part.save(tmp_path / "s.skops")
            part = DecisionStream.load(tmp_path / "s.skops")
            assert isinstance(part, ClassStream)
        bare = {name: value for name, value in event.items() if name != "kind"}
        for stream in (whole, part):
            stream.decide(bare, id=i)
        if i >= 20:  # labels come late
            for stream in (whole, part):
                stream.label(i - 20, rows[i - 20]["kind"])
    assert part.totals == whole.totals and part.n_pending == whole.n_pending == 20
    last = rows[0]
    assert part.decide(last, id="z") == whole.decide(last, id="z")


def test_a_file_resumes_with_other_costs_but_not_other_actions(tmp_path):
    pl.DataFrame(events()).write_csv(tmp_path / "e.csv")
    files = dict(out=tmp_path / "d.csv", checkpoint=tmp_path / "c.skops")

    def run(table):
        with open_records(str(tmp_path / "e.csv")) as records:
            found = FileStream(records, **files, target="kind", cost_matrix=table.to_dict())
            found.follow()
        return found

    run(COSTS)
    decided = pl.read_csv(tmp_path / "d.csv")
    assert decided.columns[1] == "decision" and set(decided["decision"]) <= set(ACTIONS)
    assert decided.columns[2:5] == [f"probability_{name}" for name in COSTS.classes]
    other = CostTable.of(COSTS.classes, ACTIONS, [[1, 3, 8], *CELLS[1:]])
    assert list(run(other).changed) == ["cost_matrix"]
    with pytest.raises(InputError, match="not other classes or decisions"):
        run(CostTable.of(COSTS.classes, ["a", "b", "c"], CELLS))


def test_bad_input_is_named():
    class Scores:
        def learn_one(self, x, y):
            """Learn nothing."""

    with pytest.raises(InputError, match="Scores does not predict probabilities"):
        ClassStream(Scores(), cost_matrix=COSTS)
    with pytest.raises(InputError, match="uses the target 'amount'"):
        ClassStream(ProbitClassifier(), cost_matrix=COSTS, target="amount")
    stream = ClassStream(ProbitClassifier(), cost_matrix=COSTS, target="kind")
    with pytest.raises(InputError, match="missing or infinite; fill in 'amount'"):
        stream.decide({"x": 1.0, "amount": None})
    with pytest.raises(InputError, match="'amount', which is not in the table"):
        stream.decide({"x": 1.0})
    with pytest.raises(InputError, match="label 'flood', which is not a row"):
        stream.learn({"x": 1.0, "amount": 3.0, "kind": "flood"})


def test_before_the_first_label_all_classes_are_equally_probable():
    stream = ClassStream(ProbitClassifier(), cost_matrix=COSTS, target="kind")
    k = len(COSTS.classes)
    assert stream.decide({"x": 1.0, "amount": 3.0}).probability == [1 / k] * k


def test_an_event_with_nothing_at_stake_teaches_nothing():
    cells = [["w", 0], [0, "w"], ["w", "w"]]
    costs = CostTable.of(["a", "b", "c"], ["p", "q"], cells)
    stream = ClassStream(ProbitClassifier(), cost_matrix=costs, target="kind")
    for t in range(40):
        stream.learn({"x": float(t % 5), "w": 1.0 + t % 3, "kind": "ab"[t % 2]})
    before = stream.learner.predict_proba_one({"x": 2.0})
    stream.learn({"x": -7.0, "w": 0.0, "kind": "a"})
    stream.learn({"x": 7.0, "w": 2.0, "kind": "c"})  # both actions cost the same
    assert stream.learner.predict_proba_one({"x": 2.0}) == before
    stream.learn({"x": 7.0, "w": 2.0, "kind": "b"})
    assert stream.learner.predict_proba_one({"x": 2.0}) != before
