"""The SVM learners: the exact reduction, margins, conditions, dual quantities, edge cases."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedKFold, TimeSeriesSplit
from sklearn.svm import SVC

from naive import svm as naive
from stakes._core.deciding import only_scores_count
from stakes.svm import (
    BiasedPenaltySVC,
    BoundaryMovementSVC,
    CostSensitiveSVC,
    LinearCostSensitiveSVC,
    weighted_equivalent,
)
from stakes.svm._boundary import best_threshold
from stakes.svm._penalties import biased_penalties, cost_penalties

KERNEL_LEARNERS = [BoundaryMovementSVC(), BiasedPenaltySVC(), CostSensitiveSVC()]
ALL = [*KERNEL_LEARNERS, LinearCostSensitiveSVC()]


def noisy(rng, n=60, d=3):
    X = rng.normal(size=(n, d))
    y = (X[:, 0] + 0.7 * rng.normal(size=n) > 0.3).astype(int)
    return X, y


@pytest.mark.filterwarnings("ignore::stakes.errors.BelowTrivialWarning")  # chance decides here
@pytest.mark.parametrize("seed", range(20))
def test_the_reduction_is_the_direct_problem(seed):
    rng = np.random.default_rng(seed)
    X, y = noisy(rng, n=40)
    kappa, C = rng.uniform(0.1, 1.0), rng.uniform(0.1, 10.0)
    fn_cost = rng.uniform(1.0, 3.0) / kappa
    value, w, b = naive.cost_sensitive_primal(X, np.where(y, 1.0, -1.0), C, fn_cost, kappa)
    same = weighted_equivalent(C, fn_cost, kappa)
    weights = {0: same["negative_weight"], 1: same["positive_weight"]}
    plain = SVC(C=same["C"], kernel="linear", class_weight=weights, tol=1e-9).fit(X, y)
    through = same["scale"] * plain.decision_function(X) + same["shift"]
    np.testing.assert_allclose(through, X @ w + b, atol=2e-4)  # LIBSVM's kernel is in float32
    prices = dict(fp_cost=same["negative_weight"], fn_cost=same["positive_weight"])
    weighted = BiasedPenaltySVC(
        C=same["C"], kernel="linear", normalize_costs=False, tol=1e-9, **prices
    ).fit(X, y)
    through = same["scale"] * weighted.decision_function(X) + same["shift"]
    np.testing.assert_allclose(through, X @ w + b, atol=2e-5)
    assert same["scale"] ** 2 * weighted.objective_ == pytest.approx(value, rel=1e-6)
    options = dict(C=C, kappa=kappa, fn_cost=fn_cost, slope="paper", calibration=None)
    ours = CostSensitiveSVC(kernel="linear", tol=1e-9, **options).fit(X, y)
    linear = LinearCostSensitiveSVC(tol=1e-10, **options).fit(X, y)
    for model in (ours, linear):
        np.testing.assert_allclose(model.decision_function(X), X @ w + b, atol=2e-5)
        assert model.objective_ == pytest.approx(value, rel=1e-6)


def test_the_reduction_with_an_rbf_kernel(rng):
    X, y = noisy(rng)
    same = weighted_equivalent(2.0, 6.0, 0.25)
    weights = {0: same["negative_weight"], 1: same["positive_weight"]}
    plain = SVC(C=same["C"], gamma=0.5, class_weight=weights, tol=1e-9).fit(X, y)
    ours = CostSensitiveSVC(C=2.0, kappa=0.25, slope="paper", gamma=0.5, fn_cost=6.0, tol=1e-9).fit(
        X, y
    )
    through = same["scale"] * plain.decision_function(X) + same["shift"]
    # LIBSVM keeps kernel values in float32
    np.testing.assert_allclose(ours.decision_function(X), through, atol=1e-5)


@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
@pytest.mark.parametrize("kappa", [1.0, 0.5, 0.1])
def test_margins_on_separable_data_have_the_ratio_kappa(rng, C, kappa):
    """Figure 1: the positive margin is 1/kappa times the negative one, for a C that is large."""
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += np.where(y, 3.0, -3.0)
    for model in (
        CostSensitiveSVC(C=C, kappa=kappa, kernel="linear", fn_cost=20.0, tol=1e-8),
        LinearCostSensitiveSVC(C=C, kappa=kappa, fn_cost=20.0, tol=1e-7),
    ):
        scores = model.fit(X, y).decision_function(X)
        positive, negative = scores[y == 1].min(), -scores[y == 0].max()
        assert positive / negative == pytest.approx(1 / kappa, rel=1e-3)
        assert negative == pytest.approx(kappa, rel=1e-3)


def test_with_equal_costs_all_are_the_plain_svm(rng):
    X, y = noisy(rng)
    plain = SVC(C=2.0, gamma=0.5, tol=1e-8).fit(X, y).decision_function(X)
    for learner in (BiasedPenaltySVC, CostSensitiveSVC):
        ours = learner(C=2.0, gamma=0.5, tol=1e-8).fit(X, y).decision_function(X)
        np.testing.assert_allclose(ours, plain, atol=1e-6)


def test_costs_per_example_follow_the_paper():
    c, y = np.array([1.0, 2.0, 7.0, 9.0]), np.array([-1.0, -1.0, 1.0, 1.0])
    ones, paper = np.ones(len(y)), dict(kappa="paper", normalize=False)
    printed = cost_penalties(c, y, ones, slope="paper", **paper)
    np.testing.assert_allclose(printed.weight, [1.0, 3.0, 7.0, 9.0])
    np.testing.assert_allclose(printed.margin, [1.0, 1 / 3, 1.0, 1.0])
    consistent = cost_penalties(c, y, ones, **paper)
    np.testing.assert_allclose(consistent.weight, c)
    np.testing.assert_allclose(consistent.margin, printed.margin)
    one_kappa = cost_penalties(c, y, ones, kappa=0.5, slope="paper", normalize=False)
    np.testing.assert_allclose(one_kappa.weight, [2.0, 4.0, 7.0, 9.0])


def test_costs_are_in_units_of_the_mean_of_the_cheaper_class():
    c, y = np.array([1.0, 2.0, 8.0, 16.0]), np.array([-1.0, -1.0, 1.0, 1.0])
    ones, relative = np.ones(len(y)), c / 1.5
    for scale in (1.0, 50.0):
        default = cost_penalties(scale * c, y, ones)
        np.testing.assert_allclose(default.weight, relative)
        np.testing.assert_allclose(default.margin, [12**-0.5 * 1.5**0.5] * 2 + [1.0, 1.0])
        np.testing.assert_allclose(biased_penalties(scale * c, y, ones).weight, relative)
        printed = cost_penalties(scale * c, y, ones, kappa="paper", slope="paper")
        # below the mean: kappa is limited to one, and the penalty goes to zero with the cost
        np.testing.assert_allclose(printed.margin, [1.0, 0.6, 1.0, 1.0])
        np.testing.assert_allclose(printed.weight, [1 / 1.5, 5 / 3, 8 / 1.5, 16 / 1.5])
    raw = cost_penalties(c, y, ones, kappa=0.5, slope="paper", normalize=False)
    np.testing.assert_allclose(raw.weight, [2.0, 4.0, 8.0, 16.0])


def test_the_default_is_not_the_biased_penalty(rng):
    """With the paper's rule for kappa in units of the cheaper cost, it was, bit for bit."""
    X, y = noisy(rng)
    prices = dict(fp_cost=2.0, fn_cost=4.0, calibration=None, gamma=0.5)
    biased, ours = BiasedPenaltySVC(**prices).fit(X, y), CostSensitiveSVC(**prices).fit(X, y)
    assert ours.kappa_ == pytest.approx(0.5**0.5)
    assert np.abs(ours.decision_function(X) - biased.decision_function(X)).max() > 0.05
    slopes = CostSensitiveSVC(slope="paper", **prices).fit(X, y)
    assert np.abs(ours.decision_function(X) - slopes.decision_function(X)).max() > 0.05
    amount = np.linspace(5.0, 50.0, len(y))
    fits = [
        c(gamma=0.5).fit(X, y, fp_cost=5.0, fn_cost=amount)
        for c in (BiasedPenaltySVC, CostSensitiveSVC)
    ]
    assert np.abs(fits[0].decision_function(X) - fits[1].decision_function(X)).max() > 0.05


@pytest.mark.parametrize("learner", [BiasedPenaltySVC, CostSensitiveSVC, LinearCostSensitiveSVC])
def test_one_cheap_row_does_not_set_the_regularisation(learner, rng):
    """Costs were divided by the smallest one of the cheaper class."""
    X, y = noisy(rng, n=300)
    fp, fn = rng.uniform(1.5, 2.5, 300), np.full(300, 5.0)
    before = learner(calibration=None, tol=1e-6).fit(X, y, fp_cost=fp, fn_cost=fn)
    fp[np.flatnonzero(y == 0)[0]] = 1e-4
    after = learner(calibration=None, tol=1e-6).fit(X, y, fp_cost=fp, fn_cost=fn)
    away = np.abs(after.decision_function(X) - before.decision_function(X)).max()
    assert away < 0.2
    assert after.n_iter_ < 3 * before.n_iter_


def test_the_more_expensive_class_has_margin_one_whichever_it_is(rng):
    X, y = noisy(rng)
    model = CostSensitiveSVC(kappa=0.5, fn_cost=4.0, gamma=0.5, tol=1e-8).fit(X, y)
    swapped = CostSensitiveSVC(kappa=0.5, fp_cost=4.0, gamma=0.5, tol=1e-8).fit(X, 1 - y)
    np.testing.assert_allclose(model.decision_function(X), -swapped.decision_function(X), atol=1e-6)
    assert (model.expensive_class_, swapped.expensive_class_) == (1, -1)
    assert model.dual_view().imbalance == pytest.approx(swapped.dual_view().imbalance)


def test_conditions_of_equation_50_are_checked_if_asked(rng):
    X, y = noisy(rng)
    check = dict(conditions="check", calibration=None)
    with pytest.raises(ValueError, match="0 < kappa <= 1 <= 1/kappa <= C1"):
        CostSensitiveSVC(kappa=0.1, fn_cost=2.0, **check).fit(X, y)
    CostSensitiveSVC(kappa=0.1, fn_cost=2.0).fit(X, y)
    printed = dict(kappa="paper", slope="paper", normalize_costs=False)
    with pytest.raises(ValueError, match="costs of at least 1 in the cheaper class"):
        CostSensitiveSVC(fp_cost=0.4, fn_cost=2.0, **check, **printed).fit(X, y)
    assert CostSensitiveSVC(fp_cost=0.4, fn_cost=2.0, **printed).fit(X, y).kappa_ == 1.0
    with pytest.raises(ValueError, match="0 < kappa <= 1"):
        CostSensitiveSVC(fp_cost=2.0, fn_cost=2.5, **check, **printed).fit(X, y)


def test_a_grid_over_kappa_has_a_score_everywhere(rng):
    X, y = noisy(rng)
    search = GridSearchCV(
        CostSensitiveSVC(fn_cost=2.0, calibration=None), {"kappa": [1.0, 0.3, 0.01]}, cv=3
    )
    with only_scores_count():
        search.fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("learner", [CostSensitiveSVC, LinearCostSensitiveSVC])
def test_kappa_is_given_derived_or_searched(learner, priced):
    X, y, fp, fn = (part[:120] for part in priced)
    derived = learner().fit(X, y, fp_cost=fp, fn_cost=fn)
    means = sorted([fp[y == 0].mean(), fn[y == 1].mean()])
    assert derived.kappa_ == pytest.approx((means[0] / means[1]) ** 0.5)
    printed = learner(kappa="paper", calibration=None)
    printed.fit(X, y, fp_cost=1 + fp * fn[::-1], fn_cost=100 * fn)
    assert len(printed.kappa_) == np.sum(y == 0)
    assert printed.kappa_.max() == 1.0
    searched = learner(kappa="search", fn_cost=10.0).fit(X, y)
    given = learner(kappa=searched.kappa_, fn_cost=10.0).fit(X, y)
    np.testing.assert_array_equal(searched.predict(X), given.predict(X))
    few = learner(kappa="search").fit([[0.0], [1.0]], [0, 1])
    assert few.kappa_ == 1.0
    with pytest.raises(ValueError, match="kappa"):
        learner(kappa=1.5).fit(X, y)


def test_dual_quantities(rng):
    X, y = noisy(rng)
    plain = CostSensitiveSVC(fn_cost=20.0, kappa=1.0).fit(X, y).dual_view()
    assert plain.l1_penalty == 0.0
    model = CostSensitiveSVC(fn_cost=20.0, kappa=0.1, tol=1e-8).fit(X, y)
    view = model.dual_view()
    assert view.l1_negative == pytest.approx(view.l1_positive)
    assert view.l1_penalty == pytest.approx(0.9 * view.l1_negative)
    assert (view.n_negative, view.n_positive) == tuple(model.n_support_)
    # Eq. 54: the sum of alpha less the l1 penalty less the quadratic term is the optimal value
    K = naive.kernel(model.support_vectors_, "rbf", model.gamma_)
    quadratic = 0.5 * model.dual_coef_[0] @ K @ model.dual_coef_[0]
    value = np.abs(model.dual_coef_).sum() - view.l1_penalty - quadratic
    assert value == pytest.approx(model.objective_, rel=1e-6)
    assert model.kkt_residual_ <= 1e-8
    assert abs(model.duality_gap_) <= 1e-6


def test_threshold_is_the_best_one(rng):
    scores, y = rng.normal(size=30).round(1), np.where(rng.random(30) < 0.4, 1.0, -1.0)
    regret = rng.uniform(0.5, 5.0, 30)
    found = best_threshold(scores, y, regret)
    paid = [
        regret[(scores > cut) != (y > 0)].sum()
        for cut in np.concatenate([np.linspace(-4, 4, 1601) + 1e-4, [found]])
    ]
    assert paid[-1] == pytest.approx(min(paid))


def test_boundary_movement_only_moves_the_boundary(rng):
    X, y = noisy(rng)
    model = BoundaryMovementSVC(fn_cost=8.0, gamma=0.5, tol=1e-8).fit(X, y)
    plain = SVC(gamma=0.5, tol=1e-8).fit(X, y).decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), plain - model.threshold_, atol=1e-6)
    assert model.predict(X).mean() >= (plain > 0).mean()


def test_folds_of_the_threshold_may_be_a_splitter(rng):
    X, y = noisy(rng, n=150)
    settings = dict(fn_cost=2.0, gamma=0.5)
    by_number = BoundaryMovementSVC(cv=4, **settings).fit(X, y)
    shuffled = StratifiedKFold(4, shuffle=True, random_state=0)
    by_splitter = BoundaryMovementSVC(cv=shuffled, **settings).fit(X, y)
    other = BoundaryMovementSVC(cv=StratifiedKFold(4), **settings).fit(X, y)
    assert by_number.threshold_ == by_splitter.threshold_ != other.threshold_


@pytest.mark.parametrize("learner", ALL, ids=lambda learner: type(learner).__name__)
def test_one_class_at_stake_makes_a_constant(learner, rng):
    X, y = noisy(rng)
    never = clone(learner).fit(X, y, fn_cost=0.0)
    assert (never.predict(X) == 0).all()
    assert (clone(learner).fit(X, y, fp_cost=0.0).predict(X) == 1).all()
    with pytest.raises(ValueError, match="No mistake costs anything"):
        clone(learner).fit(X, y, fp_cost=0.0, fn_cost=0.0)


@pytest.mark.parametrize("learner", ALL, ids=lambda learner: type(learner).__name__)
def test_sparse_rows_give_what_dense_rows_give(learner, rng):
    X, y = noisy(rng)
    X[np.abs(X) < 0.6] = 0.0
    learner = clone(learner).set_params(tol=1e-8, fn_cost=4.0)
    dense, thin = (clone(learner).fit(A, y) for A in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(
        dense.decision_function(X), thin.decision_function(sparse.csr_array(X)), atol=1e-5
    )


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("learner", KERNEL_LEARNERS, ids=repr)
def test_rows_of_either_form_can_be_predicted(learner, kernel):
    X, y = noisy(np.random.default_rng(0))
    X[np.abs(X) < 0.6] = 0.0
    thin = sparse.csr_array(X)
    for rows in (X, thin):
        model = clone(learner).set_params(kernel=kernel).fit(rows, y)
        np.testing.assert_allclose(
            model.decision_function(X), model.decision_function(thin), rtol=1e-9, atol=1e-12
        )


def test_entries_of_a_sparse_matrix_that_are_split_or_out_of_order_mean_their_sum(rng):
    X, y = noisy(rng)
    whole = sparse.csr_matrix(np.where(np.abs(X) < 0.6, 0.0, X))
    ends = pairwise(whole.indptr.tolist())
    order = np.concatenate([np.arange(start, stop)[::-1] for start, stop in ends])
    data, columns = whole.data[order] / 2, whole.indices[order]
    entries = np.repeat(data, 2), np.repeat(columns, 2), 2 * whole.indptr
    split = sparse.csr_matrix(entries, shape=whole.shape)
    for part in (split.data, split.indices, split.indptr):
        part.flags.writeable = False  # what the caller gave must not be written to
    want = CostSensitiveSVC().fit(whole, y).decision_function(whole)
    np.testing.assert_allclose(
        CostSensitiveSVC().fit(split, y).decision_function(split), want, rtol=1e-12
    )
    assert split.nnz == 2 * whole.nnz and not split.has_sorted_indices


@pytest.mark.parametrize("cv", [ShuffleSplit(3, random_state=0), TimeSeriesSplit(3)], ids=repr)
def test_folds_that_leave_rows_without_a_score_are_refused(cv, rng):
    X, y = noisy(rng)
    with pytest.raises(ValueError, match=f"each row out exactly once.* Got {type(cv).__name__}"):
        BoundaryMovementSVC(cv=cv).fit(X, y)


def test_a_fit_of_another_kind_leaves_no_attribute_behind(rng):
    X, y = noisy(rng)
    model = CostSensitiveSVC(approximation="nystroem", random_state=0).fit(X, y)
    assert hasattr(model, "coef_")
    model.set_params(approximation=None).fit(X, y)
    assert not hasattr(model, "coef_") and not hasattr(model, "feature_map_")
    model.set_params(approximation="nystroem").fit(X, y)
    assert not hasattr(model, "support_vectors_") and not hasattr(model, "dual_coef_")
