"""Tables in parts: rows a second and peak memory of scoring and training, next to reading alone.

Each contestant runs in a process of its own, on Parquet files of 20 columns of float32, one of
them an amount, and a rare label. Starting Python, Java and Spark is not timed; peak memory is that
of all processes of a contestant together. STAKES_SCALE_ROWS sets the number of rows (2,000,000; 0:
none); STAKES_SCALE_LARGE adds training and scoring of that many rows on all cores.
STAKES_SCALE_KEEP keeps the stored rows of that benchmark that were not measured. Card payments are
the data set card_payments: trained on the first three quarters of the time, savings on the last
quarter.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl
import psutil

from benchmarks._measure import Row
from benchmarks._page import PAGES

PART = 500_000
COLUMNS = [f"x{j}" for j in range(18)]
COSTS = dict(fp_cost="5", fn_cost="amount")
LOGISTIC, MEAN = "logistic regression, Bayes decision", "QuadraticMeanClassifier"


def make(folder, rows):
    """Files of at most 500,000 rows; the label is in 1 % of them."""
    folder.mkdir(parents=True)
    w = np.linspace(-0.6, 0.6, len(COLUMNS))
    for k, first in enumerate(range(0, rows, PART)):
        rng, n = np.random.default_rng(k), min(PART, rows - first)
        # rounded, as most measurements are
        X = rng.normal(size=(n, len(COLUMNS))).astype(np.float32).round(2)
        amount = rng.lognormal(4, 1, n).astype(np.float32).round(2)
        score = X @ w + 0.5 * X[:, 0] * X[:, 1] + 0.3 * np.log(amount) - 7.2
        y = rng.random(n) < 1 / (1 + np.exp(-score))
        frame = pl.DataFrame(X, schema=COLUMNS).with_columns(
            amount=amount, fraud=pl.Series(y).cast(pl.Int8)
        )
        frame.write_parquet(folder / f"{k:04d}.parquet")


def settings(folder):
    from stakes.compare import TableSettings

    return TableSettings(str(folder), "fraud", None, COSTS)


def session(jobs):
    from pyspark.sql import SparkSession

    build = SparkSession.builder.master(f"local[{jobs}]").config("spark.ui.enabled", "false")
    build = build.config("spark.driver.memory", "2g").config("spark.driver.host", "127.0.0.1")
    build = build.config("spark.ui.showConsoleProgress", "false")
    build = build.config("spark.sql.execution.arrow.maxRecordsPerBatch", "50000")
    spark = build.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(4).mapInArrow(lambda batches: batches, "id long").collect()  # starts the workers
    return spark


def read_polars(folder, model, jobs):
    pl.scan_parquet(folder / "*.parquet").sum().collect()


def read_duckdb(folder, model, jobs):
    import duckdb

    sums = ", ".join(f"sum({name})" for name in (*COLUMNS, "amount", "fraud"))
    duckdb.sql(f"select {sums} from '{folder}/*.parquet'").fetchall()


def score(folder, model, jobs):
    from stakes.compare import predict_folder

    with tempfile.TemporaryDirectory() as out:
        predict_folder(model, folder, Path(out, "decisions"), n_jobs=jobs)


def score_spark(folder, model, jobs):
    from stakes.compare import predict_spark

    spark = session(jobs)
    start = time.perf_counter(), _cpu()
    decided = predict_spark(model, spark.read.parquet(str(folder)))
    decided.write.format("noop").mode("overwrite").save()
    return start


def train(learner):
    def run(folder, model, jobs):
        from stakes.compare import train_parts_to_file

        train_parts_to_file(model, learner, settings(folder), tune=False, n_jobs=jobs)

    return run


def payments_in_parts(folder, model, jobs):
    from stakes._core.model_file import load_model
    from stakes.compare import train_parts_to_file
    from stakes.scale import measure

    train_parts_to_file(model, "xgboost", settings(folder / "past"), tune=False, n_jobs=jobs)
    end = time.perf_counter(), _cpu()
    new = settings(folder / "new").survey(1000, n_jobs=jobs)
    found = measure(load_model(model).model, new, n_jobs=jobs).savings
    print(f"savings {found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})")
    return None, end


def payments_in_memory(folder, model, jobs):
    from sklearn.base import clone

    from stakes._core.deciding import decide_with_costs
    from stakes.compare._deploy_training import external_contestant
    from stakes.metrics import savings_score
    from stakes.tables import load_table, prepare

    how = dict(target="fraud", **COSTS)
    past = load_table(pl.read_parquet(folder / "past" / "*.parquet"), **how)
    one = external_contestant("xgboost")
    learner = clone(one.estimator).set_params(estimator__n_jobs=jobs, estimator__random_state=0)
    fitted = prepare(learner, past, scale=False, one_hot=False).fit(past.X, past.y)
    end = time.perf_counter(), _cpu()
    new = load_table(pl.read_parquet(folder / "new" / "*.parquet"), **how)
    decided, _ = decide_with_costs(fitted, new.X, **new.costs)
    print(f"savings {savings_score(new.y, decided, **new.costs):.3f}")
    return None, end


def train_spark(folder, model, jobs):
    from stakes.compare import train_parts_to_file
    from stakes.scale import SparkTable

    spark = session(jobs)
    start = time.perf_counter(), _cpu()
    table = SparkTable(spark.read.parquet(str(folder)))
    train_parts_to_file(model, LOGISTIC, settings(folder), source=table, tune=False)
    return start


def train_mllib(folder, model, jobs):
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.feature import VectorAssembler

    spark = session(jobs)
    start = time.perf_counter(), _cpu()
    frame = spark.read.parquet(str(folder)).withColumnRenamed("fraud", "label")
    frame = VectorAssembler(inputCols=[*COLUMNS, "amount"], outputCol="features").transform(frame)
    LogisticRegression(tol=1e-10, maxIter=1000).fit(frame.select("features", "label"))
    return start


TASKS = {
    "read": {"polars, all cores": (read_polars, -1), "DuckDB, all cores": (read_duckdb, -1)},
    "train": {
        "stakes logistic, 1 process": (train(LOGISTIC), 1),
        "stakes logistic, all cores": (train(LOGISTIC), -1),
        "stakes logistic on Spark, all cores": (train_spark, 0),
        "Spark's logistic regression, all cores": (train_mllib, 0),
        "stakes quadratic mean, all cores": (train(MEAN), -1),
        "stakes probit, one pass, all cores": (train("ProbitClassifier"), -1),
        "stakes XGBoost, external memory, all cores": (train("xgboost"), -1),
    },
    "score with logistic": {
        "stakes predict, 1 process": (score, 1),
        "stakes predict, all cores": (score, -1),
        "stakes on Spark, all cores": (score_spark, 0),
    },
    "score with XGBoost": {
        "stakes predict, 1 process": (score, 1),
        "stakes predict, all cores": (score, -1),
    },
}
PAYMENTS = {
    "train on card payments": {
        "stakes XGBoost, external memory, 1 process": (payments_in_parts, 1),
        "the same XGBoost in memory, 1 process": (payments_in_memory, 1),
    }
}
LARGE = {
    "train": {k: TASKS["train"][k] for k in ("stakes logistic, all cores",)},
    "score with logistic": {"stakes predict, all cores": (score, -1)},
}


def run():
    keep = os.environ.get("STAKES_SCALE_FOLDER")
    base = Path(keep or tempfile.mkdtemp(prefix="stakes-scale-"))
    try:
        rows, n = [], int(os.environ.get("STAKES_SCALE_ROWS", 2_000_000))
        if n:
            rows += measured(base, n, TASKS)
            rows += on_payments(base) if os.environ.get("STAKES_DATA") else []
        if "STAKES_SCALE_LARGE" in os.environ:
            rows += measured(base, int(os.environ["STAKES_SCALE_LARGE"]), LARGE)
    finally:
        if not keep:
            shutil.rmtree(base)
    return rows + (stored_others(rows) if "STAKES_SCALE_KEEP" in os.environ else [])


def stored_others(rows):
    """Stored rows of tasks and contestants that are not among these."""
    known = {(row.task, row.contestant) for row in rows}
    stored = [Row(**one) for one in json.loads((PAGES / "scale.json").read_text())["rows"]]
    return [row for row in stored if (row.task, row.contestant) not in known]


def on_payments(base):
    """Training on real payments, of which the files are days in their order."""
    from stakes.datasets import load

    data, folder = load("card_payments"), base / "payments"
    cut = 3 * len(data.y) // 4
    if not folder.exists():
        order = np.argsort(data.origin.time, kind="stable")
        table = data.X.with_columns(fraud=pl.Series(data.y))[order]
        for name, rows in (("past", table[:cut]), ("new", table[cut:])):
            (folder / name).mkdir(parents=True)
            for k, part in enumerate(rows.iter_slices(40_000)):
                part.write_parquet(folder / name / f"{k:02d}.parquet")
    found = []
    for task, contestants in PAYMENTS.items():
        for name in contestants:
            seconds, cpu, mib, note = alone(task, name, folder, base / "payments.skops")
            note = f"{note}, {cut / cpu:,.0f} rows a CPU second"
            found.append(Row(f"{task}, {cut:,} rows x 15", name, seconds, mib, None, note))
            print(found[-1], file=sys.stderr, flush=True)
    return found


SHOWN = {
    "read (polars)": ("read", "polars, all cores"),
    "score, logistic": ("score with logistic", "stakes predict, all cores"),
    "score, XGBoost": ("score with XGBoost", "stakes predict, all cores"),
    "train, one pass": ("train", "stakes probit, one pass, all cores"),
    "train, logistic": ("train", "stakes logistic, all cores"),
    "train, XGBoost": ("train", "stakes XGBoost, external memory, all cores"),
}


def sizes(record):
    """Table of the time that tables of 10^6 to 10^10 rows take, from stored rows.

    Times grow with the number of rows; those that were not measured are computed from the largest
    table that was, and say so.
    """
    rates, largest = {}, {}
    for row in record["rows"]:
        size = re.fullmatch(r"(.*), ([\d,]+) rows x 20", row["task"])
        if not size:
            continue
        task, n = size.groups()
        n = int(n.replace(",", ""))
        for head, key in SHOWN.items():
            if key == (task, row["contestant"]) and n >= largest.get(head, 0):
                rates[head], largest[head] = n / row["seconds"], n
    lines = ["| rows | " + " | ".join(rates) + " |", "| --- " * (len(rates) + 1) + "|"]
    for power in range(6, 11):
        cells = []
        for head, rate in rates.items():
            cells.append(_time(10**power / rate) + ("" if 10**power <= largest[head] else " *"))
        lines.append(f"| 10^{power} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _time(seconds):
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2g} s"


def measured(base, n, tasks):
    folder, found = base / f"rows{n}", []
    if not folder.exists():
        make(folder, n)
    models = {
        "train": base / "other.skops",
        "score with logistic": base / "logistic.skops",
        "score with XGBoost": base / "xgboost.skops",
    }
    for task, contestants in tasks.items():
        for name in contestants:
            model = models.get(task, base / "none")
            if name.startswith("stakes logistic, all"):
                model = models["score with logistic"]
            if name.startswith("stakes XGBoost"):
                model = models["score with XGBoost"]
            seconds, cpu, mib, _ = alone(task, name, folder, model)
            note = f"{n / seconds:,.0f} rows a second, {n / cpu:,.0f} a CPU second"
            found.append(Row(f"{task}, {n:,} rows x 20", name, seconds, mib, None, note))
            print(found[-1], file=sys.stderr, flush=True)
    return found


def alone(task, name, folder, model):
    """Seconds, CPU seconds, peak MiB of a new process and all that it starts, and its words."""
    words = [sys.executable, "-m", "benchmarks.bench_scale", task, name, str(folder), str(model)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    peak, done = [0], threading.Event()

    def watch():
        while not done.wait(0.2):
            peak[0] = max(peak[0], _memory(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    told = process.communicate()[0]
    done.set()
    watcher.join()
    if process.returncode:
        sys.exit(f"{name} failed at {task}.")
    *words, last = told.strip().splitlines()
    seconds, cpu = map(float, last.split())
    return seconds, cpu, peak[0] / 2**20, words[-1] if words else ""


def _memory(pid):
    """Memory of a process and its children; each of n that share a page has an n-th of it."""
    total = 0
    try:
        top = psutil.Process(pid)
        for one in [top, *top.children(recursive=True)]:
            lines = Path(f"/proc/{one.pid}/smaps_rollup").read_text().splitlines()
            total += next(int(x.split()[1]) for x in lines if x.startswith("Pss:")) * 1024
    except (psutil.Error, OSError, StopIteration):
        pass
    return total


def _cpu():
    """CPU seconds so far, of this process and its children, also those that have ended."""
    top, total = psutil.Process(), 0.0
    for one in [top, *top.children(recursive=True)]:
        total += sum(one.cpu_times()[:4])  # with those of children that have ended
    return total


if __name__ == "__main__" and sys.argv[1:] == ["sizes"]:
    print(sizes(json.loads((PAGES / "scale.json").read_text())), end="")
elif __name__ == "__main__":
    task, name, folder, model = sys.argv[1:]
    call, jobs = (TASKS | PAYMENTS)[task][name]
    import stakes.compare._deploy_training
    import stakes.scale  # noqa: F401

    begun, before = time.perf_counter(), _cpu()
    cores = len(os.sched_getaffinity(0))
    # some return when they began, after Spark was started, or when they ended
    began = call(Path(folder), Path(model), jobs or cores) or (begun, before)
    ended = time.perf_counter(), _cpu()
    if began[0] is None:
        began, ended = (begun, before), began[1]
    print(ended[0] - began[0], ended[1] - began[1])
