"""What learners would cost at other prices, base rates and capacities, computed on all rows."""

from dataclasses import replace

import numpy as np

STEPS = np.arange(-4, 5)  # each slider multiplies by 2 ** (step / 2)
SHARES = (1.0, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)  # of the rows that can be alerts
MOST = 6  # learners whose probabilities are used again


def factor(step):
    """What a step of a slider multiplies by.

    Examples
    --------
    >>> factor(-2), factor(0), factor(4)
    (0.5, 1.0, 4.0)
    """
    return float(2.0 ** (step / 2))


def what_if(table, learners):
    r"""Sums that give the cost at every setting of the report's sliders.

    False positives cost f times the stated regret, false negatives g times, and the odds of the
    base rate are k times those of the rows. The decision depends on g / f and k only, so four
    numbers per learner are enough for each pair and each capacity: with :math:`w_0, w_1` the
    weights of negatives and positives at the new base rate,

    .. math:: cost = w_0 (TN + f\,C) + w_1 (TP + g\,D) ,

    where C is the regret of the false alarms and D that of the missed positives, per 1,000 rows.

    Parameters
    ----------
    table : OutOfFold
        Out-of-fold predictions; those of the first repeat are used.
    learners : list of str
        Names, best first.

    Returns
    -------
    dict or None
        None if a capacity was given, or no learner gives probabilities.
    """
    if table.capacity is not None or table.data.costs.keys() == {"cost_matrix"}:
        return None
    own, fixed = [], []
    for name in learners:
        found = table.of(name)
        by_cost = not np.isnan(found.probability).any() and np.array_equal(
            found.decided, table.costs.decide(found.probability)
        )
        if by_cost and name not in table.constant and len(own) < MOST:
            own.append(name)
        elif not by_cost or name in table.constant:
            fixed.append(name)
    if not own:
        return None
    positive, n = table.data.y == 1, len(table.data)
    return {
        "learners": own,
        "sums": {name: _moving(table, table.of(name).probability) for name in own},
        "fixed": {name: _fixed(table, table.of(name)) for name in fixed},
        "always_right": [
            float(1000 * table.costs.tn[~positive].sum() / n),
            float(1000 * table.costs.tp[positive].sum() / n),
        ],
        "rate": float(positive.mean()),
        "shares": list(SHARES),
        "steps": STEPS.tolist(),
    }


def _moving(table, probability):
    """Sums by ratio of prices (17), base rate (9) and capacity (7)."""
    return [
        [_sums(table, *_decided(table, probability, ratio, odds)) for odds in STEPS]
        for ratio in range(2 * STEPS[0], 2 * STEPS[-1] + 1)
    ]


def _decided(table, probability, ratio, odds):
    """Decisions, and the order in which alerts are kept, at a ratio of prices and a base rate."""
    costs, p = table.costs, probability
    if ratio:
        costs = replace(costs, fn=costs.tp + factor(ratio) * costs.positive_regret)
    if odds:
        p = factor(odds) * p / (factor(odds) * p + 1 - p)
    gain = p * costs.positive_regret - (1 - p) * costs.negative_regret
    return costs.decide(p), gain


def _fixed(table, found):
    """Sums by capacity of decisions that do not follow the prices."""
    scores = np.nan_to_num(found.probability)
    return _sums(table, found.decided, scores)


def _sums(table, decided, order):
    """For each capacity: regret of false alarms and of misses, false alarms, found positives."""
    positive, n, costs = table.data.y == 1, len(table.data), table.costs
    alerts = np.flatnonzero(decided)
    alerts = alerts[np.argsort(-order[alerts], kind="stable")]
    missed_all = costs.positive_regret[positive].sum()
    rows = []
    for share in SHARES:
        kept = alerts[: int(share * n + 1e-9)]
        hits = positive[kept]
        sums = (
            costs.negative_regret[kept[~hits]].sum(),
            missed_all - costs.positive_regret[kept[hits]].sum(),
            (~hits).sum(),
            hits.sum(),
        )
        rows.append([float(f"{1000 * one / n:.12g}") for one in sums])
    return rows
