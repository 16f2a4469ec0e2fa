"""A model decides about a folder: as about one table, in parallel, and resumable."""

import itertools
import json
import os
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from payments import payments
from stakes.compare import BatchDecider, TableSettings, _deploy_parts, predict_folder, train_to_file
from stakes.compare._deploy_parts import RECORD
from stakes.errors import InputError

LEARNERS = {
    "linear": "logistic regression, Bayes decision",
    "trees": "hist gradient boosting, Bayes decision",
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    payments().write_csv(folder / "t.csv")
    costs = {"fp_cost": "3", "fn_cost": "amount"}
    settings = TableSettings(str(folder / "t.csv"), "fraud", costs=costs, drop=["id"])
    for name, learner in LEARNERS.items():
        train_to_file(folder / name, learner, settings, settings.load(), tune=False)
    return folder


def spread(table, folder, n_parts):
    """The rows in files of unequal length, Parquet and CSV in turn."""
    folder.mkdir()
    rng = np.random.default_rng(n_parts)
    cuts = [0, *np.sort(rng.choice(len(table) - 1, n_parts - 1, replace=False)) + 1, len(table)]
    for k, (start, stop) in enumerate(itertools.pairwise(cuts)):
        part, path = table[start:stop], folder / f"{k:03d}"
        if k % 2:
            part.write_csv(path.with_suffix(".csv"))
        else:
            part.write_parquet(path.with_suffix(".parquet"))
    return folder


def results(out):
    """All results, in the order of their names; the row numbers are those of each file."""
    frames = []
    for path in sorted(p for p in out.iterdir() if p.name != RECORD):
        read = pl.read_csv if path.suffix == ".csv" else pl.read_parquet
        frames.append(read(path).with_columns(pl.col("decision").cast(pl.Int8)))
        assert frames[-1]["row"].to_list() == list(range(1, len(frames[-1]) + 1))
    return pl.concat(frames)


@pytest.mark.parametrize("n_parts", [1, 2, 7, 64])
@pytest.mark.parametrize("learner", LEARNERS)
def test_parts_equal_one_table_in_every_column(learner, n_parts, models, tmp_path):
    table = payments(200, seed=3)
    whole = BatchDecider.load(models / learner, ["id", "kind"])
    expected = whole.decide(table)
    folder = spread(table, tmp_path / "new", n_parts)
    keep = ["id", "kind"]
    done = predict_folder(models / learner, folder, tmp_path / "out", keep=keep)
    ours = results(tmp_path / "out")
    assert ours.columns == expected.columns
    exact = ["id", "kind", "decision", "break_even"]
    assert ours[exact].equals(expected[exact])
    # a product of matrices may differ in the last bit with the number of rows; trees do not
    tolerance = 1e-13 if learner == "linear" else 0.0
    numbers = ["probability", "expected_cost"]
    assert_frame_equal(ours[numbers], expected[numbers], rel_tol=tolerance, abs_tol=0.0)
    assert (done.rows, done.positive) == (200, whole.positive)
    assert done.cost == pytest.approx(whole.cost, rel=1e-12)
    assert (done.parts, done.skipped) == (n_parts, 0)


def test_the_number_of_jobs_changes_no_byte(models, tmp_path):
    folder = spread(payments(200, seed=3), tmp_path / "new", 7)
    outs = [tmp_path / f"out{k}" for k in range(2)]
    done = [
        predict_folder(models / "linear", folder, out, keep=["id"], n_jobs=n_jobs)
        for n_jobs, out in zip((1, 2), outs, strict=True)
    ]
    assert done[0] == done[1]
    assert results(outs[0]).equals(results(outs[1]))
    names = sorted(os.listdir(outs[0]))
    assert names == sorted(os.listdir(outs[1])) and len(names) == 8
    for name in names:
        if name.endswith(".csv"):
            assert (outs[0] / name).read_bytes() == (outs[1] / name).read_bytes()


def test_finished_parts_are_skipped(models, tmp_path, monkeypatch):
    table = payments(200, seed=3)
    folder, out = spread(table, tmp_path / "new", 7), tmp_path / "out"
    bad = folder / "003.csv"
    good = bad.read_text()
    bad.write_text(good.replace(good.splitlines()[2].split(",")[1], "much", 1))
    with pytest.raises(InputError, match=r"In '.*003\.csv': .*'much' in row"):
        predict_folder(models / "trees", folder, out)
    assert sorted(os.listdir(out)) == [
        f"00{k}.{s}" for k, s in enumerate(("parquet", "csv", "parquet"))
    ] + [RECORD]
    bad.write_text(good)
    decided = []
    decide = BatchDecider.decide
    monkeypatch.setattr(
        BatchDecider, "decide", lambda self, batch: decided.append(1) or decide(self, batch)
    )
    record = out / RECORD
    record.write_text(record.read_text() + '{"part": "003.csv", "res')  # as a crash leaves it
    seen = []
    done = predict_folder(models / "trees", folder, out, progress=lambda *now: seen.append(now))
    assert (done.skipped, done.rows, len(decided)) == (3, 200, 4)
    assert seen == [(k, 7) for k in range(3, 8)]
    expected = BatchDecider.load(models / "trees").decide(table)
    assert results(out)["decision"].equals(expected["decision"])
    assert predict_folder(models / "trees", folder, out).skipped == 7
    # a file that has changed, and one whose result was deleted, are decided again
    table[:5].write_csv(folder / "001.csv")
    (out / "002.parquet").unlink()
    done = predict_folder(models / "trees", folder, out)
    assert done.skipped == 5 and len(pl.read_csv(out / "001.csv")) == 5
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert sum(line["rows"] for line in lines[1:]) == done.rows


def test_a_killed_worker_loses_only_its_part(models, tmp_path, monkeypatch):
    folder, out = spread(payments(60, seed=3), tmp_path / "new", 3), tmp_path / "out"

    def one_then_killed(function, parts, n_jobs):
        yield parts[0], function(parts[0])
        (out / ".001.csv.abc.part").write_text("half")
        (out / ".002.parquet.abc.part.def").mkdir()
        raise BrokenProcessPool

    with monkeypatch.context() as patch:
        patch.setattr(_deploy_parts, "map_parts", one_then_killed)
        with pytest.raises(MemoryError, match="a worker was killed, probably out of memory"):
            predict_folder(models / "trees", folder, out)
    assert predict_folder(models / "trees", folder, out).skipped == 1
    assert sorted(os.listdir(out)) == ["000.parquet", "001.csv", "002.parquet", RECORD]


def test_other_settings_are_not_mixed(models, tmp_path):
    folder, out = spread(payments(60, seed=3), tmp_path / "new", 2), tmp_path / "out"
    predict_folder(models / "trees", folder, out)
    for words, change in {
        "another model": dict(model=models / "linear"),
        "other costs": dict(fp_cost="4"),
        "other kept columns": dict(keep=["id"]),
    }.items():
        given = dict(model=models / "trees", source=folder, out=out) | change
        with pytest.raises(InputError, match=f"has decisions with {words}; give another out"):
            predict_folder(**given)
        assert predict_folder(**given, fresh=True).skipped == 0
        predict_folder(models / "trees", folder, out, fresh=True)
    (folder / "001.csv").unlink()
    with pytest.raises(InputError, match=r"about '001\.csv', which is no longer there"):
        predict_folder(models / "trees", folder, out)
    assert predict_folder(models / "trees", folder, out, fresh=True).parts == 1
    assert sorted(os.listdir(out)) == ["000.parquet", RECORD]


def test_a_model_that_changes_meanwhile_is_noticed(models, tmp_path):
    scorer = _deploy_parts._Scorer.of(models / "trees", [], {}, tmp_path, None)
    other = _deploy_parts.replace(scorer, model=str(models / "linear"))
    with pytest.raises(InputError, match="has changed since the command started"):
        other.decider()


def test_folders_inside_and_parts_without_rows(models, tmp_path):
    """As Spark writes them: partitions, markers, and Parquet files without a row."""
    table = payments(40, seed=3)
    (tmp_path / "new" / "day=1").mkdir(parents=True)
    table.write_parquet(tmp_path / "new" / "day=1" / "part-0.parquet")
    table[:0].write_parquet(tmp_path / "new" / "part-1.parquet")
    (tmp_path / "new" / "_SUCCESS").write_text("")
    out = tmp_path / "out"
    done = predict_folder(models / "trees", tmp_path / "new", out, keep=["day"])
    assert (done.rows, done.parts) == (40, 2)
    full, none = (
        pl.read_parquet(out / "day=1/part-0.parquet"),
        pl.read_parquet(out / "part-1.parquet"),
    )
    assert len(none) == 0 and none.schema == full.schema
    (tmp_path / "new" / "day=1" / "part-0.parquet").unlink()
    with pytest.raises(InputError, match="has no rows; there is nothing to decide"):
        predict_folder(models / "trees", tmp_path / "new", tmp_path / "out2")


def test_where_results_may_not_go(models, tmp_path):
    folder, trees = spread(payments(60, seed=3), tmp_path / "new", 2), models / "trees"
    for out in (folder, folder / "out"):
        with pytest.raises(InputError, match=r"would become part of .*outside it as out"):
            predict_folder(trees, folder, out)
    with pytest.raises(InputError, match=r"need a folder; out is '.*d\.csv'"):
        predict_folder(trees, folder, tmp_path / "d.csv")
    with pytest.raises(InputError, match="does not exist; create it first"):
        predict_folder(trees, folder, tmp_path / "none" / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "000.parquet").write_text("precious")
    with pytest.raises(InputError, match="is not empty and was not made by stakes predict"):
        predict_folder(trees, folder, tmp_path / "mine", fresh=True)
    assert (tmp_path / "mine" / "000.parquet").read_text() == "precious"
    payments(5).write_csv(folder / "000.csv")
    pl.read_csv(folder / "000.csv").write_csv(folder / "000.tsv", separator="\t")
    with pytest.raises(InputError, match=r"'000\.csv' and '000\.tsv' would have the same result"):
        predict_folder(trees, folder, tmp_path / "out")
    with pytest.raises(InputError, match="There is no model file"):
        predict_folder(tmp_path / "none.skops", f"{folder}/*.parquet", tmp_path / "out")
    assert not (tmp_path / "out").exists()
