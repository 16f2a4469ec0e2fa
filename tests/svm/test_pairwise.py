"""More than two classes: one SVM per pair, coupled probabilities, costs between all classes."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from stakes._core.model_file import load_model, save_model
from stakes.svm import CostSensitiveSVC, LinearCostSensitiveSVC, PairwiseSVC
from stakes.svm._pairwise import couple


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X)[:, :3], np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("k", [3, 4])
def test_coupling_minimises_its_objective(k, rng):
    later = rng.uniform(0.05, 0.95, k * (k - 1) // 2)

    def objective(p):
        total = 0.0
        for (i, j), r in zip(combinations(range(k), 2), later, strict=True):
            total += 2 * (r * p[i] - (1 - r) * p[j]) ** 2
        return total

    sum_to_one = {"type": "eq", "fun": lambda p: p.sum() - 1}
    best = minimize(objective, np.full(k, 1 / k), constraints=[sum_to_one], tol=1e-12)
    np.testing.assert_allclose(couple([np.array([r]) for r in later])[0], best.x, atol=1e-5)
    sure = couple([np.array([1.0])] * (k * (k - 1) // 2))
    np.testing.assert_allclose(sure[0], np.eye(k)[-1], atol=1e-5)


def test_costs_between_the_classes_move_the_decisions(wine, tmp_path):
    X, y = wine
    plain = PairwiseSVC().fit(X, y)
    assert len(plain.estimators_) == 3
    assert np.mean(plain.predict(X) == y) > 0.8
    np.testing.assert_allclose(plain.predict_proba(X).sum(axis=1), 1.0)
    matrix = [[0, 1, 1], [1, 0, 1], [30, 30, 0]]  # missing a "c" is expensive
    wary = PairwiseSVC(cost_matrix=matrix).fit(X, y)
    assert (wary.predict(X) == "c").mean() > (plain.predict(X) == "c").mean() + 0.05
    assert (wary.predict(X)[y == "c"] == "c").mean() > 0.97
    # scaling all costs changes no decision
    tenfold = PairwiseSVC(cost_matrix=10 * np.array(matrix)).fit(X, y)
    np.testing.assert_array_equal(tenfold.predict(X), wary.predict(X))
    exact = PairwiseSVC(estimator=CostSensitiveSVC(tol=1e-7), cost_matrix=matrix)
    thin = clone(exact).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.predict_proba(X), exact.fit(X, y).predict_proba(X), atol=1e-4)
    save_model(wary, tmp_path / "model.stakes")
    stored = load_model(tmp_path / "model.stakes").model
    np.testing.assert_array_equal(stored.predict_proba(X), wary.predict_proba(X))
    free = PairwiseSVC(cost_matrix=[[0, 0, 1], [0, 0, 1], [1, 1, 0]]).fit(X, y)
    assert set(free.predict(X)) <= {"a", "b", "c"}


def test_two_classes_are_the_svm_itself(wine):
    X, y = wine
    X, y = X[y != "c"], y[y != "c"]
    fn_cost = np.linspace(1.0, 5.0, len(y))
    pair = PairwiseSVC(LinearCostSensitiveSVC()).fit(X, y, fn_cost=fn_cost)
    alone = LinearCostSensitiveSVC().fit(X, y, fn_cost=fn_cost)
    np.testing.assert_array_equal(pair.decision_function(X), alone.decision_function(X))
    np.testing.assert_array_equal(pair.predict_proba(X), alone.predict_proba(X))
    assert pair.score(X, y, fn_cost=fn_cost) == alone.score(X, y, fn_cost=fn_cost)
    by_matrix = PairwiseSVC(cost_matrix=[[0, 1], [7, 0]]).fit(X, y)
    by_number = CostSensitiveSVC(fn_cost=7.0).fit(X, y)
    np.testing.assert_array_equal(by_matrix.decision_function(X), by_number.decision_function(X))


def test_four_costs_do_not_say_enough_about_three_classes(wine):
    with pytest.raises(ValueError, match="for two classes only, and y has 3; set cost_matrix"):
        PairwiseSVC(fn_cost=3.0).fit(*wine)
    with pytest.raises(ValueError, match="predict_proba"):
        PairwiseSVC(CostSensitiveSVC(calibration=None)).fit(*wine)
