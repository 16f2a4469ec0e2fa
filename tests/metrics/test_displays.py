import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from stakes.decision import BayesDecisionClassifier
from stakes.metrics import (
    CalibrationCostDisplay,
    ClassCostCurveDisplay,
    CostCurveDisplay,
    CumulativeCostDisplay,
    ROCCostDisplay,
    SavingsCurveDisplay,
    cost_loss,
    minimum_risk,
    risk_loss,
    savings_score,
)

DISPLAYS = [
    CalibrationCostDisplay,
    CostCurveDisplay,
    CumulativeCostDisplay,
    ROCCostDisplay,
    SavingsCurveDisplay,
]


@pytest.fixture
def fitted(priced):
    X, y, fp, fn = priced
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y), X, y, fp, fn


@pytest.mark.parametrize("Display", DISPLAYS)
def test_from_estimator_draws_on_given_axes(Display, fitted):
    model, X, y, fp, fn = fitted
    _, ax = plt.subplots()
    display = Display.from_estimator(model, X, y, fp_cost=fp, fn_cost=fn, ax=ax, alpha=0.5)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.line_.get_alpha() == 0.5
    assert "LogisticRegression" in display.line_.get_label()
    assert display.plot().ax_ is not ax
    assert all(ax.get_xlabel() and ax.get_ylabel() for ax in [ax, display.ax_])
    display.figure_.canvas.draw()  # nothing warns


@pytest.mark.parametrize("Display", DISPLAYS)
def test_from_predictions_equals_from_estimator(Display, fitted):
    model, X, y, fp, fn = fitted
    answer = model.predict(X) if Display is CumulativeCostDisplay else model.predict_proba(X)[:, 1]
    one = Display.from_estimator(model, X, y, fp_cost=fp, fn_cost=fn, name="m")
    two = Display.from_predictions(y, answer, fp_cost=fp, fn_cost=fn, name="m")
    np.testing.assert_array_equal(one.line_.get_xydata(), two.line_.get_xydata())
    assert one.line_.get_label() == two.line_.get_label()


@pytest.mark.parametrize("Display", DISPLAYS)
def test_text_labels_and_the_other_positive_class(Display, priced):
    X, y, fp, fn = priced
    words = np.where(y == 1, "bad", "good")
    named = LogisticRegression().fit(X, words)
    plain = LogisticRegression().fit(X, y)
    one = Display.from_estimator(named, X, words, fp_cost=fp, fn_cost=fn, pos_label="bad", name="m")
    two = Display.from_estimator(plain, X, y, fp_cost=fp, fn_cost=fn, name="m")
    np.testing.assert_allclose(one.line_.get_ydata(), two.line_.get_ydata(), atol=1e-3)


def test_cost_curve_is_the_envelope_of_all_thresholds(rng):
    y = rng.integers(0, 2, 80)
    s = (y + rng.normal(size=80)).round(1)
    display = CostCurveDisplay.from_predictions(y, s)
    fpr, tpr, _ = roc_curve(y, s, drop_intermediate=False)
    for x in np.linspace(0, 1, 101):
        assert display.cost_at(x) == pytest.approx(min((1 - tpr) * x + fpr * (1 - x)), abs=1e-12)
    assert display.operating is None


def test_cost_curve_at_the_operating_point_is_the_minimum_risk(rng):
    y = rng.integers(0, 2, 80)
    s = y + rng.normal(size=80)
    display = CostCurveDisplay.from_predictions(y, s, fp_cost=2.0, fn_cost=7.0)
    prior = y.mean()
    at_stake = prior * 7 + (1 - prior) * 2
    assert display.operating == pytest.approx(prior * 7 / at_stake)
    risk = minimum_risk(y, s, fp_cost=2.0, fn_cost=7.0).value
    assert display.cost_at(display.operating) * at_stake == pytest.approx(risk)


def test_several_curves_share_axes_and_one_trivial_line():
    y, s = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
    first = CostCurveDisplay.from_predictions(y, s, name="a")
    second = CostCurveDisplay.from_predictions(y, s, name="b", ax=first.ax_)
    labels = second.ax_.get_legend_handles_labels()[1]
    assert labels == ["a", "always negative / positive", "b"]


def test_roc_point_is_the_cheapest_and_equal_cost_lines_are_equal(rng):
    y = rng.integers(0, 2, 80)
    s = y + rng.normal(size=80)
    display = ROCCostDisplay.from_predictions(y, s, fp_cost=2.0, fn_cost=3.0)
    best = minimum_risk(y, s, fp_cost=2.0, fn_cost=3.0)
    assert (display.cost, display.threshold) == pytest.approx((best.value, best.threshold))
    # with class-level costs every point of the dark line costs what the point costs
    (dark,) = [line for line in display.ax_.lines if line.get_color() == "0.2"]
    prior = y.mean()
    for fpr, tpr in dark.get_xydata():
        cost = prior * 3 * (1 - tpr) + (1 - prior) * 2 * fpr
        assert cost == pytest.approx(display.cost)
    fixed = ROCCostDisplay.from_predictions(y, s, fp_cost=2.0, fn_cost=3.0, threshold=0.7)
    assert fixed.cost == pytest.approx(risk_loss(y, s >= 0.7, fp_cost=2.0, fn_cost=3.0))
    nothing = ROCCostDisplay.from_predictions(y, s, fp_cost=0.0, fn_cost=0.0)
    assert nothing.cost == 0


def test_savings_by_threshold_equal_the_score(rng):
    y = rng.integers(0, 2, 60)
    s = (y + rng.normal(size=60)).round(1)
    fn = rng.lognormal(size=60)
    display = SavingsCurveDisplay.from_predictions(y, s, fn_cost=fn, baseline="negative")
    for t, saved, alerts in zip(display.thresholds, display.savings, display.alerts, strict=True):
        told = savings_score(y, s >= t, fn_cost=fn, baseline="negative", pos_label=1)
        assert saved == pytest.approx(told)
        assert alerts == pytest.approx(np.mean(s >= t))
    assert display.best[1] == display.savings.max()
    by_alerts = display.plot(x="alerts")
    np.testing.assert_array_equal(by_alerts.line_.get_xdata(), display.alerts)


def test_calibration_is_scikit_learns(fitted):
    model, X, y, _, fn = fitted
    p = model.predict_proba(X)[:, 1]
    display = CalibrationCostDisplay.from_predictions(y, p, fp_cost=1.0, fn_cost=fn, n_bins=5)
    prob_true, prob_pred = calibration_curve(y, p, n_bins=5, strategy="quantile")
    np.testing.assert_array_equal(display.line_.get_xydata(), np.c_[prob_pred, prob_true])
    assert display.break_even[1] == pytest.approx(np.median(1 / (1 + fn)))
    logarithmic = display.plot(scale="log")
    assert logarithmic.ax_.get_xscale() == "log"
    assert (logarithmic.line_.get_ydata() > 0).all()


def test_cumulative_cost_ends_at_the_total(fitted):
    model, X, y, fp, fn = fitted
    costs = dict(fp_cost=fp, fn_cost=fn)
    display = CumulativeCostDisplay.from_estimator({"a": model, "b": model[-1]}, X, y, **costs)
    total = cost_loss(y, model.predict(X), normalize=False, **costs)
    assert display.cumulative["a"][-1] == pytest.approx(total)
    assert display.never[-1] == pytest.approx(cost_loss(y, 0 * y, normalize=False, **costs))
    assert list(display.lines_) == ["a", "b"]
    alone = CumulativeCostDisplay.from_predictions(y, y, plot_trivial=False)
    assert len(alone.ax_.lines) == 1


def test_cumulative_cost_where_the_first_class_is_positive(priced):
    X, y, fp, fn = priced
    words = np.where(y == 1, "bad", "good")
    costs = dict(fp_cost=fp, fn_cost=20 * fn, tp_cost=-1.0, tn_cost=-fp)
    model = BayesDecisionClassifier(LogisticRegression())
    one = CumulativeCostDisplay.from_estimator(
        model.fit(X, words), X, words, pos_label="bad", name="m", **costs
    )
    two = CumulativeCostDisplay.from_estimator(model.fit(X, y), X, y, name="m", **costs)
    np.testing.assert_array_equal(one.cumulative["m"], two.cumulative["m"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: d.plot(x="time"), "x must be 'threshold' or 'alerts'"),
        (
            lambda d: SavingsCurveDisplay.from_predictions([0, 0], [0, 1.0]),
            "choose another baseline",
        ),
        (
            lambda d: CalibrationCostDisplay.from_predictions([0, 1], [0, 1.0], scale="odd"),
            "scale must be",
        ),
        (
            lambda d: CalibrationCostDisplay.from_estimator(
                LinearSVC().fit([[0.0], [1.0]], [0, 1]), [[0.0], [1.0]], [0, 1]
            ),
            "LinearSVC has no predict_proba",
        ),
        (
            lambda d: ROCCostDisplay.from_estimator(
                LinearSVC().fit([[0.0], [1.0]], [0, 1]), [[0.0], [1.0]], [0, 1], pos_label=7
            ),
            r"pos_label=7 is not one of the classes \[0, 1\]",
        ),
        (
            lambda d: ROCCostDisplay.from_predictions([1, 1], [0, 1.0]),
            "y_true has no negative example; a curve needs",
        ),
        (
            lambda d: CostCurveDisplay.from_predictions([0, 0], [0, 1.0]),
            "y_true has no positive example; a curve needs",
        ),
        (lambda d: CumulativeCostDisplay.from_predictions([0, 1], {}), "y_pred has no policy"),
    ],
)
def test_bad_input_is_named(call, message):
    display = SavingsCurveDisplay.from_predictions([0, 1], [0.0, 1.0])
    with pytest.raises(ValueError, match=message):
        call(display)


def test_scores_without_probabilities(priced):
    X, y, fp, fn = priced
    model = LinearSVC().fit(X, y)
    display = ROCCostDisplay.from_estimator(model, X, y, fp_cost=fp, fn_cost=fn)
    best = minimum_risk(y, model.decision_function(X), fp_cost=fp, fn_cost=fn)
    assert display.cost == pytest.approx(best.value)


def three_classes(rng, n=90):
    y = rng.choice(["fine", "fault", "theft"], n, p=[0.6, 0.3, 0.1])
    y[:3] = ["fault", "fine", "theft"]
    return y, rng.dirichlet([1.0, 2.0, 1.0], n)


def test_class_cost_curve_equals_a_weighted_sum_row_by_row(rng):
    y, P = three_classes(rng)
    labels, matrix = ["fault", "fine", "theft"], rng.uniform(0, 9, (90, 3, 2))
    how = dict(cost_matrix=matrix, labels=labels, actions=["ignore", "call"])
    display = ClassCostCurveDisplay.from_predictions(y, P, of="theft", n_shares=11, **how)
    rate = {label: (y == label).mean() for label in labels}
    for share, cost, constant in zip(
        display.shares, display.cost, display.constant_cost, strict=True
    ):
        new = {k: rate[k] / (1 - rate["theft"]) * (1 - share) for k in labels} | {"theft": share}
        paid, always = 0.0, np.zeros(2)
        for i, label in enumerate(y):
            odds = [P[i, k] * new[name] / rate[name] for k, name in enumerate(labels)]
            expected = np.array(odds) @ matrix[i] / sum(odds)
            weight = new[label] / rate[label] / len(y)
            paid += weight * matrix[i, labels.index(label), expected.argmin()]
            always += weight * matrix[i, labels.index(label)]
        assert cost == pytest.approx(paid, rel=1e-12)
        assert constant == pytest.approx(always.min(), rel=1e-12)
    assert display.share == rate["theft"]
    decided = np.array(how["actions"])[(P[:, None] @ matrix)[:, 0].argmin(axis=1)]
    now = cost_loss(y, decided, **how)
    assert display.cost_at(display.share) == pytest.approx(now, rel=1e-12)


def test_class_cost_curve_of_two_classes_is_the_cost_at_shifted_odds(priced):
    X, y, _, _ = priced
    model = LogisticRegression().fit(X, y)
    display = ClassCostCurveDisplay.from_estimator(
        model, X, y, cost_matrix=[[0, 2.0], [7.0, 0]], of=1, n_shares=21
    )
    p, rate = model.predict_proba(X)[:, 1], y.mean()
    for share, cost in zip(display.shares[1:-1], display.cost[1:-1], strict=True):
        odds = p / (1 - p) * share / (1 - share) * (1 - rate) / rate
        weight = np.where(y == 1, share / rate, (1 - share) / (1 - rate))
        by_hand = cost_loss(y, 7.0 * odds > 2.0, fp_cost=2.0, fn_cost=7.0, sample_weight=weight)
        assert cost == pytest.approx(by_hand, rel=1e-9)
    assert display.cost[0] == display.constant_cost[0] == 0
    assert "LogisticRegression" in display.line_.get_label()
    display.figure_.canvas.draw()


def test_class_cost_curve_names_what_is_wrong(rng):
    y, P = three_classes(rng)
    matrix = 1 - np.eye(3)
    with pytest.raises(ValueError, match="of='fraud' is none of the classes: fault, fine, theft"):
        ClassCostCurveDisplay.from_predictions(y, P, cost_matrix=matrix, of="fraud")
    with pytest.raises(ValueError, match="no examples of 'theft'"):
        ClassCostCurveDisplay.from_predictions(
            y[y != "theft"],
            P[y != "theft"],
            cost_matrix=matrix,
            labels=["fault", "fine", "theft"],
            of="theft",
        )
    certain = np.eye(3)[rng.integers(0, 3, len(y))]  # of classes that are gone at a share of 0 or 1
    display = ClassCostCurveDisplay.from_predictions(y, certain, cost_matrix=matrix, of="theft")
    assert display.cost[-1] == 0.0 and np.isfinite(display.cost).all()
