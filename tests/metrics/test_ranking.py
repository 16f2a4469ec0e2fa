import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score

from naive import metrics as naive
from stakes.metrics import (
    budget_cost_loss,
    cost_loss,
    h_measure,
    minimum_risk,
    partial_auc_score,
    risk_loss,
    tail_cost_loss,
    weighted_sum_score,
)
from stakes.metrics._hull_jit import roc_hull


def draw(rng, digits, n=60):
    y = rng.integers(0, 2, n)
    return y, (y + rng.normal(size=n)).round(digits)


@pytest.mark.parametrize("digits", [0, 12])
@pytest.mark.parametrize("region", ["tpr", "tnr"])
def test_partial_area_equals_a_fine_sum(rng, digits, region):
    y, s = draw(rng, digits)
    for t in (0.0, 0.5, 0.9):
        area = partial_auc_score(y, s, region=region, t=t)
        assert area == pytest.approx(naive.partial_auc(y, s, region, t), abs=2e-4)


def test_partial_area_in_known_cases(rng):
    y, s = draw(rng, 1)
    for region in ("tpr", "tnr"):
        assert partial_auc_score(y, s, region=region, t=0) == pytest.approx(roc_auc_score(y, s))
        assert partial_auc_score(y, y, region=region) == pytest.approx(1)
        assert partial_auc_score(y, 0 * y, region=region) == pytest.approx(0.05)
        assert partial_auc_score(y, -y, region=region) == pytest.approx(0)
    swapped = partial_auc_score(1 - y, -s, region="tnr", t=0.8)
    assert swapped == pytest.approx(partial_auc_score(y, s, region="tpr", t=0.8))


def test_hull_holds_every_point_and_bends_down(rng):
    fpr, tpr = np.sort(rng.random((2, 50)).round(1), axis=1)
    fpr, tpr = np.r_[0, fpr, 1], np.r_[0, tpr, 1]
    kept = roc_hull(fpr, tpr)
    assert np.allclose(
        np.interp(fpr, fpr[kept], tpr[kept]).clip(tpr), np.interp(fpr, fpr[kept], tpr[kept])
    )
    slope = np.diff(tpr[kept]) / np.maximum(np.diff(fpr[kept]), 1e-300)
    assert (np.diff(slope) < 0).all()
    assert roc_hull(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0])).tolist() == [0, 2]


@pytest.mark.parametrize("digits", [0, 12])
def test_h_equals_the_integral(rng, digits):
    y, s = draw(rng, digits)
    prior = y.mean()
    for shape, (a, b) in [((2, 2), (2, 2)), ("prior", (1 + prior, 2 - prior)), ((1, 3), (1, 3))]:
        assert h_measure(y, s, shape=shape) == pytest.approx(naive.h_measure(y, s, a, b), abs=1e-5)


def test_h_of_the_best_and_of_no_ranking(rng):
    y, s = draw(rng, 12)
    assert h_measure(y, y) == pytest.approx(1)
    assert h_measure(y, 0 * y) == pytest.approx(0, abs=1e-12)
    assert h_measure(y, -y) == pytest.approx(0, abs=1e-12)
    assert h_measure(y, s) == pytest.approx(h_measure(y, np.exp(s)))


def test_two_columns_of_words_are_read_by_the_positive_one():
    y = np.array(["bad", "good", "good", "bad"])
    P = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.3, 0.7]])
    for metric in (partial_auc_score, h_measure):
        assert metric(y, P, pos_label="bad") == metric(y, P[:, 0], pos_label="bad")
        assert metric(y, P, pos_label="good") == metric(y, P[:, 1])


def test_warning_points_at_the_line_that_called():
    calls = [
        lambda: weighted_sum_score([0, 0], [0, 0]),
        lambda: partial_auc_score([0, 0], [1.0, 2.0]),
        lambda: h_measure([0, 0], [1.0, 2.0]),
        lambda: risk_loss([0, 0], [0, 0], prior=0.5),
        lambda: minimum_risk([0, 0], [1.0, 2.0], prior=0.5),
    ]
    for call in calls:
        with pytest.warns(UndefinedMetricWarning) as caught:
            call()
        assert (caught[0].filename, caught[0].lineno) == (__file__, call.__code__.co_firstlineno)


def test_one_class_is_undefined():
    for metric in (partial_auc_score, h_measure):
        with pytest.warns(UndefinedMetricWarning, match="no positive example"):
            assert np.isnan(metric([0, 0], [1.0, 2.0]))


def test_budget_equals_random_tie_breaking(rng):
    y, s = draw(rng, 0, n=30)
    fp, fn = rng.exponential(size=30), rng.exponential(size=30)
    for k in (0, 7, 30):
        found = budget_cost_loss(y, s, max_alerts=k, fp_cost=fp, fn_cost=fn)
        drawn = naive.budget_cost(y, s, k, fp, fn, 2000, rng)
        assert found == pytest.approx(drawn, abs=0.02)
    everyone = budget_cost_loss(y, s, max_alerts=1.0, fp_cost=fp, fn_cost=fn)
    assert everyone == pytest.approx(cost_loss(y, np.ones(30), fp_cost=fp, fn_cost=fn))
    assert budget_cost_loss(y, s, max_alerts=0.1) == budget_cost_loss(y, s, max_alerts=3)
    assert budget_cost_loss(y, s, max_alerts=99) == budget_cost_loss(y, s, max_alerts=30)


def test_tail_of_everything_is_the_mean(rng):
    y, d = rng.integers(0, 2, (2, 50))
    fn = rng.lognormal(size=50)
    whole = tail_cost_loss(y, d, tail=1.0, fn_cost=fn)
    assert whole == pytest.approx(cost_loss(y, d, fn_cost=fn))
    paid = np.where(y == d, 0, np.where(y == 1, fn, 1))
    assert tail_cost_loss(y, d, tail=0.1, fn_cost=fn) == pytest.approx(np.sort(paid)[-5:].mean())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: partial_auc_score([0, 1], [0, 1], region="fpr"), "region must be"),
        (lambda: partial_auc_score([0, 1], [0, 1], t=1), r"t must lie in \[0, 1\)"),
        (lambda: h_measure([0, 1], [0, 1], shape=(0, 1)), "shape must be"),
        (lambda: h_measure([0, 1], [0, 1], shape="priors"), "shape must be 'prior' or two"),
        (
            lambda: budget_cost_loss([0, 1], [0, 1], max_alerts=True),
            "max_alerts must be a number of rows",
        ),
        (
            lambda: budget_cost_loss([0, 1], [0, 1], max_alerts=-1),
            "max_alerts must be a number of rows",
        ),
        (
            lambda: budget_cost_loss([0, 1], [0, 1], max_alerts=1.5),
            "max_alerts must be a number of rows",
        ),
        (lambda: tail_cost_loss([0, 1], [0, 1], tail=0), "tail must be a share"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
