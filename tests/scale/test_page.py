"""The commands of docs/scale.md, run on a folder of payments."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from payments import payments

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


@pytest.mark.slow
def test_commands_of_the_page(tmp_path):
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
        words = [sys.executable, "-m", "stakes", *shlex.split(command)[1:]]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
    found = {
        name: len(pl.read_parquet(f"{tmp_path}/{name}/*.parquet"))
        for name in ("decisions", "decisions-2024")
    }
    assert found == {"decisions": 150, "decisions-2024": 100}
