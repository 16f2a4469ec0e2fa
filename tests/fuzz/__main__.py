"""Run all kinds of fuzzing for some time and print what was found.

Usage: python -m fuzz --minutes 10 [--seed 0]     (in tests/, or by `python3 tasks.py fuzz`)
"""

import argparse
import collections
import random
import sys
import time

from fuzz import arrays, model_files, texts
from fuzz.children import run_cases

GOOD = ("refused", "harmless")
KINDS = {
    "model files": model_files.case,
    "tables": texts.table,
    "events": texts.events,
    "API matrix": arrays.case,
}


def main():
    """Share the time among the kinds; exit with 1 if there is a finding."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    model_files.models()  # before the time starts
    found = 0
    for name, case in KINDS.items():
        until = time.monotonic() + 60 * given.minutes / len(KINDS)
        first = given.seed * 10**9
        seeds = range(first, first + 10**7)
        if case is arrays.case:  # a random part of the matrix, all of it if there is time
            seeds = list(range(len(arrays.names())))
            random.Random(given.seed).shuffle(seeds)
        counts = collections.Counter()
        for seed, words in run_cases(case, seeds, until):
            counts[words if words in GOOD else "found"] += 1
            if words not in GOOD:
                found += 1
                print(f"{name}, case {seed}: {words[:300]}", flush=True)
        shown = ", ".join(f"{counts[word]:,} {word}" for word in (*GOOD, "found"))
        print(f"{name}: {sum(counts.values()):,} cases, {shown}", flush=True)
    sys.exit(found > 0)


main()
