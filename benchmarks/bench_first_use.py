"""The first fit of each family: seconds with an empty cache of compiled loops, and with a full one.

Each fit and the predict after it are in a process of their own. Cold: nothing was ever compiled, as
after an installation. Warm: the same in the next process, which reads the compiled loops from disk.
Ratio: cold divided by warm. Imports are not counted. CPU time, because compiling is a single
thread's work. "before" is the code of the commit BEFORE, if the clone has it: no part that only
some fits need was left out then.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks._measure import Row

ROOT, BEFORE = Path(__file__).parents[1], "fa62d31"
FAMILIES = {
    "online": "stakes.online:CWCVaRClassifier()",
    "online, first order": "stakes.online:PAClassifier()",
    "online_kernel": "stakes.online_kernel:CSDUOLClassifier()",
    "online_forest": "stakes.online_forest:StreamForestClassifier()",
    "svm, linear": "stakes.svm:LinearCostSensitiveSVC()",
    "svm, kernel": "stakes.svm:CostSensitiveSVC()",
    "tree": "stakes.tree:ConfidenceTreeClassifier()",
    "forest": "stakes.tree:ConfidenceForestClassifier()",
    "neighbors": "stakes.neighbors:ConfidenceNeighborsClassifier()",
    "qmean": "stakes.qmean:QuadraticMeanClassifier()",
    "uncertain": "stakes.uncertain:UncertainMarginClassifier()",
    "game": "stakes.game:StackelbergClassifier()",
}
CODE = """
import importlib, json, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
module, call = sys.argv[1].split(":")
model = eval(call, vars(importlib.import_module(module)))
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))
y = (X[:, 0] + 0.3 * rng.normal(size=200) > 0).astype(int)
start = time.process_time()
model.fit(X, y)
fit = time.process_time() - start
start = time.process_time()
model.predict(X)
print(json.dumps([fit, time.process_time() - start]))
"""


def run():
    """Cold and warm, family by family, before and now."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        codes = {"": ROOT / "src"}
        if checked_out(BEFORE, folder):
            codes = {" before": Path(folder) / "src"} | codes
        for family, call in FAMILIES.items():
            note = call.split(":")[1].removesuffix("()")
            for when, code in codes.items():
                with tempfile.TemporaryDirectory() as cache:
                    cold, warm = (sum(measured(call, cache, code)) for _ in range(2))
                rows.append(Row(family, f"cold{when}", cold, ratio=cold / warm, note=note))
                rows.append(Row(family, f"warm{when}", warm, note=note))
    return rows


def checked_out(commit, folder):
    """Write the files of a commit to a folder; whether there is such a commit."""
    made = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True)
    if made.returncode == 0:
        subprocess.run(["tar", "x", "-C", folder], input=made.stdout, check=True)
    return made.returncode == 0


def measured(call, cache, code):
    """CPU seconds of the first fit and of the first predict in a new process."""
    env = dict(os.environ, NUMBA_CACHE_DIR=cache, PYTHONPATH=str(code))
    done = subprocess.run(
        [sys.executable, "-c", CODE, call], env=env, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)
