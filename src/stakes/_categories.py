"""Which features are categories: by a mask, by number or by name."""

import numpy as np


def category_mask(given, d, names=()):
    """A mask of the d features out of what `categorical_features` says.

    Parameters
    ----------
    given : array-like of bool, int or str, or None
        A mask, the numbers or the names of the features that are categories; None: none is.
    d : int
        How many features there are.
    names : sequence of str, default=()
        What they are called.

    Returns
    -------
    ndarray of bool of shape (d,)

    Examples
    --------
    >>> category_mask(["kind"], 2, ["amount", "kind"]).tolist()
    [False, True]
    """
    mask = np.zeros(d, dtype=bool)
    if given is None:
        return mask
    chosen = np.asarray(given)
    if chosen.dtype == bool:
        if len(chosen) != d:
            raise ValueError(f"categorical_features has {len(chosen)} entries for {d} features.")
        return chosen
    if chosen.dtype.kind in "UO":
        names = list(names)
        unknown = [name for name in chosen if name not in names]
        if unknown:
            raise ValueError(f"categorical_features names {str(unknown[0])!r}, no column of X.")
        chosen = np.array([names.index(name) for name in chosen], dtype=np.intp)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= d):
        raise ValueError(
            f"categorical_features must be columns from 0 to {d - 1}. "
            f"Got {chosen.min()} to {chosen.max()} instead."
        )
    mask[chosen.astype(np.intp)] = True
    return mask
