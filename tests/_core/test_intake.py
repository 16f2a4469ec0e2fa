"""The door for tables and weights: an error before compiled code reads what is not there."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from stakes._core.intake import TINY, check_bounded, check_weights, checked_sparse, without_tiny
from stakes._core.model_file import load_model, save_model
from stakes.costs import Costs
from stakes.decision import (
    BayesDecisionClassifier,
    BlendClassifier,
    ThresholdDecisionClassifier,
)
from stakes.online import PAClassifier
from stakes.qmean import QuadraticMeanReweighting
from stakes.sampling import CostingClassifier, WrapperSampler
from stakes.tables import prepare


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


def _forms(X):
    """A table of tiny numbers in all forms that a wrapper passes on."""
    names = [f"x{j}" for j in range(X.shape[1])]
    frame = pl.DataFrame(X, schema=names)
    return {
        "array": X,
        "csr": sparse.csr_array(X),
        "csc matrix": sparse.csc_matrix(X),
        "coo": sparse.coo_array(X),
        "polars": frame,
        "pandas": frame.to_pandas(),
        "nullable pandas": frame.to_pandas().astype("Float64"),
    }


def _dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float)


@pytest.mark.parametrize("form", _forms(np.ones((2, 2))))
def test_tiny_numbers_are_zeros_and_columns_of_them_an_error(form):
    X = np.array([[1.0, 3e-320], [-2e-200, -4.0], [0.0, 2 * TINY]])
    given = _forms(X)[form]
    np.testing.assert_array_equal(
        _dense(without_tiny(given)), [[1.0, 0.0], [0.0, -4.0], [0.0, 2 * TINY]]
    )
    np.testing.assert_array_equal(_dense(given), X)  # the table of the caller stays as it is
    kept = _forms(np.array([[1.0, 0.0], [3.0, 0.0]]))[form]
    assert without_tiny(kept) is kept
    with pytest.raises(ValueError, match=r"Column ('x1'|1) of X has no value beyond 1e-150 except"):
        without_tiny(_forms(np.array([[1.0, 3e-320], [2.0, 0.0]]))[form])


LIBLINEAR = {
    "LinearSVC": LinearSVC(),
    "LogisticRegression": LogisticRegression(solver="liblinear"),
    "StandardScaler": make_pipeline(StandardScaler(), LinearSVC()),
    "SimpleImputer": make_pipeline(SimpleImputer(), LinearSVC()),
}
WRAPPERS = {
    "bayes": lambda inner: BayesDecisionClassifier(inner, calibration="sigmoid", cv=3),
    "threshold": lambda inner: ThresholdDecisionClassifier(inner, cv=3),
    "costing": lambda inner: CostingClassifier(inner, n_estimators=3, random_state=0),
    "reweighting": lambda inner: QuadraticMeanReweighting(inner),
    "blend": lambda inner: BlendClassifier([("a", BayesDecisionClassifier(inner, cv=3))], cv=3),
}


@pytest.mark.parametrize("scale", [1e-320, 1e-308, 1e-200, 1e-165])
@pytest.mark.parametrize("inner", LIBLINEAR)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_no_wrapper_lets_liblinear_search_for_ever(wrapper, inner, scale):
    """With as many examples of each class, the gradient has nothing but tiny numbers."""
    if wrapper == "reweighting" and "Logistic" not in inner:
        pytest.skip("takes no weights")
    model = WRAPPERS[wrapper](LIBLINEAR[inner])
    X, y = np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) % 2
    with pytest.raises(ValueError, match="Column 0 of X has no value beyond 1e-150"):
        model.fit(X * scale, y)
    with pytest.raises(ValueError, match="Column 1 of X has no value beyond 1e-150"):
        model.fit(sparse.csr_array(X * [1, scale, 1, 1]), y)


def test_learners_that_only_compare_take_tiny_numbers():
    X, y = np.arange(40.0)[:, None] * 1e-320, np.arange(40) // 20
    model = BayesDecisionClassifier(HistGradientBoostingClassifier(min_samples_leaf=2)).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-60])
def test_a_table_with_a_tiny_column_is_learned_from_and_stored(scale, tmp_path):
    rng, y = np.random.default_rng(0), np.arange(60) % 2
    table = pl.DataFrame({"a": y + rng.normal(size=60), "b": rng.normal(size=60) * scale})
    model = ThresholdDecisionClassifier(prepare(LinearSVC(), table), cv=3).fit(table, y)
    assert np.mean(model.predict(table) == y) > 0.6
    save_model(model, tmp_path / "m")
    np.testing.assert_array_equal(
        load_model(tmp_path / "m").model.predict(table), model.predict(table)
    )
    wide = sparse.csr_array(table.to_numpy())
    model = ThresholdDecisionClassifier(prepare(LinearSVC(), wide), cv=3).fit(wide, y)
    np.testing.assert_array_equal(wide.toarray(), table.to_numpy())
    save_model(model, tmp_path / "m")
