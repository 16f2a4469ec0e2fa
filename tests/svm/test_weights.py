"""sample_weight of the SVMs: a factor on the penalties, so that 2 is two copies and 0 is none."""

import numpy as np
import pytest
from scipy import sparse

from stakes.svm import (
    BiasedPenaltySVC,
    BoundaryMovementSVC,
    CostSensitiveBoost,
    CostSensitiveSVC,
    LinearCostSensitiveSVC,
)

LEARNERS = [
    BiasedPenaltySVC(tol=1e-9),
    CostSensitiveSVC(tol=1e-9),
    CostSensitiveSVC(kappa=0.5, fn_cost=3.0, tol=1e-9),
    LinearCostSensitiveSVC(tol=1e-12),
    CostSensitiveBoost(n_estimators=20, random_state=0),
]


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(90, 3))
    y = (X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=90) > 1.0).astype(int)
    return X, y, rng.integers(0, 4, 90)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_weight_is_a_number_of_copies(learner, form, problem):
    X, y, weight = problem
    if form is not np.asarray and isinstance(learner, CostSensitiveBoost):
        return
    fn_cost = None if "fn_cost=3.0" in repr(learner) else np.linspace(1.0, 5.0, 90)
    weighted = learner.fit(form(X), y, weight, fn_cost=fn_cost).decision_function(X)
    copies = np.repeat(np.arange(90), weight)
    fn_cost = None if fn_cost is None else fn_cost[copies]
    repeated = learner.fit(form(X[copies]), y[copies], fn_cost=fn_cost).decision_function(X)
    np.testing.assert_allclose(weighted, repeated, atol=2e-6)


def test_weights_of_the_threshold(problem):
    """The SVM and its folds differ from those of copies, the threshold counts the weights."""
    X, y, _ = problem
    weight = np.where(y == 1, 50.0, 1.0)
    plain, weighted = (
        BoundaryMovementSVC(fp_cost=2.0, fn_cost=2.0).fit(X, y, sample_weight=w)
        for w in (None, weight)
    )
    assert weighted.predict(X).mean() > plain.predict(X).mean()
    weight = np.where(X[:, 0] > 0, weight, 0.0)
    left = weight > 0
    zeros = BoundaryMovementSVC(tol=1e-9).fit(X, y, weight)
    removed = BoundaryMovementSVC(tol=1e-9).fit(X[left], y[left], weight[left])
    np.testing.assert_allclose(zeros.decision_function(X), removed.decision_function(X), atol=1e-6)


def test_weights_of_the_search_and_of_one_class(problem):
    X, y, weight = problem
    found = CostSensitiveSVC(kappa="search", fn_cost=4.0).fit(X, y, sample_weight=weight)
    assert 0 < found.kappa_ <= 1
    assert CostSensitiveSVC().fit(X, y, sample_weight=(y == 1).astype(float)).constant_
    with pytest.raises(ValueError, match="No mistake costs anything"):
        CostSensitiveSVC(fn_cost=0.0).fit(X, y, sample_weight=(y == 1).astype(float))
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        CostSensitiveSVC().fit(X, y, sample_weight=-np.ones(90))


def test_libsvm_takes_sparse_rows(problem):
    X, y, weight = problem
    fits = [
        CostSensitiveSVC(kappa=0.5, fn_cost=4.0, solver="libsvm", tol=1e-6).fit(form(X), y, weight)
        for form in (np.asarray, sparse.csr_array)
    ]
    dense, compressed = (model.decision_function(X) for model in fits)
    np.testing.assert_allclose(dense, compressed, atol=1e-4)
