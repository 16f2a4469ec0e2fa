"""The sets of Tables 5.2 to 5.4 that can be had: files of a data directory, and generators."""

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.datasets import load_diabetes, make_friedman1

from stakes.reproduce._files import data_file

# name -> file and positive label; the label whose share is the one that Table 5.2 prints
CLASSES = {
    "Anneal": ("anneal.csv.gz", "U"),
    "German": ("german_credit.csv.gz", "2"),
    "Hypothyroid": ("hypothyroid_uci3163.csv.gz", "hypothyroid"),
    "Ionosphere": ("ionosphere.csv.gz", "b"),
    "Optdigits": ("optdigits.csv.gz", "0"),
    "Spambase": ("spambase.csv.gz", "1"),
    "Waveform": ("waveform5000.csv.gz", "1"),
    "A.agnostic": ("ada_agnostic.npz", "1"),
    "A.prior": ("ada_prior.csv.gz", "1"),
    "S.agnostic": ("sylva_agnostic.npz", "1"),
    "fbis": ("text_fbis.npz", "95"),
    "oh0": ("text_oh0.npz", "Mexico"),
    "oh10": ("text_oh10.npz", "Sampling-Studies"),
    "tr12": ("text_tr12.npz", "58"),
    "tr23": ("text_tr23.npz", "271"),
}
MISSING_5_2 = (
    "Appetency, Churn, Upselling, Arrhythmia, Cylinder, Ipums, Synthetic, G.agnostic, H.prior, "
    "S.prior, Colon, Complete and Tumor were not available; of S.agnostic "
    "13,086 rows of the printed 14,395 are"
)
MISSING_5_4 = (
    "of the 21 sets of Table 5.4 only two artificial ones can be had here, drawn anew by their "
    "published formulas; below them are skewed targets of other public sets"
)


def load_classes(name, data=None):
    """X (dense or CSR) and y in {0, 1} of one set of Table 5.2."""
    file, positive = CLASSES[name]
    path = data_file(data, file)
    if file.endswith(".csv.gz"):
        frame = pl.read_csv(path, infer_schema_length=None)
        target = frame.columns[-1]
        y = (frame[target].cast(pl.String) == positive).to_numpy().astype(int)
        return numbers_of(frame.drop(target)), y
    with np.load(path) as z:
        y = (z["y"].astype(str) == positive).astype(int)
        if "indptr" in z:
            parts = (z["data"].astype(np.float64), z["indices"], z["indptr"])
            return sparse.csr_matrix(parts, shape=tuple(z["shape"])), y
        return z["X"].astype(np.float64), y


def numbers_of(frame):
    """Categories as indicators, gaps as none of them or as the column's mean, as a float array."""
    text = [name for name, kind in frame.schema.items() if kind == pl.String]
    if text:
        frame = frame.to_dummies(text).select(pl.exclude([f"{name}_null" for name in text]))
    X = frame.to_numpy().astype(np.float64)
    known = np.isfinite(X)
    counts = known.sum(axis=0)
    mean = np.where(known, X, 0.0).sum(axis=0) / np.maximum(counts, 1)
    return np.where(known, X, mean)[:, counts > 0]


def planes(n, rng):
    """2dplanes (Breiman et al. 1984): ten features of -1, 0, 1, two planes, noise."""
    X = rng.integers(-1, 2, size=(n, 10)).astype(np.float64)
    X[:, 0] = rng.choice([-1.0, 1.0], n)
    upper = 3 + 3 * X[:, 1] + 2 * X[:, 2] + X[:, 3]
    lower = -3 + 3 * X[:, 4] + 2 * X[:, 5] + X[:, 6]
    return X, np.where(X[:, 0] == 1, upper, lower) + rng.normal(size=n)


# our own skewed targets: name -> file, target column, columns that give it away or only name rows
OWN_TARGETS = {
    "liver drinks": ("liver_bupa.csv.gz", "drinks", ("target",)),
    "credit amounts": ("german_credit.csv.gz", "credit_amount", ("target",)),
    "gifts": ("kdd98_donor19372.csv.gz", "Donation.Amount", ("Donate", "ID")),
    "card limits": ("default_credit_clients.csv.gz", "limit", ("default",)),
}


def load_numbers(name, data=None):
    """X and y of one set of Table 5.4, or of one of our own skewed targets."""
    rng = np.random.default_rng(0)
    if name == "Fried":
        return make_friedman1(40_768, noise=1.0, random_state=0)
    if name == "Planes":
        return planes(40_768, rng)
    if name == "diabetes":
        return load_diabetes(return_X_y=True)
    file, target, drop = OWN_TARGETS[name]
    frame = pl.read_csv(data_file(data, file), infer_schema_length=None)
    frame = frame.filter(pl.col(target).is_not_null() & (pl.col(target) > 0))
    return numbers_of(frame.drop(target, *drop)), frame[target].to_numpy().astype(np.float64)
