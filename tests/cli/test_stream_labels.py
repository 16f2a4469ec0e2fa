"""`stakes stream --id`: labels that come later, in records of their own."""

import csv
import io
import json

import numpy as np
import polars as pl
import pytest

from payment_events import COSTS, events, events_and_labels
from stakes._core.model_file import load_model
from stakes.stream import DecisionStream


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def stream(run, text, *more, name="e.jsonl", costs=COSTS):
    with open(name, "w") as file:
        file.write(text if isinstance(text, str) else lines(text))
    result = run("stream", name, "--target", "fraud", "--id", "id", *costs, *more)
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize("late", [1, 30])
def test_late_labels_are_learned_as_delayed_ones(run, tmp_path, late):
    said = stream(run, events_and_labels(late=late)).stderr.splitlines()
    assert said[0].startswith("400 events, 400 labeled, ")
    assert said[1] == "400 labels arrived later, 0 events are pending."
    events().write_csv(tmp_path / "events.csv")
    more = ("--delay", late, "--out", "d.csv", "--checkpoint", "d.skops")
    delayed = run("stream", "events.csv", "--target", "fraud", *COSTS, *more)
    assert delayed.stderr.rsplit(":", 1)[0] == said[0].rsplit(":", 1)[0]  # the same money
    ours, theirs = (pl.read_csv(tmp_path / name) for name in ("decisions.csv", "d.csv"))
    assert ours.columns[:3] == ["row", "id", "decision"] and ours["id"].to_list() == [*range(400)]
    assert ours.drop("id").equals(theirs)
    assert 0 < ours["decision"].mean() < 0.9
    model = load_model(tmp_path / "stream.skops").model
    assert model.n_seen_ == 400


def test_a_table_with_empty_fields_gives_the_same(run, tmp_path):
    stream(run, events_and_labels())
    text, columns = io.StringIO(), ["id", "amount", "kind", "speed", "fraud"]
    writer = csv.DictWriter(text, columns, restval="")
    writer.writeheader()
    writer.writerows(events_and_labels())
    more = ("--out", "t.csv", "--checkpoint", "t.skops", "--drop", "id", "--keep", "id")
    stream(run, text.getvalue(), *more, name="e.csv")
    assert (tmp_path / "t.csv").read_bytes() == (tmp_path / "decisions.csv").read_bytes()


def test_events_and_labels_in_one_record_are_learned_at_once(run, tmp_path):
    table = events(60).with_row_index("id")
    stream(run, table.to_dicts())
    table.drop("id").write_csv(tmp_path / "plain.csv")
    more = ("--out", "plain-decisions.csv", "--checkpoint", "plain.skops")
    run("stream", "plain.csv", "--target", "fraud", *COSTS, *more)
    found, plain = (pl.read_csv(tmp_path / n) for n in ("decisions.csv", "plain-decisions.csv"))
    assert found.drop("id").equals(plain)


def test_a_label_is_learned_at_the_features_and_prices_of_its_event(run, tmp_path):
    first = {"id": "a", "amount": 100.0, "speed": 1.0}
    changed = {"id": "a", "amount": 5.0, "speed": -7.0, "fraud": 1}
    stream(run, [first, {"id": "b", "amount": 10.0, "speed": 0.0}, changed])
    totals = DecisionStream.load(tmp_path / "stream.skops").totals
    assert (totals.events, totals.labels, totals.positives) == (2, 1, 1)
    assert totals.never == 50.0 and totals.paid == 0.0  # 0.5 * 100, and it was acted upon
    assert pl.read_csv(tmp_path / "decisions.csv")["id"].to_list() == ["a", "b"]


def test_the_prior_decides_until_a_label_is_learned(run, tmp_path):
    story = list(events_and_labels(40, late=40))  # all labels come at the end
    stream(run, story, "--prior", 0.02)
    assert set(pl.read_csv(tmp_path / "decisions.csv")["probability"]) == {0.02}
    result = run("stream", "e.jsonl", "--target", "fraud", "--id", "id", "--prior", 2)
    assert result.exit_code == 2


def test_blocks_of_labels_alone_are_learned(run, tmp_path):
    story = list(events_and_labels(300, late=300))
    said = stream(run, story, "--every", 100).stderr
    assert "300 labels arrived later, 0 events are pending" in said
    assert load_model(tmp_path / "stream.skops").model.n_seen_ == 300


def test_what_does_not_fit_is_counted(run, tmp_path):
    def event(name, **more):
        return {"id": name, "amount": 20.0, "speed": 0.5} | more

    def label(name, **more):
        return {"id": name, "fraud": 0} | more

    story = [
        event("a"),
        event("a"),  # repeated
        {"id": "a", "fraud": None},  # repeated, with nothing that a price needs
        label("a"),
        label("a"),  # repeated
        event("a"),  # repeated
        event("b", fraud=1),
        event("b", fraud=1),  # repeated, and not learned twice
        label("nobody"),  # unknown
        label("nobody", reason="call"),  # unknown: it cannot be priced, so it is no event
        *(event(f"c{i}") for i in range(5)),  # two are dropped
        label("c1"),  # too late
        event("c1"),  # repeated
        label("c4"),
    ]
    said = stream(run, story, "--max-pending", 3).stderr.splitlines()
    assert said[0] == (
        "The id 'a' was seen before: repeated records are ignored, as an id stands for one event."
    )
    assert said[1] == (
        "More than 3 events are pending: the oldest are dropped; raise --max-pending to keep more."
    )
    assert said[2].startswith("7 events, 3 labeled, 1 positive; ")
    assert said[3] == (
        "2 labels arrived later, 2 events are pending, 2 events were dropped unlabeled, "
        "1 label arrived after that, 2 labels had unknown ids, 6 repeated records were ignored."
    )
    assert len(said) == 4
    stored = DecisionStream.load(tmp_path / "stream.skops")
    assert stored.learner.n_seen_ == 3 and stored.extra["file"]["records"] == len(story)
    again = stream(run, story, "--max-pending", 3).stderr.splitlines()
    assert again == said[2:]  # nothing new happened, so nothing is said


def test_ids_are_compared_as_they_are_written(run, tmp_path):
    names = ["7", "007", "12345678901234567", "12345678901234568"]
    rows = [f"{name},20,0.5," for name in names] + [f"{name},,,1" for name in names[:3]]
    said = stream(run, "\n".join(["id,amount,speed,fraud", *rows]) + "\n", name="e.csv").stderr
    assert "3 labels arrived later, 1 event is pending." in said
    shown = (tmp_path / "decisions.csv").read_text().splitlines()[1:]
    assert [line.split(",")[1] for line in shown] == names
    numbers = [{"id": int(name), "amount": 20.0, "speed": 0.5} for name in (7, *names[2:])]
    more = ("--checkpoint", "numbers.skops")
    assert "3 events, 1 labeled" in stream(run, [*numbers, {"id": "7", "fraud": 0}], *more).stderr


@pytest.mark.parametrize("cut", [100, 217, 430])
def test_events_that_wait_are_part_of_the_checkpoint(run, tmp_path, cut):
    story = list(events_and_labels(n=200, late=40))
    stream(run, story, "--max-pending", 35, "--out", "whole.csv", "--checkpoint", "whole.skops")
    stream(run, story[:cut], "--max-pending", 35)
    stream(run, story, "--max-pending", 35)
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "decisions.csv").read_bytes()
    ours, whole = (load_model(tmp_path / f"{name}.skops") for name in ("stream", "whole"))
    np.testing.assert_array_equal(ours.model._mu, whole.model._mu)
    assert ours.facts == whole.facts


def test_bad_ids_end_in_a_sentence(refused, run, tmp_path):
    (tmp_path / "e.csv").write_text("id,amount,fraud\n1,2,0\n")
    options = ("stream", "e.csv", "--target", "fraud", "--id")
    assert "--delay simulates late labels" in refused(*options, "id", "--delay", "3")
    assert "The id column 'di' is not in the stream: there are 'id', " in refused(*options, "di")
    (tmp_path / "e.csv").write_text("id,amount,fraud\n1,2,0\n,2,0\n")
    result = run(*options, "id")
    assert result.exit_code == 2
    assert "Record 2: There is no id in 'id'; fix or remove it" in result.stderr
    (tmp_path / "e.csv").write_text("id,amount,fraud\n1,2,0\n")
    run(*options, "id")
    result = run(*options, "id", "--drop", "amount")
    assert "was made with --drop = [], not ['amount']" in result.stderr
    result = run("stream", "e.csv", "--target", "fraud")
    assert "was made with --id = 'id', not None" in result.stderr


def test_a_misspelled_target_is_reported(run, tmp_path):
    (tmp_path / "e.jsonl").write_text(lines(events_and_labels(20, 5)))
    said = run("stream", "e.jsonl", "--target", "fruad", "--id", "id").stderr
    assert "No event had a label in 'fruad', so nothing was learned: did you mean 'fraud'?" in said
