import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.costs import CostMatrix, Costs

price = st.floats(0, 1e6, allow_nan=False)
probability = st.floats(0, 1)


@pytest.mark.parametrize("form", [list, np.asarray, pd.Series, pl.Series])
def test_all_array_forms_are_one_form(form):
    costs = Costs.of(3, fp_cost=form([1.0, 2.0, 3.0]), fn_cost=7)
    assert costs.fp.tolist() == [1, 2, 3]
    assert costs.fn.tolist() == [7, 7, 7]


def test_matrix_is_row_true_column_decision():
    costs = Costs.of(1, cost_matrix=[[1, 5], [20, -2]])
    assert (costs.tn[0], costs.fp[0], costs.fn[0], costs.tp[0]) == (1, 5, 20, -2)
    assert costs.regret([True]) == 22
    assert costs.regret([False]) == 4


@pytest.mark.parametrize(
    ("given_costs", "message"),
    [
        ({"fp_cost": [1.0, 2.0]}, r"fp_cost must be a number or have one value for each of the 3"),
        ({"fn_cost": [1.0, np.nan, 2.0]}, r"fn_cost has 1 missing .* row 1"),
        ({"fn_cost": np.inf}, r"fn_cost has 1 missing or infinite"),
        ({"fp_cost": "much"}, r"fp_cost must be a number or an array"),
        (
            {"fp_cost": [1, -1, 1]},
            r"fp_cost is smaller than tn_cost in 1 row\(s\), the first in row 1",
        ),
        ({"tp_cost": 5}, r"fn_cost is smaller than tp_cost in 3 row"),
        ({"cost_matrix": np.eye(3)}, r"cost_matrix must have shape \(2, 2\)"),
        ({"cost_matrix": np.zeros((2, 2)), "fp_cost": 1}, r"either cost_matrix or fp_cost"),
    ],
)
def test_bad_costs_are_named(given_costs, message):
    with pytest.raises(ValueError, match=message):
        Costs.of(3, **given_costs)


@given(price, price, price, price, probability)
def test_decision_has_the_least_expected_cost(fp, fn, tp, tn, p):
    costs = Costs.of(1, fp_cost=fp + tn, fn_cost=fn + tp, tp_cost=tp, tn_cost=tn)
    chosen = costs.expected(p, costs.decide(p))
    other = costs.expected(p, ~costs.decide(p))
    assert chosen <= other + 1e-9 * (1 + abs(other))


@given(st.lists(st.tuples(price, price, probability), min_size=1), st.integers(1, 10))
def test_scaling_changes_no_decision(rows, power):
    fp, fn, p = np.array(rows).T
    p = np.round(p, 3)
    plain = Costs.of(len(p), fp_cost=np.round(fp), fn_cost=np.round(fn))
    np.testing.assert_array_equal(plain.decide(p), (plain * 10.0**power).decide(p))


def test_nothing_at_stake_is_left_alone():
    assert not Costs.of(1, fp_cost=0, fn_cost=0).decide([1.0])[0]


def test_summary_speaks_of_the_trivial_policies():
    y = np.array([1, 0, 0, 0])
    costs = Costs.of(4, fp_cost=2.0, fn_cost=[100, 1, 1, 1])
    summary = costs.summary(y == 1)
    assert (summary.all_negative, summary.all_positive, summary.best_trivial) == (100, 6, 6)
    assert summary.top_share == pytest.approx(100 / 106)
    assert "Always negative costs 100.00; always positive costs 6.00." in str(summary)
    assert "top 1% of the examples hold 94.3% of the stakes" in str(summary)
    assert summary.to_dict()["n"] == 4
    assert str(Costs.of(3).summary()) == "Say positive above a probability of 0.5000."


def test_rows_and_currency():
    costs = Costs.of(3, fp_cost=[1, 2, 3], fn_cost=4)
    assert (costs[[2, 0]] * 2).fp.tolist() == [6, 2]
    assert len(costs[1:]) == 2


def test_matrix_of_many_classes():
    costs = CostMatrix.of([[0, 1, 5], [1, 0, 1], [9, 1, 0]], n_classes=3)
    np.testing.assert_allclose(costs.expected([[0, 0, 1.0]]), [[9, 1, 0]])
    assert costs.paid([2, 0], [0, 2]).tolist() == [9, 5]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 2)), r"must have shape \(3, 3\)"),
        (np.full((3, 3), np.nan), "missing or infinite"),
        ([[0, 1, 1], [1, 5, 1], [1, 1, 0]], "row 1 has a mistake that is cheaper"),
    ],
)
def test_bad_matrix(matrix, message):
    with pytest.raises(ValueError, match=message):
        CostMatrix.of(matrix, n_classes=3)


def test_a_labeled_matrix_is_read_by_its_labels():
    names = ["ok", "bad"]
    frame = pd.DataFrame([[0.0, 1.0], [7.0, 0.5]], index=names, columns=names)
    for order in (names, names[::-1]):
        costs = Costs.of(1, cost_matrix=frame.loc[order, order])
        # "ok" is the larger label, so it is the positive class
        assert (costs.fp[0], costs.fn[0], costs.tp[0], costs.tn[0]) == (7.0, 1.0, 0.0, 0.5)
    plain = Costs.of(1, cost_matrix=frame.to_numpy())
    assert plain.fp[0] == 1.0
    numbered = Costs.of(1, cost_matrix=pd.DataFrame(frame.to_numpy()))
    assert numbered.fp[0] == 1.0
    with pytest.raises(ValueError, match="column labels ok, fraud, but the classes are bad, ok"):
        Costs.of(1, cost_matrix=frame.rename(columns={"bad": "fraud"}))


def test_labels_of_a_matrix_are_sorted_as_numbers():
    frame = pd.DataFrame([[0, 1], [7, 0]], index=[10, 2], columns=["10", "2"])  # as from a CSV
    assert Costs.of(1, cost_matrix=frame).fp[0] == 7
