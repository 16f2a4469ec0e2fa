"""Classes and functions by their names, for names that have been checked."""

import importlib

import numpy as np
from sklearn.metrics import pairwise
from sklearn.utils.validation import check_array

# the only classes and functions that a model refers to without having an object of them
_KERNELS = ("linear", "polynomial", "sigmoid", "rbf", "laplacian", "chi2", "additive_chi2")
KERNELS = {
    **{f"sklearn.metrics.pairwise.{k}_kernel": getattr(pairwise, f"{k}_kernel") for k in _KERNELS},
    "sklearn.metrics.pairwise.cosine_similarity": pairwise.cosine_similarity,
}
VALUES = KERNELS | {
    "numpy.float64": np.float64,
    "numpy.float32": np.float32,
    "numpy.int64": np.int64,
    "numpy.int32": np.int32,
    "sklearn.utils.validation.check_array": check_array,
}
# questions of skrub's selectors about a column; only looked up if skrub is used
PREDICATES = {
    *(f"skrub._dataframe._common.is_{kind}" for kind in ("numeric", "any_date", "categorical")),
    "skrub._table_vectorizer._created_by_predicate",
    "skrub.selectors._selectors._cardinality_below",
}


def known_class(name):
    """The class of a name that has been checked."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)
