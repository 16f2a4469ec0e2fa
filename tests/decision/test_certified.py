"""Certificates as error probabilities: when a decision is refused."""

import numpy as np
import pytest

from stakes.datasets import make_uncertain
from stakes.decision import decide_certified
from stakes.uncertain import UncertainMarginClassifier


def test_refused_exactly_where_the_bound_is_dearer_than_a_review(rng):
    n = 200
    decided, certificate = rng.random(n) < 0.5, rng.random(n)
    costs = dict(fp_cost=rng.uniform(1, 9, n), fn_cost=rng.uniform(1, 99, n), tp_cost=0.5)
    price = rng.uniform(0, 5, n)
    done = decide_certified(decided, certificate, review_cost=price, **costs)
    for i in range(n):
        regret = costs["fp_cost"][i] if decided[i] else costs["fn_cost"][i] - 0.5
        refused = certificate[i] * regret > price[i]
        assert done.action[i] == (-1 if refused else int(decided[i]))
        worst = 1 - certificate[i] if decided[i] else certificate[i]
        right = worst * 0.5
        wrong = (1 - worst) * regret if decided[i] else worst * regret
        paid = right + (price[i] if refused else wrong)
        assert done.expected_cost[i] == pytest.approx(paid)


def test_the_scale_of_the_costs_does_not_matter(rng):
    decided, certificate = rng.random(50) < 0.5, rng.random(50)
    fn_cost = rng.uniform(1, 99, 50)
    one = decide_certified(decided, certificate, review_cost=2.0, fn_cost=fn_cost)
    many = decide_certified(
        decided, certificate, review_cost=2000.0, fp_cost=1000.0, fn_cost=1000 * fn_cost
    )
    np.testing.assert_array_equal(one.action, many.action)


def test_few_reviews_go_where_most_is_at_stake():
    certificate = np.array([0.2, 0.9, 0.5, 0.0])
    done = decide_certified(np.zeros(4, bool), certificate, review_cost=0.1, max_reviews=2)
    assert done.action.tolist() == [0, -1, -1, 0]
    none = decide_certified(np.zeros(4, bool), certificate, review_cost=0.1, max_reviews=0)
    assert (none.action == 0).all()


def test_uncertain_measurements_are_refused_by_their_certificates():
    data = make_uncertain(120, 3, n_replicates=20, separation=4.0, random_state=0)
    model = UncertainMarginClassifier(formulation="MM-SMV-I", max_error=0.5).fit(
        None, data.y, replicates=data.replicates
    )
    decided = model.predict(None, replicates=data.replicates) == model.classes_[1]
    certificate = model.predict_certificate(None, replicates=data.replicates)
    shares = []
    for price in (0.0, 0.1, 0.5, 1.0):
        done = decide_certified(decided, certificate, review_cost=price)
        refused = done.action == -1
        np.testing.assert_array_equal(
            refused, model.needs_review(None, max_error=price, replicates=data.replicates)
        )
        assert (certificate[~refused] <= price).all()
        shares.append(refused.mean())
    assert shares == sorted(shares, reverse=True)
    assert shares[1] > shares[3] == 0


def test_bad_input_ends_in_a_sentence():
    with pytest.raises(ValueError, match="decided must be boolean"):
        decide_certified([1, 0], [0.1, 0.1], review_cost=1)
    with pytest.raises(ValueError, match="certificate must have 2 values"):
        decide_certified([True, False], [0.1], review_cost=1)
    with pytest.raises(ValueError, match="between 0 and 1"):
        decide_certified([True, False], [0.1, 1.1], review_cost=1)
    with pytest.raises(ValueError, match="review_cost must be finite"):
        decide_certified([True], [0.1], review_cost=-1)
