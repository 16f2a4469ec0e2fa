"""K2 against exact fractions, the tables against counting, and what was never seen."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln
from sklearn.naive_bayes import CategoricalNB

from naive import neighbors as naive
from stakes._core.model_file import load_model, save_model
from stakes.neighbors import BayesNetConfidence, ConfidenceNeighborsClassifier, _bayes_net
from stakes.neighbors._bayes_net import Coder, cut_points
from stakes.neighbors._k2_jit import k2_search


def search(columns, arity, max_parents, weight=None):
    columns = np.asarray(columns, dtype=np.int64)
    n = columns.shape[1]
    table = gammaln(np.arange(1.0, n + max(arity) + 2)) if weight is None else np.empty(0)
    weight = np.ones(n) if weight is None else weight
    parents, scores = k2_search(columns, np.asarray(arity), weight, max_parents, table)
    return [tuple(row[row >= 0].tolist()) for row in parents], scores


def chain(rng, n=40, d=5, r=3):
    """Columns that copy an earlier one two times out of three."""
    columns = [rng.integers(r, size=n)]
    for i in range(1, d):
        old = columns[rng.integers(i)]
        columns.append(np.where(rng.random(n) < 0.66, old, rng.integers(r, size=n)))
    return np.array(columns)


def logarithm(fraction):
    return math.log(fraction.numerator) - math.log(fraction.denominator)


@pytest.mark.parametrize("max_parents", [0, 1, 3])
def test_k2_finds_what_exact_factorials_find(max_parents, rng):
    columns, arity = chain(rng), [3] * 5
    parents, scores = search(columns, arity, max_parents)
    expected, probabilities = naive.k2_parents(columns.tolist(), arity, max_parents)
    assert parents == expected
    assert max_parents == 0 or any(parents)
    np.testing.assert_allclose(scores, [logarithm(p) for p in probabilities], rtol=1e-12)


@pytest.mark.parametrize("arity", [2, 3, 8, 9])
@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
def test_bits_count_what_a_table_counts(arity, n, rng):
    """Columns of few values are counted by sets of rows, weighted ones and others cell by cell."""
    columns = chain(rng, n, 4, arity)
    columns[3] = 0
    by_bits = search(columns, [arity] * 4, 1)
    by_table = search(columns, [arity] * 4, 1, weight=np.full(n, 1.0 + 1e-15))
    assert by_bits[0] == by_table[0]
    np.testing.assert_allclose(by_bits[1], by_table[1], rtol=1e-10, atol=1e-10)


def test_exclusive_or_escapes_a_greedy_search():
    """Neither column helps alone, so K2 stops: the reason why the order and the greed matter."""
    a, b = np.array(list(itertools.product([0, 1], repeat=2)) * 10).T
    columns = [a, b, a ^ b]
    parents, scores = search(columns, [2] * 3, 2)
    assert parents[2] == () == naive.k2_parents([c.tolist() for c in columns], [2] * 3, 2)[0][2]
    assert logarithm(naive.k2_family([c.tolist() for c in columns], [2] * 3, 2, (0, 1))) > scores[2]


def test_k2_reads_the_rows_once_for_each_pair_of_features(rng, monkeypatch):
    """Section 4.5.2 says features times rows, fourfold if both double; it is nearly eightfold."""
    read, family = [], naive.k2_family

    def counted(columns, *rest):
        read.append(len(columns[0]))
        return family(columns, *rest)

    monkeypatch.setattr(naive, "k2_family", counted)
    work = {}
    for n, d in ((20, 8), (20, 16), (40, 16)):
        read.clear()
        naive.k2_parents(chain(rng, n, d).tolist(), [3] * d, 1)
        work[n, d] = sum(read)
        assert work[n, d] == n * (d + d * (d - 1) / 2)
    assert work[40, 16] > 7 * work[20, 8]


def test_a_copy_of_a_parent_is_not_taken_twice(rng):
    a = rng.integers(4, size=300)
    parents, _ = search([a, a[:], np.where(rng.random(300) < 0.7, a, 0)], [4] * 3, 2)
    assert parents == [(), (0,), (0,)]


def test_weights_are_repetitions_also_of_fractions(rng):
    columns, times = chain(rng), rng.integers(1, 4, size=40)
    many, scores = search(np.repeat(columns, times, axis=1), [3] * 5, 2)
    few, same = search(columns, [3] * 5, 2, weight=times.astype(float))
    assert many == few
    np.testing.assert_allclose(scores, same, rtol=1e-12)


def test_tables_far_larger_than_the_data_are_not_tried():
    columns = [np.arange(50)] * 3
    parents, _ = search(columns, [50, 50, 50], 2)
    assert parents == [(), (0,), (0,)]  # 50^3 cells for 50 rows
    assert search([np.arange(8)] * 2, [2000, 2000], 1)[0] == [(), ()]


def test_densities_are_those_of_counting(rng):
    columns = chain(rng)
    y = rng.integers(2, size=40)
    model = BayesNetConfidence(smoothing=0.7).fit(columns.T, y)
    new = rng.integers(3, size=(15, 5))
    for k in (0, 1):
        mine = columns[:, y == k].tolist()
        expected = [naive.network_density(mine, [3] * 5, model.parents_[k], 0.7, x) for x in new]
        np.testing.assert_allclose(model.log_density(new)[:, k], np.log(expected), rtol=1e-10)
    own = model.log_density(columns.T)[np.arange(40), y]
    np.testing.assert_array_equal(own, model.log_confidence(columns.T, y))


def test_probabilities_of_all_values_sum_to_one(rng):
    columns = chain(rng, d=3)
    model = BayesNetConfidence().fit(columns.T, rng.integers(2, size=40))
    everything = np.array(list(itertools.product(range(3), repeat=3)))
    np.testing.assert_allclose(np.exp(model.log_density(everything)).sum(axis=0), 1.0)


def test_without_parents_it_is_naive_bayes(rng):
    X, y = rng.integers(4, size=(80, 3)), rng.integers(2, size=80)
    ours = BayesNetConfidence(max_parents=0, smoothing=0.5).fit(X, y).log_density(X)
    peer = CategoricalNB(alpha=0.5, min_categories=4).fit(X, y)
    theirs = sum(peer.feature_log_prob_[i][:, X[:, i]] for i in range(3)).T
    np.testing.assert_allclose(ours, theirs)


def test_the_order_decides_who_may_be_a_parent(rng):
    X, y = chain(rng, n=200).T, np.zeros(200)
    backwards = BayesNetConfidence(order=[4, 3, 2, 1, 0]).fit(X, y)
    assert backwards.parents_[0][4] == () and any(backwards.parents_[0])
    assert all(p > i for i, of_i in enumerate(backwards.parents_[0]) for p in of_i)
    mirrored = BayesNetConfidence().fit(X[:, ::-1], y)
    np.testing.assert_allclose(backwards.log_density(X), mirrored.log_density(X[:, ::-1]))


def test_what_was_never_seen_has_what_the_prior_leaves():
    X = np.array([[3.0, 1.0], [3.0, 1.0], [5.0, 2.0], [5.0, 2.0]])
    model = BayesNetConfidence(categorical_features=[0, 1]).fit(X, np.ones(4))
    assert model.parents_ == [[(), (0,)]]
    log_p = model.log_density([[3.0, 1.0], [3.0, 2.0], [4.0, 1.0], [3.0, 7.0], [-9.0, 9.0]])[:, 0]
    expected = [1 / 2 * 3 / 4, 1 / 2 * 1 / 4, 1 / 6 * 1 / 2, 1 / 2 * 1 / 4, 1 / 6 * 1 / 2]
    np.testing.assert_allclose(np.exp(log_p), expected)


def test_many_columns_do_not_underflow(rng):
    X = rng.integers(3, size=(30, 1200)).astype(float)
    log_p = BayesNetConfidence(max_parents=0).fit(X, np.arange(30) % 2).log_density(X)
    assert log_p.max() < -745  # exp of it is zero
    for c in (0, 1):  # columns apart from each other: a sum over them, Laplace's correction in each
        times = np.array([(X[c::2] == value).sum(axis=0) for value in range(3)])
        share = np.log((times + 1.0) / (15.0 + 3.0))
        expected = [share[row.astype(int), np.arange(1200)].sum() for row in X]
        np.testing.assert_allclose(log_p[:, c], expected)


def test_weights_of_the_fit(rng):
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    times = rng.integers(0, 4, size=60)
    weighted = BayesNetConfidence(n_bins=3).fit(X, y, sample_weight=times)
    repeated = BayesNetConfidence(n_bins=3).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.log_density(X), repeated.log_density(X))


def test_networks_of_many_rows_are_learned_from_evenly_spaced_ones(rng):
    """Bins are quantiles of all rows, the rest is that of every third row of a class."""
    y = np.repeat([0, 1], [3001, 40])
    X = rng.normal(size=(len(y), 3)) + y[:, None]
    X[:, 1] += X[:, 0]
    few = BayesNetConfidence(max_rows=1001).fit(X, y)
    rows = np.r_[np.arange(0, 3001, 3), np.arange(3001, len(y))]
    weight = np.repeat([3001.0 / 1001.0, 1.0], [1001, 40])
    expected = Coder(X[rows], 5, np.zeros(3, bool), weight)
    for ours, theirs in zip(few._coder.points, expected.points, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    codes = expected.codes(X)
    coded = BayesNetConfidence(categorical_features=[0, 1, 2]).fit(codes[rows], y[rows])
    np.testing.assert_allclose(few.log_density(X), coded.log_density(codes))
    joint = [BayesNetConfidence(joint=True, max_rows=most).fit(X, y) for most in (2, 9999)]
    np.testing.assert_array_equal(*(model.log_density(X) for model in joint))


def test_codes_and_densities_are_the_same_by_steps_searches_and_dense_tables(rng, monkeypatch):
    X = np.column_stack([rng.normal(size=300), rng.integers(0, 40, (300, 2)) % 17, rng.random(300)])
    X[:, 3] += X[:, 1]
    new = np.concatenate([X, X + 0.5, -X])
    model = BayesNetConfidence(n_bins=6, categorical_features=[2]).fit(X, np.arange(300) % 2)
    points, codes = model._coder.points, model._coder.codes(new)
    for j in (0, 1, 3):
        np.testing.assert_array_equal(codes[:, j], np.searchsorted(points[j], new[:, j]))
    known = np.isin(new[:, 2], points[2])
    np.testing.assert_array_equal(codes[:, 2] == len(points[2]), ~known)
    np.testing.assert_array_equal(points[2][codes[known, 2]], new[known, 2])
    found = model.log_density(new)
    assert any(parents for parents in model.parents_[0])
    monkeypatch.setattr(_bayes_net, "DENSE", 0)
    monkeypatch.setattr(_bayes_net, "STEPS", 0)
    np.testing.assert_array_equal(model.log_density(new), found)
    again = BayesNetConfidence(n_bins=6, categorical_features=[2]).fit(X, np.arange(300) % 2)
    np.testing.assert_array_equal(again.log_density(new), found)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(2, 6))
def test_bins_are_few_and_none_is_empty(values, n_bins):
    x = np.array(values, dtype=float)
    cuts = cut_points(x, n_bins, np.ones(len(x)))
    codes = np.searchsorted(cuts, x)
    assert set(codes) == set(range(len(cuts) + 1)) and len(cuts) < n_bins
    if len(set(values)) > 1:
        assert len(cuts) >= 1


def test_rare_values_keep_a_bin_of_their_own():
    for x in (np.r_[np.zeros(98), 3.0, 7.0], np.r_[np.full(98, 9.0), 3.0, 7.0]):
        coder = Coder(x[:, None], 2, np.array([False]), np.ones(100))
        assert np.bincount(coder.codes(x[:, None])[:, 0]).tolist() in ([98, 2], [2, 98])


def test_model_files_hold_a_network(tmp_path, rng):
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    X[:, 0] += 3 * y
    fitted = BayesNetConfidence().fit(X, y)
    model = ConfidenceNeighborsClassifier(
        n_neighbors=5, confidence_model=BayesNetConfidence(n_bins=3)
    ).fit(X, y)
    for number, thing in enumerate((fitted, model)):
        save_model(thing, tmp_path / f"{number}.skops")
    again = load_model(tmp_path / "0.skops").model
    np.testing.assert_array_equal(again.log_density(X), fitted.log_density(X))
    again = load_model(tmp_path / "1.skops").model
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.confidence_model.n_bins == 3


def test_bad_settings_end_in_a_sentence():
    X, y = np.eye(3), [0, 1, 1]
    with pytest.raises(ValueError, match="permutation of the columns 0 to 2"):
        BayesNetConfidence(order=[0, 0, 1]).fit(X, y)
    for outside in (3, -1):
        with pytest.raises(ValueError, match="column indices from 0 to 2"):
            BayesNetConfidence(categorical_features=[outside]).fit(X, y)
    with pytest.raises(ValueError, match="1 entries for 3 features"):
        BayesNetConfidence(categorical_features=[True]).fit(X, y)
    with pytest.raises(ValueError, match="'z', which is not a column"):
        BayesNetConfidence(categorical_features=["z"]).fit(X, y)
    with pytest.raises(ValueError, match="non-zero"):
        BayesNetConfidence().fit(X, y, sample_weight=[0, 0, 0])
    assert BayesNetConfidence(categorical_features=[]).fit(X, y).classes_.tolist() == [0, 1]
    model = ConfidenceNeighborsClassifier(confidence_model=BayesNetConfidence(n_bins=1))
    with pytest.raises(ValueError, match="'n_bins' parameter of BayesNetConfidence"):
        model.fit(X, y)


def test_categories_may_be_named(rng):
    X, y = rng.integers(0, 9, size=(60, 2)).astype(float), np.arange(60) % 2
    frame = pd.DataFrame(X, columns=["a", "b"])
    named = BayesNetConfidence(categorical_features=["b"]).fit(frame, y).log_density(frame)
    numbered = BayesNetConfidence(categorical_features=[1]).fit(X, y).log_density(X)
    np.testing.assert_array_equal(named, numbered)


def test_one_network_with_the_class_as_a_node(rng, tmp_path):
    """Section 4.5.2: p(x, y) / p(y), by hand from the counts of the parents that K2 found."""
    y = rng.integers(0, 2, 200)
    X = np.column_stack([rng.integers(0, 3, 200), (y + (rng.random(200) < 0.2)) % 2]).astype(float)
    model = BayesNetConfidence(joint=True, categorical_features=[0, 1]).fit(X, y)
    (parents,) = model.parents_
    assert parents[2] == () and 2 in parents[1] and 2 not in parents[0]
    found = np.exp(model.log_density(X[:20]))
    first = np.array([((X[:, 0] == x).sum() + 1) / 203 for x in X[:20, 0]])
    for label in (0, 1):
        of_class = X[y == label]
        if parents[1] == (2,):
            second = [((of_class[:, 1] == x).sum() + 1) / (len(of_class) + 2) for x in X[:20, 1]]
            np.testing.assert_allclose(found[:, label], first * second)
    save_model(model, tmp_path / "joint.skops")
    loaded = load_model(tmp_path / "joint.skops").model
    np.testing.assert_array_equal(loaded.log_density(X), model.log_density(X))
