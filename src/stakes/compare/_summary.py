"""Everything that a report says, as one dict; the renderers only format it."""

import numpy as np

from stakes import __version__
from stakes.compare._adversary import after_adversary
from stakes.compare._capacity_worth import worth_of_capacity
from stakes.compare._fit import POLICY
from stakes.compare._out_of_fold import TODAYS_RULE
from stakes.compare._out_of_fold_classes import out_of_fold
from stakes.compare._periods import cost_by_period
from stakes.compare._resamples import Resamples
from stakes.compare._stats import critical_difference, friedman_test
from stakes.compare._what_if import what_if
from stakes.compare._wording import Wording
from stakes.risk import conditional_value_at_risk

N_BOOT = 1000
DEFAULT = Wording()


def summarize_results(results):
    """Summary of a :class:`~stakes.compare.Results`."""
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
    names = set.intersection(*({facts["learner"] for facts in p["learners"]} for p in parts))
    if len(parts) > 1 and len(names) > 2:  # an interrupted run may have fewer
        summary["ranks"] = _ranks_over(parts, sorted(names))
    return summary


def summarize_data(results, data):
    """Summary of one data set."""
    table, words = out_of_fold(results, data), results.wording
    today, today_name = table.today()
    learners = _learners(table, today)
    learners.sort(key=lambda facts: (facts["cost_per_1000"], facts["learner"]))
    best = learners[0]
    return {
        "name": data.name,
        "positive": data.positive,
        "description": data.description,
        "stakes": data.summary().to_dict(),
        "stakes_in_words": words.summary(data),
        "today": {"name": today_name, "cost_per_1000": float(1000 * today.mean())},
        "best": best["learner"],
        "sentence": headline(
            best, today_name, 1000 * today.mean(), learners, words, doubt=_doubt(data)
        ),
        "counts": table.counts_sentence(best, words),
        "actions": list(getattr(data, "actions", ())),
        "by_class": table.by_class(best["learner"]),
        "folds": folds_in_words(data, table.data),
        "promise": promise(best, table, words),
        "capacity": worth_of_capacity(table, best["learner"], words),
        "what_if": what_if(table, [facts["learner"] for facts in learners]),
        "tested": len(table.data),
        "periods": cost_by_period(table, best["learner"], today),
        "alarms": [*after_adversary(results.file.plan, results.rows), *data.alarms],
        "ties": [f["learner"] for f in learners[1:] if f["tied_with_best"]],
        "lost": lost_to_constant(learners),
        "learners": learners,
        "failed": table.failed(),
        "incomplete": table.incomplete,
        "fold_ranks": table.fold_ranks(),
        "misstated": table.misstated(best["learner"]),
        "threshold_curve": table.threshold_curve(best["learner"]),
        "calibration": table.calibration(best["learner"]),
    }


def headline(best, today_name, today_cost, learners, words=DEFAULT, doubt=None):
    """The sentence for the manager about the best of the learners and constant policies.

    `doubt` is why the savings may not be real: "leak", "rows" that depend on each other, or None.
    """
    saved, (low, high) = best["saves_per_1000"], best["saves_interval"]
    amount = words.amount
    if best["family"] == "constant":
        cost = f"({amount(best['cost_per_1000'])} per 1,000 decisions)"
        if all(found["family"] == "constant" for found in learners):
            return f"No learner has finished; “{best['learner']}” costs least so far {cost}."
        return (
            f"Deploy no model: the constant policy “{best['learner']}” costs least {cost}; no "
            "learner beat it."
        )
    share = f", {saved / today_cost:.0%} of its cost" if today_cost > 0 else ""
    against = today_name if today_name == TODAYS_RULE else f"the constant policy “{today_name}”"
    if high < 0:
        return (
            f"Keep {against}: the cheapest learner, {best['learner']}, costs {amount(-saved)} more "
            f"per 1,000 decisions (95% interval {amount(-high)} to {amount(-low)})."
        )
    between = f"95% interval {amount(low)} to {amount(high)}"
    saves = f"{amount(saved)} per 1,000 decisions{share} ({between})."
    if low > 0 and doubt == "leak":
        return (
            f"Do not deploy {best['learner']} before the caution about its data is settled: "
            f"compared with {against} it seems to save {saves}"
        )
    if low > 0:
        less = " The true savings may be lower, see the caution." if doubt == "rows" else ""
        return f"Deploy {best['learner']}: compared with {against} it saves {saves}{less}"
    return (
        f"Nothing is proven: {best['learner']} is not significantly better than {against}. On "
        f"these rows it saves {saves} More data may change the verdict."
    )


def _doubt(data):
    """Why the savings on a data set may not be real, for :func:`headline`."""
    return "leak" if data.leaks else "rows" if data.alarms else None


def folds_in_words(data, tested):
    """How the rows were split if not at random; None otherwise."""
    origin = data.origin
    if origin is None:
        return None
    parts = []
    if origin.time is not None:
        past = "earlier rows" if origin.window is None else f"rows of the {origin.window} before"
        parts.append(
            f"Models were trained on {past} by {origin.time_name or 'time'} and tested on later "
            f"ones: {len(tested):,} of {len(data):,} rows were tested"
        )
        if origin.label_delay is not None:
            parts[-1] += f", and labels count as known {origin.label_delay} after the row"
        parts[-1] += "."
    if origin.group is not None:
        parts.append(f"No {origin.group_name or 'group'} is in both training and test rows.")
    drawn = {
        (True, False): "ten blocks of consecutive rows",
        (False, True): "whole groups",
        (True, True): "ten blocks of consecutive rows and whole groups",
    }[origin.time is not None, origin.group is not None]
    parts.append(f"Intervals resample {drawn}, not single rows.")
    return " ".join(parts)


def promise(best, table, words=DEFAULT):
    """What random folds would have promised for the best learner; None if that is not known."""
    if table.data.origin is None or best["family"] == "constant":
        return None
    promised = table.promised(best["learner"])
    if promised is None:
        return None
    promised, amount = 1000 * promised, words.amount
    real, excess = best["cost_per_1000"], best["cost_per_1000"] - promised
    share = f" ({abs(excess) / promised:.0%})" if promised > 0 else ""
    more = "more" if excess >= 0 else "less"
    return {
        "cost_per_1000": promised,
        "excess_per_1000": excess,
        "sentence": f"Random folds would have promised {amount(promised)} per 1,000 decisions on "
        f"the same rows; it really costs {amount(real)}, {amount(abs(excess))}{share} {more}.",
    }


def lost_to_constant(learners):
    """Sentences about learners that lost to a constant policy, on test rows or in training."""
    below = [f["learner"] for f in learners if f["below_trivial"]]
    times = {f["learner"]: sum(POLICY in chosen for chosen in f["params"]) for f in learners}
    replaced = [f"{name} ({count})" for name, count in times.items() if count]
    sentences = []
    if below:
        sentences.append(
            f"Costs more than the best constant policy; do not deploy: {'; '.join(below)}."
        )
    if replaced:
        sentences.append(
            "Replaced by a constant policy that was cheaper on held-out training rows (number of "
            f"fits out of {len(learners[0]['params'])}): {'; '.join(replaced)}."
        )
    return sentences


def _learners(table, today):
    """The facts about every learner; all intervals come from the same resamples."""
    paid = np.column_stack([table.of(name).paid for name in table.complete])
    columns = 1000 * np.column_stack([paid, today])
    resamples = Resamples(columns, table.data.origin, n_boot=N_BOOT)
    only = np.eye(columns.shape[1])  # only[j]: the mean of column j
    cost, best = 1000 * paid.mean(axis=0), paid.mean(axis=0).argmin()
    # from the same sums: a learner that decides like a policy has the same cost to the last digit
    trivial = min(cost[table.complete.index(name)] for name in table.constant)
    learners = []
    for j, name in enumerate(table.complete):
        rows = table.rows_of(name)
        learners.append(
            {
                "learner": name,
                "family": rows[0]["family"],
                "cost_per_1000": float(cost[j]),
                "cost_interval": resamples.interval(only[j]),
                "saves_per_1000": float(1000 * today.mean() - cost[j]),
                "saves_interval": resamples.interval(only[-1] - only[j]),
                "tied_with_best": resamples.interval(only[j] - only[best])[0] <= 0,
                "savings": float(1 - cost[j] / trivial) if trivial > 0 else None,
                "below_trivial": bool(cost[j] > trivial and name not in table.constant),
                "tail_cost": _tail_cost(table, name, rows),
                **table.counts(name),
                "fit_seconds": float(np.mean([row["fit_seconds"] for row in rows])),
                "predict_seconds": float(np.mean([row["predict_seconds"] for row in rows])),
                "params": [row["params"] for row in rows],
                "warnings": sorted({text for row in rows for text in row["warnings"]}),
            }
        )
    return learners


def _tail_cost(table, name, rows):
    if table.capacity is None:
        return float(np.mean([row["tail_cost"] for row in rows]))
    return float(conditional_value_at_risk(table.of(name).paid, 0.05))


def _ranks_over(parts, names):
    """Ranks of the learners that finished on every data set."""
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
