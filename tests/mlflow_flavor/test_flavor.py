"""MLflow: prices reach the model, the comparison is a run, with files and with a real server."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from stakes.compare import TableSettings, load_decider, train_to_file
from stakes.errors import InputError

mlflow = pytest.importorskip("mlflow", reason="needs the extra mlflow")
pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow's own


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("mlflow"), np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "amount": rng.lognormal(4, 1, 300),
            "kind": rng.choice(["card", "wire"], 300),
            "flag": rng.random(300) < 0.3,
        }
    )
    bad = (rng.random(300) < np.where(table["kind"] == "wire", 0.5, 0.1)).astype(int)
    table.with_columns(bad=bad).write_parquet(folder / "t.parquet")
    costs = dict(fp_cost="5", fn_cost="0.3*amount", tp_cost="0", tn_cost="0")
    settings = TableSettings(str(folder / "t.parquet"), "bad", costs=costs)
    learner = "logistic regression, Bayes decision"
    train_to_file(folder / "m.skops", learner, settings, settings.load(), tune=False)
    return folder / "m.skops"


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    columns = dict(amount=rng.lognormal(4, 1, 10_000), kind=rng.choice(["card", "wire"], 10_000))
    return pd.DataFrame(columns | dict(flag=rng.random(10_000) < 0.3))


def assert_prices_are_kept(loaded, model, rows):
    table = pl.DataFrame({name: rows[name].to_numpy() for name in rows})
    ours = load_decider(model).decide(table)
    found = loaded.predict(rows)
    assert found["decision"].tolist() == ours["decision"].to_list()
    np.testing.assert_array_equal(found["expected_cost"], ours["expected_cost"])
    dear = load_decider(model, fp_cost="40").decide(table)["decision"].to_list()
    assert loaded.predict(rows, params={"fp_cost": "40"})["decision"].tolist() == dear
    fp_cost = np.linspace(0, 100, len(rows))
    found = loaded.predict(rows.assign(fp_cost=fp_cost))
    even = fp_cost / (fp_cost + 0.3 * rows["amount"].to_numpy())
    np.testing.assert_array_equal(found["decision"], found["probability"] > even)
    assert found["decision"].tolist() != ours["decision"].to_list()


def test_a_saved_model_decides_with_prices(model, rows, tmp_path):
    from stakes import mlflow as flavor

    described = flavor.save_model(model, tmp_path / "saved")
    assert described.flavors.keys() == {"python_function", "stakes"}
    assert described.signature.params.params[0].name == "fp_cost"
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "saved"))
    assert_prices_are_kept(loaded, model, rows)
    assert loaded.predict(loaded.input_example).shape == (5, 4)
    assert flavor.load_model(str(tmp_path / "saved")).facts["target"] == "bad"


def test_a_run_in_files(model, rows, tmp_path, monkeypatch):
    from stakes import mlflow as flavor

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    try:
        with mlflow.start_run():
            info = flavor.log_model(model)
        assert_prices_are_kept(mlflow.pyfunc.load_model(info.model_uri), model, rows)
    finally:
        mlflow.set_tracking_uri(None)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture
def server(tmp_path):
    """A real tracking server on this machine."""
    pytest.importorskip("flask", reason="the tracking server needs the whole of mlflow")
    port = free_port()
    store = [f"--backend-store-uri=sqlite:///{tmp_path}/runs.db"]
    store += [f"--artifacts-destination={tmp_path}/artifacts", f"--port={port}"]
    command = [sys.executable, "-m", "mlflow", "server", "--host=127.0.0.1", "--workers=1", *store]
    log = (tmp_path / "server.log").open("w")
    running = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    url = f"http://127.0.0.1:{port}"
    for _ in range(240):
        try:
            urllib.request.urlopen(f"{url}/health", timeout=2)
            break
        except OSError:
            assert running.poll() is None, (tmp_path / "server.log").read_text()[-2000:]
            time.sleep(0.5)
    yield url
    os.killpg(running.pid, 15)
    running.wait(20)


@pytest.mark.slow
@pytest.mark.jit
def test_a_comparison_and_a_model_on_a_real_server(server, model, rows, tmp_path):
    from stakes import mlflow as flavor

    env = dict(os.environ, MLFLOW_TRACKING_URI=server, MLFLOW_EXPERIMENT_NAME="money")
    words = "compare german --learners ConfidenceTreeClassifier --folds 2 --no-tune --mlflow -q"
    command = [sys.executable, "-m", "stakes", *words.split(), "--jobs", "1"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    run_id = done.stdout.split("MLflow run: ")[1].split()[0]
    mlflow.set_tracking_uri(server)
    try:
        run = mlflow.get_run(run_id)
        report = json.loads((tmp_path / "stakes-report/report.json").read_text())["datasets"][0]
        first = next(one for one in report["learners"] if one["learner"] == report["best"])
        assert run.data.params["best"] == report["best"]
        assert run.data.metrics["cost_per_1000"] == pytest.approx(first["cost_per_1000"])
        lower, upper = first["saves_interval"]
        assert run.data.metrics["saves_lower"] == pytest.approx(lower)
        assert run.data.metrics["saves_upper"] == pytest.approx(upper)
        assert "ConfidenceTreeClassifier/cost_per_1000" in run.data.metrics
        page = mlflow.artifacts.download_artifacts(f"runs:/{run_id}/report/report.html")
        assert "<html" in Path(page).read_text()
        mlflow.set_experiment("money")
        with mlflow.start_run():
            info = flavor.log_model(model)
        assert_prices_are_kept(mlflow.pyfunc.load_model(info.model_uri), model, rows)
    finally:
        mlflow.set_tracking_uri(None)


def test_what_is_no_comparison_is_named(tmp_path):
    from stakes.mlflow import log_comparison

    with pytest.raises(InputError, match="is not the report of a comparison"):
        log_comparison(tmp_path)
