"""Online learners from the optimality conditions of their problems: inverses and root finding."""

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import log_ndtr


def _after(mu, Sigma, x, y, lam, c, omega):
    """Mean and covariance for a multiplier: Eqs. 9 and 10 by a matrix inverse."""
    P = np.linalg.inv(Sigma) + 2 * lam * omega * np.outer(x, x)
    return mu + lam * c * y * Sigma @ x, np.linalg.inv(P)


def constrained_kl(mu, Sigma, x, y, omega, c=1.0, target=0.0, most=np.inf):
    """min KL subject to omega x'Sx + target <= c y mu'x, with the multiplier at most `most`.

    The multiplier is found where the constraint of the new Gaussian holds with equality.
    """

    def lack(lam):
        new_mu, new_Sigma = _after(mu, Sigma, x, y, lam, c, omega)
        return target + omega * x @ new_Sigma @ x - c * y * new_mu @ x

    if lack(0.0) <= 0 or x @ Sigma @ x <= 0:
        return mu, Sigma
    high = 1.0
    while lack(high) > 0:
        high *= 2
    lam = min(brentq(lack, 0.0, high, xtol=1e-16, rtol=1e-15, maxiter=500), most)
    return _after(mu, Sigma, x, y, lam, c, omega)


def arow(mu, Sigma, x, y, r):
    """AROW: one inverse of the precision."""
    if y * mu @ x >= 1:
        return mu, Sigma
    P = np.linalg.inv(Sigma)
    A = P + np.outer(x, x) / r
    return np.linalg.solve(A, P @ mu + y * x / r), np.linalg.inv(A)


def scw(mu, Sigma, x, y, phi, C, squared):
    """SCW from its stationarity: precision += a phi x x' / sqrt(x'S x), S the new covariance."""

    def after(a):
        v = x @ Sigma @ x
        # the new standard deviation s solves 1/s^2 = 1/v + a phi / s
        s = brentq(lambda s: 1 / s**2 - 1 / v - a * phi / s, 1e-12, np.sqrt(v) * (1 + 1e-12))
        P = np.linalg.inv(Sigma) + a * phi / s * np.outer(x, x)
        return mu + a * y * Sigma @ x, np.linalg.inv(P), s

    def lack(a):
        new_mu, _, s = after(a)
        return phi * s - y * new_mu @ x - (a / (2 * C) if squared else 0.0)

    if phi * np.sqrt(x @ Sigma @ x) <= y * mu @ x:
        return mu, Sigma
    high = 1.0
    while lack(high) > 0:
        high *= 2
    a = brentq(lack, 0.0, high, xtol=1e-16, rtol=1e-15)
    return after(a if squared else min(a, C))[:2]


def probit(mu, Sigma, x, y, noise):
    """Moments of the tilted posterior along the score, by adaptive quadrature."""
    m, v = mu @ x, x @ Sigma @ x
    if v <= 0:
        return mu, Sigma
    # the log of the tilted density is concave: its peak is where its slope changes sign

    def slope(u):
        z = y * (m + np.sqrt(v) * u) / noise
        return y * np.sqrt(v) / noise * np.exp(-0.5 * z * z - log_ndtr(z)) / np.sqrt(2 * np.pi) - u

    peak = brentq(slope, -100.0, 100.0, xtol=1e-12)

    def tilted(u, power):
        log = log_ndtr(y * (m + np.sqrt(v) * u) / noise) - 0.5 * u * u
        return (u - peak) ** power * np.exp(log - top)

    top = log_ndtr(y * (m + np.sqrt(v) * peak) / noise) - 0.5 * peak * peak

    ends = dict(epsabs=1e-15, epsrel=1e-13, limit=200)
    mass, first, second = (
        sum(quad(tilted, peak + a, peak + a + 2.0, (k,), **ends)[0] for a in range(-12, 12, 2))
        for k in range(3)
    )
    shift = first / mass
    mean = m + np.sqrt(v) * (peak + shift)
    var = v * (second / mass - shift**2)
    gain = Sigma @ x / v
    return mu + gain * (mean - m), Sigma + np.outer(gain, gain) * (var - v)


def run(X, y, step, variance=1.0, intercept=True, diagonal=None, half_life=np.inf):
    """Many steps; `diagonal` ("precision" or "covariance") drops what is off that diagonal.

    After each, variances grow by 2 ** (1 / half_life) up to the prior's; a full covariance keeps
    its correlations.
    """
    X = np.column_stack([X, np.full(len(X), float(intercept))])
    mu, Sigma = np.zeros(X.shape[1]), variance * np.eye(X.shape[1])
    for t in range(len(X)):
        mu, Sigma = step(mu, Sigma, X[t], y[t], t)
        if diagonal == "precision":
            Sigma = np.diag(1 / np.diag(np.linalg.inv(Sigma)))
        elif diagonal == "covariance":
            Sigma = np.diag(np.diag(Sigma))
        if half_life < np.inf:
            old = np.sqrt(np.maximum(np.diag(Sigma), 1e-300))
            new = np.sqrt(np.minimum(np.diag(Sigma) * 2 ** (1 / half_life), variance))
            Sigma = Sigma / np.outer(old, old) * np.outer(new, new)
    return mu, Sigma


def first_order(X, y, c, rule, C, intercept=True):
    """Perceptron and passive-aggressive steps, in words rather than closed forms."""
    X = np.column_stack([X, np.full(len(X), float(intercept))])
    mu = np.zeros(X.shape[1])
    for x, y_t, c_t in zip(X, y, c, strict=True):
        m, length = y_t * mu @ x, x @ x
        if rule == "perceptron":
            tau = np.clip(c_t, 0, max(1.0, (1 - m) / length)) if m <= 0 else 0.0
        else:
            loss = max(0.0, 1 - m)
            most = {"PA": np.inf, "PA-I": C * c_t, "PA-II": np.inf}[rule]
            tau = min(loss / (length + (1 / (2 * C * c_t) if rule == "PA-II" else 0.0)), most)
        mu = mu + tau * y_t * x
    return mu


def weights(y, c_pos, c_neg, cost_rule):
    """Weights of a stream from plain running means."""
    out = []
    for t in range(1, len(y) + 1):
        c = np.where(y[:t] > 0, c_pos[:t], c_neg[:t])
        of_class = c_pos[:t].mean() if y[t - 1] > 0 else c_neg[:t].mean()
        if cost_rule == "class":
            out.append(of_class / c.mean())
        elif cost_rule == "stake":
            stake = c_pos[:t] + c_neg[:t]
            out.append(stake[-1] / stake.mean() * of_class / c.mean())
        else:
            out.append(c[-1] / c.mean())
    return np.array(out)


def blended(mu, Sigma, nu, upsilon, t):
    """Eqs. 14 and 15 by inverses; upsilon: the prior's variances, some infinite."""
    P, R = np.linalg.inv(Sigma), np.diag(1 / upsilon)
    S = np.linalg.inv(R + t * P)
    return S @ (R @ nu + t * P @ mu), S


def _standing(n, dense=2048, thin=16):
    """For each of the n examples of a class, how many it stands for in the calibration."""
    out, t = np.zeros(n), 0
    while t < n:
        out[t] = 1 if t < dense else min(thin, 2 ** (1 + int(np.log2(t // dense))))
        t += int(out[t])
    return out


def calibration(scores, y, c_pos, c_neg, half_life=np.inf):
    """Log-odds told of each score, by inverses, and the regrets of three policies, by sums."""
    w = np.ones(len(y))
    for label in (-1, 1) if half_life == np.inf else ():
        w[y == label] = _standing((y == label).sum())
    beta, S, square, n, told = np.array([0.0, 1.0]), 4.0 * np.eye(2), 0.0, 0.0, []
    for s, label, k in zip(scores, y, w, strict=True):
        told.append(beta @ [1.0, s / np.sqrt(square) if square > 0 else s])
        if k == 0:
            continue
        n += k
        rate = max(2.0 * k / (n + 2.0), k * np.log(2) / half_life)
        square += (s * s - square) * min(1.5 * rate, 1.0)
        x = np.array([1.0, s / np.sqrt(square)])
        if (1 + rate) * np.diag(S).max() <= 4.0:
            S = S * (1 + rate)
        z = beta @ x
        p = 1 / (1 + np.exp(-z))
        bound = np.tanh(z / 2) / (2 * z) if abs(z) > 1e-4 else 0.25
        P = np.linalg.inv(S)
        gradient = k * ((label > 0) - p) * x
        beta = beta + np.linalg.solve(P + k * bound * np.outer(x, x), gradient)
        S = np.linalg.inv(P + k * p * (1 - p) * np.outer(x, x))
        if beta[1] < 0:  # the most likely intercept of the Gaussian at a slope of zero
            P = np.linalg.inv(S)
            beta = np.array([beta[0] + P[0, 1] / P[0, 0] * beta[1], 0.0])
    told = np.array(told)
    p = 1 / (1 + np.exp(-told))
    acts = p * c_pos > (1 - p) * c_neg
    cost = w * np.where(y > 0, c_pos, c_neg)
    return told, [cost @ (acts != (y > 0)), cost @ (y > 0), cost @ (y < 0)]
