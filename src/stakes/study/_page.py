"""The study's page and figures, made from its record alone."""

from pathlib import Path

from stakes._core.files import appearing
from stakes._core.words import markdown_table, money
from stakes.compare import critical_difference
from stakes.study._figures import draw_guide, draw_rank_diagram, draw_savings, save
from stakes.study._record import excess, keep, ranks
from stakes.study._rows import VERSIONS
from stakes.study._run import TUNED
from stakes.study._verdict import short_list, verdict

BELOW, POLICY = "†", "‡"


def write_page(study, record, folder):
    """Write `index.md`, its figures, `study.json` and `rows.jsonl`; return the page's path."""
    folder = Path(folder)
    keep(study, record, folder)
    return draw_page(record, folder)


def draw_page(record, folder):
    """Write the page and its figures from a record, without any fits; return the page's path.

    After a change of wording: ``draw_page(stored_record(), "docs/study")``.
    """
    folder = Path(folder)
    drawn = {"savings.svg": draw_savings, "guide.svg": draw_guide}
    if len(record["sets"]) > 1:
        drawn["ranks.svg"] = draw_rank_diagram
    for name, draw in drawn.items():
        with appearing(folder / name) as partial:
            save(draw(record), partial)
    with appearing(folder / "index.md") as partial:
        partial.write_text(to_markdown(record), encoding="utf-8")
    return folder / "index.md"


def to_markdown(record):
    """The page of a study, as Markdown.

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
        _made_with(record),
        "## Data sets and costs",
        _sets(record),
        "## The advice compared with the best",
        _verdict(record),
        "## Savings",
        "![Savings of the recommended learners and the baselines on every data set](savings.svg)",
        _savings(record),
        *(["## Ranks", _ranks(record)] if len(record["sets"]) > 1 else []),
        "## Times",
        _times(record),
        "## Failures and warnings",
        _wrong(record),
        _again(record),
    ]
    return "\n\n".join(parts) + "\n"


def _opening(record):
    plan, n = record["plan"], len(record["sets"])
    names = {f["learner"] for one in record["sets"] for f in one["learners"]}
    plain = {name.removesuffix(TUNED) for name in names}
    return (
        f"{len(plain)} contestants ({len(names)} with their tuned versions) on {n} real data "
        f"set{'s' * (n > 1)}: the learners of the library, with default settings and tuned on cost "
        "inside the training rows; the usual baselines; and the constant policies. A learner of "
        "the library that decides by its own rule is replaced by a constant policy if it loses to "
        "one in inner folds of the training rows. The same cross-validation for all: "
        f"{plan['folds']} folds, repeats: {plan['repeats']}. Learners that scale worse than "
        "linearly are trained on a sample of 2,500 or 1,500 training rows and judged on the same "
        "test rows. Learners for streams read the training rows in random order. Each fit is a row "
        "of [rows.jsonl](rows.jsonl)."
    )


def _made_with(record):
    """Which version of the library made which rows."""
    made = sorted(record["versions"], key=lambda one: -one["rows"])
    commits = list(dict.fromkeys((one["stakes"], one["commit"]) for one in made))
    rows = []
    for version, commit in commits:
        parts = [one for one in made if (one["stakes"], one["commit"]) == (version, commit)]
        names = sorted({name.removesuffix(TUNED) for one in parts for name in one["learners"]})
        whose = ", ".join(names) if rows or len(commits) == 1 else "all others"
        count = sum(one["rows"] for one in parts)
        rows.append([version, commit, f"{count:,}", whose])
    table = markdown_table(["version", "commit", "rows", "contestants"], rows)
    return (
        "Rows are kept until their fits are run again, so they tell what a learner did at the "
        "commit of its rows; the changelog says what changed since. The constant policies are run "
        f"again whenever rows are added, to check that data and folds are the same.\n\n{table}"
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
    head = ["data set", "rows", "positive", "best constant policy, cost per 1,000"]
    sources = [f"- **{one['name']}**: {one['description']}" for one in record["sets"]]
    sampled = (
        "“… of … rows” means that the data set was sampled: the rarer class keeps at least 500 "
        "rows if it has them, and the costs of each class are scaled so that the expected cost of "
        "every policy is that on all rows."
    )
    return "\n".join([markdown_table(head, rows), "", *sources, "", sampled])


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
    if not found:
        return f"The learner that `stakes advise` names did not run.\n\n{_regret(record)}"
    near, tied = sum(v["excess"] <= 0.02 for v in found), sum(v["tied"] for v in found)
    head = ["data set", "best of all", "its cost", "advised", "its cost", "above the best", "tied"]
    return (
        f"The learner that `stakes advise` names costs at most 2 % more than the best of all on "
        f"{near} of {len(found)} data sets, and does not cost significantly more (paired t test "
        f"over the folds, corrected for their overlap) on {tied} (column tied). The best of all is "
        "partly luck: it was chosen on the rows on which it is judged. Costs per 1,000 "
        "decisions.\n\n"
        f"{markdown_table(head, rows)}\n\n{_regret(record)}"
    )


def _regret(record):
    """How far each contestant is above the best, over all data sets."""
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
        "The twelve contestants closest to the best, by the geometric mean over the data sets:"
        f"\n\n{markdown_table(head, rows)}\n\nThe closest of each family:\n\n"
        + markdown_table(["family", "closest", "mean above the best", "worst"], best)
    )


def _family(record, name):
    return next(f["family"] for f in record["sets"][0]["learners"] if f["learner"] == name)


def _savings(record):
    by_rank = _in_order(record)
    by_rank += sorted({f["learner"] for o in record["sets"] for f in o["learners"]} - set(by_rank))
    facts = [{f["learner"]: f for f in one["learners"]} for one in record["sets"]]
    rows = [[name, *(_cell(one.get(name)) for one in facts)] for name in by_rank]
    return (
        "Savings: the share of the best constant policy's cost that is saved; best average rank "
        f"first. {BELOW} costs more than the best constant policy. {POLICY} warned that a constant "
        "policy was cheaper, on the training rows or in inner folds; in the latter case the policy "
        "replaced the learner.\n\n"
        + markdown_table(["learner and decision", *(one["name"] for one in record["sets"])], rows)
    )


def _in_order(record):
    """Names of those that finished on every data set, best average rank first."""
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
        f"For all {len(names)} contestants that finished on every data set, Friedman's p is "
        f"{test.p_value:.2g} (Iman-Davenport {test.f_p_value:.2g}) and the critical difference is "
        f"{critical_difference(len(names), n):.1f} ranks: {n} data sets are too few to rank them. "
        f"The diagram shows the {len(few)} that `stakes compare` runs by default, tuned where they "
        f"have a grid, including baselines and constant policies: Friedman p {short.p_value:.2g}, "
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
        "Mean seconds per fit and per prediction of a test fold, summed over the data sets, on one "
        "core of a busy machine: a rough order, not a benchmark.\n\n" + markdown_table(head, rows)
    )


def _wrong(record):
    lines = [
        f"- {one['name']}: {bad['learner']} failed: {bad['error']}"
        for one in record["sets"]
        for bad in one["failed"]
    ]
    heard, below = {}, {}
    for one in record["sets"]:
        for f in one["learners"]:
            for kind in {text.split(":")[0] for text in f["warnings"]}:
                heard.setdefault((kind, f["learner"]), []).append(one["name"])
            if f["below_trivial"]:
                where = f"{one['name']} ({-f['savings']:+.1%})"
                below.setdefault(f["learner"], []).append(where)
    lines += [
        f"- {learner}: {kind} on {', '.join(where)}."
        for (kind, learner), where in sorted(heard.items())
    ]
    lines += [
        f"- {name} cost more than the best constant policy on {', '.join(where)}."
        for name, where in sorted(below.items())
    ]
    if below:
        lines.append("\n`stakes train --from` does not train what lost to a constant policy.")
    return "\n".join(lines) or "Nothing failed."


def _again(record):
    names = [name for name in VERSIONS if name != "commit"]
    used = {name: sorted({one[name] for one in record["versions"]} - {""}) for name in names}
    machine = ", ".join(f"{name} {'/'.join(given)}" for name, given in used.items() if given)
    return f"`{record['command']}` computes all rows ({machine})."
