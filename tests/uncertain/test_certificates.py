"""The promise of the family: no bound is ever exceeded, whatever the distribution."""

from dataclasses import replace

import numpy as np
import pytest

from stakes.metrics import certified_error, nominal_error
from stakes.uncertain import Moments, UncertainMarginClassifier, bernstein_nu
from stakes.uncertain._certificates import CERTIFYING, certificates
from uncertain.problems import uncertain_problem


def draws(kind, known, rng, size):
    """Independent features with the given support, mean and (but for "truncated") variance."""
    n, d = known.mean.shape
    half, mid = (known.upper - known.lower) / 2, (known.upper + known.lower) / 2
    m = (known.mean - mid) / half
    v = known.var / half**2
    if kind in ("two-point up", "two-point down"):
        sign = 1 if kind.endswith("up") else -1
        m = sign * m
        far = (m - (v + m**2)) / (1 - m)
        q = v / (v + (1 - m) ** 2)
        x = np.where(rng.random((size, n, d)) < q, 1.0, far)
        return mid + half * sign * x
    # beta with this mean and variance
    p = (m + 1) / 2
    total = p * (1 - p) / (v / 4) - 1
    x = rng.beta(np.maximum(p * total, 1e-6), np.maximum((1 - p) * total, 1e-6), (size, n, d))
    return known.lower + 2 * half * x


def problem_for(rng, d):
    known, _ = uncertain_problem(rng, 10, d)
    w = rng.normal(size=d)
    b = -float(w @ known.mean.mean(axis=0)) + 0.3 * rng.normal()
    signs = np.where(known.mean @ w + b > 0, 1.0, -1.0)
    return known, w, b, signs


@pytest.mark.parametrize("kind", ["two-point up", "two-point down", "beta"])
def test_never_exceeded_over_a_thousand_cases(kind):
    rng = np.random.default_rng(7)
    size, worst = 1500, 0.0
    for _ in range(34):  # 34 hyperplanes, 10 points each, three kinds: 1,020 cases
        known, w, b, signs = problem_for(rng, int(rng.integers(1, 6)))
        X = draws(kind, known, rng, size)
        wrong = ((X @ w + b) * signs <= 0).mean(axis=0)
        for name in CERTIFYING:
            bound = certificates(known, w, b, signs, name)
            slack = 4 * np.sqrt(bound * (1 - bound) / size) + 1e-9
            assert (wrong <= bound + slack + 5 / size).all(), name
            worst = max(worst, float((wrong / np.maximum(bound, 1e-3)).max()))
    assert worst > 0.2  # the bounds are not vacuous


def test_uniform_and_truncated_normal_points():
    rng = np.random.default_rng(3)
    for _ in range(20):
        known, w, b, signs = problem_for(rng, 3)
        half = np.minimum(known.upper - known.mean, known.mean - known.lower)
        uniform = replace(known, var=half**2 / 3, var_upper=half**2 / 3)
        X = known.mean + half * rng.uniform(-1, 1, (3000, *half.shape))
        normal = replace(known, var=0.2911 * half**2, var_upper=0.2911 * half**2)
        Z = rng.standard_normal((12000, *half.shape))
        Z = Z[(np.abs(Z) <= 1).all(axis=(1, 2))] if half.size < 3 else np.clip(Z, -9, 9)
        for sample, moments in ((X, uniform), (np.tanh(Z) * half + known.mean, None)):
            if moments is None:
                # bounded by tanh: variance measured from a closed integral, mean zero by symmetry
                grid = np.linspace(-8, 8, 4001)
                weight = np.exp(-(grid**2) / 2)
                var = (np.tanh(grid) ** 2 * weight).sum() / weight.sum() * half**2
                moments = replace(normal, var=var, var_upper=var)
            wrong = ((sample @ w + b) * signs <= 0).mean(axis=0)
            for name in ("MM-MC", "MM-SMV", "MM-SMV-I", "MM-SM", "MM-SBMV-I"):
                bound = certificates(moments, w, b, signs, name)
                slack = 4 * np.sqrt(bound * (1 - bound) / len(sample)) + 2e-3
                assert (wrong <= bound + slack).all(), name


def test_training_constraint_holds_on_separated_points():
    rng = np.random.default_rng(0)
    known, y = uncertain_problem(rng, 20, 3, apart=2.5, spread=0.8)
    for epsilon in (0.05, 0.2):
        for name in ("MM-MC", "MM-SMV", "MM-SMV-I", "MM-SM-I", "MM-SBMV-I"):
            model = UncertainMarginClassifier(formulation=name, max_error=epsilon, C=1000.0)
            model.fit(known.mean, y, **known.keywords())
            X = draws("two-point up", known, rng, 3000)
            wrong = ((X @ model.coef_[0] + model.intercept_[0]) * y <= 0).mean(axis=0)
            assert wrong.max() <= epsilon + 0.02
            bound = certificates(known, model.coef_[0], model.intercept_[0], y, name)
            assert (bound <= epsilon + 1e-6).all()


def test_table_4_by_hand(rng):
    known, w, b, signs = problem_for(rng, 3)
    half, mid = (known.upper - known.lower) / 2, (known.upper + known.lower) / 2
    margin = signs * (known.mean @ w + b)
    inside = signs * b - (-(signs[:, None] * w) * mid + np.abs(w) * half).sum(axis=1) > 0

    def expect(value):
        return np.where(inside, 0.0, value)

    m = (known.mean - mid) / half
    nu = half * bernstein_nu(m, m, known.var / half**2 + m**2)
    two = expect(np.exp(-(margin**2) / (2 * (nu**2 @ w**2))))
    np.testing.assert_allclose(certificates(known, w, b, signs, "2"), two)
    nu = half * bernstein_nu(m, m, 1.0)
    four = expect(np.exp(-(margin**2) / (2 * (nu**2 @ w**2))))
    np.testing.assert_allclose(certificates(known, w, b, signs, "4"), four)
    spread = known.var @ w**2
    chebyshev = expect(spread / (margin**2 + spread))
    np.testing.assert_allclose(certificates(known, w, b, signs, "c"), chebyshev)
    low, high = (known.mean_lower - mid) / half, (known.mean_upper - mid) / half
    nu = half * bernstein_nu(low, high, 1.0)
    v = -signs[:, None] * w
    worst = np.where(v > 0, known.mean_upper, known.mean_lower)
    margin = signs * (worst @ w + b)
    three = np.where(margin > 0, np.exp(-(margin**2) / (2 * (nu**2 @ w**2))), 1.0)
    np.testing.assert_allclose(certificates(known, w, b, signs, "3"), expect(three))


def test_table_4_squares_away_a_mean_on_the_wrong_side():
    # the mean may be -1: certain to be wrong there, yet the printed formula gives 0.6
    known = Moments(
        np.array([[1.0]]),
        np.array([[-3.0]]),
        np.array([[3.0]]),
        np.array([[0.1]]),
        np.array([[-1.0]]),
        np.array([[1.5]]),
        np.array([[0.1]]),
    )
    w, b, signs = np.array([1.0]), 0.0, np.array([1.0])
    nu = 3 * bernstein_nu(-1 / 3, 0.5, min(1.0, 0.1 / 9 + 0.25))
    printed = np.exp(-((-1.0) ** 2) / (2 * nu**2))
    assert printed < 0.85
    assert certificates(known, w, b, signs, "1")[0] == 1.0


def test_intersections_are_tighter(rng):
    known, w, b, signs = problem_for(rng, 4)
    for name in ("MM-SMV", "MM-SM", "MM-SBMV", "MM-SBM"):
        plain = certificates(known, w, b, signs, name)
        cut = certificates(known, w, b, signs, f"{name}-I")
        assert (cut <= plain + 1e-12).all()
    best = certificates(known, w, b, signs, "best")
    assert (best <= certificates(known, w, b, signs, "MM-SBMV-I") + 1e-12).all()
    exact = replace(known, mean_lower=None, mean_upper=None)
    assert (certificates(exact, w, b, signs) <= best + 1e-12).all()


def test_metrics_of_certificates():
    y, guess, bound = [0, 1, 1, 0], [0, 1, 0, 0], [0.1, 0.0, 0.3, 1.0]
    assert nominal_error(y, guess) == 0.25
    assert certified_error(y, guess, bound) == pytest.approx((0.1 + 0 + 1 + 1) / 4)
    with pytest.raises(ValueError, match="certificate must contain probabilities"):
        certified_error(y, guess, [0.1, 0.2, 0.3, 1.5])
    with pytest.raises(ValueError, match="y_true is empty"):
        nominal_error([], [])


def test_certificate_needs_information(rng):
    known, y = uncertain_problem(rng)
    model = UncertainMarginClassifier(formulation="MM-M").fit(known.mean, y)
    with pytest.raises(ValueError, match="certificate needs the uncertainty of the points"):
        model.predict_certificate(known.mean)
    with pytest.raises(
        ValueError, match="measure must be 'best', 'gaussian', one of 1, 2, 3, 4, c"
    ):
        model.predict_certificate(known.mean, measure="MM-M", var=known.var)
    bound = model.predict_certificate(known.mean, var=known.var)
    review = model.needs_review(known.mean, max_error=0.2, var=known.var)
    np.testing.assert_array_equal(review, bound > 0.2)
