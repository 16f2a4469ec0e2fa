"""Best move of an adversary against a linear classifier."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from stakes._core.intake import check_weights, checked_sparse
from stakes.game._drop import DROPS
from stakes.game._prices import prices_of


@dataclass(frozen=True)
class Response:
    """Best move of the adversary and its payoff.

    Attributes
    ----------
    shift : ndarray of shape (d,)
        Vector added to each of its examples.
    payoff : float
        Loss of the classifier minus the price of the move.
    loss : float
        Loss of the classifier.
    paid : float
        Price of the move.
    gain : float
        Payoff minus that without a move.
    """

    shift: np.ndarray
    payoff: float
    loss: float
    paid: float
    gain: float


def best_response(
    w, b, X, loss="logistic", movement_price=0.5, sample_weight=None, *, movable=None
):
    r"""Find the move of the positive class with the largest loss minus price.

    .. math:: \max_a\ \sum_i v_i\, l(w^\top (x_i + a) + b) - \sum_j p_j a_j^2

    with :math:`l(f) = \log(1 + e^{-f})` or :math:`(1 - f)_+`. The best move has the direction
    :math:`-w_j/p_j`, so only its length has to be found; that is done exactly, in
    :math:`O(n\,d)` and a few passes over the n scores (hinge: one sort).

    Parameters
    ----------
    w : array-like of shape (d,)
        Weights of the classifier.
    b : float
        Intercept of the classifier.
    X : {array-like, sparse matrix} of shape (n, d)
        Examples of the adversary, the positives.
    loss : {"logistic", "hinge"}, default="logistic"
        Loss that the adversary maximizes.
    movement_price : float or array-like of shape (d,), default=0.5
        Price of moving a feature by one, :math:`p_j`; `numpy.inf` if it cannot be moved.
    sample_weight : array-like of shape (n,), default=None
        Weights :math:`v_i`, not normalized; None: 1 / n each.
    movable : array-like of bool of shape (d,), default=None
        Mask of the movable features; None: all with a finite price.

    Returns
    -------
    Response

    Notes
    -----
    Eq. 7.9 of the thesis sums over all examples; here, as in its text, only the positives move.
    The thesis calls the problem concave. That holds only for :math:`\sum_i v_i s^2 \le 8` with
    :math:`s^2 = \sum_j w_j^2 / p_j` (logistic); the length is searched for globally.

    References
    ----------
    .. [1] W. Liu, S. Chawla. "Mining Adversarial Patterns via Regularized Loss Minimization".
       Machine Learning 81, 2010. Chapter 7 of W. Liu's thesis.

    Examples
    --------
    >>> move = best_response([1.0, 2.0], 0.0, [[2.0, 1.0]], loss="hinge", movement_price=0.25)
    >>> move.shift.tolist(), move.payoff
    ([-2.0, -4.0], 2.0)
    >>> best_response([1.0, 2.0], 0.0, [[2.0, 1.0]], movable=[False, True]).shift.round(3)
    array([-0.   , -0.039])
    """
    if loss not in DROPS:
        raise ValueError(f"loss must be one of {sorted(DROPS)}. Got {loss!r} instead.")
    w = np.asarray(w, dtype=np.float64).ravel()
    X = checked_sparse(X)
    X = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != len(w):
        raise ValueError(f"X must have one column for each of the {len(w)} weights.")
    n = X.shape[0]
    if sample_weight is None:
        v = np.full(n, 1.0 / max(n, 1))
    else:
        v = check_weights(sample_weight, X)
    ease = moving_ease(movement_price, len(w), movable)
    return respond(X @ w + float(b), v, w, ease, loss)


def moving_ease(movement_price, d, movable=None):
    """One over the price of moving each feature; zero if it cannot be moved."""
    price = np.asarray(prices_of(movement_price, d), dtype=np.float64)
    if price.ndim > 1 or (price.ndim == 1 and len(price) != d):
        raise ValueError(
            f"movement_price must be a number or have one value for each of the {d} features. "
            f"Got shape {price.shape} instead."
        )
    if not (price > 0).all():
        raise ValueError(
            "movement_price must be positive, because a free move is unbounded. Use numpy.inf for "
            "features that cannot be moved."
        )
    ease = np.broadcast_to(1.0 / price, (d,))
    if movable is None:
        return ease
    movable = np.asarray(movable)
    if movable.dtype != bool or movable.shape != (d,):
        raise ValueError(f"movable must be a mask with one True or False for each of {d} features.")
    return np.where(movable, ease, 0.0)


def respond(f, v, w, ease, loss):
    """Best move, from the scores f of the examples and their weights v."""
    s2 = float(w * w @ ease)
    u, payoff = DROPS[loss](f, v, s2)
    paid = u * u / s2 if s2 > 0 else 0.0
    shift = -(u / s2) * w * ease if s2 > 0 else np.zeros_like(w)
    stay = float(v @ margin_loss(f, loss))
    # not moving is possible too, so a negative gain is rounding
    return Response(shift, payoff, payoff + paid, paid, max(payoff - stay, 0.0))


def margin_loss(f, loss):
    """Loss of each positive example at its score."""
    return np.logaddexp(0.0, -f) if loss == "logistic" else np.maximum(0.0, 1.0 - f)
