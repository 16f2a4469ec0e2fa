"""All three decision classifiers around boosters, pipelines, searches and sparse matrices."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.tree import DecisionTreeClassifier

from stakes.decision import (
    BayesDecisionClassifier,
    BudgetDecisionClassifier,
    ThresholdDecisionClassifier,
)
from stakes.metrics import cost_loss

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


def batches(rng, n):
    """Rows in the order of 25 batches, which differ more from each other than new rows will."""
    batch = np.repeat(np.arange(25), n // 25)
    y = (rng.random(n) < np.where(batch % 2 == 0, 0.1, 0.8)).astype(int)
    return batch[:, None].astype(float), y


@pytest.mark.parametrize("seed", [None, 3])
def test_held_out_rows_are_not_blocks_of_the_table(rng, seed):
    X, y = batches(rng, 3000)
    tree = DecisionTreeClassifier()
    tuned = ThresholdDecisionClassifier(tree, random_state=seed, fn_cost=2.0).fit(X, y)
    calibrated = BayesDecisionClassifier(tree, calibration="isotonic", random_state=seed).fit(X, y)
    new, truth = batches(rng, 30_000)
    paid = cost_loss(truth, tuned.predict(new), fn_cost=2.0)
    # what was promised, within three standard errors
    assert tuned.cost_ == pytest.approx(paid, abs=0.04)
    blocks = ThresholdDecisionClassifier(tree, cv=StratifiedKFold(5), fn_cost=2.0).fit(X, y)
    assert blocks.cost_ > paid + 0.1
    p = calibrated.predict_proba(new)[:, 1]
    odd = new[:, 0] % 2 == 1
    assert p[~odd].mean() == pytest.approx(0.1, abs=0.05)
    assert p[odd].mean() == pytest.approx(0.8, abs=0.05)
    again = clone(calibrated).fit(X, y)  # without a seed as well
    np.testing.assert_array_equal(again.predict_proba(new)[:, 1], p)


def test_the_seed_draws_the_folds(rng):
    X, y = rng.normal(size=(200, 2)), (rng.random(200) < 0.3).astype(int)
    costs = [
        ThresholdDecisionClassifier(
            DecisionTreeClassifier(max_depth=3, random_state=0), random_state=s
        )
        .fit(X, y)
        .costs_
        for s in (None, 0, 1)
    ]
    np.testing.assert_array_equal(costs[0], costs[1])
    assert len(costs[2]) != len(costs[0]) or (costs[2] != costs[0]).any()
