"""The stream learners that are no line: forests, blends, and features of a kernel."""

import numpy as np
from scipy.linalg import solve_triangular

from stakes._core.jit.prequential import line_of
from stakes.export._converters import Scores, convert, converts, two
from stakes.export._trees import Trees, category_split

LARGEST, LARGEST_CODE = 1e100, 1e15  # larger numbers, and codes of categories, count as these


@converts("stakes.online_forest._stream_forest.StreamForestClassifier")
def _stream_forest(model, X):
    """For each half-life a line and a sum of leaves, mixed by the shares of the half-lives."""
    two(model)
    parts, shift = model._scoring_parts()
    z = _standardized(X, parts) @ parts.lines[:, :-1].T + parts.lines[:, -1][None, :]
    s = _mixed(z + _leaves(X, parts), parts)
    if parts.calibration is not None:
        scale, slope, offset = line_of(parts.calibration)
        s = offset + slope * (s / scale)
    return Scores(s.sigmoid(), s + shift)


@converts("stakes.online_forest._stream_blend.StreamBlendClassifier")
def _stream_blend(model, X):
    """The members and a line of their log-odds, mixed by their shares."""
    parts, shift = model._scoring_parts()
    Z = _standardized(X, parts)
    with_gaps = X.graph.where(X.is_missing(), np.nan, Z)
    odds = []
    for member, takes_gaps in parts.members:
        p = convert(member, with_gaps if takes_gaps else Z).probability
        odds.append(_log_odds(p.clip(parts.smallest, 1.0 - parts.smallest)))
    odds = X.graph.join(odds)
    most, weights = parts.most_odds, parts.weights
    stack = odds.clip(-most, most) @ weights[:-1, None] + weights[-1]
    s = _mixed(X.graph.join([odds, stack]), parts)
    return Scores(s.sigmoid(), s + shift)


def _standardized(X, parts):
    """Standard deviations from the mean; zero for missing values and features without a part."""
    there = parts.deviation > 0
    away = X.clip(-LARGEST, LARGEST) - parts.mean[None, :]
    z = away / np.where(there, parts.deviation, 1.0)[None, :]
    none = X.is_missing() | X.graph.constant(~there[None, :], np.bool_)
    return X.graph.where(none, 0.0, z.clip(-parts.farthest, parts.farthest))


def _mixed(odds, parts):
    """Log-odds of the mean of probabilities, by the shares."""
    p = odds.clip(-parts.highest, parts.highest).sigmoid() @ parts.shares[:, None]
    return _log_odds(p)


def _log_odds(p):
    return p.op("Log") - (1.0 - p).op("Log")


def _leaves(X, parts):
    """Sum over the trees of the values of each row's leaves, one column per half-life."""
    columns, bins = [X], {}
    for t, j in _category_splits(parts):
        bins[t, j] = len(parts.mean) + len(bins)
        columns.append(_bins(X.take([j]), int(parts.place[t]), parts.n_bins))
    trees = Trees()
    for t in range(len(parts.feature)):
        for h in range(parts.value.shape[2]):
            trees.add(0, _node_of(parts, t, bins), lambda at, t=t, h=h: (h, parts.value[t, at, h]))
    return trees.sum(X.graph.join(columns), parts.value.shape[2])


def _category_splits(parts):
    """Trees and the categories that they split by."""
    for t, feature in enumerate(parts.feature):
        yield from ((t, int(j)) for j in np.unique(feature[feature >= 0]) if parts.is_category[j])


def _node_of(parts, t, bins):
    """The nodes of a tree, as :meth:`Trees.add` reads them."""

    def node_of(at):
        j, first = int(parts.feature[t, at]), int(parts.child[t, at])
        if j < 0:
            return None
        cut, missing_left = parts.cut[t, at], bool(parts.missing_left[t, at])
        if not parts.is_category[j]:
            return j, cut, None, first, first + 1, missing_left
        left = [float(cut)]
        right = [float(b) for b in range(parts.n_bins) if b != cut]
        split = category_split(left, right, first, first + 1, missing_left)
        return bins[t, j], 0.0, *split

    return node_of


def _bins(x, place, n_bins):
    """Bin of a category's code: the first codes have one each, later ones others in each tree."""
    code = x.clip(-LARGEST_CODE, LARGEST_CODE).op("Floor")
    code = code + float(place) * (code / float(n_bins)).op("Floor")
    return code - float(n_bins) * (code / float(n_bins)).op("Floor")


@converts("stakes.online_kernel._kernel_features.KernelFeaturesClassifier")
def _kernel_features(model, X):
    kind, features = model._scoring_parts()
    if kind == "fourier":
        angles = X @ features
        Z = X.graph.join([angles.op("Cos"), angles.op("Sin")]) * np.sqrt(1.0 / features.shape[1])
    else:
        landmarks, factor, gamma, n_components = features
        squares = (X * X).op("ReduceSum", X.graph.vector([1]), keepdims=1)
        distance = squares + (landmarks**2).sum(axis=1)[None, :] - 2.0 * (X @ landmarks.T)
        K = (distance.op("Max", 0.0) * -float(gamma)).op("Exp")
        inverse = solve_triangular(factor, np.eye(len(factor)))
        Z = K @ np.pad(inverse, ((0, 0), (0, n_components - len(factor))))
    return convert(model.estimator_, X.graph.join([Z, X]) if model.passthrough else Z)
