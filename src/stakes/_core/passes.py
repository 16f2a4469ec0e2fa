"""Several passes over the same rows: what calibration may still learn from them."""

from contextlib import contextmanager

import numpy as np

from stakes._core.jit.prequential import MEAN_SQUARE

SAMPLE = 2048  # rows enough for the mean square of the scores


@contextmanager
def rows_seen_before(cal, scores_of, X, regret):
    """Keep a calibration in the unit of the scores while a learner reads the same rows again.

    A score of a row that was learned before says nothing about unseen rows, so the caller stops
    the calibration in later passes. But each pass lengthens the scores of unseen rows as well, and
    the map was fitted to the scores of the first pass. So its unit, the root mean square of the
    scores, grows as that of these rows does, which uses no labels.

    Parameters
    ----------
    cal : ndarray
        State of the calibration, see `jit/prequential.py`.
    scores_of : callable
        Scores of some rows before calibration.
    X : {ndarray, CSR} of shape (n, d)
        The rows.
    regret : ndarray of shape (n,)
        Costs of the possible mistakes; rows without a cost are left out.
    """
    rows = np.flatnonzero(regret > 0)
    rows = rows[:: -(-len(rows) // SAMPLE)] if len(rows) else rows
    before = np.mean(scores_of(X[rows]) ** 2) if len(rows) else 0.0
    yield
    if before > 0.0:
        cal[MEAN_SQUARE] *= np.mean(scores_of(X[rows]) ** 2) / before
