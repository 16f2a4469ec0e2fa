"""Files of public data sets: from a local directory, else downloaded by scikit-learn."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import polars as pl
from sklearn.datasets import fetch_kddcup99, fetch_openml

from stakes._core.docs import documented
from stakes.errors import InputError


@dataclass(frozen=True)
class Source:
    """One public table.

    Parameters
    ----------
    name : str
        Name of the data set.
    file : str
        File name in the local directory, .csv.gz, .npz or .parquet.
    target : str
        Label column.
    rows : int
        Number of rows; a table with another number is refused.
    download : callable or None, default=None
        Returns the table of a source; None if it cannot be downloaded.
    columns : tuple of str or None, default=None
        Names of the columns, the target last; None: as in the file.
    header : bool, default=True
        Whether the file has a header line.
    """

    name: str
    file: str
    target: str
    rows: int
    download: Callable | None = None
    columns: tuple[str, ...] | None = None
    header: bool = True

    @property
    def documented(self):
        """Decorator that fills ``[data_home]`` in the docstring of a `fetch_` function."""
        otherwise = ", else it is downloaded" if self.download else ""
        return documented(
            {
                "data_home": "data_home : path, default=None\n"
                f"    Directory with `{self.file}`; None: `STAKES_DATA`{otherwise}."
            }
        )


def read_source(source, data_home=None):
    """Read a public table as a polars frame.

    Parameters
    ----------
    source : Source
        The table.
    data_home : path, default=None
        Directory of its file; None: the environment variable `STAKES_DATA`. If the file is not
        there, it is downloaded, and cached by scikit-learn.

    Returns
    -------
    polars.DataFrame
    """
    path = _local_file(source, data_home)
    table = _downloaded(source, data_home) if path is None else _read(path, source)
    if source.columns is not None and len(source.columns) == table.width:
        table.columns = list(source.columns)
    if len(table) != source.rows or source.target not in table.columns:
        raise InputError(
            f"{source.name} should have {source.rows} rows and a column {source.target!r}, but "
            f"{path or 'the download'} has {len(table)} rows and the columns "
            f"{', '.join(table.columns[:3])}, ...; use the original {source.file}."
        )
    return table


def _local_file(source, data_home):
    where = data_home or os.environ.get("STAKES_DATA")
    path = Path(where) / source.file if where else None
    return path if path is not None and path.is_file() else None


def as_categories(table):
    """Turn text columns into categories (Enum) and drop empty columns.

    Examples
    --------
    >>> as_categories(pl.DataFrame({"a": ["x", None, "w"]}))["a"].dtype
    Enum(categories=['w', 'x'])
    """
    table = table.select(column for column in table if column.null_count() < len(column))
    return table.with_columns(
        column.cast(pl.Enum(column.drop_nulls().unique().sort()))
        for column in table
        if column.dtype == pl.String
    )


def is_positive(column, *positive):
    """Labels 0 and 1, given the spellings of the positive label.

    Examples
    --------
    >>> is_positive(pl.Series(["'-1'", "'1'"]), "1").tolist()
    [0, 1]
    """
    text = column.cast(pl.String).str.strip_chars("' ").str.strip_suffix(".0")
    return text.is_in(positive).to_numpy().astype(np.int64)


def _read(path, source):
    try:
        if path.suffix == ".parquet":
            return pl.read_parquet(path, glob=False)
        return _read_npz(path) if path.suffix == ".npz" else _read_csv(path, source.header)
    except (OSError, EOFError, KeyError, ValueError, BadZipFile, pl.exceptions.PolarsError) as e:
        raise InputError(
            f"{path} cannot be read as {source.name} ({type(e).__name__}): copy it again, or "
            "remove it so that it is downloaded."
        ) from e


def _read_csv(path, header):
    return pl.read_csv(path, has_header=header, infer_schema_length=100_000, null_values=["", "?"])


def _read_npz(path):
    """The credit-card file: arrays Time, V, Amount, y."""
    with np.load(path, allow_pickle=False) as arrays:
        columns = {"Time": arrays["Time"]}
        columns |= {f"V{j + 1}": column for j, column in enumerate(arrays["V"].T)}
        columns |= {"Amount": arrays["Amount"], "Class": arrays["y"]}
    return pl.DataFrame(columns)


def _downloaded(source, data_home):
    where = data_home or os.environ.get("STAKES_DATA")
    looked = f"STAKES_DATA={where}" if where else "STAKES_DATA, which is not set"
    missing = f"{source.name} was not found in {looked}, and"
    fix = f"set STAKES_DATA to a directory that contains {source.file}"
    if source.download is None:
        raise InputError(f"{missing} it cannot be downloaded: {fix}.")
    try:
        return source.download(source)
    except (OSError, ValueError) as error:  # no network, a refused request, an unknown set
        raise InputError(
            f"{missing} the download failed ({type(error).__name__}): {fix}, or connect to the "
            "network."
        ) from error


def from_openml(name, version):
    """Download a table from OpenML, for `Source.download`."""

    def download(source):
        # arrays and liac-arff: pandas is not needed
        bunch = fetch_openml(name=name, version=version, as_frame=False, parser="liac-arff")
        columns = {
            feature: _decoded(bunch.data[:, j], (bunch.categories or {}).get(feature))
            for j, feature in enumerate(bunch.feature_names)
        }
        return pl.DataFrame(columns).with_columns(pl.Series(source.target, list(bunch.target)))

    return download


def from_kddcup99(source):
    """Download KDD Cup 1999, for `Source.download`."""
    bunch = fetch_kddcup99(percent10=True)
    columns = {}
    arrays = np.column_stack([bunch.data, bunch.target]).T
    for name, column in zip(source.columns, arrays, strict=True):
        text = isinstance(column[0], bytes)
        columns[name] = [value.decode() for value in column] if text else column.astype(float)
    return pl.DataFrame(columns)


def _decoded(column, categories):
    if categories is None:
        return pl.Series(list(column), strict=False)
    return pl.Series([None if code != code else str(categories[int(code)]) for code in column])
