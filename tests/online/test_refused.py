"""An example that is refused leaves no traces, in every stream learner and every form."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from stakes.online import (
    AROWClassifier,
    CWClassifier,
    CWCVaRClassifier,
    CWRobustClassifier,
    PAClassifier,
    PerceptronClassifier,
    ProbitClassifier,
    SCWClassifier,
)
from stakes.online._state import SCORE, Y
from stakes.online_kernel import (
    AnomalyDetector,
    CSDUOLClassifier,
    DUOLClassifier,
    KernelALMAClassifier,
    KernelCPAClassifier,
    KernelPAClassifier,
    KernelPAUMClassifier,
    KernelPerceptronClassifier,
    KernelROMMAClassifier,
)

LINEAR = [
    PerceptronClassifier(),
    PAClassifier(),
    CWClassifier(),
    AROWClassifier(),
    SCWClassifier(covariance="full"),
    ProbitClassifier(),
    CWCVaRClassifier(),
    CWCVaRClassifier(max_memory=None),
    CWCVaRClassifier(covariance="full"),
    CWRobustClassifier(prior_variance=2.0),
]
KERNEL = [
    KernelPerceptronClassifier(),
    KernelALMAClassifier(),
    KernelROMMAClassifier(),
    KernelPAClassifier(),
    KernelPAUMClassifier(),
    KernelCPAClassifier(),
    DUOLClassifier(),
    CSDUOLClassifier(kernel=lambda A, B: A @ B.T),
    AnomalyDetector(),
]
SCRATCH = slice(Y, SCORE + 1)  # the row in hand
NAMES = ["a", "b", "c"]
pytestmark = pytest.mark.filterwarnings(
    "ignore:overflow", "ignore:invalid value", "ignore:X does not have valid feature"
)


def knowledge(value):
    """Everything that an object knows, as nested lists that can be compared."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if sparse.issparse(value):
        return value.toarray().tolist()
    if isinstance(value, dict):
        return {name: knowledge(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [knowledge(part) for part in value]
    return knowledge(vars(value)) if hasattr(value, "__dict__") and not callable(value) else value


def state_of(model):
    """All attributes, except the numbers that each call overwrites and the cached columns."""
    known = copy.deepcopy(vars(model))
    known.pop("_columns", None)
    known.pop("_recent", None)
    if "_knows" in known:
        known["_knows"][SCRATCH] = 0.0
        known["_rivals"][:, SCRATCH] = 0.0
    return repr(knowledge(known))


def started(learner):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] > 0).astype(int)
    model = clone(learner)
    costs = {"fn_cost": rng.lognormal(size=40)} if hasattr(learner, "fn_cost") else {}
    return model.partial_fit(pd.DataFrame(X, columns=NAMES), y, **costs)


def bad_rows(kernel):
    nan, inf = np.array([1.0, np.nan, 0.0]), np.array([1.0, np.inf, 0.0])
    rows = [nan, inf, list(nan), np.ones(2), np.ones((1, 4)), ["x", 1.0, 2.0]]
    rows += [{"a": 1.0, "city": "Paris"}, {"a": 1.0, "new": np.nan}, {"new": 1.0, "b": np.inf}]
    rows += [{"a": None, "new": 1.0}]
    if not kernel:
        rows += [np.array([1e200, 0.0, 0.0]), {"a": 1.0, "new": 1e200}, {"a": 1e200, "new": 1.0}]
    return rows


@pytest.mark.parametrize("learner", LINEAR + KERNEL, ids=lambda m: repr(m)[:50].split(" at 0x")[0])
def test_a_refused_example_leaves_no_traces(learner):
    model = started(learner)
    before, cost = state_of(model), {"fn_cost": 1e6} if hasattr(learner, "fn_cost") else {}
    for x in bad_rows(learner in KERNEL):
        with pytest.raises((ValueError, TypeError)):
            model.learn_one(x, 1, **cost)
        assert state_of(model) == before, x
    good = {"a": 1.0, "new": 2.0}
    bad = [dict(y=7), dict(y=1, classes=(0, 5))]
    if cost:
        bad += [dict(y=1, fn_cost=v) for v in (np.nan, -1.0, np.inf, "much")]
        bad += [dict(y=1, sample_weight=v) for v in (np.nan, -1.0)]
        bad += [dict(y=1, sample_weight=1e300, fn_cost=1e300)]
    for call in bad:
        with pytest.raises((ValueError, TypeError)):
            model.learn_one(good, **call)
        assert state_of(model) == before, call


@pytest.mark.parametrize("learner", LINEAR + KERNEL, ids=lambda m: repr(m)[:50].split(" at 0x")[0])
def test_a_refused_batch_leaves_no_traces(learner):
    model = started(learner)
    before, cost = state_of(model), {"fn_cost": 1e6} if hasattr(learner, "fn_cost") else {}
    for value in (np.nan, np.inf) + (() if learner in KERNEL else (1e200,)):
        X = np.ones((4, 3))
        X[2, 1] = value
        for form in (pd.DataFrame(X, columns=NAMES), sparse.csr_matrix(X)):
            with pytest.raises(ValueError):
                model.partial_fit(form, [0, 1, 0, 1], **cost)
            assert state_of(model) == before, value
    good = pd.DataFrame(np.ones((2, 3)), columns=NAMES)
    bad = [dict(y=[0, 7]), dict(y=[0, 1, 1]), dict(y=[0, 1], classes=[0, 5])]
    if cost:
        bad += [dict(y=[0, 1], fn_cost=v) for v in (np.nan, [1.0, -1.0], [1.0, 2.0, 3.0])]
        bad += [dict(y=[0, 1], sample_weight=[1.0, np.nan])]
        bad += [dict(y=[0, 1], sample_weight=[1.0, 1e300], fn_cost=1e300)]
    for call in bad:
        with pytest.raises((ValueError, TypeError)):
            model.partial_fit(good, **call)
        assert state_of(model) == before, call


@pytest.mark.parametrize("learner", LINEAR + KERNEL, ids=lambda m: repr(m)[:50].split(" at 0x")[0])
def test_a_refused_first_example_starts_nothing(learner):
    for x in ({"a": 1.0, "city": "Paris"}, {"a": np.nan}, np.array([np.nan, 1.0])):
        model = clone(learner)
        before = state_of(model)
        with pytest.raises(ValueError):
            model.learn_one(x, 1)
        assert state_of(model) == before


def test_a_kernel_function_that_fails_leaves_no_traces():
    broken = []

    def kernel(A, B):
        return np.zeros((1, 1)) if broken else A @ B.T

    model = CSDUOLClassifier(kernel=kernel).partial_fit(np.eye(3), [0, 1, 0])
    before = state_of(model)
    broken.append(True)
    with pytest.raises(ValueError, match="one row per example"):
        model.partial_fit(np.eye(3), [0, 1, 1], fn_cost=9.0)
    assert state_of(model) == before


def test_a_row_too_many_for_the_gram_matrix_leaves_no_traces():
    model = CSDUOLClassifier(kernel="precomputed").partial_fit(np.eye(3), [0, 1, 0])
    before = state_of(model)
    with pytest.raises(ValueError, match="3 examples"):
        model.partial_fit(np.ones((1, 3)), [1], fn_cost=9.0)
    assert state_of(model) == before


@pytest.mark.parametrize("how", [{}, dict(n_passes=2), dict(shuffle=True), dict(half_life=50)])
@pytest.mark.parametrize(("at", "value"), [(7, 3000), (7, -1), (-1, 2**30), (30, -(2**31))])
def test_an_index_outside_is_found_while_a_large_table_is_read(how, at, value):
    X = sparse.random_array((40, 3000), density=0.003, rng=0, format="csr", dtype=float)
    y = np.arange(40) % 2
    for model in (PerceptronClassifier(), PAClassifier(), ProbitClassifier(), AROWClassifier()):
        model.set_params(**how).fit(X, y)
        state = pickle.dumps(model)
        bad = X.copy()
        bad.indices[at] = value
        for use, *given in ((model.fit, y), (model.partial_fit, y), (model.predict_proba,)):
            with pytest.raises(ValueError, match="an index is outside the columns"):
                use(bad, *given)
        assert pickle.dumps(model) == state


def test_long_indices_are_not_shortened_unseen():
    X = sparse.random_array((40, 3000), density=0.003, rng=0, format="csr", dtype=float)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    X.indices[3] += 2**32
    with pytest.raises(ValueError, match="an index is outside the columns"):
        PerceptronClassifier().fit(X, np.arange(40) % 2)
