"""What comes into a stream, in the form that the compiled loops take."""

import numpy as np


def csr_parts(X):
    """The three arrays of a CSR matrix in the types that the loops are compiled for."""
    return (
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int32, copy=False),
        X.data,
    )


def two_classes(classes):
    """Both labels, sorted."""
    classes = np.unique(classes)
    if len(classes) != 2:
        raise ValueError(
            f"A stream needs its two classes before it starts. Got {classes.tolist()}; give both "
            "by classes=."
        )
    return classes
