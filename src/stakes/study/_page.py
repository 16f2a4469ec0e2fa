"""The study's page, drawn from its record and nothing else."""

from stakes.compare import critical_difference
from stakes.compare._summary import money
from stakes.study._excess import excess
from stakes.study._field import TUNED
from stakes.study._record import ranks
from stakes.study._verdict import short_list, verdict

BELOW, POLICY = "†", "‡"


def to_markdown(record):
    """The page of a study.

    Parameters
    ----------
    record : dict
        Of :func:`~stakes.study.make_record`.

    Returns
    -------
    str
    """
    parts = [
        "# What pays: the money study",
        _opening(record),
        "## The data and their prices",
        _sets(record),
        "## The advice against the best",
        _verdict(record),
        "## Savings",
        "![Savings of the recommended learners and the baselines on every set](savings.svg)",
        _savings(record),
        *(["## Ranks", _ranks(record)] if len(record["sets"]) > 1 else []),
        "## Times",
        _times(record),
        "## What went wrong",
        _wrong(record),
        _again(record),
    ]
    return "\n\n".join(parts) + "\n"


def _opening(record):
    plan, n = record["plan"], len(record["sets"])
    names = {f["learner"] for one in record["sets"] for f in one["learners"]}
    plain = {name.removesuffix(TUNED) for name in names}
    return (
        f"{len(plain)} ways to decide, with their tuned versions {len(names)}, on {n} real data "
        f"set{'s' * (n > 1)}: learners of the library in their default settings and tuned on cost "
        "inside the training rows, the usual baselines, and the trivial policies. A learner of the "
        "library with a decision rule of its own that loses to a trivial policy in inner folds of "
        f"the training rows leaves it the decision. Cross-validation with {plan['folds']} folds, "
        f"repeats: {plan['repeats']}; the same folds for all. Learners whose time grows faster "
        "than the rows learn from 2,500 or 1,500 of the training rows and are judged on the same "
        "test rows. Each fit is a row of [rows.jsonl](rows.jsonl)."
    )


def _sets(record):
    rows = [
        [
            one["name"],
            f"{one['rows']:,}",
            f"{one['positives']:,}",
            f"{one['today']['name']}: {money(one['today']['cost_per_1000'])}",
        ]
        for one in record["sets"]
    ]
    head = ["set", "rows", "positive", "best trivial policy, cost per 1,000"]
    sources = [f"- **{one['name']}**: {one['description']}" for one in record["sets"]]
    sampled = (
        "Where a set says “… of … rows”, these were drawn from it: the rarer class keeps at least "
        "500 rows where it has them, and the costs of each class are scaled so that every policy "
        "costs, in expectation, what it costs on all rows."
    )
    return "\n".join([_table(head, rows), "", *sources, "", sampled])


def _verdict(record):
    found = verdict(record)
    rows = [
        [
            v["name"],
            v["best"],
            money(v["best_cost"]),
            v["advised"],
            money(v["advised_cost"]),
            f"{v['excess']:+.1%}",
            "yes" if v["tied"] else "no",
        ]
        for v in found
    ]
    near, tied = sum(v["excess"] <= 0.02 for v in found), sum(v["tied"] for v in found)
    head = ["set", "best of all", "its cost", "advised", "its cost", "above the best", "tied"]
    return (
        f"What `stakes advise` says costs at most 2 % more than the best of all on {near} of "
        f"{len(found)} sets, and a paired bootstrap does not tell the two apart on {tied} (column "
        "tied). The best of so many is partly luck: it was chosen on the rows that it is judged "
        f"on. Costs per 1,000 decisions.\n\n{_table(head, rows)}\n\n{_regret(record)}"
    )


def _regret(record):
    """How far each way to decide is above the best, over all sets."""
    above = excess(record)
    order = sorted(above, key=lambda name: above[name]["mean"])[:12]
    rows = [
        [name, f"{above[name]['mean']:+.1%}", f"{above[name]['worst']:+.1%}", above[name]["where"]]
        for name in order
    ]
    head = ["learner and decision", "mean above the best", "worst", "where"]
    families = {}
    for name in sorted(above, key=lambda name: above[name]["mean"]):
        families.setdefault(_family(record, name), name)
    best = [
        [family, name, f"{above[name]['mean']:+.1%}", f"{above[name]['worst']:+.1%}"]
        for family, name in families.items()
    ]
    return (
        "The twelve that are nearest to the best in the geometric mean over the sets, for whoever "
        f"must choose one without looking:\n\n{_table(head, rows)}\n\n"
        "The nearest of each family:\n\n"
        + _table(["family", "nearest", "mean above the best", "worst"], best)
    )


def _family(record, name):
    return next(f["family"] for f in record["sets"][0]["learners"] if f["learner"] == name)


def _savings(record):
    by_rank = _in_order(record)
    by_rank += sorted({f["learner"] for o in record["sets"] for f in o["learners"]} - set(by_rank))
    facts = [{f["learner"]: f for f in one["learners"]} for one in record["sets"]]
    rows = [[name, *(_cell(one.get(name)) for one in facts)] for name in by_rank]
    return (
        "Savings: the share of the best trivial policy's cost that is not paid, best average rank "
        f"first. {BELOW} costs more than the best trivial policy. {POLICY} warned that a trivial "
        "policy was cheaper: on its own training rows, or in inner folds, and the policy decided "
        "then.\n\n"
        + _table(["learner and decision", *(one["name"] for one in record["sets"])], rows)
    )


def _in_order(record):
    """Those that finished on every set, the best average rank first."""
    if len(record["sets"]) == 1:
        return [f["learner"] for f in record["sets"][0]["learners"]]
    names, test = ranks(record)
    return [names[i] for i in test.ranks.argsort(kind="stable")]


def _cell(fact):
    if fact is None:
        return "failed"
    policy = POLICY if any("BelowTrivialWarning" in w for w in fact["warnings"]) else ""
    return f"{fact['savings']:.3f}{BELOW if fact['below_trivial'] else ''}{policy}"


def _ranks(record):
    names, test = ranks(record)
    few, short = ranks(record, short_list(record))
    n = len(record["sets"])
    return (
        f"Over all {len(names)} that finished on every set Friedman's p is {test.p_value:.2g} "
        f"(Iman-Davenport {test.f_p_value:.2g}) and the critical difference is "
        f"{critical_difference(len(names), n):.1f} ranks: {n} sets cannot order so many. The "
        f"diagram has the {len(few)} that `stakes compare` runs unasked, tuned where they have a "
        f"grid, with the baselines and the trivial policies: Friedman p {short.p_value:.2g}, "
        f"critical difference {critical_difference(len(few), n):.2f}.\n\n"
        "![Critical-difference diagram](ranks.svg)"
    )


def _times(record):
    names = sorted({f["learner"] for one in record["sets"] for f in one["learners"]})
    facts = {o["name"]: {f["learner"]: f for f in o["learners"]} for o in record["sets"]}
    rows = []
    for name in names:
        fit = [(one[name]["fit_seconds"], where) for where, one in facts.items() if name in one]
        predict = sum(one[name]["predict_seconds"] for one in facts.values() if name in one)
        longest, where = max(fit)
        whole = sum(seconds for seconds, _ in fit)
        rows.append([name, f"{whole:.1f}", f"{longest:.1f}", where, f"{predict:.2f}"])
    rows.sort(key=lambda row: -float(row[1]))
    head = ["learner and decision", "fit", "longest", "where", "predict"]
    return (
        "Mean seconds of a fit and of its predictions, summed over the sets, on one core of a "
        "machine that did other things as well: an order, not a benchmark.\n\n" + _table(head, rows)
    )


def _wrong(record):
    lines = [
        f"- {one['name']}: {bad['learner']} failed: {bad['error']}"
        for one in record["sets"]
        for bad in one["failed"]
    ]
    heard = {}
    for one in record["sets"]:
        for f in one["learners"]:
            for text in f["warnings"]:
                kind = text.split(":")[0]
                heard.setdefault((kind, f["learner"]), {})[one["name"]] = None
    lines += [
        f"- {learner} warned {kind} on {', '.join(where)}."
        for (kind, learner), where in sorted(heard.items())
    ]
    below = {}
    for one in record["sets"]:
        for f in one["learners"]:
            if f["below_trivial"]:
                told = f"{one['name']} ({-f['savings']:+.1%})"
                below.setdefault(f["learner"], []).append(told)
    lines += [
        f"- {name} cost more than the best trivial policy on {', '.join(where)}."
        for name, where in sorted(below.items())
    ]
    if below:
        lines.append("\n`stakes train --from` refuses to deploy what lost to a trivial policy.")
    return "\n".join(lines) or "Nothing."


def _again(record):
    machine = ", ".join(f"{k} {'/'.join(v)}" for k, v in record["environment"].items() if any(v))
    return f"Made by `{record['command']}` ({machine})."


def _table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " --- |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
