"""One learner in several threads without a lock may end up wrong, and nothing else breaks."""

import threading

import numpy as np
import pytest
from scipy import sparse

from fuzz.together import in_threads
from stakes._core.locks import lock_of
from stakes.online import CWCVaRClassifier, ProbitClassifier
from stakes.online_forest import StreamForestClassifier
from stakes.online_kernel import (
    KernelFeaturesClassifier,
    KernelPAClassifier,
    KernelPerceptronClassifier,
    _features,
)

pytestmark = pytest.mark.jit  # it is compiled loops that do not look where they write


def data(n=200, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)


def test_a_lock_is_one_per_object_and_goes_with_it():
    class Thing:
        pass

    one, other = Thing(), Thing()
    assert lock_of(one) is lock_of(one) is not lock_of(other)
    with lock_of(one), lock_of(one):  # the same thread may take it again
        taken = []
        thread = threading.Thread(target=lambda: taken.append(lock_of(one).acquire(timeout=0.05)))
        thread.start()
        thread.join()
        assert taken == [False]


@pytest.mark.parametrize("learner", [KernelPAClassifier, CWCVaRClassifier])
def test_learning_in_threads_counts_every_example(learner):
    """Without a lock two threads fill the room that each of them made, and write behind it."""
    X, y = data()
    model = learner().partial_fit(X[:2], [0, 1])
    found = in_threads(lambda i: [model.partial_fit(X, y) and None for _ in range(3)], n=4)
    assert found == [[None] * 3] * 4
    assert model.n_seen_ == 2 + 4 * 3 * len(X)


@pytest.mark.parametrize("make_event", [dict, np.array], ids=["names", "arrays"])
def test_single_examples_in_threads_keep_the_arrays_together(make_event):
    X, y = data(60)
    learners = [KernelPAClassifier(), ProbitClassifier(), CWCVaRClassifier()]
    learners += [StreamForestClassifier(n_features=40, random_state=0)]
    for model in learners:
        named = make_event is dict

        def job(i, model=model, named=named):
            for t, row in enumerate(X):
                x = {f"{i} {t % 9} {j}": v for j, v in enumerate(row)} if named else row
                model.learn_one(x, int(y[t]))
                assert np.isfinite(list(model.predict_proba_one(x).values())).all()

        model.learn_one({"a": 1.0} if named else X[0], 0)
        assert in_threads(job) == [None] * 4, type(model).__name__


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_threads_that_score_sparse_rows_do_not_share_their_zeros(n_jobs):
    X, y = data(300, 40)
    X = sparse.csr_array(np.hstack([X * (X > 1.5), np.zeros((len(X), 400))]))
    model = KernelPerceptronClassifier(n_jobs=n_jobs).fit(X, y)
    expected = model.decision_function(X)
    for found in in_threads(lambda i: [model.decision_function(X) for _ in range(5)]):
        assert all(np.array_equal(one, expected) for one in found)


def test_scoring_while_another_thread_learns():
    X, y = data(400)
    model = KernelPAClassifier().fit(X[:20], y[:20])
    stop = threading.Event()

    def job(i):
        if i == 0:
            for row, label in zip(X, y, strict=True):
                model.partial_fit(row[None], [label])
            stop.set()
            return True
        while not stop.is_set():
            assert np.isfinite(model.decision_function(X[:50])).all()
        return True

    assert in_threads(job) == [True] * 4


def test_a_change_of_the_kernel_while_another_thread_predicts(monkeypatch):
    """Who predicts must not write back the number of landmarks that there were before."""
    X = np.eye(6)
    landmarks = _features.NystroemMap(6, 6, 1.0)
    out = np.empty((6, 6))
    landmarks.rows(X, out, np.ones(6, bool))
    compiled = _features.landmark_rows

    def interrupted(*given):
        monkeypatch.setattr(_features, "landmark_rows", compiled)
        landmarks.set_gamma(1e-9)  # all examples are alike now
        return compiled(*given)

    monkeypatch.setattr(_features, "landmark_rows", interrupted)
    assert landmarks.m == 6
    landmarks.rows(X, out)
    assert landmarks.m == 1
    landmarks.rows(X, out)
    np.testing.assert_allclose(out[:, 0], 1.0, atol=1e-6)


def test_single_events_of_kernel_features_wait_for_each_other():
    model = KernelFeaturesClassifier(features="nystroem").learn_one({"a": 1.0}, 0)
    with lock_of(model):
        thread = threading.Thread(target=model.learn_one, args=({"a": 2.0}, 1), daemon=True)
        thread.start()
        thread.join(0.2)
        assert thread.is_alive()
    thread.join(30)
    assert not thread.is_alive()
