"""Exact Shapley values of the probabilities of a tree or forest."""

import numpy as np
from scipy.special import gammaln

from stakes.tree._shapley_jit import tree_shapley_values


def tree_shapley(model, X, background, columns=None):
    r"""Shapley values of the probability of the positive class, compared with background rows.

    In the game of a row and a background row, a coalition of columns takes its values from the row
    and the others from the background row. A leaf that needs the columns A from the row and B from
    the background row, with value v, adds :math:`v\,(|A| - 1)!\,|B|!/(|A| + |B|)!` to the columns
    of A and subtracts :math:`v\,|A|!\,(|B| - 1)!/(|A| + |B|)!` from those of B [1]_. All leaves
    that a mix can reach are visited, so the values are exact for any number of columns.

    Parameters
    ----------
    model : ConfidenceTreeClassifier or ConfidenceForestClassifier
        Fitted on two classes.
    X, background : array-like of shape (n, d) and (b, d)
        Examples, and rows that they are compared with.
    columns : array-like of shape (d,), default=None
        Player of each feature, from 0, where several features are one column of a table; None: each
        is its own.

    Returns
    -------
    ndarray of shape (n, n_players)
        Means over the background; a row adds up to its probability minus the mean one.

    References
    ----------
    .. [1] S. M. Lundberg et al. "From local explanations to global understanding with explainable
       AI for trees". Nature Machine Intelligence 2, 2020.

    Examples
    --------
    >>> from stakes.tree import ConfidenceTreeClassifier
    >>> X = [[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]] * 10
    >>> tree = ConfidenceTreeClassifier().fit(X, [0, 0, 1, 1] * 10)
    >>> values = tree_shapley(tree, X[3:4], X[:1])[0]
    >>> bool(np.isclose(values[0], np.diff(tree.predict_proba(X)[[0, 3], 1])[0])), float(values[1])
    (True, 0.0)
    """
    X, background = (np.ascontiguousarray(model._validate_X(part)) for part in (X, background))
    columns = np.arange(X.shape[1]) if columns is None else np.asarray(columns, dtype=np.int64)
    n_players = int(columns.max()) + 1
    a, b = np.meshgrid(np.arange(n_players + 1), np.arange(n_players + 1), indexing="ij")
    weight = np.exp(gammaln(a + 1) + gammaln(b + 1) - gammaln(a + b + 2))
    roots = getattr(model, "roots_", np.zeros(1, dtype=np.int64))
    out = np.zeros((len(X), n_players))
    value = np.ascontiguousarray(model.nodes_.probability)
    tree_shapley_values(X, background, model.nodes_.walk, roots, value, columns, weight, out)
    return out / (len(roots) * len(background))
