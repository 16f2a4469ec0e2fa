"""The page of an evaluation: what decisions cost, against what was promised."""

import json
from pathlib import Path

from stakes._core.files import appearing
from stakes.compare.report._figures import ACCENT, INK, QUIET, calibration_figure, few_ticks, figure
from stakes.compare.report._render import finite, render

NAMES = {"paid": "the decisions", "promised": "promised", "challenger": "the challenger"}


def write_evaluation(summary, path, *, title, command, currency=None):
    """Write the page, and the numbers as JSON next to it.

    Parameters
    ----------
    summary : dict
        From :meth:`~stakes.compare.Evaluation.summary`.
    path : path
        The .html file.
    title, command : str
        Title of the page, and the command that makes it again.
    currency : str, default=None
        Currency of the costs.
    """
    figures = {}
    if summary["periods"]:
        figures["periods"] = _period_figure(summary["periods"])
    if summary["calibration"]:
        figures["calibration"] = calibration_figure(summary, "calibration")
    page = render(
        "evaluation.html.j2",
        found=summary,
        figures=figures,
        names=NAMES,
        title=title,
        command=command,
        currency=currency,
    )
    numbers = json.dumps(finite(summary), indent=1, sort_keys=True, allow_nan=False) + "\n"
    for name, text in ((Path(path), page), (Path(path).with_suffix(".json"), numbers)):
        with appearing(name) as partial:
            partial.write_text(text, encoding="utf-8")


def _period_figure(found):
    def draw(ax):
        x = range(len(found["start"]))
        ax.plot(x, found["paid"], "o-", color=ACCENT, markersize=4, label="paid")
        if "promised" in found:
            ax.plot(x, found["promised"], "s--", color=QUIET, markersize=4, label="promised")
        if "challenger" in found:
            ax.plot(x, found["challenger"], ":", color=INK, label="challenger")
        shown = [j for j in x if j % -(-len(x) // 6) == 0]
        ax.set_xticks(shown, [found["start"][j] for j in shown])
        ax.set_ylabel("cost per 1,000 decisions")
        few_ticks(ax.yaxis)
        ax.legend(frameon=False)

    return figure("periods", draw, width=8.5, height=3.2)
