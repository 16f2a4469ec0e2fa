"""AutoML in money at equal time budgets, one core each; rows by python -m benchmarks.automl."""

import json

import numpy as np
from scipy import stats

from benchmarks._measure import Row
from benchmarks.automl import ROWS

OURS = "timed blend"
OWN = (OURS, "recommended blend")


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
    blocks = sorted({key[:2] for key in found})
    blocks = [b for b in blocks if all((*b, who) in found for who in names)]
    if not blocks or OURS not in names:
        return []
    found = {b: _block({who: found[*b, who] for who in names}) for b in blocks}
    cost = np.array([[found[b][who]["cost_per_1000"] for who in names] for b in blocks])
    savings = np.array([[found[b][who]["savings"] for who in names] for b in blocks])
    # of each split, relative to the best contestant on it
    excess = cost / cost.min(axis=1, keepdims=True) - 1
    lead = savings[:, [names.index(OURS)]] - savings
    sets = len({name for name, _ in blocks})
    rows = []
    for j in np.argsort(excess.mean(axis=0), kind="stable"):
        timed = [found[b][names[j]] for b in blocks]
        seconds = [value["seconds"] for value in timed if "seconds" in value]
        note = (
            f"mean excess cost {_with_interval(excess[:, j], percent=True)}, mean savings "
            f"{savings[:, j].mean():.3f}, {sets} sets, {len(blocks)} splits"
        )
        if seconds:
            note += f", {np.mean(seconds):.0f} s"
        if names[j] != OURS:
            note += f"; the {OURS} saves {_with_interval(lead[:, j])} more"
        failures = sum("error" in value for value in timed)
        if failures:
            note += f"; failed on {failures}, counted as the best constant policy"
        versions = sorted({value["version"] for value in timed if "version" in value})
        note += f"; {', '.join(versions)}" if names[j] not in OWN else ""
        rows.append(Row(task, names[j], None, note=note))
    return rows + _by_set(task, names, blocks, savings)


def _by_set(task, names, blocks, savings):
    """Who saves most on each set, and what all of them save, the highest first."""
    of_sets = np.array([name for name, _ in blocks])
    rows = []
    for name in dict.fromkeys(of_sets):
        mean = savings[of_sets == name].mean(axis=0)
        order = np.argsort(-mean, kind="stable")
        each = ", ".join(f"{names[j]} {mean[j]:.3f}" for j in order)
        rows.append(Row(f"{task}: {name}", names[order[0]], None, note=f"savings: {each}"))
    return rows


def _block(values):
    """Results of one split; where a contestant failed, the best constant policy decides."""
    done = next(v for v in values.values() if "error" not in v and v["savings"] < 1)
    constant = dict(savings=0.0, cost_per_1000=done["cost_per_1000"] / (1 - done["savings"]))
    return {who: v | constant if "error" in v else v for who, v in values.items()}


def _with_interval(values, percent=False):
    """The mean and its 95 % interval over the splits."""
    form = "{:.1%}" if percent else "{:.3f}"
    mean = form.format(values.mean())
    if len(values) < 2:
        return mean
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    low, high = (form.format(values.mean() + side * half) for side in (-1, 1))
    return f"{mean} (95 % interval {low} to {high})"
