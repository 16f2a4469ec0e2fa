"""Columns with hardly any value: in some fold they have none."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from stakes.compare import TableSettings, train_to_file
from stakes.compare._fit import fit_on_all
from stakes.errors import InputError
from stakes.model_file import load_model
from stakes.tables import TableEncoder, load_table


def table(n, values):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    rare = [float(i) if i < values else None for i in range(n)]
    kind = ["a" if i < values else None for i in range(n)]
    y = (x + rng.normal(size=n) > 0).astype(int)
    return pl.DataFrame(dict(x=x, rare=rare, kind=kind, y=y), schema_overrides={"rare": float})


@pytest.mark.parametrize(("n", "values", "empty"), [(60, 5, True), (60, 6, False), (12, 1, True)])
def test_a_column_with_hardly_any_value_is_constant(n, values, empty):
    rows = table(n, values).drop("y")
    encoder = TableEncoder().fit(rows)
    assert encoder.empty_ == (["rare"] if empty else [])
    found = encoder.transform(rows)
    assert np.isnan(found[:, 1]).sum() == (0 if empty else n - values)
    assert (found[:, 1] == 0).all() == empty
    assert np.isnan(found[:, 2]).sum() == n - values  # a category may be missing everywhere


def test_boosted_trees_train_on_such_a_table(tmp_path):
    table(60, 1).write_csv(tmp_path / "t.csv")
    settings = TableSettings(str(tmp_path / "t.csv"), "y")
    learner = "hist gradient boosting, Bayes decision"
    train_to_file(tmp_path / "m", learner, settings, settings.load(), tune=False)
    assert load_model(tmp_path / "m").facts["rows"] == 60


def test_a_column_of_an_array_without_values_is_refused():
    data = load_table(table(60, 1), "y")
    data = replace(data, X=np.column_stack([data.X["x"], np.full(60, np.nan)]))
    with pytest.raises(InputError, match="has no value in a fold; drop columns"):
        fit_on_all("hist gradient boosting at 0.5", data, tune=False)
