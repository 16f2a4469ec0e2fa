"""Comparisons whose rows have times and groups: folds, tuning, intervals, what the report says."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from stakes.compare import Contestant, _fit, compare, fit_on_all
from stakes.compare._contestants import library
from stakes.compare._out_of_fold import OutOfFold
from stakes.compare._periods import periods
from stakes.compare._plan import splits
from stakes.compare._resamples import Resamples
from stakes.decision import BayesDecisionClassifier, BlendClassifier
from stakes.errors import InputError
from stakes.tables import RowOrigin, load_table, prepare


def events(seed=0, customers=150, each=4):
    """Four events of each customer, who is a defrauder or not: features tell who it is."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(customers), each)
    bad = rng.random(customers) < 0.3
    traits = rng.normal(size=(customers, 4))
    n = len(who)
    weak = 0.5 * bad[who] + rng.normal(size=n)
    columns = {f"trait{j}": traits[who, j] + 0.01 * rng.normal(size=n) for j in range(4)}
    day = np.datetime64("2024-01-01", "us") + rng.integers(0, 300, n) * np.timedelta64(1, "D")
    return pl.DataFrame(columns | {"weak": weak, "who": who, "day": day, "y": bad[who].astype(int)})


FOREST = Contestant(
    "forest", "baseline", BayesDecisionClassifier(RandomForestClassifier(30)), as_is=False
)


@pytest.mark.filterwarnings("ignore")
def test_groups_show_what_random_folds_hide(few, tmp_path):
    few.append(FOREST)
    table, costs = events(), dict(fp_cost=1, fn_cost=3)
    random = compare(
        load_table(table, "y", drop=["who", "day"], **costs), out=tmp_path / "a", tune=False
    )
    grouped = compare(
        load_table(table, "y", drop="day", group="who", **costs), out=tmp_path / "b", tune=False
    )
    savings = [
        next(
            f["savings"] for f in r.summary()["datasets"][0]["learners"] if f["learner"] == "forest"
        )
        for r in (random, grouped)
    ]
    assert savings[0] > 0.8 and savings[1] < 0.5
    for train, test in splits(grouped.datasets[0], 0, 5):
        who = grouped.datasets[0].origin.group
        assert set(who[train]).isdisjoint(who[test])


def drifting(n=900, seed=1, name="drift"):
    """The effect of x fades: what was learned early is worth less later."""
    rng = np.random.default_rng(seed)
    t = np.sort(rng.integers(0, 180, n))
    x = rng.normal(size=(n, 2))
    y = ((1 - 2 * t / 180) * x[:, 0] + 0.5 * x[:, 1] + 0.5 * rng.normal(size=n) > 0.8).astype(int)
    day = np.datetime64("2024-01-01", "us") + t * np.timedelta64(1, "D")
    frame = pl.DataFrame(
        {"a": x[:, 0], "b": x[:, 1], "day": day, "who": rng.integers(0, 90, n), "y": y}
    )
    return frame.sample(n, shuffle=True, seed=0)


def test_forward_folds_cost_more_than_random_ones_promise(few, tmp_path):
    data = load_table(
        drifting(), "y", fn_cost=3, time="day", label_delay="7d", drop="who", name="d"
    )
    results = compare(data, out=tmp_path, tune=True)
    page = results.report().read_text()
    part = results.summary()["datasets"][0]
    table = OutOfFold(results, data)
    assert len(table.data) < len(data) and table.data.origin.time.min() > data.origin.time.min()
    # the money of a manual loop
    for row in (r for r in results.rows if r["learner"] == "always positive" and r["repeat"] == 0):
        stored = results.file.arrays(row)
        assert row["cost"] == (data.y[stored["test_rows"]] == 0).sum()
    paid = table.of(part["best"]).paid
    assert part["learners"][0]["cost_per_1000"] == pytest.approx(1000 * paid.mean())
    # the promise of random folds, from a comparison without times on the same rows
    assert part["promise"]["excess_per_1000"] > 0
    assert part["promise"]["cost_per_1000"] + part["promise"]["excess_per_1000"] == pytest.approx(
        1000 * paid.mean()
    )
    at_random = [r for r in results.rows if r["repeat"] == -1]
    tested = np.flatnonzero(table._is_tested)
    decided = np.zeros(len(data), dtype=bool)
    for row in at_random:
        stored = results.file.arrays(row)
        decided[stored["test_rows"]] = stored["decided"]
    promised = data.as_costs().paid(data.y == 1, decided)[tested].mean()
    assert part["promise"]["cost_per_1000"] == pytest.approx(1000 * promised)
    # the periods add up to the whole
    by = part["periods"]
    assert np.average(by["cost_per_1000"], weights=by["n"]) == pytest.approx(1000 * paid.mean())
    assert by["unit"] == "week" and sum(by["n"]) == len(table.data)
    assert "Cost by week" in page and "Random folds would have promised" in page
    assert "ten blocks of consecutive rows" in page and "7d after the row" in page
    # nothing is fitted again
    again = compare(data, out=tmp_path, tune=True)
    assert again.rows == results.rows


class Recorder(LogisticRegression):
    """Notes the rows that it is fitted on; `a` identifies them."""

    seen = []

    def fit(self, X, y):
        Recorder.seen.append(np.sort(np.asarray(X)[:, 0]))
        return super().fit(X, y)


@pytest.mark.parametrize("kind", ["grid", "calibrated", "blend", "both"])
def test_inner_folds_go_forward_too(kind):
    data = load_table(drifting(), "y", fn_cost=3, time="day", label_delay="5d", group="who")
    inner = dict(calibration="sigmoid") if kind in ("calibrated", "both") else {}
    learner, how = BayesDecisionClassifier(Recorder(), **inner), dict(scale=False, one_hot=False)
    grid = {"estimator__C": [0.1, 1.0]} if kind in ("grid", "both") else {}
    if kind == "blend":
        blend = BlendClassifier([("one", prepare(Recorder(), **how))])
        learner, how = BayesDecisionClassifier(blend, costs_in_training=False), dict(as_is=True)
    Recorder.seen = []
    contestant = Contestant("recorder", "baseline", learner, grid, **how)
    model, chosen, _ = _fit.fit_contestant(contestant, data, 0, True)
    when = dict(zip(data.X["a"].to_list(), data.origin.time, strict=True))
    assert len(Recorder.seen[-1]) == len(data)  # the last fit is on all rows
    partial = [np.array([when[a] for a in rows]) for rows in Recorder.seen if len(rows) < len(data)]
    # random folds would have rows of the last day in nearly every fit
    assert partial and all(times.max() < data.origin.time.max() for times in partial)
    assert all(key in chosen for key in grid)
    decided = model.predict(data.X, fn_cost=3.0)
    assert set(decided) == {0, 1}


def test_too_few_rows_for_inner_folds_fall_back_with_a_warning(few):
    data = load_table(drifting(40), "y", time="day", label_delay="100d", drop="who")
    with pytest.warns(UserWarning, match="they are random instead"):
        _fit.fit_contestant(few[3], data, 0, True)


@pytest.mark.parametrize(
    "name",
    [
        "recommended blend",
        "hist gradient boosting, calibrated, Bayes decision",
        "ProbitClassifier",  # these calibrate themselves
        "LinearCostSensitiveSVC",
        "CWCVaRClassifier",
        "ConfidenceNeighborsClassifier",
    ],
)
def test_a_model_trained_with_times_predicts_without_them(name):
    data = load_table(drifting(300), "y", fn_cost=3, time="day", group="who")
    model, _ = fit_on_all(name, data, tune=False)
    assert set(model.predict(data.X, fn_cost=3.0)) == {0, 1}
    assert "InnerSplit" not in repr(model)


def test_every_learner_is_built_for_rows_with_times():
    data = load_table(drifting(300), "y", fn_cost=3, time="day", group="who")
    for entry in library():
        _fit.build(entry.build(), data, 0)


def test_bad_combinations_are_refused(few, tmp_path):
    from scipy import sparse

    data = load_table(drifting(100), "y", time="day", drop="who")
    with pytest.raises(InputError, match="sparse"):
        compare(replace(data, X=sparse.csr_array(np.eye(100))), out=tmp_path)


def two_way(rng, n=1200, groups=60, days=60, phi=0.5):
    """Costs with an effect of the customer, of the day (it lingers), and a drift."""
    who, day = rng.integers(groups, size=n), np.sort(rng.integers(days, size=n))
    lingering = np.zeros(days)
    shock = rng.normal(size=days)
    lingering[0] = shock[0] / np.sqrt(1 - phi**2)
    for t in range(1, days):
        lingering[t] = phi * lingering[t - 1] + shock[t]
    lingering *= 0.7 * np.sqrt(1 - phi**2)
    drift = np.sin(3 * np.arange(days) / days)
    cost = 3 + drift[day] + rng.normal(size=groups)[who] + lingering[day] + 1.5 * rng.normal(size=n)
    return cost, RowOrigin(time=day.astype(float), group=who), 3 + drift.mean()


def test_intervals_cover_with_drift_and_groups():
    covered, naive, n = 0, 0, 300
    for seed in range(n):
        cost, origin, true = two_way(np.random.default_rng(seed))
        for honest in (True, False):
            rows = Resamples(
                cost[:, None], origin if honest else None, n_boot=200, random_state=seed
            )
            low, high = rows.interval([1.0])
            if honest:
                covered += low <= true <= high
            else:
                naive += low <= true <= high
    # 0.95 give or take two and a half standard errors of 300 draws
    assert 0.918 <= covered / n <= 0.982
    assert naive / n < 0.6


def test_intervals_of_independent_rows_are_those_of_the_plain_bootstrap(rng):
    from stakes.compare import bootstrap_means
    from stakes.compare._stats import interval

    values = rng.normal(size=(80, 2))
    means = bootstrap_means(values)
    assert Resamples(values, None).interval([1, -1]) == interval(means[:, 0] - means[:, 1])


def test_clusters_of_one_row_are_nearly_the_plain_bootstrap(rng):
    values = rng.exponential(size=(400, 1))
    plain = np.ptp(Resamples(values, None).interval([1.0]))
    alone = np.ptp(Resamples(values, RowOrigin(group=np.arange(400))).interval([1.0]))
    assert alone == pytest.approx(plain, rel=0.1)


def test_periods_of_numbers_and_of_years():
    start, unit = periods(np.arange(100.0))
    assert unit is None and start.n_unique() == 20
    days = np.datetime64("1990-01-01", "us") + np.arange(0, 12000, 7) * np.timedelta64(1, "D")
    assert periods(days)[1] == "1y"
