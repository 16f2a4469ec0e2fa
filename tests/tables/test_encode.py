"""Mixed tables as numbers: against polars and scikit-learn by hand, and on odd tables."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from stakes.errors import InputError
from stakes.tables import ModelMatrix, TableEncoder, find_kinds, prepare


def mixed(n=300, seed=0):
    rng = np.random.default_rng(seed)
    amount = rng.lognormal(3, 1, n)
    amount[rng.random(n) < 0.1] = np.nan
    kind = rng.choice(["a", "b", "c", None], n, p=[0.5, 0.3, 0.15, 0.05])
    start = dt.datetime(2020, 1, 1)
    return pl.DataFrame(
        {
            "amount": amount,
            "count": rng.integers(0, 5, n),
            "kind": pl.Series(kind.tolist(), dtype=pl.String),
            "late": rng.random(n) < 0.3,
            "day": [(start + dt.timedelta(days=int(d))).date() for d in rng.integers(0, 900, n)],
            "at": [start + dt.timedelta(minutes=int(m)) for m in rng.integers(0, 10**6, n)],
            "constant": ["x"] * n,
            "nothing": pl.Series([None] * n, dtype=pl.Float64),
            "reference": [f"R{i:06d}" for i in range(n)],
        }
    )


def test_numbers_of_a_mixed_table():
    table = mixed()
    encoder = TableEncoder().fit(table)
    Z = encoder.transform(table)
    names = encoder.feature_names_out_
    assert Z.dtype == np.float64 and Z.flags.c_contiguous and Z.shape == (300, len(names))
    assert names == [
        *["amount", "count", "kind", "late", "day.days", "day.month", "day.weekday"],
        *["at.days", "at.month", "at.weekday", "at.hour"],
    ]
    column = dict(zip(names, Z.T, strict=True))
    np.testing.assert_array_equal(column["amount"], table["amount"].to_numpy())
    np.testing.assert_array_equal(column["late"], table["late"].to_numpy().astype(float))
    days = [(day - dt.date(1970, 1, 1)).days for day in table["day"]]
    np.testing.assert_array_equal(column["day.days"], days)
    np.testing.assert_array_equal(column["day.weekday"], [d.isoweekday() for d in table["day"]])
    seconds = [(at - dt.datetime(1970, 1, 1)).total_seconds() for at in table["at"]]
    np.testing.assert_allclose(column["at.days"], np.array(seconds) / 86400, rtol=1e-14)
    np.testing.assert_array_equal(column["at.hour"], [at.hour for at in table["at"]])
    code = {"a": 0.0, "b": 1.0, "c": 2.0, None: np.nan}
    np.testing.assert_array_equal(column["kind"], [code[kind] for kind in table["kind"]])
    assert encoder.categorical_mask_.tolist() == [name == "kind" for name in names]
    assert [note.split("'")[1] for note in encoder.notes_] == ["constant", "nothing", "reference"]


def test_other_forms_of_the_same_table_give_the_same():
    table = mixed().drop("day", "nothing")
    Z = TableEncoder().fit_transform(table)
    as_pandas = pd.DataFrame({name: table[name].to_list() for name in table.columns})
    np.testing.assert_array_equal(TableEncoder().fit_transform(as_pandas), Z)
    categorical = table.with_columns(pl.col("kind").cast(pl.Categorical))
    np.testing.assert_array_equal(TableEncoder().fit_transform(categorical), Z)


def test_new_rows_of_any_kind():
    table = pl.DataFrame({"k": ["a", "b", "a"], "n": [1, 2, 3]})
    encoder = TableEncoder().fit(table)
    new = pl.DataFrame({"n": ["4", None], "extra": [0, 0], "k": ["z", "b"]})
    np.testing.assert_array_equal(encoder.transform(new), [[np.nan, 4], [1, np.nan]])
    empty = pl.DataFrame({"k": [None], "n": [None]})
    assert np.isnan(encoder.transform(empty)).all()
    with pytest.raises(InputError, match=r"Column 'k' of training is not in the table.*'K'"):
        encoder.transform(table.rename({"k": "K"}))
    with pytest.raises(InputError, match=r"Column 'n' was a number.*'many' in row 2"):
        encoder.transform(pl.DataFrame({"k": ["a", "b"], "n": ["1", "many"]}))


def test_rare_categories_share_a_code():
    table = pl.DataFrame({"k": ["a"] * 5 + ["b"] * 4 + ["c", "d"], "n": range(11)})
    encoder = TableEncoder(max_categories=2).fit(table)
    new = pl.DataFrame({"k": ["a", "b", "c", "never", None], "n": range(5)})
    np.testing.assert_array_equal(encoder.transform(new)[:, 0], [0, 1, 2, 2, np.nan])


def test_infinite_numbers_are_missing():
    Z = TableEncoder().fit_transform(pl.DataFrame({"a": [1.0, np.inf, -np.inf], "b": [1, 2, 3]}))
    np.testing.assert_array_equal(Z[:, 0], [1, np.nan, np.nan])


def test_kinds_given_before_keep_the_columns():
    table = mixed()
    kinds, _ = find_kinds(table)
    encoder = TableEncoder(kinds=kinds).fit(table.filter(pl.col("kind") == "a"))
    assert encoder.feature_names_out_ == TableEncoder().fit(table).feature_names_out_
    no_kind = table.filter(pl.col("kind").is_null())
    Z = TableEncoder(kinds=kinds).fit(no_kind).transform(table)
    assert np.isnan(Z[:, encoder.categorical_mask_]).all()


def test_arrays_and_sparse_pass():
    X = np.array([[1.0, np.nan], [2.0, 3.0]])
    assert TableEncoder().fit_transform(X) is X or np.array_equal(
        TableEncoder().fit_transform(X), X, equal_nan=True
    )
    S = sparse.csr_array(np.array([[0.0, 3.0], [2.0, 4.0]]))
    assert (TableEncoder().fit_transform(S) != S).nnz == 0
    scaled = ModelMatrix().fit_transform(S).toarray()
    np.testing.assert_allclose((scaled**2).mean(axis=0), 1.0)
    with pytest.raises(InputError, match="3 columns, but training had 2"):
        TableEncoder().fit(X).transform(np.ones((2, 3)))


def test_nothing_to_learn_from_is_told():
    with pytest.raises(InputError, match=r"No column .* Column 'a' is constant"):
        TableEncoder().fit(pl.DataFrame({"a": [1, 1]}))


def test_model_matrix_equals_scikit_learn_by_hand(rng):
    n = 400
    table = mixed(n, seed=int(rng.integers(100))).select("amount", "count", "kind")
    ours = ModelMatrix(min_share=0.1).fit_transform(table)
    numbers = np.column_stack([table["amount"].to_numpy(), table["count"].to_numpy()])
    by_hand = make_pipeline(SimpleImputer(add_indicator=True), "passthrough").fit_transform(numbers)
    filled = np.where(np.isnan(numbers), np.nanmean(numbers, axis=0), numbers)
    center, deviation = np.nanmean(numbers, axis=0), np.nanstd(numbers, axis=0)
    np.testing.assert_allclose(ours[:, :2], (filled - center) / deviation, atol=1e-12)
    np.testing.assert_array_equal(ours[:, 2], by_hand[:, 2])
    text = table["kind"].fill_null("(missing)").to_numpy().reshape(-1, 1)
    one_hot = OneHotEncoder(categories=[["a", "b", "c", "(missing)"]], sparse_output=False)
    np.testing.assert_array_equal(ours[:, 3:], one_hot.fit_transform(text))


def test_model_matrix_names_rare_and_unknown():
    table = pl.DataFrame({"k": ["a"] * 60 + ["b"] * 30 + ["c"] * 5 + ["d"] * 5, "n": range(100)})
    matrix = ModelMatrix(min_share=0.1).fit(table)
    assert matrix.feature_names_out_ == ["n", "k=a", "k=b", "k=(rare)"]
    assert matrix.get_feature_names_out().tolist() == matrix.feature_names_out_
    new = pl.DataFrame({"k": ["a", "c", "never", None], "n": [0, 0, 0, None]})
    rows = matrix.transform(new)[:, 1:]
    np.testing.assert_array_equal(rows, [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]])
    assert np.isfinite(matrix.transform(new)).all()


def test_model_matrix_without_scale_or_one_hot():
    table = pl.DataFrame({"k": ["a", "b", None], "n": [1.0, None, 4.0]})
    Z = ModelMatrix(scale=False, one_hot=False).fit_transform(table)
    np.testing.assert_allclose(Z, [[0, 1, 0, 0], [1, 2.5, 0, 1], [0.5, 4, 1, 0]])


def test_fit_transform_is_fit_then_transform():
    table = mixed()
    twice = ModelMatrix().fit(table).transform(table)
    np.testing.assert_array_equal(ModelMatrix().fit_transform(table), twice)


def test_prepare_tells_boosters_their_categories():
    table = mixed(600)
    y = ((table["kind"] == "b").fill_null(False) ^ table["late"]).to_numpy().astype(int)
    booster = HistGradientBoostingClassifier(max_iter=20)
    model = prepare(booster, table, scale=False, one_hot=False)
    assert model.named_steps["learner"].categorical_features[2]
    assert sum(model.named_steps["learner"].categorical_features) == 1
    assert booster.categorical_features == "from_dtype", "the learner that was given is changed"
    model = clone(model).fit(table, y)
    assert model.named_steps["learner"].is_categorical_.tolist()[2]
    assert model.score(table, y) > 0.95
    # a fold without any category of that column has the same columns
    few = table.with_columns(pl.lit(None, dtype=pl.String).alias("kind"))
    assert np.isfinite(model.predict_proba(few)).all()
    clone(model).fit(few, y)


@pytest.mark.parametrize("learner", [LogisticRegression(), SVC()], ids=str)
def test_prepare_fills_gaps_for_learners_that_take_none(learner):
    table = mixed()
    y = (table["late"]).to_numpy().astype(int)
    for scale in (True, False):
        model = prepare(clone(learner), table, scale=scale, one_hot=scale)
        assert isinstance(model.named_steps["table"], ModelMatrix)
    model = prepare(learner, table, scale=True, one_hot=True).fit(table, y)
    assert model.score(table, y) > 0.95


def test_prepare_equals_a_pipeline_by_hand_on_an_array(priced):
    X, y, _, _ = priced
    ours = prepare(LogisticRegression(), X, scale=True, one_hot=True).fit(X, y)
    hand = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), hand.predict_proba(X), atol=1e-12)


def test_prepare_is_as_good_as_column_transformer():
    table = mixed(800)
    y = ((table["kind"] == "b").fill_null(False) | (table["count"] > 3)).to_numpy().astype(int)
    hand = make_pipeline(
        ColumnTransformer(
            [("n", StandardScaler(), ["count"]), ("k", OneHotEncoder(), ["kind"])],
            sparse_threshold=0,
        ),
        LogisticRegression(),
    )
    frame = pd.DataFrame({name: table[name].to_list() for name in ("count", "kind")})
    part = table.select("count", "kind")
    ours = prepare(LogisticRegression(), part, scale=True, one_hot=True).fit(part, y)
    np.testing.assert_allclose(
        ours.predict_proba(part), hand.fit(frame, y).predict_proba(frame), atol=1e-6
    )
