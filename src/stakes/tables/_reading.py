"""Tables from files: CSV, TSV (also gzipped) and Parquet, whole or in batches."""

import difflib
import io
import itertools
from pathlib import Path

import polars as pl

from stakes.errors import InputError
from stakes.tables._csv_rows import count_rows, open_rows
from stakes.tables._kinds import cast_like, guess_kinds
from stakes.tables._values import MISSING_WORDS

BATCH_ROWS = 50_000
# as text: guessing from the first rows goes wrong later, and polars is slow to look at all
_CSV = {"null_values": sorted(MISSING_WORDS), "infer_schema": False}
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
    scan = pl.scan_csv(path, separator=separator, glob=False, **_CSV).head(n)
    frame = _collected(lambda: scan.collect(), path)
    _check_header(frame.columns, path)
    _check_all_read(frame.height, n, path)
    return cast_like(frame, guess_kinds(frame))


def scan_batches(path, batch_rows=None):
    """The file's rows in frames of at most `batch_rows`, so that it need not fit into memory.

    All columns of a CSV come as text; `cast_like` gives them the types of another table.
    """
    path, kind = check_file(path)
    size = batch_rows or BATCH_ROWS
    yield from (_parquet_batches if kind == "parquet" else _csv_batches)(path, size)


def _parquet_batches(path, size):
    scan = _collected(lambda: pl.scan_parquet(path, glob=False), path)
    _collected(scan.collect_schema, path)
    batches = iter(scan.collect_batches(chunk_size=size, maintain_order=True))
    while (batch := _collected(lambda: next(batches, None), path)) is not None:
        yield from batch.iter_slices(size)


def _csv_batches(path, size):
    with open_rows(path) as rows:
        iterator = iter(rows)
        while chunk := list(itertools.islice(iterator, size)):
            text = io.BytesIO("".join([rows.header, *chunk]).encode())
            how = _CSV | {"separator": rows.separator}
            batch = _collected(lambda: pl.read_csv(text, **how), path)  # noqa: B023
            _check_header(batch.columns, path)
            _check_all_read(batch.height, len(chunk), path)
            yield batch


def check_file(path):
    """The path and its kind, csv or parquet; a file that cannot be a table ends in a sentence."""
    path = Path(path)
    if not path.exists():
        beside = sorted(p.name for p in path.parent.glob("*")) if path.parent.is_dir() else []
        raise InputError(f"There is no file {str(path)!r}{_similar(path.name, beside)}")
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
    return f"; did you mean {close[0]!r}?" if close else "; check the path."


def _check_header(names, path):
    for name in names:
        if name.endswith("_duplicated_0"):
            twice = name.removesuffix("_duplicated_0")
            raise InputError(f"{str(path)!r} has two columns named {twice!r}; rename one of them.")


def _check_all_read(n_read, n, path):
    if n_read != n:
        raise InputError(
            f"{str(path)!r} has {n} rows but only {n_read} can be read; look for unusual quotes."
        )


def _collected(collect, path):
    try:
        return collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise InputError(f"{str(path)!r} cannot be read as a table: {reason}.") from None
