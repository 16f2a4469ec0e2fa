import runpy
from pathlib import Path


def test_error_bars_runs_and_says_what_it_promises(capsys):
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "error_bars.py"))
    said = capsys.readouterr().out
    assert "certified error" in said and "go to review" in said
