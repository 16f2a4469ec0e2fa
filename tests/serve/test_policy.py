"""Limited alerts and reviews: the price of a slot."""

import numpy as np
import pytest

from stakes.errors import InputError
from stakes.serve._policy import ACTIONS, Capacity, Policy, Slots, expected_cost, paid_for
from stakes.stream import Prices

DAY = 86400.0


def stream_of_days(days, per_day, seed):
    """(time, probability, price of a miss) of events that are spread over days."""
    rng = np.random.default_rng(seed)
    at = np.sort(rng.uniform(0, days * DAY, days * per_day))
    return at, rng.beta(0.3, 20, at.size), rng.lognormal(4, 1, at.size)


def savings(policy_of, seed=0, limit=20, days=12, per_day=2000):
    """Share of the cost of passing always that alerts save, with a limit a day."""
    at, p, miss = stream_of_days(days, per_day, seed)
    take = policy_of(limit, at, p * miss - (1 - p) * 5.0)
    return np.sum((p * miss - (1 - p) * 5.0) * take) / np.sum(p * miss)


def by_price(limit, at, gain):
    slots = Slots(limit, DAY)
    return np.array([slots.take(g, t) for g, t in zip(gain.tolist(), at.tolist(), strict=True)])


def in_hindsight(limit, at, gain):
    take = np.zeros(at.size, dtype=bool)
    for day in np.unique(at // DAY):
        rows = np.flatnonzero((at // DAY == day) & (gain > 0))
        take[rows[np.argsort(-gain[rows])[:limit]]] = True
    return take


def first_come(limit, at, gain):
    take = np.zeros(at.size, dtype=bool)
    for day in np.unique(at // DAY):
        take[np.flatnonzero((at // DAY == day) & (gain > 0))[:limit]] = True
    return take


@pytest.mark.parametrize("seed", range(3))
def test_the_price_of_yesterday_saves_nearly_what_hindsight_does(seed):
    priced, best = savings(by_price, seed), savings(in_hindsight, seed)
    assert savings(first_come, seed) < 0.5 * best
    assert 0.85 * best < priced <= best


@pytest.mark.parametrize("limit", [0, 1, 7])
def test_the_limit_holds_in_every_period(limit):
    at, p, miss = stream_of_days(5, 300, 1)
    taken = by_price(limit, at, p * miss)
    assert max(np.bincount((at // DAY).astype(int), taken)) <= limit


def test_the_state_resumes_anywhere():
    at, p, miss = stream_of_days(3, 200, 2)
    plain = Slots(5, DAY)
    expected = [plain.take(g, t) for g, t in zip(p * miss, at, strict=True)]
    slots = Slots(5, DAY)
    found = []
    for i, (g, t) in enumerate(zip(p * miss, at, strict=True)):
        if i % 50 == 0:
            state, slots = slots.get_state(), Slots(5, DAY)
            slots.set_state(state)
        found.append(slots.take(g, t))
    assert found == expected


def test_without_limits_the_cheapest_of_three_actions_is_taken():
    rng = np.random.default_rng(3)
    capacity = Capacity(review_cost=2.0)
    policy = Policy(capacity)
    for _ in range(200):
        prices = Prices(float(rng.uniform(1, 9)), float(rng.uniform(1, 50)), 0.5, 0.25)
        p = float(rng.uniform())
        action, gain = policy.decide(p, int(p > prices.break_even), prices, 0.0)
        costs = {a: expected_cost(prices, p, a, capacity) for a in ACTIONS}
        assert costs[action] == pytest.approx(min(costs.values()), abs=1e-12)
        assert gain == pytest.approx(costs["pass"] - costs[action], abs=1e-12)


def test_a_review_finds_the_truth_at_its_price():
    prices, capacity = Prices(5.0, 95.0, 1.0, 0.5), Capacity(review_cost=2.0)
    assert paid_for(prices, 1, "review", capacity) == 3.0
    assert paid_for(prices, 0, "review", capacity) == 2.5
    assert paid_for(prices, 1, "pass", capacity) == 95.0
    assert paid_for(prices, 0, "alert", capacity) == 5.0


def test_reviews_are_limited_too():
    at, p, miss = stream_of_days(4, 400, 4)
    policy = Policy(Capacity(max_alerts=10, max_reviews=5, review_cost=1.0))
    actions = [
        policy.decide(q, int(q * m > 5 * (1 - q)), Prices(5.0, m, 0.0, 0.0), t)[0]
        for t, q, m in zip(at.tolist(), p.tolist(), miss.tolist(), strict=True)
    ]
    for day in range(4):
        today = [a for a, t in zip(actions, at, strict=True) if t // DAY == day]
        assert today.count("alert") <= 10 and today.count("review") <= 5
    assert actions.count("review") >= 15


def test_a_wrong_period_is_refused():
    with pytest.raises(InputError, match="period must be day or hour"):
        Capacity(period="week")
