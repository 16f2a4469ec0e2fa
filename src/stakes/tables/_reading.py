"""Reading CSV, TSV (also gzipped) and Parquet files, whole or in batches."""

import difflib
import io
import itertools
from pathlib import Path

import polars as pl

from stakes.errors import InputError
from stakes.tables._csv_rows import count_rows, open_rows
from stakes.tables._kinds import blank_out, cast_like, guess_kinds, kind_of
from stakes.tables._values import MISSING_WORDS

BATCH_ROWS = 50_000
# Read as text: types inferred from the first rows fail later, and polars is slow to infer from all.
_CSV = {"null_values": sorted(MISSING_WORDS), "infer_schema": False}
_SUFFIXES = ".csv, .tsv, .csv.gz, .tsv.gz or .parquet"


def read_table(path, *, missing=()):
    r"""Read a whole file as a polars frame.

    Columns of a text file whose every value is a number, true/false or a date get that type.

    Parameters
    ----------
    path : str or Path
        A .csv, .tsv (either may be .gz) or .parquet file.
    missing : str or sequence of str, default=()
        Texts that are missing values, in addition to NA, N/A, NaN, null and ?.

    Returns
    -------
    polars.DataFrame

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "loans.csv"
    >>> _ = path.write_text("amount,since,paid\n$1,2024-01-31,yes\n?,,no\n")
    >>> read_table(path).rows()
    [(1.0, datetime.date(2024, 1, 31), 'yes'), (None, None, 'no')]
    """
    path, kind = check_file(path)
    if kind == "parquet":
        frame = _collected(lambda: pl.read_parquet(path, glob=False), path)
        return blank_out(frame, missing, cast=True)
    n, separator = count_rows(path)
    scan = pl.scan_csv(path, separator=separator, glob=False, **_CSV).head(n)
    frame = _collected(lambda: scan.collect(), path)
    _check_header(frame.columns, path)
    _check_all_read(frame.height, n, path)
    frame = blank_out(frame, missing)
    return cast_like(frame, guess_kinds(frame))


def scan_batches(path, batch_rows=None):
    r"""Read a file in frames of at most `batch_rows` rows; it need not fit into memory.

    All columns of a CSV are text; :func:`cast_like` gives them the kinds of another table.

    Parameters
    ----------
    path : str or Path
        A .csv, .tsv (either may be .gz) or .parquet file.
    batch_rows : int, default=None
        Maximum number of rows per frame; None: 50,000.

    Yields
    ------
    polars.DataFrame

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "amounts.csv"
    >>> _ = path.write_text("amount\n1\n2\n3\n")
    >>> [batch["amount"].to_list() for batch in scan_batches(path, 2)]
    [['1', '2'], ['3']]
    """
    path, kind = check_file(path)
    size = batch_rows or BATCH_ROWS
    yield from (_parquet_batches if kind == "parquet" else _csv_batches)(path, size)


def read_tables(paths, columns):
    r"""Read some columns of several files as one polars frame.

    Parameters
    ----------
    paths : dict of str -> path
        Files of one kind, Parquet or text, by a name for each.
    columns : sequence of str
        Columns to read; those that no file has are left out. `row` is the name of the file, a colon
        and the file's column `row`, or the number of the row from 1 if it has none.

    Returns
    -------
    polars.DataFrame

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> paths = {name: folder / f"{name}.csv" for name in "ab"}
    >>> for path in paths.values():
    ...     _ = path.write_text("amount,color\n1,red\n2,blue\n")
    >>> read_tables(paths, ["row", "amount"]).rows()
    [('a:1', 1.0), ('a:2', 2.0), ('b:1', 1.0), ('b:2', 2.0)]
    """
    frames, text = [], False
    for name, path in paths.items():
        text |= check_file(path)[1] == "csv"
        first = 1
        for batch in scan_batches(path):
            if "row" in columns:
                own = "row" if "row" in batch.columns else pl.int_range(first, pl.len() + first)
                batch = batch.with_columns(row=pl.format("{}:{}", pl.lit(name), own))
            first += batch.height
            frames.append(batch.select(one for one in columns if one in batch.columns))
    for column in dict.fromkeys(name for one in frames for name in one.columns):
        kinds = {kind_of(one.schema[column]) if column in one.columns else None for one in frames}
        # a file may have no value at all
        if None in kinds or len(kinds - {kind_of(pl.Null())}) > 1:
            raise InputError(
                f"Column {column!r} has different types in different files; give it one."
            )
    frame = pl.concat(frames, how="vertical_relaxed")
    return cast_like(frame, guess_kinds(frame)) if text else frame


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
    """Check that a file can be a table.

    Returns
    -------
    (Path, {"csv", "parquet"})

    Examples
    --------
    >>> check_file("loans.xlsx")
    Traceback (most recent call last):
    stakes.errors.InputError: There is no file 'loans.xlsx'; check the path.
    """
    path = Path(path)
    if not path.exists():
        others = sorted(p.name for p in path.parent.glob("*")) if path.parent.is_dir() else []
        raise InputError(f"There is no file {str(path)!r}{_similar(path.name, others)}")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give a {_SUFFIXES} file.")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] in ([".parquet"], [".pq"]):
        kind = "parquet"
    elif suffixes[-1:] in ([".csv"], [".tsv"], [".txt"]) or suffixes[-1:] == [".gz"]:
        kind = "csv"
    else:
        raise InputError(f"{str(path)!r} is not a {_SUFFIXES} file; convert it to one of these.")
    if path.stat().st_size == 0:
        raise InputError(f"{str(path)!r} is empty; it needs a header line and data rows.")
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
            f"{str(path)!r} has {n} rows, but only {n_read} could be read; check its quotes."
        )


def _collected(collect, path):
    try:
        return collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise InputError(f"{str(path)!r} cannot be read as a table: {reason}.") from None
