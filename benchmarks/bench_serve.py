"""Processor seconds per decision of a durable service and of MLflow's, which stores nothing.

The load comes from another process, over connections that stay open; every commit is synced to
disk before its answers leave. `python3 tasks.py bench serve` needs a Python that has MLflow for the
peer: the one that runs it, or the one that STAKES_MLFLOW names.
"""

import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from benchmarks._measure import Row
from stakes.client import Client

FIELDS = 28  # numbers, next to an amount and a country
SENT = {1: 400, 16: 1600, 64: 3200}  # connections -> requests
BATCH, BATCHES = 100, 100
SECONDS = 12.0  # at half of the peak
COSTS = ["--fp-cost", "5", "--fn-cost", "amount", "--target", "fraud"]


def make_event(rng):
    numbers = {f"f{i}": round(rng.gauss(0, 1), 4) for i in range(FIELDS)}
    country = rng.choice("abcdef")
    return {"amount": round(rng.lognormvariate(3, 1), 2), **numbers, "country": country}


def is_fraud(event, rng):
    return int(rng.random() < (0.3 if event["f0"] + event["f1"] > 1.5 else 0.02))


class Server:
    """A server in a process of its own, which is measured."""

    def __init__(self, command, port):
        self.port = port
        log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(command, stdout=log, stderr=log)

    def wait(self, path):
        give_up = time.monotonic() + 120
        while time.monotonic() < give_up and self._process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            time.sleep(0.1)
        self.path = path
        return self

    def load(self, bodies, connections, rate=None):
        """Seconds of each request, seconds of them all, and processor seconds of the server."""
        plan = dict(
            port=self.port, path=self.path, bodies=bodies, connections=connections, rate=rate
        )
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "plan.json"
            file.write_text(json.dumps(plan))
            before = self.processor()
            told = subprocess.run(
                [sys.executable, "-m", "benchmarks._load", str(file)],
                capture_output=True,
                text=True,
                check=True,
            )
        found = json.loads(told.stdout)
        return sorted(found["seconds"]), found["elapsed"], self.processor() - before

    def stop(self):
        for process in self._family():
            process.terminate()
        self._process.wait(30)

    def processor(self):
        """Processor seconds so far."""
        times = [process.cpu_times() for process in self._family()]
        return sum(one.user + one.system for one in times)

    def memory(self):
        """Memory in MiB."""
        return sum(process.memory_info().rss for process in self._family()) / 2**20

    def _family(self):
        parent = psutil.Process(self._process.pid)
        return [parent, *parent.children(recursive=True)]


def stakes(folder, *options):
    port = free_port()
    command = [sys.executable, "-m", "stakes", "serve", "--port", str(port), "--quiet", *options]
    server = Server([*command, "--store", f"{folder}/store.db"], port).wait("/v1/decisions")
    rng = random.Random(1)
    with Client(f"http://127.0.0.1:{port}", patience=60) as client:
        for part in range(2):  # every name is known, and the loops are compiled
            events = {f"first-{part}-{i}": make_event(rng) for i in range(500)}
            client.decide_many(list(events.values()), list(events))
            client.label_many({id: is_fraud(event, rng) for id, event in events.items()})
    return server


def mlflow(folder, python, model):
    """MLflow's server with the model as `stakes train` stored it."""
    port = free_port()
    script = str(Path(__file__).with_name("_mlflow_model.py"))
    return Server([python, script, str(model), f"{folder}/mlflow", str(port)], port).wait(
        "/invocations"
    )


def requests(server, n, size, tag, rng):
    """Bodies of n requests of some events each, as the server reads them."""
    bodies = []
    for i in range(n):
        events = [make_event(rng) for _ in range(size)]
        if server.path == "/invocations":
            columns = list(events[0])
            rows = [list(event.values()) for event in events]
            bodies.append(json.dumps({"dataframe_split": {"columns": columns, "data": rows}}))
        else:
            items = [{"id": f"{tag}-{i}-{j}", "event": event} for j, event in enumerate(events)]
            bodies.append(json.dumps(items if size > 1 else items[0]))
    return bodies


def measure(name, server, rows):
    """Rows of one contestant, and its peak of requests a second."""
    rng, peak = random.Random(2), 0.0
    print(name, flush=True)
    server.load(requests(server, 100, 1, "warm", rng), 4)
    share = 0.15 if server.path == "/invocations" else 1.0  # a slow server gets fewer requests
    for connections, n in SENT.items():
        n = int(share * n)
        bodies = requests(server, n, 1, f"c{connections}", rng)
        seconds, elapsed, processor = server.load(bodies, connections)
        peak = max(peak, n / elapsed)
        rows[name, f"{connections} connections"] = row(seconds, elapsed, processor, n)
    bodies = requests(server, int(SECONDS * peak / 2), 1, "half", rng)
    found = server.load(bodies, 64, rate=peak / 2)
    rows[name, "half of the peak"] = row(*found, len(bodies))
    bodies = requests(server, BATCHES, BATCH, "batch", rng)
    found = server.load(bodies, 4)
    rows[name, f"batches of {BATCH}"] = row(*found, BATCHES * BATCH)


def row(seconds, elapsed, processor, n):
    p50, p99 = (1000 * seconds[int(share * len(seconds))] for share in (0.5, 0.99))
    return processor / n, n / elapsed, p50, p99


def run():
    found, python = {}, os.environ.get("STAKES_MLFLOW", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        model = trained(folder)
        contestants = {
            "stakes serve, model": lambda: stakes(f"{folder}/1", str(model), *COSTS[2:4]),
            "stakes serve, learner": lambda: stakes(f"{folder}/2", "--learner", "probit", *COSTS),
            "MLflow, nothing on disk": lambda: mlflow(folder, python, model),
        }
        for i, (name, start) in enumerate(contestants.items(), start=1):
            Path(f"{folder}/{i}").mkdir()
            server = start()
            try:
                measure(name, server, found)
            finally:
                server.stop()
    rows, peer = [], list(contestants)[-1]
    for task in dict.fromkeys(task for _, task in found):
        for name in contestants:
            processor, rate, p50, p99 = found[name, task]
            ratio = found[peer, task][0] / processor if name != peer else None
            note = f"{rate:,.0f} decisions a second, p50 {p50:.1f} ms, p99 {p99:.1f} ms"
            rows.append(Row(task, name, processor, ratio=ratio, note=note))
    return rows


def trained(folder):
    """A model of `stakes train`, on made-up payments."""
    rng = random.Random(0)
    events = [make_event(rng) for _ in range(3000)]
    lines = [",".join([*events[0], "fraud"])]
    lines += [",".join(map(str, [*event.values(), is_fraud(event, rng)])) for event in events]
    table, model = Path(folder) / "payments.csv", Path(folder) / "model.skops"
    table.write_text("\n".join(lines))
    learner = ["--learner", "logistic regression, Bayes decision"]
    command = [sys.executable, "-m", "stakes", "train", str(table), *COSTS, *learner, "--quiet"]
    subprocess.run([*command, "--out", str(model)], check=True)
    return model


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
