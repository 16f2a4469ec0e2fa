"""Confidence-weighted learning with a prior on features that may be corrupted."""

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from stakes._core.base import LearnerInfo, unchanged_if_it_fails
from stakes._core.sklearn_private import StrOptions
from stakes._core.stored.spec import Array, Flag, Together
from stakes.online._cw_cvar import CWCVaRClassifier
from stakes.online._cw_robust_jit import blend_all, blend_full, evidence_count, robust_pass
from stakes.online._gaussian import fading_of
from stakes.online._parameters import learner
from stakes.online._state import HEAD, OMEGA, SCALE


@learner
class CWRobustClassifier(CWCVaRClassifier):
    r"""CW-CVaR that decides with a prior on the weights of features that may be corrupted.

    Learns :math:`N(\mu,\Sigma)` as :class:`~stakes.online.CWCVaRClassifier` does and blends it with
    a prior :math:`N(\nu,\Upsilon)` on the weights, :math:`\Upsilon` diagonal, to decide:

    .. math:: \tilde\Sigma = (\Upsilon^{-1} + t\,\Sigma^{-1})^{-1}, \qquad
              \tilde\mu = \tilde\Sigma(\Upsilon^{-1}\nu + t\,\Sigma^{-1}\mu) ,

    with :math:`t = 1`, or :math:`t` the number of examples as in the paper. It helps if the weight
    that a corrupted feature would get is known to be wrong; without such knowledge it is CW-CVaR.

    Parameters
    ----------
    prior_mean : float, array-like of shape (d,) or "opposite", default=0.0
        Prior mean of each weight, :math:`\nu`; "opposite": the negative of the learned weight,
        the choice of the paper's Section VI-B.
    prior_variance : float or array-like of shape (d,), default=inf
        Prior variance of each weight, :math:`\Upsilon`; infinite: no prior on this weight.
    evidence : {"once", "paper"}, default="once"
        How often the precision of the weights counts; "paper": once per example.
    expensive_tail, cheap_tail, expensive_share, margin, C, constraint
        As in :class:`~stakes.online.CWCVaRClassifier`.
    buffer, max_memory, cost_rule
        As in :class:`~stakes.online.CWCVaRClassifier`.
    [normalize]
    [gaussian]
    [stream]

    Attributes
    ----------
    [fitted]
    [covariance]
    blended_coef_ : ndarray of shape (1, d)
        Weights used for decisions, :math:`\tilde\mu`.

    Notes
    -----
    :math:`\Sigma^{-1}` already grows with every example, so the factor :math:`t` of Eqs. 14 and 15
    counts the data twice and makes the prior vanish within a few examples; ``evidence="once"`` is
    the product of both Gaussians. With ``prior_mean="opposite"`` and the
    paper's factor the weight is :math:`\mu (t - \sigma/\upsilon)/(t + \sigma/\upsilon)`, which
    is not near zero, as Section VI-B says it should be.

    References
    ----------
    .. [1] A. Ali, K. Collins-Thompson. "Robust Cost-Sensitive Confidence-Weighted
       Classification". ICDM Workshops 2013, Algorithm 2.

    Examples
    --------
    >>> X, y = [[-1.0, -1.0], [1.0, 1.0], [1.0, 2.0]], [0, 1, 1]
    >>> model = CWRobustClassifier(prior_mean=0.0, prior_variance=[np.inf, 1e-3]).fit(X, y)
    >>> model.blended_coef_.round(3)
    array([[0.824, 0.001]])
    """

    _file_state = {
        "_prior": Together((Array("f8", ("D",)), Array("f8", ("D",), low=0), Flag())),
    }

    @staticmethod
    def _check_file_state(state, scope):
        CWCVaRClassifier._check_file_state(state, scope)
        if "_prior" in state:
            scope.bind("D", scope.sizes["d"] + 1)

    prior_mean: ArrayLike | str = 0.0
    prior_variance: ArrayLike = np.inf
    evidence: str = "once"

    _info = LearnerInfo(family="online", grid={"prior_variance": [0.01, 0.1, 1.0, np.inf]})
    _parameter_constraints = {
        **CWCVaRClassifier._parameter_constraints,
        "prior_mean": ["array-like", Real, StrOptions({"opposite"})],
        "prior_variance": ["array-like", Real],
        "evidence": [StrOptions({"once", "paper"})],
    }

    @property
    def blended_coef_(self):
        """Weights used for decisions, shape (1, d)."""
        self._trim()
        return self._scoring_weights()[0][None, :-1].copy()

    def set_params(self, **params):
        """Set parameters; a stream continues with the new values and the new prior."""
        with unchanged_if_it_fails(self):
            self._trim()
            super().set_params(**params)
            if hasattr(self, "_labels"):
                self._prior = self._read_prior(self.n_features_in_)
        return self

    def _allocate(self, d, full):
        prior = self._read_prior(d)  # may raise, so it comes before any change
        super()._allocate(d, full)
        self._prior = prior

    def _read_prior(self, d):
        """Means and precisions of the prior, and whether its mean is minus the learned one."""
        variance = _per_weight("prior_variance", self.prior_variance, d)
        if (variance <= 0).any():
            raise ValueError("prior_variance must be positive; infinite where nothing is known.")
        opposite = isinstance(self.prior_mean, str)
        mean = np.zeros(d) if opposite else _per_weight("prior_mean", self.prior_mean, d)
        return np.r_[mean, 0.0], np.r_[1.0 / variance, 0.0], opposite

    _indices_at_once = True

    def _prepared(self, X):
        return self._indexed(X)

    def _pass(self, rows, signs, c_pos, c_neg, omega, knows, out):
        state = *self._weights_in(knows), knows[:HEAD]
        prior = self._prior, self.evidence == "paper"
        return robust_pass(*rows, signs, c_pos, c_neg, omega, *state, *prior, out, fading_of(knows))

    def _arrange(self, sparse):
        """The loop takes pairs of a sparse row by itself."""

    def _doubles(self):
        return super()._doubles() and np.ndim(self.prior_mean) + np.ndim(self.prior_variance) == 0

    def _teaches_at_once(self):
        return False

    def _sketches_row(self):
        return False  # scores need the blended weights

    def _score_row(self, row):
        if len(row) == 1 and self._knows[SCALE] != 1.0:  # it would settle the variances
            return self._scores(row[0][None])[0]
        return self._step_at(row, 1.0, 0.0, 0.0, self._knows)

    def _step_at(self, row, sign, c_pos, c_neg, knows):
        index, x = (self._every, *row) if len(row) == 1 else row
        rows = len(row) == 1, np.array([0, len(index)]), index, x
        priced = np.array([c_pos]), np.array([c_neg]), knows[OMEGA : OMEGA + 1]
        out = np.empty(1)
        self._pass(rows, np.array([sign]), *priced, knows, out)
        return out[0]

    def _scoring_weights(self):
        blended = blend_full if self._Sigma.ndim == 2 else blend_all
        times = evidence_count(self._state, self.evidence == "paper")
        return blended(self._mu, self._Sigma, *self._prior, times)


def _per_weight(name, value, d):
    value = np.asarray(value, dtype=np.float64)
    if value.ndim > 1 or (value.ndim == 1 and len(value) != d) or np.isnan(value).any():
        raise ValueError(
            f"{name} must be a number or an array with one entry for each of the {d} features. "
            f"Got shape {value.shape} instead."
        )
    return np.broadcast_to(value, (d,))
