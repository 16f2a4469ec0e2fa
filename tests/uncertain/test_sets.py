import numpy as np
import pytest

from naive import uncertain as naive
from stakes.uncertain import Box, Ellipsoid, Intersection, MeanIntervalEllipsoid
from uncertain.problems import uncertain_problem

FIELDS = ("center", "half_width", "axes", "factor", "below", "above")


def all_sets(rng, n=5, d=4):
    known, _ = uncertain_problem(rng, n, d)
    axes = rng.uniform(0, 1, (n, d))
    axes[0, 1] = 0.0
    box = Box(known.lower, known.upper)
    union = MeanIntervalEllipsoid(known.mean_lower, known.mean_upper, axes)
    return {
        "box": box,
        "ellipsoid": Ellipsoid(known.mean, axes),
        "general ellipsoid": Ellipsoid(known.mean, 0.5 * rng.normal(size=(n, d, d))),
        "union": union,
        "cut ellipsoid": Intersection(Ellipsoid(known.mean, axes), box),
        "cut union": Intersection(union, box),
    }


def test_worst_points_against_cone_programmes(rng):
    for name, sets in all_sets(rng).items():
        directions = rng.normal(size=(5, 4))
        directions[1, 0] = 0.0
        points, values = sets.worst_points(directions), sets.support(directions)
        for i in range(5):
            arrays = {f: getattr(sets, f)[i] for f in FIELDS if getattr(sets, f) is not None}
            value, _ = naive.worst_point(directions[i], **arrays)
            assert values[i] == pytest.approx(value, abs=1e-6), name
        assert sets.contains(points).all(), name
        assert not sets.contains(points + 0.01 * directions).any(), name


def test_cut_against_all_faces(rng):
    # a cut ellipsoid in two dimensions, by trying angles on the circle and corners of the box
    known, _ = uncertain_problem(rng, 6, 2)
    axes = rng.uniform(0.1, 1, (6, 2))
    sets = Intersection(Ellipsoid(known.mean, axes), Box(known.lower, known.upper))
    direction = rng.normal(size=2)
    angle = np.linspace(0, 2 * np.pi, 20001)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    for i in range(6):
        ring = np.clip(axes[i] * circle, -sets.below[i], sets.above[i])
        # clipping a point of the ellipsoid keeps it inside, and reaches every corner of the cut
        best = (ring @ direction).max() + known.mean[i] @ direction
        assert sets.support(direction)[i] == pytest.approx(best, abs=1e-4)


def test_support_is_subadditive_and_homogeneous(rng):
    for sets in all_sets(rng).values():
        a, b = rng.normal(size=(2, 4))
        assert (sets.support(a + b) <= sets.support(a) + sets.support(b) + 1e-9).all()
        np.testing.assert_allclose(sets.support(3 * a), 3 * sets.support(a))


def test_touching(rng):
    for sets in all_sets(rng).values():
        w = rng.normal(size=4)
        high, low = sets.support(w), -sets.support(-w)
        assert (low <= high).all()
        np.testing.assert_array_equal(
            sets.touches(w, -float(high[0]) + 1e-9)[:1], [high[0] - 1e-9 >= low[0]]
        )
        assert not sets.touches(w, -float(high.max()) - 1.0).any()
        part = sets[np.array([2, 0])]
        np.testing.assert_allclose(part.support(w), high[[2, 0]])


def test_reach_is_where_the_grown_set_touches(rng):
    known, _ = uncertain_problem(rng, 8, 3)
    axes = rng.uniform(0.1, 0.5, (8, 3))
    box = Box(known.lower, known.upper)
    w = rng.normal(size=3)
    b = 0.1
    signs = np.where(known.mean @ w + b > 0, 1.0, -1.0)
    unit = Intersection(Ellipsoid(known.mean, axes), box)
    reach = unit.reach(w, signs * (known.mean @ w + b), signs)
    lowest = signs * b - box.support(-signs[:, None] * w)
    np.testing.assert_array_equal(np.isinf(reach), lowest > 0)
    for i in np.flatnonzero(np.isfinite(reach)):
        grown = [
            Intersection(Ellipsoid(known.mean, f * reach[i] * axes), box).touches(w, b)[i]
            for f in (0.999, 1.001)
        ]
        assert grown == [False, True]


def test_degenerate_sets_agree(rng):
    known, _ = uncertain_problem(rng, 5, 3)
    box = Box(known.lower, known.upper)
    w = rng.normal(size=3)
    huge = Intersection(Ellipsoid(known.mean, np.full((5, 3), 1e6)), box)
    np.testing.assert_allclose(huge.support(w), box.support(w))
    point = Intersection(Ellipsoid(known.mean, np.zeros((5, 3))), box)
    np.testing.assert_allclose(point.support(w), known.mean @ w)
    union = MeanIntervalEllipsoid(known.lower, known.upper, np.zeros((5, 3)))
    np.testing.assert_allclose(union.support(w), box.support(w))
    axes = rng.uniform(0.1, 1, (5, 3))
    general = Ellipsoid(known.mean, np.array([np.diag(a) for a in axes]))
    np.testing.assert_allclose(general.support(w), Ellipsoid(known.mean, axes).support(w))
    assert Ellipsoid(known.mean, axes).support(np.zeros(3)).tolist() == [0.0] * 5


def test_bad_sets():
    one = np.zeros((1, 2))
    with pytest.raises(ValueError, match="lower is above upper in row 0"):
        Box(one + 1, one)
    with pytest.raises(ValueError, match="axes must be finite, of shape"):
        Ellipsoid(one, np.zeros((1, 3)))
    with pytest.raises(ValueError, match="mean of example 0 is outside its box"):
        Intersection(Ellipsoid(one + 5, one), Box(one, one + 1))
    with pytest.raises(ValueError, match="axes parallel to the features"):
        Intersection(Ellipsoid(one, np.zeros((1, 2, 2))), Box(one, one + 1))
    with pytest.raises(ValueError, match="upper must have shape"):
        Box(one, np.zeros((2, 2)))
    with pytest.raises(ValueError, match="finite table"):
        Box([[np.nan, 1.0]], one)
