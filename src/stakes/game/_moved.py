"""A regularised loss on rows of which some were moved, without writing the moved rows out."""

import copy
from dataclasses import dataclass

import numpy as np

from stakes.qmean import QuadraticMeanProblem


@dataclass(eq=False)
class MovedProblem(QuadraticMeanProblem):
    """The mean loss plus ridge of Eq. 7.5, where row i stands at x_i + moves[which_i].

    Parameters
    ----------
    which : ndarray of int of shape (n,)
        The move of each row.
    moves : ndarray of shape (m, d)
        The moves; sparse rows stay sparse.
    """

    which: np.ndarray = None
    moves: np.ndarray = None

    def at(self, moves):
        """The same rows after other moves."""
        other = copy.copy(self)
        other.moves = moves
        return other

    def scores(self, W):
        """Scores of the moved rows."""
        return super().scores(W) + (self.moves @ W[:-1])[self.which]

    def pull(self, B):
        """The transpose of `scores`."""
        out = super().pull(B)
        sums = np.bincount(self.which, B.ravel(), minlength=len(self.moves))  # one output only
        out[:-1] += (self.moves.T @ sums).reshape(out[:-1].shape)
        return out

    def with_ones(self, rows):
        """Dense moved rows with the column of the intercept."""
        out = super().with_ones(rows)
        out[:, :-1] += self.moves[self.which[rows]]
        return out
