"""What neighbours take: any units and weights, categories, gaps, sparse tables; noise is noise."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.mixture import GaussianMixture

from stakes._core.model_file import load_model, save_model
from stakes.neighbors import (
    BayesNetConfidence,
    ConfidenceNeighborsClassifier,
    MixtureConfidence,
)
from stakes.neighbors._density import log_confidence_of
from stakes.neighbors._mixture import bic, weighted_em
from stakes.neighbors._search import FlatPoints, NeighborSearch

pytestmark = pytest.mark.filterwarnings("ignore::stakes.errors.BelowTrivialWarning")


def problem(rng, n=200):
    X = rng.normal(size=(n, 3)) * [1.0, 20.0, 0.3]
    return X, (X[:, 0] + 0.5 * rng.normal(size=n) > 0.8).astype(int)


MODELS = st.sampled_from(["bayes_net", "mixture", None])
METRICS = st.sampled_from(["l1", "l2", "linf"])


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10),
    powers=st.tuples(*[st.integers(-20, 20)] * 3),
    weights=st.sampled_from(["none", "inverse", "additive"]),
    scale=st.sampled_from(["standard", "range"]),
    model=MODELS,
    metric=METRICS,
)
def test_units_change_no_decision(seed, powers, weights, scale, model, metric):
    """Powers of two, so that scaling is exact; on new rows, where no copy decides alone."""
    rng = np.random.default_rng(seed)
    (X, y), (new, _) = problem(rng), problem(rng)
    factor = 2.0 ** np.array(powers)
    learner = ConfidenceNeighborsClassifier(
        weights=weights, scale=scale, n_neighbors=5, confidence_model=model, metric=metric
    )
    one = learner.fit(X, y).predict_proba(new)
    other = learner.fit(X * factor, y).predict_proba(new * factor)
    np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize("model", [BayesNetConfidence(), MixtureConfidence(random_state=0)])
def test_units_and_names_change_no_confidence(model, rng):
    """A density has the unit of its columns, the same for both classes: their ratio has none."""
    (X, y), (new, _) = problem(rng), problem(rng)
    factor = np.array([2.0**-9, 2.0**12, 2.0])
    one = model.fit(X, y).log_density(new)
    other = model.fit(X * factor, y).log_density(new * factor)
    np.testing.assert_allclose(one[:, 1] - one[:, 0], other[:, 1] - other[:, 0], rtol=1e-9)
    if isinstance(model, BayesNetConfidence):
        weight = rng.uniform(0.2, 3.0, len(y))
        coded = BayesNetConfidence(categorical_features=[1])
        code, names = rng.integers(0, 5, len(y)), rng.permutation(5) * 3.0
        A, B = X.copy(), X.copy()
        A[:, 1], B[:, 1] = code, names[code]
        same = [coded.fit(Z, y, sample_weight=weight).log_density(Z) for Z in (A, B)]
        np.testing.assert_allclose(*same, rtol=1e-9)


def clusters(rng, n=150):
    """Two clusters of each class, far from each other."""
    y = rng.integers(0, 2, n)
    center = np.where(y == 1, rng.choice([-20.0, 20.0], n), rng.choice([0.0, 40.0], n))
    return center[:, None] * [1.0, -3.0] + rng.normal(size=(n, 2)) * [1.0, 3.0], y


@pytest.mark.parametrize("shape", ["full", "diag"])
def test_a_mixture_counts_a_row_of_weight_two_as_two(shape, rng):
    """Before: weights were ignored."""
    (X, y), (new, _) = clusters(rng), clusters(rng)
    times = rng.integers(0, 4, len(y))
    model = MixtureConfidence(covariance_type=shape, random_state=0)
    copied = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).log_density(new)
    assert [mixture.n_components for mixture in model.mixtures_] == [2, 2]
    weighted = model.fit(X, y, sample_weight=times / 7.0)
    np.testing.assert_allclose(weighted.log_density(new), copied, rtol=1e-6)
    assert not np.allclose(model.fit(X, y).log_density(new), copied, rtol=1e-3)


@pytest.mark.parametrize("shape", ["full", "diag"])
def test_weighted_em_with_equal_weights_is_that_of_scikit_learn(shape, rng):
    X, _ = problem(rng)
    settings = dict(covariance_type=shape, reg_covar=1e-3, random_state=0, tol=1e-6, max_iter=300)
    ours, theirs = (GaussianMixture(2, **settings) for _ in range(2))
    weighted_em(ours, X, np.full(len(X), 2.0))
    theirs.fit(X)
    assert ours.n_iter_ == theirs.n_iter_ and ours.converged_
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6)
    np.testing.assert_allclose(ours.lower_bound_, theirs.lower_bound_)
    np.testing.assert_allclose(bic(ours, X, np.ones(len(X))), theirs.bic(X))


@pytest.mark.parametrize("model", ["bayes_net", "mixture"])
def test_weights_reach_the_confidence_with_and_without_folds(model, rng):
    """Before: only those of the network did, and only in folds."""
    X, y = clusters(rng)
    times = rng.integers(1, 4, len(y))
    repeated, labels = np.repeat(X, times, axis=0), np.repeat(y, times)
    learner = ConfidenceNeighborsClassifier(confidence_model=model, confidence_folds=None)
    copied = learner.fit(repeated, labels).log_confidence_[np.cumsum(times) - 1]
    weighted = learner.fit(X, y, sample_weight=times).log_confidence_
    np.testing.assert_allclose(weighted, copied, atol=1e-5)
    learner.set_params(confidence_folds=3)
    in_folds = learner.fit(X, y, sample_weight=times).log_confidence_
    assert not np.allclose(in_folds, learner.fit(X, y).log_confidence_, atol=1e-2)


@pytest.mark.parametrize("model", [BayesNetConfidence(), MixtureConfidence(random_state=0)])
def test_the_unit_of_the_weights_changes_no_density(model, rng):
    X, y = problem(rng)
    for weight in (np.ones(len(y)), rng.integers(1, 4, len(y)), rng.uniform(0.2, 3.0, len(y))):
        one, other = (
            model.fit(X, y, sample_weight=unit * weight).log_density(X) for unit in (1.0, 1e-3)
        )
        np.testing.assert_allclose(one, other, rtol=1e-8)


def test_even_without_a_scaler_one_unit_for_all_columns_changes_nothing(rng):
    """Before: X, X / 1000 and 1000 X gave 67, 69 and 0 positives."""
    X, y = problem(rng)
    found = [
        ConfidenceNeighborsClassifier(scale="none").fit(c * X, y).predict(c * X).sum()
        for c in (1.0, 2.0**-10, 2.0**10)
    ]
    assert len(set(found)) == 1 and found[0] > 0


@settings(max_examples=10, deadline=None)
@given(
    factor=st.floats(1e-6, 1e6),
    seed=st.integers(0, 5),
    confidence=MODELS,
    metric=METRICS,
    whole=st.booleans(),
)
def test_the_unit_of_the_weights_does_not_matter(factor, seed, confidence, metric, whole):
    rng = np.random.default_rng(seed)
    (X, y), (new, _) = problem(rng), problem(rng)
    weight = rng.integers(0, 3, len(y)) if whole else rng.uniform(0.2, 3.0, len(y))
    model = ConfidenceNeighborsClassifier(confidence_model=confidence, metric=metric)
    one = model.fit(X, y, sample_weight=weight).predict_proba(new)
    other = model.fit(X, y, sample_weight=weight * factor).predict_proba(new)
    np.testing.assert_allclose(one, other, rtol=1e-8)


@pytest.mark.parametrize("scale", ["standard", "range", "none"])
@pytest.mark.parametrize("weights", ["none", "inverse", "additive"])
def test_a_weight_of_two_is_two_neighbours(weights, scale, rng):
    X, y = problem(rng)
    times = rng.integers(0, 4, len(y))
    settings = dict(weights=weights, confidence_model=None, calibration=None, scale=scale)
    settings |= dict(n_neighbors=7, smoothing=0.0)
    copied = ConfidenceNeighborsClassifier(**settings).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    weighted = ConfidenceNeighborsClassifier(**settings).fit(X, y, sample_weight=times)
    new = rng.normal(size=(50, 3)) * [1.0, 20.0, 0.3]
    np.testing.assert_allclose(weighted.predict_proba(new), copied.predict_proba(new), atol=1e-9)


def test_a_copy_counts_more_than_anything_near():
    """Before: 0.667 for a copy and 0.9999993 next to it."""
    X, y = np.arange(4.0)[:, None], [0, 1, 0, 0]
    model = ConfidenceNeighborsClassifier(
        n_neighbors=1, confidence_model=None, calibration=None
    ).fit(X, y)
    at, near, far = model.predict_proba([[1.0], [1.000001], [1.3]])[:, 1]
    assert at > near > far > 0.5 and at > 1 - 1e-12


def test_the_floor_of_a_variance_is_that_of_its_column(rng):
    """Before: N(0, 1) next to N(0, 1e4) was fitted with a variance of about 50,000."""
    X = np.column_stack([rng.normal(size=3000), 1e4 * rng.normal(size=3000)])
    model = MixtureConfidence(max_components=1, random_state=0).fit(X, np.zeros(3000))
    fitted = np.diag(model.mixtures_[0].covariances_[0]) * model.scale_**2
    np.testing.assert_allclose(fitted, X.var(axis=0), rtol=0.002)


@pytest.mark.jit
@pytest.mark.parametrize("model", ["bayes_net", "mixture"])
def test_noise_is_not_called_positive(model):
    """Before: a fifth of pure noise, since each rare example looked typical of its own class."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 30)), (rng.random(1500) < 0.02).astype(int)
    new = rng.normal(size=(1000, 30))
    settings = dict(confidence_model=model)
    held_out = ConfidenceNeighborsClassifier(**settings).fit(X, y).predict(new).mean()
    assert held_out < 0.02
    if model == "bayes_net":
        own = ConfidenceNeighborsClassifier(confidence_folds=None, **settings).fit(X, y)
        assert own.set_params(calibration=None).predict(new).mean() > 0.05


def test_held_out_confidence_never_saw_its_example(rng):
    X, y = problem(rng, 60)
    found = log_confidence_of(BayesNetConfidence(), X, y, cv=3)
    fold = np.empty(60, int)
    for k in (0, 1):
        fold[y == k] = np.arange((y == k).sum()) % 3
    for turn in range(3):
        model = BayesNetConfidence().fit(X[fold != turn], y[fold != turn])
        rows = np.flatnonzero(fold == turn)
        expected = model.log_density(X[rows])[np.arange(len(rows)), y[rows]]
        np.testing.assert_allclose(found[rows], expected)
    lonely = log_confidence_of(BayesNetConfidence(), X, np.r_[1, np.zeros(59, int)], cv=3)
    assert np.isfinite(lonely).all()


def mixed(rng, n=400):
    town = rng.choice(["Athens", "Bonn", "Cork"], n).astype(object)
    age = rng.uniform(20, 70, n)
    y = ((town == "Bonn") & (age > 40)).astype(int)
    town[rng.random(n) < 0.05] = None
    age[rng.random(n) < 0.05] = np.nan
    return pl.DataFrame({"town": town, "age": age}, strict=False), y


def test_mixed_columns(rng, tmp_path):
    """One-hot distances, coded densities, gaps: from the table to the model file."""
    table, y = mixed(rng)
    model = ConfidenceNeighborsClassifier(n_neighbors=9).fit(table, y)
    assert (model.predict(table) == y).mean() > 0.9
    points = model._embed(model._stored)
    assert points.shape == (400, 4) and np.isfinite(points).all()
    known = np.array([t is not None for t in table["town"]])
    ones = points[known][:, 1:]
    gaps = cdist(ones, ones)
    same = np.array(
        [[a == b for b in table["town"].filter(known)] for a in table["town"].filter(known)][:1]
    )
    np.testing.assert_allclose(gaps[:1][~same], np.sqrt(2.0))  # two numbers on average
    new = pl.DataFrame({"town": ["Dubai", None, "Bonn"], "age": [30.0, None, 60.0]})
    found = model.predict_proba(new)
    assert np.isfinite(found).all() and found[2, 1] > 0.5
    save_model(model, tmp_path / "mixed.skops")
    loaded = load_model(tmp_path / "mixed.skops").model
    np.testing.assert_array_equal(loaded.predict_proba(new), found)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 20), confidence=MODELS, metric=METRICS)
def test_the_names_of_categories_do_not_matter(seed, confidence, metric):
    rng = np.random.default_rng(seed)
    (X, y), (new, _), names = problem(rng), problem(rng), rng.permutation(5) * 3.0
    model = ConfidenceNeighborsClassifier(
        categorical_features=[1], confidence_model=confidence, metric=metric
    )
    codes = rng.integers(0, 5, (2, len(y)))
    found = []
    for named in (np.arange(5.0), names):
        for Z, code in zip((X, new), codes, strict=True):
            Z[:, 1] = named[code]
        found.append(model.fit(X, y).predict_proba(new))
    np.testing.assert_allclose(*found, rtol=1e-6)


def test_sparse_tables_are_those_of_their_numbers(rng):
    X, y = problem(rng)
    X[rng.random(X.shape) < 0.5] = 0.0
    dense = ConfidenceNeighborsClassifier().fit(X, y).predict_proba(X)
    found = ConfidenceNeighborsClassifier().fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(found.predict_proba(sparse.csc_array(X)), dense)


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_blocks_in_single_precision_are_exact(shift, rng):
    """Heavy tails, ties and points far from the origin: bounds decide what is computed again."""
    X = shift + rng.standard_t(1.5, size=(3000, 12))
    X[1500:1600] = X[:100]
    new = np.vstack([shift + rng.normal(size=(40, 12)), X[:10]])
    search = NeighborSearch(X, np.asarray, "l2", 7, None, by_tree=False)
    distance, near = search.nearest(new, 7)
    everything = cdist(new, X)
    order = np.lexsort((np.tile(np.arange(3000), (50, 1)), everything), axis=1)[:, :7]
    np.testing.assert_allclose(
        distance, np.take_along_axis(everything, order, 1), rtol=1e-9, atol=1e-9 * (1 + shift)
    )
    assert (near == order).mean() > 0.99
    candidates, bound = FlatPoints(X, np.asarray).nearest(new, 7)
    dropped = np.ones_like(everything, dtype=bool)
    np.put_along_axis(dropped, candidates, False, 1)
    assert (np.where(dropped, everything, np.inf).min(axis=1) >= bound * (1 - 1e-12)).all()
