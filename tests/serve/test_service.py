"""The service: decides like a stream, writes first, answers again, learns once, replays in bits."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serve.serving import SETTINGS, decide, label, make_events, new_service, stopped_clock
from stakes.errors import InputError
from stakes.online import AROWClassifier, ProbitClassifier
from stakes.serve import Capacity, NotWrittenError, Service, open_store, rebuild
from stakes.serve._clock import Clock
from stakes.serve._hours import KEPT
from stakes.serve._requests import CostsGiven, Decide
from stakes.serve._store import MIGRATIONS
from stakes.stream import DecisionStream


@pytest.fixture
def service(tmp_path):
    service = new_service(tmp_path / "store.db")
    yield service
    service.close()


def in_groups(requests, rng):
    while requests:
        n = rng.randint(1, 9)
        yield requests[:n]
        requests = requests[n:]


def late_labels(events, rng):
    """Decisions and labels of a stream, labels late and out of order."""
    requests = []
    for i, (id, event, y) in enumerate(events):
        requests.append((i, decide(id, event)))
        requests.append((i + rng.expovariate(1 / 20), label(id, y)))
    return [request for _, request in sorted(requests, key=lambda one: one[0])]


def test_it_decides_as_a_stream_does(service):
    twin = DecisionStream(ProbitClassifier(), prior=0.1, **SETTINGS)
    rng = random.Random(1)
    for group in in_groups(late_labels(make_events(200), rng), rng):
        for request, answer in zip(group, service.handle(group), strict=True):
            if isinstance(request, Decide):
                expected = twin.decide(request.event, request.id)
                assert answer.action == ("pass", "alert")[expected.action]
                assert answer.probability == expected.probability
                assert answer.expected_cost == expected.expected_cost
                assert answer.break_even == expected.break_even
            else:
                assert answer.paid == twin.label(request.id, request.label).paid
    money = service.report().models["probit"]
    for name, total in vars(twin.totals).items():
        assert getattr(money, name) == total, name


def test_groups_do_not_matter(tmp_path):
    requests = late_labels(make_events(120), random.Random(2))
    digests = set()
    for i in range(3):
        service = new_service(tmp_path / f"{i}.db", every=7 + i, clock=lambda: 0.0)
        for group in in_groups(requests, random.Random(i)):
            service.handle(group)
        digests.add(service.state.digest())
        service.close()
    assert len(digests) == 1


@pytest.mark.parametrize("capacity", [None, Capacity(max_alerts=20, max_reviews=9, review_cost=2)])
def test_a_batch_equals_single_requests_bit_for_bit(tmp_path, capacity):
    """With early labels, ids that come twice, refused events, other fields and given prices."""
    rng, requests = random.Random(3), []
    for id, event, y in make_events(400):
        requests += [label(id, y)] if rng.random() < 0.1 else []
        if rng.random() < 0.1:
            event = rng.choice([event | {"more": 1.5}, event | {"hour": True}, {"amount": 9.0}])
        requests += [Decide(event, id, rng.choice([None] * 9 + [CostsGiven(fn_cost=50)]))]
        if rng.random() < 0.1:
            bad = rng.choice([{"country": "FR"}, {"amount": 1e101}, {"amount": 5.0, "hour": 1e101}])
            requests += [decide(f"bad {id}", bad), decide(f"bad {id}", event), decide(id, event)]
        requests += [label(id, y)] if rng.random() < 0.1 else []
    found = []
    for i, groups in enumerate(([[one] for one in requests], in_groups(requests, rng), [requests])):
        service = new_service(tmp_path / f"{i}.db", capacity, clock=lambda: 1e9)
        answers = [answer for group in groups for answer in service.handle(group)]
        assert sum(isinstance(answer, InputError) for answer in answers) > 20
        found.append([*map(str, answers), service.state.digest()])
        service.close()
        store = open_store(tmp_path / f"{i}.db")
        service.state = rebuild(store, until=service.state.seq)
        assert service.state.digest() == found[-1][-1]
        store.close()
    assert found[1] == found[0] and found[2] == found[0]


@pytest.mark.parametrize("every", [10, 10_000])
def test_any_past_state_can_be_rebuilt(tmp_path, every):
    service = new_service(
        tmp_path / "store.db", every=every, a=ProbitClassifier(), b=AROWClassifier()
    )
    digests = {}
    for request in late_labels(make_events(60), random.Random(3)):
        service.handle([request])
        digests[service.state.seq] = service.state.digest()
    service.close()
    store = open_store(tmp_path / "store.db")
    for seq in [1, 5, 50, max(digests)]:
        assert rebuild(store, until=seq).digest() == digests[seq]
    assert rebuild(store).digest() == digests[max(digests)]
    store.close()


def test_a_restart_changes_nothing(tmp_path):
    requests = late_labels(make_events(80), random.Random(4))
    plain = new_service(tmp_path / "plain.db", clock=lambda: 0.0)
    expected = [plain.handle([request]) for request in requests]
    broken = new_service(tmp_path / "broken.db", every=13, clock=lambda: 0.0)
    for i, request in enumerate(requests):
        if i % 10 == 9:
            end = broken.close if i % 20 == 9 else broken._store.close  # without a checkpoint
            end()
            store = open_store(tmp_path / "broken.db")
            broken = Service(store, checkpoint_every=13, clock=stopped_clock())
        assert broken.handle([request]) == expected[i]
    assert broken.state.digest() == plain.state.digest()
    plain.close()
    broken.close()


def test_an_id_gets_its_first_answer_again(service):
    (id, event, y), *others = make_events(30)
    first = service.handle([decide(id, event)])
    for other in others:
        service.handle([decide(*other[:2]), label(other[0], other[2])])
    service.handle([label(id, y)])
    assert service.handle([decide(id, dict(event, amount=1e6))]) == first
    assert service.handle([decide(id, event), decide(id, event)]) == first * 2
    assert service.decision(id) == first[0]
    assert service.report().models["probit"].events == 30


def test_labels_are_learned_once_whatever_happens_to_them(service):
    id, event, _ = make_events(1)[0]
    statuses = [answer.status for answer in service.handle([label(id, 1), label(id, 1)])]
    assert statuses == ["early", "early"]
    service.handle([decide(id, event)])  # the label waited for it
    before = service.state.digest()
    assert service.report().models["probit"].labels == 1
    assert service.handle([label(id, 1)])[0].status == "repeated"
    assert service.state.digest() == before
    corrected = service.handle([label(id, 0)])[0]
    money = service.report().models["probit"]
    assert corrected.status == "corrected"
    assert (money.labels, money.positives, money.paid) == (1, 0, corrected.paid)
    assert service.handle([label(id, 0)])[0].status == "repeated"


def test_prices_may_come_with_the_event(service):
    event = {"amount": 10.0}
    given = Decide(event, "a", CostsGiven(fn_cost=45.0))
    assert service.handle([given])[0].break_even == 0.1
    assert service.handle([Decide({"x": 1.0}, "b", CostsGiven(fn_cost=5.0))])[0].break_even == 0.5
    wrong = service.handle([Decide(event, "c", CostsGiven(tp_cost=50.0))])[0]
    assert isinstance(wrong, InputError) and "fn_cost is smaller than tp_cost" in str(wrong)


def test_a_refused_event_leaves_no_trace(service):
    service.handle([decide(*make_events(1)[0][:2])])
    before = service.state.digest()
    answers = service.handle([decide("x", {"country": "FR"}), label("e0", "perhaps")])
    assert all(isinstance(answer, InputError) for answer in answers)
    assert service.state.digest() == before
    good, bad = service.handle([decide("y", {"amount": 1.0}), decide("z", {"b": 1.0})])
    assert good.id == "y" and isinstance(bad, InputError)


def test_a_refused_event_in_a_group_moves_no_scale_twice(tmp_path):
    service = new_service(tmp_path / "store.db")
    group = [decide(id, event) for id, event, _ in make_events(5)]
    group[3].event["hour"] = 1e200
    answers = service.handle(group)
    assert [isinstance(answer, InputError) for answer in answers] == [False] * 3 + [True, False]
    assert rebuild(service._store).digest() == service.state.digest()
    service.close()


def test_a_store_that_fails_undoes_the_group(service, monkeypatch):
    events = make_events(20)
    service.handle([decide(*one[:2]) for one in events[:10]])
    before = service.state.digest()
    append = service._store.append

    def full(*arguments):
        raise OSError("No space left on device")

    monkeypatch.setattr(service._store, "append", full)
    requests = [decide(*events[10][:2]), label("e0", 1)]
    answers = service.handle(requests)
    assert all(isinstance(answer, NotWrittenError) for answer in answers)
    assert service.state.digest() == before
    monkeypatch.setattr(service._store, "append", append)
    assert [type(answer).__name__ for answer in service.handle(requests)] == ["Decided", "Labeled"]


def test_two_services_on_one_store_are_refused(service, tmp_path):
    store = open_store(tmp_path / "store.db")
    with pytest.raises(InputError, match="Another process serves"):
        Service(store)
    store.close()


def test_time_never_runs_backwards(tmp_path):
    times = iter([100.0, 50.0, 10.0, 200.0])
    service = new_service(tmp_path / "store.db", clock=lambda: next(times))
    for id, event, _ in make_events(4):
        service.handle([decide(id, event)])
    assert [entry.at for entry, _ in service._store.entries()] == [100.0, 100.0, 100.0, 200.0]
    service.close()


def test_challengers_see_everything_and_one_call_promotes(tmp_path):
    service = new_service(tmp_path / "s.db", probit=ProbitClassifier(), arow=AROWClassifier())
    for request in late_labels(make_events(50), random.Random(5)):
        service.handle([request])
    report = service.report()
    assert report.champion == "probit" and report.models["arow"].events == 50
    saved = report.models["probit"].paid - report.models["arow"].paid
    lead = report.models["arow"].lead
    assert lead.saved * lead.labels == pytest.approx(saved)
    service.promote("arow")
    assert service.handle([decide("new", {"amount": 3.0})])[0].model == "arow"
    with pytest.raises(InputError, match="did you mean 'arow'"):
        service.promote("aro")
    digest = service.state.digest()
    service._store.close()
    again = Service(open_store(tmp_path / "s.db"))
    assert again.state.champion == "arow" and again.state.digest() == digest
    again.promote("probit")  # rolls back
    assert again.handle([decide("newer", {"amount": 3.0})])[0].model == "probit"
    again.close()


def test_a_model_added_later_is_replayed_as_well(tmp_path):
    service = new_service(tmp_path / "s.db")
    requests = late_labels(make_events(40), random.Random(6))
    for request in requests[:40]:
        service.handle([request])
    content = service.state.contenders["probit"].model.to_bytes()
    service.add("second", content)
    for request in requests[40:]:
        service.handle([request])
    with pytest.raises(InputError, match="There is a model 'second'"):
        service.add("second", content)
    digest = service.state.digest()
    service._store.close()
    store = open_store(tmp_path / "s.db")
    assert rebuild(store).digest() == digest
    store.close()


def test_an_erased_event_is_gone_and_the_state_stays(tmp_path):
    service = new_service(tmp_path / "s.db")
    for request in late_labels(make_events(30), random.Random(7)):
        service.handle([request])
    service.erase("e3")
    assert "e3" not in str([e for e, _ in service._store.entries() if e.body.get("event")])
    answer = service.decision("e3")
    assert answer.id == "e3"
    digest, seq = service.state.digest(), service.state.seq
    service.handle([decide(*make_events(40)[35][:2])])
    service._store.close()
    store = open_store(tmp_path / "s.db")
    assert rebuild(store, until=seq).digest() == digest
    with pytest.raises(InputError, match="was erased"):
        rebuild(store, until=seq - 1)
    store.close()
    with pytest.raises(InputError, match="no decision about 'nobody'"):
        again = Service(open_store(tmp_path / "s.db"))
        try:
            again.erase("nobody")
        finally:
            again.close()


def test_a_label_of_an_erased_event_is_booked_but_not_learned(tmp_path):
    service = new_service(tmp_path / "s.db")
    service.handle([decide("a", {"amount": 5.0})])
    service.erase("a")
    version = service.state.version
    assert service.handle([label("a", 1)])[0].paid is not None
    assert service.state.version == version
    assert service.report().models["probit"].labels == 1
    service.close()


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([None, 0, 1])), max_size=12))
def test_hypothesis_any_order_of_decisions_and_labels(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("any")
    service = new_service(folder / "s.db", every=3)
    for id, y in steps:
        service.handle([decide(id, {"amount": 1.0 + ord(id)}) if y is None else label(id, y)])
    money = service.report().models["probit"]
    decided = {id for id, y in steps if y is None}
    labels = {id: y for id, y in steps if y is not None}
    known = {id: y for id, y in labels.items() if id in decided}
    assert (money.events, money.labels) == (len(decided), len(known))
    assert money.positives == sum(known.values())
    digest = service.state.digest()
    service._store.close()
    store = open_store(folder / "s.db")
    assert rebuild(store).digest() == digest
    store.close()


def test_exploration_lets_some_alerts_pass_and_writes_down_how_likely(tmp_path):
    service = new_service(tmp_path / "s.db", Capacity(explore=0.3))
    answers = service.handle([decide(f"e{i}", {"amount": 500.0}) for i in range(400)])
    passed = [answer for answer in answers if answer.action == "pass"]
    assert {answer.propensity for answer in passed} == {0.3}
    assert {answer.propensity for answer in answers if answer.action == "alert"} == {0.7}
    assert 70 < len(passed) < 170  # 120 expected, standard deviation 9
    calm = service.handle([decide("small", {"amount": 1.0})])[0]
    assert (calm.action, calm.propensity) == ("pass", 1.0)
    digest = service.state.digest()
    service._store.close()
    store = open_store(tmp_path / "s.db")
    assert rebuild(store).digest() == digest
    store.close()


def test_old_entries_can_go_and_the_state_stays(tmp_path):
    times = iter(range(1000))
    service = new_service(tmp_path / "s.db", clock=lambda: float(next(times)))
    for id, event, y in make_events(30):
        service.handle([decide(id, event)])
        service.handle([label(id, y)])
    digest = service.state.digest()
    assert service.prune(before=20.0) == 20
    service._store.close()
    service = Service(open_store(tmp_path / "s.db"))
    assert service.state.digest() == digest
    assert service.decision("e3") is None and service.decision("e20") is not None
    service.handle([decide("e3", {"amount": 2.0})])
    digest = service.state.digest()
    service._store.close()
    store = open_store(tmp_path / "s.db")
    assert rebuild(store).digest() == digest
    store.close()


def test_tables_of_an_earlier_version_are_brought_up_to_date(tmp_path, monkeypatch):
    service = new_service(tmp_path / "s.db")
    service.handle([decide("a", {"amount": 1.0})])
    digest = service.state.digest()
    service.close()
    added = "CREATE TABLE news (name TEXT);\nINSERT INTO news VALUES ('{blob}')"
    monkeypatch.setattr("stakes.serve._store.MIGRATIONS", [*MIGRATIONS, added])
    store = open_store(tmp_path / "s.db")
    assert store.setting("schema") == len(MIGRATIONS) + 1
    assert store._rows("SELECT name FROM news") == [("BLOB",)]
    assert rebuild(store).digest() == digest
    store.close()


def test_decisions_that_cost_more_than_promised_raise_an_alarm(tmp_path, monkeypatch):
    monkeypatch.setattr("stakes.serve._state.PROMISE_EVERY", 2000)
    service = new_service(tmp_path / "s.db", clock=lambda: 0.0)
    calm = make_events(400)
    for id, event, y in calm:
        service.handle([decide(id, event), label(id, y)])
    assert service.page(False).alarms == []
    for i in range(150):  # small payments in a calm country are fraud from now on
        service.handle([decide(f"n{i}", {"amount": 5.0, "country": "FR", "hour": 3})])
    for i in range(150):
        service.handle([label(f"n{i}", 1)])
    (said,) = service.page(False).alarms
    assert "the data may have changed" in said
    digest = service.state.digest()
    service._store.close()
    store = open_store(tmp_path / "s.db")
    assert rebuild(store).digest() == digest
    store.close()


def test_a_pause_of_the_labels_raises_an_alarm(tmp_path):
    times = iter([*range(0, 600, 10), *[100_000.0] * 9])
    service = new_service(tmp_path / "s.db", clock=lambda: float(next(times)))
    for id, event, y in make_events(30):
        service.handle([decide(id, event), label(id, y)])
    service._clock = Clock(lambda: 1000.0)
    assert service.page(False).alarms == []
    service._clock = Clock(lambda: 100_000.0)
    assert "No label for 27.7 hours" in service.page(False).alarms[0]
    service.close()


def test_a_past_event_is_booked_under_the_hour_in_which_it_happened(tmp_path):
    now, hour = 1e9, 3600.0
    service = new_service(tmp_path / "store.db", clock=lambda: now)
    times = [None, now - 5 * hour, now + 5 * hour, -9 * hour, 1e5]
    decides = [Decide({"amount": 9.0}, f"e{i}", time=time) for i, time in enumerate(times)]
    service.handle([*decides, label("e1", 1), label("e3", 1)])
    rows = {row.hour: (row.events, row.labels) for row in service.page(False).hours}
    this = now // hour
    assert rows == {this: (2, 0), this - 5: (1, 1), -9: (1, 1), 27: (1, 0)}
    assert rebuild(service._store, until=7).digest() == service.state.digest()
    for i in range(KEPT):
        service.handle([Decide({"amount": 9.0}, f"f{i}", time=now - i * hour)])
    service.handle([Decide({"amount": 9.0}, "old", time=0.0), label("old", 1)])
    assert len(service.page(False).hours) == KEPT
    assert min(row.hour for row in service.page(False).hours) == this - KEPT + 1
    service.close()
