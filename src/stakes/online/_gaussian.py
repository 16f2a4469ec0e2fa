"""Learners that know their weights as a Gaussian: the state, and how two of them are joined."""

from numbers import Real

import numpy as np
from scipy import sparse

from stakes._core.sklearn_private import Interval, StrOptions
from stakes.online._base import NO_COST, STREAM_CONSTRAINTS, BinaryLinear
from stakes.online._gaussian_full_jit import learn_full_csr, learn_full_dense, learn_full_row
from stakes.online._gaussian_jit import learn_csr, learn_dense, learn_known_row, learn_sparse_row
from stakes.online._intake import csr_parts
from stakes.online._state import HEAD, OMEGA, new_array

GAUSSIAN_CONSTRAINTS = {
    **STREAM_CONSTRAINTS,
    "covariance": [StrOptions({"diagonal", "full"})],
    "initial_variance": [Interval(Real, 0, None, closed="neither")],
}


class GaussianLinear(BinaryLinear):
    """Base of the learners whose weights are N(mu, Sigma), Sigma diagonal or full.

    A learner gives `_rule_numbers`: the code of its rule and two numbers, and `_omega`: the
    factor of its constraint, one for all rows or one per row; where it is the same for all, it
    stands in the state as well.
    """

    @property
    def _mu(self):
        return self._knows[HEAD : HEAD + self._shape[0]]

    @property
    def _Sigma(self):
        return self._knows[HEAD + self._shape[0] :].reshape(self._shape)

    @property
    def covariance_(self):
        """Covariance of the weights: variances of shape (d,), or a matrix (d, d)."""
        Sigma = self._Sigma
        return Sigma[:-1, :-1].copy() if Sigma.ndim == 2 else Sigma[:-1].copy()

    def _begin(self, d):
        self._room(d, self.covariance == "full")

    def _room(self, d, full):
        """The prior's weights for d features."""
        bias = float(self.fit_intercept)
        variances = np.full(d + 1, float(self.initial_variance))
        variances[-1] *= bias
        Sigma = np.diag(variances) if full else variances
        self._shape, self._knows = Sigma.shape, new_array(np.zeros(d + 1), Sigma)
        self._every = np.arange(d, dtype=np.int32)

    def _rule(self):
        return self._rule_numbers()

    def _omega(self, signs, c_pos, c_neg):
        """The factor of the constraint, for all or for each; zero where a rule has none."""
        return NO_COST

    def _learn(self, X, signs, c_pos, c_neg, out):
        omega = self._omega(signs, c_pos, c_neg)
        self._pass(X, signs, c_pos, c_neg, omega, self._mu, self._Sigma, self._state, out)

    def _scores(self, X):
        out = np.empty(X.shape[0])
        ones = np.ones(len(out), dtype=np.int8)
        weights = self._scoring_weights()
        # an example without a cost is scored and teaches nothing: scoring is learning for free
        self._pass(X, ones, NO_COST, NO_COST, NO_COST, *weights, self._state.copy(), out)
        return out

    def _scoring_weights(self):
        return self._mu, self._Sigma

    def _pass(self, X, *rest):
        full = self._Sigma.ndim == 2
        if sparse.issparse(X):
            (learn_full_csr if full else learn_csr)(*csr_parts(X), *rest)
        elif full:
            learn_full_dense(self._every, X, *rest)
        else:
            learn_dense(X.ravel(), *rest)

    def _learn_row(self, x, sign, c_pos, c_neg):
        if len(self._shape) == 1:
            return learn_known_row(x, sign, c_pos, c_neg, self._knows)
        return self._learn_named(learn_full_row, self._every, x, sign, c_pos, c_neg)

    def _learn_sparse_row(self, index, x, sign, c_pos, c_neg):
        learn = learn_full_row if len(self._shape) == 2 else learn_sparse_row
        return self._learn_named(learn, index, x, sign, c_pos, c_neg)

    def _learn_named(self, learn, index, x, sign, c_pos, c_neg):
        state = self._state
        return learn(index, x, sign, c_pos, c_neg, state[OMEGA], self._mu, self._Sigma, state)

    def _grow(self, k):
        """Make room for k new features, before the intercept, with the prior's weights."""
        d = len(self._mu) - 1
        old = np.r_[np.arange(d), d + k]
        state, mu, Sigma = self._state, self._mu, self._Sigma
        self._room(d + k, Sigma.ndim == 2)
        self._state[:] = state
        self._mu[old] = mu
        if Sigma.ndim == 2:
            self._Sigma[np.ix_(old, old)] = Sigma
        else:
            self._Sigma[old] = Sigma

    def _join(self, other):
        """Product of the two posteriors, the common prior counted once."""
        D = len(self._mu) - (0 if self.fit_intercept else 1)
        prior = 1.0 / self.initial_variance
        if self._Sigma.ndim == 2:
            P, Q = (np.linalg.inv(model._Sigma[:D, :D]) for model in (self, other))
            Sigma = np.linalg.inv(P + Q - prior * np.eye(D))
            Sigma = 0.5 * (Sigma + Sigma.T)
            self._mu[:D] = Sigma @ (P @ self._mu[:D] + Q @ other._mu[:D])
            self._Sigma[:D, :D] = Sigma
        else:
            P, Q = 1.0 / self._Sigma[:D], 1.0 / other._Sigma[:D]
            sigma = 1.0 / (P + Q - prior)
            self._mu[:D] = sigma * (P * self._mu[:D] + Q * other._mu[:D])
            self._Sigma[:D] = sigma
