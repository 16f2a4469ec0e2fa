"""BudgetDecisionClassifier: limits kept, the greatest savings taken, reviews where unsure."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from naive import decision as naive
from stakes.decision import BayesDecisionClassifier, BudgetDecisionClassifier
from stakes.decision._allocation import allocate
from stakes.qmean import QuadraticMeanClassifier


@pytest.mark.parametrize("limits", [(0, 0), (2, 7), (7, 2), (2, 2), (1, 3), (5, 4), (0, 3), (7, 7)])
def test_allocation_is_the_best_of_all(rng, limits):
    for ties in (False, True):
        a, r = rng.normal(size=7), rng.normal(size=7)
        if ties:
            a, r = np.round(2 * a) / 2, np.round(2 * r) / 2
        action = allocate(a, r, *limits)
        assert (action == 1).sum() <= limits[0]
        assert (action == -1).sum() <= limits[1]
        gain = a[action == 1].sum() + r[action == -1].sum()
        assert gain == pytest.approx(naive.best_allocation(a, r, *limits))


def test_allocation_of_many_rows(rng):
    a, r = rng.normal(size=100_000), rng.normal(size=100_000)
    action = allocate(a, r, 3000, 5000)
    assert (action == 1).sum() == 3000
    assert (action == -1).sum() == 5000
    greedy = np.zeros(len(a))
    first = np.argsort(-a)[:3000]
    greedy[first] = a[first]
    rest = np.setdiff1d(np.arange(len(a)), first)
    second = rest[np.argsort(-r[rest])[:5000]]
    greedy[second] = r[second]
    assert a[action == 1].sum() + r[action == -1].sum() > greedy.sum()


def test_no_limit_is_the_bayes_decision(priced):
    X, y, fp, fn = priced
    budget = BudgetDecisionClassifier(LogisticRegression()).fit(X, y)
    bayes = BayesDecisionClassifier(LogisticRegression()).fit(X, y)
    for costs in ({}, {"fp_cost": fp, "fn_cost": fn}):
        np.testing.assert_array_equal(budget.predict(X, **costs), bayes.predict(X, **costs))
        np.testing.assert_allclose(
            budget.expected_cost(X, **costs), bayes.expected_cost(X, **costs)
        )
        assert budget.score(X, y, **costs) == bayes.score(X, y, **costs)


@pytest.mark.parametrize(("limit", "number"), [(10, 10), (0.05, 15), (0, 0), (0.0, 0), (1, 1)])
def test_greatest_savings_win(priced, limit, number):
    X, y, fp, fn = priced
    model = BudgetDecisionClassifier(LogisticRegression(), max_alerts=limit).fit(X, y)
    decided = model.predict(X, fp_cost=fp, fn_cost=fn) == 1
    p = model.predict_proba(X)[:, 1]
    saving = p * fn - (1 - p) * fp
    assert decided.sum() == number
    if number:
        assert saving[decided].min() >= saving[~decided].max()
    nothing = (p * fn).sum()
    paid = model.expected_cost(X, fp_cost=fp, fn_cost=fn).sum()
    assert paid == pytest.approx(nothing - saving[decided].sum())
    looser = model.predict(X, fp_cost=fp, fn_cost=fn, max_alerts=20) == 1
    assert looser.sum() == 20
    assert (looser | ~decided).all() or number > 20
    scaled = model.predict(X, fp_cost=1000 * fp, fn_cost=1000 * fn) == 1
    np.testing.assert_array_equal(decided, scaled)
    order = np.random.default_rng(0).permutation(len(y))
    permuted = model.predict(X[order], fp_cost=fp[order], fn_cost=fn[order]) == 1
    np.testing.assert_array_equal(decided[order], permuted)


def test_review_where_looking_is_cheaper_than_either_mistake(priced):
    X, y, fp, fn = priced
    model = BudgetDecisionClassifier(LogisticRegression(), review_cost=0.8).fit(X, y)
    done = model.decide(X, fp_cost=fp, fn_cost=fn)
    p = done.probability
    each = np.column_stack([p * fn, (1 - p) * fp, np.full(len(p), 0.8)])
    np.testing.assert_array_equal(done.action, np.array([0, 1, -1])[each.argmin(axis=1)])
    np.testing.assert_allclose(done.expected_cost, each.min(axis=1))
    assert set(done.action) == {-1, 0, 1}
    assert len(done) == len(y)
    few = model.decide(X, fp_cost=fp, fn_cost=fn, max_reviews=0.02, max_alerts=5)
    assert (few.action == -1).sum() == 6
    assert (few.action == 1).sum() == 5
    assert few.expected_cost.sum() > done.expected_cost.sum()


def test_reviews_pay_what_is_expected(rng):
    """With true probabilities the mean cost of the three actions is the expected one."""
    n = 50_000
    p = rng.beta(0.5, 2.0, n)
    y = (rng.random(n) < p).astype(int)

    class Oracle(LogisticRegression):
        classes_ = np.array([0, 1])

        def __sklearn_is_fitted__(self):
            return True

        def predict_proba(self, X):
            return np.column_stack([1 - X[:, 0], X[:, 0]])

    model = BudgetDecisionClassifier(FrozenEstimator(Oracle()), fn_cost=4.0, review_cost=0.3)
    done = model.fit(p[:, None], y).decide(p[:, None], max_alerts=0.1)
    paid = np.select([done.action == -1, done.action == 1], [0.3, 1.0 - y], 4.0 * y)
    assert paid.mean() == pytest.approx(done.expected_cost.mean(), rel=0.05)


def test_bad_limits_and_prices(priced):
    X, y, *_ = priced
    model = BudgetDecisionClassifier(LogisticRegression()).fit(X, y)
    with pytest.raises(ValueError, match=r"max_alerts must be a number of rows .* Got 1.5 instead"):
        model.predict(X, max_alerts=1.5)
    with pytest.raises(ValueError, match=r"max_reviews must be .* Got -1 instead"):
        model.decide(X, max_reviews=-1, review_cost=1.0)
    with pytest.raises(ValueError, match="review_cost must be finite and not negative"):
        model.decide(X, review_cost=-1.0)
    with pytest.raises(ValueError, match=r"review_cost must be a number or have one value .*300"):
        model.decide(X, review_cost=np.ones(3))
    with pytest.raises(ValueError, match="Only binary classification"):
        BudgetDecisionClassifier(LogisticRegression()).fit(X, np.arange(300) % 3)


@pytest.mark.parametrize("wrapper", [BayesDecisionClassifier, BudgetDecisionClassifier])
def test_costs_may_be_kept_from_the_inner_learner(wrapper, priced):
    X, y, fp, fn = priced
    inner = QuadraticMeanClassifier()
    costs = dict(fp_cost=fp, fn_cost=fn)
    without = wrapper(inner, costs_in_training=False).fit(X, y, **costs)
    np.testing.assert_array_equal(without.predict_proba(X), inner.fit(X, y).predict_proba(X))
    with_them = wrapper(inner).fit(X, y, **costs)
    np.testing.assert_array_equal(
        with_them.predict_proba(X), inner.fit(X, y, **costs).predict_proba(X)
    )
    assert np.abs(with_them.predict_proba(X) - without.predict_proba(X)).max() > 0.01
