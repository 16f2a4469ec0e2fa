import functools
import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import balanced_accuracy_score, zero_one_loss

from naive import metrics as naive
from stakes.metrics import (
    budget_cost_loss,
    cost_loss,
    example_costs,
    expected_cost_loss,
    minimum_risk,
    risk_loss,
    savings_score,
    weighted_sum_score,
)


def draw(rng, n=60):
    y, d = rng.integers(0, 2, n), rng.integers(0, 2, n)
    tp, tn = rng.normal(size=n), rng.normal(size=n)
    return y, d, tn + rng.exponential(size=n), tp + rng.exponential(size=n), tp, tn


def four(fp, fn, tp, tn):
    return dict(fp_cost=fp, fn_cost=fn, tp_cost=tp, tn_cost=tn)


def test_cost_equals_the_naive_loop(rng):
    y, d, *costs = draw(rng)
    expected = naive.cost_loss(y, d, *costs)
    assert cost_loss(y, d, **four(*costs)) == pytest.approx(expected, rel=1e-12)
    total = cost_loss(y, d, **four(*costs), normalize=False)
    assert total == pytest.approx(expected * len(y), rel=1e-12)


def test_expected_cost_equals_the_naive_loop(rng):
    y, _, *costs = draw(rng)
    p = rng.random(len(y))
    expected = naive.expected_cost_loss(y, p, *costs)
    assert expected_cost_loss(y, p, **four(*costs)) == pytest.approx(expected, rel=1e-12)
    columns = np.column_stack([1 - p, p])
    assert expected_cost_loss(y, columns, **four(*costs)) == pytest.approx(expected, rel=1e-12)


def test_model_figure_is_the_mean_over_the_labels_it_believes_in(rng):
    p = rng.random(5)
    costs = dict(fp_cost=rng.exponential(size=5), fn_cost=rng.exponential(size=5), pos_label=1)
    mean = 0.0
    for y in itertools.product([0, 1], repeat=5):
        mean += np.where(y, p, 1 - p).prod() * expected_cost_loss(y, p, **costs)
    assert expected_cost_loss([0] * 5, p, under="model", **costs) == pytest.approx(mean)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_unit_costs_are_the_error_rate(pairs):
    y, d = np.array(pairs, dtype=int).T
    assert cost_loss(y, d) == pytest.approx(zero_one_loss(y, d))


def test_decisions_of_one_kind_and_other_labels():
    assert cost_loss([0, 1, 1], [0, 0, 0], fn_cost=7) == pytest.approx(14 / 3)
    assert cost_loss([0, 0], [0, 0]) == 0
    assert cost_loss(["good", "bad"], ["good", "good"], fn_cost=7, pos_label="bad") == 3.5
    assert example_costs([True, False], [False, False], fn_cost=3).tolist() == [3, 0]


MATRIX = [[0, 5], [1, 0]]


@pytest.mark.parametrize(
    "metric",
    [
        cost_loss,
        savings_score,
        risk_loss,
        expected_cost_loss,
        minimum_risk,
        functools.partial(budget_cost_loss, max_alerts=1),
    ],
)
def test_matrix_is_in_the_order_of_the_labels_whatever_is_called_positive(metric):
    y, answer = [0, 1], [1, 1]
    told = metric(y, answer, cost_matrix=MATRIX)
    assert metric(y, answer, cost_matrix=MATRIX, pos_label=1) == told
    with pytest.raises(ValueError, match=r"Got pos_label=0 instead; reverse both axes"):
        metric(y, answer, cost_matrix=MATRIX, pos_label=0)


def test_labels_give_the_order_of_a_matrix():
    assert cost_loss([0, 1], [1, 1], cost_matrix=MATRIX) == 2.5
    assert cost_loss([0, 1], [1, 1], cost_matrix=MATRIX, labels=[1, 0]) == 0.5
    # one kind of label only: pos_label says that it is the larger
    assert cost_loss(["b"], ["b"], cost_matrix=[[0, 5], [1, -3]], pos_label="b") == -3


@pytest.mark.parametrize("y", [[0, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]])
@pytest.mark.parametrize("pos_label", [0, 1])
def test_two_columns_are_read_at_the_place_of_the_positive_label(y, pos_label):
    P = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.3, 0.7]])
    costs = dict(fp_cost=2, fn_cost=[1, 2, 3, 4], pos_label=pos_label)
    for metric in (expected_cost_loss, functools.partial(budget_cost_loss, max_alerts=2)):
        assert metric(y, P, **costs) == metric(y, P[:, pos_label], **costs)


def test_matrix_of_many_classes_and_absent_ones():
    table = [[0, 1, 5], [1, 0, 1], [9, 1, 0]]
    assert cost_loss([0, 2], [2, 0], cost_matrix=table, labels=[0, 1, 2]) == 7
    # the same classes in another order
    flipped = np.array(table)[::-1, ::-1]
    assert cost_loss([0, 2], [2, 0], cost_matrix=flipped, labels=[2, 1, 0]) == 7
    P = [[0.7, 0.2, 0.1], [0.0, 0.0, 1.0]]
    labels = [0, 1, 2]
    assert expected_cost_loss([0, 2], P, cost_matrix=table, labels=labels) == 0.5
    told = expected_cost_loss([0, 2], P, cost_matrix=table, labels=labels, under="model")
    assert told == pytest.approx(0.4)
    assert cost_loss([0, 1], [1, 0], cost_matrix=[[0, 2], [6, 0]]) == 4
    # two classes in the order of the caller: 1 is the first row of the matrix
    two = dict(cost_matrix=[[0, 2], [6, 0]], labels=[1, 0])
    assert cost_loss([0, 1], [1, 0], **two) == 4
    assert expected_cost_loss([1, 1], [[0.2, 0.8], [0.9, 0.1]], **two) == 1


def test_scaling_all_costs_scales_the_loss_and_no_share(rng):
    y, d, fp, fn, _, _ = draw(rng)
    fp, fn = np.abs(fp), np.abs(fn)
    small, large = four(fp, fn, 0, 0), four(1000 * fp, 1000 * fn, 0, 0)
    assert cost_loss(y, d, **large) == pytest.approx(1000 * cost_loss(y, d, **small))
    assert savings_score(y, d, **large) == pytest.approx(savings_score(y, d, **small))
    s = rng.normal(size=len(y)).round(1)
    assert minimum_risk(y, s, **large).threshold == minimum_risk(y, s, **small).threshold


def test_savings_against_each_baseline():
    y, d = [0, 0, 1, 1], [0, 1, 0, 1]
    costs = dict(fp_cost=5, fn_cost=[0, 0, 3, 20])
    assert savings_score(y, d, **costs) == pytest.approx(1 - 8 / 10)
    assert savings_score(y, d, **costs, baseline="positive") == pytest.approx(1 - 8 / 10)
    assert savings_score(y, d, **costs, baseline="negative") == pytest.approx(1 - 8 / 23)
    assert savings_score(y, d, **costs, baseline=d) == 0
    assert savings_score(y, d, **costs, baseline=[1, 1, 1, 0]) == pytest.approx(1 - 8 / 30)
    assert savings_score(y, y, **costs) == 1


def test_savings_where_the_baseline_earns_or_costs_nothing():
    # always positive earns 10, the decisions earn 15: half as much again
    assert savings_score([1, 0], [1, 0], tp_cost=-15, fp_cost=5) == pytest.approx(0.5)
    assert savings_score([0, 0], [0, 0]) == 0
    with pytest.warns(UndefinedMetricWarning, match="baseline costs nothing"):
        assert np.isnan(savings_score([0, 0], [0, 1]))


def test_weighted_sum_is_balanced_accuracy_at_one_half(rng):
    y, d, *_ = draw(rng)
    assert weighted_sum_score(y, d) == pytest.approx(balanced_accuracy_score(y, d))
    assert weighted_sum_score(y, d, positive_weight=1) == pytest.approx(d[y == 1].mean())
    with pytest.warns(UndefinedMetricWarning, match="no positive example"):
        assert np.isnan(weighted_sum_score([0, 0], [0, 1]))


def test_risk_is_cost_under_the_priors_of_the_sample(rng):
    y, d, *costs = draw(rng)
    assert risk_loss(y, d, **four(*costs)) == pytest.approx(cost_loss(y, d, **four(*costs)))
    missed, alarmed = 1 - d[y == 1].mean(), d[y == 0].mean()
    risk = risk_loss(y, d, fp_cost=2, fn_cost=9, prior=0.1)
    assert risk == pytest.approx(0.1 * 9 * missed + 0.9 * 2 * alarmed)
    with pytest.warns(UndefinedMetricWarning, match="no negative example"):
        assert np.isnan(risk_loss([1, 1], [0, 1], prior=0.3))


def test_equation_69_pairs_the_rates_with_the_wrong_prices():
    """CS-SVM says that it equals Eq. 67; with a dear miss it prefers the decisions that miss."""
    y = np.repeat([1, 0], 10)
    misses, alarms = np.repeat([1, 0, 1, 0], [5, 5, 1, 9]), np.repeat([1, 0, 1, 0], [9, 1, 5, 5])
    risk, printed = [], []
    for d in (misses, alarms):
        missed, alarmed = 1 - d[y == 1].mean(), d[y == 0].mean()
        risk.append(risk_loss(y, d, fp_cost=1, fn_cost=4))
        printed.append(0.5 * 4 * alarmed + 0.5 * 1 * missed)
        assert risk[-1] == pytest.approx(0.5 * 4 * missed + 0.5 * 1 * alarmed)  # Eq. 67
    assert risk[1] < risk[0] and printed[0] < printed[1]


@pytest.mark.parametrize("digits", [0, 1, 12])
def test_minimum_risk_tries_every_threshold(rng, digits):
    y = rng.integers(0, 2, 50)
    s = (y + rng.normal(size=50)).round(digits)
    found = minimum_risk(y, s, fp_cost=2, fn_cost=3, prior=0.3)
    assert found.value == pytest.approx(naive.minimum_risk(y, s, 2, 3, 0.3), rel=1e-12)
    again = risk_loss(y, s >= found.threshold, fp_cost=2, fn_cost=3, prior=0.3)
    assert found.value == pytest.approx(again, rel=1e-12)


def test_minimum_risk_at_the_edges():
    assert minimum_risk([0, 1], [2.0, 1.0], fp_cost=9, fn_cost=1) == (0.5, np.inf)
    assert minimum_risk([0, 1], [2.0, 1.0], fp_cost=1, fn_cost=9) == (0.5, 1.0)
    assert minimum_risk([1, 0], [3.0, 3.0]) == (0.5, np.inf)
    assert minimum_risk([0], [3.0]) == (0.0, np.inf)
    with pytest.warns(UndefinedMetricWarning, match="no positive example"):
        assert np.isnan(minimum_risk([0], [3.0], prior=0.5).value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cost_loss([0, 1, 2], [0, 1, 2]), "y must have two classes.* a cost_matrix"),
        (
            lambda: expected_cost_loss(["a", "a"], [[0.5, 0.5]] * 2, pos_label="a"),
            "All labels are 'a', so its column",
        ),
        (lambda: cost_loss([0, 1], [0, 1], pos_label="bad"), "is neither of the two labels"),
        (lambda: cost_loss([], []), "y_true is empty"),
        (lambda: cost_loss([0, 1], [0]), "inconsistent numbers of samples"),
        (
            lambda: cost_loss([0, 1], [0, 1], cost_matrix=np.zeros((3, 3)), fp_cost=1),
            "either cost_matrix or the four",
        ),
        (
            lambda: cost_loss([0, 1], [0, 1], cost_matrix=1 - np.eye(3)),
            "the data have 2: give all classes",
        ),
        (
            lambda: cost_loss([0, 7], [0, 1], cost_matrix=1 - np.eye(3), labels=[0, 1, 2]),
            "a class that is not in labels",
        ),
        (
            lambda: expected_cost_loss([0, 1], [0, 1], cost_matrix=np.zeros((3, 3)), fp_cost=1),
            "either cost_matrix or the four",
        ),
        (lambda: cost_loss([0, 1], [0, 1], labels=[0, 1]), "labels and actions name the rows"),
        (
            lambda: cost_loss([], [], cost_matrix=1 - np.eye(3), labels=[0, 1, 2]),
            "y_true is empty",
        ),
        (
            lambda: expected_cost_loss(
                [0, 1, 2], [[1, 0, np.nan]] * 3, cost_matrix=1 - np.eye(3), labels=[0, 1, 2]
            ),
            r"y_prob must lie in \[0, 1\]",
        ),
        (
            lambda: expected_cost_loss([0, 1, 2], [[1, 0]] * 3, cost_matrix=1 - np.eye(3)),
            "one column for each of the 3 classes",
        ),
        (lambda: expected_cost_loss([0, 1], [0.5, 1.5]), "calibrate the scores first"),
        (lambda: expected_cost_loss([0, 1], [0.5, 0.5], under="oath"), "'truth' or 'model'"),
        (lambda: minimum_risk([0, 1], [0.5, np.nan]), "missing or infinite values"),
        (lambda: savings_score([0, 1], [0, 1], baseline="today"), "baseline must be"),
        (lambda: weighted_sum_score([0, 1], [0, 1], positive_weight=2), "positive_weight must"),
        (lambda: risk_loss([0, 1], [0, 1], prior=2), "prior must"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("k", [2, 3])
def test_a_permuted_data_frame_of_costs_means_the_same(rng, k):
    labels = np.array(["bad", "fair", "good"][:k])
    table = rng.uniform(1, 9, (k, k))
    np.fill_diagonal(table, 0)
    frame = pd.DataFrame(table, index=labels, columns=labels)
    y, z = rng.choice(labels, 60), rng.choice(labels, 60)
    expected = cost_loss(y, z, cost_matrix=table)
    order = rng.permutation(k)[::-1]
    assert cost_loss(y, z, cost_matrix=frame.iloc[order, order]) == pytest.approx(expected)
    rows_only = frame.iloc[order]
    assert cost_loss(y, z, cost_matrix=rows_only) == pytest.approx(expected)
    with pytest.raises(ValueError, match="labels"):
        cost_loss(y, z, cost_matrix=frame.rename(index={"bad": "worse"}))


def test_a_labeled_matrix_names_the_classes_that_are_not_in_the_data():
    labels = ["c", "a", "b"]
    frame = pd.DataFrame([[0, 9, 1], [1, 0, 5], [2, 1, 0]], index=labels, columns=labels)
    assert cost_loss(["a", "b"], ["b", "b"], cost_matrix=frame) == 2.5
