"""Limited alerts and reviews: against a search over all actions, and period by period."""

import itertools

import numpy as np
import pytest

from stakes.costs import Costs
from stakes.decision import Capacity


def test_actions_are_the_best_of_all(rng):
    for _ in range(15):
        n = 5
        p, fn, review = rng.random(n), rng.uniform(1, 9, n), rng.uniform(0, 2, n)
        costs = Costs.of(n, fp_cost=2.0, fn_cost=fn)
        capacity = Capacity(max_alerts=int(rng.integers(0, 4)), review_cost=review, max_reviews=2)
        found = capacity.expected(costs, p, capacity.act(p, costs)).sum()
        every = [
            p @ np.where(a == 1, 0, np.where(a == -1, review, fn))
            + (1 - p) @ np.where(a == 1, 2.0, np.where(a == -1, review, 0))
            for a in map(np.array, itertools.product((0, 1, -1), repeat=n))
            if (a == 1).sum() <= capacity.max_alerts and (a == -1).sum() <= 2
        ]
        assert found == pytest.approx(min(every))


def test_each_period_has_its_own_capacity(rng):
    p, day = rng.random(60), rng.integers(0, 4, 60)
    costs = Costs.of(60, fp_cost=1.0, fn_cost=rng.uniform(1, 9, 60))
    capacity = Capacity(max_alerts=3, review_cost=0.5, max_reviews=0.1)
    action = capacity.act(p, costs, day)
    for one in range(4):
        rows = np.flatnonzero(day == one)
        assert action[rows].tolist() == capacity_of(capacity, p, costs, rows)
        assert (action[rows] == 1).sum() <= 3 and (action[rows] == -1).sum() <= len(rows) // 10


def capacity_of(capacity, p, costs, rows):
    return capacity.act(p[rows], costs[rows]).tolist()


def test_what_was_paid_includes_the_reviews():
    costs = Costs.of(4, fp_cost=1.0, fn_cost=9.0, tp_cost=2.0)
    paid = Capacity(review_cost=0.5).paid(costs, [1, 0, 1, 0], np.array([-1, -1, 0, 1]))
    assert paid.tolist() == [2.5, 0.5, 9.0, 1.0]


def test_a_rule_of_its_own_keeps_its_highest_scores():
    capacity, decided = Capacity(max_alerts=1), [True, True, False, True]
    assert capacity.cut(decided, [0.6, 0.7, 0.9, 0.6]).tolist() == [0, 1, 0, 0]
    assert capacity.cut(decided, [0.6, 0.7, 0.9, 0.6], [0, 0, 1, 1]).tolist() == [0, 1, 0, 1]
    assert capacity.cut(decided, [np.nan] * 4).tolist() == [1, 0, 0, 0]


def test_more_capacity_never_costs_more(rng):
    p = rng.random(50)
    costs = Costs.of(50, fp_cost=2.0, fn_cost=rng.uniform(1, 9, 50))
    capacity = Capacity(max_alerts=4, review_cost=0.7, max_reviews=0.1)
    now = capacity.expected(costs, p, capacity.act(p, costs)).sum()
    for what, more in (("max_alerts", 1), ("max_reviews", 0.05)):
        larger = capacity.with_more(what, more)
        assert larger.expected(costs, p, larger.act(p, costs)).sum() <= now + 1e-12
    assert capacity.with_more("max_reviews", 5).max_reviews == 1.0
