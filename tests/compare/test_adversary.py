"""A comparison against an adversary: costs after the moves, defended contestants, refusals."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from stakes.compare import Contestant, compare, fit_on_all
from stakes.compare._fit import fit_contestant
from stakes.decision import BayesDecisionClassifier, Capacity
from stakes.errors import InputError
from stakes.game import Moves, attack
from stakes.tables import PricedData


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + 0.6 * X[:, 1] + 0.5 * rng.normal(size=400) > 0.8).astype(int)
    return PricedData("cases", X, y, fp_cost=1.0, fn_cost=4.0)


MOVES = Moves({"x0": 0.5})


@pytest.mark.jit
def test_learners_are_compared_after_the_moves(tmp_path):
    cases = data()
    how = dict(learners=[], folds=2, tune=False)
    plain = compare(cases, out=tmp_path / "plain", **how)
    moved = compare(cases, adversary=MOVES, out=tmp_path / "moved", **how)
    part = moved.summary()["datasets"][0]
    name = "logistic regression, Bayes decision"
    rows = {row["learner"]: row for row in moved.rows if row["fold"] == 0}
    before = {row["learner"]: row for row in plain.rows if row["fold"] == 0}
    assert rows[name]["cost_unmoved"] == pytest.approx(before[name]["cost"])
    assert rows[name]["cost"] > before[name]["cost"]
    assert rows[name]["moves_found_by"] == "linear"
    # nobody can move past a constant policy, nor past a model that does not see what moves
    for learner in ("always positive", "always negative"):
        assert rows[learner]["cost"] == before[learner]["cost"]
    assert rows[f"{name}, without what moves"]["moved"] == 0
    assert f"{name}, trained on moves" in rows
    assert part["best"] != name
    assert "after the best moves of adversary" in part["alarms"][0]
    assert part["threshold_curve"] is None
    # the row is what the attack says
    arrays = moved.file.arrays(rows[name])
    test, train = arrays["test_rows"], np.setdiff1d(np.arange(400), arrays["test_rows"])
    model, _ = fit_on_all(name, cases.take(train), tune=False)
    held = cases.take(test)
    found = attack(model, held.X, held.y, MOVES, **held.costs)
    assert rows[name]["cost"] == pytest.approx(found.bill_after)
    # other moves are another run
    with pytest.raises(InputError):
        compare(cases, adversary=Moves({"x1": 1.0}), out=tmp_path / "moved", **how)


class MaybeBlind(LogisticRegression):
    """A logistic regression that can ignore the first column."""

    def __init__(self, *, blind=False):
        super().__init__()
        self.blind = blind

    def fit(self, X, y):
        super().fit(X, y)
        self.coef_[0, 0] *= not self.blind
        return self


def test_settings_are_tuned_after_the_moves():
    """A learner that can ignore the column that moves does so if it knows of the moves."""
    grid = {"estimator__blind": [True, False]}
    own = Contestant("own", "own", BayesDecisionClassifier(MaybeBlind()), grid)
    for adversaries, blind in (((), False), ([Moves({"x0": 0.05})], True)):
        _, chosen, _ = fit_contestant(own, data(), 0, True, adversaries)
        assert chosen == {"estimator__blind": blind}


def test_what_cannot_be_combined_or_trained(tmp_path):
    with pytest.raises(InputError, match="cannot be combined with limits"):
        compare(data(), adversary=MOVES, capacity=Capacity(max_alerts=5), out=tmp_path)
    with pytest.raises(InputError, match=r"use stakes\.game\.harden"):
        fit_on_all("logistic regression, Bayes decision, trained on moves", data())
    with pytest.raises(InputError, match="drop the columns that move"):
        fit_on_all("logistic regression, Bayes decision, without what moves", data())
