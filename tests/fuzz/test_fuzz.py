"""The same few thousand cases every time; `python3 tasks.py fuzz --minutes N` tries more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.children import run_cases

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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="cases run in forked processes")
def test_a_case_that_ends_the_process_is_a_finding():
    def case(seed):
        if seed % 2:
            os._exit(seed)
        return "harmless"

    found = list(run_cases(case, [0, 1, 2, 5]))
    assert found == [(0, "harmless"), (1, "exit with 1"), (2, "harmless"), (5, "exit with 5")]
