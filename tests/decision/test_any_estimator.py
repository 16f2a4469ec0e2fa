"""All three decision classifiers around boosters, pipelines, searches and sparse matrices."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from stakes.decision import (
    BayesDecisionClassifier,
    BudgetDecisionClassifier,
    ThresholdDecisionClassifier,
)

WRAPPERS = [BayesDecisionClassifier, ThresholdDecisionClassifier, BudgetDecisionClassifier]


def lightgbm():
    module = pytest.importorskip("lightgbm")
    return module.LGBMClassifier(n_estimators=10, n_jobs=1, verbose=-1)


def xgboost():
    return pytest.importorskip("xgboost").XGBClassifier(n_estimators=10, n_jobs=1)


def histogram():
    return HistGradientBoostingClassifier(max_iter=10)


def pipeline():
    return make_pipeline(MaxAbsScaler(), LogisticRegression())


def search():
    return GridSearchCV(pipeline(), {"logisticregression__C": [0.1, 1.0]}, cv=2)


@pytest.mark.parametrize("make", [lightgbm, xgboost, histogram, pipeline, search])
@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("kind", ["array", "pandas", "nan", "sparse"])
def test_fits_and_decides(priced, make, wrapper, kind):
    X, y, fp, fn = priced
    if (kind == "nan" and make in (pipeline, search)) or (kind == "sparse" and make is histogram):
        pytest.skip("the inner estimator does not take such data")
    if kind == "pandas":
        X = pytest.importorskip("pandas").DataFrame(X, columns=list("abcde"))
    elif kind == "nan":
        X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    elif kind == "sparse":
        X = sparse.csr_matrix(X)
    model = wrapper(make(), cv=2) if wrapper is ThresholdDecisionClassifier else wrapper(make())
    model.fit(X, y, fp_cost=fp, fn_cost=fn)
    assert (model.predict(X) == y).mean() > 0.6
    assert model.n_features_in_ == 5
    if kind == "pandas":
        assert list(model.feature_names_in_) == list("abcde")
    assert model.classes_.tolist() == [0, 1]
