"""One dict with everything that a report says; the renderers add nothing to it."""

import numpy as np

from stakes import __version__
from stakes.compare._contestants import TRIVIAL
from stakes.compare._out_of_fold import OutOfFold
from stakes.compare._stats import bootstrap_mean, critical_difference, friedman_test

N_BOOT = 1000


def summarize(results):
    """Make the summary of a :class:`~stakes.compare.Results`."""
    parts = [summarize_data(results, data) for data in results.datasets]
    summary = {
        "title": ", ".join(data.name for data in results.datasets),
        "version": __version__,
        "plan": results.file.plan,
        "environment": _environment(results.rows),
        "refused": results.refused,
        "unfinished": results.unfinished,
        "datasets": parts,
    }
    if len(parts) > 1:
        summary["ranks"] = _ranks_over(parts)
    return summary


def summarize_data(results, data):
    """What was found on one data set."""
    table = OutOfFold(results, data)
    today, today_name = table.today()
    learners = [_learner(table, name, today) for name in table.complete]
    learners.sort(key=lambda facts: (facts["cost_per_1000"], facts["learner"]))
    best = learners[0]
    return {
        "name": data.name,
        "positive": data.positive,
        "description": data.description,
        "stakes": data.summary().to_dict(),
        "stakes_in_words": str(data.summary()),
        "today": {"name": today_name, "cost_per_1000": float(1000 * today.mean())},
        "best": best["learner"],
        "sentence": headline(best, today_name, float(1000 * today.mean())),
        "ties": [f["learner"] for f in learners[1:] if f["tied_with_best"]],
        "learners": learners,
        "failed": table.failed(),
        "incomplete": table.incomplete,
        "fold_ranks": table.fold_ranks(),
        "misstated": table.misstated(best["learner"]),
        "threshold_curve": table.threshold_curve(best["learner"]),
        "calibration": table.calibration(best["learner"]),
    }


def headline(best, today_name, today_cost):
    """The sentence that a manager needs."""
    saved, (low, high) = best["saves_per_1000"], best["saves_interval"]
    if best["learner"] in TRIVIAL:
        return (
            f"Deploy no model: the rule “{best['learner']}” costs least "
            f"({money(best['cost_per_1000'])} per 1,000 decisions), and no learner beat it."
        )
    share = f", {saved / today_cost:.0%} of its cost" if today_cost > 0 else ""
    sure = "" if low > 0 else " The interval includes zero: more data may turn the verdict."
    return (
        f"Deploy {best['learner']}: against today's rule ({today_name}) it saves {money(saved)} "
        f"per 1,000 decisions{share} (95 % interval {money(low)} to {money(high)}).{sure}"
    )


def money(amount):
    """An amount with as many digits as a person reads."""
    return f"{amount:,.0f}" if abs(amount) >= 100 else f"{amount:,.2f}"


def _learner(table, name, today):
    rows = [r for (repeat, _), r in table.by_learner[name].items() if repeat in table.repeats]
    paid, best = table.paid(name), table.paid(table.cheapest())
    values = 1000 * np.column_stack([paid, today - paid, paid - best])
    mean, low, high = bootstrap_mean(values, n_boot=N_BOOT)
    trivial = min(table.paid(t).mean() for t in TRIVIAL)
    return {
        "learner": name,
        "family": rows[0]["family"],
        "cost_per_1000": float(mean[0]),
        "cost_interval": [float(low[0]), float(high[0])],
        "saves_per_1000": float(mean[1]),
        "saves_interval": [float(low[1]), float(high[1])],
        "tied_with_best": bool(low[2] <= 0),
        "savings": float(1 - paid.mean() / trivial) if trivial > 0 else None,
        "below_trivial": bool(paid.mean() > trivial and name not in TRIVIAL),
        "tail_cost": float(np.mean([r["tail_cost"] for r in rows])),
        "alerts_per_1000": float(
            1000 * sum(r["alerts"] for r in rows) / sum(r["n_test"] for r in rows)
        ),
        "fit_seconds": float(np.mean([r["fit_seconds"] for r in rows])),
        "predict_seconds": float(np.mean([r["predict_seconds"] for r in rows])),
        "params": [r["params"] for r in rows],
        "warnings": sorted({w for r in rows for w in r["warnings"]}),
    }


def _ranks_over(parts):
    names = sorted(set.intersection(*({f["learner"] for f in p["learners"]} for p in parts)))
    cost = [{f["learner"]: f["cost_per_1000"] for f in p["learners"]} for p in parts]
    matrix = np.array([[c[name] for name in names] for c in cost])
    test = friedman_test(matrix)
    return {
        "learners": names,
        "ranks": test.ranks.tolist(),
        "friedman_p": test.p_value,
        "iman_davenport_p": test.f_p_value,
        "critical_difference": critical_difference(len(names), len(parts)),
        "n_datasets": len(parts),
    }


def _environment(rows):
    keys = ("stakes", "python", "numpy", "scipy", "sklearn", "cpu", "commit")
    return {key: sorted({str(row[key]) for row in rows if key in row}) for key in keys}
