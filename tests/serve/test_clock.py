"""The clock of the machine jumps: decisions, limits and labels go on as if it did not."""

import random

import pytest

from serve.serving import decide, label, make_events, new_service
from stakes.errors import InputError
from stakes.serve import Capacity, Service, open_store, rebuild
from stakes.serve._clock import PACE, Clock

DAY = 86400.0


class Machine:
    """A wall clock that can be set, and a steady one that cannot."""

    def __init__(self, at):
        self.wall, self.steady = at, 0.0

    def sleep(self, seconds):
        self.wall += seconds
        self.steady += seconds

    def clock(self):
        return Clock(lambda: self.wall, lambda: self.steady)


def played(path, machine, events, rng, jump=lambda: 0.0, **how):
    """A service that got an event every five minutes, and each label up to two hours later."""
    service = new_service(path, **how)
    service._clock = machine.clock()
    answers, waiting = [], []
    for t, (id, event, y) in enumerate(events):
        machine.wall += jump()
        answers += service.handle([decide(id, event)])
        waiting.append((t + rng.randrange(25), id, y))
        for due in [one for one in waiting if one[0] <= t]:
            waiting.remove(due)
            answers += service.handle([label(due[1], due[2])])
        machine.sleep(300.0)
    return service, answers


def learned(state):
    """Everything but times."""
    facts = state._facts()
    timed = ("hours", "pauses")
    return {name: value for name, value in facts.items() if name not in timed}


def test_jumps_change_no_decision_no_label_no_alarm(tmp_path):
    events = make_events(120)
    jumps, made = random.Random(0), []

    def jump():
        made.append(DAY * jumps.uniform(-40, 40) if jumps.random() < 0.2 else 0.0)
        return made[-1]

    straight = played(tmp_path / "a.db", Machine(1e9), events, random.Random(1))
    jumping = played(tmp_path / "b.db", Machine(1e9), events, random.Random(1), jump)
    assert straight[1] == jumping[1]
    assert learned(straight[0].state) == learned(jumping[0].state)
    models = [one.state.contenders["probit"].model.learner for one, _ in (straight, jumping)]
    assert (models[0].coef_ == models[1].coef_).all()
    times = [entry.at for entry, _ in jumping[0]._store.entries()]
    assert times == sorted(times) and min(made) < -10 * DAY and max(made) > 10 * DAY
    digest = jumping[0].state.digest()
    for service, _ in (straight, jumping):
        service._store.close()  # as if it was killed
    store = open_store(tmp_path / "b.db")
    assert rebuild(store).digest() == digest
    store.close()


@pytest.mark.parametrize("days", [-30.0, 30.0, 0.02])
def test_people_get_the_alerts_of_every_hour_after_a_jump(tmp_path, days):
    machine = Machine(1e9)
    jumps = iter([days * DAY, -days * DAY])
    events = [(f"e{i}", {"amount": 1000.0, "country": "BR"}, 1) for i in range(240)]
    at = iter(range(len(events)))

    def jump():  # there and back
        return next(jumps) if next(at) in (60, 72) else 0.0

    capacity = Capacity(max_alerts=3, period="hour")
    rng = random.Random(0)
    service, _ = played(tmp_path / "s.db", machine, events, rng, jump, capacity=capacity)
    alerts = {}
    for entry, _ in service._store.entries():
        if entry.kind == "decision" and entry.body["actions"]["probit"] == "alert":
            alerts[int(entry.at // 3600)] = alerts.get(int(entry.at // 3600), 0) + 1
    assert max(alerts.values()) <= 3
    # 20 hours have passed; in the worst case they counted for a tenth less
    assert len(alerts) >= 20 * PACE - 2 and sum(alerts.values()) >= 3 * (20 * PACE - 2)
    service.close()


def test_a_service_that_is_back_waits_for_a_clock_that_was_set_back(tmp_path):
    machine = Machine(1000.0)
    service = new_service(tmp_path / "s.db")
    service._clock = machine.clock()
    service.handle([decide("a", {"amount": 1.0})])
    service.close()
    machine.wall = 500.0
    service = Service(open_store(tmp_path / "s.db"), clock=machine.clock())
    machine.sleep(100.0)
    service.handle([decide("b", {"amount": 1.0})])
    machine.sleep(10_000.0)
    service.handle([decide("c", {"amount": 1.0})])
    at = [entry.at for entry, _ in service._store.entries()]
    assert at == [1000.0, 1000.0 + 100.0 * PACE, 10_600.0]
    service.close()


def test_what_is_too_old_is_forgotten_while_the_service_runs(tmp_path):
    machine = Machine(0.0)
    service = new_service(tmp_path / "s.db", every=20)
    service._clock, service._keep = machine.clock(), 100.0
    for id, event, y in make_events(150):
        machine.sleep(1.0)
        service.handle([decide(id, event), label(id, y)])
    entries = [entry for entry, _ in service._store.entries()]
    assert 100.0 - 1 <= machine.wall - entries[0].at <= 100.0 + 20
    assert service.decision("e10") is None and service.decision("e120") is not None
    service.handle([label("e120", 0), label("e10", 1)])
    digest, seq = service.state.digest(), service.state.seq
    service._store.close()
    store = open_store(tmp_path / "s.db")
    assert rebuild(store).digest() == digest
    assert rebuild(store, until=seq - 30).seq == seq - 30  # from one of the newest checkpoints
    with pytest.raises(InputError, match="was removed"):
        rebuild(store, until=20)
    store.close()


def test_reviews_of_forgotten_events_are_no_longer_listed(tmp_path):
    machine = Machine(0.0)
    service = new_service(tmp_path / "s.db", capacity=Capacity(review_cost=1.0))
    service._clock = machine.clock()
    for i in range(4):
        service.handle([decide(f"e{i}", {"amount": 400.0 - i})])
        machine.sleep(10.0)
    assert [one.decision.id for one in service.reviews()] == ["e0", "e1", "e2", "e3"]
    service.prune(before=20.0)
    assert [one.decision.id for one in service.reviews(limit=1)] == ["e2"]
    assert [one.decision.id for one in service.page(True).reviews] == ["e2", "e3"]
    service.close()
