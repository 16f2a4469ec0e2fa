"""Memory and processor time of a service over many decisions, each with its label a while later.

STAKES_SOAK is the number of decisions, a million without it.
"""

import os
import random
import tempfile
import time

import psutil

from benchmarks._measure import Row
from benchmarks.bench_serve import is_fraud, make_event
from stakes.serve import Capacity, DecideRequest, LabelRequest, start

BATCH, LATE, PARTS = 100, 2000, 10
DIFFERENT = 20_000  # events that are sent again and again under new ids


def run():
    n = int(os.environ.get("STAKES_SOAK", 1_000_000))
    rng = random.Random(0)
    events = [make_event(rng) for _ in range(DIFFERENT)]
    labels = [is_fraud(event, rng) for event in events]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        service = start(
            f"{folder}/store.db",
            learner="probit",
            costs=dict(fp_cost=5, fn_cost="amount"),
            capacity=Capacity(max_alerts=1000, review_cost=2.0, max_reviews=500, period="hour"),
        )
        process, sent = psutil.Process(), 0
        for part in range(PARTS):
            before = time.process_time()
            for _ in range(n // PARTS // BATCH):
                ids = range(sent, sent + BATCH)
                requests = [DecideRequest(events[i % DIFFERENT], f"e{i}") for i in ids]
                requests += [
                    LabelRequest(f"e{i - LATE}", labels[(i - LATE) % DIFFERENT])
                    for i in ids
                    if i >= LATE
                ]
                service.handle(requests)
                sent += BATCH
            seconds = (time.process_time() - before) / (n // PARTS)
            memory = process.memory_info().rss / 2**20
            rows.append(
                Row(f"{part * n // PARTS:,} to {sent:,}", "decision and label", seconds, memory)
            )
        service.close()
    return rows
