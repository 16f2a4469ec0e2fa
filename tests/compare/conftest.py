import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from stakes.compare import Contestant, _run
from stakes.decision import BayesDecisionClassifier


@pytest.fixture
def few(monkeypatch):
    """Only fast contestants: the tests are about the machinery, not about the boosters."""
    field = [
        Contestant("always negative", "constant", DummyClassifier(strategy="constant", constant=0)),
        Contestant("always positive", "constant", DummyClassifier(strategy="constant", constant=1)),
        Contestant("logistic at 0.5", "baseline", LogisticRegression(), {"C": [0.1, 1.0]}),
        Contestant(
            "logistic, Bayes decision",
            "baseline",
            BayesDecisionClassifier(LogisticRegression()),
            {"estimator__C": [0.1, 1.0]},
        ),
    ]
    monkeypatch.setattr(_run, "contestants", lambda names, **how: field)
    return field
