"""Decisions and probabilities in one pass over the rows."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from checks import problem
from stakes._core.deciding import decide_with_costs, predict_with_costs
from stakes.decision import BayesDecisionClassifier, BlendClassifier, BudgetDecisionClassifier

X, y, FP, FN = problem(n=90)
COSTS = dict(fp_cost=FP, fn_cost=FN, tp_cost=np.zeros(90), tn_cost=0.0)
BLEND = BlendClassifier([("a", LogisticRegression()), ("b", GaussianNB())], cv=3, random_state=0)


class Contrary(BayesDecisionClassifier):
    """Decides by a rule of its own."""

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        return 1 - super().predict(X, **given)


class Scaler(StandardScaler):
    """Counts how often rows are encoded."""

    calls = 0

    def transform(self, X, copy=None):
        Scaler.calls += 1
        return super().transform(X, copy)


@pytest.mark.parametrize(
    "learner",
    [
        LogisticRegression(),
        LinearSVC(),
        HistGradientBoostingClassifier(max_iter=5),
        LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1),
        DummyClassifier(strategy="constant", constant=1),
        BLEND,
        BayesDecisionClassifier(BLEND),
        BayesDecisionClassifier(LogisticRegression(), prior=0.2, training_prior=0.5),
        BayesDecisionClassifier(LinearSVC(), calibration="sigmoid"),
        BudgetDecisionClassifier(LogisticRegression(), max_alerts=7),
        Contrary(LogisticRegression()),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3),
    ],
    ids=repr,
)
def test_equal_to_predict_and_predict_proba(learner):
    model = make_pipeline(Scaler(), learner).fit(np.asarray(X), y)
    expected = predict_with_costs(model, X, **COSTS)
    Scaler.calls = 0
    decided, probability = decide_with_costs(model, X, **COSTS)
    assert Scaler.calls == 1
    np.testing.assert_array_equal(decided, expected)
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(probability, model.predict_proba(X)[:, 1])
    else:
        assert probability is None
