"""Which models can be merged, and features that arrived in another order."""

import copy

import numpy as np

STRANGERS = (
    "Only models of the same class, with equal parameters and labels and the same features, can be "
    "merged."
)


def same_params(model, other):
    """Whether all parameters are equal, including arrays."""
    mine, others = model.get_params(), other.get_params()
    return all(np.array_equal(value, others[name]) for name, value in mine.items())


def in_order_of(model, other):
    """The other model with its features in the order of the first one; itself if they agree."""
    mine, others = (getattr(one, "feature_names_in_", None) for one in (model, other))
    if mine is None or others is None or np.array_equal(mine, others):
        return other
    if set(mine) != set(others):
        raise ValueError(STRANGERS)
    if any(np.ndim(value) > 0 for value in other.get_params().values()):
        raise ValueError(
            "Models with an array as a parameter, which has one entry per feature, can be merged "
            "only if their features are in the same order."
        )
    column = {name: j for j, name in enumerate(others)}
    order = np.array([*(column[name] for name in mine), len(column)])  # the intercept is last
    other = copy.deepcopy(other)
    other._mu[:] = other._mu[order]
    if hasattr(other, "_Sigma"):
        Sigma = other._Sigma
        Sigma[:] = Sigma[np.ix_(order, order)] if Sigma.ndim == 2 else Sigma[order]
    return other
