"""Training on tables in parts equals training in memory, for any number of parts."""

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from payments import payments
from stakes._core.deciding import decide_with_costs
from stakes.compare import TableSettings, load_decider, train_parts_to_file
from stakes.decision import BayesDecisionClassifier
from stakes.errors import BelowTrivialWarning, InputError
from stakes.metrics import MetricSums, cost_loss, savings_score
from stakes.online import ProbitClassifier
from stakes.qmean import QuadraticMeanClassifier
from stakes.scale import _by_part, fit_parts, measure, survey
from stakes.tables import load_table, prepare
from stakes.tree import ConfidenceForestClassifier

COSTS = dict(fp_cost="max(5, 0.05*amount)", fn_cost="amount")
TABLE = payments(1500)
LOGISTIC = LogisticRegression(tol=1e-12, max_iter=10_000, solver="newton-cholesky")


def spread(folder, table, n_parts, suffix="parquet"):
    folder.mkdir()
    for k, rows in enumerate(np.array_split(np.arange(table.height), n_parts)):
        getattr(table[rows], f"write_{suffix}")(folder / f"{k:03d}.{suffix}")
    return folder


@pytest.fixture(scope="module")
def in_memory():
    data = load_table(TABLE, "fraud", **COSTS, drop="id")
    costs = {f"learner__{name}": np.broadcast_to(c, len(data)) for name, c in data.costs.items()}
    learners = {
        "logistic": (BayesDecisionClassifier(LOGISTIC), {}),
        "weighted": (LOGISTIC, {"learner__sample_weight": data.as_costs().regret(data.truth)}),
        "mean": (QuadraticMeanClassifier(tol=1e-13), costs),
    }
    models = {k: prepare(one, data).fit(data.X, data.y, **c) for k, (one, c) in learners.items()}
    return data, learners, models


@pytest.mark.parametrize(
    ("n_parts", "suffix"),
    [(1, "parquet"), (2, "parquet"), (7, "csv"), (7, "parquet"), (64, "parquet")],
)
def test_exact_learners_equal_those_in_memory(n_parts, suffix, in_memory, tmp_path):
    data, learners, models = in_memory
    table = survey(spread(tmp_path / "t", TABLE, n_parts, suffix), "fraud", costs=COSTS, drop="id")
    assert (table.rows, table.positives, table.kinds) == (1500, data.y.sum(), data.kinds)
    assert table.positive == data.positive
    for name, (learner, _) in learners.items():
        if suffix == "csv" and name != "logistic":
            continue
        found = fit_parts(learner, table, priced=name == "weighted")
        mine, theirs = found.model, models[name]
        assert mine[0].feature_names_out_ == theirs[0].feature_names_out_
        np.testing.assert_allclose(mine[0].center_, theirs[0].center_, rtol=1e-12)
        np.testing.assert_allclose(mine[0].scale_, theirs[0].scale_, rtol=1e-12)
        one, other = (m[1].estimator_ if name == "logistic" else m[1] for m in (mine, theirs))
        np.testing.assert_allclose(one.coef_, other.coef_, rtol=0, atol=1e-8)
        np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=0, atol=1e-8)
        decided, p = decide_with_costs(mine, data.X, **data.costs)
        expected, q = decide_with_costs(theirs, data.X, **data.costs)
        np.testing.assert_allclose(p, q, rtol=0, atol=1e-8)
        assert (decided == expected).all()
        assert found.certificate["gap"] < 1e-9 and found.certificate["passes"] < 12


def test_single_precision_loses_no_digits(tmp_path):
    """Columns of float32, as packed rows keep them: far from zero, and with gaps."""
    rng = np.random.default_rng(0)
    X = (1e4 + 3 * rng.normal(size=(4000, 3))).astype(np.float32)
    table = pl.DataFrame(X, schema=["a", "b", "c"]).with_columns(
        a=pl.when(pl.Series(rng.random(4000) < 0.9)).then(pl.col("a")),
        y=pl.Series((X.sum(axis=1) + 3 * rng.normal(size=4000) > 3e4).astype(int)),
    )
    data = load_table(table, "y")
    expected = prepare(LOGISTIC, data).fit(data.X, data.y)
    found = fit_parts(LOGISTIC, survey(spread(tmp_path / "t", table, 3), "y")).model
    np.testing.assert_allclose(found[0].center_, expected[0].center_, rtol=1e-14)
    np.testing.assert_allclose(found[0].scale_, expected[0].scale_, rtol=1e-12)
    np.testing.assert_allclose(found[1].coef_, expected[1].coef_, rtol=0, atol=1e-8)


def test_without_space_for_packed_rows_they_are_read_again(in_memory, tmp_path, monkeypatch):
    from stakes.scale import _packed

    table = survey(spread(tmp_path / "t", TABLE, 2), "fraud", costs=COSTS, drop="id")
    found = fit_parts(LOGISTIC, table)
    monkeypatch.setattr(_packed, "FREE_SHARE", 0.0)
    again = fit_parts(LOGISTIC, table)
    np.testing.assert_allclose(again.model[1].coef_, found.model[1].coef_, rtol=0, atol=1e-10)
    assert again.certificate["passes"] == found.certificate["passes"] < 8


def test_a_sample_of_one_class_starts_nowhere(tmp_path):
    table = pl.DataFrame({"x": np.arange(3000.0), "y": [0] * 2997 + [1] * 3})
    folder = spread(tmp_path / "t", table, 2)
    found, expected = (
        fit_parts(LogisticRegression(), survey(folder, "y", sample_rows=n)) for n in (20, 3000)
    )
    assert survey(folder, "y", sample_rows=20).sampled["y"].sum() == 0
    np.testing.assert_allclose(found.model[1].coef_, expected.model[1].coef_, rtol=0, atol=1e-8)


def test_the_gap_is_a_bound(in_memory, tmp_path):
    """The certificate of a point that is no optimum covers its true distance."""
    from stakes.qmean import ClassSums, LogisticObjective, MeanObjective, minimize_sums

    data, _, models = in_memory
    Z, sign = models["weighted"][0].transform(data.X), np.where(data.y == 1, 1.0, -1.0)
    weight = data.as_costs().regret(data.truth)
    rng = np.random.default_rng(0)

    def evaluate(W):
        return ClassSums.of(Z, sign, weight, W)

    for objective in (
        LogisticObjective(0.3),
        MeanObjective(1e-2),
        MeanObjective(1e-2, 4.0, "cost"),
    ):
        best = minimize_sums(evaluate, objective, Z.shape[1])
        for size in (1e-3, 0.1, 1.0):
            W = best.W + size * rng.normal(size=len(best.W))
            value, gradient, _, bound = objective.parts(evaluate(W), W)
            assert bound <= best.objective * (1 + 1e-12) <= value * (1 + 1e-12)
            step = 1e-5 * gradient / np.linalg.norm(gradient)
            up, down = (objective.parts(evaluate(V), V)[0] for V in (W + step, W - step))
            slope = (up - down) / 2e-5
            assert slope == pytest.approx(np.linalg.norm(gradient), rel=1e-4)


@pytest.mark.jit
def test_learners_of_parts_are_merged(in_memory, tmp_path, monkeypatch):
    """One part: the model of one table, to the last bit. Several: their merge."""
    data = in_memory[0]
    costs = {f"learner__{name}": np.broadcast_to(c, len(data)) for name, c in data.costs.items()}
    one = survey(spread(tmp_path / "one", TABLE, 1), "fraud", costs=COSTS, drop="id")
    seven = survey(spread(tmp_path / "seven", TABLE, 7), "fraud", costs=COSTS, drop="id")
    forest = ConfidenceForestClassifier(n_estimators=7, random_state=3)
    for learner in (ProbitClassifier(), forest):
        expected = prepare(learner, data).fit(data.X, data.y, **costs).predict_proba(data.X)
        assert np.array_equal(fit_parts(learner, one).model.predict_proba(data.X), expected)
        # small parts are learned as one: 1,500 rows are fewer than the limit
        again = fit_parts(learner, seven).model.predict_proba(data.X)
        np.testing.assert_allclose(again, expected, rtol=0, atol=1e-9)
    monkeypatch.setattr(_by_part, "MIN_ROWS", 300)
    grown = fit_parts(forest, seven).model[1]
    assert len(grown.roots_) == grown.n_estimators == 7
    whole = fit_parts(ProbitClassifier(), one).model[1].coef_
    read, groups = {}, {}
    for least in (20, 100, 10_000):  # rows of the rarer class that a group must have
        monkeypatch.setattr(_by_part, "MIN_OF_A_CLASS", least)
        grouped = _by_part.group_parts
        monkeypatch.setattr(
            _by_part,
            "group_parts",
            lambda *how: groups.setdefault(least, grouped(*how)),  # noqa: B023
        )
        read[least] = fit_parts(ProbitClassifier(), seven).model[1]
        monkeypatch.setattr(_by_part, "group_parts", grouped)
    assert all(one.n_seen_ == 1500 for one in read.values())
    np.testing.assert_allclose(read[10_000].coef_, whole, rtol=0, atol=1e-9)
    assert not np.allclose(read[20].coef_, whole, rtol=0, atol=1e-9)
    n = {least: len(found) for least, found in groups.items()}
    assert n[20] >= 3 and n[10_000] == 1 and 1 < n[100] <= n[20], n


@pytest.mark.jit
def test_merged_forest_is_the_mean_of_its_trees():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    parts = [
        ConfidenceForestClassifier(n_estimators=n, random_state=n).fit(X[k::2], y[k::2])
        for k, n in enumerate((3, 5))
    ]
    merged = parts[0].merge(parts[1])
    expected = (3 * parts[0].predict_proba(X) + 5 * parts[1].predict_proba(X)) / 8
    np.testing.assert_allclose(merged.predict_proba(X), expected, rtol=1e-12)
    assert parts[0].n_estimators == 3 and merged.n_estimators == 8
    with pytest.raises(ValueError, match="Only forests with equal parameters"):
        parts[0].merge(ConfidenceForestClassifier(max_depth=2).fit(X, y))


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_trained_file_decides_as_any_other(suffix, tmp_path):
    xgboost = pytest.importorskip("xgboost")
    assert xgboost
    folder = spread(tmp_path / "t", TABLE, 3, suffix)
    settings = TableSettings(str(folder), "fraud", None, COSTS, ["id"])
    found = train_parts_to_file(tmp_path / "m.skops", "xgboost", settings)
    assert found.rows == 1500 and found.paid.rows == 1500 and found.paid.savings > 0.6
    text = found.card.read_text()
    positives = (TABLE["fraud"] == "yes").sum()
    assert f"1,500 rows, {positives} positive" in text and "held out to calibrate" in text
    decided = load_decider(tmp_path / "m.skops").decide(TABLE)
    positive = TABLE["fraud"].to_numpy() == "yes"
    act = decided["decision"].to_numpy() == 1
    cost = np.where(positive, TABLE["amount"] * ~act, np.maximum(5, 0.05 * TABLE["amount"]) * act)
    assert cost.sum() == pytest.approx(found.paid.totals[0], rel=1e-9)
    # the same rows in other files: the same model
    if suffix == "parquet":
        other = TableSettings(str(spread(tmp_path / "u", TABLE, 64)), "fraud", None, COSTS, ["id"])
        train_parts_to_file(tmp_path / "n.skops", "xgboost", other)
        assert load_decider(tmp_path / "n.skops").decide(TABLE).equals(decided)


def test_tuned_on_a_sample_and_finished_on_all_rows(tmp_path, monkeypatch):
    from stakes.compare import _deploy_training

    monkeypatch.setattr(_deploy_training, "SAMPLE", 500)
    folder = spread(tmp_path / "t", TABLE, 3)
    settings = TableSettings(str(folder), "fraud", None, COSTS, ["id"], sample=700)
    assert len(settings.load()) == 700
    name = "logistic regression, Bayes decision"
    found = train_parts_to_file(tmp_path / "m.skops", name, settings)
    assert "chosen on a random sample of 500 rows" in found.card.read_text()
    assert found.certificate["gap"] < 1e-6


def test_the_sample_is_uniform_and_does_not_depend_on_the_parts(tmp_path):
    how = dict(sample_rows=200, drop="id")
    samples = [
        survey(spread(tmp_path / f"t{n}", TABLE, n), "fraud", **how).sampled["id"] for n in (1, 7)
    ]
    assert samples[0].equals(samples[1]) and len(samples[0]) == samples[0].n_unique() == 200
    folder = tmp_path / "t7"
    drawn = np.zeros(1500)
    for seed in range(30):
        found = survey(folder, "fraud", **how, random_state=seed).sampled["id"].to_numpy()
        drawn[found] += 1
    assert drawn.sum() == 30 * 200
    expected, spread_of = 30 * 200 / 1500, np.sqrt(30 * 200 / 1500 * (1 - 200 / 1500))
    assert abs(drawn.var() - spread_of**2) < 6 * spread_of**2 * np.sqrt(2 / 1500)
    assert abs(drawn - expected).max() < 5 * spread_of


def test_columns_are_those_of_one_table(tmp_path):
    """Constant, empty and text-like columns, words for gaps, and types that differ by part."""
    n = 300
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "y": rng.integers(0, 2, n),
            "x": rng.normal(size=n),
            "constant": ["a"] * n,
            "number": [f"{v}" if v % 7 else "refused" for v in range(n)],
            "code": [f"c{v}" for v in rng.integers(0, 260, n)],
            "name": [f"person {v}" for v in range(n)],
            "when": [f"2024-01-{1 + v % 28:02d}" for v in range(n)],
            "late": [None] * 200 + list(range(100)),
            "word": ["n/a", "yes", "no"] * 100,
        }
    )
    for suffix in ("csv", "parquet"):
        path = tmp_path / f"all.{suffix}"
        getattr(table, f"write_{suffix}")(path)
        data = load_table(path, "y", missing="refused")
        folder = spread(tmp_path / suffix, table, 7, suffix)
        found = survey(folder, "y", missing="refused")
        assert found.kinds == data.kinds
        mine, theirs = found._found[1], data._found[1]
        assert mine == theirs
        assert found.sample.X.schema == data.X.schema or suffix == "parquet"


def test_what_cannot_be_read_says_why(tmp_path):
    folder = spread(tmp_path / "t", TABLE, 3)
    with pytest.raises(InputError, match="'fraude' is not in the table: did you mean 'fraud'"):
        survey(folder, "fraude")
    with pytest.raises(InputError, match="'amuont' is not in the table"):
        survey(folder, "fraud", costs={"fn_cost": "amuont"})
    TABLE.drop("risk").write_parquet(folder / "003.parquet")
    with pytest.raises(InputError, match="Only some parts of the table have the column 'risk'"):
        survey(folder, "fraud")
    TABLE.with_columns(risk=pl.lit("high")).write_parquet(folder / "003.parquet")
    with pytest.raises(InputError, match=r"'risk' is Float64 in one part .* and String in another"):
        survey(folder, "fraud")
    (folder / "003.parquet").unlink()
    TABLE.write_csv(folder / "003.csv")
    with pytest.raises(InputError, match="has Parquet and text files"):
        survey(folder, "fraud")
    (folder / "003.csv").unlink()
    table = survey(folder, "fraud", drop="id")
    with pytest.raises(InputError, match="DecisionTreeClassifier cannot be trained on a table"):
        from sklearn.tree import DecisionTreeClassifier

        fit_parts(DecisionTreeClassifier(), table)
    settings = TableSettings(str(folder), "fraud", time="day")
    with pytest.raises(InputError, match="time is for one file"):
        settings.load()
    settings = TableSettings(str(folder), "fraud")
    with pytest.raises(InputError, match=r"cannot be trained on a folder; .* XGBoost, calibrated"):
        train_parts_to_file(tmp_path / "m", "CostSensitiveSVC", settings)


def test_losing_to_a_constant_policy_is_not_silent(tmp_path):
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"x": rng.normal(size=400), "y": (rng.random(400) < 0.5).astype(int)})
    folder = spread(tmp_path / "t", table, 2)
    settings = TableSettings(str(folder), "y", None, {"fn_cost": "1000", "fp_cost": "1"})
    name = "logistic regression at 0.5"
    with pytest.warns(BelowTrivialWarning, match="cost more than always predicting positive"):
        train_parts_to_file(tmp_path / "m.skops", name, settings, tune=False)


@pytest.mark.jit
@pytest.mark.parametrize("n_parts", [1, 2, 7, 64])
def test_money_and_intervals_do_not_depend_on_the_parts(n_parts, in_memory, tmp_path):
    data, _, models = in_memory
    table = survey(spread(tmp_path / "t", TABLE, n_parts), "fraud", costs=COSTS, drop="id")
    found = measure(models["logistic"], table, n_boot=20)
    decided, p = decide_with_costs(models["logistic"], data.X, **data.costs)
    expected = MetricSums(savings_score, n_boot=20).add(
        np.arange(1500), data.y, decided, **data.as_costs().keywords()
    )
    one, other = found.savings, expected.interval()
    assert one.estimate == pytest.approx(savings_score(data.y, decided, **data.costs), rel=1e-12)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)
    assert found.cost.estimate == pytest.approx(cost_loss(data.y, decided, **data.costs))
    at = found.curve.thresholds.tolist().index(0.25)
    acted = savings_score(data.y, (p >= 0.25).astype(int), **data.costs)
    assert found.curve.savings[at] == pytest.approx(acted, abs=1e-9)
    assert found.rows == 1500
    with pytest.raises(InputError, match="'kind' must be a column of whole numbers"):
        measure(models["logistic"], table, key="kind")
