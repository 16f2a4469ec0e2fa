"""Which models can be merged, and features that arrived in another order."""

import copy

import numpy as np
from sklearn.utils.validation import check_is_fitted

from stakes._core.jit.prequential import merge_calibration
from stakes.online._state import BOOK, TALLY

STRANGERS = (
    "Only models of the same class, with equal parameters and labels and the same features, can be "
    "merged."
)


class Mergeable:
    """`merge` for a learner with `_join`, which merges the weights."""

    def merge(self, other):
        """Merge two models that started from the same state and learned from different examples.

        Parameters
        ----------
        other : same class
            The other model, with the same parameters, features and classes. Named features may be
            in another order. If both learned from dicts, each may have features that the other one
            has not seen.

        Returns
        -------
        merged : same class
            A new model; the two old ones do not change.
        """
        check_is_fitted(self)
        check_is_fitted(other)
        self._trim()
        other._trim()
        alike = type(self) is type(other) and same_params(self, other)
        if not alike or self._labels != other._labels:
            raise ValueError(STRANGERS)
        merged, other = with_names_of_both(copy.deepcopy(self), other)
        if len(merged._mu) != len(other._mu):
            raise ValueError(STRANGERS)
        other = in_order_of(merged, other)
        share = other.n_seen_ / max(self.n_seen_ + other.n_seen_, 1.0)
        merged._join(other, share)
        merge_calibration(merged._knows, other._knows, share)
        merged._knows[TALLY] += other._knows[TALLY]
        merged._knows[BOOK] += other._knows[BOOK]
        if merged._chooses():
            merged._wake()
        return merged


def same_params(model, other):
    """Whether all parameters are equal, including arrays."""
    mine, others = model.get_params(), other.get_params()
    return all(np.array_equal(value, others[name]) for name, value in mine.items())


def with_names_of_both(model, other):
    """Two models of dict streams with the features of both, new ones with the prior's weights."""
    by_row = any(np.ndim(value) > 0 for value in model.get_params().values())
    if by_row or not all(hasattr(one, "_columns") for one in (model, other)):
        return model, other
    names = [list(one.feature_names_in_) for one in (model, other)]
    new = [name for name in names[1] if name not in model._columns]
    unseen = [name for name in names[0] if name not in other._columns]
    if unseen:
        other = copy.deepcopy(other)
        other._learn_names(unseen)
        other._trim()
    if new:
        model._learn_names(new)
        model._trim()
    return model, other


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
    for part in other._weights_in(other._knows):
        part[:] = part[np.ix_(order, order)] if part.ndim == 2 else part[order]
    return other
