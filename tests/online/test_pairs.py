"""Learners of sparse rows keep each mean next to its variance; nobody notices."""

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from stakes.errors import InputError
from stakes.model_file import load_model, save_model
from stakes.online import (
    AROWClassifier,
    CWClassifier,
    CWCVaRClassifier,
    CWRobustClassifier,
    ProbitClassifier,
    SCWClassifier,
)
from stakes.online._state import ALARM, HEAD, LISTENS, N_SEEN, PAIRED

LEARNERS = [
    AROWClassifier(half_life=50.0),
    CWClassifier(half_life=None),
    CWCVaRClassifier(),
    CWRobustClassifier(half_life=30.0, prior_variance=3.0),
    ProbitClassifier(),
    SCWClassifier(),
]
names = pytest.mark.parametrize("learner", LEARNERS, ids=lambda m: type(m).__name__)


def stream(n=700, d=9, flip_at=350):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    turned = np.where(np.arange(n) < flip_at, 1.0, -1.0)
    return X, (turned * X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)


@names
def test_rows_of_both_forms_teach_what_rows_of_one_form_teach(learner):
    X, y = stream()
    S = sparse.csr_matrix(X)
    mixed, dense = clone(learner), clone(learner).partial_fit(X, y, [0, 1])
    for start in range(0, 700, 100):
        rows = slice(start, start + 100)
        mixed.partial_fit((S if start % 200 else X)[rows], y[rows], [0, 1])
    np.testing.assert_allclose(mixed.coef_, dense.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(mixed.covariance_, dense.covariance_, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(mixed.intercept_, dense.intercept_, rtol=1e-6, atol=1e-9)


@names
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_scoring_rows_of_the_other_form_changes_nothing(learner, form):
    X, y = stream()
    model = clone(learner).fit(form(X), y)
    before = copy.deepcopy(model._knows)
    by_table = model.predict_proba(X[:20])
    np.testing.assert_allclose(model.predict_proba(sparse.csr_matrix(X[:20])), by_table, rtol=1e-9)
    ones = [model.predict_one(x, fp_cost=1.0, fn_cost=3.0) for x in X[:20]]
    assert ones == list(model.predict(X[:20], fp_cost=1.0, fn_cost=3.0))
    np.testing.assert_array_equal(model._knows[HEAD:], before[HEAD:])
    assert model._knows[PAIRED] == before[PAIRED]


@names
def test_events_by_name_teach_what_a_table_teaches_and_may_bring_new_names(learner):
    X, y = stream(200)
    named = clone(learner)
    for x, label in zip(X, y, strict=True):
        named.learn_one({f"c{j}": x[j] for j in np.flatnonzero(x)}, label)
    order = [int(name[1:]) for name in named.feature_names_in_]
    rows = clone(learner).partial_fit(sparse.csr_matrix(X), y, [0, 1])
    np.testing.assert_allclose(named.coef_[0], rows.coef_[0][order], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(named.covariance_, rows.covariance_[order], rtol=1e-6)


@names
def test_the_stored_state_does_not_depend_on_the_form_of_the_last_row(learner):
    X, y = stream()
    model = clone(learner).partial_fit(sparse.csr_matrix(X), y, [0, 1])
    before, again = model.__getstate__(), pickle.loads(pickle.dumps(model))
    again.predict(X[:5])
    again._arrange(sparse=False)
    after = again.__getstate__()
    for part in ("_knows", "_rivals"):
        np.testing.assert_array_equal(after[part], before[part])
    np.testing.assert_array_equal(again.coef_, model.coef_)


@names
def test_a_model_of_sparse_rows_continues_from_a_file_and_a_damaged_order_is_refused(
    learner, tmp_path
):
    X, y = stream()
    S = sparse.csr_matrix(X)
    model = clone(learner).partial_fit(S[:400], y[:400], [0, 1])
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model").model
    for one in (model, again):
        one.partial_fit(S[400:], y[400:])
    np.testing.assert_array_equal(model._knows, again._knows)
    model._knows[PAIRED] = 0.5
    with pytest.raises(InputError, match="no known order"):  # it is loaded before it is written
        save_model(model, tmp_path / "damaged")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.jit
def test_signs_that_are_wrong_more_often_call_the_rivals_within_a_thousand_examples(form):
    rng = np.random.default_rng(0)
    n, change = 40_000, 30_000
    X = rng.normal(size=(n, 6))
    f = np.where(np.arange(n) < change, 2.0 * X[:, 0], 1.6 * X[:, 0] - 1.2 * X[:, 1])
    y = (f + rng.normal(size=n) > 0).astype(int)
    X = form(X)
    model = ProbitClassifier().partial_fit(X[:change], y[:change], [0, 1])
    assert model._knows[LISTENS] == 1.0 and model._clock[2] > change + 2000
    assert 0.0 < model._knows[ALARM] < 500_000.0
    while model._knows[LISTENS] == 1.0:
        rows = slice(int(model._knows[N_SEEN]), int(model._knows[N_SEEN]) + 10)
        model.partial_fit(X[rows], y[rows])
    assert model._knows[N_SEEN] < change + 1000
