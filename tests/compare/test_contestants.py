import warnings

import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from checks import accepted, problem
from stakes.compare import CONSTANT_POLICIES, contestants, find_contestant
from stakes.compare._contestants import library
from stakes.errors import InputError


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
