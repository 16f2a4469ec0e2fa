"""A user's code, checked by mypy: what is right passes, what is wrong is found."""

from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from stakes.costs import Costs
from stakes.decision import BayesDecisionClassifier
from stakes.metrics import cost_loss, savings_score
from stakes.model_file import StoredModel, load_model
from stakes.tree import ConfidenceForestClassifier


def use() -> None:
    X, y = np.zeros((4, 2)), np.array([0, 1, 0, 1])
    forest = ConfidenceForestClassifier(n_estimators=5, random_state=0)
    assert_type(forest.fit(X, y, fn_cost=[1.0, 2.0, 3.0, 4.0]), ConfidenceForestClassifier)
    assert_type(forest.predict(X, fp_cost=1, fn_cost=np.ones(4)), NDArray[Any])
    model = BayesDecisionClassifier(forest, calibration="isotonic", fn_cost=9.0).fit(X, y)
    assert_type(model.expected_cost(X), NDArray[Any])
    assert_type(cost_loss(y, y, fp_cost=1.0), float)
    assert_type(savings_score(y, y), float)
    assert_type(Costs.of(4, fn_cost=3.0), Costs)
    assert_type(load_model(Path("model.skops")), StoredModel)
    BayesDecisionClassifier(forest, calibration="platt")  # type: ignore[arg-type]
    ConfidenceForestClassifier(n_trees=5)  # type: ignore[call-arg]
    load_model(3)  # type: ignore[arg-type]
