"""`stakes rules`: a tree trained on the command line, read back with the names of its table."""

import json

import numpy as np
import polars as pl
import pytest

from stakes.compare import BatchDecider


def loans(n, seed):
    rng = np.random.default_rng(seed)
    purpose = rng.choice(["car", "house", "boat"], n, p=[0.5, 0.3, 0.2])
    age = rng.uniform(20, 70, n).round(1)
    risk = 0.05 + 0.5 * (purpose == "boat") * (age < 40)
    return pl.DataFrame(
        {"purpose": purpose, "age": age, "bad": np.where(rng.random(n) < risk, "yes", "no")}
    )


@pytest.fixture
def model(run, tmp_path):
    loans(1500, 0).write_csv(tmp_path / "loans.csv")
    args = ["--target", "bad", "--fp-cost", 100, "--fn-cost", 700, "--no-tune", "-q"]
    done = run("train", "loans.csv", *args, "--learner", "ConfidenceTreeClassifier")
    assert done.exit_code == 0, done.output
    return tmp_path / "model.skops"


def test_the_rules_have_names_and_decide_as_predict_does(model, run, tmp_path):
    done = run("rules", model)
    assert done.exit_code == 0, done.output
    text = done.stdout
    assert "Decision 1: bad is yes." in text and "fn cost 700" in text
    assert "purpose in {boat}" in text and "age <=" in text and "not corrected" in text
    assert run("rules", model, "--as", "csv", "--out", "rules.csv").exit_code == 0
    table = pl.read_csv(tmp_path / "rules.csv")
    decided = BatchDecider.load(model).decide(loans(1500, 0))
    positive = table.filter(pl.col("decision") == 1)["examples"].sum()
    assert positive == decided["decision"].sum() > 0
    found = json.loads(run("rules", model, "--as", "json").stdout)
    assert [r["rule"] for r in found["rules"]] == table["rule"].to_list()
    assert run("rules", model, "--as", "dot").stdout.startswith("digraph Tree {")
    cheap = run("rules", model, "--fn-cost", 1, "--as", "csv")
    assert set(pl.read_csv(cheap.stdout.encode())["decision"]) == {0}


def test_pictures_and_later_rows(model, run, tmp_path):
    for name in ("tree.svg", "tree.png"):
        assert run("rules", model, "--out", name).exit_code == 0
        assert (tmp_path / name).stat().st_size > 5000
    assert "purpose" in (tmp_path / "tree.svg").read_text()
    loans(800, 1).write_csv(tmp_path / "later.csv")
    done = run("rules", model, "later.csv", "--as", "csv")
    table = pl.read_csv(done.stdout.encode())
    assert table["examples"].sum() == 800 and (table["p_adjusted"] >= table["p_value"]).all()
    assert "not used for training" in run("rules", model, "later.csv").stdout


def test_costs_of_each_row_are_explained(run, tmp_path):
    table = loans(1500, 0).with_columns(amount=pl.col("age") * 10)
    table.write_csv(tmp_path / "loans.csv")
    args = ["--target", "bad", "--fp-cost", "0.1*amount", "--fn-cost", "amount", "--no-tune"]
    run("train", "loans.csv", *args, "--learner", "ConfidenceTreeClassifier")
    done = run("rules", "model.skops")
    assert "Costs differ from row to row" in done.stdout
    assert "decides 1" in done.stdout


def test_association_rules_too(run, tmp_path):
    loans(1500, 0).write_csv(tmp_path / "loans.csv")
    args = ["--target", "bad", "--fn-cost", 7, "--no-tune"]
    run("train", "loans.csv", *args, "--learner", "AssociationRuleClassifier")
    done = run("rules", "model.skops")
    assert "if " in done.stdout and "purpose = boat" in done.stdout
    assert "then 1" in done.stdout and "at stake" in done.stdout
    cheap = run("rules", "model.skops", "--fn-cost", 0.01, "--as", "csv")
    assert set(pl.read_csv(cheap.stdout.encode())["decision"]) == {0}
    loans(800, 1).write_csv(tmp_path / "later.csv")
    later = pl.read_csv(run("rules", "model.skops", "later.csv", "--as", "csv").stdout.encode())
    assert later["examples"].sum() == 800
    assert run("rules", "model.skops", "--out", "list.svg").exit_code == 0
    assert "purpose" in (tmp_path / "list.svg").read_text()


@pytest.mark.jit
def test_what_has_no_rules_is_refused(model, run, refused):
    assert "leave out DATA" in refused("rules", model, "loans.csv", "--out", "a.png")
    assert "must be numbers" in refused("rules", model, "--fn-cost", "amount")
    assert "There is no model file" in refused("rules", "none.skops")
    args = ["--target", "bad", "--no-tune", "--learner", "ConfidenceForestClassifier"]
    assert run("train", "loans.csv", *args, "--out", "forest.skops").exit_code == 0
    assert "has no rules: it is a" in refused("rules", "forest.skops")
    args[-1] = "AssociationRuleClassifier"
    assert run("train", "loans.csv", *args, "--out", "list.skops").exit_code == 0
    assert "has rules but no tree" in refused("rules", "list.skops", "--as", "dot")
