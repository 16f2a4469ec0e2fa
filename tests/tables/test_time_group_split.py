"""Folds that go forward in time and keep groups together, checked row by row."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

from stakes.errors import InputError
from stakes.tables import TimeGroupSplit, load_table


def rows(rng, n=200):
    days = rng.integers(0, 60, n)
    return pl.DataFrame(
        {
            "day": [date(2024, 1, 1) + timedelta(days=int(d)) for d in days],
            "who": rng.choice([f"c{j}" for j in range(25)], n),
            "x": rng.normal(size=n),
        }
    ), (rng.random(n) < 0.4).astype(int)


@pytest.mark.parametrize("delay", [None, 7])
@pytest.mark.parametrize("window", [None, 20])
@pytest.mark.parametrize("grouped", [False, True])
def test_every_row_is_where_it_belongs(rng, delay, window, grouped):
    X, y = rows(rng)
    how = dict(label_delay=delay and f"{delay}d", window=window and f"{window}d", random_state=0)
    cut = TimeGroupSplit(n_splits=3, time="day", group="who" if grouped else None, **how)
    folds = list(cut.split(X, y))
    assert len(folds) == cut.get_n_splits() == (9 if grouped else 3)
    tested = np.concatenate([test for _, test in folds])
    assert len(np.unique(tested)) == len(tested)
    days, who = X["day"].to_list(), X["who"].to_list()
    first = min(days[i] for i in tested)
    assert set(tested) == {i for i in range(len(X)) if days[i] >= first}
    parts = 3 if grouped else 1  # folds of one part of time
    for number, (train, test) in enumerate(folds):
        same_time = folds[number // parts * parts :][:parts]
        start = min(days[i] for _, part in same_time for i in part)
        members = {who[i] for i in test}
        expected = [
            i
            for i in range(len(X))
            if days[i] < start
            and (delay is None or days[i] + timedelta(days=delay) <= start)
            and (window is None or days[i] >= start - timedelta(days=window))
        ]
        if grouped:
            assert members.isdisjoint(who[i] for i in train)
            assert set(train) <= set(expected)
        else:
            assert train.tolist() == expected


def test_both_parts_together_use_every_earlier_row_of_other_groups(rng):
    X, y = rows(rng)
    cut = TimeGroupSplit(n_splits=2, time="day", group="who", group_splits=2, random_state=0)
    folds = list(cut.split(X, y))
    for first, second in (folds[:2], folds[2:]):
        used = np.concatenate([first[0], second[0]])
        start = min(X["day"][int(i)] for i in np.concatenate([first[1], second[1]]))
        earlier = np.flatnonzero((X["day"] < start).to_numpy())
        assert sorted(used) == sorted(earlier)


def test_groups_alone_are_a_partition(rng):
    X, y = rows(rng)
    folds = list(TimeGroupSplit(n_splits=4, group="who", random_state=0).split(X, y))
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(len(X)))
    for train, test in folds:
        assert set(X["who"].gather(train)).isdisjoint(X["who"].gather(test))


def test_it_works_inside_scikit_learn(rng):
    X, y = rows(rng)
    cut = TimeGroupSplit(n_splits=3, time=X["day"].to_numpy(), label_delay="3d")
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=cut).fit(
        X[["x"]].to_numpy(), y
    )
    assert search.n_splits_ == 3
    scores = cross_val_score(LogisticRegression(), X[["x"]].to_numpy(), y, cv=cut)
    manual = [
        LogisticRegression()
        .fit(X["x"].to_numpy()[a, None], y[a])
        .score(X["x"].to_numpy()[b, None], y[b])
        for a, b in cut.split(y)
    ]
    assert scores.tolist() == manual


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (dict(time="day", label_delay="90d"), "no training rows"),
        (dict(time="day", label_delay=7), "duration such as"),
        (dict(time="x", label_delay="7d"), "a number, like the times"),
        (dict(time="who"), "dates, datetimes or numbers"),
        (dict(time=[1.0, 2.0]), "2 values for 200 rows"),
        (dict(), "Give time or group"),
        (dict(time="same"), "too few different times"),
        (dict(group="same"), "1 groups, fewer than"),
        (dict(time="gaps"), "row.s. have no time"),
    ],
)
def test_what_cannot_be_split_is_refused(rng, how, words):
    X, y = rows(rng)
    X = X.with_columns(same=pl.lit(1.0), gaps=pl.when(pl.col("x") > 0).then(pl.col("x")))
    with pytest.raises(InputError, match=words):
        list(TimeGroupSplit(n_splits=3, **how).split(X, y))


def test_a_table_knows_its_times_and_groups(rng):
    X, y = rows(rng)
    table = X.with_columns(y=pl.Series(y), when=pl.col("day").cast(pl.String))
    data = load_table(table, "y", time="when", group="who", label_delay="7d", drop="day")
    assert data.X.columns == ["x"] and data.alarms == []
    assert data.origin.time[3] == np.datetime64(X["day"][3], "us")
    assert data.take([3, 5]).origin.group.tolist() == data.origin.group[[3, 5]].tolist()
    with pytest.raises(InputError, match="label_delay needs the time"):
        load_table(table, "y", group="who", label_delay="7d")
    with pytest.raises(InputError, match="did you mean 'when'"):
        load_table(table, "y", time="whem")


def test_a_row_without_a_group_is_a_group(rng):
    X, y = rows(rng, 60)
    who = X["who"].to_list()
    who[:2] = None, None
    data = load_table(X.with_columns(who=pl.Series(who), y=pl.Series(y)), "y", group="who")
    assert (
        len(set(data.origin.group[:2]) | set(data.origin.group[2:])) == len(set(who) - {None}) + 2
    )
