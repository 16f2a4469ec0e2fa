"""The standard error of a difference between two learners over repeated cross-validation."""

import numpy as np
import pytest
from benchmarks.error_bars import paired

REPEATS, FOLDS = 4, 5


def linear(X, y, T, penalty=100.0):
    """Ridge regression on the labels as a probability."""
    Z, T = (np.column_stack([part, np.ones(len(part))]) for part in (X, T))
    return T @ np.linalg.solve(Z.T @ Z + penalty * np.diag([1.0] * X.shape[1] + [0.0]), Z.T @ y)


def curved(X, y, T):
    """The same with squares, and freer."""
    return linear(np.hstack([X, X**2]), y, np.hstack([T, T**2]), 30.0)


def losses(p, y):
    """Cost with reviews, as in the benchmark."""
    options = np.column_stack([5 * p, 1 - p, np.full(len(p), 0.5)]).argmin(axis=1)
    return np.select([options == 0, options == 1], [5 * y, 1 - y], 0.5)


def one_study(rng, units, copies):
    """Losses of both learners by row, means over repeats, and mean differences by fold."""
    label = (rng.random(units) < 0.25).astype(float)
    point = rng.normal(size=(units, 6))
    point[:, 0] += 0.7 * label
    unit = np.repeat(np.arange(units), copies)
    X, y = point[unit] + 0.1 * rng.normal(size=(len(unit), 6)), label[unit]
    found, folds = np.zeros((2, len(y))), []
    for _ in range(REPEATS):
        fold = rng.permutation(units)[unit] % FOLDS
        for k in range(FOLDS):
            test = fold == k
            both = [losses(fit(X[~test], y[~test], X[test]), y[test]) for fit in (linear, curved)]
            found[:, test] += np.array(both) / REPEATS
            folds.append((both[0] - both[1]).mean())
    return found, unit, np.array(folds)


@pytest.mark.parametrize("copies", [1, 3])
def test_the_standard_error_is_that_of_the_difference(copies):
    rng, found = np.random.default_rng(copies), []
    for _ in range(400):
        (ours, theirs), unit, folds = one_study(rng, 120, copies)
        by_row = (ours - theirs).std(ddof=1) / np.sqrt(len(unit))
        spread = folds.std(ddof=1)
        corrected = spread * np.sqrt(1 / len(folds) + 1 / (FOLDS - 1))  # Nadeau and Bengio
        found.append([*paired(ours, theirs, unit), by_row, spread / np.sqrt(len(folds)), corrected])
    away, *errors = np.array(found).T
    off = np.abs(away - away.mean())
    ratio = away.std(ddof=1) / np.sqrt(np.square(errors).mean(axis=1))  # to the promise
    assert 0.9 < ratio[0] < 1.1
    assert 0.62 < (off < errors[0]).mean() < 0.74  # 0.68 of a normal distribution
    assert (off < 1.96 * errors[0]).mean() > 0.88
    assert ratio[2] > 1.5  # folds are not independent
    assert ratio[3] < 0.75  # their correction is too large
    if copies == 1:
        np.testing.assert_allclose(errors[0], errors[1])
    else:
        assert ratio[1] > 1.5  # rows of one unit are not independent
