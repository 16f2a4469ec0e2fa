"""Measuring: contestants take turns, the best of several turns counts."""

import gc
import multiprocessing
import resource
import time
from dataclasses import asdict, dataclass

import psutil


@dataclass
class Row:
    """One contestant on one task."""

    task: str
    contestant: str
    seconds: float
    peak_mib: float | None = None
    ratio: float | None = None  # the peer's seconds divided by ours: larger is better for us
    note: str = ""

    def to_dict(self):
        return asdict(self)


def race(task, contestants, turns=5, peer=None, clock=time.perf_counter):
    """Run each contestant `turns` times, in turns, and keep its best time.

    Parameters
    ----------
    task : str
        What is done, with its size.
    contestants : dict of str -> callable
        The first is ours; the others are peers.
    turns : int
        How many turns each has, after one that warms up and compiles.
    peer : str
        Whose time is divided by the others'; by default the last contestant's.
    """
    best = dict.fromkeys(contestants, float("inf"))
    for call in contestants.values():
        call()
    for _ in range(turns):
        for name, call in contestants.items():
            gc.collect()
            start = clock()
            call()
            best[name] = min(best[name], clock() - start)
    peer = peer or list(contestants)[-1]
    return [
        Row(
            task,
            name,
            seconds,
            ratio=best[peer] / seconds if name != peer else None,
            note=f"peer {peer}",
        )
        for name, seconds in best.items()
    ]


def peak_mib(call):
    """MiB that a call needs at its peak, beyond what the process had before; run in a fork."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_report_peak, args=(call, sender))
    child.start()
    peak = receiver.recv()
    child.join()
    return peak


def _report_peak(call, sender):
    before = psutil.Process().memory_info().rss
    call()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # Linux counts in KiB
    sender.send(max(0, peak - before) / 2**20)
