"""The summary as Markdown, for a pull request or a wiki."""

from stakes.compare._summary import money


def to_markdown(summary):
    """Render a summary."""
    parts = [f"# What pays: {summary['title']}"]
    for data in summary["datasets"]:
        parts += [f"## {data['name']}", f"**{data['sentence']}**", data["stakes_in_words"]]
        if data["ties"]:
            parts.append(f"Not told apart from the best: {', '.join(data['ties'])}.")
        parts += [_learners(data), *data["lost"]]
        if data["misstated"]:
            parts.append(_misstated(data))
        parts += [f"- {f['learner']} failed: {f['error']}" for f in data["failed"]]
    if "ranks" in summary:
        parts.append(_ranks(summary["ranks"]))
    parts += [f"- {sentence}" for sentence in summary["refused"]]
    if summary["unfinished"]:
        parts.append(f"The time budget left {summary['unfinished']} fits undone.")
    parts.append(f"Run it again: `{summary['command']}`")
    return "\n\n".join(parts) + "\n"


def table(head, rows):
    """A Markdown table; the first column is text, the others are numbers."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _learners(data):
    head = ["learner and decision", "cost per 1,000", "95 % interval", "savings", "alerts", "fit s"]
    rows = [
        [
            f["learner"],
            money(f["cost_per_1000"]),
            " to ".join(money(x) for x in f["cost_interval"]),
            "" if f["savings"] is None else f"{f['savings']:.3f}",
            f"{f['alerts_per_1000']:.1f}",
            f"{f['fit_seconds']:.2f}",
        ]
        for f in data["learners"]
    ]
    return table(head, rows)


def _misstated(data):
    head = ["if the truth is", "it costs", "had we known", "best trivial policy"]
    rows = [
        [
            f"{m['which']} cost {m['factor']:g} times as much",
            money(m["cost_per_1000"]),
            money(m["had_we_known"]),
            money(m["best_trivial"]),
        ]
        for m in data["misstated"]
    ]
    return "Costs per 1,000 decisions if the stated costs are wrong:\n\n" + table(head, rows)


def _ranks(ranks):
    order = sorted(zip(ranks["ranks"], ranks["learners"], strict=True))
    head = ["learner and decision", "average rank"]
    text = table(head, [[name, f"{rank:.2f}"] for rank, name in order])
    return (
        f"## Ranks over {ranks['n_datasets']} data sets\n\n{text}\n\nFriedman p = "
        f"{ranks['friedman_p']:.2g} (Iman-Davenport {ranks['iman_davenport_p']:.2g}); average "
        f"ranks closer than {ranks['critical_difference']:.2f} are not told apart (Nemenyi, 5 %)."
    )
