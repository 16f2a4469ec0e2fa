"""The same few thousand cases every time; `python3 tasks.py fuzz --minutes N` tries more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="cases run in forked processes")
@pytest.mark.jit
def test_nothing_crashes_hangs_or_is_not_finite():
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", "--short"],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "model files: " in done.stdout
