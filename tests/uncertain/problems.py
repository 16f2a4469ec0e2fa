"""Small random problems with every kind of information."""

import numpy as np

from stakes.uncertain import Moments


def uncertain_problem(rng, n=16, d=3, apart=1.5, spread=0.6):
    """Points with support, moments and bounds on the means; labels in {-1, +1}."""
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, d)) + apart * y[:, None]
    lower = X - spread * rng.uniform(0.1, 0.8, (n, d))
    upper = X + spread * rng.uniform(0.1, 0.8, (n, d))
    var = rng.uniform(0.1, 0.9, (n, d)) * (upper - X) * (X - lower)
    mean_lower, mean_upper = X - 0.3 * (X - lower), X + 0.2 * (upper - X)
    return Moments(X, lower, upper, var, mean_lower, mean_upper, var), y


def covariances(rng, n, d):
    A = 0.15 * rng.normal(size=(n, d, d))
    return A @ np.swapaxes(A, 1, 2)
