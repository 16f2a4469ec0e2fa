"""Votes of neighbors: weights of distances, places of weighted examples, log-odds."""

import numpy as np

from stakes._core.sigmoid import LARGEST

COPY = 100.0  # log weight of a neighbor at distance zero


def log_weights(weights, distance, unit, largest):
    """Logarithm of the weight g of each distance, see `ConfidenceNeighborsClassifier`.

    Examples
    --------
    >>> log_weights("inverse", np.array([[1.0, 2.0], [0.0, 2.0]]), 2.0, 9.0).round(2).tolist()
    [[0.69, 0.0], [100.0, -inf]]
    """
    with np.errstate(divide="ignore"):
        if weights == "inverse":
            here = distance == 0.0
            # the limit of small distances: only copies count, and far more than the added votes
            copies = np.log(here) + COPY
            near = np.log(unit) - np.log(distance)
            return np.where(here.any(axis=1, keepdims=True), copies, near)
        if weights == "additive":
            return np.log(np.maximum(1.0 - distance / largest, 0.0))
        return np.zeros_like(distance)


def places_of(size, k):
    """Number of the k places that each neighbor takes, by its weight, nearest first.

    Examples
    --------
    >>> places_of(np.array([[1.0, 3.0, 1.0]]), 3).tolist()
    [[1.0, 2.0, 0.0]]
    """
    return np.clip(k - (np.cumsum(size, axis=1) - size), 0.0, size)


def log_odds(plus, minus):
    """Log-odds of the votes, finite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.log(plus) - np.log(minus), nan=0.0, posinf=LARGEST, neginf=-LARGEST)


def without(own, distance, near):
    """Remove each row's own entry; the last one if copies have crowded it out."""
    out = near == own[:, None]
    out[:, -1] |= ~out.any(axis=1)
    kept = ~out
    return (part[kept].reshape(len(own), -1) for part in (distance, near))
