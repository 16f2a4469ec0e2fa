"""Every node of a tree has the best gain that enumeration finds, for every criterion."""

import numpy as np
import pytest

from naive import tree as naive
from stakes._core.jit.gain import CRITERIA, hellinger, split_gain
from stakes.tree import ConfidenceTreeClassifier
from stakes.tree._bins import bin_edges, bin_features
from stakes.tree._split_jit import beats

ALL = sorted(set(CRITERIA) - {"gain_ratio"})


def node_rows(model, X):
    """The rows of every node of the first tree."""
    nodes = model.nodes_
    inside = np.zeros((len(nodes), len(X)), dtype=bool)
    for i, x in enumerate(X):
        inside[naive.walk(nodes, x), i] = True
    for k in np.flatnonzero(~nodes.is_leaf)[::-1]:
        inside[k] = inside[nodes.left[k]] | inside[nodes.left[k] + 1]
    return inside


def node_gain(nodes, k, inside, positive, mass, criterion, by_count):
    sides = [
        (mass[rows & ~positive].sum(), mass[rows & positive].sum())
        for rows in (inside[nodes.left[k]], inside[nodes.left[k] + 1])
    ]
    return naive.gain(criterion, *sides, by_count=by_count)


def assert_best_everywhere(model, X, y, weight, cost, categorical=()):
    nodes, positive = model.nodes_, y == 1
    mass = weight * cost if model.criterion == "cost" else weight
    inside, by_count = node_rows(model, X), model.branch_weight == "count"
    inner = np.flatnonzero(~nodes.is_leaf)
    assert len(inner)
    for k in inner:
        rows = inside[k]
        best = naive.best_gain(
            X[rows],
            positive[rows],
            mass[rows],
            weight[rows],
            model.criterion,
            model.min_samples_leaf,
            by_count,
            categorical,
        )
        found = node_gain(nodes, k, inside, positive, mass, model.criterion, by_count)
        assert found == pytest.approx(best, abs=1e-10)
    for k in np.flatnonzero(nodes.is_leaf):
        rows = inside[k]
        np.testing.assert_allclose(
            nodes.weight[k], [weight[rows & ~positive].sum(), weight[rows & positive].sum()]
        )


def rounded_problem(rng, n=40, d=3, missing=0.15):
    X = rng.normal(size=(n, d)).round(1)
    y = (X[:, 0] + rng.normal(size=n) > 0.7).astype(int)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


@pytest.mark.parametrize("criterion", ALL)
@pytest.mark.parametrize("exact_rows", [0, 256])
def test_each_split_is_the_best_of_all(criterion, exact_rows, rng):
    X, y = rounded_problem(rng)
    fn = rng.uniform(0.5, 4.0, len(y))
    model = ConfidenceTreeClassifier(
        criterion=criterion, pruning=None, max_depth=2, exact_rows=exact_rows, min_samples_leaf=3
    ).fit(X, y, fn_cost=fn)
    assert_best_everywhere(model, X, y, np.ones(len(y)), np.where(y == 1, fn, 1.0))


@pytest.mark.parametrize("criterion", ["ccp_entropy", "ccp_gini"])
def test_branches_weighted_by_count(criterion, rng):
    X, y = rounded_problem(rng)
    model = ConfidenceTreeClassifier(
        criterion=criterion, branch_weight="count", pruning=None, max_depth=2
    ).fit(X, y)
    assert_best_everywhere(model, X, y, np.ones(len(y)), np.ones(len(y)))


@pytest.mark.parametrize("criterion", ["ccp_entropy", "gini", "cost"])
def test_weights_and_histograms_by_subtraction(criterion, rng):
    """Coarse bins of a wide column are exact on the values that the bins keep apart."""
    X, y = rounded_problem(rng, n=60, missing=0.1)
    weight = rng.uniform(0.2, 2.0, len(y))
    weight *= weight.sum() / (weight**2).sum()  # Kish's number of examples in all
    model = ConfidenceTreeClassifier(
        criterion=criterion, pruning=None, max_depth=3, exact_rows=0, min_samples_leaf=1.5
    ).fit(X, y, 7.0 * weight)
    assert_best_everywhere(model, X, y, weight, np.ones(len(y)))


@pytest.mark.parametrize("criterion", ALL)
def test_groups_of_categories_are_the_best_of_all_subsets(criterion, rng):
    X = np.column_stack([rng.integers(0, 6, 50), rng.normal(size=50).round(1)]).astype(float)
    y = (np.isin(X[:, 0], [1, 4]) ^ (rng.random(50) < 0.2)).astype(int)
    X[rng.random(50) < 0.1, 0] = np.nan
    model = ConfidenceTreeClassifier(
        criterion=criterion, pruning=None, max_depth=2, min_samples_leaf=1, categorical_features=[0]
    ).fit(X, y)
    assert_best_everywhere(model, X, y, np.ones(50), np.ones(50), categorical=(0,))
    assert (model.nodes_.group >= 0).any()


@pytest.mark.parametrize("exact_rows", [0, 1000])
def test_small_nodes_are_exact_where_bins_are_coarse(exact_rows, rng):
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=60) > 0.5).astype(int)
    model = ConfidenceTreeClassifier(
        pruning=None, max_depth=1, max_bins=4, exact_rows=exact_rows, min_samples_leaf=1
    ).fit(X, y)
    inside = node_rows(model, X)
    found = node_gain(model.nodes_, 0, inside, y == 1, np.ones(60), "ccp_entropy", False)
    best = naive.best_gain(X, y == 1, np.ones(60), np.ones(60), "ccp_entropy")
    if exact_rows:
        assert found == pytest.approx(best)
    else:
        edges = [bin_edges(x, 4)[0] for x in X.T]
        coarse = np.column_stack([np.searchsorted(e, x) for e, x in zip(edges, X.T, strict=True)])
        among_bins = naive.best_gain(
            coarse.astype(float), y == 1, np.ones(60), np.ones(60), "ccp_entropy"
        )
        assert found == pytest.approx(among_bins)


@pytest.mark.parametrize("criterion", ALL)
def test_gain_of_one_split(criterion, rng):
    for _ in range(20):
        left, right = rng.integers(0, 9, 2), rng.integers(1, 9, 2)
        if left.sum() == 0:
            continue
        for by_count in (False, True):
            ours = split_gain(CRITERIA[criterion], by_count, *map(float, [*left, *right]))
            assert ours == pytest.approx(naive.gain(criterion, left, right, by_count), abs=1e-12)


@pytest.mark.parametrize("criterion", ["ccp_entropy", "ccp_gini", "hellinger"])
def test_ten_copies_of_the_negatives_change_no_split(criterion, rng):
    X = rng.normal(size=(150, 3)).round(1)
    y = (X[:, 0] + rng.normal(size=150) > 1.0).astype(int)
    weight = np.where(y == 1, 1.0, 10.0)
    settings = dict(pruning=None, max_depth=4, min_samples_leaf=1e-9)
    plain = ConfidenceTreeClassifier(criterion=criterion, **settings).fit(X, y)
    copied = ConfidenceTreeClassifier(criterion=criterion, **settings).fit(X, y, weight)
    np.testing.assert_array_equal(plain.nodes_.feature, copied.nodes_.feature)
    np.testing.assert_array_equal(plain.nodes_.threshold, copied.nodes_.threshold)
    left, right = rng.integers(1, 20, 2), rng.integers(1, 20, 2)
    more = [np.array([10, 1]) * side for side in (left, right)]
    for name in (criterion, "entropy"):
        gains = [
            split_gain(CRITERIA[name], False, *map(float, [*a, *b]))
            for a, b in ((left, right), more)
        ]
        assert (gains[0] == pytest.approx(gains[1], abs=1e-12)) == (name == criterion)


def test_rate_weights_are_information_gain_with_balanced_classes(rng):
    X = rng.normal(size=(120, 3)).round(1)
    y = (X[:, 0] + rng.normal(size=120) > 1.2).astype(int)
    balanced = np.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    settings = dict(pruning=None, max_depth=1, min_samples_leaf=1e-9)
    ours = ConfidenceTreeClassifier(criterion="ccp_entropy", **settings).fit(X, y).nodes_
    weighted = ConfidenceTreeClassifier(criterion="entropy", **settings).fit(X, y, balanced).nodes_
    np.testing.assert_array_equal(ours.feature, weighted.feature)
    np.testing.assert_array_equal(ours.threshold, weighted.threshold)


def test_line_10_of_algorithm_2_needs_the_logarithm_of_each_share():
    """As printed, the entropy grows without bound as a branch loses its negatives."""

    def printed(tpr, fpr):
        t, f = tpr / (tpr + fpr), fpr / (tpr + fpr)
        return -t * np.log2(f) - f * np.log2(f)

    assert printed(0.3, 1e-9) > 25 and naive.entropy(0.3, 1e-9) < 1e-6
    assert printed(0.2, 0.6) < 0.5 < 1.9 < printed(0.6, 0.2)  # the classes do not count alike
    assert naive.entropy(0.2, 0.6) == pytest.approx(naive.entropy(0.6, 0.2))
    assert gain_of("ccp_entropy", (10.0, 0.0, 0.0, 5.0)) == 1.0  # the best split there can be


def test_count_weights_see_the_class_sizes_and_can_fall_below_the_plain_entropy():
    """Algorithm 2 with line 4's entropy taken from the shares of the classes in the node."""
    code = CRITERIA["ccp_entropy"]
    few, many = (30.0, 9.0, 70.0, 1.0), (3000.0, 9.0, 7000.0, 1.0)  # a hundredfold of negatives
    assert split_gain(code, False, *few) == pytest.approx(split_gain(code, False, *many))
    assert abs(split_gain(code, True, *few) - split_gain(code, True, *many)) > 1e-3
    after = 1.0 - split_gain(code, True, *many)
    assert naive.entropy(10_000, 10) - after < 0 < split_gain(code, False, *many)


@pytest.mark.parametrize("criterion", ["ccp_entropy", "ccp_gini", "cost"])
def test_equal_gains_go_to_the_larger_hellinger_distance(criterion):
    split = (1.0, 5.0, 7.0, 3.0)
    code = CRITERIA[criterion]
    gain, distance = split_gain(code, False, *split), hellinger(*split)
    assert beats(code, False, 0, *split, gain, distance - 1e-6)[0]
    assert not beats(code, False, 0, *split, gain, distance + 1e-6)[0]
    assert not beats(code, False, 0, *split, gain + 1e-6, 0.0)[0]
    assert not beats(CRITERIA["gini"], False, 0, *split, gain_of("gini", split), 0.0)[0]


def gain_of(criterion, split):
    return split_gain(CRITERIA[criterion], False, *split)


def test_where_no_split_changes_a_decision_cost_goes_by_hellinger():
    """All leaves say negative whatever the split; the second feature tells the classes apart."""
    y = np.array([1] * 6 + [0] * 30)
    weak = np.r_[np.repeat([0, 1], 3), np.repeat([0, 1], 15)].astype(float)
    strong = np.r_[np.repeat([0, 1], [1, 5]), np.repeat([0, 1], [18, 12])].astype(float)
    tree = ConfidenceTreeClassifier(criterion="cost", max_depth=1, pruning=None, fn_cost=0.5)
    nodes = tree.fit(np.column_stack([weak, strong]), y).nodes_
    assert nodes.feature[0] == 1


def test_a_constant_column_and_a_missing_one_give_a_single_leaf():
    X = np.column_stack([np.ones(10), np.full(10, np.nan)])
    model = ConfidenceTreeClassifier(pruning=None).fit(X, np.arange(10) % 2)
    assert model.n_leaves_ == 1
    np.testing.assert_allclose(model.predict_proba(X), 0.5)


def test_missing_values_alone_can_be_the_split():
    x = np.where(np.arange(40) % 2 == 0, np.nan, np.arange(40.0))[:, None]
    y = np.isnan(x[:, 0]).astype(int)
    model = ConfidenceTreeClassifier(min_samples_leaf=1).fit(x, y)
    assert model.n_leaves_ == 2
    np.testing.assert_array_equal(model.predict(x), y)


def test_bins_keep_the_order_and_their_edges(rng):
    x = np.r_[rng.normal(size=1000), np.repeat(0.25, 300), np.nan]
    edges, exact = bin_edges(x, 16)
    assert not exact and len(edges) <= 15
    binned = bin_features(x[:, None], [False], 16)
    np.testing.assert_array_equal(binned.codes[0, :-1], np.searchsorted(edges, x[:-1]))
    assert binned.codes[0, -1] == 255
    counts = np.bincount(binned.codes[0, :-1])
    assert counts[counts < 300].max() < 2 * 1300 / 16


def test_adjacent_floats_are_separated():
    x = np.array([1.0, np.nextafter(1.0, 2.0)] * 10)[:, None]
    y = (x[:, 0] > 1.0).astype(int)
    for exact_rows in (0, 256):
        model = ConfidenceTreeClassifier(exact_rows=exact_rows, max_bins=2).fit(x, y)
        np.testing.assert_array_equal(model.predict(x), y)


def test_names_of_categorical_features_are_checked():
    X, y = np.array([[0.5], [1.0], [2.0]]), [0, 1, 1]
    with pytest.raises(ValueError, match="column indices from 0 to 0"):
        ConfidenceTreeClassifier(categorical_features=[3]).fit(X, y)
    with pytest.raises(ValueError, match="2 entries for 1 features"):
        ConfidenceTreeClassifier(categorical_features=[True, False]).fit(X, y)
    with pytest.raises(ValueError, match="'z', which is not a column"):
        ConfidenceTreeClassifier(categorical_features=["z"]).fit(X, y)


def test_gain_ratio_is_that_of_c45(rng):
    """Of the features whose best gain is at least average, the one with the largest ratio."""
    X = np.column_stack([rng.normal(size=(80, 2)).round(1), rng.integers(0, 5, 80)])
    y = (X[:, 0] + (X[:, 2] == 1) + rng.normal(size=80) > 0.8).astype(int)
    settings = dict(pruning=None, max_depth=1, min_samples_leaf=4, categorical_features=[2])
    nodes = ConfidenceTreeClassifier(criterion="gain_ratio", **settings).fit(X, y).nodes_
    proposals = []
    for f in range(3):
        best = (0.0, 0.0)
        for left in naive.splits(X[:, f], f == 2):
            sides = [np.bincount(y[side], minlength=2) for side in (left, ~left)]
            if min(map(sum, sides)) >= 4:
                gain = naive.information_gain(*(s.tolist() for s in sides), naive.entropy)
                info = naive.entropy(*(int(s.sum()) for s in sides))
                best = max(best, (gain, gain / info))
        proposals.append(best)
    average = np.mean([gain for gain, _ in proposals if gain > 0])
    allowed = [r if gain >= average - 1e-12 else -1 for gain, r in proposals]
    assert nodes.feature[0] == int(np.argmax(allowed))


def test_complexity_pruning_cuts_to_the_best_subtree_of_every_penalty(rng):
    from stakes.tree._complexity import _penalties

    X = rng.normal(size=(150, 3))
    y = (X[:, 0] + rng.normal(size=150) > 0.5).astype(int)
    ours = ConfidenceTreeClassifier(criterion="gini", pruning=None, min_samples_leaf=5).fit(X, y)
    nodes, link = ours.nodes_, _penalties(ours.nodes_)
    mistakes = nodes.weight.min(axis=1) / len(y)

    def best(k, alpha):
        alone = mistakes[k] + alpha
        if nodes.is_leaf[k]:
            return alone, 1
        sides = [best(nodes.left[k] + side, alpha) for side in (0, 1)]
        below = sides[0][0] + sides[1][0], sides[0][1] + sides[1][1]
        return (alone, 1) if alone <= below[0] + 1e-12 else below

    for alpha in np.unique(link[~nodes.is_leaf]):
        for at in (alpha * (1 - 1e-6), alpha * (1 + 1e-6)):
            assert nodes.cut(link <= at).is_leaf.sum() == best(0, at)[1]
    pruned = ConfidenceTreeClassifier(criterion="gini", pruning="complexity", min_samples_leaf=5)
    assert pruned.fit(X, y).n_leaves_ < ours.n_leaves_
    noise = pruned.fit(X, rng.integers(0, 2, 150))
    assert noise.n_leaves_ <= 8
