"""Safe-level SMOTE: every synthetic point is explained by one of the five cases."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from naive import sampling as naive
from stakes.sampling import SafeLevelSMOTE
from stakes.sampling._safe_level import gap_of


def two_clouds(rng, n=70, rare=14):
    X = rng.normal(size=(n, 2))
    y = (np.arange(n) < rare).astype(int)
    X[y == 1] += 1.0
    return X, y


@pytest.mark.parametrize("partners", ["class", "all"])
def test_points_are_those_of_the_naive_version(rng, partners):
    X, y = two_clouds(rng, n=45, rare=10)
    sampler = SafeLevelSMOTE(k_neighbors=4, partners=partners, random_state=1)
    X_new, y_new = sampler.fit_resample(X, y)
    np.testing.assert_array_equal(X_new[: len(X)], X)
    np.testing.assert_array_equal(y_new[: len(X)], y)
    assert (y_new == 1).sum() == (y_new == 0).sum()
    levels = [naive.safe_level(X, y == 1, i, 4) for i in np.flatnonzero(y)]
    np.testing.assert_array_equal(sampler.safe_levels_[1], levels)
    for x in X_new[len(X) :]:
        assert naive.explanations(x, X, y == 1, 4, partners)


@given(st.integers(0, 8), st.integers(0, 8), st.floats(0, 1))
def test_gap_is_within_the_range_of_its_case(level_p, level_n, u):
    allowed = naive.gap_range(level_p, level_n)
    if allowed is not None:
        gap = float(gap_of(level_p, level_n, u))
        assert allowed[0] - 1e-12 <= gap <= allowed[1] + 1e-12


@pytest.mark.parametrize(
    ("levels", "ends"), [((3, 0), (0, 0)), ((0, 3), (1, 1)), ((2, 2), (0, 1)), ((4, 1), (0, 0.25))]
)
def test_gap_reaches_both_ends(levels, ends):
    assert tuple(float(gap_of(*levels, u)) for u in (0.0, 1.0)) == ends


def test_an_outlier_gives_only_copies_of_a_safe_neighbour():
    # one rare example far away in the common class, five together elsewhere
    rare = np.array([[0.0, 0], [0, 0.1], [0.1, 0], [0.1, 0.1], [0.05, 0.05], [10, 10]])
    common = np.array([[10 + a, 10 + b] for a in (-0.2, 0.2, 0.3) for b in (-0.2, 0.2)])
    common = np.vstack([common, common + 20, common + 30])
    X = np.vstack([rare, common])
    y = np.array(["rare"] * 6 + ["common"] * len(common))
    sampler = SafeLevelSMOTE(k_neighbors=4, random_state=0)
    X_new, y_new = sampler.fit_resample(X, y)
    made = X_new[len(X) :]
    assert sampler.safe_levels_["rare"].tolist() == [4, 4, 4, 4, 4, 0]
    assert (y_new[len(X) :] == "rare").all()
    assert (made <= 0.1 + 1e-12).all()  # never near the outlier


def test_without_a_safe_example_none_is_made():
    common = np.array([[a + d, 0.0] for a in (0, 100, 200) for d in (-1, 1, 2)])
    X, y = np.vstack([[[0.0, 0], [100, 0], [200, 0]], common]), np.repeat([1, 0], [3, 9])
    with pytest.warns(UserWarning, match="no synthetic example was added"):
        X_new, _ = SafeLevelSMOTE(k_neighbors=3, random_state=0).fit_resample(X, y)
    np.testing.assert_array_equal(X_new, X)


def test_one_example_of_a_class_is_refused():
    X, y = np.arange(12.0).reshape(6, 2), [0, 0, 0, 0, 0, 1]
    with pytest.raises(ValueError, match="only one example, and a synthetic one needs two"):
        SafeLevelSMOTE().fit_resample(X, y)


def test_frames_and_sparse_matrices_stay_what_they_are(rng):
    X, y = two_clouds(rng)
    plain, _ = SafeLevelSMOTE(random_state=2).fit_resample(X, y)
    for frame in (pd.DataFrame(X, columns=["a", "b"]), pl.DataFrame(X, schema=["a", "b"])):
        found, _ = SafeLevelSMOTE(random_state=2).fit_resample(frame, y)
        assert type(found) is type(frame) and list(found.columns) == ["a", "b"]
        np.testing.assert_array_equal(found.to_numpy(), plain)
    found, _ = SafeLevelSMOTE(random_state=2).fit_resample(sparse.csr_array(X), y)
    np.testing.assert_allclose(found.toarray(), plain)


def test_more_than_two_classes_and_a_ratio(rng):
    X, y = rng.normal(size=(60, 3)), np.repeat(["a", "b", "c"], [30, 20, 10])
    _, y_new = SafeLevelSMOTE(random_state=0).fit_resample(X, y)
    assert {kind: int((y_new == kind).sum()) for kind in "abc"} == {"a": 30, "b": 30, "c": 30}
    X, y = two_clouds(rng)
    _, y_new = SafeLevelSMOTE(sampling_strategy=0.5, random_state=0).fit_resample(X, y)
    assert (y_new == 1).sum() == (y_new == 0).sum() // 2


def test_in_a_pipeline_only_training_folds_are_sampled(rng):
    from imblearn.pipeline import make_pipeline

    seen = []

    class Spy(LogisticRegression):
        def fit(self, X, y):
            seen.append(len(X))
            return super().fit(X, y)

        def score(self, X, y):
            seen.append(len(X))
            return super().score(X, y)

    X, y = two_clouds(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_val_score(make_pipeline(SafeLevelSMOTE(random_state=0), Spy()), X, y, cv=2)
    assert seen == [56, 35, 56, 35]


@pytest.mark.parametrize("y", [[0] * 6, [0], [0, 0, 0, 1]])
def test_too_few_examples_are_named(y):
    X = np.arange(2.0 * len(y)).reshape(-1, 2)
    with pytest.raises(ValueError, match=r"only one class|only one example"):
        SafeLevelSMOTE(random_state=0).fit_resample(X, y)
