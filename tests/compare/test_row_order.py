"""Stream learners read rows without times in random order, all others as they come."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from stakes.compare import Contestant, fit_on_all
from stakes.compare._fit import fit_contestant
from stakes.decision import BayesDecisionClassifier
from stakes.tables import RowOrigin
from toy import toy

SEEN = []


class Reader(ClassifierMixin, BaseEstimator):
    """Remembers the rows that it is given."""

    def fit(self, X, y):
        SEEN.append((np.asarray(X)[:, 0], np.asarray(y)))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), int)

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


class StreamReader(Reader):
    def learn_one(self, x, y):
        """It is never called: rows come in a table."""


def rows_read(estimator, data, seed=0):
    SEEN.clear()
    one = Contestant("reader", "plug-in", estimator, one_hot=False, scale=False)
    fit_contestant(one, data, seed, tune=False)
    return SEEN[0]


@pytest.fixture
def data():
    """Sorted by label, as many tables are."""
    data = toy(300)
    return data.take(np.argsort(-data.y, kind="stable"))


@pytest.mark.parametrize("wrap", [lambda one: one, BayesDecisionClassifier])
def test_only_stream_learners_read_in_random_order(data, wrap):
    amount = data.X["amount"].to_numpy()
    _, y = rows_read(wrap(Reader()), data)
    np.testing.assert_array_equal(y, data.y)
    found, y = rows_read(wrap(StreamReader()), data)
    assert (y != data.y).mean() > 0.2
    pairs = set(zip(amount.tolist(), data.y.tolist(), strict=True))
    assert set(zip(found.tolist(), y.tolist(), strict=True)) == pairs  # still the same rows
    again, _ = rows_read(wrap(StreamReader()), data)
    other, _ = rows_read(wrap(StreamReader()), data, seed=1)
    assert np.array_equal(found, again) and not np.array_equal(found, other)


def test_the_order_of_rows_with_times_is_kept(data):
    timed = replace(data, origin=RowOrigin(time=np.arange(len(data.y))))
    _, y = rows_read(StreamReader(), timed)
    np.testing.assert_array_equal(y, data.y)


def test_a_table_sorted_by_label_is_learned_like_any_other(data):
    fresh = toy(2000, seed=1)
    model, _ = fit_on_all("ProbitClassifier", data, tune=False)
    decided = model.predict(fresh.X, **fresh.costs)
    never = fresh.as_costs().paid(fresh.y, np.zeros(2000, bool)).sum()
    always = fresh.as_costs().paid(fresh.y, np.ones(2000, bool)).sum()
    assert fresh.as_costs().paid(fresh.y, decided == 1).sum() < 0.8 * min(never, always)
