"""Encoded tables as pandas and polars frames, as scikit-learn's settings say."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from stakes.online import ProbitClassifier
from stakes.tables import ModelMatrix, TableEncoder, prepare
from toy import toy


@pytest.mark.parametrize(("how", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
@pytest.mark.parametrize("make", [TableEncoder, ModelMatrix])
def test_set_output_is_respected(how, kind, make):
    X, plain = toy().X, make()
    made = make().set_output(transform=how).fit_transform(X)
    assert isinstance(made, kind)
    assert list(made.columns) == list(plain.fit(X).get_feature_names_out())
    np.testing.assert_array_equal(made.to_numpy(), plain.transform(X))


@pytest.mark.parametrize("how", ["pandas", "polars"])
@pytest.mark.parametrize(
    "learner",
    [LogisticRegression(), HistGradientBoostingClassifier(max_iter=5), ProbitClassifier()],
)
def test_pipelines_decide_alike_whatever_the_output(how, learner):
    data = toy()
    plain = prepare(learner, data).fit(data.X, data.y).predict(data.X)
    with sklearn.config_context(transform_output=how):
        model = prepare(learner, data).fit(data.X, data.y)
        assert model.predict(data.X).tolist() == plain.tolist()
