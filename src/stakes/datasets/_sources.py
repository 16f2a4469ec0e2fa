"""Where the larger public sets come from: a local directory, else scikit-learn's OpenML client."""

import os
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import polars as pl
from sklearn.datasets import fetch_openml

from stakes.errors import InputError


@dataclass(frozen=True)
class Source:
    """One public table.

    Parameters
    ----------
    name : str
        What we call it.
    file : str
        Its file in the local directory: CSV (with a header unless `header` is False) or NPZ.
    target : str
        Column of the label.
    rows : int
        How many rows it has; another number is refused.
    openml : (str, int) or None, default=None
        Name and version there; None if it is not there in this form.
    columns : tuple of str or None, default=None
        Our names for the columns, in order, the target last; None: as in the file.
    header : bool, default=True
        Whether the file's first line has names.
    """

    name: str
    file: str
    target: str
    rows: int
    openml: tuple[str, int] | None = None
    columns: tuple[str, ...] | None = None
    header: bool = True


def read_source(source, data_home=None):
    """Read a public table as a polars frame.

    Parameters
    ----------
    source : Source
        Which one.
    data_home : path, default=None
        Directory that holds its file; None: the environment variable `STAKES_DATA`. If the file
        is not there, OpenML is asked, and scikit-learn keeps what it downloads.

    Returns
    -------
    polars.DataFrame
    """
    path = local_file(source, data_home)
    table = _from_openml(source, data_home) if path is None else _read(path, source)
    if source.columns is not None and len(source.columns) == table.width:
        table.columns = list(source.columns)
    if len(table) != source.rows or source.target not in table.columns:
        raise InputError(
            f"{source.name} should have {source.rows} rows and a column {source.target!r}, but "
            f"{path or 'OpenML'} has {len(table)} rows; use the file {source.file} that the "
            "documentation names."
        )
    return table


def local_file(source, data_home=None):
    """The file of a source in `data_home`, else in `STAKES_DATA`; None if it is not there."""
    where = data_home or os.environ.get("STAKES_DATA")
    path = Path(where) / source.file if where else None
    return path if path is not None and path.is_file() else None


def not_found(source, data_home=None):
    """Half a sentence: what was not found, and where it was looked for."""
    where = data_home or os.environ.get("STAKES_DATA")
    looked = f"STAKES_DATA={where}" if where else "STAKES_DATA, which is not set"
    return f"{source.name} was not found in {looked}"


def as_categories(table):
    """Turn text into categories (Enum), and leave columns without any value out.

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
    """Labels 0 and 1, whatever the source calls them.

    Examples
    --------
    >>> is_positive(pl.Series(["'-1'", "'1'"]), "1").tolist()
    [0, 1]
    """
    text = column.cast(pl.String).str.strip_chars("' ").str.strip_suffix(".0")
    return text.is_in(positive).to_numpy().astype(np.int64)


def _read(path, source):
    try:
        return _read_npz(path) if path.suffix == ".npz" else _read_csv(path, source.header)
    except (OSError, EOFError, KeyError, ValueError, BadZipFile, pl.exceptions.PolarsError) as e:
        raise InputError(
            f"{path} cannot be read as {source.name} ({type(e).__name__}): copy it again, or take "
            "it away to have it downloaded."
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


def _from_openml(source, data_home):
    way_out = f"set STAKES_DATA to a directory that holds {source.file}"
    if source.openml is None:
        raise InputError(f"{not_found(source, data_home)}, and is not on OpenML: {way_out}.")
    name, version = source.openml
    try:
        # liac-arff and arrays: pandas is not needed
        bunch = fetch_openml(name=name, version=version, as_frame=False, parser="liac-arff")
    except (OSError, ValueError) as error:  # no network, a refused request, an unknown set
        raise InputError(
            f"{not_found(source, data_home)}, and OpenML cannot be reached "
            f"({type(error).__name__}): {way_out}, or connect to the network once."
        ) from error
    columns = {
        feature: _decoded(bunch.data[:, j], (bunch.categories or {}).get(feature))
        for j, feature in enumerate(bunch.feature_names)
    }
    return pl.DataFrame(columns).with_columns(pl.Series(source.target, list(bunch.target)))


def _decoded(column, categories):
    if categories is None:
        return pl.Series(list(column), strict=False)
    return pl.Series([None if code != code else str(categories[int(code)]) for code in column])
