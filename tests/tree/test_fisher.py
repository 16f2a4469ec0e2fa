"""Fisher's test against scipy and exact integers; what pruning keeps and what it removes."""

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact

from naive import tree as naive
from stakes.tree import ConfidenceTreeClassifier, fisher_exact_p
from stakes.tree._prune import pessimistic_errors, significant_below


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
    with pytest.raises(ValueError, match="b must be a count"):
        fisher_exact_p(1, -1, 1, 1)
    with pytest.raises(ValueError, match="a must be a count"):
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
    full = ConfidenceTreeClassifier(pruning=None, **settings).fit(X, y).nodes_
    pruned = ConfidenceTreeClassifier(pruning=how, **settings).fit(X, y).nodes_
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


@pytest.mark.parametrize("depth", [8, 10])
def test_one_pass_marks_what_algorithm_4_marks_in_more_steps(depth, rng):
    """A full tree: (n - 1) m steps as printed, one for each node here, and both exceed n^2."""
    n_leaves, n_nodes = 2**depth, 2 ** (depth + 1) - 1
    left = np.where(np.arange(n_nodes) < n_leaves - 1, 2 * np.arange(n_nodes) + 1, 0)
    log_p = -rng.exponential(size=n_nodes)
    pruneable, steps = np.ones(n_nodes, dtype=bool), 0
    for k in range(n_leaves - 1, n_nodes):
        while (k := (k - 1) // 2) > 0:  # from each leaf up to below the root
            pruneable[k] = pruneable[left[k]] and pruneable[left[k] + 1] and log_p[k] >= -5.0
            steps += 1
    kept = significant_below(left.astype(np.int32), log_p, -5.0, False)
    np.testing.assert_array_equal(pruneable[1 : n_leaves - 1], ~kept[1 : n_leaves - 1])
    assert kept[1 : n_leaves - 1].any() and not kept[1 : n_leaves - 1].all()
    assert steps == (depth - 1) * n_leaves > n_nodes > depth**2


def test_pessimistic_errors_are_the_binomial_bound():
    for errors, n in [(0, 6), (1, 9), (3, 20)]:
        rate = pessimistic_errors(errors, n) / n
        assert binom.cdf(errors, n, rate) == pytest.approx(0.25)


def noisy_problem(rng, n=200):
    X = rng.normal(size=(n, 4)).round(1)
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.5) ^ (rng.random(n) < 0.15)).astype(int)
    X[rng.random(n) < 0.1, 1] = np.nan
    X[:, 3] = rng.integers(0, 5, n)
    return X, y


def test_error_pruning_is_quinlans_recursion(rng):
    X, y = noisy_problem(rng)
    settings = dict(criterion="entropy", min_samples_leaf=1, categorical_features=[3])
    full = ConfidenceTreeClassifier(pruning=None, **settings).fit(X, y).nodes_
    model = ConfidenceTreeClassifier(pruning="error", **settings).fit(X, y)
    pruned = model.nodes_
    rows = list(range(len(y)))
    expected, errors = naive.c45_pruned(full, naive.nested(full), X, y, rows)
    ours = naive.parts(pruned, naive.nested(pruned), X, rows)
    assert ours == naive.parts(full, expected, X, rows)
    assert 1 < len(ours) < full.is_leaf.sum()
    assert sum(naive.pessimistic(y[part]) for part in ours) == pytest.approx(errors)
    inner = np.flatnonzero(~pruned.is_leaf)
    assert np.all((pruned.left[inner] > inner) & (pruned.left[inner] < len(pruned) - 1))
    for leaf in np.unique(model.apply(X)):
        assert pruned.depth[leaf] == len(naive.path_to(pruned, leaf)) - 1
        inside = y[model.apply(X) == leaf]
        np.testing.assert_array_equal(pruned.weight[leaf], [sum(inside == 0), sum(inside == 1)])


def test_error_pruning_raises_a_branch_that_explains_all():
    """The first split is on noise; the larger branch below it is right on all examples."""
    rng = np.random.default_rng(3)
    raised = 0
    for _ in range(20):
        X, y = noisy_problem(rng, 60)
        settings = dict(criterion="gini", min_samples_leaf=1)
        full = ConfidenceTreeClassifier(pruning=None, **settings).fit(X, y).nodes_
        pruned = ConfidenceTreeClassifier(pruning="error", **settings).fit(X, y).nodes_
        raised += not pruned.is_leaf[0] and pruned.feature[0] != full.feature[0]
    assert raised
