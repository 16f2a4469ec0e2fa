"""Fisher's test against scipy and exact integers; what pruning keeps and what it removes."""

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact

from naive import tree as naive
from stakes.tree import ConfidenceTreeClassifier, fisher_exact_p
from stakes.tree._prune import errs_less_as_leaf, pessimistic_errors


def test_p_values_are_scipys(rng):
    for top in (5, 40, 200):
        for table in rng.integers(0, top, (30, 4)):
            ours = fisher_exact_p(*table)
            scipys = fisher_exact(table.reshape(2, 2), alternative="greater").pvalue
            exact = float(naive.fisher(*map(int, table)))
            assert ours == pytest.approx(exact, rel=1e-12)
            assert scipys == pytest.approx(exact, rel=1e-9)


def test_p_values_that_underflow(rng):
    for top in (800, 2000):
        for _ in range(3):
            a, d = (int(v) for v in rng.integers(top // 2, top, 2))
            b, c = (int(v) for v in rng.integers(0, top // 20, 2))
            exact = naive.log_fraction(naive.fisher(a, b, c, d))
            assert fisher_exact_p(a, b, c, d, log=True) == pytest.approx(exact, rel=1e-12)
    assert fisher_exact_p(5000, 0, 0, 5000) == 0.0


def test_large_tables_that_are_hardly_associated():
    table = (2_010, 48_000, 1_990, 48_000)
    exact = float(naive.fisher(*table))
    assert fisher_exact_p(*table) == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize("table", [(0, 0, 0, 0), (3, 0, 2, 0), (0, 3, 0, 2), (0, 2, 3, 0)])
def test_tables_without_a_choice(table):
    assert fisher_exact_p(*table) == 1.0


def test_arrays_and_bad_counts():
    p = fisher_exact_p([8, 1], 2, 1, 5)
    assert p.shape == (2,) and p[0] < p[1]
    with pytest.raises(ValueError, match="b must be a whole number"):
        fisher_exact_p(1, -1, 1, 1)
    with pytest.raises(ValueError, match="a must be a whole number"):
        fisher_exact_p(0.5, 1, 1, 1)


def descendants(nodes, k):
    below = [k]
    for j in below:
        if not nodes.is_leaf[j]:
            below += [nodes.left[j], nodes.left[j] + 1]
    return below


def matched(full, pruned):
    """Pairs of numbers of the same node in the full and in the pruned tree."""
    pairs = [(0, 0)]
    for k, j in pairs:
        if not pruned.is_leaf[j]:
            pairs += [(full.left[k] + side, pruned.left[j] + side) for side in (0, 1)]
    return pairs


@pytest.mark.parametrize("how", ["fisher", "fisher_leaves"])
def test_what_is_kept_is_significant_below_and_what_is_cut_is_not(how, rng):
    X = rng.normal(size=(250, 4)).round(1)
    y = (X[:, 0] + 1.5 * rng.normal(size=250) > 1.0).astype(int)
    settings = dict(p_value=1e-3, min_samples_leaf=1)
    full = ConfidenceTreeClassifier(pruning=None, **settings).fit(X, y).trees_[0]
    pruned = ConfidenceTreeClassifier(pruning=how, **settings).fit(X, y).trees_[0]
    counts = np.round(full.weight).astype(int)

    def is_significant(k):
        if full.is_leaf[k] and how == "fisher":
            return False
        (f, t), (n, p) = counts[k], counts[0]
        if t * n < f * p:
            f, t, n, p = t, f, p, n
        return float(naive.fisher(t, f, p - t, n - f)) < 1e-3

    pairs = matched(full, pruned)
    cut = 0
    for k, j in pairs[1:]:
        significant = any(is_significant(m) for m in descendants(full, k))
        if not pruned.is_leaf[j]:
            assert significant
        elif not full.is_leaf[k]:
            assert not significant
            cut += 1
    assert cut and len(pruned) > 1
    np.testing.assert_array_equal(
        pruned.weight[[j for _, j in pairs]], full.weight[[k for k, _ in pairs]]
    )


def test_a_significant_leaf_is_lost_by_the_algorithms_and_kept_with_leaves():
    """Exclusive or: neither branch of the root tells anything, every leaf below tells all."""
    X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [50, 52, 50, 50], axis=0).astype(float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    n_leaves = [
        ConfidenceTreeClassifier(pruning=how).fit(X, y).n_leaves_
        for how in ("fisher", "fisher_leaves")
    ]
    assert n_leaves == [2, 4]


def test_pessimistic_errors_are_the_binomial_bound():
    for errors, n in [(0, 6), (1, 9), (3, 20)]:
        rate = pessimistic_errors(errors, n) / n
        assert binom.cdf(errors, n, rate) == pytest.approx(0.25)


def test_error_pruning_cuts_where_the_leaf_is_expected_to_err_no_more(rng):
    X = rng.normal(size=(200, 3)).round(1)
    y = (X[:, 0] + rng.normal(size=200) > 0.5).astype(int)
    full = ConfidenceTreeClassifier(pruning=None, min_samples_leaf=1).fit(X, y).trees_[0]
    cut = errs_less_as_leaf(full)

    def errors(k):
        alone = float(pessimistic_errors(full.weight[k].min(), full.weight[k].sum()))
        if full.is_leaf[k]:
            return alone
        return min_or_below(alone, errors(full.left[k]) + errors(full.left[k] + 1), k)

    def min_or_below(alone, below, k):
        assert cut[k] == (alone <= below + 0.1)
        return alone if cut[k] else below

    errors(0)
    pruned = ConfidenceTreeClassifier(pruning="error", min_samples_leaf=1).fit(X, y).trees_[0]
    assert len(pruned) < len(full)
