"""What numba compiles for a first fit: nothing twice, nothing for other layouts."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from stakes._core import jit

FIRST_FIT = """
import sys
import numpy as np
from numba.core import event

class Seen(event.Listener):
    names = []
    def on_start(self, event):
        self.names.append(event.data["dispatcher"].py_func)
    def on_end(self, event):
        pass

event.register("numba:compile", Seen())
from {folder} import {learner}
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))
{learner}().fit(X, (X[:, 0] > 0).astype(int))
ours = [f.__module__ + "." + f.__name__ for f in Seen.names if f.__module__.startswith("stakes.")]
print(" ".join(ours))
"""
FAMILIES = {
    "stakes.online": "CWCVaRClassifier",
    "stakes.online_kernel": "CSDUOLClassifier",
    "stakes.online_forest": "StreamForestClassifier",
    "stakes.tree": "ConfidenceTreeClassifier",
}


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.parametrize("folder", FAMILIES)
def test_a_first_fit_compiles_each_loop_once(folder, tmp_path):
    code = FIRST_FIT.format(folder=folder, learner=FAMILIES[folder])
    env = dict(os.environ, NUMBA_CACHE_DIR=str(tmp_path))
    first, second = (
        subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        for _ in range(2)
    )
    assert not second.stdout.split()  # loops that are not cached are a part of those that are
    loops = first.stdout.split()
    assert len(loops) > 10
    assert len(loops) == len(set(loops))
    for other in ("_words", "_nonzeros", "_number", "_remove_one", "_kept_row"):
        assert not any(loop.endswith(other) and "_of_" not in loop for loop in loops)


@pytest.mark.jit
def test_an_inner_loop_is_compiled_as_a_part_of_its_callers():
    least = njit(**jit.INNER)(lambda x: np.sqrt(x.sum()) + 1.0)
    inner = njit(**jit.INNER)(lambda x: least(x) / x.size)
    outer = njit(**jit.ENTRY)(lambda x: inner(x) + inner(2.0 * x))
    assert outer(np.ones(4)) == (3.0 + np.sqrt(8.0) + 1.0) / 4
    for loop in (least, inner):
        (made,) = loop.overloads.values()
        own = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
        assert own == 0
    (made,) = outer.overloads.values()
    assert made.library.get_pointer_to_function(made.fndesc.llvm_func_name) > 0


@pytest.mark.jit
def test_an_inner_loop_may_raise():
    def checked(x):
        if x < 0:
            raise ValueError("below zero")
        return x

    inner = njit(**jit.INNER)(checked)
    outer = njit(**jit.ENTRY)(lambda x: inner(x))
    assert outer(1.0) == 1.0
    with pytest.raises(ValueError, match="below zero"):
        outer(-1.0)


@pytest.mark.jit
def test_the_collector_pauses_while_numba_compiles(monkeypatch):
    seen = []
    start = jit._CollectorPause.on_start

    def noted(self, event):
        start(self, event)
        seen.append(gc.isenabled())

    monkeypatch.setattr(jit._CollectorPause, "on_start", noted)
    inner = njit(lambda x: x + 1)
    assert njit(lambda x: inner(x) + 1)(1) == 3
    assert len(seen) == 2 and not any(seen)
    assert gc.isenabled()


@pytest.mark.jit
def test_the_collector_stays_off_or_on_when_compiling_fails():
    gc.disable()
    try:
        njit(lambda x: x + 1)(1)
        assert not gc.isenabled()
    finally:
        gc.enable()
    with pytest.raises(Exception, match="nope"):
        njit(lambda x: x.nope)(np.zeros(1))
    assert gc.isenabled()
