"""Streams of more than two classes: one learner per class, decisions by a cost matrix."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from stakes.decision import BayesDecisionClassifier
from stakes.errors import BelowTrivialWarning
from stakes.model_file import load_model, save_model
from stakes.online import (
    AROWClassifier,
    CWCVaRClassifier,
    OneVsRestStreamClassifier,
    ProbitClassifier,
)

WARY = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 2.0], [30.0, 10.0, 0.0]])


def three(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.7, 0.2, 0.1])
    X = rng.normal(size=(n, 4)) + 1.5 * np.eye(3, 4)[y]
    return X, np.array(["ok", "late", "lost"])[y]


@pytest.mark.parametrize(
    "estimator", [None, AROWClassifier(), CWCVaRClassifier()], ids=["default", "AROW", "CW-CVaR"]
)
def test_a_batch_equals_one_by_one(estimator):
    X, y = three(120)
    tables = np.random.default_rng(1).uniform(0.5, 2, 120)[:, None, None] * WARY
    whole = OneVsRestStreamClassifier(clone(estimator) if estimator else None)
    parts, single = clone(whole), clone(whole)
    labels = np.unique(y)
    whole.partial_fit(X, y, labels, cost_matrix=tables)
    for rows in np.array_split(np.arange(120), 7):
        parts.partial_fit(X[rows], y[rows], labels, cost_matrix=tables[rows])
    for x, label, table in zip(X, y.tolist(), tables, strict=True):
        single.learn_one(x, label, classes=labels, cost_matrix=table)
    expected = whole.predict_proba(X)
    np.testing.assert_array_equal(parts.predict_proba(X), expected)
    np.testing.assert_array_equal(single.predict_proba(X), expected)
    assert [single.predict_one(x, cost_matrix=WARY) for x in X] == whole.predict(
        X, cost_matrix=WARY
    ).tolist()
    assert single.predict_proba_one(X[0]) == dict(zip(labels, expected[0], strict=True))


def test_the_decision_is_the_least_expected_cost():
    X, y = three()
    model = OneVsRestStreamClassifier(cost_matrix=WARY).fit(X, y)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    expected = np.array(
        [[sum(P[i, t] * WARY[t, j] for t in range(3)) for j in range(3)] for i in range(400)]
    )
    assert (model.predict(X) == model.classes_[expected.argmin(axis=1)]).all()
    scaled = OneVsRestStreamClassifier(cost_matrix=1000 * WARY).fit(X, y)
    assert (scaled.predict(X) == model.predict(X)).all()
    money = WARY[np.searchsorted(model.classes_, y), expected.argmin(axis=1)].sum()
    assert model.score(X, y) == pytest.approx(
        1 - money / WARY.max(axis=1)[np.searchsorted(model.classes_, y)].sum()
    )


def test_an_example_without_stakes_teaches_nothing():
    X, y = three(200)
    tables = np.tile(WARY, (200, 1, 1))
    tables[150:] = 0.0
    model = OneVsRestStreamClassifier().fit(X, y, cost_matrix=tables)
    less = OneVsRestStreamClassifier().fit(X[:150], y[:150], cost_matrix=tables[:150])
    np.testing.assert_array_equal(model.predict_proba(X), less.predict_proba(X))


def test_it_beats_plain_decisions_in_money():
    X, y = three(3000)
    model = OneVsRestStreamClassifier(cost_matrix=WARY).partial_fit(X[:2000], y[:2000])
    truth = np.searchsorted(model.classes_, y[2000:])

    def paid(decided):
        return WARY[truth, np.searchsorted(model.classes_, decided)].mean()

    plain = model.classes_[model.predict_proba(X[2000:]).argmax(axis=1)]
    assert paid(model.predict(X[2000:])) < 0.9 * paid(plain)
    assert paid(model.predict(X[2000:])) < min(paid(np.full(1000, c)) for c in model.classes_)


def test_two_classes_decide_as_the_learner_does():
    X, y = three()
    y = (y == "lost").astype(int)
    alone = BayesDecisionClassifier(ProbitClassifier(), fn_cost=9.0, costs_in_training=False)
    alone.fit(X, y)
    both = OneVsRestStreamClassifier().fit(X, y)
    decided = both.predict(X, cost_matrix=[[0, 1], [9, 0]])
    assert np.mean(decided == alone.predict(X)) > 0.97


def test_sparse_rows_dicts_and_files(tmp_path):
    X, y = three(80)
    X[np.abs(X) < 0.7] = 0
    model = OneVsRestStreamClassifier().partial_fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(
        model.predict_proba(X), OneVsRestStreamClassifier().partial_fit(X, y).predict_proba(X)
    )
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m").model
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    events = OneVsRestStreamClassifier()
    for x, label in zip(X, y.tolist(), strict=True):
        events.learn_one({f"f{j}": v for j, v in enumerate(x) if v}, label, classes=model.classes_)
    assert events.predict_one({"f0": 3.0, "unknown": 1.0}) in model.classes_.tolist()


def test_what_does_not_fit_is_refused_and_leaves_no_trace():
    X, y = three(60)
    model = OneVsRestStreamClassifier().partial_fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="y has the label 'gone'"):
        model.partial_fit(X[:1], ["gone"])
    with pytest.raises(ValueError, match="cost_matrix must have shape"):
        model.partial_fit(X[:1], y[:1], cost_matrix=np.eye(2))
    with pytest.raises(ValueError, match="must be finite"):
        model.learn_one(np.full(4, np.nan), "ok")
    np.testing.assert_array_equal(model.predict_proba(X), before)
    with pytest.raises(ValueError, match="pass all labels as classes="):
        OneVsRestStreamClassifier().learn_one(X[0], "ok")
    with pytest.raises(ValueError, match="needs all classes"):
        OneVsRestStreamClassifier().partial_fit(X[:1], y[:1])


class Contrary(ProbitClassifier):
    """Takes every class for unlikely where it is likely."""

    def predict_proba(self, X):
        return super().predict_proba(X)[:, ::-1]


@pytest.mark.parametrize("tables", [WARY, np.tile(WARY, (400, 1, 1))], ids=["one", "each"])
def test_worthless_decisions_are_reported(tables):
    X, y = three()
    with pytest.warns(BelowTrivialWarning, match="always predicting"):
        OneVsRestStreamClassifier(Contrary()).fit(X, y, cost_matrix=tables)


def test_weights_of_another_length_are_refused():
    X, y = three()
    for call in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match=r"sample_weight\.shape"):
            getattr(OneVsRestStreamClassifier(), call)(X, y, sample_weight=np.ones(len(y) + 1))
