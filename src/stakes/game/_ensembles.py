"""The trees of a fitted forest or booster as arrays, on the columns that they split."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from stakes._core.deciding import final_step
from stakes.game._leaf_search_jit import CATEGORY

_GROUP = 256  # size of a set of categories
_CODES = np.arange(_GROUP)
_NO_GROUPS = np.zeros((1, _GROUP), dtype=bool)


@dataclass
class Forest:
    """Sum of trees.

    Attributes
    ----------
    feature, left, right : ndarray of int of shape (m,)
        Column of each node, -1 for a leaf, and its children.
    threshold : ndarray of shape (m,)
        Values up to this one go left.
    missing_left : ndarray of bool of shape (m,)
        Whether missing values go left.
    group : ndarray of int of shape (m,)
        Row of `groups` of a split on categories, else -1.
    groups : ndarray of bool of shape (g, 256)
        Which categories go left.
    value : ndarray of shape (m,)
        Values of the leaves.
    roots : ndarray of int
        Root of each tree.
    start : float
        What the sum starts from.
    log_odds : bool
        Whether the sum is the log-odds of the positive class; else its probability.
    single : bool
        Whether values are rounded to single precision before they are compared.
    encode : callable
        Function from a table to the columns that the trees split.
    """

    feature: np.ndarray
    left: np.ndarray
    right: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray
    group: np.ndarray
    groups: np.ndarray
    value: np.ndarray
    roots: np.ndarray
    start: float
    log_odds: bool
    single: bool
    encode: object

    def rows(self, table):
        """Encoded rows, as the trees compare them."""
        E = self._plain(table)
        return E.astype(np.float32).astype(np.float64) if self.single else E

    def _plain(self, table):
        return np.asarray(self.encode(table), dtype=np.float64)

    def probability(self, E):
        """Probability of class 1 of encoded rows, by walking down the trees."""
        total = np.full(len(E), self.start)
        for root in self.roots:
            at = np.full(len(E), root)
            while True:
                f = self.feature[at]
                inner = np.flatnonzero(f >= 0)
                if not len(inner):
                    break
                k, x = at[inner], E[inner, f[inner]]
                left = x <= self.threshold[k]
                code = np.clip(np.nan_to_num(x, nan=0.0), 0, _GROUP - 1).astype(np.intp)
                left = np.where(self.group[k] >= 0, self.groups[self.group[k], code], left)
                left = np.where(np.isnan(x), self.missing_left[k], left)
                at[inner] = np.where(left, self.left[k], self.right[k])
            total += self.value[at]
        return expit(total) if self.log_odds else total

    def edges(self):
        """Numbers next to each threshold, at or below it and above it."""
        if not self.single:
            return self.threshold, np.nextafter(self.threshold, np.inf)
        below = self.threshold.astype(np.float32)
        down = np.nextafter(below, np.float32(-np.inf))
        below = np.where(below > self.threshold, down, below)
        above = np.nextafter(below, np.float32(np.inf))
        return below.astype(np.float64), above.astype(np.float64)

    def bound(self, levers, probes):
        """The arrays that the compiled loops read, for some levers; None if they do not fit.

        Parameters
        ----------
        levers : Levers
            What can be moved.
        probes : Levers
            The same for a few rows, by which the encoded columns of each lever are found.
        """
        F = self.rows(probes.table[:1]).shape[1]
        of_lever, rate = np.full(F, -1), np.ones(F)
        bits = np.zeros(len(self.feature), dtype=np.uint64)
        stay, base = probes.stay(), self._plain(probes.table)
        for l in range(len(levers)):
            found = (
                self._categories(probes, l, stay, base, bits)
                if levers.kinds[l] == CATEGORY
                else self._numbers(probes, l, stay, base, rate)
            )
            if found is None or (of_lever[found] >= 0).any():
                return None
            of_lever[found] = l
        below, above = self.edges()
        trees = (self.feature, below, above, self.left, self.right, self.group, self.value)
        trees = (*trees, self.missing_left, bits, self.groups)
        return trees, self.roots, (of_lever, rate), (levers.kinds, levers.integer)

    def _numbers(self, probes, l, stay, base, rate):
        """Columns that a number lever moves, whose rates are filled in; None if not linear."""
        slopes = []
        for share in (0.5, 1.0):
            amounts = stay.copy()
            reach = np.where(probes.upper[:, l] > 0, probes.upper[:, l], probes.lower[:, l])
            amounts[:, l] = share * np.clip(reach, -4.0, 4.0)
            moved = amounts[:, l] != 0
            if not moved.any():
                return np.empty(0, dtype=np.intp)
            change = self._plain(probes.apply(amounts))[moved] - base[moved]
            slopes.append(change / amounts[moved, l][:, None])
        slope = np.vstack(slopes)
        slope = np.where(np.isnan(slope), 0.0, slope)
        mean = np.median(slope, axis=0)
        columns = np.flatnonzero(np.abs(slope).max(axis=0) > 1e-9)
        off = np.abs(slope[:, columns] - mean[columns])
        grouped = self.group[self._uses(columns)] >= 0
        if (off > 1e-6 * np.abs(mean[columns])).any() or grouped.any():
            return None
        whole = np.round(mean[columns])  # mostly one, but for rounding
        near = (np.abs(whole - mean[columns]) < 1e-6) & (whole != 0)
        rate[columns] = np.where(near, whole, mean[columns])
        return columns

    def _categories(self, probes, l, stay, base, bits):
        """Columns that a category lever moves; the categories that go left are put into bits."""
        encoded = []
        for k in range(len(probes.categories[l])):
            amounts = stay.copy()
            amounts[:, l] = k
            encoded.append(self.rows(probes.apply(amounts)))
        encoded = np.array(encoded)
        changed = (encoded != encoded[0]) & ~np.isnan(encoded)
        columns = np.flatnonzero(changed.any(axis=(0, 1)))
        at = encoded[:, 0][:, columns]
        if not (encoded[:, :, columns] == at[:, None]).all():
            return None
        for f, values in zip(columns, at.T, strict=True):
            for node in self._uses([f]):
                if self.group[node] >= 0:
                    left = self.groups[self.group[node], np.clip(values, 0, 255).astype(np.intp)]
                else:
                    left = values <= self.threshold[node]
                bits[node] = sum(1 << k for k in np.flatnonzero(left))
        return columns

    def _uses(self, columns):
        return np.flatnonzero(np.isin(self.feature, columns))


def forest_of(model):
    """The trees of a model behind its pipelines and wrappers; None if it is not a sum of trees."""
    before = []
    while True:
        decider, steps = final_step(model)
        before += steps
        inner = getattr(decider, "estimator_", None)
        if inner is None or isinstance(decider, tuple(_PARTS)):
            break
        model = inner
    parts = next((read for kind, read in _PARTS.items() if isinstance(decider, kind)), None)
    if parts is None and hasattr(decider, "nodes_") and hasattr(decider, "smoothing"):
        parts = _of_confidence
    if parts is None and type(decider).__name__ == "LGBMClassifier":
        parts = _of_lightgbm
    if parts is None or len(getattr(decider, "classes_", ())) != 2:
        return None
    trees, groups, start, log_odds, single, last = parts(decider)
    if not trees:
        return None

    def encode(table):
        for step in [*before, *last]:
            table = step.transform(table)
        return table

    sizes = np.array([len(tree["feature"]) for tree in trees])
    roots = np.cumsum(sizes) - sizes
    joined = {name: np.concatenate([tree[name] for tree in trees]) for name in trees[0]}
    offset = np.repeat(roots, sizes)
    return Forest(
        feature=joined["feature"].astype(np.int64),
        left=joined["left"].astype(np.int64) + offset,
        right=joined["right"].astype(np.int64) + offset,
        threshold=joined["threshold"].astype(np.float64),
        missing_left=joined["missing_left"].astype(bool),
        group=joined["group"].astype(np.int64),
        groups=groups,
        value=joined["value"].astype(np.float64),
        roots=roots.astype(np.int64),
        start=start,
        log_odds=log_odds,
        single=single,
        encode=encode,
    )


def _plain(tree, value):
    leaf = tree.children_left < 0
    return dict(
        feature=np.where(leaf, -1, tree.feature),
        left=np.where(leaf, 0, tree.children_left),
        right=np.where(leaf, 0, tree.children_right),
        threshold=tree.threshold,
        missing_left=tree.missing_go_to_left.astype(bool),
        group=np.full(tree.node_count, -1),
        value=value,
    )


def _of_trees(model):
    trees = getattr(model, "estimators_", [model])
    share = 1.0 / len(trees)
    found = []
    for one in trees:
        counts = one.tree_.value[:, 0, :]
        found.append(_plain(one.tree_, share * counts[:, 1] / counts.sum(axis=1)))
    return found, _NO_GROUPS, 0.0, False, True, []


def _of_boosting(model):
    rate = model.learning_rate
    trees = [one.tree_ for one in model.estimators_[:, 0]]
    found = [_plain(tree, rate * tree.value[:, 0, 0]) for tree in trees]
    some = np.zeros((1, model.n_features_in_), dtype=np.float32)
    start = float(model._raw_predict_init(some)[0, 0])
    return found, _NO_GROUPS, start, True, True, []


def _of_histograms(model):
    found, groups = [], [_NO_GROUPS]
    for (one,) in model._predictors:
        nodes = one.nodes
        leaf = nodes["is_leaf"].astype(bool)
        by_set = nodes["is_categorical"].astype(bool) & ~leaf
        first = sum(map(len, groups))
        words = one.raw_left_cat_bitsets[:, _CODES // 32]
        groups.append(((words >> (_CODES % 32).astype(np.uint32)) & 1).astype(bool))
        found.append(
            dict(
                feature=np.where(leaf, -1, nodes["feature_idx"]),
                left=nodes["left"],
                right=nodes["right"],
                threshold=nodes["num_threshold"],
                missing_left=nodes["missing_go_to_left"].astype(bool),
                group=np.where(by_set, nodes["bitset_idx"].astype(np.int64) + first, -1),
                value=nodes["value"],
            )
        )
    start = float(np.ravel(model._baseline_prediction)[0])
    first = getattr(model, "_preprocessor", None)
    last = [] if first is None else [first]
    return found, np.concatenate(groups), start, True, False, last


def _of_lightgbm(model):
    found = []
    for one in model.booster_.dump_model()["tree_info"]:
        rows, waiting = [], [(one["tree_structure"], None, None)]
        while waiting:
            node, parent, side = waiting.pop()
            at = len(rows)
            if parent is not None:
                rows[parent][side] = at
            row = dict(feature=-1, left=0, right=0, threshold=0.0, missing_left=False, value=0.0)
            if "leaf_value" in node:
                row["value"] = node["leaf_value"]
            elif node["decision_type"] != "<=":
                return [], _NO_GROUPS, 0.0, True, False, []  # splits on sets of categories
            else:
                row |= dict(feature=node["split_feature"], threshold=node["threshold"])
                row["missing_left"] = node["default_left"]
                waiting += [(node["left_child"], at, "left"), (node["right_child"], at, "right")]
            rows.append(row | {"group": -1})
        found.append({name: np.array([row[name] for row in rows]) for name in rows[0]})
    return found, _NO_GROUPS, 0.0, True, False, []


def _of_confidence(model):
    nodes = model.nodes_
    roots = np.asarray(getattr(model, "roots_", [0]))
    ends = np.append(roots[1:], len(nodes))
    found = []
    for a, b in zip(roots, ends, strict=True):
        leaf = nodes.feature[a:b] < 0
        left = np.where(leaf, 0, nodes.left[a:b] - a)
        found.append(
            dict(
                feature=nodes.feature[a:b],
                left=left,
                right=np.where(leaf, 0, left + 1),
                threshold=np.nan_to_num(nodes.threshold[a:b]),
                missing_left=nodes.missing_left[a:b] == 1,
                group=nodes.group[a:b],
                value=nodes.probability[a:b] / len(roots),
            )
        )
    groups = np.concatenate([(nodes.groups & 1).astype(bool), _NO_GROUPS])  # 2: seen in training
    return found, groups, 0.0, False, False, []


_PARTS = {
    RandomForestClassifier: _of_trees,
    ExtraTreesClassifier: _of_trees,
    DecisionTreeClassifier: _of_trees,
    GradientBoostingClassifier: _of_boosting,
    HistGradientBoostingClassifier: _of_histograms,
}
