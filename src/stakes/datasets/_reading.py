"""Tables from files: CSV, TSV (also gzipped) and Parquet, whole or in batches."""

import csv
import difflib
import gzip
import itertools
from pathlib import Path

import polars as pl

from stakes.datasets._kinds import cast_like, guess_kinds
from stakes.errors import InputError

MISSING = ["NA", "N/A", "NaN", "nan", "null", "NULL", "?"]  # beside the empty string
BATCH_ROWS = 50_000
_SUFFIXES = ".csv, .tsv, .csv.gz, .tsv.gz or .parquet"


def read_table(path):
    """A whole file as a polars frame: dates parsed, missing values kept as nulls.

    Parameters
    ----------
    path : str or Path
        A .csv, .tsv (either also .gz) or .parquet file.
    """
    path, kind = check_file(path)
    if kind == "parquet":
        return _collected(lambda: pl.read_parquet(path, glob=False), path)
    n, separator = count_rows(path)
    frame = _collected(lambda: _scan_csv(path, separator, n).collect(), path)
    _check_header(frame.columns, path)
    _check_all_read(frame.height, n, path)
    return cast_like(frame, guess_kinds(frame))


def scan_batches(path, batch_rows=BATCH_ROWS):
    """The file's rows in frames of at most `batch_rows`, so that it need not fit into memory.

    All columns of a CSV come as text; `cast_like` gives them the types of another table.
    """
    path, kind = check_file(path)
    n = None
    if kind == "parquet":
        scan = pl.scan_parquet(path, glob=False)
    else:
        n, separator = count_rows(path)
        scan = _scan_csv(path, separator, n)
    names = _collected(scan.collect_schema, path).names()
    _check_header(names, path)
    batches = iter(scan.collect_batches(chunk_size=batch_rows, maintain_order=True))
    n_read = 0
    while (batch := _collected(lambda: next(batches, None), path)) is not None:
        n_read += batch.height
        yield from batch.iter_slices(batch_rows)
    _check_all_read(n_read, n, path)


def count_rows(path):
    """Number of data rows and the separator of a CSV; a ragged row ends in a sentence.

    polars fills short rows up with nulls without a word, so they are looked for here, in one pass
    that keeps nothing in memory. Empty lines at the end do not count.
    """
    path = Path(path)
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as lines:
            return _count_rows(lines, path)
    except (UnicodeDecodeError, EOFError, OSError) as error:  # also a bad gzip
        raise InputError(
            f"{str(path)!r} cannot be read as text in UTF-8 ({error}); save it as a CSV in UTF-8."
        ) from None


def _count_rows(lines, path):
    header = next(lines, "")
    separator = _separator(header, path)
    rest = _Counted(lines)
    width = _fields(header, rest, separator, 1, path)
    n, trailing, line_number = 0, 0, 1 + rest.count
    for line in lines:
        line_number += 1
        if line.isspace():
            trailing += 1
            continue
        if '"' in line:
            start, rest = line_number, _Counted(lines)
            fields = _fields(line, rest, separator, start, path)
            line_number = start + rest.count
        else:
            start, fields = line_number, line.count(separator) + 1
        if fields != width:
            raise InputError(
                f"Line {start} of {str(path)!r} has {fields} fields where the header has {width}; "
                "mend that line, or put text that has separators in it between double quotes."
            )
        if trailing and width > 1:
            raise InputError(f"Line {start - 1} of {str(path)!r} is empty; remove it.")
        n += 1 + trailing
        trailing = 0
    if not width or not n:
        what = "has a header but no rows" if width else "is empty"
        raise InputError(f"{str(path)!r} {what}; a header line and rows below it are needed.")
    return n, separator


def _fields(line, rest, separator, line_number, path):
    """How many fields a line has, reading on where a quoted field spans lines."""
    lines = itertools.chain([line], rest)
    try:
        return len(next(csv.reader(lines, delimiter=separator, strict=True), []))
    except csv.Error as error:
        raise InputError(
            f"Line {line_number} of {str(path)!r} has quotes that do not match ({error}); "
            "a quote inside quoted text is written twice."
        ) from None


class _Counted:
    """Lines of a file, counted as they are taken."""

    def __init__(self, lines):
        self.lines, self.count = lines, 0

    def __iter__(self):
        return self

    def __next__(self):
        line = next(self.lines)
        self.count += 1
        return line


def _separator(header, path):
    if ".tsv" in [suffix.lower() for suffix in path.suffixes[-2:]]:
        return "\t"
    counts = {mark: header.count(mark) for mark in (",", ";", "\t", "|")}
    return max(counts, key=counts.get)  # the first of equals: the comma


def check_file(path):
    """The path and its kind, csv or parquet; a file that cannot be a table ends in a sentence."""
    path = Path(path)
    if not path.exists():
        beside = sorted(p.name for p in path.parent.glob("*")) if path.parent.is_dir() else []
        raise InputError(f"There is no file {str(path)!r}{_similar(path.name, beside)}.")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give a {_SUFFIXES} file.")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] in ([".parquet"], [".pq"]):
        kind = "parquet"
    elif suffixes[-1:] in ([".csv"], [".tsv"], [".txt"]) or suffixes[-1:] == [".gz"]:
        kind = "csv"
    else:
        raise InputError(f"{str(path)!r} is not a {_SUFFIXES} file; convert it first.")
    if path.stat().st_size == 0:
        raise InputError(f"{str(path)!r} is empty; a header line and rows below it are needed.")
    return path, kind


def _similar(name, names):
    close = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else "; check the path"


def _check_header(names, path):
    for name in names:
        if name.endswith("_duplicated_0"):
            twice = name.removesuffix("_duplicated_0")
            raise InputError(f"{str(path)!r} has two columns named {twice!r}; rename one of them.")


def _check_all_read(n_read, n, path):
    if n is not None and n_read != n:
        raise InputError(
            f"{str(path)!r} has {n} rows but only {n_read} can be read; look for unusual quotes."
        )


def _scan_csv(path, separator, n):
    # as text: guessing from the first rows goes wrong later, and polars is slow to look at all
    how = dict(null_values=MISSING, infer_schema=False, glob=False)
    return pl.scan_csv(path, separator=separator, **how).head(n)


def _collected(collect, path):
    try:
        return collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise InputError(f"{str(path)!r} cannot be read as a table: {reason}.") from None
