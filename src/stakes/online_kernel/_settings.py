"""Settings that a stream starts with and keeps."""

import numpy as np
from scipy import sparse

from stakes._core.words import shown

SETTLED = 1024  # events of dicts after which gamma="auto" stays as it is


def first_gamma(gamma, n_features, X):
    """The number that gamma stands for in a stream that starts with the rows X, None: unknown."""
    if not isinstance(gamma, str):
        return gamma
    if gamma == "auto":
        return 1.0 / max(n_features, 1)
    if X is None:
        raise ValueError(
            "gamma='scale' needs the variance of the features: start with fit or partial_fit, or "
            "give a number."
        )
    values = X.data if sparse.issparse(X) else X
    variance = np.sum(values * values) / np.prod(X.shape) - X.mean() ** 2
    return 1.0 / (n_features * variance) if variance > 0 else 1.0


def settle_gamma(model, kernel, n):
    """Let gamma="auto" follow the features per event, n in this one: d grows with every name."""
    model._entries += (1, n)
    events, entries = model._entries.tolist()
    if events >= SETTLED:
        del model._entries
    if events & (events - 1) == 0:  # a power of two: few changes, each O(vectors^2)
        kernel.set_gamma(events / max(entries, 1))


def check_unchanged(names, then, now):
    """Refuse to continue a stream with other settings."""
    for name, before, value in zip(names, then, now, strict=True):
        if before != value:
            raise ValueError(
                f"This stream started with {name}={shown(before)}, which cannot change before the "
                "next fit: set it back, call fit, or start a new model with sklearn.base.clone."
            )
