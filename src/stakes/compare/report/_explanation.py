"""The page of an explanation: columns, curves, mistakes, other costs."""

import json
from pathlib import Path

from stakes._core.files import appearing
from stakes.compare.report._figures import ACCENT, QUIET, few_ticks, figure
from stakes.compare.report._render import finite, render

MOST_COLUMNS = 20


def write_explanation(summary, path, *, title, command):
    """Write the page, and the numbers as JSON next to it.

    Parameters
    ----------
    summary : dict
        From :meth:`~stakes.compare.Explanation.summary`.
    path : path
        The .html file.
    title, command : str
        Title of the page, and the command that makes it again.
    """
    figures = {
        "importance": _importance(summary["importance"][:MOST_COLUMNS]),
        "effects": [_effect(one, f"effect{j}") for j, one in enumerate(summary["effects"])],
    }
    page = render(
        "explanation.html.j2", found=summary, figures=figures, title=title, command=command
    )
    numbers = json.dumps(finite(summary), indent=1, sort_keys=True, allow_nan=False) + "\n"
    for name, text in ((Path(path), page), (Path(path).with_suffix(".json"), numbers)):
        with appearing(name) as partial:
            partial.write_text(text, encoding="utf-8")


def _importance(found):
    def draw(ax):
        places = range(len(found))
        ax.barh(places, [one["per_1000"] for one in found], color=ACCENT)
        ax.set_yticks(places, [one["column"] for one in found])
        ax.invert_yaxis()
        few_ticks(ax.xaxis)

    return figure("importance", draw, width=8.5, height=0.8 + 0.27 * len(found))


def _effect(found, name):
    def draw(ax):
        number = found["kind"] == "number"
        x = found["grid"] if number else range(len(found["grid"]))
        for curve in found["curves"]:
            ax.plot(x, curve, color=QUIET, linewidth=0.5)
        ax.plot(x, found["mean"], "o-", color=ACCENT, markersize=4)
        if number:
            few_ticks(ax.xaxis)
        else:
            labels = [label[:14] for label in found["grid"]]
            ax.set_xticks(x, labels, rotation=30, ha="right")
        ax.set_xlabel(found["column"])
        few_ticks(ax.yaxis)

    return figure(name, draw)
