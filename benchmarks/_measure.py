"""Measuring: contestants take turns, the best of several turns counts."""

import ctypes
import gc
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import cloudpickle


@dataclass
class Row:
    """One contestant on one task."""

    task: str
    contestant: str
    seconds: float | None  # None: not a matter of time
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


def peak_mib(call, *, warm=True):
    """MiB that a call needs at its peak beyond what a fresh process holds before it.

    The process is new, so nothing of this one counts; if `warm`, the call is made once before, to
    import and compile; freed memory is given back, and the high-water mark is reset before the
    call that is measured. None where the system has no /proc.
    """
    if not Path("/proc/self/clear_refs").exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "call"
        path.write_bytes(cloudpickle.dumps(call))
        told = subprocess.run(
            [sys.executable, "-m", "benchmarks._measure", str(path), str(int(warm))],
            env=os.environ | {"PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])},
            capture_output=True,
            text=True,
            check=True,
        )
    return float(told.stdout.split()[-1])


def _report_peak(path, warm):
    call = cloudpickle.loads(Path(path).read_bytes())
    if warm:
        call()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts again from here
    before = _memory("VmRSS")
    call()
    print((_memory("VmHWM") - before) / 1024)


def _memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


if __name__ == "__main__":
    _report_peak(sys.argv[1], sys.argv[2] == "1")
