import numpy as np
import pytest
from scipy import stats

from stakes.uncertain import UncertainLogisticClassifier, moments_from_replicates


def test_student_and_chi_squared_by_hand(rng):
    x = rng.normal(size=9)
    known = moments_from_replicates(np.tile(x[None, :, None], (2, 1, 1)) * [[[1.0]], [[2.0]]])
    t = stats.t.ppf(0.975, 8) * x.std(ddof=1) / 3
    assert known.mean_upper[0, 0] == pytest.approx(x.mean() + t)
    assert known.mean_lower[1, 0] == pytest.approx(2 * (x.mean() - t))
    assert known.var[0, 0] == pytest.approx(x.var(ddof=1))
    bound = 8 * x.var(ddof=1) / stats.chi2.ppf(0.05, 8)
    assert known.var_upper[0, 0] == pytest.approx(min(bound, (np.ptp(x) / 2) ** 2))
    assert known.lower[0, 0] == x.min() and known.upper[0, 0] == x.max()


def test_bounds_hold_with_the_stated_confidence():
    # wide outliers are appended so that the support does not cut the bounds
    rng = np.random.default_rng(0)
    R = rng.normal(size=(4000, 12, 1))
    known = moments_from_replicates(R, confidence_level=0.9)
    inside = (known.mean_lower <= 0) & (known.mean_upper >= 0)
    assert inside.mean() == pytest.approx(0.9, abs=0.02)
    joint = moments_from_replicates(
        rng.normal(size=(4000, 12, 3)), confidence_level=0.9, joint=True
    )
    all_inside = ((joint.mean_lower <= 0) & (joint.mean_upper >= 0)).all(axis=1)
    assert 0.9 <= all_inside.mean() + 0.015  # Hotelling's intervals hold for all directions at once


def test_variance_bound_holds_with_the_stated_confidence():
    rng = np.random.default_rng(1)
    freedom = 12 - 1
    var = rng.normal(size=(4000, 12)).var(axis=1, ddof=1)
    bound = freedom * var / stats.chi2.ppf(0.1, freedom)
    assert (bound >= 1).mean() == pytest.approx(0.9, abs=0.02)


def test_missing_replicates_are_left_out(rng):
    R = rng.normal(size=(3, 5, 2))
    padded = np.concatenate([R, np.full((3, 2, 2), np.nan)], axis=1)
    one, two = moments_from_replicates(R), moments_from_replicates(padded)
    for name in ("mean", "lower", "upper", "var", "mean_lower", "mean_upper", "var_upper"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name))


def test_one_replicate_is_a_point():
    known = moments_from_replicates([[[3.0, 1.0]]])
    assert known.var.tolist() == [[0, 0]] and known.mean_lower.tolist() == [[3, 1]]


def test_bad_replicates():
    with pytest.raises(ValueError, match=r"replicates must have shape \(n, r, d\)"):
        moments_from_replicates(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="Joint intervals for 3 features need more than 3"):
        moments_from_replicates(np.zeros((2, 3, 3)), joint=True)
    with pytest.raises(ValueError, match="at least one finite replicate"):
        moments_from_replicates(np.full((2, 3, 3), np.nan))


def test_a_constant_feature_that_is_known_exactly(rng):
    X = rng.normal(size=(60, 3))
    X[:, 2] = 0.0
    y = (X[:, 0] > 0).astype(int)
    var = np.full_like(X, 0.3) * [1, 1, 0]
    model = UncertainLogisticClassifier().fit(X, y, var=var)
    without = UncertainLogisticClassifier().fit(X[:, :2], y, var=var[:, :2])
    p = model.predict_proba(X, var=var)
    np.testing.assert_allclose(p, without.predict_proba(X[:, :2], var=var[:, :2]), atol=0.02)
