"""The costs contract, checked on every classifier of the library."""

import inspect

import numpy as np
from sklearn.base import clone


def problem(seed=0, n=120):
    """A noisy two-class problem with a price per example."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (X @ [1.5, -1.0, 0.5, 0.0] + 0.7 * rng.normal(size=n) > 0.6).astype(int)
    return X, y, rng.uniform(1, 3, n), rng.lognormal(1.0, 0.8, n)


def accepted(method, **costs):
    """The costs that a method takes; learners without costs are checked without them."""
    names = inspect.signature(method).parameters
    return {name: cost for name, cost in costs.items() if name in names}


def fit(estimator, X, y, **costs):
    return clone(estimator).fit(X, y, **accepted(estimator.fit, **costs))


def predict(estimator, X, **costs):
    return estimator.predict(X, **accepted(estimator.predict, **costs))


def check_sentence(error):
    """One readable line that ends as a sentence does, with no array in it."""
    text = str(error)
    assert "\n" not in text and len(text) < 300, text
    assert text.endswith(".") and "array(" not in text and "[[" not in text, text


def check_cost_scaling(estimator):
    """All costs times 1000 change no prediction, at training and at predict time."""
    X, y, fp, fn = problem()
    plain = fit(estimator, X, y, fp_cost=fp, fn_cost=fn)
    scaled = fit(estimator, X, y, fp_cost=1000 * fp, fn_cost=1000 * fn)
    np.testing.assert_array_equal(plain.predict(X), scaled.predict(X))
    if hasattr(plain, "predict_proba"):
        np.testing.assert_array_equal(
            predict(plain, X, fp_cost=fp, fn_cost=fn),
            predict(scaled, X, fp_cost=1000 * fp, fn_cost=1000 * fn),
        )


def check_zero_cost_example_is_ignored(estimator):
    """An example that costs nothing, whatever is decided, teaches nothing."""
    X, y, fp, fn = problem()
    if "fp_cost" not in accepted(estimator.fit, fp_cost=fp):
        return
    odd = np.arange(len(y)) % 10 == 3
    fp, fn = np.where(odd, 0.0, fp), np.where(odd, 0.0, fn)
    with_them = fit(estimator, X, y, fp_cost=fp, fn_cost=fn)
    without = fit(estimator, X[~odd], y[~odd], fp_cost=fp[~odd], fn_cost=fn[~odd])
    if hasattr(with_them, "decision_function"):
        scores = with_them.decision_function(X), without.decision_function(X)
    else:
        scores = with_them.predict_proba(X), without.predict_proba(X)
    np.testing.assert_allclose(*scores, rtol=1e-6, atol=1e-8)


def check_rows_permute(estimator):
    """Permuting the rows to predict, with their costs, permutes the predictions."""
    X, y, fp, fn = problem()
    order = np.random.default_rng(1).permutation(len(y))
    model = fit(estimator, X, y, fp_cost=fp, fn_cost=fn)
    np.testing.assert_array_equal(model.predict(X)[order], model.predict(X[order]))
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(
            predict(model, X, fp_cost=fp, fn_cost=fn)[order],
            predict(model, X[order], fp_cost=fp[order], fn_cost=fn[order]),
        )


def check_bad_costs_are_refused(estimator):
    """A NaN cost, a negative regret and a wrong length each end in a sentence."""
    X, y, fp, fn = problem()
    if "fp_cost" not in accepted(estimator.fit, fp_cost=fp):
        return
    for bad, word in [
        (np.where(y == 1, np.nan, fn), "missing"),
        (-fn, "smaller"),
        (fn[:5], "each"),
    ]:
        try:
            fit(estimator, X, y, fp_cost=fp, fn_cost=bad)
        except ValueError as error:
            assert word in str(error), f"{word!r} is not in {error}"
            check_sentence(error)
        else:
            raise AssertionError(f"{type(estimator).__name__} accepted a bad cost ({word})")


ALL_CHECKS = [
    check_cost_scaling,
    check_zero_cost_example_is_ignored,
    check_rows_permute,
    check_bad_costs_are_refused,
]
