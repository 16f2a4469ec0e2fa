"""The folder with the papers' public data sets, and what more than one paper reads from it."""

import os
from pathlib import Path

import numpy as np
import polars as pl
from scipy import sparse

from stakes.errors import InputError

DATA_PAGE = "docs/reproductions/data.md"
NON_DONORS_KEPT = 90_569 / 14_529  # non-donors of KDD 98 per non-donor in our copy


class DataMissing(InputError):
    """The public data sets are not available."""


def data_directory(data=None):
    """The folder of the data files: the argument, or STAKES_DATA."""
    where = data or os.environ.get("STAKES_DATA")
    if not where or not Path(where).is_dir():
        looked = f"there is no folder {str(where)!r}" if where else "STAKES_DATA is not set"
        raise DataMissing(
            f"The public data sets are not available ({looked}): download the files listed in "
            f"{DATA_PAGE} into a folder and pass it as --data or set STAKES_DATA."
        )
    return Path(where)


def data_file(data, name):
    """Path of one data file."""
    path = data_directory(data) / name
    if not path.is_file():
        raise DataMissing(f"There is no {name} in {str(path.parent)!r}; see {DATA_PAGE}.")
    return path


def load_npz(path):
    """X (float64, dense or CSR as stored) and y of an `.npz` file."""
    with np.load(path) as held:
        if "X" in held.files:
            return held["X"].astype(np.float64), held["y"]
        parts = held["data"].astype(np.float64), held["indices"], held["indptr"]
        return sparse.csr_matrix(parts, shape=tuple(held["shape"])), held["y"]


def load_donors(data=None):
    """Features, gifts (0: no donation) and the number of people that each row of KDD 98 stands for.

    Our copy has all donors and a sample of the non-donors.
    """
    table = pl.read_csv(
        data_file(data, "kdd98_donor19372.csv.gz"),
        infer_schema_length=None,
        null_values=["NA", "?", "."],
    )
    gift = table["Donation.Amount"].fill_null(0.0).to_numpy()
    X = numbers_of(table.drop("Donate", "Donation.Amount", "ID", "CLUSTER_CODE", "OVERLAY_SOURCE"))
    return X, gift, np.where(gift > 0, 1.0, NON_DONORS_KEPT)


def numbers_of(table):
    """Text as 0/1 columns, missing values replaced by the column's mean."""
    text = [c for c, kind in zip(table.columns, table.dtypes, strict=True) if not kind.is_numeric()]
    wide = table.with_columns(pl.col(text).cast(pl.String)).to_dummies(text) if text else table
    X = wide.cast(pl.Float64).to_numpy()
    mean = np.nanmean(X, axis=0)
    return np.where(np.isnan(X), mean, X)
