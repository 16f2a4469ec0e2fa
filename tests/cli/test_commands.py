"""The commands, end to end on a small table."""

import json
import shutil

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from typer.testing import CliRunner

from payments import COSTS, payments
from stakes._core.deciding import predict_with_costs
from stakes._core.model_file import load_model
from stakes.cli._app import app
from stakes.costs import Costs
from stakes.datasets import CATALOG, load
from stakes.errors import InputError
from stakes.tables import load_table

LOGISTIC = "logistic regression, Bayes decision"


@pytest.fixture(scope="module")
def folder(tmp_path_factory, table_file):
    """A finished comparison."""
    out = tmp_path_factory.mktemp("run") / "report"
    args = ["compare", table_file, "--target", "fraud", *COSTS, "--drop", "id", "--out", out]
    args += ["--learners", LOGISTIC, "--folds", "2", "--no-tune", "-j", "1"]
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == 0, (result.output, result.exception)
    (out / "said.txt").write_text(result.stdout)
    return out


def test_compare_ends_with_the_report(folder):
    said = (folder / "said.txt").read_text().strip().splitlines()
    assert said[0].startswith("Deploy")
    assert said[-1] == f"Report: {folder / 'report.html'}"
    assert (folder / "report.html").is_file()
    kept = json.loads((folder / "table.json").read_text())
    assert kept["target"] == "fraud" and kept["costs"]["fn_cost"] == "amount"


def test_train_takes_the_winner_and_its_table(folder, run, tmp_path):
    result = run("train", "--from", folder, "--out", "m.skops", "--no-tune", "--learner", LOGISTIC)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"Trained {LOGISTIC} on 240 rows: m.skops\n"
    facts = load_model(tmp_path / "m.skops").facts
    assert facts["target"] == "fraud" and facts["positive"] == "yes"
    assert facts["costs"]["fp_cost"] == "max(5, 0.05*amount)"
    assert facts["costs"]["tn_cost"] == "0"
    assert "id" not in facts["kinds"] and facts["kinds"]["day"] == "date"
    winner = json.loads((folder / "report.json").read_text())["datasets"][0]["best"]
    if winner.startswith("always"):
        assert run("train", "--from", folder).exit_code == 2
    else:
        assert run("train", "--from", folder, "--out", "w.skops", "-q").exit_code == 0
        assert load_model(tmp_path / "w.skops").facts["learner"] == winner


def test_what_lost_to_a_constant_policy_is_not_trained(folder, run, tmp_path):
    shutil.copytree(folder, tmp_path / "lost")
    report = tmp_path / "lost" / "report.json"
    told = json.loads(report.read_text())
    for fact in told["datasets"][0]["learners"]:
        fact["below_trivial"] = fact["learner"] == LOGISTIC
    report.write_text(json.dumps(told))
    result = run("train", "--from", "lost", "--learner", LOGISTIC, "--out", "m.skops")
    assert result.exit_code == 2
    assert f"{LOGISTIC} cost more in lost than the best constant policy" in result.stderr
    assert not (tmp_path / "m.skops").exists()


@pytest.fixture(scope="module")
def model(tmp_path_factory, table_file):
    path = tmp_path_factory.mktemp("model") / "m.skops"
    args = ["train", table_file, "--target", "fraud", *COSTS, "--drop", "id", "--out", path]
    args += ["--learner", LOGISTIC, "--no-tune"]
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == 0, (result.output, result.exception)
    return path


def test_predict_equals_the_model_by_hand(model, table_file, run, tmp_path):
    new = payments(100, seed=1).drop("fraud")
    new.write_csv(tmp_path / "new.csv")
    result = run("predict", model, "new.csv", "--out", "d.csv", "--keep", "id", "--keep", "kind")
    assert result.exit_code == 0, result.output
    ours = pl.read_csv(tmp_path / "d.csv")
    assert ours.columns == [
        *["row", "id", "kind", "decision", "probability", "break_even", "expected_cost"]
    ]
    stored = load_model(model)
    amount = new["amount"].to_numpy()
    costs = dict(fp_cost=np.maximum(5, 0.05 * amount), fn_cost=amount)
    decided = predict_with_costs(stored.model, new, **costs)
    probability = stored.model.predict_proba(new)[:, 1]
    np.testing.assert_array_equal(ours["decision"], decided)
    np.testing.assert_allclose(ours["probability"], probability, rtol=1e-14)
    by_hand = Costs.of(100, **costs)
    np.testing.assert_allclose(ours["break_even"], by_hand.break_even, rtol=1e-14)
    expected = by_hand.expected(probability, decided == 1)
    np.testing.assert_allclose(ours["expected_cost"], expected, rtol=1e-12)
    assert ours["row"].to_list() == list(range(1, 101))
    n_positive = int((decided == 1).sum())
    assert result.stderr.startswith(f"100 decisions, {n_positive} positive; expected cost ")
    # the same table was read in training: decisions there equal those of the library
    data = load_table(table_file, "fraud", fp_cost=COSTS[1], fn_cost=COSTS[3], drop=["id"])
    in_memory = predict_with_costs(stored.model, data.X, **data.costs)
    assert run("predict", model, table_file, "--out", "t.csv", "-q").output == ""
    np.testing.assert_array_equal(pl.read_csv(tmp_path / "t.csv")["decision"], in_memory)


def test_predict_does_not_depend_on_batches_or_file_kind(model, run, tmp_path, monkeypatch):
    new = payments(150, seed=2)
    new.write_csv(tmp_path / "new.csv")
    new.write_csv(tmp_path / "new.tsv", separator="\t")
    new.write_parquet(tmp_path / "new.parquet")
    results = []
    for batch_rows, name, out in [
        (50_000, "new.csv", "a.csv"),
        (7, "new.csv", "b.csv"),
        (7, "new.csv", "b.parquet"),
        (64, "new.tsv", "c.parquet"),
        (10, "new.parquet", "d.parquet"),
    ]:
        monkeypatch.setattr("stakes.tables._reading.BATCH_ROWS", batch_rows)
        assert run("predict", model, name, "--out", out).exit_code == 0
        read = pl.read_csv if out.endswith("csv") else pl.read_parquet
        results.append(read(tmp_path / out))
    for other in results[1:]:
        assert results[0].columns == other.columns
        for name in other.columns:
            np.testing.assert_allclose(results[0][name], other[name], rtol=1e-12)
    assert len(list(tmp_path.iterdir())) == 3 + 5


def test_predict_a_folder_or_a_glob(model, run, tmp_path):
    new = payments(90, seed=2)
    (tmp_path / "new").mkdir()
    for k in range(3):
        new[30 * k : 30 * (k + 1)].write_parquet(tmp_path / "new" / f"{k}.parquet")
    new.write_parquet(tmp_path / "new.parquet")
    assert run("predict", model, "new.parquet", "--keep", "id", "--out", "d.parquet").exit_code == 0
    whole = pl.read_parquet(tmp_path / "d.parquet")
    result = run("predict", model, "new/", "--jobs", "2", "--keep", "id")
    assert result.exit_code == 0, result.output
    positive, cost = whole["decision"].sum(), whole["expected_cost"].sum()
    said = f"90 decisions, {positive} positive; expected cost {cost:,.2f}: decisions, 3 files\n"
    assert result.stderr.endswith(said)
    parts = pl.read_parquet(sorted((tmp_path / "decisions").glob("*.parquet")))
    assert parts["row"].to_list() == 3 * list(range(1, 31))
    for name in parts.columns[1:]:
        np.testing.assert_allclose(parts[name], whole[name], rtol=1e-12)
    again = run("predict", model, "new/", "--keep", "id")
    assert again.stderr.endswith("decisions, 3 files, 3 of them finished before\n")
    other = run("predict", model, "new/", "--fp-cost", "9", "--keep", "id")
    assert other.exit_code == 2
    assert "other costs; give another --out, or --fresh to start over." in other.stderr
    args = ["--fp-cost", "9", "--keep", "id", "--fresh", "--jobs", "1"]
    assert run("predict", model, "new/", *args).exit_code == 0
    result = run("predict", model, "new/[01].parquet", "--out", "two", "-q", "--jobs", "1")
    assert result.exit_code == 0 and result.output == ""
    assert len(list((tmp_path / "two").glob("*.parquet"))) == 2


def test_new_costs_change_the_decisions(model, run, tmp_path):
    payments(100, seed=1).write_csv(tmp_path / "new.csv")
    shares = []
    for fp in ("0.01", "10000"):
        assert run("predict", model, "new.csv", "--fp-cost", fp).exit_code == 0
        shares.append(pl.read_csv(tmp_path / "decisions.csv")["decision"].mean())
    assert shares[0] > 0.9 and shares[1] < 0.1


def test_a_learner_without_probabilities_gives_empty_columns(run, tmp_path, table_file):
    from sklearn.svm import LinearSVC

    from stakes._core.model_file import save_model
    from stakes.tables import prepare
    from stakes.tables._kinds import kind_of

    data = load_table(table_file, "fraud", drop=["id"])
    pipeline = prepare(LinearSVC(), data.X, scale=True, one_hot=True).fit(data.X, data.y)
    kinds = {name: kind_of(dtype) for name, dtype in data.X.schema.items()}
    costs = dict(fp_cost="1", fn_cost="1", tp_cost="0", tn_cost="0")
    save_model(pipeline, tmp_path / "m.skops", target="fraud", kinds=kinds, costs=costs)
    result = run("predict", "m.skops", table_file)
    assert result.exit_code == 0 and "expected cost" not in result.stderr
    decisions = pl.read_csv(tmp_path / "decisions.csv")
    np.testing.assert_array_equal(decisions["decision"], pipeline.predict(data.X))
    assert decisions["probability"].null_count() == decisions["expected_cost"].null_count() == 240


def test_a_named_set_with_costs_of_its_own(run, tmp_path):
    args = ["train", "german", "--learner", LOGISTIC, "--no-tune"]
    assert run(*args).exit_code == 0
    from stakes.datasets import load

    load("german").X.write_csv(tmp_path / "new.csv")
    result = run("predict", "model.skops", "new.csv")
    assert result.exit_code == 2 and "--fp-cost and --fn-cost" in result.stderr
    costs = ["--fp-cost", "0.006*duration*amount", "--fn-cost", "0.75*amount"]
    assert run("predict", "model.skops", "new.csv", *costs).exit_code == 0
    assert run(*args, *costs, "--out", "priced.skops").exit_code == 0
    before = (tmp_path / "decisions.csv").read_bytes()
    assert run("predict", "priced.skops", "new.csv").exit_code == 0
    assert (tmp_path / "decisions.csv").read_bytes() == before


def test_todays_decisions_are_compared_against(run, tmp_path):
    table = payments(120).with_columns(today=pl.Series((np.arange(120) % 5 == 0).astype(int)))
    table.write_csv(tmp_path / "t.csv")
    args = ["compare", "t.csv", "--target", "fraud", *COSTS, "--today", "today", "--folds", "2"]
    result = run(*args, "--learners", LOGISTIC, "--no-tune", "-j", "1", "-q")
    assert result.exit_code == 0, (result.output, result.exception)
    assert result.stderr == ""
    summary = json.loads((tmp_path / "stakes-report" / "report.json").read_text())
    data = load_table(table.drop("today"), "fraud", fp_cost=COSTS[1], fn_cost=COSTS[3])
    paid = data.as_costs().paid(data.y == 1, table["today"].to_numpy() == 1)
    assert summary["datasets"][0]["today"]["cost_per_1000"] == pytest.approx(1000 * paid.mean())


@pytest.mark.parametrize(("answer", "policy"), [("no", "negative"), ("Yes", "positive")])
def test_today_may_be_one_answer_for_all(run, tmp_path, answer, policy):
    payments(120).with_columns(today=pl.lit(answer)).write_csv(tmp_path / "t.csv")
    args = ["compare", "t.csv", "--target", "fraud", *COSTS, "--today", "today", "--folds", "2"]
    result = run(*args, "--learners", LOGISTIC, "--no-tune", "-j", "1", "-q")
    assert result.exit_code == 0, (result.output, result.exception)
    data = json.loads((tmp_path / "stakes-report" / "report.json").read_text())["datasets"][0]
    cost = {f["learner"]: f["cost_per_1000"] for f in data["learners"]}
    assert data["today"]["cost_per_1000"] == pytest.approx(cost[f"always {policy}"])


def test_a_named_data_set_has_no_decisions_of_today(run):
    result = run("compare", "german", "--today", "x")
    assert result.exit_code != 0 and "own columns and labels; remove --today" in result.stderr


def test_each_command_says_what_comes_next(folder, run, tmp_path):
    result = run("train", "--from", folder, "--no-tune", "--out", "m.skops")
    assert result.stderr.endswith("stakes predict m.skops new.csv --out decisions.csv\n")
    assert "To decide" not in run("train", "--from", folder, "--no-tune", "-q").stderr


def test_columns_that_are_nearly_numbers_or_dates_are_told(run, tmp_path):
    table = payments().with_columns(
        price="$" + pl.col("amount").round(2).cast(pl.String),
        age=pl.when(pl.col("id") == 3).then(pl.lit("old")).otherwise(pl.col("id").cast(pl.String)),
        due=pl.col("day").dt.strftime("%m/%d/%Y"),
        score=pl.when(pl.col("id") < 9).then(pl.lit("n/a")).otherwise(pl.lit("7")),
    )
    table.write_csv(tmp_path / "odd.csv")
    args = ["--target", "fraud", "--fn-cost", "price", "--learner", LOGISTIC, "--no-tune"]
    said = run("train", "odd.csv", *args).stderr
    assert "Column 'age' is taken as text: 'old' in row 4 is not a number. To read " in said
    assert "such values as missing: --missing old.\n" in said
    cured = run("train", "odd.csv", *args, "--missing", "old").stderr
    assert "'age'" not in cured and "'due'" in cured
    assert "Column 'due' is taken as text: '" in said and "known date format, such as 20" in said
    assert "'score'" not in said and "'price'" not in said


def test_columns_that_are_left_out_are_told(run, tmp_path):
    table = payments(120).with_columns(
        reference=pl.Series([f"R{i}" for i in range(120)]), land=pl.lit("x")
    )
    table.write_csv(tmp_path / "t.csv")
    result = run("train", "t.csv", "--target", "fraud", "--learner", LOGISTIC, "--no-tune")
    assert result.exit_code == 0
    assert (
        "Column 'reference' has 120 distinct texts in 120 rows and is left out.\n" in result.stderr
    )
    assert "Column 'land' is constant and is left out.\n" in result.stderr


def test_datasets_are_listed_and_told(run):
    listed = run("datasets").stdout.splitlines()
    assert [line.split()[0] for line in listed] == sorted(CATALOG)
    told = run("datasets", "german").stdout
    assert told.startswith("german: 1,000 rows, 20 features") and "amount (number)" in told


def test_a_paper_is_run_and_written(run, tmp_path, monkeypatch):
    import sys
    import types

    from stakes.reproduce import PAPERS, Cell, Reproduction, Table

    def again(*, repeats=None, data=None, progress=None):
        progress("one", 1)
        table = Table("T", [Cell("a", "b", float(repeats))])
        return Reproduction("toy", "A toy", "stakes reproduce toy", [table])

    module = types.ModuleType("toy_paper", "A toy paper.")
    module.run = again
    monkeypatch.setitem(sys.modules, "toy_paper", module)
    monkeypatch.setitem(PAPERS, "toy", "toy_paper")
    assert "toy  A toy paper." in run("reproduce").stdout
    assert "is a file; --out is the folder" in run("reproduce", "toy", "--out", __file__).stderr
    assert run("reproduce", "toy", "--repeats", "1", "--out", "new/folder").exit_code == 0
    assert (tmp_path / "new" / "folder" / "toy.json").exists()
    result = run("reproduce", "toy", "--repeats", "3", "--out", ".")
    assert result.exit_code == 0 and "| a | 3 |" in result.stdout
    assert (tmp_path / "toy.md").read_text() == result.stdout[:-1]
    assert json.loads((tmp_path / "toy.json").read_text())["name"] == "toy"


def test_a_loaded_model_decides_at_the_costs_of_training(model, table_file):
    data = load_table(table_file, "fraud", fp_cost=COSTS[1], fn_cost=COSTS[3], drop=["id"])
    loaded = load_model(model).model
    at_prices = predict_with_costs(loaded, data.X, **data.costs)
    at_one_to_one = predict_with_costs(loaded, data.X)
    assert (at_prices != at_one_to_one).any()
    np.testing.assert_array_equal(loaded.predict(data.X), at_prices)
    pandas = pd.DataFrame(data.X.to_dict(as_series=False))
    np.testing.assert_array_equal(loaded.predict(pandas), at_prices)
    # a cost that is given replaces that of training, the others stay
    given = predict_with_costs(loaded, data.X, **data.costs | {"fp_cost": 99.0})
    np.testing.assert_array_equal(loaded.predict(data.X, fp_cost=99.0), given)
    with pytest.raises(InputError, match="amount"):
        loaded.predict(data.X.drop("amount"))


def test_a_model_of_rows_with_their_own_costs_asks_for_them(run, tmp_path):
    args = ["train", "german", "--learner", LOGISTIC, "--no-tune", "--out", "g.skops"]
    assert run(*args).exit_code == 0
    loaded = load_model(tmp_path / "g.skops").model
    data = load("german")
    with pytest.raises(InputError, match="give those of the new rows: fp_cost and fn_cost"):
        loaded.predict(data.X)
    expected = predict_with_costs(loaded, data.X, **data.costs)
    np.testing.assert_array_equal(loaded.predict(data.X, **data.costs), expected)


def test_train_uses_the_learner_that_advise_names(run, tmp_path):
    payments(120).write_csv(tmp_path / "few.csv")  # fewer than 50 frauds: a logistic regression
    args = ["few.csv", "--target", "fraud", "--drop", "id"]
    advised = run("advise", *args).stdout.splitlines()[0].removeprefix("Use ").removesuffix(".")
    said = run("train", *args, "--no-tune").stdout
    assert said == f"Trained {advised} on 120 rows: model.skops\n"


def test_values_that_were_missing_in_training_are_missing_in_new_rows(run, tmp_path):
    odd = (
        pl.when(pl.col("id") % 40 == 3).then(pl.lit("old")).otherwise(pl.col("id").cast(pl.String))
    )
    payments(240).with_columns(age=odd).write_csv(tmp_path / "odd.csv")
    args = ["odd.csv", "--target", "fraud", "--learner", LOGISTIC, "--no-tune", "-q"]
    assert run("train", *args, "--missing", "old").exit_code == 0
    result = run("predict", "model.skops", "odd.csv")
    assert result.exit_code == 0, result.output
    assert load_model(tmp_path / "model.skops").facts["kinds"]["age"] == "number"


def test_a_leak_is_named_before_anything_is_fitted_and_in_the_report(run, tmp_path):
    table = payments().with_columns(chargeback=(pl.col("fraud") == "yes").cast(pl.Int8))
    table.write_csv(tmp_path / "t.csv")
    args = ["compare", "t.csv", "--target", "fraud", "--drop", "id", "--learners", LOGISTIC]
    said = run(*args, "--folds", "2", "--no-tune", "-j", "1")
    assert said.exit_code == 0, said.output
    caution = "Caution: Column 'chargeback' alone gives the answer nearly perfectly"
    assert said.stderr.index(caution) < said.stderr.index("fits")
    for name in ("report.md", "report.html"):
        text = (tmp_path / "stakes-report" / name).read_text()
        assert "alone gives the answer nearly perfectly" in text and "the rows have dates" in text


def test_a_model_is_signed_and_verified(run, refused, table_file, tmp_path):
    for name in "ab":
        private = ed25519.Ed25519PrivateKey.generate()
        form = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        pem = serialization.Encoding.PEM
        (tmp_path / f"{name}.pem").write_bytes(private.private_bytes(pem, *form))
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        (tmp_path / f"{name}.pub").write_bytes(private.public_key().public_bytes(pem, form))
    data = (table_file, "--target", "fraud", "--learner", "probit", "--no-tune", "--quiet")
    assert "no key file" in refused("train", *data, "--sign", "nowhere.pem")
    assert run("train", *data, "--sign", "a.pem").exit_code == 0
    (tmp_path / "new").mkdir()
    shutil.copy(table_file, tmp_path / "new")
    said = refused("predict", "model.skops", table_file, "--verify", "b.pub")
    assert "does not fit the key" in said
    assert "does not fit" in refused("predict", "model.skops", "new", "--verify", "b.pub")
    for rows in (table_file, "new"):
        result = run("predict", "model.skops", rows, "--verify", "a.pub", "--jobs", 1)
        assert result.exit_code == 0, result.output
    assert run("train", *data, "--out", "plain.skops").exit_code == 0
    said = refused("predict", "plain.skops", table_file, "--verify", "a.pub")
    assert "is not signed; sign it with stakes train --sign, or load it without --verify" in said
