"""Bad records can be skipped: they are counted, written to a file, and change nothing else."""

import csv
import io
import json

import pytest

from payment_events import events
from stakes.errors import InputError
from stakes.online import ProbitClassifier
from stakes.stream import DecisionStream, FileStream, Records, RowEncoder, open_records

BAD = {
    "a field is missing": b"1.5,web,0\n",
    "not UTF-8": b"1.5,\xff\xfe,0.1,0\n",
    "a lone carriage return": b"1.5,w\reb,0.1,0\n",
    "a huge field": b"1.5," + b"w" * 140_000 + b",0.1,0\n",
    "squares overflow": b"1.5,web,1e155,0\n",
    "the cost is missing": b",web,0.1,0\n",
    "the cost overflows": b"1e200,web,0.1,0\n",
    "the cost is negative": b"-4,web,0.1,0\n",
    "an unknown label": b"1.5,web,0.1,maybe\n",
    "an open quote": b'1.5,"web,0.1,0\n',
}
COSTS = dict(fp_cost="3", fn_cost="0.5*amount")


def lines(n=60):
    return events(n).write_csv().encode().splitlines(keepends=True)


def decide(folder, data, name, skip_bad=True, **settings):
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "e.csv").write_bytes(data)
    skipped = folder / name / "bad" if skip_bad else None
    with open_records(folder / name / "e.csv") as records:
        files = [folder / name / file for file in ("out.csv", "state.skops")]
        run = FileStream(records, *files, target="fraud", skipped=skipped, **COSTS, **settings)
        run.follow(every=7)
    return run


@pytest.mark.parametrize("what", BAD)
def test_a_bad_record_is_an_error_with_its_number(tmp_path, what):
    rows = lines()
    rows.insert(31, BAD[what])
    with pytest.raises(InputError, match=r"^Record 31: "):
        decide(tmp_path, b"".join(rows), "a", skip_bad=False)


@pytest.mark.parametrize("learner", ["probit", "cw-cvar", "kernel-pa"])
def test_skipped_records_change_nothing_else(tmp_path, learner):
    rows, places = lines(), dict(zip(range(5, 60, 5), BAD, strict=False))
    whole = decide(tmp_path, b"".join(rows), "good", learner=learner)
    mixed = []
    for i, row in enumerate(rows):
        mixed += [BAD[places[i]], row] if i in places else [row]
    run = decide(tmp_path, b"".join(mixed), "mixed", learner=learner)
    assert run.n_skipped == len(BAD)
    assert run.stream.totals == whole.stream.totals
    decisions = [(tmp_path / name / "out.csv").read_bytes() for name in ("good", "mixed")]
    assert decisions[0] == decisions[1]
    skipped = [json.loads(line) for line in (tmp_path / "mixed/bad").read_text().splitlines()]
    assert [one["record"] for one in skipped] == [5 + 6 * i for i in range(len(BAD))]
    assert all(one["reason"].endswith(".") and len(one) == 3 for one in skipped)
    assert skipped[0]["text"] == "1.5,web,0\n" and skipped[4]["fields"]["speed"] == "1e155"


@pytest.mark.parametrize("pipe", [False, True])
def test_a_run_with_skipped_records_resumes(tmp_path, pipe):
    rows = lines()
    for i in (50, 31, 12):
        rows.insert(i, BAD["not UTF-8"] if i < 50 else BAD["squares overflow"])
    whole = decide(tmp_path, b"".join(rows), "whole")
    decide(tmp_path, b"".join(rows[:33]), "parts")
    with open(tmp_path / "parts/bad", "a") as file:
        file.write("cut off when killed")
    if pipe:

        class Pipe(io.BytesIO):
            def seekable(self):
                return False

        records = Records(Pipe(b"".join(rows)), "csv")
        files = [tmp_path / "parts" / file for file in ("out.csv", "state.skops")]
        bad = tmp_path / "parts/bad"
        run = FileStream(records, *files, target="fraud", skipped=bad, **COSTS)
        run.follow()
    else:
        run = decide(tmp_path, b"".join(rows), "parts")
    assert run.n_skipped == whole.n_skipped == 3
    for name in ("out.csv", "bad"):
        both = [(tmp_path / folder / name).read_bytes() for folder in ("whole", "parts")]
        assert both[0] == both[1]


def test_a_run_that_stopped_can_go_past_the_bad_record(tmp_path):
    rows = lines()
    rows.insert(31, BAD["squares overflow"])
    with pytest.raises(InputError, match="Record 31: Field 'speed' is 1e\\+155; products of"):
        decide(tmp_path, b"".join(rows), "a", skip_bad=False)
    assert decide(tmp_path, b"".join(rows), "a", skip_bad=True).n_skipped == 1
    rows.append(b"2.5,web,0.1,0\n")
    run = decide(tmp_path, b"".join(rows), "a", skip_bad=False)  # and back: the count is kept
    assert run.n_skipped == 1 and run.stream.totals.events == 61
    assert (tmp_path / "a/bad").read_text().count("\n") == 1


@pytest.mark.parametrize(
    "line", [b"[1]\n", b'{"a": "\\ud800"}\n', b"[" * 100_000 + b"\n", b'{"a": {}}\n', b'"\n']
)
def test_json_lines_that_are_no_records_are_skipped(line):
    records = Records(io.BytesIO(line + b'{"a": 1}\n'), "jsonl")
    first, second = records.take(5)
    assert second == {"a": 1.0} and str(first.error).endswith(".")
    assert first.text == line.decode()[:10_000]


def test_a_line_without_an_end_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr("stakes.stream._records._LONGEST", 1000)
    data = b"a,b\n1,2\n" + b"x" * 50_000 + b"\n3,4\n"
    records = Records(io.BytesIO(data), "csv")
    found = list(iter(records.next, None))
    assert found[0] == {"a": "1", "b": "2"} and found[-1] == {"a": "3", "b": "4"}
    assert "longer than 1,000 bytes" in str(found[1].error)
    assert records.offset == len(data)


def test_a_whole_number_that_no_float_holds_is_infinite():
    records = Records(io.BytesIO(b'{"a": 1' + b"0" * 400 + b"}\n"), "jsonl")
    assert records.next() == {"a": float("inf")}


def test_a_refused_event_changes_no_scale():
    encoder = RowEncoder()
    encoder.encode({"a": 1.0, "b": 2.0})
    state = encoder.get_state()
    with pytest.raises(InputError, match="Field 'b' is 1e\\+150; products of numbers beyond"):
        encoder.encode({"a": 7.0, "c": "text", "b": 1e150})
    assert encoder.get_state() == state
    stream = DecisionStream(ProbitClassifier())
    with pytest.raises(InputError, match="fn_cost = 'a' is 1e\\+120; costs beyond"):
        DecisionStream(ProbitClassifier(), fn_cost="a").decide({"a": 1e120})
    assert stream.decide({"a": 10**400}).action == 0  # infinite: as a missing value


def test_a_carriage_return_in_a_kept_field_stays_in_its_field(tmp_path):
    data = b'{"id": "a\\rb", "x": 1, "y": 0}\n{"id": "c\\nd", "x": 2, "y": 1}\n'
    records = Records(io.BytesIO(data), "jsonl", "id")
    files = tmp_path / "out.csv", tmp_path / "state.skops"
    FileStream(records, *files, target="y", id="id").follow()
    with open(files[0], newline="") as file:
        assert [row[1] for row in csv.reader(file)] == ["id", "a\rb", "c\nd"]


def test_a_checkpoint_with_a_former_name_of_a_setting_resumes(tmp_path):
    rows = lines()
    whole = decide(tmp_path, b"".join(rows), "whole")
    first = decide(tmp_path, b"".join(rows[:33]), "parts")
    then = DecisionStream.load(tmp_path / "parts/state.skops").extra["file"]
    former = {"wait" if name == "max_pending" else name: v for name, v in first.settings.items()}
    first.stream.save(tmp_path / "parts/state.skops", file=then, settings=former)
    assert decide(tmp_path, b"".join(rows), "parts").stream.totals == whole.stream.totals
    with pytest.raises(InputError, match="was made with max_pending = 10000, not 5"):
        first.stream.save(tmp_path / "parts/state.skops", file=then, settings=former)
        decide(tmp_path, b"".join(rows), "parts", max_pending=5)
