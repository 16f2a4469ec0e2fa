"""Learners of other packages, found by their entry points."""

from importlib.metadata import EntryPoint

import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from stakes.compare import Contestant, _contestants, compare, contestants, find_contestant
from stakes.decision import BayesDecisionClassifier
from stakes.errors import InputError
from toy import toy


def ready():
    return Contestant("any name", "baseline", LogisticRegression(C=0.5))


class Broken:
    def __init__(self):
        raise RuntimeError("no licence")


NAMES = {"mine": LogisticRegression, "ridge": RidgeClassifier, "ready": ready, "bad": Broken}
NAMES["text"] = "not a learner"


@pytest.fixture
def installed(monkeypatch):
    points = [EntryPoint(name, f"{__name__}:{name}", "stakes.learners") for name in NAMES]
    monkeypatch.setattr(_contestants, "entry_points", lambda group: points)
    monkeypatch.setattr(EntryPoint, "load", lambda self: NAMES[self.name])


def test_a_plug_in_appears_by_its_name(installed, tmp_path):
    found = {c.name: c for c in contestants(["mine", "ridge", "ready"])}
    assert isinstance(found["mine"].estimator, BayesDecisionClassifier)
    assert found["ridge"].estimator.calibration == "sigmoid"
    assert found["ready"].estimator.C == 0.5
    results = compare(
        toy(150), learners=[found["mine"], "ready"], folds=2, tune=False, out=tmp_path
    )
    names = {f["learner"] for f in results.summary()["datasets"][0]["learners"]}
    assert {"mine", "ready"} <= names
    assert find_contestant("mine").family == "plug-in"
    assert "mine" not in {c.name for c in contestants()}


@pytest.mark.parametrize(
    ("name", "words"), [("bad", "RuntimeError: no licence"), ("text", "no method fit")]
)
def test_what_cannot_be_a_learner_is_named(installed, name, words):
    with pytest.raises(InputError, match=words):
        contestants([name])
