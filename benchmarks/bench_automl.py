"""AutoML in money: excess cost over the best contestant, at equal time budgets."""

import json

import numpy as np

from benchmarks._measure import Row
from benchmarks.automl import ROWS


def run():
    """Mean excess cost over the sets that all contestants of a budget have finished."""
    return table(ROWS)


def table(path):
    """Rows of the page from the stored results; see python -m benchmarks.automl."""
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    known = {tuple(line["key"].split("/")): line["value"] for line in lines}
    rows = []
    for budget in sorted({float(key[3]) for key in known} - {0.0}):
        found = {
            (name, seed, who): value
            for (name, seed, who, limit), value in known.items()
            if float(limit) in (0.0, budget)
        }
        rows += _of_budget(f"{budget:g} s", found)
    return rows


def _of_budget(task, found):
    names = sorted({who for _, _, who in found})
    failed = {who for (_, _, who), value in found.items() if "error" in value}
    able = [who for who in names if who not in failed]
    blocks = sorted({key[:2] for key in found})
    blocks = [b for b in blocks if all((*b, who) in found for who in able)]
    if not blocks or not able:
        return []
    cost = np.array([[found[*b, who]["cost_per_1000"] for who in able] for b in blocks])
    # of each split, relative to the best contestant on it
    excess = (cost - cost.min(axis=1, keepdims=True)) / np.abs(cost.min(axis=1, keepdims=True))
    spread = excess.std(axis=0, ddof=1) / np.sqrt(len(blocks)) if len(blocks) > 1 else [np.nan] * 9
    sets = len({name for name, _ in blocks})
    order = np.argsort(excess.mean(axis=0), kind="stable")
    rows = []
    for j in order:
        savings = np.mean([found[*b, able[j]]["savings"] for b in blocks])
        seconds = np.mean([found[*b, able[j]]["seconds"] for b in blocks])
        note = (
            f"mean excess cost {excess[:, j].mean():.1%} (standard error {spread[j]:.1%}), mean "
            f"savings {savings:.3f}, {seconds:.0f} s, {sets} sets, {len(blocks)} splits"
        )
        rows.append(Row(task, able[j], None, note=note))
    for who in sorted(failed):
        errors = [v["error"] for (_, _, one), v in found.items() if one == who and "error" in v]
        rows.append(Row(task, who, None, note=f"failed: {errors[0].splitlines()[0]}"))
    return rows
