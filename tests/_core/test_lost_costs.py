"""Costs that scikit-learn's searches do not pass on are missed in words."""

import warnings

import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

from checks import problem
from stakes.decision import BayesDecisionClassifier
from stakes.online import ProbitClassifier
from stakes.online_kernel import CSDUOLClassifier, KernelFeaturesClassifier
from stakes.qmean import QuadraticMeanClassifier
from stakes.svm import CostSensitiveSVC
from stakes.tree import ConfidenceTreeClassifier

MODELS = [
    ProbitClassifier(),
    CSDUOLClassifier(),
    KernelFeaturesClassifier(n_components=20, random_state=0),
    QuadraticMeanClassifier(),
    CostSensitiveSVC(),
    ConfidenceTreeClassifier(),
    BayesDecisionClassifier(LogisticRegression()),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_search_without_routing_says_how_costs_reach_the_score(model):
    X, y, fp, fn = problem()
    costs = dict(fp_cost=fp, fn_cost=fn)
    with pytest.warns(UserWarning, match=r"sklearn\.set_config\(enable_metadata_routing=True\)"):
        GridSearchCV(model, {}, cv=2).fit(X, y, **costs)
    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message="fit was given costs")
        priced = GridSearchCV(model, {}, cv=2).fit(X, y, **costs)
        scores = cross_val_score(model, X, y, cv=2, params=costs)
    assert priced.best_score_ == pytest.approx(scores.mean())


def test_without_costs_nothing_is_missed():
    X, y, fp, fn = problem()
    model = ProbitClassifier(fn_cost=3.0).fit(X, y)
    plain = model.score(X, y)
    assert 0 < plain < 1
    priced = model.fit(X, y, fp_cost=fp, fn_cost=fn).score(X, y, fp_cost=fp, fn_cost=fn)
    assert priced != plain
