"""Learners by name: one resolver for stream, compare, train and study."""

import pytest

from stakes._core.learners import FAMILIES, all_estimators, find_learner, match_name
from stakes.compare import contestants
from stakes.errors import InputError

NAMES = [name for name, learner in all_estimators(FAMILIES) if hasattr(learner, "fit")]


@pytest.mark.parametrize("name", NAMES)
def test_every_learner_is_found_in_every_spelling(name):
    short = name.removesuffix("Classifier").removesuffix("SVC").removesuffix("Detector")
    for spelled in (name, name.lower(), short, short.upper(), f"{short[0]}-{short[1:]}_"):
        assert find_learner(spelled).__name__ == name


def test_a_method_narrows_the_search():
    assert find_learner("cw_cvar", "learn_one").__name__ == "CWCVaRClassifier"
    with pytest.raises(InputError, match="No learner is called 'CostSensitiveSVC'"):
        find_learner("CostSensitiveSVC", "learn_one")


def test_similar_names_are_suggested():
    with pytest.raises(InputError, match="No learner is called 'probbit': did you mean 'Probit'"):
        find_learner("probbit")


def test_contestants_are_found_by_the_same_names():
    found = [c.name for c in contestants(["cw-cvar", "stackelberg, bayes decision"])]
    assert "CWCVaRClassifier" in found and found[-1].startswith("Stackelberg")
    assert found[-1].endswith(", Bayes decision")
    assert match_name("lightgbm AT 0.5", ["LightGBM at 0.5"]) == "LightGBM at 0.5"
