"""Slow references of decision/, by enumeration and by the textbook formula."""

import itertools

import numpy as np


def elkan(p, base_rate, new_base_rate):
    """Theorem 2 of Elkan (2001), as printed."""
    b, c = base_rate, new_base_rate
    return c * (p - p * b) / (b - p * b + c * p - b * c)


def prior_log_likelihood(p, growth):
    """What Saerens' rounds maximise, for shares that were one half each and grow to this."""
    return float(np.log(p @ [2.0 - growth, growth]).sum())


def threshold_costs(scores, positive, costs, weight):
    """The total cost of every distinct way to cut the scores, one full pass for each."""
    cuts = [np.inf, *sorted(set(scores), reverse=True)]
    totals = []
    for cut in cuts:
        decided = scores >= cut
        totals.append((weight * costs.paid(positive, decided)).sum())
    return np.array(totals)


def best_allocation(alert_gain, review_gain, max_alerts, max_reviews):
    """The greatest total gain over all 3^n choices."""
    best = 0.0
    for choice in itertools.product((0, 1, -1), repeat=len(alert_gain)):
        choice = np.array(choice)
        if (choice == 1).sum() > max_alerts or (choice == -1).sum() > max_reviews:
            continue
        best = max(best, alert_gain[choice == 1].sum() + review_gain[choice == -1].sum())
    return best


def blend_weights(Z, y, alpha):
    """Intercept and non-negative weights of a blend of log-odds, by a general convex solver."""
    import cvxpy as cp

    n, k = Z.shape
    b, w = cp.Variable(), cp.Variable(k, nonneg=True)
    margins = cp.multiply(np.where(y == 1, 1.0, -1.0), Z @ w + b)
    pull = alpha * cp.sum_squares(w - 1 / k)
    cp.Problem(cp.Minimize(cp.sum(cp.logistic(-margins)) / n + pull)).solve(solver="CLARABEL")
    return float(b.value), w.value
