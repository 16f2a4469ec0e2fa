"""`stakes attack`: the page, the numbers on it, and invalid input."""

import json

MOVES = """
max_price = 100.0
[columns.amount]
unit_price = 0.05
direction = "down"
lower = 1.0
"""


def trained(run, table_file):
    costs = ["--target", "fraud", "--fp-cost", "5", "--fn-cost", "amount"]
    learner = ["--learner", "logistic regression, Bayes decision", "--no-tune"]
    assert run("train", table_file, *costs, *learner, "--out", "m.skops").exit_code == 0


def test_the_report_of_an_attack(run, tmp_path, table_file):
    trained(run, table_file)
    (tmp_path / "moves.toml").write_text(MOVES)
    result = run("attack", "m.skops", table_file, "--moves", "moves.toml", "--out", "page")
    assert result.exit_code == 0, result.output
    assert "adversary: the bill is" in result.stdout
    assert "the moves are the cheapest possible" in result.stdout
    assert "fn_cost depends on 'amount', which can move" in result.stderr
    facts = json.loads((tmp_path / "page/attack.json").read_text())
    bills = {row["stage"]: row["bill"] for row in facts["outcomes"]}
    assert list(bills) == [
        "today",
        "after they move",
        "refitted",
        "trained on moved rows",
        "without the columns they move",
    ]
    assert bills["after they move"] > bills["today"]
    assert facts["curve"][0]["bill"] == bills["today"]
    assert facts["curve"][-1]["bill"] == bills["after they move"]
    assert len(facts["cheapest"]) <= 10
    page = (tmp_path / "page/attack.html").read_text()
    assert "<svg" in page and "http" not in page.replace("http://www.w3.org", "")
    assert "| after they move |" in (tmp_path / "page/attack.md").read_text()


def test_invalid_input(run, refused, tmp_path, table_file):
    trained(run, table_file)
    assert "There is no file" in refused("attack", "m.skops", table_file, "--moves", "no.toml")
    (tmp_path / "moves.toml").write_text("[columns.amont]\nunit_price = 1")
    sentence = refused("attack", "m.skops", table_file, "--moves", "moves.toml")
    assert "'amont' of the moves is not in the table" in sentence
