"""The page from a comparison to a month in production, walked: every command of it runs."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from serve.crashes import _free_port
from stakes.client import Client

PAGE = Path(__file__).parents[2] / "docs" / "serve_story.md"
FILE = "card_payments_simulated.parquet"


def stand_in(n=6000):
    """Payments with the columns of the file, where it is not there."""
    rng = np.random.default_rng(0)
    days = np.sort(rng.uniform(0, 150, n))
    start = np.datetime64("2018-04-01", "s")
    amount, risk = rng.lognormal(4, 1, n).round(2), rng.normal(size=n)
    columns = dict(
        transaction=np.arange(n),
        time=np.datetime_as_string(start + (86400 * days).astype("timedelta64[s]")),
        customer=rng.integers(0, 400, n),
        terminal=rng.integers(0, 50, n),
        amount=amount,
        terminal_id_risk_7day_window=risk,
        scenario=np.zeros(n, int),
        fraud=(rng.random(n) < np.where(risk > 1.5, 0.4, 0.01)).astype(int),
    )
    return pl.DataFrame(columns)


@pytest.mark.slow
@pytest.mark.jit
def test_the_story_is_walked(tmp_path):
    text = PAGE.read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    compare, train, serve, feed, totals, promote, replay = re.findall(
        r"^\$ (.*)$", text, re.MULTILINE
    )
    stand_in().write_parquet(tmp_path / FILE)
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    port = _free_port()

    def words(command, *more):
        command = command.replace("http://localhost:8000", f"http://127.0.0.1:{port}")
        return [sys.executable, "-m", "stakes", *shlex.split(command)[1:], *more]

    def call(command, *more):
        done = subprocess.run(words(command, *more), cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    call(compare, "--quiet", "--repeats", "1")
    call(train, "--quiet")
    service = subprocess.Popen(words(serve, "--port", str(port), "--quiet"), cwd=tmp_path)
    try:
        with Client(f"http://127.0.0.1:{port}", patience=60.0) as client:
            client.totals()
            said = call(feed, "--url", f"http://127.0.0.1:{port}")
            events, labels, late = map(int, re.findall(r"(\d+)", said.replace(",", "")))
            assert labels > 0 and late > 0 and labels + late == events
            found = client.totals()
            assert found["models"]["model"]["labels"] == labels
            assert found["models"]["probit"]["events"] == events
            assert totals.endswith("/v1/totals") and promote.endswith("/v1/champion/probit")
            client._send("PUT", "/v1/champion/probit")
            assert client.totals()["champion"] == "probit"
    finally:
        service.terminate()
        service.wait(60)
    assert json.loads(call(replay))["champion"] == "model"
    page = json.loads((tmp_path / "stakes-report" / "report.json").read_text())
    assert page["datasets"][0]["learners"][0]["cost_interval"]
