"""Values and error bars side by side in one matrix."""

from math import isqrt

import numpy as np


def blocks_of(X, error_form):
    """Values and error bars of a matrix that holds them side by side."""
    X = np.asarray(X, dtype=np.float64)
    width = X.shape[1]
    if error_form == "cov":
        d = (isqrt(1 + 4 * width) - 1) // 2
        _check_width(width, d + d * d, "covariance matrices")
        return [X[:, :d], X[:, d:].reshape(len(X), d, d)]
    blocks = 3 if error_form == "interval" else 2
    _check_width(width, blocks * (width // blocks), "intervals" if blocks == 3 else "error bars")
    return np.split(X, blocks, axis=1)


def _check_width(width, needed, what):
    if not width or width != needed:
        raise ValueError(f"X has {width} columns, which cannot be values and their {what}.")


def standard_errors(blocks):
    """Standard errors from their columns, or those of uniform distributions in the intervals."""
    if blocks[0].ndim == 3:
        return np.sqrt(np.diagonal(blocks[0], axis1=1, axis2=2))
    return blocks[0] if len(blocks) == 1 else (blocks[1] - blocks[0]) / np.sqrt(12)
