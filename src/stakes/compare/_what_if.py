"""What learners would cost at other prices, base rates and capacities, computed on all rows."""

from dataclasses import replace

import numpy as np

STEPS = np.arange(-4, 5)  # each slider multiplies by 2 ** (step / 2)
SHARES = (1.0, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)  # of the rows that can be alerts
CAPACITIES = (0.0, 0.5, 1.0, 2.0, 4.0)  # times the capacity that was given
MOST, MOST_WITH_CAPACITY = 6, 3  # learners whose probabilities are used again


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
    A capacity holds at the new base rate: alerts are counted with these weights.

    If the comparison had a capacity, the sliders move the prices and that capacity; with reviews,
    whose price does not move, the decision depends on f and g, not on their ratio alone.

    Parameters
    ----------
    table : OutOfFold
        Out-of-fold predictions; those of the first repeat are used.
    learners : list of str
        Names, best first.

    Returns
    -------
    dict or None
        None with a cost matrix of several actions, or if no learner gives probabilities.
    """
    if table.data.costs.keys() == {"cost_matrix"}:
        return None
    own, fixed = _who_follows_prices(table, learners)
    if not own:
        return None
    positive, n = table.data.y == 1, len(table.data)
    found = {
        "always_right": [
            float(1000 * table.costs.tn[~positive].sum() / n),
            float(1000 * table.costs.tp[positive].sum() / n),
        ],
        "rate": float(positive.mean()),
        "reviews": table.capacity is not None and table.capacity.review_cost is not None,
    }
    if table.capacity is not None:
        return found | _under_capacity(table, own[:MOST_WITH_CAPACITY], fixed)
    return found | {
        "sums": {name: _moving(table, table.of(name).probability) for name in own},
        "fixed": {name: _fixed(table, table.of(name)) for name in fixed},
        "caps": ["no limit", *(f"{100 * share:.1f} % of the rows" for share in SHARES[1:])],
        "cap": 0,
        "steps": STEPS.tolist(),
    }


def _who_follows_prices(table, learners):
    """Learners that decide by probability and prices, and those whose decisions stay."""
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
    return own, fixed


def _moving(table, probability):
    """Sums by ratio of prices (17), base rate (9) and capacity (7)."""
    rows, found = _Rows(table), []
    shifted = [_at_odds(probability, odds) for odds in STEPS]
    for ratio in range(2 * STEPS[0], 2 * STEPS[-1] + 1):
        missed = factor(ratio) * rows.missed
        costs = replace(table.costs, fn=table.costs.tp + missed)
        gains = [p * missed - (1 - p) * rows.wrong for p in shifted]
        decided = [costs.decide(p) for p in shifted]
        found.append([rows.sums(*one) for one in zip(decided, gains, STEPS, strict=True)])
    return found


def _at_odds(p, odds):
    return p if odds == 0 else factor(odds) * p / (factor(odds) * p + 1 - p)


def _fixed(table, found):
    """Sums by base rate and capacity of decisions that do not follow the prices."""
    rows, scores = _Rows(table), np.nan_to_num(found.probability)
    return [rows.sums(found.decided, scores, odds) for odds in STEPS]


class _Rows:
    """The rows, what is at stake in each, and what they count at other base rates."""

    def __init__(self, table):
        self.n, self.positive = len(table.data), table.data.y == 1
        self.wrong, self.missed = table.costs.negative_regret, table.costs.positive_regret
        self._missed_all = self.missed[self.positive].sum()
        self._weights = {odds: _weights(self.positive, odds) for odds in STEPS}

    def sums(self, decided, order, odds):
        """For each capacity: regret of false alarms and of misses, false alarms, found positives.

        Alerts are kept in descending `order` while they fit at the base rate of `odds`.
        """
        alerts = np.flatnonzero(decided)
        alerts = alerts[np.argsort(-order[alerts], kind="stable")]
        hits, used = self.positive[alerts], np.cumsum(self._weights[odds][alerts])
        limits = np.array(SHARES[1:]) * self.n + 1e-9  # the first is none
        kept = [len(alerts), *np.searchsorted(used, limits, side="right")]
        added = [~hits * self.wrong[alerts], hits * -self.missed[alerts], ~hits, hits]
        totals = np.concatenate([np.zeros((1, 4)), np.cumsum(np.column_stack(added), axis=0)])
        return [_per_1000(totals[k] + [0, self._missed_all, 0, 0], self.n) for k in kept]


def _weights(positive, odds):
    """How many rows of the new base rate each row stands for."""
    rate, k = positive.mean(), factor(odds)
    then = k * rate / (k * rate + 1 - rate)
    return np.where(positive, then / rate, (1 - then) / (1 - rate))


def _per_1000(sums, n):
    return [float(f"{1000 * one / n:.12g}") for one in sums]


def _under_capacity(table, own, fixed):
    """Sums by price of false positives, price of false negatives, and capacity."""
    name, amounts = _amounts(table.capacity)
    capacities = [replace(table.capacity, **{name: amount}) for amount in amounts]
    per = " per day" if table.periods is not None else ""
    word = name.removeprefix("max_")
    return {
        "sums": {one: _priced(table, table.of(one).probability, capacities) for one in own},
        "fixed": {one: _unpriced(table, table.of(one), capacities) for one in fixed},
        "caps": [
            f"{amount:,} {word}{per}" if isinstance(amount, int) else f"{amount:.3g} as {word}{per}"
            for amount in amounts
        ],
        "cap": amounts.index(getattr(table.capacity, name)),
        "steps": STEPS[::2].tolist(),
    }


def _amounts(capacity):
    """The limit that the slider moves, reviews first, and its values."""
    name = "max_alerts" if capacity.review_cost is None else "max_reviews"
    if getattr(capacity, name) == 1.0 and capacity.max_alerts != 1.0:
        name = "max_alerts"
    limit = getattr(capacity, name)
    if isinstance(limit, int):
        return name, sorted({round(limit * step) for step in CAPACITIES})
    return name, sorted({min(1.0, float(limit * step)) for step in CAPACITIES})


def _priced(table, probability, capacities):
    """Sums of a learner that follows the prices; the same where only their ratio counts."""
    seen = {}

    def at(fp, fn, which):
        key = (fp, fn, which) if capacities[0].review_cost is not None else (fn - fp, which)
        if key not in seen:
            costs, capacity = table.costs, capacities[which]
            costs = replace(
                costs,
                fp=costs.tn + factor(fp) * costs.negative_regret,
                fn=costs.tp + factor(fn) * costs.positive_regret,
            )
            action = capacity.act(probability, costs, table.periods)
            seen[key] = _paid_for(table, action, capacity)
        return seen[key]

    steps, which = STEPS[::2].tolist(), range(len(capacities))
    return [[[at(fp, fn, k) for k in which] for fn in steps] for fp in steps]


def _unpriced(table, found, capacities):
    """Sums of decisions that do not follow the prices."""
    acts = [table.act(found.decided, found.probability, capacity) for capacity in capacities]
    return [_paid_for(table, *one) for one in zip(acts, capacities, strict=True)]


def _paid_for(table, action, capacity):
    """As :func:`_sums`, then reviews, positives among them, and their price."""
    positive, n, costs = table.data.y == 1, len(table.data), table.costs
    alert, reviewed = action == 1, action == -1
    price = 0.0 if capacity.review_cost is None else capacity.review_cost
    sums = (
        costs.negative_regret[alert & ~positive].sum(),
        costs.positive_regret[(action == 0) & positive].sum(),
        (alert & ~positive).sum(),
        (alert & positive).sum(),
        reviewed.sum(),
        (reviewed & positive).sum(),
        np.broadcast_to(price, n)[reviewed].sum(),
    )
    return _per_1000(sums, n)
