"""Reasons in money: exact, adding up, and the page that shows them."""

import numpy as np
import polars as pl
import pytest

from naive import reasons as naive
from stakes.compare import BatchDecider, Explanation, Reasons, TableSettings, train_to_file
from stakes.compare._reasons import typical_rows, typical_value
from stakes.costs import Costs
from stakes.errors import InputError
from stakes.tables import load_table
from toy import toy


def probability(weights, cross=0.0, triple=0.0):
    def of(X):
        a = X.to_numpy() if isinstance(X, pl.DataFrame) else np.atleast_2d(X)
        score = a @ weights + cross * a[:, 0] * a[:, 1] + triple * a[:, 0] * a[:, 1] * a[:, 2]
        return 1 / (1 + np.exp(-score))

    return of


def frame(values):
    return pl.DataFrame({f"x{j}": values[:, j] for j in range(values.shape[1])})


def test_few_columns_are_exact(rng):
    d = 4
    p = probability(rng.normal(size=d), cross=0.7, triple=-0.4)
    background, X = rng.normal(size=(3, d)), rng.normal(size=(5, d))
    found = Reasons(p, frame(background), frame(background).columns).of_probability(frame(X))
    for x, values in zip(X, found, strict=True):
        np.testing.assert_allclose(
            values, naive.shapley(lambda z: p(z)[0], x, background), atol=1e-12
        )


@pytest.mark.parametrize("d", [3, 12])
def test_reasons_add_up_to_the_difference_of_expected_cost(rng, d):
    p = probability(rng.normal(size=d), cross=1.0, triple=0.5)
    background, X = frame(rng.normal(size=(6, d))), frame(rng.normal(size=(20, d)))
    fn, fp = rng.uniform(1, 1000, 20), rng.uniform(1, 10, 20)
    costs = Costs.of(20, fp_cost=fp, fn_cost=fn, tp_cost=0.5)
    reasons = Reasons(p, background, X.columns)
    chance = p(X)
    advantage = costs.expected(chance, np.zeros(20)) - costs.expected(chance, np.ones(20))
    mean = p(background).mean()
    base = costs.expected(np.full(20, mean), np.zeros(20)) - costs.expected(
        np.full(20, mean), np.ones(20)
    )
    np.testing.assert_allclose(reasons.of(X, costs).sum(axis=1), advantage - base, atol=1e-9)
    np.testing.assert_allclose(reasons.base(costs), base, atol=1e-9)


def test_sampled_orders_have_no_error_in_single_columns_and_pairs(rng):
    d = 10
    w, V = rng.normal(size=d), np.triu(rng.normal(size=(d, d)), 1)

    def score(X):
        a = X.to_numpy()
        return a @ w + np.einsum("ij,jk,ik->i", a, V, a)

    background, X = rng.normal(size=(4, d)), rng.normal(size=(3, d))
    found = Reasons(score, frame(background), frame(X).columns).of_probability(frame(X))
    # of a product of two columns, each gets half of what both together and each alone add
    S = V + V.T
    for x, values in zip(X, found, strict=True):
        exact = np.mean([(x - b) * (w + S @ (x + b) / 2) for b in background], axis=0)
        np.testing.assert_allclose(values, exact, atol=1e-9)


def test_a_column_that_is_not_used_has_no_value(rng):
    p = probability(np.array([1.0, 0.0, 2.0]))
    X = frame(rng.normal(size=(5, 3)))
    assert np.abs(Reasons(p, X, X.columns).of_probability(X)[:, 1]).max() < 1e-15


def test_a_stored_model_explains_itself(tmp_path):
    table = toy(200).X.with_columns(y=pl.Series(toy(200).y))
    table.write_csv(tmp_path / "t.csv")
    settings = TableSettings(
        str(tmp_path / "t.csv"), "y", None, {"fp_cost": "5", "fn_cost": "amount"}
    )
    data = settings.load()
    train_to_file(
        tmp_path / "m.skops", "logistic regression, Bayes decision", settings, data, tune=False
    )
    decider = BatchDecider.load(tmp_path / "m.skops")
    assert decider.reasons.background.height == 16
    result = decider.decide(table)
    told = decider.with_reasons(table, result, 3)
    costs = data.as_costs()
    p = result["probability"].to_numpy()
    advantage = p * costs.positive_regret - (1 - p) * costs.negative_regret
    total = sum(told[f"amount_{k}"].to_numpy() for k in (1, 2, 3))  # all three columns
    np.testing.assert_allclose(total, advantage - decider.reasons.base(costs), atol=1e-9)
    found = Explanation(decider, table, "y", other_costs={"fp_cost": "50"}).summary()
    decided = costs.decide(p)
    regret = costs.paid(data.y == 1, decided) - costs.paid(data.y == 1, data.y == 1)
    assert found["mistakes"]["total"] == pytest.approx(regret.sum())
    assert found["mistakes"]["rows"][0]["cost"] == pytest.approx(regret.max())
    other = Costs.of(200, fp_cost=50.0, fn_cost=costs.fn).decide(p)
    assert found["flips"]["n"] == (decided != other).sum()
    assert {one["column"] for one in found["importance"]} == {"amount", "kind", "x"}
    decider.reasons = None
    with pytest.raises(InputError, match="Reasons need a model that gives probabilities"):
        decider.with_reasons(table, result, 3)
    with pytest.raises(InputError, match="no background"):
        Explanation(decider, table).summary()


def test_typical_rows_and_values():
    X = pl.DataFrame({"a": [1.0, 2.0, 9.0], "k": ["x", "y", "y"], "e": [None, None, None]})
    assert typical_rows(X, rows=3) == X.to_dict(as_series=False)
    assert [typical_value(X[name]) for name in X.columns] == [2.0, "y", None]
    assert load_table(X.with_columns(y=pl.Series([0, 1, 0])), "y").kinds.keys() == {"a", "k"}
