"""The page with its pictures, its record and its rows, each whole or not at all."""

from pathlib import Path

from stakes._core.files import appearing
from stakes.study._figures import draw_guide, draw_rank_diagram, draw_savings, save
from stakes.study._page import to_markdown
from stakes.study._record import keep


def write_page(results, record, folder):
    """Write `index.md`, its figures, `study.json` and `rows.jsonl`; return the page's path."""
    folder = Path(folder)
    keep(results, record, folder)
    return draw_page(record, folder)


def draw_page(record, folder):
    """Write the page and its figures from a record alone; return the page's path."""
    drawn = {"savings.svg": draw_savings, "guide.svg": draw_guide}
    if len(record["sets"]) > 1:
        drawn["ranks.svg"] = draw_rank_diagram
    for name, draw in drawn.items():
        with appearing(folder / name) as partial:
            save(draw(record), partial)
    with appearing(folder / "index.md") as partial:
        partial.write_text(to_markdown(record), encoding="utf-8")
    return folder / "index.md"
