"""BayesDecisionClassifier: expected cost by hand, calibration, priors, any estimator."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from stakes._core.base import CostSensitiveClassifier
from stakes.costs import Costs
from stakes.datasets import load_german_credit, make_fraud
from stakes.decision import BayesDecisionClassifier


def savings(data, decided):
    costs = data.as_costs()
    policies = [np.zeros(len(data), bool), np.ones(len(data), bool)]
    best = min(costs.paid(data.y == 1, policy).sum() for policy in policies)
    return 1 - costs.paid(data.y == 1, decided).sum() / best


def by_hand(probability, fp, fn):
    """The expected cost of both decisions, row by row."""
    decided, cost = [], []
    for p, a, b in zip(probability, np.broadcast_to(fp, len(probability)), fn, strict=True):
        decided.append(p * 0 + (1 - p) * a < p * b)
        cost.append(min((1 - p) * a, p * b))
    return np.array(decided), np.array(cost)


def test_equals_the_decision_by_hand(priced):
    X, y, fp, fn = priced
    model = BayesDecisionClassifier(LogisticRegression()).fit(X, y)
    probability = LogisticRegression().fit(X, y).predict_proba(X)[:, 1]
    decided, cost = by_hand(probability, fp, fn)
    np.testing.assert_array_equal(model.predict(X, fp_cost=fp, fn_cost=fn), decided)
    np.testing.assert_allclose(model.expected_cost(X, fp_cost=fp, fn_cost=fn), cost)
    assert 0 < decided.mean() < 1


def fraud_ratio(n, max_iter):
    """Savings with the wrapper over savings of the same computed by hand."""
    data = make_fraud(n, 30, positive_share=0.02, random_state=0)
    train, test = data.take(np.arange(n // 2)), data.take(np.arange(n // 2, n))
    booster = HistGradientBoostingClassifier(max_iter=max_iter, random_state=0)
    probability = clone(booster).fit(train.X, train.y).predict_proba(test.X)[:, 1]
    model = BayesDecisionClassifier(booster).fit(train.X, train.y)
    hand = savings(test, by_hand(probability, test.fp_cost, test.fn_cost)[0])
    ours = savings(test, model.predict(test.X, **test.costs) == 1)
    return ours, hand


def test_fraud_savings_equal_those_by_hand():
    ours, hand = fraud_ratio(10_000, max_iter=20)
    assert ours >= 0.98 * hand
    assert hand > 0.2


@pytest.mark.slow
def test_fraud_savings_at_full_size():
    ours, hand = fraud_ratio(100_000, max_iter=100)
    assert ours >= 0.98 * hand
    assert hand > 0.5


def test_scaling_and_permuting_costs(priced):
    X, y, fp, fn = priced
    model = BayesDecisionClassifier(LogisticRegression()).fit(X, y)
    plain = model.predict(X, fp_cost=fp, fn_cost=fn)
    np.testing.assert_array_equal(plain, model.predict(X, fp_cost=1000 * fp, fn_cost=1000 * fn))
    order = np.random.default_rng(0).permutation(len(y))
    permuted = model.predict(X[order], fp_cost=fp[order], fn_cost=fn[order])
    np.testing.assert_array_equal(plain[order], permuted)


@pytest.mark.parametrize("calibration", ["isotonic", "sigmoid"])
def test_calibration_is_scikit_learns(priced, calibration):
    X, y, fp, fn = priced
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    peer = CalibratedClassifierCV(LinearSVC(), method=calibration, cv=cv).fit(X, y)
    model = BayesDecisionClassifier(LinearSVC(), calibration=calibration, cv=3).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), peer.predict_proba(X))
    decided, _ = by_hand(peer.predict_proba(X)[:, 1], fp, fn)
    np.testing.assert_array_equal(model.predict(X, fp_cost=fp, fn_cost=fn), decided)


def test_scores_without_calibration_are_refused(priced):
    X, y, *_ = priced
    with pytest.raises(
        ValueError, match=r"LinearSVC does not predict probabilities.*calibration='sigmoid'"
    ):
        BayesDecisionClassifier(LinearSVC()).fit(X, y)


@pytest.mark.parametrize("calibration", [None, "isotonic"])
def test_frozen_estimator_is_not_fitted_again(priced, calibration):
    X, y, *_ = priced
    fitted = LogisticRegression().fit(X[:200], y[:200])
    model = BayesDecisionClassifier(FrozenEstimator(fitted), calibration=calibration)
    model.fit(X[200:], y[200:])
    np.testing.assert_array_equal(fitted.coef_, LogisticRegression().fit(X[:200], y[:200]).coef_)
    if calibration is None:
        np.testing.assert_array_equal(model.predict_proba(X), fitted.predict_proba(X))
    assert model.n_features_in_ == 5


@pytest.mark.parametrize(
    ("module", "name"), [("lightgbm", "LGBMClassifier"), ("xgboost", "XGBClassifier")]
)
@pytest.mark.parametrize("calibration", [None, "sigmoid"])
def test_other_boosters(priced, module, name, calibration):
    X, y, fp, fn = priced
    quiet = {"verbose": -1} if module == "lightgbm" else {}
    booster = getattr(pytest.importorskip(module), name)(n_estimators=10, n_jobs=1, **quiet)
    model = BayesDecisionClassifier(booster, calibration=calibration, cv=3)
    model.fit(X, y, sample_weight=np.ones(len(y)))
    decided, _ = by_hand(model.predict_proba(X)[:, 1], fp, fn)
    np.testing.assert_array_equal(model.predict(X, fp_cost=fp, fn_cost=fn), decided)
    assert model.n_features_in_ == 5


@pytest.mark.parametrize("calibration", [None, "sigmoid"])
def test_frames_with_categories_and_gaps_pass_through(calibration):
    data = load_german_credit()
    X = data.X.with_columns(
        pl.when(pl.int_range(pl.len()) % 7 == 0).then(None).otherwise(pl.col("age")).alias("age")
    )
    booster = HistGradientBoostingClassifier(max_iter=10)
    model = BayesDecisionClassifier(booster, calibration=calibration, cv=3).fit(X, data.y)
    assert list(model.feature_names_in_) == X.columns
    assert set(model.predict(X, **data.costs)) == {0, 1}
    pandas = BayesDecisionClassifier(booster).fit(X.to_pandas(), data.y)
    assert pandas.predict(X.to_pandas(), **data.costs).shape == (1000,)


def test_pipeline_and_search_take_weights(priced):
    X, y, *_ = priced
    weight = np.where(y == 1, 3.0, 1.0)
    steps = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(steps, {"logisticregression__C": [0.1, 1.0]}, cv=3)
    inside = BayesDecisionClassifier(search).fit(X, y, sample_weight=weight)
    peer = clone(search).fit(X, y, logisticregression__sample_weight=weight)
    np.testing.assert_array_equal(inside.predict_proba(X), peer.predict_proba(X))
    outside = GridSearchCV(
        BayesDecisionClassifier(steps), {"estimator__logisticregression__C": [0.1, 1.0]}, cv=3
    )
    outside.fit(X, y, sample_weight=weight)
    assert outside.predict(X).shape == y.shape
    calibrated = BayesDecisionClassifier(steps, calibration="sigmoid", cv=3)
    unweighted = clone(calibrated).fit(X, y).predict_proba(X)
    weighted = calibrated.fit(X, y, sample_weight=weight).predict_proba(X)
    assert (weighted[:, 1] > unweighted[:, 1]).all()


def test_column_transformer_on_a_frame():
    data = load_german_credit()
    words = [name for name, kind in data.X.schema.items() if kind == pl.Enum]
    steps = make_pipeline(
        make_column_transformer((OneHotEncoder(), words), remainder=StandardScaler()),
        LogisticRegression(max_iter=1000),
    )
    model = BayesDecisionClassifier(steps).fit(data.X, data.y)
    assert savings(data, model.predict(data.X, **data.costs) == 1) > 0.1


class CostEater(CostSensitiveClassifier):
    """Remembers the costs that it was given."""

    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        self._validate_Xy(X, y)
        self.given_ = fp_cost, fn_cost
        return self

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


def test_costs_reach_an_estimator_that_takes_them(priced):
    X, y, fp, fn = priced
    model = BayesDecisionClassifier(CostEater()).fit(X, y, fp_cost=fp, fn_cost=fn)
    np.testing.assert_array_equal(model.estimator_.given_, (fp, fn))
    steps = make_pipeline(StandardScaler(), CostEater())
    model = BayesDecisionClassifier(steps).fit(X, y, fp_cost=fp, fn_cost=fn)
    np.testing.assert_array_equal(model.estimator_[-1].given_[1], fn)
    calibrated = BayesDecisionClassifier(CostEater(), calibration="sigmoid", cv=3)
    calibrated.fit(X, y, fp_cost=fp, fn_cost=fn)
    inner = calibrated.estimator_.calibrated_classifiers_[0].estimator
    assert len(inner.given_[1]) == 200


def test_multi_class_matrix(rng):
    X = rng.normal(size=(150, 3))
    y = np.array(["a", "b", "c"])[np.argmax(X + rng.normal(size=X.shape), axis=1)]
    matrix = [[0, 1, 5], [1, 0, 1], [9, 1, 0]]
    model = BayesDecisionClassifier(LogisticRegression(), cost_matrix=matrix).fit(X, y)
    expected = model.predict_proba(X) @ np.array(matrix, float)
    np.testing.assert_array_equal(model.predict(X), model.classes_[expected.argmin(axis=1)])
    np.testing.assert_allclose(model.expected_cost(X), expected.min(axis=1))
    truth, said = np.searchsorted(model.classes_, y), model.predict(X)
    lost = [matrix[t][j] for t, j in zip(truth, np.searchsorted(model.classes_, said), strict=True)]
    worst = np.array([5, 1, 9])[truth].sum()
    assert model.score(X, y) == pytest.approx(1 - sum(lost) / worst)
    model.set_params(cost_matrix=1 - np.eye(3))
    neutral = BayesDecisionClassifier(LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), neutral.predict(X))
    assert neutral.score(X, y) == pytest.approx((neutral.predict(X) == y).mean())
    with pytest.raises(ValueError, match=r"label that is not in classes \['a', 'b', 'c'\]"):
        neutral.score(X, np.full(150, "d"))
    with pytest.raises(ValueError, match=r"two classes and decisions; y has 3: set cost_matrix"):
        neutral.predict(X, fp_cost=2.0)
    with pytest.raises(ValueError, match=r"are for two classes and decisions; y has 3"):
        BayesDecisionClassifier(LogisticRegression()).fit(X, y, fn_cost=np.ones(150))
    with pytest.raises(ValueError, match=r"cost_matrix must have shape \(3, 3\)"):
        BayesDecisionClassifier(LogisticRegression(), cost_matrix=np.eye(2)).fit(X, y)


def test_two_class_matrix_is_the_four_numbers(priced):
    X, y, _, fn = priced
    matrix = BayesDecisionClassifier(LogisticRegression(), cost_matrix=[[0, 2], [7, 1]]).fit(X, y)
    numbers = BayesDecisionClassifier(LogisticRegression(), fp_cost=2, fn_cost=7, tp_cost=1)
    numbers.fit(X, y)
    np.testing.assert_array_equal(matrix.predict(X), numbers.predict(X))
    np.testing.assert_array_equal(
        matrix.predict(X, fn_cost=fn + 1), numbers.predict(X, fn_cost=fn + 1)
    )
    assert matrix.score(X, y) == pytest.approx(numbers.score(X, y))
    # what fit is not given is the matrix's: a false alarm at -3 is still dearer than a rest at -5
    earning = BayesDecisionClassifier(LogisticRegression(), cost_matrix=[[-5, -2], [10, -8]])
    assert earning.fit(X, y, fp_cost=-3.0).classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match="fp_cost is smaller than tn_cost"):
        earning.fit(X, y, fp_cost=-6.0)
    both = BayesDecisionClassifier(LogisticRegression(), fp_cost=2, cost_matrix=[[0, 2], [7, 1]])
    with pytest.raises(ValueError, match="either cost_matrix or"):
        both.fit(X, y)


def test_labels_of_any_kind(priced):
    X, y, fp, fn = priced
    words = np.array(["ham", "spam"])[y]
    model = BayesDecisionClassifier(LogisticRegression()).fit(X, words)
    numbers = BayesDecisionClassifier(LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(
        model.predict(X, fp_cost=fp, fn_cost=fn) == "spam",
        numbers.predict(X, fp_cost=fp, fn_cost=fn) == 1,
    )
    with pytest.raises(ValueError, match="y has only one class"):
        BayesDecisionClassifier(FrozenEstimator(OneClass())).fit(X, words)
    for one, found in ((np.zeros_like(y), "0"), (np.full(len(y), "ham"), "'ham'")):
        with pytest.raises(ValueError, match=f"y has only one class, {found}; a decision needs"):
            BayesDecisionClassifier(LogisticRegression()).fit(X, one)
    frozen = BayesDecisionClassifier(FrozenEstimator(numbers.estimator_)).fit(X, np.zeros_like(y))
    np.testing.assert_array_equal(frozen.predict(X), numbers.predict(X))


class OneClass(LogisticRegression):
    classes_ = np.array(["ham"])

    def __sklearn_is_fitted__(self):
        return True


def test_expected_cost_is_the_cost_that_is_paid():
    data, probability = make_fraud(200_000, random_state=1, return_probability=True)

    class Oracle(OneClass):
        classes_ = np.array([0, 1])

        def predict_proba(self, X):
            return np.column_stack([1 - probability, probability])

    model = BayesDecisionClassifier(FrozenEstimator(Oracle())).fit(data.X, data.y)
    decided = model.predict(data.X, **data.costs) == 1
    paid = Costs.of(len(data), **data.costs).paid(data.y == 1, decided).sum()
    stake = np.where(decided, data.fp_cost, data.fn_cost)
    sd = np.sqrt((probability * (1 - probability) * stake**2).sum())
    assert abs(model.expected_cost(data.X, **data.costs).sum() - paid) < 3 * sd < 0.1 * paid


@pytest.mark.parametrize("k", [2, 3])
def test_a_data_frame_of_costs_is_read_by_its_labels(rng, k):
    labels = np.array(["bad", "fair", "good"])[:k]
    y = rng.choice(labels, 90)
    X = rng.normal(size=(90, 2)) + (y == "bad")[:, None]
    table = np.array([[0, 4, 9], [1, 0, 1], [1, 1, 0]], dtype=float)[:k, :k]
    frame = pd.DataFrame(table, index=labels, columns=labels).iloc[::-1, ::-1]
    model = BayesDecisionClassifier(LogisticRegression(), cost_matrix=table).fit(X, y)
    named = BayesDecisionClassifier(LogisticRegression(), cost_matrix=frame).fit(X, y)
    assert named.predict(X).tolist() == model.predict(X).tolist()
    assert named.score(X, y) == model.score(X, y)
    named.set_params(cost_matrix=frame.rename(columns={"bad": "worse"}))
    with pytest.raises(ValueError, match="column labels"):
        named.predict(X)
