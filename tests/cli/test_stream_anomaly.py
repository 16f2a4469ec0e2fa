"""`stakes stream --learner anomaly`: the kernel detector in the same loop, as exact."""

import numpy as np
import polars as pl
import pytest

ARGUMENTS = ("--target", "anomaly", "--fp-cost", "1", "--fn-cost", "15", "--learner", "anomaly")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    heat, load = rng.normal(50, 5, 700), rng.normal(0.3, 0.1, 700)
    odd = ((heat - 50) / 5) ** 2 + ((load - 0.3) / 0.1) ** 2 + 0.5 * rng.normal(size=700) > 5
    site = np.where(rng.random(700) < 0.5, "north", "south")
    path = tmp_path / "events.csv"
    pl.DataFrame(dict(heat=heat, load=load, site=site, anomaly=odd.astype(int))).write_csv(path)
    return path


@pytest.mark.jit
def test_it_pays_and_goes_on_exactly(run, table, tmp_path):
    whole = run("stream", table, *ARGUMENTS, "--out", "whole.csv", "--checkpoint", "whole.skops")
    assert whole.exit_code == 0, whole.output
    lines = table.read_text().splitlines(keepends=True)
    table.write_text("".join(lines[:300]))
    assert run("stream", table, *ARGUMENTS).exit_code == 0
    table.write_text("".join(lines))
    assert run("stream", table, *ARGUMENTS).stderr.split(":")[0] == whole.stderr.split(":")[0]
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "decisions.csv").read_bytes()
    decided, truth = pl.read_csv(tmp_path / "whole.csv"), pl.read_csv(table)["anomaly"]
    wrong = (decided["decision"] != truth).to_numpy()[200:]
    paid = np.where(truth == 1, 15.0, 1.0)[200:] @ wrong
    assert paid < 0.75 * min(15.0 * truth[200:].sum(), (truth[200:] == 0).sum())
