"""Figures of the report, as inline SVG in the colors of the page, light or dark."""

import io
import re

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from stakes.compare._stats import CriticalDifferenceDisplay

INK = "#010203"  # replaced by the text color of the page
ACCENT, QUIET = "#1f77b4", "#8a94a3"
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "stakes",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def figure(name, draw, width=5.2, height=3.6):
    """Draw on new axes and return the SVG text; ids start with `name` to be unique on the page."""
    with matplotlib.rc_context(STYLE):
        fig = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(fig)
        draw(fig.add_subplot())
        fig.patch.set_alpha(0)
        for ax in fig.axes:
            ax.patch.set_alpha(0)
        text = io.StringIO()
        fig.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    svg = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{name}-", svg)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    return re.sub(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"|<svg ', _fluid, svg, count=1)


def _fluid(match):
    return f'<svg role="img" {match.group(1) or ""}'


def few_ticks(axis):
    """At most six ticks, short also for large numbers, so that none runs into the next."""
    axis.set_major_locator(MaxNLocator(nbins=5))
    axis.set_major_formatter(FuncFormatter(_tick))


def _tick(x, _place):
    return f"{x / 1e6:,.10g}M" if abs(x) >= 1e6 else f"{x:,.10g}"


def cost_figure(data, name):
    """Cost per 1,000 decisions of every learner, with intervals, best on top."""
    learners = data["learners"][:25]

    def draw(ax):
        for place, f in enumerate(reversed(learners)):
            low, high = f["cost_interval"]
            color = ACCENT if f["learner"] == data["best"] else QUIET
            ax.plot([low, high], [place, place], color=color, linewidth=2, solid_capstyle="butt")
            ax.plot(f["cost_per_1000"], place, "o", color=color, markersize=6)
        ax.axvline(data["today"]["cost_per_1000"], color=INK, linewidth=1, linestyle=":")
        ax.set_yticks(range(len(learners)), [f["learner"] for f in reversed(learners)])
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel(f"cost per 1,000 decisions (95% interval); dotted: {data['today']['name']}")
        few_ticks(ax.xaxis)
        ax.margins(y=0.03)

    return figure(name, draw, width=8.5, height=1.1 + 0.27 * len(learners))


def period_figure(data, name):
    """Cost per 1,000 decisions of the best learner and of the reference, by period."""
    found = data["periods"]

    def draw(ax):
        x = range(len(found["start"]))
        ax.plot(x, found["cost_per_1000"], "o-", color=ACCENT, markersize=4, label=data["best"])
        ax.plot(
            x,
            found["today_per_1000"],
            color=INK,
            linestyle=":",
            linewidth=1,
            label=data["today"]["name"],
        )
        shown = [j for j in x if j % -(-len(x) // 6) == 0]
        ax.set_xticks(shown, [found["start"][j] for j in shown])
        ax.set_ylim(bottom=min(0, *found["cost_per_1000"], *found["today_per_1000"]))
        ax.set_ylabel("cost per 1,000 decisions")
        ax.set_xlabel(f"{found['unit']} of the tested rows")
        few_ticks(ax.yaxis)
        ax.legend(frameon=False)

    return figure(name, draw, width=8.5, height=3.2)


def capacity_figure(data, name):
    """Cost per 1,000 decisions by the number of reviews or alerts that are possible."""
    curve = data["capacity"]["curve"]

    def draw(ax):
        ax.plot(curve["limit"], curve["cost_per_1000"], "o-", color=ACCENT, markersize=5)
        ax.axvline(curve["now"], color=INK, linestyle=":", linewidth=1)
        ax.set_xlabel(f"most {curve['of']}s; dotted: the capacity that was given")
        ax.set_ylabel("cost per 1,000 decisions")
        few_ticks(ax.xaxis)
        few_ticks(ax.yaxis)

    return figure(name, draw)


def threshold_figure(data, name):
    """Cost by threshold, next to the cost of the best learner's decisions."""
    curve = data["threshold_curve"]

    def draw(ax):
        ax.plot(
            curve["threshold"], curve["cost_per_1000"], color=QUIET, label="one threshold for all"
        )
        best = data["learners"][0]["cost_per_1000"]
        ax.axhline(best, color=ACCENT, label=curve["against"])
        ax.axhline(
            data["today"]["cost_per_1000"],
            color=INK,
            linestyle=":",
            linewidth=1,
            label=data["today"]["name"],
        )
        ax.set_xlabel("threshold on the probability of the positive class")
        ax.set_ylabel("cost per 1,000 decisions")
        few_ticks(ax.yaxis)
        ax.legend(frameon=False)

    return figure(name, draw)


def calibration_figure(data, name):
    """Predicted probability against observed share of positives."""
    c = data["calibration"]
    top = max(*c["predicted"], *c["observed"], 1e-9) * 1.05

    def draw(ax):
        ax.plot([0, top], [0, top], color=INK, linestyle=":", linewidth=1)
        ax.plot(c["predicted"], c["observed"], "o-", color=ACCENT, markersize=5)
        ax.set_xlabel("predicted probability (deciles of the examples)")
        ax.set_ylabel("share of positives")

    return figure(name, draw)


def rank_figure(ranks, name):
    """The critical-difference diagram over several data sets."""
    names = ranks["learners"]
    display = CriticalDifferenceDisplay(names, ranks["ranks"], ranks["critical_difference"])
    return figure(name, lambda ax: display.plot(ax, color=INK), 9, 1 + 0.18 * len(names))
