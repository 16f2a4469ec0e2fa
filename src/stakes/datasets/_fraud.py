"""Simulated payments: rare fraud, heavy-tailed amounts."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.utils import check_random_state

from stakes.tables import PricedData

_DESCRIPTION = (
    "Generated payments in the order of time. X[:, 0] is the logarithm of the amount, the other "
    "columns are standard normal. Missing a fraud costs its amount; a false alarm costs the "
    "review of {review_cost:g}."
)


def make_fraud(
    n_samples=100_000,
    n_features=30,
    *,
    positive_share=0.02,
    review_cost=10.0,
    median_amount=60.0,
    amount_log_std=1.2,
    drift=0.0,
    random_state=None,
    return_probability=False,
):
    r"""Generate payments with lognormal amounts, a small share of them fraud.

    The log-odds of fraud are :math:`b + 1.5\,(g(x) + h(x))`: `g` is linear in eight features,
    the first of which is the logarithm of the amount; `h` is the sum of a product, a bump, an
    absolute value and a rule, which a linear model cannot represent. `b` is set so that the mean
    probability is `positive_share`.

    Parameters
    ----------
    n_samples : int, default=100000
        Number of payments.
    n_features : int, default=30
        Number of features, at least 15; all beyond 15 are noise.
    positive_share : float, default=0.02
        Expected share of fraud.
    review_cost : float, default=10.0
        Cost of a false alarm.
    median_amount : float, default=60.0
        Median of the amounts.
    amount_log_std : float, default=1.2
        Standard deviation of the logarithm of the amounts.
    drift : float, default=0.0
        Angle in radians by which the linear part rotates from the first payment to the last.
    random_state : int, RandomState or None, default=None
        Seed of the generator.
    return_probability : bool, default=False
        Whether to return also the true probability of fraud of each payment, the best that any
        model can predict.

    Returns
    -------
    PricedData, or (PricedData, ndarray of shape (n_samples,))

    Examples
    --------
    >>> data = make_fraud(10_000, random_state=0)
    >>> print(data.summary())
    10,000 examples, 201 positive (2.01%).
    Always negative costs 26,034.39; always positive costs 97,990.00.
    Say positive above a probability of 0.1445 (median; 0.0225 to 0.5427 in 90% of the examples).
    The top 1% of the examples hold 18.4% of the stakes.
    """
    if n_features < 15:
        raise ValueError(f"n_features must be at least 15. Got {n_features} instead.")
    if not 0 < positive_share < 1:
        raise ValueError(f"positive_share must lie between 0 and 1. Got {positive_share} instead.")
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    X = rng.standard_normal((n_samples, n_features))
    log_odds = 1.5 * (_linear(X, drift) + _nonlinear(X))
    intercept = brentq(lambda b: expit(b + log_odds).mean() - positive_share, -100.0, 100.0)
    probability = expit(intercept + log_odds)
    y = (rng.random(n_samples) < probability).astype(np.int64)
    X[:, 0] = np.log(median_amount) + amount_log_std * X[:, 0]
    data = PricedData(
        "fraud",
        X,
        y,
        fp_cost=float(review_cost),
        fn_cost=np.exp(X[:, 0]),
        positive="fraud",
        description=_DESCRIPTION.format(review_cost=review_cost),
    )
    return (data, probability) if return_probability else data


def _linear(X, drift):
    w = np.array([0.15, 0.6, -0.5, 0.4, -0.4, 0.3, -0.3, 0.2])
    turned = np.array([0.15, 0.5, 0.6, -0.4, -0.4, 0.3, 0.3, 0.2])
    part = X[:, : len(w)] @ w
    if drift == 0.0:
        return part
    angle = np.linspace(0.0, drift, len(X))
    return np.cos(angle) * part + np.sin(angle) * (X[:, : len(w)] @ turned)


def _nonlinear(X):
    product = 0.7 * X[:, 8] * X[:, 9]
    bump = 1.4 * np.exp(-(X[:, 11] ** 2) / 0.5)
    rule = 1.8 * ((X[:, 12] > 0.5) & (X[:, 13] < -0.2))
    return product + bump + rule + 0.7 * np.abs(X[:, 14])
