"""Metrics one example and one threshold at a time."""

import numpy as np


def example_cost(truth, decision, fp, fn, tp, tn):
    return {(1, 1): tp, (1, 0): fn, (0, 1): fp, (0, 0): tn}[truth, decision]


def cost_loss(y, d, fp, fn, tp, tn):
    return sum(map(example_cost, y, d, fp, fn, tp, tn)) / len(y)


def expected_cost_loss(y, p, fp, fn, tp, tn):
    """Both decisions priced in expectation, the cheaper one paid."""
    total = 0.0
    for i in range(len(y)):
        alarm = p[i] * tp[i] + (1 - p[i]) * fp[i]
        silence = p[i] * fn[i] + (1 - p[i]) * tn[i]
        total += example_cost(y[i], int(alarm < silence), fp[i], fn[i], tp[i], tn[i])
    return total / len(y)


def minimum_risk(y, s, fp, fn, prior):
    """Every threshold tried from scratch."""
    best = np.inf
    for threshold in [*s, np.inf]:
        missed = np.mean(s[y == 1] < threshold)
        alarmed = np.mean(s[y == 0] >= threshold)
        best = min(best, prior * fn * missed + (1 - prior) * fp * alarmed)
    return best


def rates(y, s, threshold):
    return np.mean(s[y == 0] >= threshold), np.mean(s[y == 1] >= threshold)


def partial_auc(y, s, region, t):
    """A fine Riemann sum over the rate that the region bounds, on the curve through all points."""
    points = np.array([rates(y, s, c) for c in [np.inf, *sorted(set(s), reverse=True)]])
    grid = t + (1 - t) * (np.arange(20_000) + 0.5) / 20_000
    if region == "tnr":
        return np.interp(1 - grid, *points.T).mean()
    return (1 - np.interp(grid, points[:, 1], points[:, 0])).mean()


def h_measure(y, s, a, b):
    """Quadrature over c of the least loss over all thresholds, both ends included."""
    prior = y.mean()
    points = np.array([rates(y, s, c) for c in [np.inf, *set(s)]])
    c = (np.arange(40_000) + 0.5) / 40_000
    w = c ** (a - 1) * (1 - c) ** (b - 1)
    loss = np.full(len(c), np.inf)
    for fpr, tpr in points:
        loss = np.minimum(loss, c * (1 - prior) * fpr + (1 - c) * prior * (1 - tpr))
    return 1 - (loss * w).sum() / (np.minimum(c * (1 - prior), (1 - c) * prior) * w).sum()


def budget_cost(y, s, k, fp, fn, draws, rng):
    """Mean over random ways to break ties."""
    total = 0.0
    for _ in range(draws):
        order = np.lexsort([rng.random(len(s)), -s])
        decided = np.zeros(len(s), bool)
        decided[order[:k]] = True
        total += np.mean(np.where(y == 1, ~decided * fn, decided * fp))
    return total / draws


def poisson_resamples(keys, columns, n_boot):
    """Sums of each resample, from Python's whole numbers and scipy's Poisson distribution."""
    from scipy.stats import poisson

    mask, sums = 2**64 - 1, np.zeros((n_boot, columns.shape[1]))
    edges = [poisson.cdf(k, 1) * 2**32 for k in range(12)]
    for key, row in zip(keys, columns, strict=True):
        for b in range(n_boot):
            x = (int(key) + (b // 2 + 1) * 0x9E3779B97F4A7C15) & mask
            x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
            x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
            x ^= x >> 31
            u = x >> 32 if b % 2 else x % 2**32
            sums[b] += sum(u >= edge for edge in edges) * row
    return sums
