"""A table of 1,000,000 rows and 50 columns: `stakes train --time-budget`, next to single models.

The table is of `make_fraud` (2 % fraud, the amount is lost); savings are those of decisions about
200,000 other rows. Each command and each peer runs in a process of its own on all cores; seconds
and peak memory are those of the whole process, reading the table and starting Python included.
STAKES_BUDGET_ROWS sets the number of rows.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._measure import Row

ROWS, COLUMNS, NEW = 1_000_000, 50, 200_000
PRICES = ["--target", "fraud", "--fp-cost", "10", "--fn-cost", "amount", "--no-cost-features"]
PEER = """
import sys
from pathlib import Path
import numpy as np, polars as pl
frame = pl.read_parquet(sys.argv[2])
X = frame.select(pl.exclude("fraud", "amount")).to_numpy()
if sys.argv[1] == "LightGBM":
    from lightgbm import LGBMClassifier
    model = LGBMClassifier(verbose=-1)
else:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    model = make_pipeline(StandardScaler(), LogisticRegression())
model.fit(X, frame["fraud"].to_numpy())
new = pl.read_parquet(sys.argv[3]).select(pl.exclude("fraud", "amount")).to_numpy()
np.save(sys.argv[4], model.predict_proba(new)[:, 1])
"""


def run():
    """One row for each budget and each peer, and the best that any model could save."""
    from stakes.datasets import make_fraud

    rows = int(os.environ.get("STAKES_BUDGET_ROWS", ROWS))
    data, truth = make_fraud(rows + NEW, COLUMNS, random_state=0, return_probability=True)
    frame = pl.DataFrame(np.asarray(data.X, np.float32), schema=[f"x{j}" for j in range(COLUMNS)])
    amount = np.broadcast_to(data.costs["fn_cost"], (len(data.y),))
    frame = frame.with_columns(amount=pl.Series(amount), fraud=pl.Series(data.y))
    task, new = f"{rows:,} x {COLUMNS}", frame[rows:]
    found = [Row(task, "true probabilities", None, note=f"savings {saved(new, truth[rows:]):.3f}")]
    with tempfile.TemporaryDirectory() as folder:
        table, others, answer = (Path(folder, f"{name}.parquet") for name in ("all", "new", "out"))
        frame[:rows].write_parquet(table)
        new.write_parquet(others)
        stakes = [Path(sys.executable).parent / "stakes"]
        for budget in ("60s", "300s"):
            model = Path(folder, f"{budget}.skops")
            given = ["--time-budget", budget, "--out", str(model), "--quiet"]
            seconds, peak = timed([*stakes, "train", str(table), *PRICES, *given])
            timed([*stakes, "predict", str(model), str(others), "--out", str(answer)])
            p = pl.read_parquet(answer)["probability"].to_numpy()
            note = f"savings {saved(new, p):.3f}"
            found.append(
                Row(task, f"stakes train --time-budget {budget}", seconds, peak, note=note)
            )
        for peer in ("LightGBM", "logistic regression"):
            file = Path(folder, "p.npy")
            seconds, peak = timed([sys.executable, "-c", PEER, peer, table, others, file])
            note = f"savings {saved(new, np.load(file)):.3f} with the same decision"
            found.append(Row(task, f"{peer}, default settings", seconds, peak, note=note))
    return found


def saved(frame, p):
    """Savings of the decisions of least expected cost."""
    from stakes.costs import Costs
    from stakes.metrics import savings_score

    prices = dict(fp_cost=10.0, fn_cost=frame["amount"].to_numpy())
    decided = Costs.of(len(frame), **prices).decide(p)
    return savings_score(frame["fraud"].to_numpy(), decided.astype(int), **prices)


def timed(command):
    """Seconds and peak MiB of a command."""
    start = time.monotonic()
    child = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{command[:4]} failed.")
    return time.monotonic() - start, used.ru_maxrss / 1024
