"""Metrics as functions of sums over the examples, which makes resampling cheap.

Each function returns (columns, combine): `combine(columns.sum(axis=0))` is the metric. A resample
or a weighting of the examples only changes the factors of the rows in this sum.
"""

import numpy as np

from stakes.costs import Costs
from stakes.metrics._cost import (
    baseline_costs,
    cost_loss,
    example_costs,
    expected_cost_loss,
    expected_example_costs,
    savings,
    savings_score,
)
from stakes.metrics._intake import read_decisions
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
    costs = Costs.of(len(positive), **given)
    # which constant policy is best depends on the resample: keep the sums of both
    best = isinstance(baseline, str) and baseline == "best"
    policies = ["negative", "positive"] if best else [baseline]
    bases = [baseline_costs(costs, positive, policy, y_true, pos_label) for policy in policies]
    columns = np.column_stack([costs.paid(positive, decided), *bases])
    return columns, lambda sums: savings(sums[0], min(sums[1:]))


def _risk(y_true, y_pred, *, prior=None, pos_label=None, **given):
    positive, decided = read_decisions(y_true, y_pred, pos_label)
    paid = Costs.of(len(positive), **given).paid(positive, decided)
    columns = np.column_stack([positive, ~positive, paid * positive, paid * ~positive])

    def combine(sums):
        share = sums[0] / (sums[0] + sums[1]) if prior is None else prior
        return _part(share, sums[2], sums[0]) + _part(1 - share, sums[3], sums[1])

    return columns, combine


def _part(share, total, count):
    """Risk of one class: its share of the population times its mean cost."""
    if share == 0:
        return 0.0
    return float(share * total / count) if count else float("nan")


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
