"""The available data sets of Table 1 of the CS-SVM paper, as (X, y) with y in {-1, +1}."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse

from stakes.datasets import fetch_kdd99
from stakes.reproduce._files import data_directory, data_file, load_npz, numbers_of


@dataclass(frozen=True)
class SetSpec:
    """One row of Table 1: file, positive label, columns that are no features, what is tuned."""

    file: str
    positive: object
    kind: str  # CSA: known class costs, CSU: unknown costs, IDL: imbalanced
    drop: tuple = ()
    target: str = "target"
    rows: tuple | None = None  # (train, validation, test) of a large set; None: cross-validation
    fn_cost: float = 1.0
    note: str = ""  # differences from Table 1


SETS = {
    "German Credit": SetSpec("german.data-numeric.gz", 2, "CSA", fn_cost=5.0),
    "Heart": SetSpec("heart_statlog.csv.gz", "present", "CSA", fn_cost=5.0),
    "KDD 99": SetSpec(
        "kddcup.data_10_percent.gz",
        0,
        "CSA",
        rows=(2000, 2000, 6000),
        note="from the 10 % file; the paper does not print its two-class costs, both are 1 here",
    ),
    "Breast Cancer D.": SetSpec("wdbc.npz", 0, "CSU"),
    "Breast Cancer O.": SetSpec("breast_cancer_wisconsin.csv.gz", 4, "CSU", drop=("id",)),
    "Diabetes": SetSpec("diabetes_pima.csv.gz", 1, "CSU"),
    "Echo-cardiogram": SetSpec(
        "echocardiogram.csv.gz",
        1.0,
        "CSU",
        drop=("survival", "target", "name", "group", "mult"),
        target="still_alive",
        note="the label with 131 rows at 1:2; months of survival, which determine it, dropped",
    ),
    "Liver": SetSpec("liver_bupa.csv.gz", 1, "CSU"),
    "Sonar": SetSpec("sonar.csv.gz", "M", "CSU"),
    "Tic-Tac-Toe": SetSpec("tic_tac_toe.csv.gz", "negative", "CSU"),
    "Breast Cancer P.": SetSpec("wpbc.csv.gz", "R", "IDL", drop=("ID",)),
    "Covertypes": SetSpec("covtype.npz", 4, "IDL", rows=(3000, 3000, 20000)),
    "Hepatitis": SetSpec("hepatitis.csv.gz", "DIE", "IDL"),
    "IJCNN": SetSpec(
        "ijcnn1_train.npz", 1, "IDL", rows=(2000, 2000, 10000), note="from its training file"
    ),
    "Isolet": SetSpec(
        "isolet1560.npz", 11, "IDL", rows=(600, 480, 480), note="a copy with 1,560 of 7,797 rows"
    ),
    "Survival": SetSpec("haberman.csv.gz", 2, "IDL"),
}

MISSING = ("Web Spam", "MNIST", "SIAM1", "SIAM11")


def load_set(name, data=None):
    """Features (text one-hot encoded, missing values imputed by the mean) and signs of one set.

    Large sets are reduced to a stratified random sample with a fixed seed.
    """
    spec = SETS[name]
    path = data_file(data, spec.file)
    if name == "German Credit":
        table = np.loadtxt(path)
        X, y = table[:, :-1], table[:, -1]
    elif name == "KDD 99":
        found = fetch_kdd99(data_home=data_directory(data))
        rows = _draw(found.y, sum(spec.rows))
        X, y = numbers_of(found.X[rows]), found.y[rows]
    elif path.suffix == ".npz":
        X, y = load_npz(path)
        if spec.rows is not None:
            rows = _draw(y == spec.positive, sum(spec.rows))
            X, y = X[rows], y[rows]
        X = X.toarray() if sparse.issparse(X) else X
    else:
        table = pl.read_csv(path, infer_schema_length=None)
        table = table.filter(pl.col(spec.target).is_not_null())
        y = table[spec.target].to_numpy()
        X = numbers_of(table.drop(spec.target, *(c for c in spec.drop if c in table.columns)))
    return np.ascontiguousarray(X, dtype=np.float64), np.where(y == spec.positive, 1.0, -1.0)


def _draw(y, n):
    """A stratified random sample of the rows, in random order."""
    rng = np.random.default_rng(0)
    y = np.asarray(y)
    n = min(n, len(y))
    parts = [
        rng.choice(np.flatnonzero(y == label), round(n * np.mean(y == label)), replace=False)
        for label in np.unique(y)
    ]
    return rng.permutation(np.concatenate(parts))
