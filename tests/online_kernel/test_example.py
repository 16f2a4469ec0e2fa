"""The worked example runs and says what it should."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "online_anomaly.py"


@pytest.mark.jit
def test_anomaly_example(capsys):
    runpy.run_path(str(EXAMPLE))
    said = capsys.readouterr().out
    assert "457 records, 100 anomalies" in said and "bound <=" in said
