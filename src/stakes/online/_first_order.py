"""Base of the learners that know their weights as a vector."""

import numpy as np
from scipy import sparse

from stakes.online._base import NO_COST, BinaryLinear, csr_parts
from stakes.online._first_order_jit import learn_csr, learn_dense, learn_row, learn_sparse_row
from stakes.online._parameters import CostRuleParameters, learner
from stakes.online._state import HEAD, new_array


@learner
class FirstOrderLinear(CostRuleParameters, BinaryLinear):
    """Base of the learners whose weights are a vector mu."""

    _parameter_constraints = {
        **BinaryLinear._parameter_constraints,
        **CostRuleParameters._cost_constraints,
    }

    @property
    def _mu(self):
        return self._knows[HEAD:]

    def _begin(self, d):
        self._knows = new_array(np.zeros(d + 1))

    def _learn(self, X, signs, c_pos, c_neg, out):
        self._pass(X, signs, c_pos, c_neg, self._state, out)

    def _scores(self, X):
        out = np.empty(X.shape[0])
        # an example without a cost is scored and not learned; the copy keeps the counts
        self._pass(X, np.ones(len(out)), NO_COST, NO_COST, self._state.copy(), out)
        return out

    def _pass(self, X, signs, c_pos, c_neg, state, out):
        if sparse.issparse(X):
            learn_csr(*csr_parts(X), signs, c_pos, c_neg, self._mu, state, out)
        else:
            learn_dense(X.ravel(), signs, c_pos, c_neg, self._mu, state, out)

    def _learn_row(self, x, sign, c_pos, c_neg):
        return learn_row(x, sign, c_pos, c_neg, self._knows)

    def _learn_sparse_row(self, index, x, sign, c_pos, c_neg):
        return learn_sparse_row(index, x, sign, c_pos, c_neg, self._knows)

    def _grow(self, k):
        self._knows = np.r_[self._knows[:-1], np.zeros(k), self._knows[-1]]

    def _join(self, other, share):
        """Average both weight vectors, weighted by the number of examples behind each."""
        mu = self._mu
        mu += share * (other._mu - mu)
