"""From prices to margins: the paper's theta, its running estimate, and prices per example."""

import numpy as np
import pytest

from stakes.costs import Costs
from stakes.online_kernel import CSDUOLClassifier, KernelPAUMClassifier

Y = np.array([-1.0, 1.0, -1.0, -1.0, 1.0, -1.0])


def margins(learner, y=Y, signs=Y, **costs):
    learner.classes_ = np.array([-1, 1])
    learner._start(1, None, signs)
    return learner._margins(y, Costs.of(len(y), **costs))


def test_cost_is_the_papers_ratio():
    theta = margins(CSDUOLClassifier(), fp_cost=0.05, fn_cost=0.95)
    np.testing.assert_array_equal(theta, np.where(Y > 0, 0.95 / 0.05, 1.0))


def test_sum_with_the_oracle_ratio_is_the_papers():
    theta = margins(
        CSDUOLClassifier(cost_rule="balanced", class_ratio="oracle", positive_weight=0.75)
    )
    np.testing.assert_allclose(theta, np.where(Y > 0, 3 * 4 / 2, 1.0))


def test_sum_with_the_running_ratio():
    theta = margins(CSDUOLClassifier(cost_rule="balanced"))
    np.testing.assert_allclose(theta, [1, 2 / 2, 1, 1, 4 / 3, 1])
    long = np.where(np.random.default_rng(0).random(20000) < 0.1, 1.0, -1.0)
    assert margins(CSDUOLClassifier(cost_rule="balanced"), long)[long > 0][-1] == pytest.approx(
        9, 0.05
    )


def test_class_prices_cancel_in_the_sum():
    plain = margins(CSDUOLClassifier(cost_rule="balanced"))
    priced = margins(CSDUOLClassifier(cost_rule="balanced"), fp_cost=3.0, fn_cost=700.0)
    np.testing.assert_array_equal(plain, priced)


def test_own_prices():
    fp, fn = np.array([1.0, 3.0, 2.0, 2.0, 2.0, 0.0]), np.array([9.0, 4.0, 1.0, 1.0, 6.0, 1.0])
    theta = margins(CSDUOLClassifier(), fp_cost=fp, fn_cost=fn)
    np.testing.assert_allclose(theta, [1, 4 / 2, 2 / 2, 2 / 2, 6 / 2, 0])
    scaled = margins(CSDUOLClassifier(), fp_cost=1000 * fp, fn_cost=1000 * fn)
    np.testing.assert_allclose(scaled, theta, rtol=1e-12)
    raw = margins(CSDUOLClassifier(normalize_costs=False), fp_cost=fp, fn_cost=fn)
    np.testing.assert_array_equal(raw, [1, 4, 2, 2, 6, 0])
    own = margins(CSDUOLClassifier(cost_rule="balanced", class_ratio=1.0), fp_cost=fp, fn_cost=fn)
    np.testing.assert_allclose(own, [1, 1, 2 / 1.5, 2 / (5 / 3), 6 / 5, 0])


def test_free_false_alarms():
    theta = margins(CSDUOLClassifier(), fp_cost=0.0, fn_cost=4.0)
    np.testing.assert_array_equal(theta, np.where(Y > 0, 1.0, 0.0))


def test_oracle_needs_fit():
    with pytest.raises(ValueError, match="works with fit only"):
        KernelPAUMClassifier(cost_rule="balanced", class_ratio="oracle").partial_fit(
            [[0.0], [1.0]], [0, 1]
        )
