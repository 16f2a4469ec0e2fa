"""Metrics, intervals and curves in one pass: the same for any parts, and honest."""

import numpy as np
import pytest
from scipy.stats import poisson

from naive import metrics as naive
from stakes._core.row_hash import hash_rows
from stakes.metrics import (
    MetricSums,
    SavingsCurveSums,
    bootstrap_interval,
    cost_loss,
    expected_cost_loss,
    risk_loss,
    savings_score,
    weighted_sum_score,
)
from stakes.metrics._one_pass import _BELOW
from stakes.metrics._poisson_jit import add_resamples


def sample(rng, n):
    y = (rng.random(n) < 0.2).astype(int)
    p = np.clip(0.2 + 0.3 * (y - 0.2) + 0.2 * rng.normal(size=n), 0, 1)
    return y, (p > 0.3).astype(int), p, rng.lognormal(1, 1, n)


def test_resamples_equal_the_naive_ones(rng):
    keys, columns = hash_rows(rng.integers(0, 10**9, 40), 3), rng.normal(size=(40, 3))
    for n_boot in (1, 2, 7):
        sums = np.zeros((n_boot, 3))
        with np.errstate(over="ignore"):
            add_resamples(keys, columns, _BELOW, sums)
        expected = naive.poisson_resamples(keys, columns, n_boot)
        np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.jit
def test_rows_are_drawn_as_often_as_poisson_says():
    n, n_boot = 20_000, 50
    sums = np.zeros((n_boot, n))
    for first in range(0, n, 1000):
        rows = np.eye(1000)
        add_resamples(
            hash_rows(np.arange(first, first + 1000)), rows, _BELOW, sums[:, first:][:, :1000]
        )
    found = np.bincount(sums.astype(int).ravel(), minlength=9)[:9]
    expected = n * n_boot * poisson.pmf(np.arange(9), 1)
    assert np.all(np.abs(found - expected) < 5 * np.sqrt(expected) + 1)
    # resamples are not correlated, nor are neighbouring rows
    across = np.corrcoef(sums)[np.triu_indices(n_boot, 1)]
    assert np.abs(across).max() < 5 / np.sqrt(n)
    along = [np.corrcoef(one[:-1], one[1:])[0, 1] for one in sums]
    assert np.abs(along).max() < 5 / np.sqrt(n)


@pytest.mark.parametrize("metric", [cost_loss, savings_score, risk_loss, weighted_sum_score])
@pytest.mark.parametrize("n_parts", [1, 2, 7, 64])
def test_parts_do_not_matter(metric, n_parts, rng):
    y, d, _, fn = sample(rng, 300)
    how = {} if metric is weighted_sum_score else {"fn_cost": fn}
    whole = MetricSums(metric, n_boot=20).add(np.arange(300), y, d, **how)
    merged = MetricSums(metric, n_boot=20)
    for rows in np.array_split(np.arange(300), n_parts):
        priced = {name: cost[rows] for name, cost in how.items()}
        merged = merged.merge(MetricSums(metric, n_boot=20).add(rows, y[rows], d[rows], **priced))
    one, other = whole.interval(), merged.interval()
    assert one.estimate == pytest.approx(metric(y, d, **how), rel=1e-12)
    assert other.estimate == pytest.approx(one.estimate, rel=1e-12)
    np.testing.assert_allclose(other.values, one.values, rtol=1e-12)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


@pytest.mark.jit
def test_intervals_cover_and_agree_with_the_bootstrap():
    rng, covered, widths = np.random.default_rng(0), 0, []
    y, d, _, fn = sample(rng, 400_000)
    truth = cost_loss(y, d, fn_cost=fn)
    for k in range(300):
        y, d, _, fn = sample(rng, 500)
        found = MetricSums(cost_loss, n_boot=400, random_state=k)
        found = found.add(np.arange(500), y, d, fn_cost=fn).interval()
        covered += found.low <= truth <= found.high
        if k < 20:
            other = bootstrap_interval(cost_loss, y, d, fn_cost=fn, n_boot=400, random_state=k)
            widths.append((found.high - found.low) / (other.high - other.low))
    assert 0.88 < covered / 300 < 0.98  # 95 %, less what skewed costs take from any percentile
    assert 0.95 < np.mean(widths) < 1.05


def test_curve_is_exact_at_its_thresholds(rng):
    y, _, p, fn = sample(rng, 500)
    p[:20] = np.arange(20) / 20  # on the thresholds
    parts = [slice(0, 100), slice(100, 500)]
    sums = [SavingsCurveSums(20).add(y[r], p[r], fn_cost=fn[r]) for r in parts]
    curve = sums[0].merge(sums[1]).display()
    for threshold, savings, alerts in zip(
        curve.thresholds, curve.savings, curve.alerts, strict=True
    ):
        decided = (p >= threshold).astype(int)
        assert alerts == pytest.approx(decided.mean())
        assert savings == pytest.approx(savings_score(y, decided, fn_cost=fn), abs=1e-12)
    curve.plot()


def test_what_cannot_be_summed_says_so(rng):
    from stakes.metrics import h_measure

    with pytest.raises(ValueError, match="h_measure is not a function of sums over rows"):
        MetricSums(h_measure)
    with pytest.raises(ValueError, match=r"n_boot must be at least 1\. Got 0"):
        MetricSums(cost_loss, n_boot=0)
    with pytest.raises(ValueError, match="There are no rows"):
        MetricSums(cost_loss).interval()
    with pytest.raises(ValueError, match="Only sums of the same metric"):
        MetricSums(cost_loss).merge(MetricSums(cost_loss, random_state=1))
    with pytest.raises(ValueError, match="Only sums with the same thresholds"):
        SavingsCurveSums(10).merge(SavingsCurveSums(20))
    with pytest.raises(ValueError, match="probabilities between 0 and 1"):
        SavingsCurveSums().add([0, 1], [0.5, 1.5])
    found = MetricSums(expected_cost_loss, n_boot=5).add([0, 1], [0, 1], [0.2, 0.9], fn_cost=3.0)
    assert found.interval().estimate == expected_cost_loss([0, 1], [0.2, 0.9], fn_cost=3.0)
