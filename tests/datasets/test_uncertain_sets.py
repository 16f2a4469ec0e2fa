"""Uncertain and paper sets: supports hold, moments are true, the classes can be learnt."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from stakes.datasets import (
    load_wdbc_uncertain,
    make_checkerboard,
    make_corrupted_feature,
    make_uncertain,
)
from stakes.datasets._uncertain_sets import NOISES


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("n_features", [2, 10])
def test_support_and_moments_are_true(noise, n_features):
    data = make_uncertain(40, n_features, noise=noise, n_replicates=4000, random_state=1)
    assert (data.replicates >= data.lower[:, None] - 1e-12).all()
    assert (data.replicates <= data.upper[:, None] + 1e-12).all()
    error = (data.replicates.mean(axis=1) - data.nominal) / np.sqrt(data.var / 4000)
    assert np.abs(error).max() < 5
    np.testing.assert_allclose(data.replicates.var(axis=1), data.var, rtol=0.25)
    np.testing.assert_array_equal(data.X, data.replicates.mean(axis=1))
    assert data.y.sum() == 20


def test_skewed_noise_is_skewed():
    def skew(noise):
        z = make_uncertain(1, 10, noise=noise, n_replicates=20_000, random_state=0).replicates[0]
        z = (z - z.mean(axis=0)) / z.std(axis=0)
        return np.abs((z**3).mean(axis=0)).max()

    assert skew("uniform") < 0.1
    assert skew("skew_normal") > 0.3
    assert skew("skew_t") > 0.3


@pytest.mark.parametrize("n_features", [2, 10])
def test_uncertain_classes_can_be_learnt(n_features):
    train = make_uncertain(600, n_features, random_state=0)
    assert 0.85 < LogisticRegression().fit(train.X, train.y).score(train.nominal, train.y) < 1
    twice = [make_uncertain(50, n_features, noise="skew_t", random_state=5).X for _ in range(2)]
    assert twice[0].tobytes() == twice[1].tobytes()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_uncertain(noise="pink"), r"noise must be one of uniform, beta.* Got 'pink'"),
        (lambda: make_uncertain(9, 1), "n_features must be at least 2 .* Got 1 and 10"),
        (lambda: make_uncertain(9, n_replicates=0), "n_replicates at least 1. Got 2 and 0"),
        (lambda: make_checkerboard(n_cells=1), "n_cells must be at least 2. Got 1"),
        (lambda: make_checkerboard(positive_share=2), "positive_share must lie between 0 and 1"),
    ],
)
def test_bad_parameters_are_told(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_wdbc_bounds_are_consistent():
    data = load_wdbc_uncertain()
    raw = load_breast_cancer().data
    np.testing.assert_array_equal(data.X, raw[:, :10])
    for low, high in [
        (0.0, data.lower),
        (data.lower, data.mean_lower),
        (data.mean_lower, data.X),
        (data.X, data.mean_upper),
        (data.mean_upper, data.upper),
        (raw[:, 20:], data.upper),
    ]:
        assert (low <= high).all()
    assert (data.var <= (data.upper - data.X) * (data.X - data.lower)).all()
    assert (data.var <= 20 * raw[:, 10:20] ** 2).all()
    assert data.y.sum() == 212
    known = {"lower", "upper", "var", "mean_lower", "mean_upper"}
    assert set(data.uncertainty) == known
    part = data.take(data.y == 1)
    assert len(part) == 212
    np.testing.assert_array_equal(part.upper, data.upper[data.y == 1])
    assert type(part) is type(data) and part.replicates is None


def test_wdbc_scaled_with_all_its_bounds():
    raw, scaled = load_wdbc_uncertain(), load_wdbc_uncertain(scale=True)
    np.testing.assert_allclose(scaled.X.mean(axis=0), 0.0, atol=1e-9)
    unit = raw.X.std(axis=0)
    np.testing.assert_allclose(scaled.X.std(axis=0), 1.0)
    for name in ("lower", "upper", "mean_lower", "mean_upper"):
        gap = (getattr(raw, name) - raw.X) / unit
        np.testing.assert_allclose(getattr(scaled, name) - scaled.X, gap, atol=1e-9)
    np.testing.assert_allclose(scaled.var, raw.var / unit**2)


def test_corrupted_feature_is_as_in_the_paper():
    data = make_corrupted_feature(100_000, random_state=0)
    assert data.y.mean() == pytest.approx(0.5)
    near = data.X[:, 1] > 2.5  # mostly the two reliable groups
    gap = data.X[near & (data.y == 1), 0].mean() - data.X[near & (data.y == 0), 0].mean()
    assert gap == pytest.approx(5.0, abs=0.3)
    low = data.X[:, 1] < -1
    assert data.y[low].mean() == pytest.approx(0.5, abs=0.03)
    assert len(make_corrupted_feature(random_state=1)) == 1000


def test_checkerboard_colours_and_share():
    data = make_checkerboard(20_000, positive_share=0.25, random_state=0)
    cells = np.floor(data.X).astype(int).sum(axis=1) % 2
    np.testing.assert_array_equal(cells, data.y)
    assert data.y.sum() == 5000
    assert data.X.min() >= 0 and data.X.max() <= 4
    model = KNeighborsClassifier(3).fit(data.X[:15_000], data.y[:15_000])
    assert model.score(data.X[15_000:], data.y[15_000:]) > 0.95
    assert LogisticRegression().fit(data.X, data.y).score(data.X, data.y) == pytest.approx(0.75)
    assert make_checkerboard(50, positive_share=1e-9, random_state=0).y.sum() == 1


def test_a_sample_keeps_its_uncertainty():
    data = make_uncertain(600, 2, random_state=0)
    small = data.sample(100, random_state=0)
    assert small.replicates.shape == (100, 10, 2)
    rows = [int(np.flatnonzero((data.X == x).all(axis=1))[0]) for x in small.X]
    np.testing.assert_array_equal(small.lower, data.lower[rows])
    mask = np.arange(600) < 5
    np.testing.assert_array_equal(data.take(mask).var, data.var[:5])
