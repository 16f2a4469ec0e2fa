"""Users' tables: what is read, and the sentence for everything that is wrong with one."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pytest

from stakes.errors import InputError
from stakes.tables import load_table
from stakes.tables._csv_rows import count_rows
from stakes.tables._kinds import as_frame, cast_like, kind_of
from stakes.tables._reading import read_table, scan_batches

CSV = """amount,kind,when,late,fraud
10.5,gold,2020-01-01,true,no
200,"a, b",2020-01-02,false,yes
?,NA,,true,no
7,,2020-03-02,,no
"""


@pytest.fixture
def file(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_csv_with_dates_and_gaps(file):
    data = load_table(file(CSV), "fraud", fp_cost=5, fn_cost="10", drop=["late"])
    assert data.name == "table"
    assert data.y.tolist() == [0, 1, 0, 0] and data.positive == "yes"
    assert data.X.schema == {"amount": pl.Float64, "kind": pl.String, "when": pl.Date}
    assert data.X.null_count().row(0) == (1, 2, 1)
    assert data.fp_cost == 5


def test_a_gap_in_a_cost_is_named(file):
    with pytest.raises(InputError, match=r"fn_cost = 'amount'.* 1 row.*row 3; fill in 'amount'"):
        load_table(file(CSV), "fraud", fn_cost="amount")


@pytest.mark.parametrize("name", ["t.tsv", "t.csv.gz", "t.parquet", "t.tsv.gz", "t.txt"])
def test_other_files_give_the_same(file, tmp_path, name):
    frame = read_table(file(CSV))
    path = tmp_path / name
    if name.endswith("parquet"):
        frame.write_parquet(path)
    else:
        separator = "\t" if "tsv" in name else ";"
        text = frame.write_csv(separator=separator).encode()
        path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    assert read_table(path).equals(frame)
    assert pl.concat(scan_batches(path)).height == 4


def test_pandas_frames_are_taken():
    table = pd.DataFrame({"a": [1.0, np.nan], "s": ["x", None], "y": [0, 1]})
    table["d"] = pd.to_datetime(["2020-01-01", None])
    data = load_table(table, "y")
    assert data.X.columns == ["a", "s", "d"]
    assert data.X["s"].to_list() == ["x", None]
    assert data.X["d"].dtype == pl.Datetime and data.X["d"].null_count() == 1


def test_take_works_on_frames(file):
    text = CSV.replace("NA", "b").replace("7,,", "7,gold,")
    data = load_table(file(text), "fraud", fn_cost="where(kind == 'gold', 1, 2)")
    part = data.take(np.array([1, 0]))
    assert part.fn_cost.tolist() == [2, 1]
    assert part.y.tolist() == [1, 0] and part.X["amount"].to_list() == [200, 10.5]
    assert data.take(np.array([True, False, False, True])).X["amount"].to_list() == [10.5, 7]


@pytest.mark.parametrize(
    ("labels", "positive", "y", "word"),
    [
        ([0, 1, 1], None, [0, 1, 1], "1"),
        ([-1, 1, 1], None, [0, 1, 1], "1"),
        ([0.0, 1.0, 1.0], None, [0, 1, 1], "1"),
        ([True, False, True], None, [1, 0, 1], "true"),
        (["Yes", "No", "No"], None, [1, 0, 0], "Yes"),
        (["good", "bad", "good"], "bad", [0, 1, 0], "bad"),
        (["good", "bad", "good"], "BAD", [0, 1, 0], "bad"),
        (["a", "b", "c"], "b", [0, 1, 0], "b"),
        ([1, 2, 2], "1", [1, 0, 0], "1"),
        ([1.0, 2.0, 2.0], 1.0, [1, 0, 0], "1"),
        ([0.5, 1.5, 1.5], "1.50", [0, 1, 1], "1.5"),
        ([0, 1, 1], 0, [1, 0, 0], "0"),
    ],
)
def test_labels(labels, positive, y, word):
    data = load_table(pl.DataFrame({"x": [1, 2, 3], "y": labels}), "y", positive)
    assert data.y.tolist() == y and data.positive == word


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (dict(target="fruad"), "target column 'fruad' is not in the table: did you mean 'fraud'"),
        (dict(drop=["knid"]), "dropped column 'knid'.*did you mean 'kind'"),
        (dict(positive="maybe"), "no row.*'maybe': there are 'no' and 'yes'"),
        (dict(target="kind"), "Column 'kind' has no label in 1 row.*, first in row 4"),
        (dict(fn_cost="2*amont"), "column 'amont'.*'amount'"),
        (dict(fn_cost="where(fraud == 'yes', 1, 2)"), "uses the target 'fraud'"),
        (dict(fn_cost=0, tp_cost=3), "fn_cost is smaller than tp_cost: a mistake would be cheaper"),
        (dict(tp_cost=2, fn_cost=[3, 2, 1, 9]), "smaller than tp_cost in 1 row.*, first in row 3:"),
        (dict(tp_cost=[2.0] * 4), "fn_cost is smaller than tp_cost in 4 .*first in row 1:"),
        (dict(fn_cost=[1.0, 2.0]), "fn_cost must be a number or have one value for each of the 4"),
        (dict(fn_cost=[1.0, 2.0, np.nan, 1.0]), "fn_cost has 1 missing"),
        (dict(fn_cost="1/0"), "not a finite number"),
        (dict(target="when"), "no label"),
        (dict(target="amount", drop=["kind"]), "no label"),
        (dict(drop=["kind", "when", "late", "amount"]), "No column is left"),
    ],
)
def test_bad_tables_end_in_a_sentence(file, change, words):
    text = CSV.replace("NA", "plain")
    with pytest.raises(InputError, match=f"(?i){words}"):
        load_table(file(text), **(dict(target="fraud") | change))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b\n", "has a header but no rows"),
        ("a,b\n1,2\n3\n4,5\n", "Line 3 of .* has 1 fields, but the header has 2"),
        ("a,b\n1,2\n4,5,6\n", "Line 3 of .* has 3 fields, but the header has 2"),
        ('a,b\n1,"x\ny"\n4,5,6\n', "Line 4 of .* has 3 fields"),
        ('a,b\n1,"x\n2,3\n', "Line 2 of .* has unbalanced quotes"),
        ("a,b\n1,2\n\n4,5\n", "Line 3 of .* is empty"),
        ("a,a\n1,2\n", "two columns named 'a'"),
        (b"a,b\n1,\xff\n", "is not UTF-8 text"),
        ("a,y\n1,1\n2,1\n", "only one label, '1'"),
        ("a,y\n1,u\n2,v\n", "labels 'u', 'v'; set positive to the positive one"),
        ("a,y\n1,u\n2,v\n3,w\n", "labels 'u', 'v', 'w'; set positive to the positive one"),
    ],
)
def test_bad_files_end_in_a_sentence(file, text, words):
    with pytest.raises(InputError, match=words):
        load_table(file(text), "y")


def test_wrong_paths_end_in_a_sentence(file, tmp_path):
    file("a,b\n1,2\n")
    for path, words in [
        (tmp_path / "tabel.csv", "There is no file .*did you mean 'table.csv'"),
        (tmp_path / "nowhere" / "x.csv", "There is no file .*check the path"),
        (tmp_path, "is a folder"),
        (file("x", "table.xlsx"), "is not a .csv"),
        (file("not parquet", "t.parquet"), "cannot be read as a table"),
        (file("not gzip", "t.csv.gz"), "is not a gzip file or is damaged"),
    ]:
        with pytest.raises(InputError, match=words):
            load_table(path, "y")


def test_empty_lines_at_the_end_do_not_count(file):
    path = file("a,y\n1,0\n2,1\n\n\n")
    assert count_rows(path) == (2, ",")
    assert len(load_table(path, "y")) == 2
    assert pl.concat(scan_batches(path)).height == 2


def test_quoted_lines_and_byte_order_mark(file):
    path = file("\ufeff" + 'a,"the y"\r\n"x\r\n""z""",0\r\nb,1\r\n')
    data = load_table(path, "the y")
    assert data.X["a"].to_list()[1] == "b" and len(data) == 2


def test_batches_are_the_file(file):
    n = 1000
    frame = pl.DataFrame({"a": np.arange(n), "b": [f"t{i % 7}" for i in range(n)]})
    path = file(frame.write_csv())
    batches = list(scan_batches(path, batch_rows=64))
    assert max(batch.height for batch in batches) <= 64
    cast = cast_like(pl.concat(batches), {"a": "number"})
    assert cast["a"].to_list() == frame["a"].to_list()


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv", "t.parquet"])
def test_batches_and_the_whole_are_the_same(tmp_path, name):
    odd = ['a "b"', "two\nlines", None, "x,y", "\ttab", "z;", "é", " "]
    frame = pl.DataFrame({"s": odd * 9, "t": odd[::-1] * 9, "n": np.arange(72.0)})
    path = tmp_path / name
    if name.endswith("parquet"):
        frame.write_parquet(path)
    else:
        text = frame.write_csv(separator="\t" if "tsv" in name else ",").encode()
        path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    assert read_table(path).equals(frame)
    for size in (1, 5, 1000):
        batches = [cast_like(batch, {"n": "number"}) for batch in scan_batches(path, size)]
        assert pl.concat(batches).equals(frame)


def test_grouped_numbers_and_signs_of_money_are_numbers(file):
    path = file('price,rate,y\n"$1,234.50",3,0\n-€7,n/a,1\n"12,345,678",None,0\n£0.5,-,1\n')
    X = load_table(path, "y").X
    assert X["price"].to_list() == [1234.5, -7.0, 12345678.0, 0.5]
    assert X["rate"].to_list() == [3.0, None, None, None]


@pytest.mark.parametrize("text", ["1,23", "1.234,50", "12,34,567.0", "$", "1,234,5"])
def test_other_commas_are_not_guessed(file, text):
    assert load_table(file(f'a,y\n1,0\n"{text}",1\n'), "y").X["a"].to_list() == ["1", text]


def test_words_for_no_value_stay_categories_among_text(file):
    X = load_table(file("job,y\nnone,0\nclerk,1\n"), "y").X
    assert X["job"].to_list() == ["none", "clerk"]


def test_blanks_among_numbers_are_missing(file):
    frame = read_table(file("a,b,c\n 1, ,x\n  ,true, \n2.5,FALSE,y\n"))
    assert frame["a"].to_list() == [1.0, None, 2.5]
    assert frame["b"].to_list() == [None, True, False]
    assert frame["c"].to_list() == ["x", " ", "y"]


def test_rows_of_empty_fields_are_rows(file):
    path = file("a\tb\n\t\n1\t2\n", "t.tsv")
    assert read_table(path)["a"].to_list() == [None, 1.0]


def test_cast_like_names_what_does_not_fit():
    frame = pl.DataFrame({"a": ["1", "x"], "d": ["2020-01-01", "soon"], "b": ["TRUE", "maybe"]})
    assert kind_of(cast_like(frame.head(1), {"d": "date", "b": "boolean"})["d"].dtype) == "date"
    for name, kind, value in [
        ("a", "number", "x"),
        ("d", "date", "soon"),
        ("d", "datetime", "2020|soon"),
        ("b", "boolean", "maybe"),
    ]:
        with pytest.raises(InputError, match=f"Column '{name}'.*'({value}).*' in row 1[12]"):
            cast_like(frame, {name: kind}, first_row=11)


def test_one_column_is_dropped_by_its_name():
    table = pl.DataFrame({"id": [1, 2], "a": [0.5, 0.7], "y": [0, 1]})
    assert load_table(table, "y", drop="id").X.columns == ["a"]


def test_as_frame_takes_arrays():
    assert as_frame(np.array([[1, "a"], [2.5, None]], dtype=object)).shape == (2, 2)
    assert as_frame(pl.LazyFrame({"a": [1]})).height == 1
    with pytest.raises(InputError, match="two-dimensional"):
        as_frame(np.ones(3))


def test_any_pandas_column_is_taken():
    table = pd.DataFrame(
        {
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "word": pd.array(["x", None, "y"], dtype="string"),
            "group": pd.Categorical(["u", None, "v"]),
            "when": pd.to_datetime(["2020-01-01", None, "2020-01-03"], utc=True),
            7: [0.5, np.nan, 1.5],
        }
    )
    frame = as_frame(table)
    kinds = ["number", "boolean", "text", "text", "datetime", "number"]
    assert [kind_of(dtype) for dtype in frame.dtypes] == kinds
    assert frame.columns[-1] == "7"
    assert frame.row(1)[:5] == (None,) * 5 and np.isnan(frame.row(1)[5])
    with pytest.raises(InputError, match="two columns named 'a'"):
        as_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))


@pytest.mark.parametrize("change", [(b",", b";"), (b"1.5", b"1\xff5"), (b"2.5", b"7.5")])
@pytest.mark.parametrize("read", [read_table, lambda path: list(scan_batches(path))])
def test_changed_bytes_of_a_gzip_file_are_named_as_such(change, read, tmp_path):
    """Not as what they made of the text: a short line, no UTF-8, or nothing at all."""
    text = b"a,y\n" + b"2.5,0\n1.5,1\n" * 50
    whole = gzip.compress(text, compresslevel=0)  # stored as it is
    path = tmp_path / "t.csv.gz"
    old, new = change
    at = whole.index(old, whole.index(b"2.5"))
    path.write_bytes(whole[:at] + new + whole[at + len(new) :])
    with pytest.raises(InputError, match=r"t\.csv\.gz' is not a gzip file or is damaged \(CRC"):
        read(path)
    path.write_bytes(gzip.compress(text.replace(b",1", b"")))
    with pytest.raises(InputError, match=r"Line 3 of .* has 1 fields"):  # the text itself is bad
        read(path)
