"""Pages of benchmarks and reproductions show their stored rows, and nothing else."""

import importlib
import json
import sys
from pathlib import Path

import matplotlib
import pytest

from stakes.reproduce import PAPERS, Cell, Claim, Reproduction, Table

ROOT = Path(__file__).parents[1]
BENCHMARKS = sorted((ROOT / "docs" / "benchmarks").glob("*.json"))
REPRODUCTIONS = sorted((ROOT / "docs" / "reproductions").glob("*.json"))


# stored run -> the plot that its package draws from it
FIGURES = {
    "ccw": "ccw_gain",
    "chance-constrained": "chance_constrained",
    "csduol": "csduol_curves",
    "cw-cvar": "cw_cvar_figures",
}


@pytest.mark.parametrize("stored", BENCHMARKS, ids=lambda path: path.stem)
def test_benchmark_page(stored, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    from benchmarks._page import to_markdown

    assert stored.with_suffix(".md").read_text() == to_markdown(json.loads(stored.read_text()))


def test_a_part_of_a_benchmark_changes_its_own_rows_only(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    from benchmarks import _page
    from benchmarks._measure import Row

    monkeypatch.setattr(_page, "PAGES", tmp_path)
    _page.store("b", "Title.", [Row("t", "ours", 1.0), Row("t", "peer", 2.0)])
    _page.store("b", "Title.", [Row("t", "ours", 0.5), Row("u", "ours", 3.0)], only_these=True)
    rows = json.loads((tmp_path / "b.json").read_text())["rows"]
    found = [(row["task"], row["contestant"], row["seconds"]) for row in rows]
    assert found == [("t", "ours", 0.5), ("t", "peer", 2.0), ("u", "ours", 3.0)]


@pytest.mark.parametrize("stored", REPRODUCTIONS, ids=lambda path: path.stem)
def test_reproduction_page(stored):
    record = json.loads(stored.read_text())
    tables = [
        Table(table["title"], [Cell(**cell) for cell in table["cells"]], table["note"])
        for table in record.pop("tables")
    ]
    claims = [Claim(**claim) for claim in record.pop("claims")]
    page = Reproduction(**record, tables=tables, claims=claims).to_markdown()
    assert stored.with_suffix(".md").read_text() == page
    for file in record.get("figures", ()):
        assert (stored.parent / "figures" / file).exists(), f"draw {file}"


@pytest.mark.parametrize("run", FIGURES)
def test_reproduction_figure(run, tmp_path, monkeypatch):
    stored = (ROOT / "docs" / "figures" / f"{FIGURES[run]}.svg").read_text()
    if f"Matplotlib v{matplotlib.__version__}," not in stored:
        pytest.skip("drawn by another version of matplotlib, whose bytes differ")
    rows = ROOT / "docs" / "reproductions" / f"{run}.json"
    monkeypatch.setattr(sys, "argv", ["draw", str(rows), str(tmp_path / "drawn.svg")])
    drawing = importlib.import_module("stakes.reproduce._drawing")
    drawing.draw_stored(importlib.import_module(f"{PAPERS[run]}._figures").draw)
    assert (tmp_path / "drawn.svg").read_text() == stored, f"draw {FIGURES[run]}.svg again"
