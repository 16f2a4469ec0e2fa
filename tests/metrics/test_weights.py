"""Integer weights are repeated rows, in every metric, in the bootstrap and in the scorer."""

import inspect

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from stakes import metrics
from stakes.metrics import (
    bootstrap_interval,
    certified_cost_loss,
    certified_error,
    cost_loss,
    make_cost_scorer,
    nominal_error,
    weighted_sum_score,
)

COSTS = ("fp_cost", "fn_cost", "tp_cost")
CASES = {
    "cost_loss": [{}, {"normalize": False}],
    "expected_cost_loss": [{}, {"under": "model"}],
    "savings_score": [{}, {"baseline": "positive"}],
    "weighted_sum_score": [{"positive_weight": 0.2}],
    "risk_loss": [{}, {"prior": 0.1}],
    "minimum_risk": [{}, {"prior": 0.7}],
    "tail_cost_loss": [{"tail": 0.1}],
    "budget_cost_loss": [{"max_alerts": k} for k in (0, 7, 500, 0.0, 1.0)],
    "partial_auc_score": [{}, {"region": "tnr", "t": 0.5}],
    "h_measure": [{}, {"shape": "prior"}],
}
READS_SCORES = [name for name in CASES if getattr(metrics, name) in metrics._scorer.READS]


@pytest.fixture
def sample(rng):
    y = rng.integers(0, 2, 60)
    p = np.round(0.3 * y + 0.7 * rng.random(60), 1)  # with ties
    costs = {name: rng.exponential(size=60) + (name != "tp_cost") for name in COSTS}
    costs["tp_cost"] /= 100
    weight = rng.integers(0, 4, 60)
    return y, p, costs, weight


def prepare(name, y, p, costs):
    metric = getattr(metrics, name)
    answer = p if name in READS_SCORES else p > 0.5
    takes_costs = "fp_cost" in inspect.signature(metric).parameters
    return metric, answer, costs if takes_costs else {}


def test_every_metric_is_listed():
    functions = [getattr(metrics, name) for name in metrics.__all__]
    takes = {f.__name__ for f in functions if "y_true" in inspect.signature(f).parameters}
    others = {"bootstrap_interval", "paired_bootstrap", "example_costs"}
    others |= {"nominal_error", "certified_error", "certified_cost_loss"}
    assert takes - others == {*CASES}, "CASES in this file has an entry for each metric"


@pytest.mark.parametrize(("name", "options"), [(n, o) for n in CASES for o in CASES[n]])
def test_integer_weights_are_repeated_rows(name, options, sample):
    y, p, costs, weight = sample
    metric, answer, costs = prepare(name, y, p, costs)
    rows = np.repeat(np.arange(60), weight)
    repeated = metric(y[rows], answer[rows], **{k: c[rows] for k, c in costs.items()}, **options)
    weighted = metric(y, answer, sample_weight=weight, **costs, **options)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-12)
    ones = metric(y, answer, sample_weight=np.ones(60), **costs, **options)
    np.testing.assert_allclose(ones, metric(y, answer, **costs, **options), rtol=1e-12)


def test_errors_of_uncertain_points(sample):
    y, p, _, weight = sample
    rows = np.repeat(np.arange(60), weight)
    for metric, given in (
        (nominal_error, ()),
        (certified_error, (p,)),
        (certified_cost_loss, (p,)),
    ):
        repeated = metric(y[rows], (p > 0.5)[rows], *(a[rows] for a in given))
        weighted = metric(y, p > 0.5, *given, sample_weight=weight)
        assert weighted == pytest.approx(repeated)


def test_a_share_of_alerts_is_one_of_the_weight():
    y, score, weight = [1, 0, 1], [3.0, 2.0, 1.0], [0.2, 0.2, 0.6]
    half = metrics.budget_cost_loss(y, score, max_alerts=0.5, sample_weight=weight)
    # 0.2 on the first, 0.2 on the second, 0.1 of the 0.6 on the third
    assert half == pytest.approx(0.2 + 0.5)


@pytest.mark.parametrize("name", CASES)
def test_weights_are_resampled_with_the_rows(name, sample):
    y, p, costs, weight = sample
    metric, answer, costs = prepare(name, y, p, costs)

    def wrapped(y_true, y_pred, pos_label=None, **options):
        return metric(y_true, y_pred, pos_label=pos_label, **options)

    given = dict(n_boot=10, random_state=0, method="bca", sample_weight=weight)
    given |= CASES[name][0] | costs
    fast, slow = (bootstrap_interval(m, y, answer, **given) for m in (metric, wrapped))
    np.testing.assert_allclose(fast.values, slow.values, rtol=1e-10)
    assert (fast.low, fast.high) == pytest.approx((slow.low, slow.high))


def test_scorer_passes_weights_to_the_metric(sample):
    y, p, costs, weight = sample
    X = np.column_stack([p, weight])
    model = LogisticRegression().fit(X, y)
    expected = -cost_loss(y, model.predict(X), sample_weight=weight, **costs)
    assert make_cost_scorer()(model, X, y, sample_weight=weight, **costs) == expected
    scorer = make_cost_scorer(sample_weight=lambda X: X[:, 1])
    assert scorer(model, X, y, **costs) == expected
    with pytest.raises(TypeError, match="sample_weight"):
        make_cost_scorer(lambda y, d: 0.0, greater_is_better=True)(model, X, y, weight)


def test_weights_are_routed_on_request(sample):
    y, p, _, weight = sample
    X = np.column_stack([p, weight])
    weight = weight + 1.0
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=False)
        scorer = make_cost_scorer().set_score_request(sample_weight=True)
        routed = cross_val_score(model, X, y, scoring=scorer, params={"sample_weight": weight})
    by_function = make_cost_scorer(sample_weight=lambda X: X[:, 1] + 1.0)
    np.testing.assert_array_equal(routed, cross_val_score(model, X, y, scoring=by_function))


@pytest.mark.parametrize(
    ("weight", "message"),
    [([1.0], "sample_weight must have 2 values"), ([0, 0], "not all zero"), ([-1, 2], "negative")],
)
def test_bad_weights_are_named(weight, message):
    for metric in (cost_loss, weighted_sum_score, metrics.tail_cost_loss):
        with pytest.raises(ValueError, match=message):
            metric([0, 1], [0, 1], sample_weight=weight)
