"""The page of an attack report: HTML with figures, Markdown and JSON."""

import json
from importlib.resources import files
from pathlib import Path

import jinja2

from stakes._core.files import appearing
from stakes._core.words import money
from stakes.compare.report._figures import ACCENT, QUIET, few_ticks, figure


def write_attack(report, directory, *, title, cautions=(), command=""):
    """Write attack.html, attack.md and attack.json into a directory; return the page.

    Parameters
    ----------
    report : AttackReport
        The report.
    directory : path
        Folder, made if it does not exist.
    title : str
        Name of the data.
    cautions : sequence of str, default=()
        Sentences that a reader must know.
    command : str, default=""
        Command that makes the page again.
    """
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    frames = ("outcomes", "columns", "curve", "cheapest")
    facts = {name: getattr(report, name).to_dicts() for name in frames}
    facts |= dict(title=title, command=command, answer=report.answer, cautions=list(cautions))
    facts["sentences"] = report.sentences()
    again = f"\nTo run it again: `{command}`\n" if command else ""
    notes = "".join(f"Caution: {caution}\n\n" for caution in cautions)
    texts = {
        "attack.json": json.dumps(facts, indent=1, sort_keys=True) + "\n",
        "attack.md": f"# Attack: {title}\n\n{notes}{report.to_markdown()}{again}",
        "attack.html": _html(facts),
    }
    for name, text in texts.items():
        with appearing(directory / name) as partial:
            partial.write_text(text, encoding="utf-8")
    return directory / "attack.html"


def _html(facts):
    folder = files("stakes.compare.report")
    style = folder.joinpath("style.html").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["money"] = money
    template = folder.joinpath("attack.html.j2").read_text(encoding="utf-8")
    figures = dict(curve=_curve(facts["curve"]), columns=_columns(facts["columns"]))
    return environment.from_string(template).render(facts=facts, style=style, figures=figures)


def _curve(rows):
    names = list(dict.fromkeys(row["adversary"] for row in rows))

    def draw(ax):
        for name in names:
            mine = [row for row in rows if row["adversary"] == name]
            budget = [row["budget"] for row in mine]
            ax.step(budget, [row["bill"] for row in mine], where="post", label=name, linewidth=2)
            low, high = ([row[key] for row in mine] for key in ("bill", "bill_bound"))
            ax.fill_between(budget, low, high, step="post", alpha=0.25)
        ax.set_xlabel("budget per case")
        ax.set_ylabel("bill after the moves")
        few_ticks(ax.xaxis)
        few_ticks(ax.yaxis)
        if len(names) > 1:
            ax.legend(frameon=False)

    return figure("curve", draw)


def _columns(rows):
    rows = [row for row in rows if row["cases"]][:15]

    def draw(ax):
        labels = [row["column"] for row in reversed(rows)]
        ax.barh(range(len(rows)), [row["cases"] for row in reversed(rows)], color=ACCENT)
        ax.set_yticks(range(len(rows)), labels)
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel("cases that move it")
        ax.axvline(0, color=QUIET, linewidth=1)
        few_ticks(ax.xaxis)

    return figure("columns", draw, height=1.1 + 0.27 * max(len(rows), 3))
