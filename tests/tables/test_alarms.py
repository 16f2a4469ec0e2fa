"""Alarms before anything is fitted: leaks, repeated ids and dates."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from payments import payments
from stakes.tables import PricedData, load_table


def credit(rng, n=400):
    y = rng.random(n) < 0.3
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": rng.lognormal(8, 1, n) * np.where(y, 0.8, 1.0),
            "bad": np.where(y, "yes", "no"),
        }
    )
    return frame, y


LEAKS = {
    "number": lambda rng, y: np.where(y, 1.0, -1.0) + 0.1 * rng.normal(size=len(y)),
    "falling": lambda rng, y: np.where(y, 0.0, rng.lognormal(size=len(y))),
    "two sides": lambda rng, y: np.where(y, rng.choice([-3.0, 3.0], len(y)), 0.0),
    "text": lambda rng, y: np.where(y, rng.choice(["sued", "sold"], len(y)), "open"),
    "gaps": lambda rng, y: [None if one else 1.0 + i % 3 for i, one in enumerate(y)],
    "flag": lambda rng, y: y,
}


@pytest.mark.parametrize("kind", LEAKS)
def test_a_column_that_gives_the_answer_away_is_named(rng, kind):
    frame, y = credit(rng)
    frame = frame.with_columns(pl.Series("collected", LEAKS[kind](rng, y)))
    (alarm,) = load_table(frame, "bad").alarms
    assert alarm.startswith("Column 'collected' alone gives the answer nearly perfectly (ROC area ")
    assert alarm.endswith("drop it: --drop collected.")
    assert load_table(frame, "bad", drop=["collected"]).alarms == []


LATE = {  # for some positives only, so that the column alone does not rank the classes
    "not 0 in": (pl.Float64, 5.0, 0.0),
    "filled in": (pl.Float64, 5.0, None),
    "not 'open' in": (pl.String, "sued", "open"),
}


@pytest.mark.parametrize("words", LATE)
def test_a_column_that_is_filled_in_for_positives_only_is_named(rng, words):
    frame, y = credit(rng)
    dtype, late, usual = LATE[words]
    some = np.flatnonzero(y)[:40]
    values = [usual] * len(y)
    for i in some:
        values[i] = late
    named = frame.with_columns(pl.Series("after", values, dtype=dtype))
    (alarm,) = load_table(named, "bad").alarms
    assert f"Column 'after' is {words} 40 rows, of which 100% are positive. Is it" in alarm
    assert load_table(named, "bad").leaks == {}
    for i in np.flatnonzero(~y.astype(bool))[:2]:  # two negatives make it a feature
        values[i] = late
    honest = frame.with_columns(pl.Series("after", values, dtype=dtype))
    assert load_table(honest, "bad").alarms == []


def test_an_honest_table_raises_no_alarm(rng):
    frame, y = credit(rng)
    noise = frame.with_columns(
        strong=np.where(y, 1.0, 0.0) + 0.6 * rng.normal(size=len(y)),
        words=pl.Series([f"w{i % 190}" for i in range(len(y))]),
    )
    assert load_table(noise, "bad").alarms == []


def test_few_examples_of_a_class_prove_nothing():
    X = pl.DataFrame({"x": np.arange(40.0)})
    assert PricedData("few", X, (np.arange(40) > 33).astype(int)).alarms == []


def test_arrays_are_checked_and_sparse_ones_left_alone(rng):
    y = (rng.random(200) < 0.5).astype(int)
    X = np.column_stack([rng.normal(size=200), y + 0.01 * rng.normal(size=200)])
    (alarm,) = PricedData("a", X, y).alarms
    assert "Column 'x1'" in alarm
    assert PricedData("s", sparse.csr_matrix(X), y).alarms == []


@pytest.mark.parametrize("name", ["customer_id", "customer", "accountId", "Account No", "card"])
@pytest.mark.parametrize("as_text", [True, False])
def test_repeated_ids_are_named(rng, name, as_text):
    frame, _ = credit(rng)
    ids = pl.Series(name, np.arange(400) // 4)
    frame = frame.with_columns(ids.cast(pl.String) if as_text else ids)
    for drop in ([], [name]):  # also if it is not a feature: the rows still belong together
        (alarm,) = load_table(frame, "bad", drop=drop).alarms
        assert alarm.startswith(f"{name!r}: the same id is in several rows.")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("loan_id", np.arange(400)),  # every row its own
        ("card", np.arange(400) % 3),  # a category
        ("paid", np.arange(400) // 4),  # not an id, though it ends like one
        ("customer", np.arange(400) // 4 + 0.5),  # not whole
    ],
)
def test_what_is_no_repeated_id(rng, name, values):
    frame, _ = credit(rng)
    assert load_table(frame.with_columns(pl.Series(name, values)), "bad").alarms == []


def test_dates_get_one_sentence():
    for drop in ([], ["day"]):
        (alarm,) = load_table(payments(), "fraud", drop=["id", *drop]).alarms
        assert alarm.startswith("'day': the rows have dates.")
