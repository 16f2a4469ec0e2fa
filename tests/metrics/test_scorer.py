"""Cross-validation with the cost scorer equals the loop written by hand, to the last bit."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from stakes._core.base import COST_CONSTRAINTS, CostSensitiveClassifier
from stakes.costs import Costs
from stakes.datasets import make_fraud
from stakes.decision import BayesDecisionClassifier
from stakes.metrics import (
    cost_loss,
    expected_cost_loss,
    make_cost_scorer,
    minimum_risk,
    partial_auc_score,
    savings_score,
    weighted_sum_score,
)


class PricedLogistic(CostSensitiveClassifier):
    """A learner that weighs by cost in fit and decides by expected cost in predict."""

    _parameter_constraints = COST_CONSTRAINTS

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        X, signs = self._validate_Xy(X, y)
        weight = self._costs_of(len(signs), fp_cost, fn_cost, tp_cost, tn_cost).regret(signs > 0)
        self.model_ = LogisticRegression(C=self.C).fit(X, signs, sample_weight=weight)
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(self._validate_X(X))

    def decision_function(self, X):
        return self.model_.decision_function(self._validate_X(X))


SPLIT = StratifiedKFold(4, shuffle=True, random_state=0)
ESTIMATORS = {
    "plain": PricedLogistic(),
    "pipeline": make_pipeline(StandardScaler(), PricedLogistic()),
    "logistic": LogisticRegression(),
}


@pytest.fixture
def frame(priced):
    X, y, fp, fn = priced
    frame = pd.DataFrame(X, columns=list("abcde")).assign(amount=fn)
    return frame, y, fp, fn


def by_hand(estimator, X, y, fp, fn, *, costs_in_fit=True):
    """One fold after the other, costs cut with the rows."""
    losses, takes = [], hasattr(estimator, "steps") or isinstance(estimator, PricedLogistic)
    for train, test in SPLIT.split(X, y):
        model = clone(estimator)
        if takes and costs_in_fit:
            name = "pricedlogistic__" if hasattr(estimator, "steps") else ""
            with config_context(enable_metadata_routing=False):
                model.fit(
                    X[train],
                    y[train],
                    **{f"{name}fp_cost": fp[train]} | {f"{name}fn_cost": fn[train]},
                )
        else:
            model.fit(X[train], y[train])
        if hasattr(model, "steps"):
            decided = model[-1].predict(
                model[:-1].transform(X[test]), fp_cost=fp[test], fn_cost=fn[test]
            )
        elif takes:
            decided = model.predict(X[test], fp_cost=fp[test], fn_cost=fn[test])
        else:
            decided = model.predict(X[test])
        losses.append(-cost_loss(y[test], decided, fp_cost=fp[test], fn_cost=fn[test]))
    return losses


@pytest.mark.parametrize("name", ESTIMATORS)
def test_routed_costs_equal_the_loop(name, priced):
    X, y, fp, fn = priced
    with config_context(enable_metadata_routing=True):
        scores = cross_val_score(
            ESTIMATORS[name],
            X,
            y,
            cv=SPLIT,
            scoring=make_cost_scorer(),
            params={"fp_cost": fp, "fn_cost": fn},
        )
    assert scores.tolist() == by_hand(ESTIMATORS[name], X, y, fp, fn)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("form", ["column", "function", "series"])
def test_costs_of_the_maker_equal_the_loop(name, form, frame):
    X, y, fp, fn = frame
    rows = np.random.default_rng(0).permutation(len(X))  # an index that is not 0, 1, 2
    X = X.set_index(rows)
    source = {"column": "amount", "function": lambda X: X["amount"]}.get(form, X["amount"])
    scorer = make_cost_scorer(fp_cost=2.0, fn_cost=source)
    scores = cross_val_score(ESTIMATORS[name], X, y, cv=SPLIT, scoring=scorer)
    hand = by_hand(ESTIMATORS[name], X.to_numpy(), y, fp, fn, costs_in_fit=False)
    assert scores.tolist() == hand


def test_costs_change_the_decision_inside_cross_validation(frame):
    X, y, _, fn = frame
    with_costs = make_cost_scorer(savings_score, fp_cost=2.0, fn_cost="amount")
    without = [
        savings_score(
            y[test],
            PricedLogistic().fit(X.iloc[train], y[train]).predict(X.iloc[test]),
            fp_cost=2.0,
            fn_cost=fn[test],
        )
        for train, test in SPLIT.split(X, y)
    ]
    scores = cross_val_score(PricedLogistic(), X, y, cv=SPLIT, scoring=with_costs)
    assert scores.mean() > np.mean(without)


@pytest.mark.parametrize("routing", [True, False])
def test_nested_search_equals_the_loop(routing, frame):
    X, y, fp, fn = frame
    grid = {"pricedlogistic__C": [1e-3, 1.0]}
    pipeline = make_pipeline(StandardScaler(), PricedLogistic())
    routed = {"fp_cost": fp, "fn_cost": fn}
    hand = []
    for train, test in SPLIT.split(X, y):
        best, best_loss = None, np.inf
        for C in grid["pricedlogistic__C"]:
            loss = []
            for a, b in SPLIT.split(X.iloc[train], y[train]):
                a, b = train[a], train[b]
                model = fit_by_hand(X, y, fp, fn, a, C, routing)
                loss.append(loss_by_hand(model, X, y, fp, fn, b))
            if np.mean(loss) < best_loss:
                best, best_loss = C, np.mean(loss)
        model = fit_by_hand(X, y, fp, fn, train, best, routing)
        hand.append(-loss_by_hand(model, X, y, fp, fn, test))
    with config_context(enable_metadata_routing=routing):
        scorer = make_cost_scorer() if routing else make_cost_scorer(fp_cost=2, fn_cost="amount")
        search = GridSearchCV(pipeline, grid, scoring=scorer, cv=SPLIT)
        scores = cross_val_score(
            search, X, y, cv=SPLIT, scoring=scorer, params=routed if routing else None
        )
    assert scores.tolist() == hand


def fit_by_hand(X, y, fp, fn, rows, C, costs_in_fit):
    scaler = StandardScaler().fit(X.iloc[rows])
    costs = dict(fp_cost=fp[rows], fn_cost=fn[rows]) if costs_in_fit else {}
    return scaler, PricedLogistic(C=C).fit(scaler.transform(X.iloc[rows]), y[rows], **costs)


def loss_by_hand(model, X, y, fp, fn, rows):
    scaler, learner = model
    costs = dict(fp_cost=fp[rows], fn_cost=fn[rows])
    return cost_loss(y[rows], learner.predict(scaler.transform(X.iloc[rows]), **costs), **costs)


def test_several_scorers_and_learning_curves(frame):
    X, y, fp, fn = frame
    scoring = {
        "cost": make_cost_scorer(),
        "savings": make_cost_scorer(savings_score, baseline="negative"),
    }
    with config_context(enable_metadata_routing=True):
        params = {"fp_cost": fp, "fn_cost": fn}
        result = cross_validate(PricedLogistic(), X, y, cv=SPLIT, scoring=scoring, params=params)
        hand = by_hand(PricedLogistic(), X.to_numpy(), y, fp, fn)
        assert result["test_cost"].tolist() == hand
        curve = learning_curve(
            PricedLogistic(),
            X,
            y,
            cv=SPLIT,
            train_sizes=[1.0],
            scoring=scoring["cost"],
            params=params,
        )
        assert curve[2][0].tolist() == hand
    for fold, (_, test) in enumerate(SPLIT.split(X, y)):
        base = cost_loss(y[test], 0 * y[test], fn_cost=fn[test])
        assert result["test_savings"][fold] == pytest.approx(1 + hand[fold] / base)


def test_what_each_metric_reads(frame):
    X, y, _, fn = frame
    model = PricedLogistic().fit(X, y)
    p, s = model.predict_proba(X)[:, 1], model.decision_function(X)
    given = dict(fp_cost=2.0, fn_cost="amount")
    costs = dict(fp_cost=2.0, fn_cost=fn)
    for metric, value in [
        (expected_cost_loss, -expected_cost_loss(y, p, **costs)),
        (minimum_risk, -minimum_risk(y, s, **costs).value),
        (partial_auc_score, partial_auc_score(y, s)),
        (weighted_sum_score, weighted_sum_score(y, model.predict(X, **costs))),
    ]:
        assert make_cost_scorer(metric, **given)(model, X, y) == value
    flipped = make_cost_scorer(partial_auc_score, region="tnr", pos_label=0)(model, X, y)
    assert flipped == pytest.approx(partial_auc_score(1 - y, -s, region="tnr"))
    chance = make_cost_scorer(expected_cost_loss, pos_label=0)(model, X, y)
    assert chance == pytest.approx(-expected_cost_loss(1 - y, 1 - p))


def test_own_metric_and_array_of_the_scored_length(priced):
    X, y, fp, fn = priced
    model = LogisticRegression().fit(X, y)

    def regret(y_true, y_pred, fn_cost):
        return float(np.sum(fn_cost * ((y_true == 1) & (y_pred == 0))))

    scorer = make_cost_scorer(regret, fn_cost=fn, fp_cost=fp, greater_is_better=False)
    assert scorer(model, X, y) == -cost_loss(
        y, model.predict(X), fp_cost=0, fn_cost=fn, normalize=False
    )
    assert clone(scorer)(model, X, y) == scorer(model, X, y)


def test_fold_with_one_class_is_read_by_the_estimators_classes(priced):
    X, y, _, _ = priced
    model = LogisticRegression().fit(X, np.where(y == 1, "bad", "good"))
    only_good = X[y == 0]
    score = make_cost_scorer(pos_label="bad")(model, only_good, np.full(len(only_good), "good"))
    assert score == -np.mean(model.predict(only_good) == "bad")


@pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline], ids=["plain", "pipeline"])
def test_costs_speak_of_the_positive_class_also_where_it_is_the_first(priced, wrap):
    X, y, fp, fn = priced
    words = np.where(y == 1, "bad", "good")  # sorted, the positive class comes first
    costs = dict(fp_cost=fp, fn_cost=20 * fn, tp_cost=-1.0, tn_cost=-fp)
    scorer = make_cost_scorer(pos_label="bad", **costs)
    model = wrap(BayesDecisionClassifier(LogisticRegression())).fit(X, words)
    plain = BayesDecisionClassifier(LogisticRegression()).fit(X, y)
    assert scorer(model, X, words) == make_cost_scorer(**costs)(plain, X, y)


def test_samplers_of_a_pipeline_are_left_out_when_it_decides(priced):
    imblearn = pytest.importorskip("imblearn", reason="imbalanced-learn is not installed")
    from imblearn.under_sampling import RandomUnderSampler

    X, y, fp, fn = priced
    model = imblearn.pipeline.make_pipeline(
        StandardScaler(), RandomUnderSampler(random_state=0), PricedLogistic()
    ).fit(X, y)
    decided = model[-1].predict(model[0].transform(X), fp_cost=fp, fn_cost=fn)
    scorer = make_cost_scorer(fp_cost=fp, fn_cost=fn)
    assert scorer(model, X, y) == -cost_loss(y, decided, fp_cost=fp, fn_cost=fn)


@pytest.mark.parametrize("metric", [cost_loss, expected_cost_loss])
def test_a_fold_may_lack_one_of_three_classes(metric, priced):
    X, y, _, _ = priced
    three = y + (X[:, 0] > 1)
    model, table = LogisticRegression().fit(X, three), [[0, 1, 5], [1, 0, 1], [9, 1, 0]]
    fold = np.flatnonzero(three != 2)[:20]
    answer = model.predict(X[fold]) if metric is cost_loss else model.predict_proba(X[fold])
    told = metric(three[fold], answer, cost_matrix=table, labels=[0, 1, 2])
    assert make_cost_scorer(metric, cost_matrix=table)(model, X[fold], three[fold]) == -told


def test_polars_column(frame):
    X, y, _, _ = frame
    model = PricedLogistic().fit(X, y)
    scorer = make_cost_scorer(fp_cost=2.0, fn_cost="amount")
    assert scorer(model, pl.from_pandas(X), y) == scorer(model, X, y)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda fn: make_cost_scorer(fn_cost=fn),
            "fn_cost has 300 values for 75 scored rows: .*params=",
        ),
        (lambda fn: make_cost_scorer(fn_cost="price"), "names a column, but X has no such column"),
        (
            lambda fn: make_cost_scorer(fn_cost=pd.Series(fn[:5])),
            "is a Series without a value for .* the same index as X",
        ),
        (
            lambda fn: make_cost_scorer(fn_cost=pd.Series(fn, index=[0] * 300)),
            "repeated index labels",
        ),
    ],
)
def test_costs_that_cannot_follow_the_rows_are_refused(make, message, frame):
    X, y, _, fn = frame
    with pytest.raises(ValueError, match=message):
        cross_val_score(PricedLogistic(), X, y, cv=SPLIT, scoring=make(fn), error_score="raise")


def test_bad_arguments_are_named(priced):
    X, y, _, _ = priced
    with pytest.raises(ValueError, match="response must be"):
        make_cost_scorer(response="guess")
    with pytest.raises(ValueError, match="give greater_is_better"):
        make_cost_scorer(np.mean)
    with pytest.raises(TypeError, match=r"takes sample_weight, fp_cost, .* Got weight instead"):
        make_cost_scorer()(LogisticRegression().fit(X, y), X, y, weight=1)
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba; wrap it in Bayes"):
        make_cost_scorer(expected_cost_loss)(LinearSVC().fit(X, y), X, y)
    with pytest.raises(ValueError, match="pos_label='bad' is not one of the classes"):
        scorer = make_cost_scorer(expected_cost_loss, pos_label="bad")
        scorer(LogisticRegression().fit(X, y), X, y)


def boosted(n, routing):
    """Cross-validated savings of boosting with the Bayes decision, and the loop written by hand."""
    data = make_fraud(n, positive_share=0.05, random_state=0)
    X, y, costs = np.asarray(data.X), np.asarray(data.y), data.costs
    model = BayesDecisionClassifier(HistGradientBoostingClassifier(max_iter=20, random_state=0))
    hand = []
    for train, test in SPLIT.split(X, y):
        fitted = clone(model.estimator).fit(X[train], y[train])
        priced = {name: np.broadcast_to(cost, len(y))[test] for name, cost in costs.items()}
        decided = Costs.of(len(test), **priced).decide(fitted.predict_proba(X[test])[:, 1])
        hand.append(savings_score(y[test], decided.astype(int), **priced))
    with config_context(enable_metadata_routing=routing):
        if routing:
            scorer, params = make_cost_scorer(savings_score), costs
        else:
            by_index = {name: pd.Series(cost, range(n)) for name, cost in costs.items()}
            scorer, params = make_cost_scorer(savings_score, **by_index), None
            X = pd.DataFrame(X)
        scores = cross_val_score(model, X, y, cv=SPLIT, scoring=scorer, params=params)
    return scores.tolist(), hand


@pytest.mark.parametrize("routing", [True, False])
def test_boosting_with_the_bayes_decision_equals_the_loop(routing):
    scores, hand = boosted(3000, routing)
    assert scores == hand
    assert np.mean(scores) > 0


def test_misspelt_option_is_not_swallowed(priced):
    X, y, _, _ = priced
    with pytest.raises(TypeError, match="basline"):
        make_cost_scorer(savings_score, basline="negative")(LogisticRegression().fit(X, y), X, y)


def test_many_classes_and_metrics_with_any_keyword(priced):
    X, y, _, _ = priced
    three = y + (X[:, 0] > 1)
    model = LogisticRegression().fit(X, three)
    table = 1 - np.eye(3)
    scorer = make_cost_scorer(expected_cost_loss, cost_matrix=table, labels=[0, 1, 2])
    told = expected_cost_loss(three, model.predict_proba(X), cost_matrix=table, labels=[0, 1, 2])
    assert scorer(model, X, three) == -told
    loose = make_cost_scorer(lambda y, d, **rest: len(rest), fp_cost=1.0, greater_is_better=True)
    assert loose(LogisticRegression().fit(X, y), X, y) == 2  # fp_cost and pos_label


def test_series_without_an_index_to_match_goes_by_position(priced):
    X, y, _, fn = priced
    model = LogisticRegression().fit(X, y)
    by_series, by_array = (make_cost_scorer(fn_cost=form(fn)) for form in (pd.Series, np.array))
    assert by_series(model, X, y) == by_array(model, X, y)


def test_scikit_learns_threshold_search_takes_the_scorer(rng):
    from sklearn.model_selection import TunedThresholdClassifierCV

    X = rng.normal(size=(400, 2))
    y = (X[:, 0] + rng.normal(size=400) > 0.5).astype(int)
    scorer = make_cost_scorer(fp_cost=1.0, fn_cost=9.0)
    model = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer).fit(X, y)
    assert model.best_threshold_ < 0.3
    at_half = -cost_loss(y, LogisticRegression().fit(X, y).predict(X), fp_cost=1.0, fn_cost=9.0)
    assert scorer(model, X, y) > at_half
    savings = make_cost_scorer(savings_score, fp_cost=1.0, fn_cost=9.0)
    by_savings = TunedThresholdClassifierCV(LogisticRegression(), scoring=savings).fit(X, y)
    assert by_savings.best_threshold_ < 0.3
    with pytest.raises(ValueError, match="fn_cost must be a number"):
        by_row = make_cost_scorer(fn_cost=lambda X: X[:, 0])
        TunedThresholdClassifierCV(LogisticRegression(), scoring=by_row).fit(X, y)
    with pytest.raises(ValueError, match="compares decisions"):
        scores = make_cost_scorer(expected_cost_loss)
        TunedThresholdClassifierCV(LogisticRegression(), scoring=scores).fit(X, y)


def test_costs_of_the_rows_are_routed_to_a_threshold_search(rng):
    import sklearn
    from sklearn.model_selection import TunedThresholdClassifierCV

    X = rng.normal(size=(400, 2))
    y = (X[:, 0] + rng.normal(size=400) > 0.5).astype(int)
    with sklearn.config_context(enable_metadata_routing=True):
        search = TunedThresholdClassifierCV(LogisticRegression(), scoring=make_cost_scorer())
        low = search.fit(X, y, fn_cost=np.full(400, 9.0)).best_threshold_
        high = search.fit(X, y, fp_cost=np.full(400, 9.0)).best_threshold_
    assert low < 0.3 < 0.7 < high


@pytest.mark.parametrize(
    "name",
    [
        "cost_loss",
        "savings_score",
        "expected_cost_loss",
        "tail_cost_loss",
        "h_measure",
        "minimum_risk",
    ],
)
def test_a_metric_by_name_is_the_metric(name):
    import stakes.metrics

    X, y = np.arange(20.0)[:, None], np.tile([0, 1, 1, 0], 5)
    model = LogisticRegression().fit(X, y)
    by_name = make_cost_scorer(name, fp_cost=1.0, fn_cost=3.0)
    same = make_cost_scorer(getattr(stakes.metrics, name), fp_cost=1.0, fn_cost=3.0)
    assert by_name(model, X, y) == same(model, X, y)


def test_an_unknown_metric_is_named():
    with pytest.raises(
        ValueError, match="There is no metric 'saving_score' to score with: did you"
    ):
        make_cost_scorer("saving_score")
