"""Tables written batch by batch to a file that appears only when it is complete."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from stakes._core.files import appearing
from stakes.errors import InputError


@contextmanager
def write_batches(path):
    """A function that appends batches; the file appears when the context is left.

    Parameters
    ----------
    path : Path
        A .csv or .parquet file; an older one stays if anything fails.

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
    if kind not in (".csv", ".parquet"):
        raise InputError(f"{str(path)!r} must end in .csv or .parquet.")
    with appearing(path) as partial:
        with (_csv if kind == ".csv" else _parquet)(partial) as write:
            yield write


@contextmanager
def _csv(path):
    with open(path, "wb") as file:
        yield lambda batch: batch.write_csv(file, include_header=file.tell() == 0)


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
