"""The commands of docs/scale.md, run on a folder of payments."""

import re
import shlex
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from payments import payments
from stakes.cli._app import app

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


@pytest.mark.slow
def test_commands_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    payments(400).write_csv(tmp_path / "past.csv")
    (tmp_path / "new").mkdir()
    for k, month in enumerate(("2023-12", "2024-01", "2024-02")):
        new = payments(50, seed=k + 1).with_columns(pl.col("id") + 50 * k)
        new.write_parquet(tmp_path / "new" / f"{month}.parquet")
    (tmp_path / "past").mkdir()
    for k in range(3):
        payments(400, seed=k + 9).write_parquet(tmp_path / "past" / f"{k}.parquet")
    commands = []
    heads = ("Score a folder", "Train on a folder", "Compare on a sample, finish on all rows")
    for head in (*heads, "What the decisions cost"):
        block = re.search(rf"## {head}\n\n```text\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
        commands += block.splitlines()
    assert len(commands) == 10
    for command in commands:
        done = CliRunner().invoke(app, shlex.split(command)[1:], prog_name="stakes")
        assert done.exit_code == 0, f"{command}\n{done.output}"
    found = {
        name: len(pl.read_parquet(f"{tmp_path}/{name}/*.parquet"))
        for name in ("decisions", "decisions-2024")
    }
    assert found == {"decisions": 150, "decisions-2024": 100}
