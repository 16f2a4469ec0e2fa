"""Fuzz for some time, or a number of cases, and print what was found.

    python -m fuzz                                   a minute, shared among all kinds
    python -m fuzz --minutes 60 --seed 7
    python -m fuzz --short                           the cases that CI tries, always the same ones
    python -m fuzz --full --page ../docs/fuzzing.md  the counts of the page, for about an hour;
                                                     run it again to resume
    python -m fuzz --only tables --cases 5000
    python -m fuzz --only events --case 1234         one case again, with its traceback
    python -m fuzz --page A.md --take B.md           put the counts of page B into page A
    python -m fuzz --digest                          which sources these are, as the page names them

In tests/, or by `python3 tasks.py fuzz`. Every case runs in a child process. Exits with 1 if there
is a finding.
"""

import argparse
import itertools
import os
import random
import sys
import tempfile
import time
from pathlib import Path

if Path("/dev/shm").is_dir():  # files that live for a millisecond need no disk
    tempfile.tempdir = "/dev/shm"
os.environ.setdefault("POLARS_MAX_THREADS", "1")

from fuzz import arrays, events, expressions, folders, model_files, models, page, requests, tables
from fuzz.children import GOOD, in_child, run_cases

KINDS = {
    "model files": model_files.case,
    "events": events.case,
    "tables": tables.case,
    "folders": folders.case,
    "expressions": expressions.case,
    "requests": requests.case,
    "API matrix": arrays.case,
}
WARM = {"model files": model_files.warm_all, "events": events.warm, "API matrix": arrays.warm}
SAVE = 20  # seconds between two writings of the page
FULL = {"model files": 100_000, "events": 985_000, "tables": 15_000, "expressions": 100_000}
FULL |= {"folders": 5_000, "requests": 100_000}
SHORT = {"model files": 250, "events": 5_000, "tables": 150, "expressions": 2_000}
SHORT |= {"folders": 40, "requests": 400, "API matrix": 60}


def main():
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=None)
    parser.add_argument("--only", choices=KINDS, action="append")
    parser.add_argument("--cases", type=int, default=None)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, default=None)
    parser.add_argument("--page", type=Path, default=None)
    parser.add_argument("--take", type=Path, default=None)
    parser.add_argument("--digest", action="store_true")
    given = parser.parse_args()
    if given.digest:
        print(page.digest())
        return
    if given.take:
        page.take(given.page, given.take)
        return
    kinds = given.only or list(KINDS)
    if given.case is not None:
        print(KINDS[kinds[0]](given.case))
        return
    sizes = FULL if given.full else SHORT if given.short else {}
    if sizes or given.cases:
        given.minutes = given.minutes or 600.0
    found = 0
    if "model files" in kinds:
        models.models()  # before the time starts
    if "requests" in kinds:
        models.trained()
    for kind in kinds:
        minutes = (given.minutes or 1.0) / (1 if sizes else len(kinds))
        in_child(WARM.get(kind, int))  # compiles what the numba cache does not have yet
        wanted = given.cases or sizes.get(kind)
        counts = run(kind, given.seed, time.monotonic() + 60 * minutes, wanted, given.page)
        found += len(counts["found"])
    sys.exit(found > 0)


def run(kind, seed, until, wanted=None, path=None):
    """Run one kind, print its findings, and count how the cases ended.

    With a page, go on where an earlier run of this seed ended: its findings are tried again first.
    The counts are stored now and then.
    """
    counts = {"refused": 0, "harmless": 0, "found": [], "runs": 0}
    counts |= page.stored(path).get(kind, {}).get(str(seed), {}) if path else {}
    first = seed * 10**9
    seeds = range(first + counts["runs"], first + 10**8)
    if kind == "API matrix":  # a random part of the matrix, all of it if there is time
        seeds = list(range(len(arrays.names())))
        random.Random(seed).shuffle(seeds)
        seeds = seeds[counts["runs"] :]
    again, counts["found"] = counts["found"], []
    counts["runs"] -= len(again)
    save_at = time.monotonic() + SAVE
    for number, result in itertools.chain(
        run_cases(KINDS[kind], again), run_cases(KINDS[kind], seeds, until)
    ):
        counts["runs"] += 1
        if isinstance(result, dict) or result in GOOD:
            for word, n in (result if isinstance(result, dict) else {result: 1}).items():
                counts[word] += n
        else:
            counts["found"].append(number)
            print(f"{kind}, case {number}: {result[:500]}", flush=True)
        if path and time.monotonic() > save_at:
            page.add(path, kind, seed, counts)
            save_at = time.monotonic() + SAVE
        total = counts["refused"] + counts["harmless"] + len(counts["found"])
        if wanted is not None and total >= wanted:
            break
    if path:
        page.add(path, kind, seed, counts)
    shown = f"{counts['refused']:,} refused, {counts['harmless']:,} harmless"
    total = counts["refused"] + counts["harmless"] + len(counts["found"])
    print(f"{kind}: {total:,} cases, {shown}, {len(counts['found']):,} found", flush=True)
    return counts


if __name__ == "__main__":
    main()
