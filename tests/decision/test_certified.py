"""Certificates and probabilities: when a decision is refused, and what it is expected to cost."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from stakes.costs import Costs
from stakes.datasets import load_wdbc_uncertain, make_uncertain
from stakes.decision import (
    BayesDecisionClassifier,
    BudgetDecisionClassifier,
    ThresholdDecisionClassifier,
    decide_certified,
)
from stakes.uncertain import (
    UncertainKernelClassifier,
    UncertainLogisticClassifier,
    UncertainMarginClassifier,
    UncertainOneVsRestClassifier,
    UncertainPipeline,
    UncertainScaler,
)


def test_refused_exactly_where_a_mistake_costs_more_than_a_review(rng):
    n = 200
    decided, certificate, p = rng.random(n) < 0.5, rng.random(n), rng.random(n)
    costs = dict(fp_cost=rng.uniform(1, 9, n), fn_cost=rng.uniform(1, 99, n), tp_cost=0.5)
    price = rng.uniform(0, 5, n)
    done = decide_certified(decided, certificate, probability=p, review_cost=price, **costs)
    np.testing.assert_array_equal(done.probability, p)
    for i in range(n):
        regret = costs["fp_cost"][i] if decided[i] else costs["fn_cost"][i] - 0.5
        wrong = 1 - p[i] if decided[i] else p[i]
        refused = max(certificate[i], wrong) * regret > price[i]
        assert done.action[i] == (-1 if refused else int(decided[i]))
        right = p[i] * 0.5
        assert done.expected_cost[i] == pytest.approx(
            right + (price[i] if refused else wrong * regret)
        )


def test_the_scale_of_the_costs_does_not_matter(rng):
    decided, certificate, p = rng.random(50) < 0.5, rng.random(50), rng.random(50)
    fn_cost = rng.uniform(1, 99, 50)
    one = decide_certified(decided, certificate, probability=p, review_cost=2.0, fn_cost=fn_cost)
    many = decide_certified(
        decided,
        certificate,
        probability=p,
        review_cost=2000.0,
        fp_cost=1000.0,
        fn_cost=1000 * fn_cost,
    )
    np.testing.assert_array_equal(one.action, many.action)


def test_few_reviews_go_where_most_is_at_stake():
    certificate = np.array([0.2, 0.9, 0.5, 0.0])
    done = decide_certified(
        np.zeros(4, bool), certificate, probability=0.0, review_cost=0.1, max_reviews=2
    )
    assert done.action.tolist() == [0, -1, -1, 0]
    none = decide_certified(
        np.zeros(4, bool), certificate, probability=0.0, review_cost=0.1, max_reviews=0
    )
    assert (none.action == 0).all()


def test_uncertain_measurements_are_refused_by_their_certificates():
    data = make_uncertain(120, 3, n_replicates=20, separation=4.0, random_state=0)
    model = UncertainMarginClassifier(formulation="MM-SMV-I", max_error=0.5).fit(
        None, data.y, replicates=data.replicates
    )
    decided = model.predict(None, replicates=data.replicates) == model.classes_[1]
    certificate = model.predict_certificate(None, replicates=data.replicates)
    shares = []
    for price in (0.0, 0.1, 0.5, 1.0):
        done = decide_certified(decided, certificate, probability=decided * 1.0, review_cost=price)
        refused = done.action == -1
        np.testing.assert_array_equal(
            refused, model.needs_review(None, max_error=price, replicates=data.replicates)
        )
        assert (certificate[~refused] <= price).all()
        shares.append(refused.mean())
    assert shares == sorted(shares, reverse=True)
    assert shares[1] > shares[3] == 0


@pytest.mark.parametrize("factor", [1.0, 0.1, 0.01])
@pytest.mark.parametrize("learner", ["logistic", "margin"])
def test_wdbc_pays_what_was_promised_for_any_size_of_the_error_bars(factor, learner):
    """Bounds on the measurement error promised 10 at a hundredth of the variance, and paid 176."""
    data = load_wdbc_uncertain(n_nuclei=1, fn_cost=10.0)
    promised, paid = [], []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(data.X, data.y):
        scaler = UncertainScaler().fit(data.X[train])
        seen, new = (
            dict(X=scaler.transform(data.X[part]))
            | scaler.transform_uncertainty(var=factor * data.var[part])
            for part in (train, test)
        )
        if learner == "logistic":
            model = UncertainLogisticClassifier()
        else:
            settings = dict(max_error=0.8, C=0.1, error_model="classical")
            model = UncertainMarginClassifier(formulation="MM-MC", **settings)
        model.fit(y=data.y[train], **seen)
        costs = dict(fp_cost=1.0, fn_cost=10.0)
        decided = model.predict(**new, **costs) == 1
        done = decide_certified(
            decided,
            model.predict_certificate(**new, **costs, measure="gaussian"),
            probability=model.predict_proba(**new)[:, 1],
            review_cost=1.0,
            **costs,
        )
        promised.append(done.expected_cost)
        review = done.action == -1
        cost = Costs.of(len(test), **costs).paid(data.y[test] == 1, done.action == 1)
        paid.append(np.where(review, 1.0, cost))
    promised, paid = np.concatenate(promised), np.concatenate(paid)
    error = np.sqrt(((paid - promised) ** 2).sum())
    assert paid.sum() <= promised.sum() + 2 * error
    assert paid.sum() <= 140


def test_bad_input_ends_in_a_sentence():
    with pytest.raises(ValueError, match="decided must be boolean"):
        decide_certified([1, 0], [0.1, 0.1], probability=0.5, review_cost=1)
    with pytest.raises(ValueError, match="certificate must have 2 values"):
        decide_certified([True, False], [0.1], probability=0.5, review_cost=1)
    with pytest.raises(ValueError, match="between 0 and 1"):
        decide_certified([True, False], [0.1, 1.1], probability=0.5, review_cost=1)
    with pytest.raises(ValueError, match="probability must have 2 values"):
        decide_certified([True, False], [0.1, 0.1], probability=[0.5], review_cost=1)
    with pytest.raises(ValueError, match="review_cost must be finite"):
        decide_certified([True], [0.1], probability=0.5, review_cost=-1)


@pytest.mark.parametrize(
    "inner",
    [
        UncertainLogisticClassifier(),
        UncertainMarginClassifier(formulation="MM-MC", max_error=0.9),
        UncertainKernelClassifier(),
        UncertainPipeline([("scale", UncertainScaler()), ("learn", UncertainLogisticClassifier())]),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_wrapper_says_that_error_bars_go_to_the_classifier_itself(rng, inner):
    X = rng.normal(size=(40, 2))
    y, var = (X[:, 0] > 0).astype(int), np.full_like(X, 0.1)
    by_itself = r"fit does not take var; fit Uncertain\w+ by itself and pass var and the costs to"
    for wrapper in (
        BayesDecisionClassifier(inner),
        BayesDecisionClassifier(inner, calibration="sigmoid"),
        BudgetDecisionClassifier(inner),
        ThresholdDecisionClassifier(inner),
    ):
        for routing in (False, True):
            with config_context(enable_metadata_routing=routing):
                with pytest.raises(TypeError, match=by_itself):
                    wrapper.fit(X, y, var=var)
    with config_context(enable_metadata_routing=True), pytest.raises(TypeError, match=by_itself):
        cross_val_score(wrapper, X, y, params={"var": var}, error_score="raise")
    alone = inner.fit(X, y, var=var)  # and the advice works
    assert alone.predict(X, var=var, fn_cost=50.0).sum() > alone.predict(X, var=var).sum()


def test_a_wrapper_names_probabilities_where_predict_takes_no_costs(rng):
    X, y, inner = rng.normal(size=(30, 2)), np.arange(30) % 3, UncertainLogisticClassifier()
    inner = UncertainOneVsRestClassifier(inner)
    with pytest.raises(TypeError, match="decide from its predict_proba, which takes std"):
        BayesDecisionClassifier(inner).fit(X, y, std=0.1)
    assert inner.fit(X, y, std=0.1).predict_proba(X, std=0.1).shape == (30, 3)
    for other in (LogisticRegression(), CalibratedClassifierCV(LogisticRegression())):
        with pytest.raises(TypeError, match="unexpected keyword argument 'std'"):
            BayesDecisionClassifier(other).fit(X, y, std=0.1)
