"""Base of the learners that know their weights as a Gaussian."""

import numpy as np
from scipy import sparse

from stakes._core.stored.spec import Array, Maybe, Part, Plain, Sometimes
from stakes.online._base import NO_COST, BinaryLinear, csr_parts
from stakes.online._gaussian_full_jit import learn_full, learn_full_row
from stakes.online._gaussian_jit import learn_csr, learn_dense, learn_known_row, learn_sparse_row
from stakes.online._parameters import GaussianParameters, learner
from stakes.online._state import BIAS, HEAD, OMEGA, new_array


@learner
class GaussianLinear(GaussianParameters, BinaryLinear):
    """Base of the learners whose weights are N(mu, Sigma), Sigma diagonal or full.

    A subclass may also provide `_omega`, the factor of its constraint: one per row or one for all.
    """

    _file_state = {
        "_shape": Plain(),
        "_every": Array("i4", ("d",)),
        "_buffer": Sometimes(Maybe(Part())),
    }

    @property
    def _mu(self):
        return self._knows[HEAD : HEAD + self._shape[0]]

    @property
    def _Sigma(self):
        return self._knows[HEAD + self._shape[0] :].reshape(self._shape)

    @property
    def covariance_(self):
        """Covariance of the weights: variances of shape (d,), or a matrix of shape (d, d)."""
        Sigma = self._Sigma
        return Sigma[:-1, :-1].copy() if Sigma.ndim == 2 else Sigma[:-1].copy()

    def _begin(self, d):
        self._allocate(d, self.covariance == "full")

    def _allocate(self, d, full):
        """Set the state to the prior of d features."""
        variances = np.full(d + 1, float(self.initial_variance))
        variances[-1] *= self.fit_intercept
        Sigma = np.diag(variances) if full else variances
        self._shape, self._knows = Sigma.shape, new_array(np.zeros(d + 1), Sigma)
        self._every = np.arange(d, dtype=np.int32)

    def _omega(self, signs, c_pos, c_neg):
        """Factor of the variance in the constraint; zero where a rule has none."""
        return self._knows[OMEGA : OMEGA + 1]

    def _learn(self, X, signs, c_pos, c_neg, out):
        omega = self._omega(signs, c_pos, c_neg)
        self._pass(X, signs, c_pos, c_neg, omega, self._mu, self._Sigma, self._state, out)

    def _scores(self, X):
        out = np.empty(X.shape[0])
        weights = self._scoring_weights()
        # an example without a cost is scored and not learned; the copy keeps the counts
        row = np.ones(len(out)), NO_COST, NO_COST, NO_COST
        self._pass(X, *row, *weights, self._state.copy(), out)
        return out

    def _scoring_weights(self):
        return self._mu, self._Sigma

    def _pass(self, X, *rest):
        if len(self._shape) == 2:
            learn_full(*self._rows(X), *rest)
        elif sparse.issparse(X):
            learn_csr(*csr_parts(X), *rest)
        else:
            learn_dense(X.ravel(), *rest)

    def _rows(self, X):
        """Rows as (dense, indptr, indices, data); dense rows share the indices 0..d-1."""
        if sparse.issparse(X):
            indptr, indices, data = csr_parts(X)
            return False, indptr.astype(np.int64, copy=False), indices, data
        n, d = X.shape
        return True, np.arange(n + 1) * d, self._every, X.ravel()

    def _learn_row(self, x, sign, c_pos, c_neg):
        if len(self._shape) == 1:
            return learn_known_row(x, sign, c_pos, c_neg, self._knows)
        return self._learn_indexed(self._every, x, sign, c_pos, c_neg)

    def _learn_sparse_row(self, index, x, sign, c_pos, c_neg):
        return self._learn_indexed(index, x, sign, c_pos, c_neg)

    def _learn_indexed(self, index, x, sign, c_pos, c_neg):
        learn = learn_full_row if len(self._shape) == 2 else learn_sparse_row
        weights = self._knows[OMEGA], self._mu, self._Sigma, self._state
        return learn(index, x, sign, c_pos, c_neg, *weights)

    def _variance(self, index, x):
        """Variance of the margin of a row, without the intercept; not finite if it overflows."""
        Sigma = self._Sigma
        if Sigma.ndim == 2:
            return x @ (Sigma[np.ix_(index, index)] @ x)
        return Sigma[index] @ (x * x)

    def _most_variance(self):
        """Largest variance that a row of length one can have, or more."""
        Sigma = self._Sigma
        return max(1.0, np.trace(Sigma) if Sigma.ndim == 2 else Sigma.max())

    def _prior_variance(self):
        return self.initial_variance

    def _grow(self, k):
        """Add k features, before the intercept, with the prior's weights."""
        d = len(self._mu) - 1
        old = np.r_[np.arange(d), d + k]
        state, mu, Sigma = self._state, self._mu, self._Sigma
        self._allocate(d + k, Sigma.ndim == 2)
        self._state[:] = state
        self._mu[old] = mu
        self._Sigma[np.ix_(old, old) if Sigma.ndim == 2 else old] = Sigma

    def _join(self, other, share):
        """Multiply both posteriors; their common prior counts once."""
        D = len(self._mu) - (0 if self._knows[BIAS] else 1)
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
