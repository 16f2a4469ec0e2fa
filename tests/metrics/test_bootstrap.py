import numpy as np
import pytest
from scipy import stats

from stakes import metrics
from stakes.metrics import bootstrap_interval, cost_loss, paired_bootstrap


def draw(rng, n=80):
    y = rng.integers(0, 2, n)
    p = 0.3 * y + 0.7 * rng.random(n)
    return y, p, dict(fp_cost=rng.exponential(size=n), fn_cost=rng.lognormal(size=n))


DECISIONS = {
    "cost_loss": {},
    "savings_score": {},
    "risk_loss": {"prior": 0.1},
    "weighted_sum_score": {"positive_weight": 0.3},
    "tail_cost_loss": {"tail": 0.1},
}
SCORES = {
    "expected_cost_loss": {},
    "minimum_risk": {},
    "partial_auc_score": {"region": "tnr"},
    "h_measure": {},
    "budget_cost_loss": {"max_alerts": 10},
}


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("name", [*DECISIONS, *SCORES])
def test_every_metric_equals_the_loop_over_resamples(rng, name, method):
    """The values from sums equal those of a metric that is called on each resample's rows."""
    y, p, costs = draw(rng)
    metric = getattr(metrics, name)
    costless = ("weighted_sum_score", "partial_auc_score", "h_measure")
    options = DECISIONS.get(name, SCORES.get(name)) | ({} if name in costless else costs)
    answer = p if name in SCORES else p > 0.6

    def wrapped(y_true, y_pred, pos_label=None, **options):
        return metric(y_true, y_pred, pos_label=pos_label, **options)

    given = dict(n_boot=30, random_state=3, method=method, **options)
    fast = bootstrap_interval(metric, y, answer, **given)
    slow = bootstrap_interval(wrapped, y, answer, **given)
    np.testing.assert_allclose(fast.values, slow.values, rtol=1e-10)
    assert (fast.estimate, fast.low, fast.high) == pytest.approx(
        (slow.estimate, slow.low, slow.high), rel=1e-9
    )
    value = metric(y, answer, **options)
    assert fast.estimate == pytest.approx(getattr(value, "value", value))
    assert fast.low <= fast.high


@pytest.mark.parametrize(
    "options", [{"baseline": "negative"}, {"baseline": "rule"}, {"tp_cost": -1.0}]
)
def test_savings_against_other_baselines(rng, options):
    y, p, costs = draw(rng)
    if options.get("baseline") == "rule":
        options = {"baseline": p > 0.9}
    result = bootstrap_interval(
        metrics.savings_score, y, p > 0.5, n_boot=20, random_state=0, **costs, **options
    )
    rng = np.random.default_rng(np.random.RandomState(0).randint(2**31 - 1))
    drawn = rng.integers(80, size=80, dtype=np.int32)
    rows = {name: np.asarray(v)[drawn] for name, v in (costs | options).items() if np.ndim(v)}
    fixed = {name: v for name, v in options.items() if name not in rows}
    again = metrics.savings_score(y[drawn], (p > 0.5)[drawn], **rows, **fixed)
    assert result.values[0] == pytest.approx(again, rel=1e-12)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_agrees_with_scipy_on_a_mean(method):
    paid = np.random.default_rng(0).lognormal(0, 1.5, 200)
    ours = bootstrap_interval(
        cost_loss,
        np.ones(200),
        np.zeros(200),
        fn_cost=paid,
        n_boot=5000,
        method=method,
        random_state=0,
    )
    theirs = stats.bootstrap(
        (paid,), np.mean, n_resamples=5000, method=method, vectorized=True
    ).confidence_interval
    # two runs of 5000 resamples differ by a few hundredths of the interval's length
    assert ours.low == pytest.approx(theirs.low, abs=0.06 * (theirs.high - theirs.low))
    assert ours.high == pytest.approx(theirs.high, abs=0.06 * (theirs.high - theirs.low))


def test_interval_covers_as_often_as_it_says():
    rng, truth, hits = np.random.default_rng(1), np.exp(0.5) / 2, 0
    for seed in range(200):
        paid, missed = rng.lognormal(size=150), rng.integers(0, 2, 150)
        interval = bootstrap_interval(
            cost_loss, np.ones(150), 1 - missed, fn_cost=paid, n_boot=200, random_state=seed
        )
        hits += interval.low <= truth <= interval.high
    assert 0.88 <= hits / 200 <= 0.99


def test_pairs_tell_what_single_intervals_do_not(rng):
    y, p, costs = draw(rng, n=400)
    ours = p > 0.5
    today = ours & ~((y == 1) & (rng.random(400) < 0.1))  # misses some that ours catches
    result = paired_bootstrap(cost_loss, y, ours, today, random_state=0, **costs)
    single = bootstrap_interval(cost_loss, y, ours, random_state=0, **costs)
    assert result.estimate == pytest.approx(
        cost_loss(y, ours, **costs) - cost_loss(y, today, **costs)
    )
    assert result.high - result.low < single.high - single.low
    assert result.high < 0 < result.p_value < 0.05
    same = paired_bootstrap(cost_loss, y, ours, ours, random_state=0, **costs)
    assert (same.estimate, same.low, same.high, same.p_value) == (0, 0, 0, 1)


def test_seed_decides_everything():
    y, d = [0, 1] * 20, [1, 1, 0, 1] * 10
    one, two = (bootstrap_interval(cost_loss, y, d, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(one.values, two.values)
    assert str(one) == str(two)


def test_resamples_without_a_class_are_left_out():
    y, d = np.r_[1, np.zeros(30, int)], np.zeros(31, int)
    result = bootstrap_interval(metrics.weighted_sum_score, y, d, random_state=0)
    assert 0.2 < np.isnan(result.values).mean() < 0.5
    assert (result.estimate, result.low, result.high) == (0.5, 0.5, 0.5)
    risk = bootstrap_interval(metrics.risk_loss, y, d, prior=0.5, random_state=0)
    assert risk.low == risk.high == 0.5
    free = bootstrap_interval(metrics.risk_loss, 0 * y, d, prior=0.0, random_state=0)
    assert free.low == free.high == 0
    letters = np.where(y == 1, "z", "a")
    area = bootstrap_interval(
        metrics.partial_auc_score, letters, y + 0.0, n_boot=100, random_state=0
    )
    assert area.low == area.high == 1
    table = 1 - np.eye(3)
    many = bootstrap_interval(cost_loss, [0, 1, 2], [0, 2, 2], cost_matrix=table, random_state=0)
    assert many.estimate == pytest.approx(1 / 3)
    nothing = bootstrap_interval(metrics.h_measure, [1], [0.0], n_boot=5, random_state=2)
    assert np.isnan([nothing.estimate, nothing.low, nothing.high]).all()


def test_a_column_of_costs_is_drawn_with_the_rows(rng):
    y, p, costs = draw(rng)
    given = dict(tail=0.1, n_boot=20, random_state=0)
    flat = bootstrap_interval(metrics.tail_cost_loss, y, p > 0.6, **given, **costs)
    costs = {name: cost[:, None] for name, cost in costs.items()}
    column = bootstrap_interval(metrics.tail_cost_loss, y, p > 0.6, **given, **costs)
    np.testing.assert_array_equal(column.values, flat.values)


def test_a_class_that_is_only_decided_counts():
    y, d, table = [0, 1, 0, 1], [0, 1, 2, 1], 1 - np.eye(3)
    result = bootstrap_interval(cost_loss, y, d, cost_matrix=table, random_state=0)
    assert result.estimate == cost_loss(y, d, cost_matrix=table) == 0.25
    pair = paired_bootstrap(cost_loss, y, y, d, cost_matrix=table, random_state=0)
    assert pair.estimate == -0.25


def test_two_columns_are_read_alike_in_resamples_of_one_class():
    y, P = np.array(["bad", "bad", "good"]), np.array([[0.9, 0.1], [0.3, 0.7], [0.6, 0.4]])
    given = dict(fn_cost=[1.0, 2.0, 3.0], max_alerts=1, pos_label="bad", n_boot=20, random_state=0)
    both = bootstrap_interval(metrics.budget_cost_loss, y, P, **given)
    one = bootstrap_interval(metrics.budget_cost_loss, y, P[:, 0], **given)
    np.testing.assert_array_equal(both.values, one.values)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence_level": 1.0}, "confidence_level must lie"),
        ({"method": "guess"}, "method must be"),
        ({"n_boot": 0}, "n_boot must be at least 1"),
        ({"fn_cost": [1.0, 2.0, 3.0]}, "fn_cost must be a number or have one value"),
        ({"metric": metrics.weighted_sum_score, "positive_weight": 7}, "positive_weight must lie"),
        ({"metric": metrics.risk_loss, "prior": 7}, "prior must lie"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        bootstrap_interval(**{"metric": cost_loss, "y_true": [0, 1], "y_pred": [0, 1]} | options)
