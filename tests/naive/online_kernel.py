"""Kernel online learning from scratch at every step: no running sums, no blocks, no layouts."""

from itertools import product

import numpy as np

EDGE = 1e-9


def gram(X, kernel, gamma=1.0, coef0=1.0, degree=3):
    if kernel == "rbf":
        return np.exp(-gamma * ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2))
    dots = np.array([[float(np.dot(a, b)) for b in X] for a in X])
    return dots if kernel == "linear" else (gamma * dots + coef0) ** degree


def box_by_faces(l_a, l_b, k_a, k_b, w, high_a, low_b, high_b):
    """Best of the stationary points of all nine faces of the box that lie in it."""
    free = None

    def value(a, b):
        return a * l_a + b * l_b - 0.5 * (k_a * a * a + k_b * b * b) - w * a * b

    candidates = []
    for fix_a, fix_b in product((0.0, high_a, free), (low_b, high_b, free)):
        if fix_a is free and fix_b is free:
            if abs(k_a * k_b - w * w) < 1e-12 * k_a * k_b:
                continue
            a, b = np.linalg.solve([[k_a, w], [w, k_b]], [l_a, l_b])
        elif fix_a is free:
            a, b = (l_a - w * fix_b) / k_a, fix_b
        elif fix_b is free:
            a, b = fix_a, (l_b - w * fix_a) / k_b
        else:
            a, b = fix_a, fix_b
        if -1e-12 <= a <= high_a + 1e-12 and low_b - 1e-12 <= b <= high_b + 1e-12:
            candidates.append((value(a, b), a, b))
    return max(candidates)[1:]


def run(rule, K, y, theta, C=10.0, rho=0.0, alpha=0.9, eta=1.0, radius=1.0):
    """(scores before learning, indices of the support vectors, their signed coefficients).

    `C` is the largest weight, one for all or one per example.
    """
    C = np.broadcast_to(C, len(y))
    S, coefficients, scores = [], np.zeros(0), np.zeros(len(y))
    for t in range(len(y)):
        bias = radius**2 * coefficients.sum() if rule == "paum" else 0.0
        scores[t] = K[t, S] @ coefficients + bias
        S, coefficients = STEPS[rule](
            K, y, theta, t, S, coefficients, scores[t], C=C, rho=rho, alpha=alpha, eta=eta
        )
    return scores, np.array(S, dtype=int), coefficients


def perceptron(K, y, theta, t, S, c, score, **_):
    return ([*S, t], np.append(c, theta[t] * y[t])) if y[t] * score <= 0 else (S, c)


def paum(K, y, theta, t, S, c, score, eta, **_):
    return ([*S, t], np.append(c, eta * y[t])) if y[t] * score <= theta[t] else (S, c)


def pa(K, y, theta, t, S, c, score, C, **_):
    if y[t] * score >= theta[t]:
        return S, c
    return [*S, t], np.append(c, y[t] * min(C[t], (theta[t] - y[t] * score) / K[t, t]))


def alma(K, y, theta, t, S, c, score, alpha, **_):
    k = len(S) + 1
    unit = np.sqrt(K[t, t])
    if y[t] * score / unit > (1 - alpha) * (1 / alpha) / np.sqrt(k):
        return S, c
    S, c = [*S, t], np.append(c, theta[t] * np.sqrt(2 / k) * y[t] / unit)
    return S, c / max(1.0, np.sqrt(c @ K[np.ix_(S, S)] @ c))


def romma(K, y, theta, t, S, c, score, **_):
    if y[t] * score > 0:
        return S, c
    if not S:
        return [t], np.array([theta[t] * y[t] / K[t, t]])
    size = c @ K[np.ix_(S, S)] @ c
    keep, step = np.linalg.solve([[size, score], [score, K[t, t]]], [size, theta[t] * y[t]])
    return [*S, t], np.append(keep * c, step)


def duol(K, y, theta, t, S, c, score, C, rho, **_):
    l_a = theta[t] - y[t] * score
    if l_a <= 0:
        return S, c
    margins = [y[i] * (K[i, S] @ c) for i in S]
    able = [i for i, f in zip(S, margins, strict=True) if f <= theta[i] * (1 + EDGE)]
    conflict = {i: y[i] * y[t] * K[i, t] for i in able}
    S_new = [*S, t]
    if able and min(conflict.values()) <= -rho:
        b = max((i for i in able if conflict[i] == min(conflict.values())), key=S.index)
        place = S.index(b)
        g_b, l_b = y[b] * c[place], theta[b] - margins[place]
        g_a, d_b = box_by_faces(l_a, l_b, K[t, t], K[b, b], conflict[b], C[t], -g_b, C[b] - g_b)
        c = np.append(c, y[t] * g_a)
        c[place] += y[b] * d_b
        return S_new, c
    return S_new, np.append(c, y[t] * min(C[t], l_a / K[t, t]))


def dual_objective(K, y, theta, S, c):
    return theta[S] @ np.abs(c) - 0.5 * c @ K[np.ix_(S, S)] @ c


STEPS = dict(perceptron=perceptron, paum=paum, pa=pa, alma=alma, romma=romma, duol=duol)


def landmark_features(X, gamma, room, tol):
    """Features at the time of each row by whole Cholesky factors, and the rows that are landmarks.

    A row is a landmark if the squared distance of k(x, .) from the span of the landmarks so far, a
    least-squares problem, exceeds `tol`.
    """
    chosen, rows = [], []
    for t in range(len(X)):
        K = gram(X[[*chosen, t]], "rbf", gamma)
        k = K[:-1, -1]
        rest = 1.0 - k @ np.linalg.lstsq(K[:-1, :-1], k, rcond=None)[0] if chosen else 1.0
        rows.append(np.linalg.solve(np.linalg.cholesky(K[:-1, :-1]), k) if chosen else k)
        if len(chosen) < room and rest > tol:
            chosen.append(t)
    features = np.zeros((len(X), len(chosen)))
    for t, row in enumerate(rows):
        features[t, : len(row)] = row
    return features, chosen


def run_fading(rule, K, y, decay, C=10.0):
    """As `run` with theta = 1, and everything old multiplied by `decay` before each example.

    That is f, the margins that the examples before ask for, and the largest weights they may have.
    """
    S, coefficients, scores = [], np.zeros(0), np.zeros(len(y))
    for t in range(len(y)):
        scores[t] = K[t, S] @ coefficients
        age = np.maximum(t - np.arange(len(y)), 0)
        numbers = dict(C=C * decay**age, rho=0.0, alpha=0.9, eta=1.0)
        faded = decay * coefficients
        S, coefficients = STEPS[rule](K, y, decay**age, t, S, faded, K[t, S] @ faded, **numbers)
    return scores, np.array(S, dtype=int), coefficients
