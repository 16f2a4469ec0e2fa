"""C4.5 as the thesis ran it, by Quinlan's own example and against the library's trees."""

import numpy as np
import pytest

from stakes.reproduce.ccpdt._c45 import C45
from stakes.tree import ConfidenceTreeClassifier

SUNNY, OVERCAST, RAIN = 0.0, 1.0, 2.0
# outlook, temperature, humidity, windy, play: Quinlan (1993), Table 2.1
GOLF = np.array(
    [
        *((SUNNY, 75, 70, 1, 1), (SUNNY, 80, 90, 1, 0), (SUNNY, 85, 85, 0, 0)),
        *((SUNNY, 72, 95, 0, 0), (SUNNY, 69, 70, 0, 1), (OVERCAST, 72, 90, 1, 1)),
        *((OVERCAST, 83, 78, 0, 1), (OVERCAST, 64, 65, 1, 1), (OVERCAST, 81, 75, 0, 1)),
        *((RAIN, 71, 80, 1, 0), (RAIN, 65, 70, 1, 0), (RAIN, 75, 80, 0, 1)),
        *((RAIN, 68, 80, 0, 1), (RAIN, 70, 96, 0, 1)),
    ]
)
CATEGORY = np.array([True, False, False, True])


def test_quinlans_tree_has_a_branch_for_each_outlook():
    model = C45(CATEGORY, pruned=False).fit(GOLF[:, :4], GOLF[:, 4])
    root = model.root
    assert root.feature == 0 and len(root.children) == 3 and model.n_leaves_ == 5
    sunny, overcast, rain = root.children
    assert (sunny.feature, sunny.threshold) == (2, 75.0) and not overcast.children
    assert rain.feature == 3
    gain, parted, _ = model._best_of(0, GOLF[:, 0], np.ones(14), model.hot)
    assert (gain, parted, gain / parted) == pytest.approx((0.246, 1.577, 0.156), abs=1e-3)


def test_quinlans_example_of_an_unknown_value():
    table = GOLF.copy()
    table[5, 0] = np.nan
    model = C45(CATEGORY, pruned=False).fit(table[:, :4], table[:, 4])
    gain, parted, _ = model._best_of(0, table[:, 0], np.ones(14), model.hot)
    assert (gain, parted, gain / parted) == pytest.approx((0.199, 1.809, 0.110), abs=1e-3)
    assert model.root.shares == pytest.approx([5 / 13, 3 / 13, 5 / 13])
    assert model.root.children[0].counts.sum() == pytest.approx(5 + 5 / 13)
    found = model.predict_proba([[np.nan, 70.0, 70.0, 0.0], [7.0, 70.0, 70.0, 0.0]])
    assert found.sum(axis=1) == pytest.approx([1.0, 1.0]) and (found[0] == found[1]).all()


@pytest.mark.parametrize("pruned", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_on_numbers_it_is_the_librarys_tree(pruned, n_classes, rng):
    # pruned: with two values there is one threshold; else the two put it at other places of a gap
    top = 2 if pruned else 12
    X = rng.integers(0, top, (250, 8)).astype(float)
    score = X[:, 0] + X[:, 1] * (X[:, 2] > top / 2 - 1) + X[:, 3] + rng.normal(0, top / 4, 250)
    y = np.minimum(np.digitize(score, top * np.array([0.5, 0.8, 1.2])), n_classes - 1)
    ours = ConfidenceTreeClassifier(
        criterion="gain_ratio",
        pruning="error" if pruned else None,
        min_samples_leaf=2,
        smoothing=1.0,
        smoothing_target="uniform",
    ).fit(X, y)
    model = C45(np.zeros(8, bool), pruned=pruned).fit(X, y)
    assert model.n_leaves_ == ours.n_leaves_ > 5
    np.testing.assert_allclose(model.predict_proba(X), ours.predict_proba(X), rtol=1e-9)


def test_an_empty_branch_predicts_as_its_parent():
    X = np.array([[0.0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 0], [1, 0], [1, 2], [1, 2]])
    model = C45(np.array([True, True]), pruned=False).fit(X, [0, 0, 1, 1, 0, 0, 0, 1, 1])
    assert model.n_leaves_ == 3 if model.root.feature == 1 else model.n_leaves_ >= 4
    found = model.predict_proba(np.array([[0.0, 2.0], [1.0, 1.0]]))
    assert np.isfinite(found).all() and found.sum(axis=1) == pytest.approx([1.0, 1.0])


def test_pruning_removes_what_noise_grew(rng):
    X = np.column_stack([rng.integers(0, 8, 300), rng.integers(0, 3, 300)]).astype(float)
    y = (X[:, 1] == 2) ^ (rng.random(300) < 0.15)
    full, cut = (C45(np.array([True, True]), pruned=p).fit(X, y) for p in (False, True))
    assert full.n_leaves_ > 10 and cut.n_leaves_ == 3
    assert cut.root.feature == 1
