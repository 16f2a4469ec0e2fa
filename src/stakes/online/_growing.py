"""Features that arrive in mid-stream, by name.

The arrays grow by doubling, so that a new name costs O(1) on average: columns without a feature yet
wait behind the others with the weights of the prior, which a sparse row does not read. Whatever
else needs the weights first calls `_trim`.
"""

import numpy as np

from stakes.online._state import HEAD, PAIRED


class Growing:
    """Arrays of weights with room for more features."""

    _spare = 0  # columns that no feature has yet

    def _grow(self, k):
        """Make room for k more features, which have the prior's weights."""
        if k > self._spare:
            d = self.n_features_in_
            room = max(d + k, 16, 2 * d) if self._doubles() else d + k
            self._resize(room)
            self._spare = room - d
        self._spare -= k

    def _trim(self):
        """Give back the columns that no feature has."""
        if self._spare:
            self._resize(self.n_features_in_)
            self._spare = 0

    def _doubles(self):
        """Whether to make more room than is needed now."""
        return True

    def _resize(self, room):
        """Give all arrays this many columns and the intercept, which stays last."""
        now = len(self._mu) - 1
        old = np.r_[np.arange(min(now, room)), now]
        new = np.r_[old[:-1], room]
        before, rivals = self._knows, self._rivals
        taken = [(knows[:HEAD], *self._weights_in(knows)) for knows in (before, *rivals)]
        self._empty(room)
        empty, moved = self._knows, []
        for head, *weights in taken:
            knows = empty.copy()
            knows[:HEAD] = head
            knows[PAIRED] = 0.0  # as `empty` is
            for part, then in zip(self._weights_in(knows), weights, strict=True):
                part[_at(new, part)] = then[_at(old, part)]
            moved.append(knows)
        self._knows, *rivals = moved
        if rivals:
            self._rivals = np.stack(rivals)

    def _add_names(self, new):
        """Append feature names; the array of names is a view of one with room for more."""
        d, names = self.n_features_in_, self.feature_names_in_
        n = d + len(new)
        whole = names if names.base is None else names.base
        if n > len(whole) or whole.dtype != object or whole.ndim != 1:
            whole = np.empty(max(2 * n, 16), dtype=object)
            whole[:d] = names
        whole[d:n] = new
        self.feature_names_in_ = whole[:n]
        self.n_features_in_ = n


def _at(columns, part):
    return np.ix_(columns, columns) if part.ndim == 2 else columns
