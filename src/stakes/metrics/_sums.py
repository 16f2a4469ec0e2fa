"""Metrics as functions of sums over the examples, so that resamples need no second look at them.

Each function returns (columns, combine): `combine(columns.sum(axis=0))` is the metric.
"""

import numpy as np

from stakes.metrics._cost import (
    baseline_costs,
    cost_loss,
    example_costs,
    expected_cost_loss,
    expected_example_costs,
    savings,
    savings_score,
)
from stakes.metrics._intake import read_costs, read_decisions
from stakes.metrics._rates import risk_loss, weighted_sum_score


def _cost(y_true, y_pred, *, normalize=True, **options):
    return _mean(example_costs(y_true, y_pred, **options), normalize)


def _expected_cost(y_true, y_prob, *, normalize=True, **options):
    return _mean(expected_example_costs(y_true, y_prob, **options), normalize)


def _mean(paid, normalize):
    columns = np.column_stack([paid, np.ones(len(paid))])
    return columns, lambda sums: float(sums[0] / sums[1] if normalize else sums[0])


def _savings(y_true, y_pred, *, baseline="best", pos_label=None, **given):
    positive, decided = read_decisions(y_true, y_pred, pos_label)
    costs = read_costs(len(positive), given)
    best = isinstance(baseline, str) and baseline == "best"
    policies = ["negative", "positive"] if best else [baseline]
    bases = [baseline_costs(costs, positive, policy, y_true, pos_label) for policy in policies]
    columns = np.column_stack([costs.paid(positive, decided), *bases])
    return columns, lambda sums: savings(sums[0], min(sums[1:]))


def _risk(y_true, y_pred, *, positive_prior=None, pos_label=None, **given):
    positive, decided = read_decisions(y_true, y_pred, pos_label)
    paid = read_costs(len(positive), given).paid(positive, decided)
    columns = np.column_stack([positive, ~positive, paid * positive, paid * ~positive])

    def combine(sums):
        prior = sums[0] / (sums[0] + sums[1]) if positive_prior is None else positive_prior
        return _share(prior, sums[2], sums[0]) + _share(1 - prior, sums[3], sums[1])

    return columns, combine


def _share(prior, total, count):
    if prior == 0:
        return 0.0
    return float(prior * total / count) if count else float("nan")


def _weighted_sum(y_true, y_pred, *, positive_weight=0.5, pos_label=None):
    positive, decided = read_decisions(y_true, y_pred, pos_label)
    columns = np.column_stack([positive, ~positive, positive & decided, ~positive & ~decided])

    def combine(sums):
        if sums[0] == 0 or sums[1] == 0:
            return float("nan")
        sensitivity, specificity = sums[2] / sums[0], sums[3] / sums[1]
        return float(positive_weight * sensitivity + (1 - positive_weight) * specificity)

    return columns.astype(np.float64), combine


SUMS = {
    cost_loss: _cost,
    expected_cost_loss: _expected_cost,
    savings_score: _savings,
    risk_loss: _risk,
    weighted_sum_score: _weighted_sum,
}
