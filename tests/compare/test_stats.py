import numpy as np
import pytest
from scipy import stats

from stakes.compare import (
    CriticalDifferenceDisplay,
    average_ranks,
    bootstrap_means,
    critical_difference,
    friedman_test,
)
from stakes.compare._stats import cliques, interval


def test_friedman_equals_scipy(rng):
    costs = rng.normal(size=(9, 4)).round(1)  # rounding makes ties
    ours, theirs = friedman_test(costs), stats.friedmanchisquare(*costs.T)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-12)


def test_friedman_at_the_edges():
    assert friedman_test(np.ones((3, 3))).p_value == 1.0
    perfect = friedman_test(np.tile([1.0, 2.0, 3.0], (5, 1)))
    assert perfect.f_statistic == np.inf
    assert perfect.f_p_value == 0.0
    with pytest.raises(ValueError, match=r"2 blocks and 3 learners\. Got 1 and 3"):
        friedman_test([[1, 2, 3]])


def test_critical_difference_equals_the_printed_table():
    # Demsar 2006, table 5(a): q(0.05) is 2.569 for four learners and 3.164 for ten
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=1e-3)
    assert critical_difference(10, 30) == pytest.approx(3.164 * np.sqrt(110 / 180), abs=1e-3)
    # table 5(a): q(0.10) is 2.291 for four learners
    at_90 = critical_difference(4, 14, confidence_level=0.9)
    assert at_90 == pytest.approx(2.291 * np.sqrt(4 * 5 / (6 * 14)), abs=1e-3)


def test_cliques_are_maximal():
    assert cliques([1.0, 1.5, 3.0, 3.2, 4.0], 1.0) == [(0, 1), (2, 4)]
    assert cliques([1.0, 3.0], 1.0) == []


def test_ranks_share_ties():
    np.testing.assert_allclose(average_ranks([[5, 1, 1]]), [3, 1.5, 1.5])


def test_bootstrap_interval_covers_the_mean_as_often_as_it_says():
    hits = 0
    for seed in range(200):
        values = np.random.default_rng(seed).normal(3.0, 2.0, 80)
        low, high = interval(bootstrap_means(values[:, None], n_boot=300, random_state=seed))
        hits += low <= 3.0 <= high
    assert 180 <= hits <= 198  # 95 % of 200, give or take the sampling error


def test_bootstrap_is_paired():
    values = np.random.default_rng(0).lognormal(2, 2, 500)
    pair = np.column_stack([values, values + 1.0, np.ones(500)])
    means = bootstrap_means(pair)
    np.testing.assert_allclose(means[:, 1] - means[:, 0], 1.0)
    assert interval(means[:, 2]) == [1.0, 1.0]


def test_diagram_has_a_label_for_each_learner():
    costs = np.random.default_rng(0).normal(size=(8, 5)) + np.arange(5)
    display = CriticalDifferenceDisplay.from_costs(costs, list("abcde"))
    drawn = " ".join(text.get_text() for text in display.ax_.texts)
    assert all(f"{name}" in drawn for name in "abcde")
    assert "critical difference 2.16" in drawn
