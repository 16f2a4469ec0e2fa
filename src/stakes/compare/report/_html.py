"""The summary as one page: inline style and figures, nothing fetched, light and dark."""

from importlib.resources import files

import jinja2

from stakes.compare._summary import money
from stakes.compare.report._figures import (
    calibration_figure,
    cost_figure,
    rank_figure,
    threshold_figure,
)


def to_html(summary):
    """Render a summary."""
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["money"] = money
    template = files("stakes.compare.report").joinpath("report.html.j2").read_text(encoding="utf-8")
    figures = [_figures(data, f"d{i}") for i, data in enumerate(summary["datasets"])]
    ranks = rank_figure(summary["ranks"], "ranks") if "ranks" in summary else None
    return environment.from_string(template).render(summary=summary, figures=figures, ranks=ranks)


def _figures(data, name):
    drawn = {"cost": cost_figure(data, f"{name}-cost")}
    if data["threshold_curve"]:
        drawn["threshold"] = threshold_figure(data, f"{name}-threshold")
        drawn["calibration"] = calibration_figure(data, f"{name}-calibration")
    return drawn
