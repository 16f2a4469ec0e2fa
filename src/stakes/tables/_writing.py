"""Tables written batch by batch to a file that appears only when it is complete."""

import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from stakes._core.files import appearing
from stakes.errors import InputError

_SHEET_ROWS = 1_048_575


@contextmanager
def write_batches(path, *, excel=False):
    """A function that appends batches; the file appears when the context is left.

    Parameters
    ----------
    path : Path
        A .csv, .parquet or .xlsx file; an older one stays if anything fails.
    excel : bool, default=False
        Whether a CSV begins with the mark by which Excel knows UTF-8.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with write_batches(Path(folder) / "a.csv") as write:
    ...         write(pl.DataFrame({"a": [1]}))
    ...         write(pl.DataFrame({"a": [2]}))
    ...     print((Path(folder) / "a.csv").read_text().split())
    ['a', '1', '2']
    """
    kind = Path(path).suffix.lower()
    if kind not in _KINDS:
        raise InputError(f"{str(path)!r} must end in .csv, .parquet or .xlsx.")
    with appearing(path) as partial:
        with (_csv_for_excel if excel and kind == ".csv" else _KINDS[kind])(partial) as write:
            yield write


@contextmanager
def _csv(path, start=b""):
    with open(path, "wb") as file:
        file.write(start)
        yield lambda batch: batch.write_csv(file, include_header=file.tell() == len(start))


def _csv_for_excel(path):
    return _csv(path, b"\xef\xbb\xbf")


@contextmanager
def _xlsx(path):
    """A workbook is written as a whole, at the end."""
    if find_spec("xlsxwriter") is None:
        raise InputError('Excel files need the package xlsxwriter: pip install "stakes[excel]".')
    batches = []
    yield batches.append
    table = pl.concat(batches)
    if table.height > _SHEET_ROWS:
        raise InputError(
            f"An Excel sheet has at most {_SHEET_ROWS:,} rows, and there are {table.height:,}; "
            "write a .csv or .parquet file."
        )
    with open(path, "wb") as file:
        table.write_excel(file, worksheet="decisions", autofit=True)


@contextmanager
def _parquet(path):
    """Parts next to the file, put together at the end without holding them in memory."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f"{path.name}.") as folder:
        parts = []

        def write(batch):
            parts.append(Path(folder) / f"{len(parts):08d}.parquet")
            batch.write_parquet(parts[-1])

        yield write
        pl.scan_parquet(parts, glob=False).sink_parquet(path, maintain_order=True)


_KINDS = {".csv": _csv, ".parquet": _parquet, ".xlsx": _xlsx}
