"""Render the summary: a self-contained HTML page, Markdown for a wiki, and JSON."""

import json
import math
from importlib.resources import files
from pathlib import Path

import jinja2

from stakes._core.files import appearing
from stakes._core.words import count, markdown_table, money
from stakes.compare._contestants import CONSTANT_POLICIES
from stakes.compare.report._figures import (
    calibration_figure,
    capacity_figure,
    cost_figure,
    period_figure,
    rank_figure,
    threshold_figure,
)


def finite(value):
    """The value with null in place of NaN and infinite numbers, which JSON does not have."""
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_report(summary, directory, shown=None):
    """Write report.html, report.md and report.json into a directory, each atomically.

    The pages show `shown`, the summary in the user's words; None: the summary itself.
    """
    shown = summary if shown is None else shown
    texts = {
        "report.json": to_json(summary),
        "report.md": to_markdown(shown),
        "report.html": to_html(shown),
    }
    for name, text in texts.items():
        with appearing(Path(directory) / name) as partial:
            partial.write_text(text, encoding="utf-8")


def to_json(summary):
    """The summary without the sums of the sliders, which only the page uses."""
    parts = [{k: v for k, v in part.items() if k != "what_if"} for part in summary["datasets"]]
    plain = finite(summary | {"datasets": parts})
    return json.dumps(plain, indent=1, sort_keys=True, allow_nan=False) + "\n"


def to_html(summary):
    """Render one page with inline style and figures, light and dark, that loads nothing."""
    figures = [_figures(data, f"d{i}") for i, data in enumerate(summary["datasets"])]
    ranks = rank_figure(summary["ranks"], "ranks") if "ranks" in summary else None
    sections = [_what_if(data, f"what-if-{i}") for i, data in enumerate(summary["datasets"])]
    return render("report.html.j2", summary=summary, figures=figures, ranks=ranks, what_if=sections)


def _what_if(data, name):
    """The section that answers back; hidden where scripts do not run."""
    found = data["what_if"]
    if not found:
        return ""
    names = found.get("names", {})
    content = found | {
        part: {names.get(name, name): sums for name, sums in found[part].items()}
        for part in ("sums", "fixed")
    }
    content.pop("names", None)
    content["policies"] = [names.get(n, n) for n in CONSTANT_POLICIES if n in found["fixed"]]
    # no text in it may end the script element
    text = json.dumps(content, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return render("what_if.html.j2", id=name, n=data["tested"], what=found, data=text)


def render(template, **values):
    """A page from one of the templates, in the style that all pages share."""
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"cases": count, "money": money}
    text, style = (
        files("stakes.compare.report").joinpath(name).read_text(encoding="utf-8")
        for name in (template, "style.html")
    )
    return environment.from_string(text).render(style=style, **values)


def to_markdown(summary):
    """Render Markdown, for a pull request or a wiki."""
    parts = [f"# Cost comparison: {summary['title']}"]
    if len(summary["datasets"]) > 1:
        parts.append("\n".join(f"- {d['name']}: {d['sentence']}" for d in summary["datasets"]))
    for data in summary["datasets"]:
        parts += [f"## {data['name']}", f"**{data['sentence']}**", data["counts"]]
        parts += [data["folds"]] if data["folds"] else []
        parts += [data["promise"]["sentence"]] if data["promise"] else []
        parts += [data["capacity"]["sentence"]] if data["capacity"] else []
        parts += [f"Caution: {alarm}" for alarm in data["alarms"]]
        parts.append(data["stakes_in_words"])
        if data["ties"]:
            parts.append(f"Not significantly different from the best: {'; '.join(data['ties'])}.")
        parts += [_learners(data), *data["lost"]]
        if data["by_class"]:
            parts.append(_by_class(data))
        if data["periods"]:
            parts.append(_periods(data))
        if data["misstated"]:
            parts.append(_misstated(data))
        parts += [f"- {f['learner']} failed: {f['error']}" for f in data["failed"]]
    if "ranks" in summary:
        parts.append(_ranks(summary["ranks"]))
    parts += [f"- {sentence}" for sentence in summary["refused"]]
    if summary["unfinished"]:
        parts.append(f"Not run within the time budget: {summary['unfinished']} fits.")
    parts.append(f"To run it again: `{summary['command']}`")
    return "\n\n".join(parts) + "\n"


def _figures(data, name):
    drawn = {"cost": cost_figure(data, f"{name}-cost")}
    if data["periods"]:
        drawn["periods"] = period_figure(data, f"{name}-periods")
    if data["capacity"] and data["capacity"]["curve"]:
        drawn["capacity"] = capacity_figure(data, f"{name}-capacity")
    if data["threshold_curve"]:
        drawn["threshold"] = threshold_figure(data, f"{name}-threshold")
    if data["calibration"]:
        drawn["calibration"] = calibration_figure(data, f"{name}-calibration")
    return drawn


def _learners(data):
    head = ["learner and decision", "cost per 1,000", "95% interval", "savings"]
    head += [*(data["actions"] or ["alerts", "false alarms", "missed"]), "fit s"]
    rows = [
        [
            f["learner"],
            money(f["cost_per_1000"]),
            " to ".join(money(x) for x in f["cost_interval"]),
            "" if f["savings"] is None else f"{f['savings']:.3f}",
            *map(count, _decided(f)),
            f"{f['fit_seconds']:.2f}",
        ]
        for f in data["learners"]
    ]
    return markdown_table(head, rows, numbers=True)


def _decided(facts):
    """How many of 1,000 cases were decided how."""
    if "actions_per_1000" in facts:
        return list(facts["actions_per_1000"].values())
    return [facts[f"{name}_per_1000"] for name in ("alerts", "false_alarms", "missed")]


def _by_class(data):
    head = ["true class", "rows", "cost per 1,000 of it", "share of all costs", *data["actions"]]
    rows = [
        [
            one["class"],
            f"{one['n']:,}",
            money(one["cost_per_1000"]),
            f"{one['share_of_cost']:.1%}",
            *(f"{share:.1%}" for share in one["decided"].values()),
        ]
        for one in data["by_class"]
    ]
    return f"Decisions of {data['best']} by true class:\n\n" + markdown_table(
        head, rows, numbers=True
    )


def _periods(data):
    head = [data["periods"]["unit"], "rows", data["best"], data["today"]["name"]]
    names = ("start", "n", "cost_per_1000", "today_per_1000")
    rows = [
        [start, f"{n:,}", money(ours), money(today)]
        for start, n, ours, today in zip(*(data["periods"][k] for k in names), strict=True)
    ]
    return f"Cost per 1,000 decisions by period:\n\n{markdown_table(head, rows, numbers=True)}"


def _misstated(data):
    head = ["if the true cost is", "it costs", "decided at the true cost", "best constant policy"]
    rows = [
        [
            f"{m['factor']:g} times the stated cost of {m['which']}",
            money(m["cost_per_1000"]) + (" †" if m["below_trivial"] else ""),
            money(m["had_we_known"]),
            money(m["best_trivial"]),
        ]
        for m in data["misstated"]
    ]
    table = markdown_table(head, rows, numbers=True)
    marked = any(m["below_trivial"] for m in data["misstated"])
    mark = "\n\n† costs more than the best constant policy" if marked else ""
    return f"Costs per 1,000 decisions if the stated costs are wrong:\n\n{table}{mark}"


def _ranks(ranks):
    order = sorted(zip(ranks["ranks"], ranks["learners"], strict=True))
    rows = [[name, f"{rank:.2f}"] for rank, name in order]
    text = markdown_table(["learner and decision", "average rank"], rows, numbers=True)
    return (
        f"## Ranks over {ranks['n_datasets']} data sets\n\n{text}\n\nFriedman p = "
        f"{ranks['friedman_p']:.2g} (Iman-Davenport {ranks['iman_davenport_p']:.2g}). Average "
        f"ranks closer than {ranks['critical_difference']:.2f} are not significantly different "
        "(Nemenyi, 5% level)."
    )
