"""The engine of streams: decide, wait, learn, count the money, restart bit for bit."""

import copy
import json
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from payment_events import events
from stakes._core.learners import all_estimators
from stakes._core.model_file import save_model
from stakes.costs import Costs
from stakes.errors import InputError
from stakes.online import AROWClassifier, ProbitClassifier
from stakes.online_kernel import AnomalyDetector
from stakes.stream import Decision, DecisionStream, Outcome, RowEncoder
from stakes.stream._pending import PendingEvents
from stakes.stream._prices import PriceList, Prices
from stakes.tables import Events

RECORDS = events(120).to_dicts()
COSTS = dict(fp_cost=3, fn_cost="0.5*amount", target="fraud")


def new(learner=None, **settings):
    return DecisionStream(learner or ProbitClassifier(), **COSTS | settings)


def state_of(stream):
    """Everything a stream knows, as text: floats by all their digits."""
    settings = [stream.costs, stream.target, stream.positive, list(stream.drop), stream.prior]
    return json.dumps(
        [
            settings,
            stream.encoder.get_state(),
            stream._pending.get_state(),
            list(stream._delayed),
            vars(stream.totals),
            stream.labels.seen,
            {k: np.asarray(v).tolist() for k, v in vars(stream.learner).items() if k[-1] == "_"},
        ],
        default=str,
    )


def replay(stream, story):
    """Apply (method, arguments) pairs; everything that was returned."""
    return [getattr(stream, method)(*arguments) for method, arguments in story]


actions = st.one_of(
    st.tuples(st.just("decide"), st.tuples(st.integers(0, 119), st.integers(0, 12))),
    st.tuples(st.just("label"), st.tuples(st.integers(0, 12), st.sampled_from([0, 1, None]))),
    st.tuples(st.just("learn"), st.tuples(st.integers(0, 119))),
)


def told(action):
    method, arguments = action
    if method == "decide":
        record, name = arguments
        return method, (RECORDS[record], f"e{name}")
    if method == "label":
        return method, (f"e{arguments[0]}", arguments[1])
    return method, (RECORDS[arguments[0]],)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(story=st.lists(actions, min_size=1, max_size=40), cut=st.integers(0, 40))
def test_a_restart_at_any_point_changes_nothing(story, cut, tmp_path):
    story = [told(action) for action in story]
    whole, first = new(max_pending=4, delay=2), new(max_pending=4, delay=2)
    expected = replay(whole, story)
    found = replay(first, story[:cut])
    first.save(tmp_path / "s.skops", place=7)
    second = DecisionStream.load(tmp_path / "s.skops")
    assert second.extra == {"place": 7} and state_of(second) == state_of(first)
    assert found + replay(second, story[cut:]) == expected
    assert state_of(second) == state_of(whole)


def test_decisions_are_those_of_a_loop():
    stream, model, encoder = new(), ProbitClassifier(), RowEncoder()
    paid = 0.0
    for record in RECORDS:
        decision = stream.decide(record)
        x = encoder.encode({name: v for name, v in record.items() if name != "fraud"})
        p = model.predict_proba_one(x)[1] if hasattr(model, "classes_") else 0.5
        costs = Costs.of(1, fp_cost=3.0, fn_cost=0.5 * record["amount"])
        action = int(costs.decide([p])[0])
        expected = costs.expected([p], [action])[0]
        number = stream.totals.events
        assert decision == Decision(number, action, p, costs.break_even[0], expected)
        paid += costs.paid([record["fraud"]], [action])[0]
        outcome = stream.label(decision.id, record["fraud"])
        assert outcome.status == "learned" and outcome.label == record["fraud"]
        model.learn_one(x, record["fraud"], fp_cost=3.0, fn_cost=0.5 * record["amount"])
    assert stream.totals.paid == paid and stream.totals.labels == len(RECORDS)
    assert stream.n_pending == 0


def test_a_label_that_is_known_at_once_is_the_same():
    one, other = new(), new()
    for record in RECORDS:
        decision = one.decide(record)
        one.label(decision.id, record["fraud"])
        assert other.learn(record) == decision
    assert one.totals == other.totals
    np.testing.assert_array_equal(one.learner.coef_, other.learner.coef_)


@pytest.mark.parametrize("delay", [1, 30])
def test_a_simulated_delay_is_a_queue(delay):
    simulated, queue, waiting = new(delay=delay), new(), []
    for record in RECORDS:
        decision = simulated.learn(record)
        assert queue.decide(record) == decision
        waiting.append((decision.id, record["fraud"]))
        if len(waiting) > delay:
            queue.label(*waiting.pop(0))
    np.testing.assert_array_equal(simulated.learner.coef_, queue.learner.coef_)
    assert simulated.totals.labels == len(RECORDS)  # counted at once
    assert simulated.n_pending == delay


@pytest.mark.parametrize("learner", [ProbitClassifier, AnomalyDetector])
def test_many_at_once_are_the_same_as_one_by_one(learner):
    one, many = new(learner()), new(learner())
    for start in range(0, 120, 30):
        block = RECORDS[start : start + 30]
        ids = [f"p{start + i}" for i in range(30)]
        expected = [one.decide(record, id) for record, id in zip(block, ids, strict=True)]
        assert many.decide_many(block, ids) == expected
        for record, id in zip(block, ids, strict=True):
            assert one.label(id, record["fraud"]) == many.label(id, record["fraud"])
    assert one.totals == many.totals


def test_a_batch_with_a_bad_event_decides_nothing():
    stream = new()
    before = state_of(stream)
    with pytest.raises(InputError, match="Event 1 of the batch: fn_cost is smaller than tp_cost"):
        stream.decide_many([RECORDS[0], RECORDS[1] | {"amount": -1.0}])
    assert state_of(stream) == before
    with pytest.raises(ValueError, match="zip"):
        stream.decide_many(RECORDS[:2], ["a"])


def test_an_id_may_be_repeated_in_a_batch():
    stream = new()
    first, same, other = stream.decide_many(RECORDS[:3], ["a", "a", "b"])
    assert first == same != other and stream.counts.repeated == 1
    assert stream.decide_many([{}], ["a"]) == [first] == [stream.decide({}, "a")]


def test_labels_in_another_order_go_to_their_events():
    stream = new()
    ids = [stream.decide(record).id for record in RECORDS[:20]]
    x = {id: stream._pending.get(id) for id in ids}
    model = ProbitClassifier()
    for id in [*ids[::-2], *ids[-2::-2]]:
        label = RECORDS[id - 1]["fraud"]
        outcome = stream.label(id, label)
        assert outcome == Outcome(id, "learned", label, x[id].prices.paid(label, x[id].action))
        model.learn_one(x[id].features, label, **x[id].prices.keywords())
    np.testing.assert_array_equal(stream.learner.coef_, model.coef_)


def test_what_becomes_of_other_labels():
    stream = new(max_pending=2)
    first = stream.decide(RECORDS[0], "a")
    assert stream.label("nobody", 1) == Outcome("nobody", "unknown", 1)
    assert stream.label("a", " ") == Outcome("a", "missing")
    assert stream.decide(RECORDS[1], "a") == first  # sent again: the decision stands
    assert stream.label("a", 1).status == "learned"
    assert stream.label("a", 0) == Outcome("a", "repeated", 0)
    assert stream.decide(RECORDS[2], "a") is None
    for name in "bcd":
        stream.decide(RECORDS[3], name)
    assert stream.label("b", 1) == Outcome("b", "too late", 1)
    assert vars(stream.counts) == dict(late=1, dropped=1, too_late=1, unknown=1, repeated=3)
    assert stream.first_repeated == "a" and stream.n_pending == 2
    assert (stream.totals.events, stream.totals.labels) == (4, 1)


def test_learn_with_an_id():
    stream = new()
    assert stream.learn(RECORDS[0], 1, id="a").id == "a" and stream.knows("a")
    assert stream.learn(RECORDS[0], 1, id="a") is None and stream.counts.repeated == 1
    pending = stream.learn(RECORDS[1] | {"fraud": None}, id="b")  # no label yet
    assert stream.n_pending == 1
    assert stream.learn(RECORDS[1], 0, id="b") == pending and stream.n_pending == 0
    assert stream.totals.labels == 2 and stream.totals.events == 2


def test_own_numbers_and_the_streams_numbers_do_not_collide():
    stream = new()
    stream.decide(RECORDS[0], 2)
    assert stream.decide(RECORDS[1]).id == 3


def test_memory_is_bounded():
    pending = PendingEvents(limit=10)
    for i in range(1000):
        pending.add(f"e{i}", None)
        pending.close(f"f{i}", labeled=True)
    state = pending.get_state()
    assert len(state["open"]) == len(state["closed"]) == 10
    assert [id for id, _ in state["open"]] == [f"e{i}" for i in range(990, 1000)]
    assert pending.counts.dropped == 990


def test_prices_are_computed_once(monkeypatch):
    calls = []
    real = PriceList.of
    monkeypatch.setattr(PriceList, "of", lambda self, event: calls.append(1) or real(self, event))
    stream = new()
    stream.decide(RECORDS[0], "a")
    stream.label("a", 1)
    stream.learn(RECORDS[1])
    stream.decide_many(RECORDS[2:4])
    assert len(calls) == 4


@given(
    prices=st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4),
    p=st.floats(0, 1),
    action=st.booleans(),
    positive=st.booleans(),
)
def test_prices_are_those_of_costs(prices, p, action, positive):
    fp, fn, tp, tn = prices
    fp, tn, fn, tp = max(fp, tn), min(fp, tn), max(fn, tp), min(fn, tp)
    ours, costs = (
        Prices(fp, fn, tp, tn),
        Costs.of(1, fp_cost=fp, fn_cost=fn, tp_cost=tp, tn_cost=tn),
    )
    assert ours.break_even == costs.break_even[0]
    assert ours.expected(p, action) == costs.expected([p], [action])[0]
    assert ours.paid(positive, action) == costs.paid([positive], [action])[0]


def test_the_prior_decides_until_the_first_label():
    stream = new(prior=0.02)
    assert stream.decide(RECORDS[0], "a").probability == 0.02
    stream.label("a", 1)
    assert stream.decide(RECORDS[1]).probability != 0.02


def test_prices_of_many_events_are_those_of_each():
    expressions = ["amount", "max(5, 0.1*amount)", 'where(kind == "gold", 10, log(amount))', "7"]
    odd = [{"amount": None, "kind": "x"}, {"kind": "x"}, {"amount": -3.0, "kind": "x"}]
    odd += [{"amount": "12.5", "kind": "gold"}, {"amount": 1e200, "kind": "x"}]
    odd += [{"amount": float("nan"), "kind": "x"}, {"kind": "gold", "amount": 3}]
    good = [{"amount": 1.5 * i, "kind": "ab"[i % 2]} for i in range(1, 9)]
    for fn in expressions:
        prices = PriceList(dict(fp_cost=5, fn_cost=fn, tp_cost=1, tn_cost=0))
        for some in (good, good[:1], *([*good[:3], one] for one in odd), *([one] for one in odd)):
            for event, found in zip(some, prices.of_many(Events(some)), strict=True):
                if isinstance(found, InputError):
                    with pytest.raises(InputError, match=re.escape(str(found))):
                        prices.of(event)
                else:
                    assert found == prices.of(event)


def test_target_and_dropped_fields_are_no_features():
    stream = new(drop=["kind"])
    stream.learn(RECORDS[0])
    assert set(stream.learner.feature_names_in_) == {"amount", "speed"}


WITH_LEARN_ONE = [one for _, one in all_estimators() if hasattr(one, "learn_one")]


@pytest.mark.parametrize("learner", WITH_LEARN_ONE, ids=lambda one: one.__name__)
def test_every_learner_that_learns_one_event_can_stream(learner, tmp_path):
    stream = new(learner(), prior=0.1)
    for record in RECORDS[:20]:
        stream.learn(record)
    stream.save(tmp_path / "s.skops")
    other = DecisionStream.load(tmp_path / "s.skops")
    for record in RECORDS[20:40]:
        decision = stream.learn(record)
        assert decision == other.learn(record)
        assert (decision.probability is None) == (not hasattr(learner, "predict_proba_one"))
        assert (decision.expected_cost is None) == (decision.probability is None)


def test_a_fitted_learner_is_resumed_with_its_own_labels():
    learner = AROWClassifier()
    for record in RECORDS[:50]:
        y = "bad" if record["fraud"] else "good"
        learner.learn_one({"speed": record["speed"]}, y, classes=["good", "bad"])
    learner = copy.deepcopy(learner)
    stream = DecisionStream(learner, positive="good", target="y")
    assert learner.classes_.tolist() == ["bad", "good"]
    p = learner.predict_proba_one({"speed": 0.0})["good"]
    assert stream.decide({"speed": 3.0}, "a").probability == p  # the first value is its own mean
    assert stream.label("a", "good").status == "learned" and learner.n_seen_ == 51


def test_labels_are_read_as_in_a_table():
    stream = new()
    for i, y in enumerate(["yes", "No", " YES "]):
        stream.decide(RECORDS[i], i)
        assert stream.label(i, y).label == (i != 1)
    stream.decide(RECORDS[4], "x")
    with pytest.raises(InputError, match="has the label 'maybe'"):
        stream.label("x", "maybe")
    assert stream.label("x", "no").status == "learned"


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (dict(prior=2), r"prior must be between 0 and 1\. Got 2"),
        (dict(max_pending=0), "max_pending must be at least 1"),
        (dict(delay=-1), "delay must not be negative"),
        (dict(fn_cost="fraud * 2"), "fn_cost = 'fraud . 2' uses the target 'fraud'"),
        (dict(fp_cost=float("nan")), "fp_cost must be a finite number. Got nan"),
        (dict(fp_cost="1/0", fn_cost=1), "fp_cost = '1/0' is missing or infinite; give a finite"),
        (dict(fp_cost=1, fn_cost=1, tp_cost=2), r"fn_cost is smaller than tp_cost \(1 < 2\)"),
    ],
)
def test_bad_settings_are_named(arguments, match):
    with pytest.raises(InputError, match=match):
        new(**arguments)


def test_bad_learners_files_and_events_are_named(tmp_path):
    with pytest.raises(InputError, match="LogisticRegression has no learn_one"):
        DecisionStream(LogisticRegression())
    save_model(ProbitClassifier(), tmp_path / "m.skops")
    with pytest.raises(InputError, match="is a model, not a saved stream"):
        DecisionStream.load(tmp_path / "m.skops")
    with pytest.raises(InputError, match=r"fn_cost = '0.5\*amount' is missing or infinite; fill"):
        new().decide({"amount": None, "speed": 1.0})
    with pytest.raises(InputError, match="'amount', which is not in"):
        new().decide({"speed": 1.0})


def test_a_learner_of_river_can_stream():
    linear_model = pytest.importorskip("river.linear_model")
    stream = new(linear_model.LogisticRegression(), prior=0.1)
    assert stream.learn(RECORDS[0]).probability == 0.1
    for record in RECORDS:
        decision = stream.learn(record)
    assert 0 < decision.probability < 1 and stream.totals.paid < stream.totals.always


def test_a_saved_stream_resumes_with_other_prices(tmp_path):
    stream = DecisionStream(ProbitClassifier(), fp_cost=1, fn_cost="amount", prior=0.3)
    for i in range(20):
        stream.learn({"amount": float(i + 1), "x": float(i % 3)}, i % 2)
    stream.decide({"amount": 4.0, "x": 1.0}, id="waits")
    stream.save(tmp_path / "s.skops")
    same = DecisionStream.load(tmp_path / "s.skops")
    dear = DecisionStream.load(tmp_path / "s.skops", fn_cost="100*amount")
    event = {"amount": 2.0, "x": 0.0}
    a, b = same.decide(event, id="new"), dear.decide(event, id="new")
    assert a.probability == b.probability and b.break_even < a.break_even
    # a pending event keeps the prices at which it was decided
    assert same.label("waits", 1).paid == dear.label("waits", 1).paid
    with pytest.raises(InputError, match="cannot change"):
        DecisionStream.load(tmp_path / "s.skops", target="y")
