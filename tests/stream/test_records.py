"""Records of files and pipes."""

import csv
import gzip
import io
import os

import pytest

from payment_events import events
from stakes.errors import InputError
from stakes.stream import Records, open_records
from stakes.stream._file_stream import _csv_line
from stakes.stream._records import BadRecord


def test_a_pipe_is_read_as_far_as_it_has_come():
    out, into = os.pipe()
    with open(out, "rb") as file, open(into, "wb") as writer:
        writer.write(events(7).write_csv().encode() + b"1.5,web")
        writer.flush()  # and stays open: nothing tells whether more will come
        records = Records(file, "csv")
        assert len(records.take(5)) == 5 and records.ready
        assert len(records.take(256)) == 2 and not records.ready
        writer.write(b",0.25,1\n")
        writer.flush()
        assert records.take(256) == [dict(amount="1.5", kind="web", speed="0.25", fraud="1")]
    assert records.count == 8


def test_a_pipe_that_was_not_sent_from_its_start_is_refused():
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    records = Records(Pipe(b"a\n1\n2\n"), "csv")
    with pytest.raises(InputError, match="ended before the position of the checkpoint"):
        records.resume(100, 3)


def test_the_format_is_found_by_the_name(tmp_path):
    (tmp_path / "e.ndjson").write_text('{"a": 7, "b": true}\n')
    with open_records(tmp_path / "e.ndjson", id="a") as records:
        assert records.next() == {"a": "7", "b": True} and records.next() is None
    with pytest.raises(InputError, match="give format: csv or jsonl"):
        with open_records(tmp_path / "e.txt"):
            pass


@pytest.mark.parametrize(
    "line", ["1,2", " 1 , 2 ", ",", "a,é", 'a"b,c', '"a,b",c', '"a\nb",c', "a\t,'b'", "1,2\r"]
)
def test_lines_without_quotes_are_read_and_written_as_csv_does(line, tmp_path):
    """Plain lines take a shorter way than those that need the csv module."""
    path = tmp_path / "t.csv"
    path.write_text(f"x,y\n{line}\n", newline="")
    with open(path, newline="") as file:
        (expected,) = csv.DictReader(file)
    with open_records(path) as records:
        assert records.next() == expected
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerow(expected.values())
    assert _csv_line(list(expected.values())) == written.getvalue().removesuffix("\r\n") + "\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", 'a,y\n1,0\n1\x002,0\n"1\n\x00",1\n3,1\n'),
        ("t.jsonl", '{"a": 1}\n{"a": "\\u0000"}\n{"\\u0000": 1}\n{"a": "\\\\u0000"}\n'),
    ],
)
def test_a_nul_is_a_bad_record(name, text, tmp_path):
    path = tmp_path / name
    path.write_bytes(text.encode())
    with open(path, "rb") as file:
        records = Records(file, path.suffix[1:])
        found = [records.next() for _ in range(4)]
    bad = [one for one in found if isinstance(one, BadRecord)]
    assert len(bad) == 2 + (name == "t.csv")  # the second line of a bad record is bad itself
    assert "NUL" in str(bad[0].error) and not isinstance(found[0], BadRecord)


@pytest.mark.parametrize(("name", "kind"), [("e.csv.gz", None), ("e.jsonl.gz", None), ("e", "csv")])
def test_compressed_input_is_named(name, kind, tmp_path, monkeypatch):
    data = gzip.compress(b"a,b\n1,2\n")
    (tmp_path / name).write_bytes(data)
    with (
        pytest.raises(InputError, match=rf"{name}' is compressed; unpack it, or send it through"),
        open_records(tmp_path / name, kind),
    ):
        pass
    pipe = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))
    monkeypatch.setattr("sys.stdin", pipe)
    with pytest.raises(InputError, match=r"The input is compressed; .*gunzip"), open_records("-"):
        pass
