"""The door for tables and weights: an error before compiled code reads what is not there."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from stakes._core.intake import check_bounded, check_weights, checked_sparse
from stakes.costs import Costs
from stakes.online import PAClassifier
from stakes.sampling import WrapperSampler


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "dia", "lil", "dok"])
def test_sound_matrices_of_all_formats_pass(form):
    X = sparse.random_array((20, 8), density=0.3, rng=0, format=form)
    np.testing.assert_array_equal(checked_sparse(X).toarray(), X.toarray())
    assert checked_sparse(X[:0] if form == "csr" else X) is not None


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize(
    ("name", "at", "value", "words"),
    [
        ("indices", 2, 100, "an index is outside the columns"),
        ("indices", 2, -1, "an index is outside the columns"),
        ("indptr", 3, 1000, "indptr is not ascending"),
        ("indptr", 0, 1, "indptr is not ascending"),
        ("indptr", -1, 1000, "indptr is not ascending"),
    ],
)
def test_damaged_matrices_are_refused(form, name, at, value, words):
    X = sparse.random_array((20, 8), density=0.3, rng=0, format=form)
    getattr(X, name)[at] = value
    with pytest.raises(ValueError, match=words):
        checked_sparse(X)


def test_arrays_of_different_lengths_are_refused():
    X = sparse.random_array((20, 8), density=0.3, rng=0, format="csr")
    X.data = X.data[:-1]
    with pytest.raises(ValueError, match="its arrays have different lengths"):
        checked_sparse(X)
    X = sparse.random_array((20, 8), density=0.3, rng=0, format="csr")
    X.indices = X.indices.astype(float)
    with pytest.raises(ValueError, match="its indices are not integers"):
        checked_sparse(X)
    X = sparse.random_array((20, 8), density=0.3, rng=0, format="coo")
    X.coords[0][1] = 99
    with pytest.raises(ValueError, match="an index is outside"):
        checked_sparse(X)


def test_numbers_whose_products_overflow_are_refused():
    check_bounded(np.array([[1e100, np.nan]]))
    with pytest.raises(ValueError, match="X contains values beyond 1e\\+100"):
        check_bounded(np.array([[np.nan, -1e101]]))
    with pytest.raises(ValueError, match="fp_cost has values beyond 1e\\+100"):
        Costs.of(2, fp_cost=[1.0, 1e101])
    with pytest.raises(ValueError, match="No mistake costs more than 1e-101"):
        PAClassifier(fp_cost=1e-101, fn_cost=1e-101).fit(np.eye(2), [0, 1])
    for weight in (1e101, 1e-101):
        with pytest.raises(ValueError, match="The largest sample_weight is"):
            check_weights(np.full(3, weight), np.ones((3, 1)))


@pytest.mark.parametrize("n_positive", [1, 3])
def test_wrapper_sampler_names_the_class_that_is_too_small(n_positive):
    pytest.importorskip("imblearn")
    y = np.r_[np.ones(n_positive, int), np.zeros(20, int)]
    X = np.arange(len(y), dtype=float)[:, None]
    with pytest.raises(ValueError, match=f"Class '1' has {n_positive} example"):
        WrapperSampler().fit_resample(X, y)


@pytest.mark.parametrize("kind", ["polars", "pandas", "array"])
def test_text_is_named_with_the_fix(kind):
    X = pl.DataFrame({"amount": [1.0, 2.0], "city": ["Paris", "Rome"]})
    X = X.to_pandas() if kind == "pandas" else X.to_numpy() if kind == "array" else X
    with pytest.raises(ValueError, match=r"X contains text, and PAClassifier.*tables\.prepare"):
        PAClassifier().fit(X, [0, 1])
