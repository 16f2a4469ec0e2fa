"""Fuzz for some time, or a number of cases, and print what was found.

    python -m fuzz                                   a minute, shared among all kinds
    python -m fuzz --minutes 60 --seed 7
    python -m fuzz --full --page ../docs/fuzzing.md  the counts of the page, for about an hour;
                                                     run it again to resume
    python -m fuzz --only tables --cases 5000
    python -m fuzz --only events --case 1234         one case again, with its traceback

In tests/, or by `python3 tasks.py fuzz`. Every case runs in a child process. Exits with 1 if there
is a finding.
"""

import argparse
import collections
import os
import random
import sys
import tempfile
import time
from pathlib import Path

if Path("/dev/shm").is_dir():  # files that live for a millisecond need no disk
    tempfile.tempdir = "/dev/shm"
os.environ.setdefault("POLARS_MAX_THREADS", "1")

from fuzz import arrays, events, expressions, model_files, models, page, tables
from fuzz.children import GOOD, in_child, run_cases

KINDS = {
    "model files": model_files.case,
    "events": events.case,
    "tables": tables.case,
    "expressions": expressions.case,
    "API matrix": arrays.case,
}
WARM = {"model files": model_files.warm_all, "events": events.warm, "API matrix": arrays.warm}
SAVE = 20  # seconds between two writings of the page
FULL = {"model files": 100_000, "events": 985_000, "tables": 15_000, "expressions": 100_000}


def main():
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=None)
    parser.add_argument("--only", choices=KINDS, action="append")
    parser.add_argument("--cases", type=int, default=None)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, default=None)
    parser.add_argument("--page", type=Path, default=None)
    given = parser.parse_args()
    kinds = given.only or list(KINDS)
    if given.case is not None:
        print(KINDS[kinds[0]](given.case))
        return
    if given.full or given.cases:
        given.minutes = given.minutes or 600.0
    found = 0
    if "model files" in kinds:
        models.models()  # before the time starts
    for kind in kinds:
        minutes = (given.minutes or 1.0) / (1 if given.full else len(kinds))
        in_child(WARM.get(kind, int))  # compiles what the numba cache does not have yet
        wanted = given.cases or (FULL.get(kind) if given.full else None)
        counts = run(kind, given.seed, time.monotonic() + 60 * minutes, wanted, given.page)
        found += counts["found"]
    sys.exit(found > 0)


def run(kind, seed, until, wanted=None, path=None):
    """Run one kind, print its findings, and count how the cases ended.

    With a page, go on where an earlier run of this seed ended, and store the counts now and then.
    """
    earlier = page.stored(path).get(kind, {}).get(str(seed), {}) if path else {}
    counts = collections.Counter(earlier)
    first = seed * 10**9 + counts["runs"]
    seeds = range(first, first + 10**8)
    if kind == "API matrix":  # a random part of the matrix, all of it if there is time
        seeds = list(range(len(arrays.names())))
        random.Random(seed).shuffle(seeds)
        seeds = seeds[counts["runs"] :]
    save_at = time.monotonic() + SAVE
    for number, result in run_cases(KINDS[kind], seeds, until):
        if isinstance(result, dict):
            counts.update(result)
        elif result in GOOD:
            counts[result] += 1
        else:
            counts["found"] += 1
            print(f"{kind}, case {number}: {result[:500]}", flush=True)
        counts["runs"] += 1
        if path and time.monotonic() > save_at:
            page.add(path, kind, seed, counts)
            save_at = time.monotonic() + SAVE
        if wanted is not None and sum(counts[word] for word in (*GOOD, "found")) >= wanted:
            break
    if path:
        page.add(path, kind, seed, counts)
    total = sum(counts[word] for word in (*GOOD, "found"))
    shown = ", ".join(f"{counts[word]:,} {word}" for word in (*GOOD, "found"))
    print(f"{kind}: {total:,} cases, {shown}", flush=True)
    return counts


if __name__ == "__main__":
    main()
