"""Confidence-weighted learning with prior knowledge of which features may be corrupted."""

from numbers import Real

import numpy as np
from scipy import sparse

from stakes._core.base import LearnerInfo, unchanged_if_it_fails
from stakes._core.sklearn_private import StrOptions
from stakes.online._cw_cvar import CVAR_CONSTRAINTS, CWCVaRClassifier
from stakes.online._cw_robust_jit import blend_all, blend_full, robust_full_pass, robust_pass
from stakes.online._docs import documented
from stakes.online._intake import csr_parts


@documented
class CWRobustClassifier(CWCVaRClassifier):
    r"""CW-CVaR whose decisions lean on a prior where features may be corrupted.

    Learns :math:`N(\mu,\Sigma)` as :class:`~stakes.online.CWCVaRClassifier` does, and decides with
    its blend with a prior :math:`N(\nu,\Upsilon)` on the weights, :math:`\Upsilon` diagonal,

    .. math:: \tilde\Sigma = (\Upsilon^{-1} + t\,\Sigma^{-1})^{-1}, \qquad
              \tilde\mu = \tilde\Sigma(\Upsilon^{-1}\nu + t\,\Sigma^{-1}\mu) ,

    with :math:`t = 1`, or :math:`t` the number of examples as in the paper. It helps if the weight
    that a corrupted feature would earn is known to be wrong; with no such knowledge it is CW-CVaR.

    Parameters
    ----------
    prior_mean : float, array-like of shape (d,) or "opposite", default=0.0
        What each weight is believed to be, :math:`\nu`; "opposite": minus what was learnt, the
        choice of the paper's Section VI-B.
    prior_variance : float or array-like of shape (d,), default=inf
        How far it may be off, :math:`\Upsilon`; infinite: nothing is known of this weight.
    evidence : {"once", "paper"}, default="once"
        "paper": the precision of the weights counts as often as there were examples.
    alpha, beta, tau, margin, cost_rule, C, buffer, max_memory, normalize_costs
        As in :class:`~stakes.online.CWCVaRClassifier`.
    [gaussian]
    [stream]

    Attributes
    ----------
    [fitted]
    [covariance]
    blended_coef_ : ndarray of shape (1, d)
        Weights that decide, :math:`\tilde\mu`.

    Notes
    -----
    :math:`\Sigma^{-1}` has grown with every example already, so the factor :math:`t` of Eqs. 14
    and 15 counts the data twice and makes the prior vanish within a few examples;
    ``evidence="once"`` is the product of both Gaussians. With ``prior_mean="opposite"`` and the
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

    _info = LearnerInfo(family="online", grid={"prior_variance": [0.01, 0.1, 1.0, np.inf]})
    _parameter_constraints = {
        **CVAR_CONSTRAINTS,
        "prior_mean": ["array-like", Real, StrOptions({"opposite"})],
        "prior_variance": ["array-like", Real],
        "evidence": [StrOptions({"once", "paper"})],
    }

    def __init__(
        self,
        *,
        prior_mean=0.0,
        prior_variance=np.inf,
        evidence="once",
        alpha=0.7,
        beta=0.8,
        tau=0.05,
        margin="gaussian",
        cost_rule="class",
        C=1.0,
        buffer=True,
        max_memory=4096,
        covariance="diagonal",
        initial_variance=1.0,
        normalize_costs=True,
        calibration="sigmoid",
        fit_intercept=True,
        n_passes=1,
        shuffle=False,
        random_state=None,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
    ):
        super().__init__(
            alpha=alpha,
            beta=beta,
            tau=tau,
            margin=margin,
            cost_rule=cost_rule,
            C=C,
            buffer=buffer,
            max_memory=max_memory,
            covariance=covariance,
            initial_variance=initial_variance,
            normalize_costs=normalize_costs,
            calibration=calibration,
            fit_intercept=fit_intercept,
            n_passes=n_passes,
            shuffle=shuffle,
            random_state=random_state,
            fp_cost=fp_cost,
            fn_cost=fn_cost,
            tp_cost=tp_cost,
            tn_cost=tn_cost,
        )
        self.prior_mean = prior_mean
        self.prior_variance = prior_variance
        self.evidence = evidence

    @property
    def blended_coef_(self):
        """Weights that decide, shape (1, d)."""
        return self._scoring_weights()[0][None, :-1].copy()

    def set_params(self, **params):
        """Set parameters; a stream goes on with the new ones, and decides with the new prior."""
        with unchanged_if_it_fails(self):
            super().set_params(**params)
            if hasattr(self, "_labels"):
                self._nu, self._r, self._choices = self._prior(self.n_features_in_)
        return self

    def _room(self, d, full):
        prior = self._prior(d)  # may refuse, so it comes before anything is changed
        super()._room(d, full)
        self._nu, self._r, self._choices = prior

    def _prior(self, d):
        """The prior's means and precisions, and how it is blended."""
        variance = _per_weight("prior_variance", self.prior_variance, d)
        if (variance <= 0).any():
            raise ValueError("prior_variance must be above zero; infinite where nothing is known.")
        opposite = isinstance(self.prior_mean, str)
        mean = np.zeros(d) if opposite else _per_weight("prior_mean", self.prior_mean, d)
        choices = opposite, self.evidence == "paper"
        return np.r_[mean, 0.0], np.r_[1.0 / variance, 0.0], choices

    def _learn(self, X, signs, c_pos, c_neg, out):
        omega = self._omega(signs, c_pos, c_neg)
        dense = not sparse.issparse(X)
        if dense:
            n, d = X.shape
            parts = np.arange(0, n * d + 1, d) if d else np.zeros(n + 1, np.int64), self._every
            rows = *parts, X.ravel()
        else:
            indptr, *rest = csr_parts(X)
            rows = indptr.astype(np.int64), *rest
        state = self._mu, self._Sigma, self._state, self._nu, self._r, *self._choices, out
        learn = robust_full_pass if self._Sigma.ndim == 2 else robust_pass
        learn(dense, *rows, signs, c_pos, c_neg, omega, *state)

    def _learn_row(self, x, sign, c_pos, c_neg):
        return self._learn_one(x[None], sign, c_pos, c_neg)

    def _learn_sparse_row(self, index, x, sign, c_pos, c_neg):
        ends = np.array([0, len(index)])
        row = sparse.csr_array((x, index, ends), shape=(1, self.n_features_in_))
        return self._learn_one(row, sign, c_pos, c_neg)

    def _learn_one(self, row, sign, c_pos, c_neg):
        out = np.empty(1)
        costs = np.array([c_pos]), np.array([c_neg])
        self._learn(row, np.array([sign], dtype=np.int8), *costs, out)
        return out[0]

    def _scoring_weights(self):
        opposite, repeated = self._choices
        t = max(self._state[0], 1.0) if repeated else 1.0
        blended = blend_full if self._Sigma.ndim == 2 else blend_all
        return blended(self._mu, self._Sigma, self._nu, self._r, opposite, t)


def _per_weight(name, value, d):
    value = np.asarray(value, dtype=np.float64)
    if value.ndim > 1 or (value.ndim == 1 and len(value) != d) or np.isnan(value).any():
        raise ValueError(
            f"{name} must be a number or one for each of the {d} features. "
            f"Got shape {value.shape} instead."
        )
    return np.broadcast_to(value, (d,))
