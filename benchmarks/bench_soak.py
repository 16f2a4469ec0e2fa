"""Memory and processor time of a service over many decisions, in batches of 100 over HTTP.

A tenth of the events get a label, 2,000 decisions later; the service forgets what is older than a
minute. STAKES_SOAK is the number of decisions, five million without it; the file that
STAKES_SOAK_LOG names gets a line after each part. Seconds and memory are those of the service.
"""

import http.client
import json
import os
import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks._measure import Row
from benchmarks.bench_serve import COSTS, is_fraud, make_event, stakes

BATCH, LATE, PARTS, CONNECTIONS = 100, 2000, 10, 8
DIFFERENT = 20_000  # events that are sent again and again under new ids
LIMITS = ["--max-alerts", "1000", "--review-cost", "2", "--max-reviews", "500", "--period", "hour"]


class Sender:
    """Sends batches of events and the labels that are due, over a connection that stays open."""

    def __init__(self, port, tag):
        rng = random.Random(0)
        events = [make_event(rng) for _ in range(DIFFERENT)]
        self._labels = [is_fraud(event, rng) for event in events]
        self._events = [json.dumps(event) for event in events]
        self._connection = http.client.HTTPConnection("127.0.0.1", port)
        self._tag, self._sent = tag, 0

    def send(self, batches):
        """Send some batches more."""
        for _ in range(batches):
            ids = range(self._sent, self._sent + BATCH)
            items = [
                f'{{"id":"{self._tag}{i}","event":{self._events[i % DIFFERENT]}}}' for i in ids
            ]
            self._post("/v1/decisions", items)
            due = [i - LATE for i in ids[::10] if i >= LATE]
            items = [
                f'{{"id":"{self._tag}{i}","label":{self._labels[i % DIFFERENT]}}}' for i in due
            ]
            if items:
                self._post("/v1/labels", items)
            self._sent += BATCH

    def _post(self, path, items):
        body = "[" + ",".join(items) + "]"
        self._connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        if answer.status != 200:
            raise RuntimeError(answer.read())
        answer.read()


def run():
    n = int(os.environ.get("STAKES_SOAK", 5_000_000))
    rows, log = [], os.environ.get("STAKES_SOAK_LOG", os.devnull)
    batches = n // PARTS // BATCH // CONNECTIONS
    per_part = batches * BATCH * CONNECTIONS
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(CONNECTIONS) as threads:
        server = stakes(folder, "--learner", "probit", *COSTS, *LIMITS, "--keep", "60s")
        senders = [Sender(server.port, f"{tag}-") for tag in range(CONNECTIONS)]
        try:
            for part in range(PARTS):
                before, start = server.processor(), time.perf_counter()
                list(threads.map(lambda sender: sender.send(batches), senders))
                seconds = (server.processor() - before) / per_part
                elapsed = time.perf_counter() - start
                size = sum(file.stat().st_size for file in Path(folder).iterdir())
                note = (
                    f"store {size / 2**20:,.0f} MiB, {per_part / elapsed:,.0f} decisions a second"
                )
                task = f"{part * per_part:,} to {(part + 1) * per_part:,}"
                rows.append(Row(task, "stakes serve", seconds, server.memory(), note=note))
                with open(log, "a") as file:
                    print(rows[-1], file=file)
        finally:
            server.stop()
    return rows
