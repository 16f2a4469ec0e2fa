"""Risk constraints on a margin as sets of weights that must all be correct (Section V)."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.special import ndtri

from stakes._core.words import shown


@dataclass(frozen=True, eq=False)
class WeightEllipsoid:
    """All weights mu + Q u with |u| <= 1; see :func:`ellipsoid_of_var`."""

    mu: np.ndarray
    Q: np.ndarray

    def worst(self, x, y=1):
        """Weights with the smallest margin y w'x, and that margin."""
        direction = y * self.Q.T @ np.asarray(x, dtype=np.float64)
        length = np.linalg.norm(direction)
        w = self.mu - (self.Q @ direction / length if length > 0 else 0.0)
        return w, float(y * w @ x)

    def holds(self, w, tol=1e-9):
        """Whether the weights lie in the set."""
        u, *_ = np.linalg.lstsq(self.Q, np.asarray(w) - self.mu, rcond=None)
        near = np.allclose(self.Q @ u, np.asarray(w) - self.mu, atol=tol)
        return bool(near and np.linalg.norm(u) <= 1 + tol)


@dataclass(frozen=True, eq=False)
class WeightPolytope:
    """Weighted means of scenarios that a CVaR allows; see :func:`polytope_of_cvar`."""

    scenarios: np.ndarray
    most: np.ndarray  # upper bound on the weight of each scenario

    def worst(self, x, y=1):
        """Weights with the smallest margin y w'x, and that margin."""
        margins = y * self.scenarios @ np.asarray(x, dtype=np.float64)
        order = np.argsort(margins, kind="stable")
        before = np.r_[0.0, np.cumsum(self.most[order])[:-1]]
        q = np.zeros(len(margins))
        q[order] = np.clip(1.0 - before, 0.0, self.most[order])
        return q @ self.scenarios, float(q @ margins)

    def holds(self, w):
        """Whether the weights lie in the set, by a linear programme."""
        found = linprog(
            np.zeros(len(self.most)),
            A_eq=np.vstack([self.scenarios.T, np.ones(len(self.most))]),
            b_eq=np.r_[np.asarray(w, dtype=np.float64), 1.0],
            bounds=np.column_stack([np.zeros(len(self.most)), self.most]),
        )
        return bool(found.success)


def ellipsoid_of_var(mu, Sigma, eta):
    r"""Set of weights that must all be correct for a Gaussian to be correct with probability eta.

    For :math:`w \sim N(\mu, \Sigma)` and :math:`\eta \ge 1/2`,

    .. math:: P(y w^\top x \ge 0) \ge \eta \iff y \tilde w^\top x \ge 0 \text{ for all }
              \tilde w \in \{\mu + \Phi^{-1}(\eta)\,\Sigma^{1/2} u : \|u\| \le 1\} .

    Parameters
    ----------
    mu : array-like of shape (d,)
        Mean of the weights.
    Sigma : array-like of shape (d, d) or (d,)
        Covariance, or variances, of the weights.
    eta : float
        Required probability of a correct decision, at least one half.

    Returns
    -------
    WeightEllipsoid

    Notes
    -----
    Theorem 1 of the CW-CVaR paper takes :math:`Q = \Phi^{-1}(\eta)\Sigma x / y`, which is a vector
    and depends on the example; with the root of the covariance one set serves all examples.

    Examples
    --------
    >>> ellipsoid = ellipsoid_of_var([1.0, 0.0], [0.25, 0.25], eta=0.9)
    >>> round(ellipsoid.worst([1.0, 0.0])[1], 4)
    0.3592
    """
    if not 0.5 <= eta < 1:
        raise ValueError(f"eta must be in [0.5, 1). Got {shown(eta)} instead.")
    Sigma = np.asarray(Sigma, dtype=np.float64)
    if Sigma.ndim == 1:
        root = np.diag(np.sqrt(Sigma))
    else:
        values, vectors = np.linalg.eigh(Sigma)
        root = vectors * np.sqrt(np.clip(values, 0.0, None))
    return WeightEllipsoid(np.asarray(mu, dtype=np.float64), ndtri(eta) * root)


def polytope_of_cvar(scenarios, tail, probabilities=None):
    r"""Set of weights that must all be correct for the worst share of the scenarios to be correct.

    For scenarios :math:`w_s` of probability :math:`p_s`, with CVaR the mean of the smallest
    share :math:`\epsilon` of the margins,

    .. math:: CVaR_\epsilon(y w^\top x) \ge 0 \iff y \tilde w^\top x \ge 0 \text{ for all }
              \tilde w \in \left\{\sum_s q_s w_s : 0 \le q_s \le p_s / \epsilon,\ \sum_s q_s = 1
              \right\} .

    Parameters
    ----------
    scenarios : array-like of shape (S, d)
        Weight vectors.
    tail : float
        Share of the scenarios in the tail, :math:`\epsilon`, in (0, 1].
    probabilities : array-like of shape (S,), default=None
        Probability of each scenario; None: uniform.

    Returns
    -------
    WeightPolytope

    Notes
    -----
    The dual in the proof of Theorem 2 (before its end) lacks :math:`\sum_s \lambda_s = 1` and sums
    where each :math:`\lambda_s` has its own bound; the set needs no sign constraint on the weights.

    Examples
    --------
    >>> polytope = polytope_of_cvar([[0.0], [1.0], [2.0], [3.0]], tail=0.5)
    >>> polytope.worst([1.0])[1]
    0.5
    """
    if not 0 < tail <= 1:
        raise ValueError(f"tail must be in (0, 1]. Got {shown(tail)} instead.")
    scenarios = np.asarray(scenarios, dtype=np.float64)
    S = len(scenarios)
    p = np.full(S, 1.0 / S) if probabilities is None else np.asarray(probabilities, np.float64)
    if p.shape != (S,) or (p < 0).any() or not np.isclose(p.sum(), 1.0):
        raise ValueError("probabilities must be one number >= 0 per scenario and sum to one.")
    return WeightPolytope(scenarios, p / tail)
