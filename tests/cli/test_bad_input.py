"""Everything that can be wrong with what a user gives: one sentence, exit code 2, no trace."""

import os
import pickle

import polars as pl
import pytest
from typer.testing import CliRunner

from payments import COSTS, payments
from stakes.cli._app import app


@pytest.fixture
def csv(tmp_path):
    def write(text, name="bad.csv"):
        (tmp_path / name).write_text(text)
        return name

    return write


@pytest.mark.parametrize("command", ["compare", "train"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--target", "fruad"], "target column 'fruad' is not in the table: did you mean 'fraud'?"),
        ([], "Name the label column of"),
        (["--target", "fraud", "--positive", "maybe"], "positive label 'maybe': there are 'no' an"),
        (["--target", "kind"], "labels 'gold', 'new', 'plain'; set --positive to the positive one"),
        (["--target", "fraud", "--fn-cost", "amonut"], "did you mean 'amount'?"),
        (["--target", "fraud", "--fn-cost", "2*"], "The cost '2*' cannot be read"),
        (["--target", "fraud", "--fn-cost", "open('x')"], "a call to 'open', which is not allowed"),
        (["--target", "fraud", "--fn-cost", "kind*2"], "column 'kind', which is text"),
        (["--target", "fraud", "--fn-cost", "risk"], "'risk' is missing or infinite in"),
        (["--target", "fraud", "--fn-cost", "risk"], "write coalesce(x, 0) instead of x"),
        (
            ["--target", "fraud", "--fn-cost", "-amount"],
            "--fn-cost is smaller than --tp-cost in 240",
        ),
        (
            ["--target", "fraud", "--fp-cost", "1", "--tn-cost", "2"],
            "--fp-cost is smaller than --tn-",
        ),
        (["--target", "fraud", "--fn-cost", "fraud"], "uses the target 'fraud'"),
        (["--target", "fraud", "--drop", "idd"], "did you mean 'id'?"),
    ],
)
def test_bad_options_for_a_table(command, options, words, refused, table_file):
    assert words in refused(command, table_file, *options)


@pytest.mark.parametrize("command", ["compare", "train"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("x,y\n", "has a header but no rows"),
        ("x,y\n1,0\n2\n3,1\n", "Line 3 of 'bad.csv' has 1 fields, but the header has 2"),
        ("x,y\n1,0\n2,1,5\n3,1\n", "Line 3 of 'bad.csv' has 3 fields, but the header has 2"),
        ("x,y\n1,0\n2,0\n", "has only one label, '0'"),
        ("x,y\n1,0\n2,\n3,1\n", "Column 'y' has no label in 1 row(s), first in row 2"),
        ("x,x,y\n1,1,0\n2,2,1\n", "two columns named 'x'"),
    ],
)
def test_bad_tables(command, text, words, refused, csv):
    assert words in refused(command, csv(text), "--target", "y")


def test_a_cost_that_is_not_a_number_is_named_by_row(refused, csv):
    name = csv("x,c,y\n1,2,0\n2,NaN,1\n3,4,1\n")
    sentence = refused("compare", name, "--target", "y", "--fn-cost", "c")
    assert "missing or infinite in 1 row(s), first in row 2; fill in 'c'" in sentence


def test_a_missing_file_and_an_unknown_name(refused, csv):
    csv("x,y\n1,0\n", "table.csv")
    assert "no file 'tabel.csv'; did you mean 'table.csv'?" in refused("compare", "tabel.csv")
    assert "no data set called 'germann'" in refused("compare", "germann")
    assert "is not a .csv" in refused("compare", csv("x", "table.xls"), "--target", "y")
    assert "no data set called" in refused("datasets", "germann")
    assert "No paper is called 'nothing'" in refused("reproduce", "nothing")
    assert "no folder 'nowhere'" in refused("reproduce", "games", "--data", "nowhere")
    assert "The folder 'nowhere' does not exist" in refused(
        "predict", "m.skops", "t.csv", "--out", "nowhere/x.csv"
    )


def test_other_bad_options(refused, table_file):
    table = [table_file, "--target", "fraud"]
    assert "is not a duration" in refused("compare", *table, "--time-budget", "soon")
    assert "No learner is called 'XYZ'" in refused("compare", *table, "--learners", "XYZ")
    assert "No learner is called 'XYZ'" in refused("train", *table, "--learner", "XYZ")
    assert "needs no model" in refused("train", *table, "--learner", "always negative")
    assert "Nothing to train on" in refused("train")
    assert "not the folder of a finished run" in refused("train", "--from", "nowhere")
    assert "The folder 'nowhere' does not exist" in refused(
        "train", *table, "--out", "nowhere/m.skops"
    )
    assert "own columns and labels; remove --target." in refused(
        "compare", "german", "--target", "x"
    )
    assert "remove --drop." in refused("compare", "german", "--drop", "amount")
    assert "--fp-cost is smaller than" in refused("compare", "german", "--fp-cost", "-1")


def test_usage_errors_are_two_as_well(run):
    for args in [["compare", "--nothing"], ["predict"], ["nothing"], ["compare", "--folds", "1"]]:
        result = run(*args)
        assert result.exit_code == 2 and "Traceback" not in result.output


@pytest.fixture(scope="module")
def model(tmp_path_factory, table_file):
    path = tmp_path_factory.mktemp("model") / "m.skops"
    args = ["train", table_file, "--target", "fraud", *COSTS, "--drop", "id", "--out", path]
    args += ["--learner", "logistic regression, Bayes decision", "--no-tune"]
    assert CliRunner().invoke(app, [str(arg) for arg in args]).exit_code == 0
    return path


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda t: t.rename({"kind": "kinds"}),
            "Column 'kind' of training is not in the table: di",
        ),
        (lambda t: t.rename({"amount": "sum"}), "uses column 'amount', which is not in the table"),
        (lambda t: t.with_columns(amount=pl.lit("much")), "'amount' was a number in training"),
        (lambda t: t.with_columns(day=pl.lit("soon")), "Column 'day' was a date in training"),
        (lambda t: t.with_columns(amount=pl.lit(None)), "missing or infinite in 50 row(s), first"),
        (lambda t: t.with_columns(amount=-pl.col("amount")), "--fn-cost is smaller than --tp-cost"),
        (lambda t: t.head(0), "has a header but no rows"),
    ],
)
def test_bad_new_rows(change, words, model, refused, tmp_path):
    change(payments(50, seed=3)).write_csv(tmp_path / "new.csv")
    assert words in refused("predict", model, "new.csv")


def test_a_bad_folder(model, refused, tmp_path):
    assert "'none/*.csv' has no .parquet" in refused("predict", model, "none/*.csv")
    (tmp_path / "new").mkdir()
    assert "'new' has no .parquet" in refused("predict", model, "new")
    payments(50, seed=3).write_csv(tmp_path / "new" / "a.csv")
    assert "need a folder; --out is 'd.csv'" in refused("predict", model, "new", "--out", "d.csv")
    assert "outside it as --out" in refused("predict", model, "new", "--out", "new/out")


def test_a_bad_file_of_a_folder_is_named(model, run, tmp_path):
    (tmp_path / "new").mkdir()
    payments(50, seed=3).write_csv(tmp_path / "new" / "a.csv")
    bad = payments(50, seed=3).with_columns(amount=pl.lit("much"))
    bad.write_csv(tmp_path / "new" / "b.csv")
    result = run("predict", model, "new", "--jobs", "1")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("In 'new/b.csv': Column 'amount' was a number")
    assert (tmp_path / "decisions" / "a.csv").exists()
    assert not (tmp_path / "decisions" / "b.csv").exists()


def test_a_bad_row_late_in_the_file_leaves_no_result(model, refused, tmp_path, monkeypatch):
    monkeypatch.setattr("stakes.tables._reading.BATCH_ROWS", 10)
    rows = payments(50, seed=3).write_csv().splitlines()
    rows[41] = rows[41].replace(rows[41].split(",")[1], "much")
    (tmp_path / "new.csv").write_text("\n".join(rows))
    (tmp_path / "decisions.csv").write_text("old")
    for out in ("decisions.csv", "decisions.parquet"):
        sentence = refused("predict", model, "new.csv", "--out", out)
        assert "'much' in row 41" in sentence
    assert (tmp_path / "decisions.csv").read_text() == "old"
    rows[41] = "1,2"
    (tmp_path / "new.csv").write_text("\n".join(rows))
    assert "Line 42 of 'new.csv' has 2 fields" in refused("predict", model, "new.csv")


def test_bad_places_for_the_result(model, refused, table_file):
    sentence = refused("predict", model, table_file, "--out", "d.ods")
    assert "must end in .csv, .parquet or .xlsx" in sentence
    assert "'idd' to keep is not in" in refused("predict", model, table_file, "--keep", "idd")
    assert "A cost is empty" in refused("predict", model, table_file, "--fp-cost", " ")


class Evil:
    def __reduce__(self):
        return os.system, ("touch ran",)


def test_model_files_that_are_not_ours(refused, table_file, tmp_path):
    (tmp_path / "m.skops").write_bytes(pickle.dumps(Evil()))
    assert "is not a stakes model file" in refused("predict", "m.skops", table_file)
    assert not (tmp_path / "ran").exists()
    assert "no model file 'none.skops'" in refused("predict", "none.skops", table_file)


def test_a_function_in_a_model_file_is_not_run(refused, table_file, tmp_path):
    import skops.io
    from sklearn.preprocessing import FunctionTransformer

    step = FunctionTransformer(func=os.system)
    skops.io.dump({"format": "stakes model", "model": step}, tmp_path / "m.skops")
    sentence = refused("predict", "m.skops", table_file)
    assert "contains a posix.system, which no stakes model has and which could run" in sentence


def test_a_model_that_train_did_not_make(refused, table_file, tmp_path):
    from sklearn.linear_model import LogisticRegression

    from stakes._core.model_file import save_model

    save_model(LogisticRegression(), tmp_path / "m.skops")
    assert "was not made by stakes train" in refused("predict", "m.skops", table_file)


def test_a_cost_column_that_is_nearly_numbers_names_the_value(refused, csv):
    name = csv("amount,fraud\n" + "1.5,no\n2,yes\n" * 10 + "a lot,no\n")
    said = refused("compare", name, "--target", "fraud", "--fn-cost", "amount")
    assert said.endswith("Column 'amount': 'a lot' in row 21 is not a number.\n")


def test_a_file_that_is_not_there_ends_with_one_mark(refused, csv):
    csv("a,b\n1,2\n", "loans.csv")
    assert refused("compare", "loan.csv", "--target", "b").endswith("did you mean 'loans.csv'?\n")
