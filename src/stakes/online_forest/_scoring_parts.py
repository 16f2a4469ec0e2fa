"""What the scores of a stream forest are made of, for the export of a model."""

from typing import NamedTuple

import numpy as np

from stakes.online_forest._state import (
    CALIBRATE,
    CHILD,
    CUT,
    FARTHEST,
    FEATURE,
    LINEAR,
    MEAN,
    MISSING_LEFT,
    N_BINS,
    N_COLUMNS,
    N_SEEN,
    SHARES,
    WHERE,
)
from stakes.online_forest._walk_jit import HIGHEST


class ForestParts(NamedTuple):
    """A forest of t trees with n nodes and h half-lives on d features.

    `mean` and `deviation` (d,) standardize, up to `farthest` deviations; a deviation of zero means
    that a feature has no part in the `lines` (h, d + 1), whose last column is the intercept.
    `value` (t, n, h) is that of a leaf, whose `feature` is -1; other nodes have their children at
    `child` and the place after it, in arrays (t, n). A category goes left if its bin is the `cut`;
    its code has one of `n_bins` bins, which depend on the `place` (t,) of the tree. Probabilities
    are mixed by `shares` (h,), from log-odds up to `highest`. `calibration` may be None.
    """

    mean: np.ndarray
    deviation: np.ndarray
    farthest: float
    lines: np.ndarray
    feature: np.ndarray
    child: np.ndarray
    missing_left: np.ndarray
    cut: np.ndarray
    value: np.ndarray
    place: np.ndarray
    is_category: np.ndarray
    n_bins: int
    shares: np.ndarray
    highest: float
    calibration: np.ndarray | None


class BlendParts(NamedTuple):
    """A blend: members, whether each takes missing values, and how they are mixed.

    `mean`, `deviation` and `farthest` as in :class:`ForestParts`. Probabilities of the members are
    clipped at `smallest`; the stack takes log-odds up to `most_odds` times `weights`, the last of
    which is its intercept; probabilities are mixed by `shares`, the last of which is the stack's.
    """

    mean: np.ndarray
    deviation: np.ndarray
    farthest: float
    members: list
    smallest: float
    most_odds: float
    weights: np.ndarray
    shares: np.ndarray
    highest: float


def forest_parts(f):
    """The parts of a forest of two classes."""
    place = f.trees[:-1, WHERE].astype(np.intp)
    nodes, h = f.nodes[place], f.value.shape[2]
    lines = f.linear[:, :, MEAN].copy()
    lines[:, :-1] *= f.head[LINEAR]
    return ForestParts(
        *standard(f.scale, f.head[N_SEEN], f.head[N_COLUMNS]),
        FARTHEST,
        lines,
        *(nodes[:, :, slot] for slot in (FEATURE, CHILD, MISSING_LEFT)),
        f.points[place, :, CUT],
        f.value[place, :, :, MEAN],
        place,
        f.categorical > 0,
        N_BINS,
        f.head[SHARES : SHARES + h],
        HIGHEST,
        f.head if f.head[CALIBRATE] else None,
    )


def standard(scale, n_seen, n_columns):
    """Mean and standard deviation of each feature; zero for those that are not used."""
    used = (np.arange(scale.shape[1]) < n_columns) & (scale[1] > 0)
    return scale[0], np.sqrt(np.where(used, scale[1], 0.0) / max(n_seen, 1.0))
