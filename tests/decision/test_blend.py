"""A blend of log-odds: the weights are the minimum, and no member has to be chosen."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from naive.decision import blend_weights
from stakes.decision import BayesDecisionClassifier, BlendClassifier
from stakes.decision._blend import blend_weights as weigh


def members():
    return [
        ("linear", LogisticRegression()),
        ("bayes", GaussianNB()),
        ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
    ]


@pytest.mark.parametrize("alpha", [0.0, 0.001, 0.1])
def test_weights_are_those_of_a_general_solver(rng, alpha):
    truth = rng.normal(size=400) * 2
    y = (rng.random(400) < expit(truth)).astype(int)
    Z = np.column_stack([truth + rng.normal(size=400), 2 * truth, rng.normal(size=400)])
    b, w, norm = weigh(Z, np.where(y == 1, 1.0, -1.0), alpha)
    reference_b, reference_w = blend_weights(Z, y, alpha)
    assert norm < 1e-6
    assert_allclose(np.r_[b, w], np.r_[reference_b, reference_w], atol=2e-4)
    assert (w >= 0).all()


def test_the_formula_on_rows_not_seen():
    X, y = make_classification(400, flip_y=0.2, random_state=0)
    model = BlendClassifier(members(), alpha=0.01, cv=4, random_state=0).fit(X, y)
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    unseen = [cross_val_predict(m, X, y, cv=cv, method="predict_proba")[:, 1] for _, m in members()]
    Z = logit(np.clip(np.column_stack(unseen), 1e-4, 1 - 1e-4))
    b, w = blend_weights(Z, y, 0.01)
    assert_allclose(np.r_[model.intercept_, model.weights_], np.r_[b, w], atol=2e-4)
    assert model.gradient_norm_ < 1e-6
    given = [m.fit(X, y).predict_proba(X)[:, 1] for _, m in members()]
    log_odds = logit(np.clip(np.column_stack(given), 1e-4, 1 - 1e-4))
    by_hand = expit(model.intercept_ + log_odds @ model.weights_)
    assert_allclose(model.predict_proba(X)[:, 1], by_hand, rtol=1e-12)


def test_no_worse_than_its_best_member(rng):
    seed = int(rng.integers(1000))
    X, y = make_classification(3000, n_informative=5, flip_y=0.1, random_state=seed)
    train, test = slice(0, 1000), slice(1000, 3000)
    blend = BlendClassifier(members(), random_state=0).fit(X[train], y[train])
    alone = [
        log_loss(y[test], m.fit(X[train], y[train]).predict_proba(X[test])) for _, m in members()
    ]
    assert log_loss(y[test], blend.predict_proba(X[test])) < min(alone) + 0.01


def test_rows_in_the_order_of_time_are_shuffled_for_the_folds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 3))
    # the same rule all the time, at a level that falls
    y = (rng.random(1200) < expit(2 * X[:, 0] + np.linspace(2, -2, 1200))).astype(int)
    order = rng.permutation(1200)
    sorted_, mixed = (
        BlendClassifier(members(), random_state=0).fit(X[o], y[o]) for o in (slice(None), order)
    )
    p, q = (m.predict_proba(X)[:, 1] for m in (sorted_, mixed))
    assert abs(p.mean() - q.mean()) < 0.02
    in_order = BlendClassifier(members(), cv=KFold(5)).fit(X, y)
    off = abs(in_order.predict_proba(X)[:, 1] - q).mean()
    assert abs(p - q).mean() < off / 2


def test_members_see_frames_and_prices_act_in_the_decision():
    table = pl.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0) % 3})
    y = (np.arange(40) % 7 < 3).astype(int)
    model = BayesDecisionClassifier(BlendClassifier(members()[:2], cv=2, random_state=0)).fit(
        table, y
    )
    assert model.predict(table, fp_cost=0.0, fn_cost=1.0).all()
    assert not model.predict(table, fp_cost=1.0, fn_cost=0.0).any()


def test_parameters_of_members_are_reached_by_name():
    blend = BlendClassifier(members()).set_params(tree__max_depth=5, alpha=0.5)
    assert blend.get_params()["tree"].max_depth == 5
    assert blend.alpha == 0.5


def test_two_members_of_one_name_are_refused():
    twice = [("one", GaussianNB()), ("one", GaussianNB())]
    with pytest.raises(ValueError, match="Names provided are not unique"):
        BlendClassifier(twice).fit([[0.0], [1.0]] * 5, [0, 1] * 5)


def test_members_that_cannot_be_blended_are_named():
    with pytest.raises(ValueError, match="estimators is empty; give at least one"):
        BlendClassifier([]).fit([[0.0], [1.0]] * 5, [0, 1] * 5)
    with pytest.raises(
        ValueError, match=r"member 'svm' does not predict probabilities; wrap it in Bayes"
    ):
        BlendClassifier([("svm", LinearSVC())]).fit([[0.0], [1.0]] * 5, [0, 1] * 5)


def test_integer_weights_are_repeated_rows(rng):
    Z, signs, weight = rng.normal(size=(80, 3)), rng.choice([-1.0, 1.0], 80), rng.integers(0, 4, 80)
    rows = np.repeat(np.arange(80), weight)
    b, w, norm = weigh(Z, signs, 0.01, weight)
    repeated_b, repeated_w, _ = weigh(Z[rows], signs[rows], 0.01)
    assert norm < 1e-6
    assert_allclose(np.r_[b, w], np.r_[repeated_b, repeated_w], atol=1e-6)


def test_weights_reach_the_members():
    X, y = make_classification(200, flip_y=0.2, random_state=0)
    weight = np.where(y == 1, 10.0, 1.0)
    pipe = [("scaled", make_pipeline(StandardScaler(), GaussianNB())), *members()]
    blend = BlendClassifier(pipe, random_state=0).fit(X, y, sample_weight=weight)
    alone = LogisticRegression().fit(X, y, sample_weight=weight)
    assert_allclose(blend.estimators_[1].coef_, alone.coef_)
    assert blend.predict_proba(X)[:, 1].mean() > 0.7
