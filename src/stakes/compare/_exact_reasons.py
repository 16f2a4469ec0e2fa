"""Exact Shapley values of probabilities for any number of columns: trees and linear models."""

import numpy as np

from stakes._core.deciding import final_step
from stakes.decision import BayesDecisionClassifier
from stakes.tables import TableEncoder

WIDEST = 20.0  # the error of the sum over frequencies is e to the power of minus twice this
_PAIRS = 256  # rows times background rows at a time


def exact_values(model, background, columns):
    """A function from rows to exact values, or None if the model allows none.

    Parameters
    ----------
    model : Pipeline
        The fitted model.
    background : polars.DataFrame
        Typical rows, with the kinds of training.
    columns : list of str
        The columns to explain.

    Returns
    -------
    callable or None
        Rows -> ndarray of shape (n, n_columns), as :meth:`stakes.compare.Reasons.of_probability`,
        or None if the columns of these rows interact.
    """
    decider, before = final_step(model)
    inner = decider
    if isinstance(decider, BayesDecisionClassifier):
        if decider.prior_ is not None:
            return None
        inner = decider.estimator_
    if hasattr(inner, "nodes_") and len(before) == 1 and isinstance(before[0], TableEncoder):
        return _of_tree(inner, before[0], background, columns)
    if hasattr(inner, "coef_") and hasattr(inner, "predict_proba"):
        return _of_log_odds(inner, before, background, columns)
    return None


def _of_tree(inner, encoder, background, columns):
    names = encoder.column_of_feature_
    if not set(names) <= set(columns):
        return None
    players = [columns.index(name) for name in names]
    Z = encoder.encode(background)

    def values(X):
        from stakes.tree import tree_shapley  # it compiles loops, which other models do not need

        found = np.zeros((X.height, len(columns)))
        found[:, : max(players) + 1] = tree_shapley(inner, encoder.encode(X), Z, players)
        return found

    return values


def _of_log_odds(inner, before, background, columns):
    def score(table):
        Z = table
        for step in before:
            Z = step.transform(Z)
        return np.asarray(inner.decision_function(Z), dtype=np.float64)

    start = score(background)

    def values(X):
        n, b = X.height, background.height
        found = np.zeros((n, len(columns)))
        each = max(1, _PAIRS // b)
        for first in range(0, n, each):
            rows = X[first : first + each]
            steps = np.zeros((rows.height, b, len(columns)))
            for j, name in enumerate(columns):
                mixed = background[np.tile(np.arange(b), rows.height)].with_columns(
                    rows[name].gather(np.repeat(np.arange(rows.height), b)).alias(name)
                )
                steps[:, :, j] = score(mixed).reshape(rows.height, b) - start
            end = score(rows)
            gap = np.abs(start + steps.sum(axis=2) - end[:, None]).max()
            if gap > 1e-8 * max(1.0, np.abs(end).max()):  # columns interact: not additive
                return None
            found[first : first + each] = logistic_shapley(start, steps).mean(axis=1)
        return found

    return values


def logistic_shapley(start, steps):
    r"""Shapley values of :math:`\sigma(s + \sum_{j \in S} u_j)`, exact for any number of players.

    With :math:`\sigma(t) = \tfrac12 + \int_0^\infty \sin(\omega t) / \sinh(\pi\omega)\,d\omega`,
    the game is an integral of games whose outcome is a product over the players,
    :math:`e^{i\omega u_j}`. Their Shapley values are integrals over the share q of the other
    players that take part,

    .. math:: \phi_j = \int_0^1 (e^{i\omega u_j} - 1) \prod_{k \ne j}
              (1 - q + q e^{i\omega u_k})\,dq ,

    a polynomial in q, which Gauss-Legendre nodes integrate exactly. The integral over
    :math:`\omega` is a trapezoidal sum, whose error falls exponentially.

    Parameters
    ----------
    start : ndarray of shape (b,)
        Log-odds :math:`s` of the background rows.
    steps : ndarray of shape (n, b, d)
        What each column adds, :math:`u`.

    Returns
    -------
    ndarray of shape (n, b, d)

    Examples
    --------
    >>> logistic_shapley(np.zeros(1), np.array([[[1.0, -1.0]]])).round(6).tolist()
    [[[0.231059, -0.231059]]]
    """
    node, share = np.polynomial.legendre.leggauss(steps.shape[2] // 2 + 1)
    q, share = (node + 1) / 2, share / 2
    largest = np.abs(start).max() + np.abs(steps).sum(axis=2).max()
    # the sum repeats sigma with the period 2 pi / h: far enough that the copies do not matter
    h = np.pi / (largest + WIDEST)
    omega = (np.arange(int(12.0 / h)) + 0.5) * h
    values = np.zeros(steps.shape)
    for w in omega:
        turn = np.exp(1j * w * steps)
        phase = np.exp(1j * w * start)[None, :, None] * (turn - 1)
        total = np.zeros(steps.shape, dtype=complex)
        for at, weight in zip(q, share, strict=True):
            factor = 1 - at + at * turn
            total += weight * _products_of_others(factor)
        values += h * (phase * total).imag / np.sinh(np.pi * w)
    return values


def _products_of_others(factor):
    """For each player the product of the factors of all others, without a division by zero."""
    ones = np.ones((*factor.shape[:-1], 1), dtype=complex)
    left = np.cumprod(np.concatenate([ones, factor[..., :-1]], axis=-1), axis=-1)
    right = np.cumprod(np.concatenate([ones, factor[..., :0:-1]], axis=-1), axis=-1)[..., ::-1]
    return left * right
