"""The data sets of the CSDUOL paper, y in {-1, +1}: raw for Table 2, standardised for Table 4."""

import numpy as np
import polars as pl
from scipy import sparse

from stakes.reproduce._files import data_directory, load_npz

COD_RNA_ROWS = 10_000  # fits the table's own numbers of mistakes


def load_set(name, data=None):
    """Features and signs of one data set.

    Parameters
    ----------
    name : str
        As in the paper's tables.
    data : path, default=None
        Folder with the files; None: `STAKES_DATA`.

    Returns
    -------
    (X, y)
        X as an array, or CSR where the features are binary and sparse.
    """
    return _READERS[name](data_directory(data))


def _npz(file):
    def read(where):
        X, y = load_npz(where / file)
        return X, np.where(y > 0, 1.0, -1.0)

    return read


def _german(where):
    table = np.loadtxt(where / "german.data-numeric.gz")
    return table[:, :-1], np.where(table[:, -1] == 2, 1.0, -1.0)


def _csv(file, positive, scale):
    def read(where):
        table = pl.read_csv(where / file, null_values="?").drop_nulls()
        X, label = table[:, :-1].cast(pl.Float64).to_numpy(), table[:, -1].to_numpy()
        return (standardised(X) if scale else X), np.where(label == positive, 1.0, -1.0)

    return read


def _cod_rna(where):
    X, y = load_npz(where / "cod-rna_train_zscored.npz")
    rows = np.random.default_rng(0).permutation(len(y))[:COD_RNA_ROWS]
    return X[rows], np.where(y[rows] > 0, 1.0, -1.0)


def standardised(X):
    """The features with mean zero and variance one; those that are constant with zero."""
    X = X.toarray() if sparse.issparse(X) else X
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


_READERS = {
    "a7a": _npz("a7a.npz"),
    "german": _german,
    "spambase": _csv("spambase.csv.gz", 1, scale=False),
    "w7a": _npz("w7a.npz"),
    "cod-rna": _cod_rna,
    "australian": _csv("australian.csv.gz", 1, scale=True),
    "breast cancer": _csv("breast_cancer_wisconsin.csv.gz", 4, scale=True),
}
