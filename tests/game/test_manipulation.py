"""The report on what an adversary would do."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from stakes._core.deciding import predict_with_costs
from stakes.decision import BayesDecisionClassifier, BudgetDecisionClassifier
from stakes.game import StackelbergClassifier, best_response, manipulation_report
from stakes.qmean import QuadraticMeanClassifier
from stakes.svm import LinearCostSensitiveSVC


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    return X, (X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=400) > 0.3).astype(int)


PRICE = [0.5, 5.0, 1.0]


@pytest.mark.parametrize(
    "model", [LogisticRegression(), LinearCostSensitiveSVC(), QuadraticMeanClassifier()]
)
def test_linear_models_exactly(data, model):
    X, y = data
    model.fit(X, y)
    report = manipulation_report(model, X, y, PRICE, fn_cost=9.0, random_state=0)
    assert report.exact
    w, b = np.ravel(model.coef_), np.ravel(model.intercept_)[0]
    found = best_response(w, b, X[y == 1], "logistic", PRICE)
    np.testing.assert_allclose(report.features["move"], found.shift)
    rows = {(row["against"], row["moved"]): row for row in report.outcomes.to_dicts()}
    before, after = rows["model", False], rows["model", True]
    moved = X + np.outer(y, found.shift)
    costs = dict(fp_cost=np.ones(len(y)), fn_cost=np.full(len(y), 9.0))
    missed = (predict_with_costs(model, moved, **costs) == 0) & (y == 1)
    alarms = (predict_with_costs(model, X, **costs) == 1) & (y == 0)
    assert after["cost"] == pytest.approx(9.0 * missed.sum() + alarms.sum())
    assert after["gain"] == pytest.approx(found.gain)
    assert after["caught"] < before["caught"]
    # the classifier at equilibrium loses less to its own adversary
    assert rows["equilibrium", True]["cost"] < after["cost"]
    assert rows["equilibrium", True]["gain"] < after["gain"]


def test_columns_that_are_constant_in_the_sampled_rows():
    """The deviation of a constant column is a rounding error, not a step to probe a model with."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    X[:, 0] = 0.1
    X[1::40, 0] = 3.0  # rows between those that are probed
    y = (X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=2000) > 0.5).astype(int)
    model = LogisticRegression().fit(X, y)
    report = manipulation_report(model, X, y, PRICE, random_state=0)
    np.testing.assert_allclose(report.features["weight"], model.coef_[0], rtol=1e-6)
    want = best_response(model.coef_[0], model.intercept_[0], X[y == 1], "logistic", PRICE)
    assert report.outcomes["gain"][1] == pytest.approx(want.gain)


@pytest.mark.jit
def test_the_search_uses_its_evaluations():
    """Many features: the slope of the loss is found from few evaluations, more of them help."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 40))
    y = (X @ rng.normal(size=40) + rng.normal(size=600) > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    price = np.full(40, 2.0)
    best = best_response(model.coef_[0], model.intercept_[0], X[y == 1], "logistic", price).gain
    gains = []
    for evaluations in (100, 400, 2000):
        report = manipulation_report(
            Hidden(model), X, y, price, max_evaluations=evaluations, random_state=0
        )
        gains.append(report.outcomes["gain"][1])
    assert gains == sorted(gains)
    assert gains[1] > 0.8 * best
    assert gains[2] > 0.95 * best
    assert gains[2] <= best * (1 + 1e-6)


class Bent:
    """A model whose scores are a bent function of linear ones."""

    def __init__(self, model):
        self.classes_, self.model, self.predict = model.classes_, model, model.predict

    def decision_function(self, X):
        f = self.model.decision_function(X)
        return f + 0.3 * np.sin(f)


@pytest.mark.jit
@pytest.mark.parametrize("price", [0.05, 0.5, 2.0])
def test_the_search_finds_far_moves_through_features_that_the_positives_lack(price):
    """Most of the gain is far away, and through columns that are constant among the positives."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 30))
    X[:, :10] += 0.1  # sums of constants: their deviation is rounding
    y = (X[:, 10:] @ rng.normal(size=20) + rng.normal(size=600) > 0).astype(int)
    X[y == 1, :10] = 0.1
    model = LogisticRegression(C=0.3).fit(X, y)
    linear = best_response(model.coef_[0], model.intercept_[0], X[y == 1], "logistic", price)
    report = manipulation_report(Bent(model), X, y, price, random_state=0)
    assert not report.exact
    assert report.outcomes["gain"][1] > 0.9 * linear.gain


class OnlyProbabilities:
    """A linear model that hides its scores."""

    def __init__(self, model):
        self.model, self.classes_ = model, model.classes_
        self.predict, self.predict_proba = model.predict, model.predict_proba


@pytest.mark.parametrize("hidden", [False, True])
def test_scaled_models_exactly_and_the_search_comes_near(data, hidden):
    X, y = data
    scaled = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    model = OnlyProbabilities(scaled) if hidden else scaled
    report = manipulation_report(model, X, y, PRICE, random_state=0)
    assert report.exact is not hidden
    w = scaled[-1].coef_[0] / scaled[0].scale_
    b = scaled[-1].intercept_[0] - scaled[0].mean_ @ w
    best = best_response(w, b, X[y == 1], "logistic", PRICE)
    gain = report.outcomes["gain"][1]
    assert 0.97 * best.gain <= gain <= best.gain + 1e-9
    assert report.features["weight"].null_count() == (3 if hidden else 0)
    if not hidden:
        np.testing.assert_allclose(report.features["weight"], w)
        np.testing.assert_allclose(report.features["move"], best.shift)


def test_forests_and_frames(data):
    X, y = data
    frame = pl.DataFrame(X, schema=["amount", "age", "hour"])
    forest = RandomForestClassifier(20, random_state=0).fit(frame, y)
    options = dict(movable=[True, False, True], max_evaluations=120, random_state=0)
    report = manipulation_report(forest, frame, y, 0.05, **options)
    assert report.features["feature"].to_list() == ["amount", "age", "hour"]
    assert report.features["move"][1] == 0.0
    assert report.outcomes["gain"][1] > 0
    assert report.outcomes["caught"][1] < report.outcomes["caught"][0]
    again = manipulation_report(forest, frame, y, 0.05, **options)
    assert again.outcomes.equals(report.outcomes)


def test_sparse_rows_table_and_plot(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    dense = manipulation_report(model, X, y, PRICE)
    report = manipulation_report(model, sparse.csr_matrix(X), y, PRICE)
    np.testing.assert_allclose(report.features["move"], dense.features["move"])
    text = report.to_markdown(top=2)
    assert text.count("\n| x") == 2
    assert "| equilibrium | True |" in text
    ax = report.plot(top=2)
    assert [label.get_text() for label in ax.get_yticklabels()][-1] == "x0"


def bill(decide, X, y, fn_cost):
    """Cost of decisions on all rows, at one per false alarm."""
    decided = np.asarray(decide(X))
    return np.sum((decided == 1) & (y == 0)) + np.sum(fn_cost * ((decided == 0) & (y == 1)))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(
    ("model", "takes_costs"),
    [
        (FixedThresholdClassifier(LogisticRegression(), threshold=0.05), False),
        (QuadraticMeanClassifier(), True),
        (make_pipeline(StandardScaler(with_mean=False), QuadraticMeanClassifier()), True),
        (BayesDecisionClassifier(LogisticRegression()), True),
        (BudgetDecisionClassifier(LogisticRegression(), max_alerts=0.1), True),
    ],
)
def test_the_report_decides_as_the_model_does(data, model, takes_costs, form):
    X, y = data
    fn_cost = np.random.default_rng(1).lognormal(1.5, 1.0, len(y))
    model = clone(model).fit(X, y)
    report = manipulation_report(model, form(X), y, 5.0, fn_cost=fn_cost)

    def decide(rows):
        if not takes_costs:
            return model.predict(rows)
        last = model[-1] if hasattr(model, "steps") else model
        rows = model[:-1].transform(rows) if hasattr(model, "steps") else rows
        return last.predict(rows, fp_cost=np.ones(len(y)), fn_cost=fn_cost)

    before, after = report.outcomes["cost"][:2]
    assert before == pytest.approx(bill(decide, X, y, fn_cost))
    moved = X + np.outer(y, report.features["move"])
    assert after == pytest.approx(bill(decide, moved, y, fn_cost))


def test_without_costs_the_model_decides_by_its_own(data):
    X, y = data
    model = BayesDecisionClassifier(LogisticRegression(), fn_cost=30.0).fit(X, y)
    report = manipulation_report(model, X, y, 5.0)
    assert report.outcomes["cost"][0] == np.sum(model.predict(X) != y)


def test_the_adversary_weighs_positives_as_the_game_does(data):
    X, y = data
    fn_cost = np.random.default_rng(1).lognormal(1.0, 1.5, len(y))
    model = StackelbergClassifier(movement_price=2.0).fit(X, y, fn_cost=fn_cost)
    assert len(model.moves_) == 1  # a pure equilibrium, so its move is the best response
    report = manipulation_report(model, X, y, 2.0, fn_cost=fn_cost)
    np.testing.assert_allclose(report.features["move"], model.shift_, rtol=1e-2, atol=1e-4)
    loss = np.logaddexp(0.0, -model.decision_function(X)[y == 1])
    want = np.average(loss, weights=fn_cost[y == 1])
    assert report.outcomes["mean_loss"][0] == pytest.approx(want)
    # the search weighs alike
    hidden = manipulation_report(Hidden(model), X, y, 2.0, fn_cost=fn_cost, random_state=0)
    assert not hidden.exact
    assert hidden.outcomes["mean_loss"][0] == pytest.approx(want, rel=1e-4)
    gain = report.outcomes["gain"][1]
    assert 0.95 * gain <= hidden.outcomes["gain"][1] <= gain * (1 + 1e-6)


class Hidden:
    """A linear classifier that shows only the probabilities of its scores."""

    def __init__(self, model):
        self.classes_, self.model = model.classes_, model

    def predict(self, X):
        return self.model.predict(X)

    def predict_proba(self, X):
        positive = expit(self.model.decision_function(X))
        return np.column_stack([1 - positive, positive])


def test_the_equilibrium_is_not_scored_on_rows_it_was_fitted_on():
    """With as many features as rows, a fit separates its own rows and nothing else."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 80)), np.arange(80) % 2
    model = LogisticRegression().fit(rng.normal(size=(80, 80)), y)
    report = manipulation_report(model, X, y, 1e4, random_state=0)
    rows = {(row["against"], row["moved"]): row for row in report.outcomes.to_dicts()}
    for name in ("plain", "equilibrium"):
        assert rows[name, False]["cost"] > 20
    with pytest.raises(ValueError, match=r"at least two examples\. Got 1 instead"):
        manipulation_report(model, X[:41], np.arange(41) == 0)


def test_the_gain_of_the_costs_is_not_the_gain_of_the_game(data):
    """If nothing can be moved, the equilibrium is the plain classifier, which knows the costs."""
    X, y = data
    model = LogisticRegression().fit(X, y)
    report = manipulation_report(model, X, y, np.inf, fn_cost=20.0, random_state=0)
    rows = {(row["against"], row["moved"]): row for row in report.outcomes.to_dicts()}
    assert len(rows) == 6
    assert rows["equilibrium", True]["cost"] == rows["plain", True]["cost"]
    assert rows["plain", True]["cost"] < rows["model", True]["cost"]
    cheap = manipulation_report(model, X, y, PRICE, fn_cost=20.0, random_state=0)
    rows = {(row["against"], row["moved"]): row for row in cheap.outcomes.to_dicts()}
    assert rows["equilibrium", True]["cost"] < rows["plain", True]["cost"]


@pytest.mark.parametrize("inner", [LogisticRegression(), RandomForestClassifier(10)])
def test_the_adversary_may_be_the_smaller_label(data, inner):
    X, y = data
    words = np.array(["legit", "fraud"])
    options = dict(fn_cost=9.0, random_state=0, max_evaluations=50)
    inner.set_params(random_state=0)
    # bootstraps do not depend on the labels, but ties between splits do: one forest, two views
    model = BayesDecisionClassifier(inner).fit(X, y)
    renamed = Renamed(model, words)
    want = manipulation_report(model, X, y, PRICE, **options)
    found = manipulation_report(renamed, X, words[y], PRICE, pos_label="fraud", **options)
    assert found.exact == want.exact
    for name in ("features", "outcomes"):
        assert_frame_equal(getattr(found, name), getattr(want, name))
    with pytest.raises(ValueError, match="'fraud' and 'legit': pass pos_label"):
        manipulation_report(renamed, X, words[y], PRICE)
    with pytest.raises(ValueError, match="'scam' is not one of the classes"):
        manipulation_report(renamed, X, words[y], PRICE, pos_label="scam")


class Renamed:
    """A classifier of 0 and 1 with other names of the classes, sorted the other way."""

    def __init__(self, model, words):
        self.model, self.words, self.classes_ = model, words, np.sort(words)

    def predict(self, X, *, fp_cost, fn_cost, tp_cost, tn_cost):
        swapped = dict(fp_cost=fn_cost, fn_cost=fp_cost, tp_cost=tn_cost, tn_cost=tp_cost)
        return self.words[self.model.predict(X, **swapped)]

    def predict_proba(self, X):
        return self.model.predict_proba(X)[:, ::-1]

    def __getattr__(self, name):
        if name != "decision_function" or not hasattr(self.model, name):
            raise AttributeError(name)
        return lambda X: -self.model.decision_function(X)


def test_prices_by_name(data):
    X, y = data
    frame = pl.DataFrame(X, schema=["amount", "age", "hour"])
    model = LogisticRegression().fit(frame, y)
    report = manipulation_report(model, frame, y, {"hour": 1.0, "amount": 0.5}, random_state=0)
    assert report.features["price"].to_list() == [0.5, np.inf, 1.0]
    assert report.features["move"][1] == 0.0
    with pytest.raises(ValueError, match="'speed', which is not a column"):
        manipulation_report(model, frame, y, {"speed": 1.0})
