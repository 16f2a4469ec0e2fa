"""The search finds what all distances say, by either road, and always takes the same road."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from naive.neighbors import NAMES
from stakes.neighbors import ConfidenceNeighborsClassifier
from stakes.neighbors._search import ORDERS, NeighborSearch, reached


@pytest.mark.parametrize("metric", ["l1", "l2", "linf"])
@pytest.mark.parametrize("by_tree", [True, False])
def test_neighbours_are_those_of_all_distances(by_tree, metric, rng):
    X, new = rng.normal(size=(300, 4)), rng.normal(size=(40, 4))
    distance, near = NeighborSearch(X, np.asarray, metric, 9, None, by_tree).nearest(new, 9)
    everything = cdist(new, X, NAMES[metric])
    np.testing.assert_array_equal(near, np.argsort(everything, axis=1)[:, :9])
    np.testing.assert_allclose(distance, np.sort(everything, axis=1)[:, :9], rtol=1e-12)


@pytest.mark.parametrize("by_tree", [True, False])
def test_copies_are_at_distance_zero(by_tree, rng):
    """Far from the origin a matrix product would give 1e-6 instead, and a vote of a million."""
    X = 1e4 + rng.normal(size=(200, 20))
    distance, near = NeighborSearch(X, np.asarray, "l2", 3, None, by_tree).nearest(X, 3)
    assert (distance[:, 0] == 0).all() and (near[:, 0] == np.arange(200)).all()


def test_the_data_choose_the_road(rng):
    few, many = rng.normal(size=(5000, 2)), rng.normal(size=(5000, 30))
    flat = few @ rng.normal(size=(2, 30))  # a plane in 30 dimensions
    choices = [NeighborSearch(X, np.asarray, "l2", 5, None).by_tree for X in (few, many, flat)]
    assert choices == [True, False, True]


def test_reached_counts_the_points_of_the_cells(rng):
    X = rng.normal(size=(400, 2))
    tree = NeighborSearch(X, np.asarray, "l2", 5, None, by_tree=True).tree
    for order in ORDERS.values():
        within = int((np.linalg.norm(X - X[0], order, axis=1) <= 0.7).sum())
        found = reached(tree, X[0], 0.7, order, 400)
        assert within <= found < 400
    assert reached(tree, X[0], 1e9, 2, 400) == 400
    assert reached(tree, X[0], 1e9, 2, 50) < 100  # it stops


def test_threads_and_model_state_change_nothing(rng):
    X = rng.normal(size=(200, 2))
    y = X[:, 0] > 0
    one, two = (
        ConfidenceNeighborsClassifier(n_neighbors=5, confidence_model=None, n_jobs=n).fit(X, y)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    again = ConfidenceNeighborsClassifier()
    again.__setstate__(one.__getstate__())
    assert again.by_tree_ == one.by_tree_
    np.testing.assert_array_equal(one.predict_proba(X), again.predict_proba(X))
