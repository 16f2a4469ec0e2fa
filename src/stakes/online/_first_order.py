"""Learners that know their weights as one vector: the state, and how two of them are joined."""

import numpy as np
from scipy import sparse

from stakes.online._base import BinaryLinear
from stakes.online._first_order_jit import learn_csr, learn_dense, learn_row, learn_sparse_row
from stakes.online._intake import csr_parts


class FirstOrderLinear(BinaryLinear):
    """Base of the learners whose weights are a vector mu.

    A learner gives `_rule_numbers`: the code of its rule and its C.
    """

    def _begin(self, d):
        self._mu = np.zeros(d + 1)

    def _rule(self):
        rule, C = self._rule_numbers()
        flags = self._weighting(), bool(self.calibrate), float(self.fit_intercept)
        return rule, float(C), *flags

    def _learn(self, X, signs, c_pos, c_neg, out):
        self._pass(X, signs, c_pos, c_neg, self._tally, out)

    def _scores(self, X):
        n = X.shape[0]
        out = np.empty(n)
        self._pass(X, np.ones(n), np.zeros(n), np.zeros(n), self._tally.copy(), out)
        return out

    def _pass(self, X, signs, c_pos, c_neg, tally, out):
        state = self._mu, tally, self._cal, self._numbers, out
        if sparse.issparse(X):
            learn_csr(*csr_parts(X), signs, c_pos, c_neg, *state)
        else:
            learn_dense(X, signs, c_pos, c_neg, *state)

    def _learn_row(self, x, sign, c_pos, c_neg):
        return learn_row(x, sign, c_pos, c_neg, self._mu, self._tally, self._cal, self._numbers)

    def _learn_sparse_row(self, index, x, sign, c_pos, c_neg):
        state = self._mu, self._tally, self._cal, self._numbers
        return learn_sparse_row(index, x, sign, c_pos, c_neg, *state)

    def _grow(self, k):
        self._mu = np.r_[self._mu[:-1], np.zeros(k), self._mu[-1]]

    def _join(self, other):
        """Mean of the two weight vectors, weighted by the examples behind each."""
        share = other._tally[0] / max(self._tally[0] + other._tally[0], 1.0)
        self._mu += share * (other._mu - self._mu)
