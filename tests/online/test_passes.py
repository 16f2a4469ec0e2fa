"""Several passes: only rows that were not learned before teach probabilities and the book."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss

from stakes._core.jit.prequential import MEAN_SQUARE, SIZE
from stakes.errors import BelowTrivialWarning
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
from stakes.online._state import BOOK
from stakes.online_kernel import AnomalyDetector

LEARNERS = [
    AROWClassifier(),
    CWClassifier(),
    CWCVaRClassifier(),
    CWRobustClassifier(prior_variance=10.0),
    PAClassifier(),
    PerceptronClassifier(),
    ProbitClassifier(),
    SCWClassifier(),
    AnomalyDetector(kernel="linear"),
]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def small_and_wide(seed, n=400, d=150, n_test=1000):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n + n_test, d)), rng.normal(size=d) / np.sqrt(d)
    y = (2.0 * X @ w + rng.logistic(size=len(X)) > 0).astype(int)
    return X[:n], y[:n], X[n:], y[n:]


@pytest.mark.jit  # 50,000 rows
@every_learner
def test_more_passes_do_not_spoil_the_probabilities(learner):
    losses = []
    for seed in range(20):
        X, y, X_test, y_test = small_and_wide(seed)
        model = clone(learner).set_params(shuffle=True, random_state=seed)
        fits = (clone(model).set_params(n_passes=k).fit(X, y) for k in (1, 5))
        losses.append([log_loss(y_test, fit.predict_proba(X_test)) for fit in fits])
    once, five = np.transpose(losses)
    noise = 2.0 * (five - once).std(ddof=1) / np.sqrt(len(losses))  # of the paired difference
    assert np.mean(five - once) <= noise < 0.01
    assert five.mean() < np.log(2)


@every_learner
def test_the_map_and_the_book_are_those_of_the_first_pass(learner, priced):
    X, y, fp, fn = priced
    once, five = (
        clone(learner).set_params(n_passes=k).fit(X, y, fp_cost=fp, fn_cost=fn) for k in (1, 5)
    )
    kept = np.arange(SIZE) != MEAN_SQUARE  # the unit of the scores grows with the scores
    maps = [getattr(m, "_calibration", getattr(m, "_knows", None))[:SIZE] for m in (once, five)]
    np.testing.assert_array_equal(maps[0][kept], maps[1][kept])
    if hasattr(five, "_knows"):
        np.testing.assert_array_equal(once._knows[BOOK], five._knows[BOOK])
        assert once.progressive_regret_ == five.progressive_regret_
        assert (once._mu != five._mu).any()
        more = five.partial_fit(X[:9], y[:9])  # and a later stream teaches them again
        assert more._knows[BOOK].sum() > once._knows[BOOK].sum()


@every_learner
def test_rows_without_a_cost_change_nothing_in_any_pass(learner, priced):
    X, y, _, _ = priced
    if isinstance(learner, AnomalyDetector):
        learner = clone(learner).set_params(class_ratio=1.0)
    weight = np.arange(len(y)) % 3 > 0
    five = clone(learner).set_params(n_passes=5)
    with_them = clone(five).fit(X, y, sample_weight=weight.astype(float))
    without = clone(five).fit(X[weight], y[weight])
    np.testing.assert_allclose(
        with_them.predict_proba(X), without.predict_proba(X), rtol=1e-9, atol=1e-12
    )


@pytest.mark.jit  # long without the compiled loops
@pytest.mark.parametrize("learner", [PAClassifier(), AnomalyDetector(kernel="linear")], ids=repr)
def test_more_passes_do_not_silence_the_warning(learner):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 40)), rng.integers(0, 2, 300)  # there is nothing to learn
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for k in (1, 20):
            clone(learner).set_params(n_passes=k).fit(X, y, fn_cost=0.8)
    messages = [str(w.message) for w in caught if w.category is BelowTrivialWarning]
    assert len(messages) == 2 and len(set(messages)) == 1
    assert "passes" not in "".join(messages)


def test_passes_are_not_rows_when_there_are_too_few_to_compare():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 40)), rng.integers(0, 2, 50)
    with warnings.catch_warnings():
        warnings.simplefilter("error", BelowTrivialWarning)
        PAClassifier(n_passes=20).fit(X, y, fn_cost=0.8)


def test_calibration_may_be_off_or_without_any_score(priced):
    X, y, _, _ = priced
    plain = ProbitClassifier(calibration=None, n_passes=3).fit(X, y)
    assert np.isnan(plain.progressive_regret_["learner"])
    nothing = ProbitClassifier(n_passes=3, fit_intercept=False).fit(np.zeros((20, 2)), y[:20])
    assert np.isfinite(nothing.predict_proba(np.ones((1, 2)))).all()
