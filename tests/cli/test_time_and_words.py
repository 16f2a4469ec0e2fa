"""Times, customers, capacity and words on the command line, from the comparison to new rows."""

import re

import numpy as np
import polars as pl
import pytest

from payments import COSTS, payments
from stakes._core.model_file import load_model

LOGISTIC = "logistic regression, Bayes decision"
TIMES = ["--time", "day", "--label-delay", "7d", "--group", "id"]
WORDS = ["--positive-means", "refuse", "--negative-means", "accept"]


@pytest.fixture
def table(tmp_path):
    table = payments(600).with_columns(id=pl.col("id") // 3)
    table.write_csv(tmp_path / "t.csv")
    return tmp_path / "t.csv"


def test_from_a_comparison_in_time_to_words(run, table, tmp_path):
    args = ["compare", table, "--target", "fraud", *COSTS, *TIMES, *WORDS, "--currency", "€"]
    args += ["--learners", LOGISTIC, "--folds", "2", "--no-tune", "-j", "1", "--no-cost-features"]
    args += ["--max-alerts", "2", "--review-cost", "0.1*amount", "--max-reviews", "1"]
    result = run(*args, "--out", "out")
    assert result.exit_code == 0, (result.output, result.exception)
    assert "Random folds would have promised €" in result.stdout
    assert "at most 2 alerts per day and at most 1 review per day. " in result.stdout
    page = (tmp_path / "out" / "report.html").read_text()
    assert "always refuse" in page and "always accept" in page and "always positive" not in page
    assert "decides to refuse in" in page and "Cost by" in page and "cost per 1,000 (€)" in page
    assert "amount" not in load_kinds(run, tmp_path)
    again = run(*args, "--out", "out", "--no-fit")
    assert again.exit_code == 0 and again.stdout == result.stdout
    rows = pl.read_csv(tmp_path / "t.csv").with_columns(name=pl.lit("Zoë"))
    rows.write_csv(tmp_path / "new.csv")
    limits = ["--max-alerts", "5%", "--review-cost", "1", "--max-reviews", "3", "--keep", "name"]
    done = run("predict", "m.skops", "new.csv", *limits, "--words", "--excel", "--out", "d.csv")
    assert done.exit_code == 0 and "30 positive, 3 reviews" in done.stderr, done.output
    raw = (tmp_path / "d.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbfrow,name,decision") and "Zoë".encode() in raw
    decided = pl.read_csv(tmp_path / "d.csv")["decision"]
    assert set(decided) == {"refuse", "accept", "review"} and (decided == "review").sum() == 3


def load_kinds(run, tmp_path):
    """Train the winner; the columns that its encoder uses."""
    done = run("train", "--from", "out", "--out", "m.skops", "--no-tune", "--learner", LOGISTIC)
    assert done.exit_code == 0, done.output
    card = (tmp_path / "m.md").read_text()
    assert "Cost per 1,000 decisions: €" in card and "always positive" not in card
    assert "1 repeat of 2 folds" in card and "`max(5, 0.05*amount)`" in card
    assert "| label delay | 7d |" in card and "scikit-learn" in card and "95% interval" in card
    stored = load_model(tmp_path / "m.skops")
    assert stored.facts["kinds"]["amount"] == "number"  # the costs need it
    return stored.model.named_steps["table"].encoder_.kinds_


def test_decisions_as_a_workbook(run, table, tmp_path):
    args = ["train", table, "--target", "fraud", *COSTS, "--learner", LOGISTIC, "--no-tune", "-q"]
    assert run(*args).exit_code == 0
    done = run("predict", "model.skops", table, "--out", "d.xlsx", "--words", "--keep", "id")
    assert done.exit_code == 0, (done.output, done.exception)
    plain = run("predict", "model.skops", table, "--out", "d.parquet", "--keep", "id")
    assert plain.exit_code == 0
    import zipfile
    from xml.etree import ElementTree

    with zipfile.ZipFile(tmp_path / "d.xlsx") as book:
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
        texts = book.read("xl/sharedStrings.xml").decode()
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    assert len(sheet.findall(f".//{space}row")) == 601
    assert "not yes" in texts and "expected_cost" in texts
    assert pl.read_parquet(tmp_path / "d.parquet")["decision"].is_in([0, 1]).all()


def test_columns_of_the_costs_that_are_no_features_still_price_new_rows(run, table, tmp_path):
    args = ["train", table, "--target", "fraud", *COSTS, "--learner", LOGISTIC, "--no-tune"]
    said = run(*args)
    assert "'amount' of the costs is a feature too" in said.stderr
    said = run(*args, "--no-cost-features", "--out", "m.skops")
    assert "of the costs" not in said.stderr
    assert run("predict", "m.skops", table, "--out", "d.csv").exit_code == 0
    amount = pl.read_csv(table)["amount"].to_numpy()
    even = np.maximum(5, 0.05 * amount)
    even = even / (even + amount)
    assert pl.read_csv(tmp_path / "d.csv")["break_even"].to_numpy() == pytest.approx(even)


def test_bad_options(refused, run, table):
    base = ["compare", table, "--target", "fraud", *COSTS]
    assert "--max-alerts must be a number" in refused(*base, "--max-alerts", "lots")
    assert "--max-reviews needs the cost" in refused(*base, "--max-reviews", "3")
    assert "--label-delay needs the time" in refused(*base, "--label-delay", "7d")
    assert "time column 'dya'" in refused(*base, "--time", "dya")
    assert "--review-cost must not be negative" in refused(*base, "--review-cost", "-1*amount")


def test_reasons_letters_and_a_page(run, table, tmp_path):
    args = ["train", table, "--target", "fraud", *COSTS, "--learner", LOGISTIC, "--no-tune"]
    assert run(*args, "--positive-means", "block", "-q").exit_code == 0
    args = ["predict", "model.skops", table, "--reasons", "2", "--letters", "--words"]
    assert run(*args, "--out", "d.csv").exit_code == 0
    limits = ["--max-alerts", "9", "--out", "few.csv"]
    assert run(*args, *limits).exit_code == 0
    found = pl.read_csv(tmp_path / "d.csv")
    assert set(found["decision"]) == {"block", "not block"}
    assert set(found["reason_1"]) <= {"amount", "kind", "day", "risk", "id"}
    blocked = found.filter(pl.col("decision") == "block")
    assert blocked["letter"].str.starts_with("The decision is to block. The main").all()
    assert (blocked["amount_1"] >= blocked["amount_2"]).all()
    assert found.filter(pl.col("decision") != "block")["letter"].null_count() > 0
    few = pl.read_csv(tmp_path / "few.csv")
    assert few["letter"].is_not_null().sum() == 9
    page = run("explain", "model.skops", table, "--fp-cost", "50")
    assert page.exit_code == 0, (page.output, page.exception)
    assert "At other costs (fp_cost = 50)" in page.stdout and "mistakes are" in page.stdout
    text = (tmp_path / "explanation.html").read_text()
    assert text.count("<svg") == 6 and "The most expensive mistakes" in text


def test_evaluate_after_the_decision(run, table, tmp_path):
    args = ["train", table, "--target", "fraud", *COSTS, "--learner", LOGISTIC, "--no-tune", *WORDS]
    assert run(*args, "--currency", "SEK", "-q").exit_code == 0
    args = ["predict", "model.skops", table, "--words", "--out", "d.csv", "-q"]
    assert run(*args).exit_code == 0
    done = run("evaluate", "d.csv", table, "--model", "model.skops", "--time", "day")
    assert done.exit_code == 0, (done.output, done.exception)
    first, promised, *_ = done.stdout.splitlines()
    assert first.startswith("600 decisions cost ") and first.endswith(" SEK.")
    assert re.match(r"Promised were [\d,.]+ SEK: they cost [\d,.]+ SEK (more|less) \(95%", promised)
    assert "always refuse" in done.stdout or "always accept" in done.stdout
    assert (tmp_path / "evaluation.html").is_file()


def test_learners_that_failed_are_named(run, table, monkeypatch):
    def fit(*_, **__):
        raise FloatingPointError("no luck")

    monkeypatch.setattr("stakes.online.ProbitClassifier.fit", fit)
    args = ["compare", table, "--target", "fraud", *COSTS, *TIMES, "--learners", "probit"]
    done = run(*args, "--folds", "2", "--no-tune", "-j", "1", "--out", "out")
    assert done.exit_code == 0
    assert "ProbitClassifier failed: FloatingPointError: no luck" in done.stderr
