import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from checks import accepted, problem
from stakes.compare import CONSTANT_POLICIES, Contestant, contestants, find_contestant
from stakes.compare._contestants import library
from stakes.compare._fit import fit_contestant
from stakes.decision import BayesDecisionClassifier
from stakes.errors import InputError
from stakes.tables import load_table


def names(chosen):
    return {c.name for c in contestants(chosen)}


def test_baselines_always_take_part():
    always = names([])
    assert set(CONSTANT_POLICIES) < always
    assert {"hist gradient boosting at 0.5", "logistic regression, Bayes decision"} < always
    assert always < names(None) < names(["all"])


def test_by_name_and_by_family():
    assert "CWClassifier" in names(["CWClassifier"]) - names([])
    assert {"CWClassifier", "AROWClassifier"} <= names(["online"]) - names([])
    assert names("online") == names(["online"])
    assert names(["cw", "CW-CVaR"]) == names(["CWClassifier", "CWCVaRClassifier"])


def test_every_family_recommends_a_learner_that_the_library_has():
    assert {c.family for c in library() if c.recommended} >= {"online", "svm", "tree", "qmean"}


def test_only_what_was_asked_for_is_built(monkeypatch):
    def built(self, **parameters):
        raise AssertionError("a learner that was not asked for was built")

    monkeypatch.setattr("stakes.online.AROWClassifier.__init__", built)
    assert "CWClassifier" in names(["CWClassifier"])
    with pytest.raises(AssertionError, match="was built"):
        contestants(["online"])


def test_a_family_is_not_one_contestant():
    assert find_contestant("CWClassifier").family == "online"
    with pytest.raises(InputError, match="'online' is a family of learners; name one of them: AR"):
        find_contestant("online")


def test_an_unknown_learner_is_named():
    with pytest.raises(InputError, match="No learner is called 'CWClasifier': did you mean"):
        contestants(["CWClasifier"])


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("entry", library(), ids=lambda e: e.name)
def test_every_setting_of_every_grid_can_be_fitted(entry):
    contestant = entry.build()
    X, y, fp, fn = problem(n=60)
    for setting in ParameterGrid(contestant.grid):
        model = clone(contestant.estimator).set_params(**setting)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # 60 rows may be too few to do well
            model.fit(X, y, **accepted(model.fit, fp_cost=fp, fn_cost=fn))
        assert len(model.predict(X)) == 60


def test_the_grid_of_an_own_pipeline_inside_a_calibration_is_searched(tmp_path):
    inner = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
    bayes = BayesDecisionClassifier(inner, calibration="sigmoid", cv=2)
    own = Contestant("mine", "own", bayes, {"estimator__model__C": [0.1, 1.0]})
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), np.arange(80) % 2
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1] + 3 * y, "who": np.arange(80) // 2, "y": y})
    for group in (None, "who"):
        data = load_table(frame, "y", drop=[] if group else ["who"], group=group)
        _, chosen, _ = fit_contestant(own, data, 0, True)
        assert chosen["estimator__model__C"] in (0.1, 1.0)
