"""Base of the learners that know their weights as a Gaussian."""

import numpy as np
from scipy import sparse

from stakes._core.stored.spec import Array, Maybe, Part, Plain, Sometimes
from stakes.online._base import NO_COST, BinaryLinear
from stakes.online._gaussian_csr_jit import (
    learn_csr,
    learn_known_sparse_row,
    teach_csr,
    teach_sparse_row,
)
from stakes.online._gaussian_full_jit import learn_full, learn_full_row
from stakes.online._gaussian_jit import (
    PROBIT,
    learn_dense,
    learn_known_row,
    teach_dense,
    teach_row,
)
from stakes.online._learning import NO_SCORES, csr_parts, flat
from stakes.online._parameters import GaussianParameters, learner
from stakes.online._state import (
    BIAS,
    GROWTH,
    HEAD,
    MOST,
    OMEGA,
    PAIRED,
    PAUSE_AT,
    SCALE,
    VAST,
    new_array,
)


@learner
class GaussianLinear(GaussianParameters, BinaryLinear):
    """Base of the learners whose weights are N(mu, Sigma), Sigma diagonal or full.

    A subclass may also provide `_omega`, the factor of its constraint: one per row or one for all.
    """

    _file_state = {
        "_shape": Plain(),
        "_every": Array("i4", ("d",)),
        "_buffer": Sometimes(Maybe(Part(("stakes.online._cost_buffer.CostBuffer",)))),
    }

    @property
    def _indices_at_once(self):
        return self.covariance == "full"  # the other loop looks at the column of every entry

    @property
    def _mu(self):
        return self._weights_in(self._knows)[0]

    @property
    def _Sigma(self):
        """Covariance, or variances; a copy if they fade (see `_fading_jit.py`)."""
        Sigma = self._weights_in(self._knows)[1]
        scale = self._knows[SCALE]
        return Sigma if scale == 1.0 else np.minimum(Sigma * scale, self._knows[MOST])

    @property
    def covariance_(self):
        """Covariance of the weights: variances of shape (d,), or a matrix of shape (d, d)."""
        self._trim()
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
        self._knows[MOST] = self.initial_variance
        self._every = np.arange(d, dtype=np.int32)

    def _weights_in(self, knows):
        """Means and stored variances in an array like `_knows`, as views."""
        if knows[PAIRED]:
            return knows[HEAD::2], knows[HEAD + 1 :: 2]
        D = self._shape[0]
        return knows[HEAD : HEAD + D], knows[HEAD + D :].reshape(self._shape)

    def _arrange(self, sparse):
        """Arrange the weights for the rows that come: `_rearrange`."""
        if self._knows[PAIRED] != sparse and len(self._shape) == 1:
            for knows in (self._knows, *self._rivals):
                _rearrange(knows, sparse)

    def __getstate__(self):
        # the order does not depend on which rows came last, so that equal learners are equal files
        state = super().__getstate__()
        if 1.0 in state.get("_knows", np.zeros(0))[PAIRED : PAIRED + 1]:
            state |= {name: state[name].copy() for name in ("_knows", "_rivals")}
            for knows in (state["_knows"], *state["_rivals"]):
                _rearrange(knows, sparse=False)
        return state

    def _scores(self, X):
        out = np.empty(X.shape[0])
        rows, weights = GaussianLinear._prepared(self, X), self._scoring_weights()
        if len(rows) == 3:
            weights = (_pairs(*weights),)
        elif weights[0].strides != weights[0].itemsize:
            weights = tuple(map(np.ascontiguousarray, weights))
        # an example without a cost is scored and not learned; the copy keeps the counts
        state = self._state.copy()
        state[PAUSE_AT], state[GROWTH], state[SCALE] = VAST, 1.0, 1.0
        row = np.ones(len(out)), NO_COST, NO_COST, NO_COST
        self._loop(rows, *row, *weights, state, out)
        return out

    def _scoring_weights(self):
        return self._mu, self._Sigma

    def _scoring_parts(self):
        """Weights and variances, the intercept's last, and the noise, for the export of a model."""
        self._trim()
        mu, Sigma = (np.array(part) for part in self._scoring_weights())
        if not self._knows[BIAS]:
            mu[-1] = Sigma[-1] = Sigma[..., -1] = 0.0
        rule = self._rule()
        return mu, Sigma, float(rule.p) if rule.code == PROBIT else 1.0, self._score_line()

    def _prepared(self, X):
        if len(self._shape) == 2:
            return self._indexed(X)
        return csr_parts(X) if sparse.issparse(X) else (flat(X),)

    def _indexed(self, X):
        """Rows as (dense, indptr, indices, data); dense rows share the indices 0..d-1."""
        if sparse.issparse(X):
            indptr, indices, data = csr_parts(X)
            return False, indptr.astype(np.int64, copy=False), indices, data
        n, d = X.shape
        return True, np.arange(n + 1) * d, self._every, flat(X)

    def _pass(self, rows, signs, c_pos, c_neg, omega, knows, out):
        weights = (knows[HEAD:],) if knows[PAIRED] else self._weights_in(knows)
        return self._loop(rows, signs, c_pos, c_neg, omega, *weights, knows[:HEAD], out)

    def _loop(self, rows, *rest):
        state = rest[-2]
        if len(rows) == 4:
            return learn_full(*rows, *rest)
        if len(rows) == 3:
            return learn_csr(*rows, *rest, fading_of(state))
        return learn_dense(*rows, *rest)

    def _step(self, row, sign, c_pos, c_neg, knows):
        if len(self._shape) == 2:
            row = row if len(row) == 2 else (self._every, *row)
            rest = knows[OMEGA], *self._weights_in(knows), knows[:HEAD]
            return learn_full_row(*row, sign, c_pos, c_neg, *rest)
        if len(row) == 1:
            return learn_known_row(*row, sign, c_pos, c_neg, knows)
        return learn_known_sparse_row(*row, sign, c_pos, c_neg, knows, fading_of(knows))

    def _score_row(self, row):
        # a row of the other form would rearrange the weights, a dense one settle the variances
        if len(row) == 1 and (self._knows[SCALE] != 1.0 or self._knows[PAIRED]):
            return self._scores(row[0][None])[0]
        if len(row) == 2 and not self._knows[PAIRED] and len(self._shape) == 1:
            ends, d = (0, len(row[0])), len(self._mu) - 1
            return self._scores(sparse.csr_matrix((row[1], row[0], ends), shape=(1, d)))[0]
        return GaussianLinear._step(self, row, 1.0, 0.0, 0.0, self._knows)

    def _teach(self, rows, *rest):
        if len(rows) == 4:  # by index: a full covariance, or another loop
            return super()._teach(rows, *rest)
        (teach_csr if len(rows) == 3 else teach_dense)(*rows, *rest, self._rivals, NO_SCORES)

    def _teach_row(self, row, sign, c_pos, c_neg):
        if not self._teaches_at_once():
            return super()._teach_row(row, sign, c_pos, c_neg)
        teach = teach_row if len(row) == 1 else teach_sparse_row
        teach(*row, sign, c_pos, c_neg, self._knows[OMEGA], self._rivals)

    def _teaches_at_once(self):
        """Whether one compiled call teaches all rivals."""
        return len(self._shape) == 1

    def _variance(self, index, x):
        """Variance of the margin of a row, without the intercept; not finite if it overflows."""
        Sigma = self._weights_in(self._knows)[1]
        if Sigma.ndim == 2:
            return x @ (Sigma[np.ix_(index, index)] @ x)
        return np.minimum(Sigma[index] * self._knows[SCALE], self._knows[MOST]) @ (x * x)

    def _most_variance(self):
        """Largest variance that a row of length one can have, or more."""
        return max(1.0, self._knows[MOST] * (self._shape[0] if len(self._shape) == 2 else 1.0))

    def _prior_variance(self):
        return self.initial_variance

    def _empty(self, d):
        self._allocate(d, len(self._shape) == 2)

    def _doubles(self):
        return len(self._shape) == 1  # a row of a full covariance takes as long as to copy it

    def _join(self, other, share):
        """Multiply both posteriors; their common prior counts once."""
        D = len(self._mu) - (0 if self._knows[BIAS] else 1)
        prior = 1.0 / self.initial_variance
        mine, others, stored = self._Sigma, other._Sigma, self._weights_in(self._knows)[1]
        if mine.ndim == 2:
            P, Q = (np.linalg.inv(Sigma[:D, :D]) for Sigma in (mine, others))
            Sigma = np.linalg.inv(P + Q - prior * np.eye(D))
            Sigma = 0.5 * (Sigma + Sigma.T)
            self._mu[:D] = Sigma @ (P @ self._mu[:D] + Q @ other._mu[:D])
            stored[:D, :D] = Sigma
        else:
            P, Q = 1.0 / mine[:D], 1.0 / others[:D]
            sigma = 1.0 / (P + Q - prior)
            self._mu[:D] = sigma * (P * self._mu[:D] + Q * other._mu[:D])
            stored[:D] = sigma
        self._knows[SCALE] = 1.0


def _rearrange(knows, sparse):
    """Put each mean next to its variance, for sparse rows, or all means first."""
    weights = knows[HEAD:]
    weights[:] = weights.reshape((2, -1) if sparse else (-1, 2)).T.ravel()
    knows[PAIRED] = sparse


def _pairs(mu, sigma):
    """Means and variances as an array of pairs; itself if they are views of one."""
    if mu.strides == sigma.strides == (16,):
        return mu.base[HEAD:]
    return np.column_stack([mu, sigma]).ravel()


def fading_of(state):
    """Which form of the loops a learner needs: None if it never forgets."""
    return 1.0 if state[GROWTH] > 1.0 else None
