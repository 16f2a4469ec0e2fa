"""Base of the learners that know their weights as a vector."""

import numpy as np
from scipy import sparse

from stakes.online._base import NO_COST, BinaryLinear
from stakes.online._first_order_jit import learn_csr, learn_dense, learn_row, learn_sparse_row
from stakes.online._learning import csr_parts, flat
from stakes.online._parameters import CostRuleParameters, learner
from stakes.online._state import BIAS, HEAD, PAUSE_AT, VAST, new_array


@learner
class FirstOrderLinear(CostRuleParameters, BinaryLinear):
    """Base of the learners whose weights are a vector mu."""

    _parameter_constraints = {
        **BinaryLinear._parameter_constraints,
        **CostRuleParameters._cost_constraints,
    }

    _indices_at_once = False  # the loop looks at the column of every entry

    @property
    def _mu(self):
        return self._knows[HEAD:]

    def _begin(self, d):
        self._knows = new_array(np.zeros(d + 1))

    _empty = _begin

    def _weights_in(self, knows):
        """The weights in an array like `_knows`, as a tuple."""
        return (knows[HEAD:],)

    def _scores(self, X):
        out = np.empty(X.shape[0])
        # an example without a cost is scored and not learned; the copy keeps the counts
        state = self._state.copy()
        state[PAUSE_AT] = VAST
        self._loop(self._prepared(X), np.ones(len(out)), NO_COST, NO_COST, self._mu, state, out)
        return out

    def _scoring_parts(self):
        """Weights, the intercept's last, for the export of a model."""
        self._trim()
        mu = self._mu.copy()
        mu[-1] *= self._knows[BIAS]
        return mu, self._score_line()

    def _prepared(self, X):
        return csr_parts(X) if sparse.issparse(X) else (flat(X),)

    def _pass(self, rows, signs, c_pos, c_neg, omega, knows, out):
        return self._loop(rows, signs, c_pos, c_neg, knows[HEAD:], knows[:HEAD], out)

    def _loop(self, rows, *rest):
        return (learn_csr if len(rows) == 3 else learn_dense)(*rows, *rest)

    def _step(self, row, sign, c_pos, c_neg, knows):
        learn = learn_row if len(row) == 1 else learn_sparse_row
        return learn(*row, sign, c_pos, c_neg, knows)

    def _variance(self, index, x):
        """Squared length of a row; not finite if it overflows."""
        return x @ x

    def _most_variance(self):
        return 1.0

    def _prior_variance(self):
        return 1.0

    def _join(self, other, share):
        """Average both weight vectors, weighted by the number of examples behind each."""
        mu = self._mu
        mu += share * (other._mu - mu)
