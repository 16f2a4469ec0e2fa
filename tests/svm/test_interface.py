"""What the SVMs share with scikit-learn's: kernels, weights, probabilities, folds, progress."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.svm import SVC

from stakes._core.deciding import only_scores_count
from stakes._core.model_file import load_model, save_model
from stakes._core.sigmoid import fit_sigmoid
from stakes.costs import Costs
from stakes.metrics import cost_loss
from stakes.svm import (
    BiasedPenaltySVC,
    BoundaryMovementSVC,
    CostSensitiveSVC,
    LinearCostSensitiveSVC,
    _kernel_svc,
)
from stakes.svm._link import KNOTS, STIFFNESS, _bent, _through, choose_link, log_odds, squash

KERNEL_LEARNERS = [BoundaryMovementSVC, BiasedPenaltySVC, CostSensitiveSVC]
PROBABLE = [BiasedPenaltySVC, CostSensitiveSVC, LinearCostSensitiveSVC]


def noisy(rng, n=120, d=3):
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + 0.7 * rng.normal(size=n) > 0.3).astype(int)


def laplace(A, B):
    A, B = (M.toarray() if sparse.issparse(M) else np.asarray(M) for M in (A, B))
    return np.exp(-0.5 * np.abs(A[:, None] - B[None]).sum(axis=2))


@pytest.mark.parametrize("learner", KERNEL_LEARNERS)
def test_a_kernel_matrix_equals_its_kernel(learner, tmp_path):
    X, y = noisy(np.random.default_rng(0))
    fn_cost = np.where(np.arange(120) % 10 == 0, 0.0, 3.0)  # some rows teach nothing
    by_name = learner(gamma=0.5, tol=1e-6).fit(X, y, fn_cost=fn_cost)
    K = rbf_kernel(X, gamma=0.5)
    by_matrix = learner(kernel="precomputed", tol=1e-6).fit(K, y, fn_cost=fn_cost)
    np.testing.assert_allclose(
        by_matrix.decision_function(K[:30]), by_name.decision_function(X[:30]), atol=1e-4
    )
    np.testing.assert_array_equal(by_matrix.support_, by_name.support_)
    thin = clone(by_matrix).fit(sparse.csr_array(K), y, fn_cost=fn_cost)
    np.testing.assert_allclose(thin.dual_coef_, by_matrix.dual_coef_, atol=1e-8)
    save_model(by_matrix, tmp_path / "model.stakes")
    stored = load_model(tmp_path / "model.stakes").model
    np.testing.assert_array_equal(stored.decision_function(K), by_matrix.decision_function(K))
    with pytest.raises(ValueError, match="needs the square kernel matrix"):
        learner(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="needs a kernel by name, and kernel is precomputed"):
        learner(kernel="precomputed", approximation="nystroem").fit(K, y)
    with pytest.raises(ValueError, match="solver='libsvm' needs a kernel by name"):
        learner(kernel=laplace, solver="libsvm").fit(X, y)


def test_a_search_cuts_a_kernel_matrix_in_both_directions():
    X, y = noisy(np.random.default_rng(0))
    grid = {"C": [0.1, 1.0]}
    with only_scores_count():
        by_name = GridSearchCV(CostSensitiveSVC(gamma=0.5), grid, cv=3).fit(X, y)
        K = rbf_kernel(X, gamma=0.5)
        by_matrix = GridSearchCV(CostSensitiveSVC(kernel="precomputed"), grid, cv=3).fit(K, y)
    np.testing.assert_allclose(
        by_name.cv_results_["mean_test_score"], by_matrix.cv_results_["mean_test_score"], atol=0.02
    )


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_kernel_may_be_a_function(form, rng):
    X, y = noisy(rng, n=60)
    own = BiasedPenaltySVC(kernel=laplace, tol=1e-6).fit(form(X), y)
    plain = SVC(kernel="precomputed", tol=1e-6).fit(laplace(X, X), y)
    np.testing.assert_allclose(
        own.decision_function(form(X)), plain.decision_function(laplace(X, X)), atol=1e-4
    )
    assert own.duality_gap_ < 1e-4
    with pytest.raises(ValueError, match="kernel must return a matrix of one row for each row"):
        BiasedPenaltySVC(kernel=lambda A, B: A).fit(X, y)


def test_the_sigmoid_kernel_has_no_certificate_if_it_is_indefinite(rng):
    X, y = noisy(rng, n=60)
    options = dict(kernel="sigmoid", gamma=0.05, coef0=-1.0)
    with pytest.warns(ConvergenceWarning, match="not known to be positive semi-definite"):
        own = BiasedPenaltySVC(tol=1e-6, calibration=None, **options).fit(X, y)
    assert np.isnan(own.duality_gap_)
    assert own.kkt_residual_ <= 1e-5
    plain = SVC(tol=1e-6, **options).fit(X, y)
    assert np.mean(own.predict(X) == plain.predict(X)) > 0.95


def test_class_weights_are_factors_on_the_penalties():
    X, y = noisy(np.random.default_rng(0))
    labels = np.array(["no", "yes"])[y]
    for weight in ({"no": 1.0, "yes": 3.0}, "balanced"):
        own = BiasedPenaltySVC(class_weight=weight, gamma=0.5, tol=1e-6).fit(X, labels)
        plain = SVC(class_weight=weight, gamma=0.5, tol=1e-6).fit(X, labels)
        np.testing.assert_allclose(own.decision_function(X), plain.decision_function(X), atol=1e-4)


@pytest.mark.jit
@pytest.mark.parametrize("learner", PROBABLE)
def test_probabilities_are_calibrated_out_of_fold(learner):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    truth = 1 / (1 + np.exp(-2 * X[:, 0] + 1))
    y = (rng.random(1500) < truth).astype(int)
    # weights of the classes shift the scores, and the calibration shifts them back
    model = learner(fn_cost=4.0).fit(X[:600], y[:600])
    p = model.predict_proba(X[600:])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert log_loss(y[600:], p[:, 1]) < log_loss(y[600:], truth[600:]) + 0.05
    cheap, expensive = (model.predict(X, fp_cost=1.0, fn_cost=cost) for cost in (0.2, 20.0))
    assert expensive.mean() > cheap.mean() + 0.2
    scores = model.decision_function(X)
    order = np.argsort(scores)
    assert (np.diff(model.predict_proba(X)[order, 1]) >= 0).all()
    none = learner(calibration=None).fit(X[:300], y[:300])
    assert not hasattr(none, "predict_proba")
    with pytest.raises(ValueError, match="has no predict_proba, so predict"):
        none.predict(X, fp_cost=1.0, fn_cost=5.0)


@pytest.mark.jit
def test_probabilities_do_not_count_costs_twice():
    """Costs that go with a feature must not enter the scores, or the decision has them twice."""
    rng = np.random.default_rng(1)
    n = 1200
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] + rng.normal(size=n) > 0.8).astype(int)
    amount = np.exp(2 * X[:, 1])  # says nothing about the class
    prices = dict(fp_cost=np.ones(n), fn_cost=amount)
    train, test = slice(0, 500), slice(500, n)
    paid = {}
    for rule in ("auto", "example"):
        model = CostSensitiveSVC(cost_rule=rule)
        model.fit(X[train], y[train], **{k: v[train] for k, v in prices.items()})
        now = {k: v[test] for k, v in prices.items()}
        paid[rule] = cost_loss(y[test], model.predict(X[test], **now), **now)
    assert paid["auto"] < paid["example"]


@pytest.mark.jit
@pytest.mark.parametrize("learner", [BoundaryMovementSVC, CostSensitiveSVC])
def test_folds_in_parallel_give_the_same_bytes(learner):
    X, y = noisy(np.random.default_rng(0), n=60)
    options = dict(fn_cost=2.0, random_state=0)
    alone, together = (learner(n_jobs=n, **options).fit(X, y) for n in (None, 2))
    np.testing.assert_array_equal(alone.decision_function(X), together.decision_function(X))
    if hasattr(alone, "predict_proba"):
        np.testing.assert_array_equal(alone.predict_proba(X), together.predict_proba(X))


def test_the_search_uses_its_scores_for_the_probabilities():
    X, y = noisy(np.random.default_rng(0), n=90)
    searched = CostSensitiveSVC(kappa="search", fn_cost=5.0).fit(X, y)
    given = CostSensitiveSVC(kappa=searched.kappa_, fn_cost=5.0).fit(X, y)
    np.testing.assert_allclose(searched.predict_proba(X), given.predict_proba(X), atol=0.01)


def test_costs_reach_the_decision_inside_cross_validation(rng):
    X, y = noisy(rng)
    with only_scores_count():
        p = cross_val_predict(CostSensitiveSVC(), X, y, cv=3, method="predict_proba")
    assert p.shape == (120, 2)


@pytest.mark.parametrize("learner", [BiasedPenaltySVC, LinearCostSensitiveSVC])
def test_progress_is_printed(learner, rng, capsys, monkeypatch):
    monkeypatch.setattr("stakes.svm._progress.Progress.__init__.__defaults__", (0.0,))
    X, y = noisy(rng)
    learner(verbose=True, calibration=None).fit(X, y)
    printed = capsys.readouterr().err
    assert f"{learner.__name__}: " in printed and "(goal " in printed
    learner(calibration=None).fit(X, y)
    assert capsys.readouterr().err == ""


@pytest.mark.jit
def test_progress_is_printed_while_blocks_are_solved(rng, capsys, monkeypatch):
    """Also while the residual stays far from the goal, as with a large C."""
    monkeypatch.setattr("stakes.svm._progress.Progress.__init__.__defaults__", (0.0,))
    monkeypatch.setattr("stakes.svm._dual.SMALL", 100)
    X, y = noisy(rng, n=900)
    with pytest.warns(ConvergenceWarning):
        CostSensitiveSVC(C=1e6, calibration=None, verbose=True, max_iter=60_000).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    steps = [int(line.split()[1].replace(",", "")) for line in lines]
    assert len(steps) > 5 and steps == sorted(steps)


@pytest.mark.jit
def test_many_rows_take_landmarks_and_say_what_that_costs(monkeypatch):
    X, y = noisy(np.random.default_rng(0), n=300)
    options = dict(fn_cost=2.0, gamma=0.5, calibration=None, random_state=0)
    exact = CostSensitiveSVC(tol=1e-5, **options).fit(X, y)
    assert not hasattr(exact, "feature_map_")
    monkeypatch.setattr(_kernel_svc, "AUTO_ROWS", 200)
    losses = []
    for n_components in (10, 60, 300):
        model = CostSensitiveSVC(n_components=n_components, tol=1e-5, **options).fit(X, y)
        # the objective is one that the whole kernel can reach, and the stated loss bounds it
        assert model.objective_ >= exact.objective_ * (1 - 1e-4)
        assert model.objective_ * (1 - model.approximation_loss_) <= exact.objective_ * (1 + 1e-4)
        losses.append(model.approximation_loss_)
    assert losses[0] > losses[1] > losses[2] and losses[2] < 0.01
    whole = CostSensitiveSVC(approximation=None, **options).fit(X, y)
    assert hasattr(whole, "support_vectors_")


@pytest.mark.jit
def test_the_loss_of_landmarks_is_estimated_from_some_rows(monkeypatch):
    X, y = noisy(np.random.default_rng(0), n=400)
    options = dict(approximation="nystroem", n_components=40, random_state=0, calibration=None)
    whole = CostSensitiveSVC(**options).fit(X, y).approximation_loss_
    monkeypatch.setattr("stakes.svm._loss_of_landmarks.ROWS", 100)
    some = CostSensitiveSVC(**options).fit(X, y).approximation_loss_
    assert whole < some < 1  # with two standard errors on top


def test_held_out_rows_are_not_blocks_of_the_table(rng):
    """Rows often come in batches, which differ more from each other than new rows will."""
    X, y = rng.normal(size=(300, 2)), np.where(rng.random(300) < 0.3, 1.0, -1.0)
    for seed in (None, 3):
        model = LinearCostSensitiveSVC(random_state=seed)
        folds = model._folds(X, y)
        for _, test in folds:
            assert np.histogram(test, [0, 100, 200, 300])[0].min() > 15
            assert np.mean(y[test] > 0) == pytest.approx(np.mean(y > 0), abs=0.02)
        again = model._folds(X, y)  # without a seed as well
        np.testing.assert_array_equal(folds[0][1], again[0][1])


def test_the_link_bends_where_a_sigmoid_would_cost_more(rng):
    n = 2000
    scores = np.concatenate([rng.uniform(-1, 1, n), np.full(n // 4, -1.0)])
    # a sharp boundary at zero, and positives far below it that a sigmoid has to explain
    positive = scores > 0
    positive[n : n + n // 8] = True
    costs, ones = Costs.of(len(scores), fp_cost=9.0, fn_cost=1.0), np.ones(len(scores))

    def paid(log_odds):
        return costs.paid(positive, costs.decide(expit(log_odds))).sum()

    bent = choose_link(scores, positive, ones, costs, 0.7, 9.0)  # not a boundary of these scores
    assert bent.shape == (2, 6)
    slope, offset = fit_sigmoid(squash(scores), positive, ones)
    assert paid(log_odds(bent, scores)) < 0.8 * paid(slope * squash(scores) + offset)
    # the boundary is exact, and the knots are half a score apart
    exact = choose_link(scores, positive, ones, costs, 0.0, 9.0)
    assert exact.shape == (2, 2)
    assert log_odds(exact, np.zeros(1))[0] == pytest.approx(np.log(9.0))
    assert paid(log_odds(exact, scores)) == n // 8
    sure = rng.random(len(scores)) < expit(3 * scores)
    plain = choose_link(scores, sure, ones, Costs.of(len(scores)), 0.0, 1.0)
    assert log_odds(plain, np.array([-0.9, 0.0, 0.9])) == pytest.approx([-2.7, 0.0, 2.7], abs=0.5)
    z = np.linspace(-5, 5, 101)
    for one in (bent, exact, plain):
        assert (np.diff(log_odds(one, z)) >= 0).all()


def test_a_link_away_from_zero_has_the_trained_odds_at_its_knot(rng):
    z = rng.uniform(-1, 1, 300)
    target = (z > -0.4).astype(float)
    link = _through(-0.4, z, target, np.ones(300), np.log(5.0))
    assert log_odds(link, np.array([-0.4]))[0] == pytest.approx(np.log(5.0))


def test_the_bent_link_is_the_likeliest(rng):
    """Its conditions of optimality, from the values of its log loss."""
    scores = rng.normal(size=400)
    positive, copies = rng.random(400) < expit(4 * np.tanh(3 * scores)), rng.uniform(0.5, 2, 400)
    z = squash(scores)
    target = np.where(positive, 1 - 1 / (2 + positive.sum()), 1 / (2 + (~positive).sum()))
    link = _bent(z, positive, target, copies)

    def loss(link):
        p = expit(log_odds(link, scores))
        wrong = -copies @ (target * np.log(p) + (1 - target) * np.log1p(-p))
        return wrong + STIFFNESS * (np.diff(z.std() * link[1]) ** 2).sum()

    for k in range(len(KNOTS) + 2):
        for move in (-1e-3, 1e-3):
            other = link.copy()
            at = (0, 0) if k > len(KNOTS) else (1, k)
            other[at] += move
            if at == (0, 0) or other[at] >= 0:
                assert loss(other) >= loss(link)
