"""The advice: the first rule that applies decides, and the evidence is from the record."""

import numpy as np
import pytest
from typer.testing import CliRunner

from stakes.cli._app import app
from stakes.compare import contestants
from stakes.study import advise, excess, stored_record
from stakes.study._figures import draw_guide
from stakes.study._rules import FEW, MANY, RULES, Facts, advised
from stakes.tables import PricedData


def flat(rows, positives, **costs):
    y = (np.arange(rows) < positives).astype(int)
    return PricedData("flat", np.zeros((rows, 1)), y, **costs)


@pytest.mark.parametrize(
    ("facts", "learner"),
    [
        (Facts(5000, 900, error_bars=True, stream=True), "UncertainLogisticClassifier"),
        (Facts(5000, 900, adversary=True, stream=True), "StackelbergClassifier"),
        (Facts(5000, 200, stream=True), "StreamBlendClassifier"),
        (Facts(5000, FEW - 1), "logistic regression, Bayes decision"),
        (Facts(2 * FEW, FEW), "recommended blend"),
        (Facts(MANY, FEW), "recommended blend"),
        (Facts(MANY, MANY - FEW + 1), "logistic regression, Bayes decision"),
    ],
)
def test_the_first_question_that_applies_decides(facts, learner):
    assert advised(facts).learner(stored_record()) == learner


def test_every_answer_can_be_run():
    known = {c.name for c in contestants(["all"], error_bars=True)}
    assert {rule.learner(stored_record()) for rule in RULES} <= known


def test_a_stream_with_few_positives_gets_the_online_learner_that_the_study_puts_first():
    record = stored_record()
    families = {f["learner"]: f["family"] for f in record["sets"][0]["learners"]}
    above = excess(record)
    ours = [n for n in above if families[n] == "online" and not n.endswith(", tuned")]
    best = min(ours, key=lambda name: above[name]["mean"])
    assert advise(flat(5000, 199), stream=True).learner == best


def test_many_rows_get_what_is_trained_once():
    answer = advised(Facts(MANY + 1, 5000)).learner(stored_record())
    assert answer == "hist gradient boosting, Bayes decision"


def test_the_evidence_is_of_the_set_most_like_the_table():
    record = stored_record()
    for one in record["sets"]:
        said = " ".join(advise(flat(one["rows"], one["positives"]), record=record).why)
        assert f"On {one['name']}, the data set" in said
        best = one["learners"][0]
        if best["learner"] == "recommended blend":
            assert f"it saved {best['savings']:.1%} of" in said
            assert f"none of the {len(one['learners'])} contestants saved more" in said
        else:
            assert f"{best['learner']}, saved {best['savings']:.1%}" in said


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        (dict(), "the usual threshold of 0.5 is right"),
        (dict(fn_cost=9.0), "above a probability of 0.100, not 0.5"),
        (dict(fn_cost=np.linspace(1, 99, 3000)), "Costs differ from row to row"),
    ],
)
def test_what_the_prices_say(costs, words):
    assert words in str(advise(flat(3000, 600, **costs)))


def test_a_heavy_tail_is_mentioned():
    heavy = flat(3000, 600, fn_cost=np.where(np.arange(3000) < 9, 1e6, 1.0))
    assert "1% of the rows hold" in str(advise(heavy))


def test_the_picture_asks_what_the_rules_ask():
    record = stored_record()
    drawn = {text.get_text() for text in draw_guide(record).axes[0].texts}
    for rule in RULES:
        assert {rule.question, rule.learner(record)} <= drawn


def test_the_command_says_it_and_what_to_type_next():
    said = CliRunner().invoke(app, ["advise", "german", "--fn-cost", "amount"])
    assert said.exit_code == 0, said.output
    assert said.stdout.startswith("Use recommended blend.\n- Independent rows")
    last = "Next: stakes compare german --fn-cost amount --learners 'recommended blend'"
    assert said.stdout.strip().splitlines()[-1] == last


@pytest.mark.parametrize(
    ("option", "page"), [("--error-bars", "uncertain"), ("--adversary", "game")]
)
def test_what_a_table_cannot_say_leads_to_its_page(option, page):
    said = CliRunner().invoke(app, ["advise", "german", option])
    assert said.exit_code == 0, said.output
    assert f"see the page '{page}'" in said.stdout and "On german" not in said.stdout
    then = "stakes compare german --error" if page == "uncertain" else f"docs/{page}.md"
    assert f"Next: {then}" in said.stdout


def test_a_stream_in_a_file_leads_to_the_stream(tmp_path):
    lines = "\n".join(f"{i},{i % 2}" for i in range(200))
    (tmp_path / "events.csv").write_text(f"x,late\n{lines}\n")
    asked = ["advise", str(tmp_path / "events.csv"), "--target", "late", "--stream"]
    said = CliRunner().invoke(app, asked)
    assert said.exit_code == 0, said.output
    last = said.stdout.strip().splitlines()[-1]
    assert last.startswith("Next: stakes stream") and "--learner " in last
    tabbed = (tmp_path / "events.csv").read_text().replace(",", "\t")
    (tmp_path / "events.tsv").write_text(tabbed)
    said = CliRunner().invoke(app, [one.replace("events.csv", "events.tsv") for one in asked])
    assert "Next: stakes compare" in said.stdout


def test_a_loss_is_not_called_a_saving():
    record = stored_record()
    for one in record["sets"]:
        for fact in one["learners"]:
            if fact["learner"] == "recommended blend":
                fact["savings"] = -0.25
    said = " ".join(advise(flat(5000, 900), record=record).why)
    assert "it cost 25.0% more than the best constant policy" in said
