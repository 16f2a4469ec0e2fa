"""Costs and weights through scikit-learn's metadata routing, on and off."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from stakes.decision import (
    BayesDecisionClassifier,
    BudgetDecisionClassifier,
    ThresholdDecisionClassifier,
)

MODELS = [
    BayesDecisionClassifier(LogisticRegression()),
    BayesDecisionClassifier(LogisticRegression(), calibration="sigmoid", cv=3),
    ThresholdDecisionClassifier(LogisticRegression(), cv=3),
    BudgetDecisionClassifier(LogisticRegression(), max_alerts=0.2),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model)[:40])
@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.filterwarnings("ignore:fit was given costs:UserWarning")
def test_cross_val_score_equals_the_manual_loop(priced, model, routing):
    X, y, fp, fn = priced
    folds = StratifiedKFold(3)
    with config_context(enable_metadata_routing=routing):
        scores = cross_val_score(model, X, y, cv=folds, params={"fp_cost": fp, "fn_cost": fn})
    by_hand = []
    for train, test in folds.split(X, y):
        fitted = clone(model).fit(X[train], y[train], fp_cost=fp[train], fn_cost=fn[train])
        costs = {"fp_cost": fp[test], "fn_cost": fn[test]} if routing else {}
        by_hand.append(fitted.score(X[test], y[test], **costs))
    np.testing.assert_array_equal(scores, by_hand)


def test_weights_are_routed_where_they_are_asked_for(priced):
    X, y, fp, fn = priced
    weight = np.where(y == 1, 5.0, 1.0)
    with config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        for steps in (inner, make_pipeline(scaler, inner)):
            model = BayesDecisionClassifier(steps)
            model.fit(X, y, sample_weight=weight, fp_cost=fp, fn_cost=fn)
            peer = clone(steps).fit(X, y, sample_weight=weight)
            np.testing.assert_array_equal(model.predict_proba(X), peer.predict_proba(X))
        calibrated = BayesDecisionClassifier(inner, calibration="sigmoid").fit(
            X, y, sample_weight=weight, fp_cost=fp
        )
        assert calibrated.predict_proba(X)[:, 1].mean() > y.mean() + 0.05
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            BayesDecisionClassifier(LogisticRegression()).fit(X, y, sample_weight=weight)


def test_search_around_the_wrapper(priced):
    X, y, fp, fn = priced
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(MODELS[0], {"estimator__C": [0.01, 1.0]}, cv=3)
        search.fit(X, y, fp_cost=fp, fn_cost=fn)
        assert search.best_score_ > 0.5
        decided = search.best_estimator_.predict(X, fp_cost=fp, fn_cost=fn)
    assert 0 < decided.mean() < 1
