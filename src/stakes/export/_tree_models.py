"""Trees, forests and boosters: ours, those of scikit-learn, and LightGBM."""

import numpy as np

from stakes.errors import InputError
from stakes.export._converters import Scores, converts, two
from stakes.export._trees import Trees, category_split

MISSING = 255  # last code of a group of categories: missing and unknown values
GOES_LEFT = 1


@converts("stakes.tree._base.TreeBase")
def _confidence_trees(model, X):
    """One tree, or the mean of many."""
    nodes, roots = model.nodes_, getattr(model, "roots_", [0])
    X = _codes_in_range(X, nodes)
    n = float(len(roots))
    if nodes.probability.ndim == 2:
        k = nodes.probability.shape[1]
        return Scores(_sum_of_leaves(nodes, roots, nodes.probability, X, k) / n)
    found = [_sum_of_leaves(nodes, roots, v[:, None], X) for v in (nodes.probability, nodes.score)]
    p, score = (total / n for total in found) if hasattr(model, "roots_") else found
    return Scores(p, score)


def _codes_in_range(X, nodes):
    """Categories as whole numbers; those that are no code are missing."""
    columns = np.unique(nodes.feature[nodes.group >= 0])
    if not len(columns):
        return X
    there = X.op("GreaterOrEqual", 0.0) & (X < float(MISSING))
    is_code = X.graph.constant(_mask(columns, nodes.feature.max() + 1), np.bool_)
    width = X.take(np.arange(nodes.feature.max() + 1))
    code = X.graph.where(there, X.op("Floor"), np.nan).take(np.arange(nodes.feature.max() + 1))
    return X.graph.where(is_code, code, width)


def _mask(columns, width):
    mask = np.zeros((1, width), dtype=bool)
    mask[0, columns] = True
    return mask


def _sum_of_leaves(nodes, roots, values, X, k=1):
    def node_of(at):
        if nodes.feature[at] < 0:
            return None
        feature, first = nodes.feature[at], nodes.left[at]
        if nodes.group[at] < 0:
            missing_first = bool(nodes.missing_left[at])
            return feature, nodes.threshold[at], None, first, first + 1, missing_first
        to_left = nodes.groups[nodes.group[at]] & GOES_LEFT == GOES_LEFT
        codes = np.arange(MISSING, dtype=float)
        left, right = codes[to_left[:MISSING]], codes[~to_left[:MISSING]]
        split = category_split(left, right, first, first + 1, to_left[MISSING])
        return feature, 0.0, *split

    trees = Trees()
    for root in roots:
        for j in range(k):
            trees.add(root, node_of, lambda at, j=j: (j, values[at, j]))
    return trees.sum(X, k)


@converts(
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier"
)
def _hist_gradient_boosting(model, X):
    """The raw scores begin with the baseline, and trees are added one by one."""
    k = model.n_trees_per_iteration_
    columns, categories = _columns_of(model)
    trees = Trees()
    for j in range(k):
        trees.add(0, lambda node: None, lambda node, j=j: (j, model._baseline_prediction[0, j]))
    for iteration in model._predictors:
        for j, predictor in enumerate(iteration):
            _add_boosted(trees, predictor, j, columns, categories)
    raw = trees.sum(X, k)
    if k > 1:
        return Scores(raw.op("Softmax", axis=1))
    return Scores(raw.sigmoid(), raw)


def _columns_of(model):
    """Column of X of each feature of the trees, and the values of its categories, or None."""
    if model._preprocessor is None:
        d = model.n_features_in_
        return np.arange(d), [None] * d
    is_category = np.asarray(model.is_categorical_)
    columns = np.concatenate([np.flatnonzero(is_category), np.flatnonzero(~is_category)])
    known = list(model._preprocessor.named_transformers_["encoder"].categories_)
    return columns, known + [None] * int((~is_category).sum())


def _add_boosted(trees, predictor, target, columns, categories):
    nodes, bits = predictor.nodes, predictor.raw_left_cat_bitsets

    def node_of(at):
        node = nodes[at]
        if node["is_leaf"]:
            return None
        j, first, second = node["feature_idx"], int(node["left"]), int(node["right"])
        missing_left = bool(node["missing_go_to_left"])
        if not node["is_categorical"]:
            return columns[j], node["num_threshold"], None, first, second, missing_left
        words = bits[node["bitset_idx"]]
        known = [float(value) for value in categories[j] if value == value]
        is_left = [bool(words[code // 32] >> (code % 32) & 1) for code in range(len(known))]
        left = [value for value, one in zip(known, is_left, strict=True) if one]
        right = [value for value, one in zip(known, is_left, strict=True) if not one]
        return columns[j], 0.0, *category_split(left, right, first, second, missing_left)

    trees.add(0, node_of, lambda at: (target, nodes[at]["value"]))


@converts("sklearn.ensemble._forest.ForestClassifier")
def _forest(model, X):
    found = [tree.tree_ for tree in model.estimators_]
    total = _sum_of_sklearn_trees(found, X, len(model.classes_))
    return _shares(total / float(len(found)), len(model.classes_))


@converts("sklearn.tree._classes.DecisionTreeClassifier")
def _tree(model, X):
    k = len(model.classes_)
    return _shares(_sum_of_sklearn_trees([model.tree_], X, k), k)


def _shares(p, k):
    if k > 2:
        return Scores(p)
    return Scores(p.take([1]), positive=p.take([1]) > p.take([0]))


def _sum_of_sklearn_trees(found, X, k):
    """The trees compare 32-bit values with 64-bit thresholds."""
    trees = Trees()
    for tree in found:
        add_sklearn_tree(trees, tree, tree.value[:, 0, :])
    return trees.sum(X.cast(np.float32).cast(), k)


def add_sklearn_tree(trees, tree, values):
    """Add one tree, with values of its nodes: one column per target."""
    nodes = tree.__getstate__()["nodes"]

    def node_of(at):
        node = nodes[at]
        if node["left_child"] < 0:
            return None
        children = int(node["left_child"]), int(node["right_child"])
        missing_first = bool(node["missing_go_to_left"])
        return node["feature"], node["threshold"], None, *children, missing_first

    for j in range(values.shape[1]):
        trees.add(0, node_of, lambda at, j=j: (j, values[at, j]))


@converts("lightgbm.sklearn.LGBMClassifier")
def _lightgbm(model, X):
    two(model)
    dump = model.booster_.dump_model()
    kind, *settings = dump["objective"].split()
    if kind != "binary":
        raise InputError(f"LightGBM with the objective {kind!r} cannot be exported to ONNX.")
    slope = float(dict(one.split(":") for one in settings).get("sigmoid", 1.0))
    trees = Trees()
    for tree in dump["tree_info"]:
        _add_lightgbm(trees, tree["tree_structure"])
    raw = trees.sum(X)
    p = (slope * raw).sigmoid()
    # as LightGBM's predict does, which compares the two probabilities
    return Scores(p, positive=p > 1.0 - p)


def _add_lightgbm(trees, root):
    nodes = []

    def number(node):
        """Nodes in a list, children by their place."""
        nodes.append(node)
        at = len(nodes) - 1
        if "left_child" in node:
            node["sides"] = number(node["left_child"]), number(node["right_child"])
        return at

    def node_of(at):
        node = nodes[at]
        if "sides" not in node:
            return None
        feature, (first, second) = node["split_feature"], node["sides"]
        if node["decision_type"] == "==":  # a missing or unknown category goes right
            members = sorted(float(one) for one in str(node["threshold"]).split("||"))
            return feature, 0.0, members, first, second, False
        if node["missing_type"] == "Zero":
            raise InputError("LightGBM with zero_as_missing cannot be exported to ONNX.")
        threshold = float(node["threshold"])
        # without missing values in training, a missing value is a zero
        missing_first = node["default_left"] if node["missing_type"] == "NaN" else threshold >= 0
        return feature, threshold, None, first, second, bool(missing_first)

    number(root)
    trees.add(0, node_of, lambda at: (0, nodes[at]["leaf_value"]))
