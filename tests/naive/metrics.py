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
