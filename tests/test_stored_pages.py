"""Pages of benchmarks and reproductions show their stored rows, and nothing else."""

import json
import sys
from pathlib import Path

import pytest

from stakes.reproduce import Cell, Claim, Reproduction, Table

ROOT = Path(__file__).parents[1]
BENCHMARKS = sorted((ROOT / "docs" / "benchmarks").glob("*.json"))
REPRODUCTIONS = sorted((ROOT / "docs" / "reproductions").glob("*.json"))


@pytest.mark.parametrize("stored", BENCHMARKS, ids=lambda path: path.stem)
def test_benchmark_page(stored, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    from benchmarks._page import to_markdown

    assert stored.with_suffix(".md").read_text() == to_markdown(json.loads(stored.read_text()))


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
