"""LightGBM's text models: parsed, checked, and written again from what was checked.

LightGBM's own reader trusts the text, so it only ever gets text that was written here, from known
keys and checked numbers.
"""

import re

import numpy as np

from stakes._core.stored.plain import Damaged
from stakes._core.stored.state import THREADS
from stakes._core.stored.trees import check_walks

_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_INFO = re.compile(rf"none|\[{_NUMBER}:{_NUMBER}\]|-?\d+(?::-?\d+)*")
_OBJECTIVE = re.compile(
    rf"(binary|cross_entropy|multiclass|multiclassova|softmax)"
    rf"( (sigmoid:{_NUMBER}|num_class:\d+))*"
)
_PARAMETER = re.compile(r"\[[a-z0-9_]{1,60}: [^\[\]\n]{0,10000}\]")
_THREADS = re.compile(rf"\[({'|'.join(THREADS)}):")
_IMPORTANCE = re.compile(r"\S+=\d+")
_HEAD = ("num_class", "num_tree_per_iteration", "label_index", "max_feature_idx")
# name -> (kind, whether there is one for each leaf)
_FIELDS = {
    "split_feature": (int, False),
    "split_gain": (float, False),
    "threshold": (float, False),
    "decision_type": (int, False),
    "left_child": (int, False),
    "right_child": (int, False),
    "leaf_value": (float, True),
    "leaf_weight": (float, True),
    "leaf_count": (int, True),
    "internal_value": (float, False),
    "internal_weight": (float, False),
    "internal_count": (int, False),
}
MAX_VALUE = 1e150


def clean_text(text):
    """A LightGBM model as text that is safe to load, and its numbers of features and classes."""
    if not isinstance(text, str):
        raise Damaged("a LightGBM model is not text")
    head, *trees = re.split(r"^Tree=\d+\n", text, flags=re.MULTILINE)
    if not trees:
        raise Damaged("a LightGBM model has no trees")
    trees[-1], end, tail = trees[-1].partition("end of trees\n")
    if not end:
        raise Damaged("a LightGBM model is cut")
    facts = _pairs(head.removeprefix("tree\n"))
    sizes = {name: _whole(facts.get(name), name) for name in _HEAD}
    n_features, n_classes = sizes["max_feature_idx"] + 1, sizes["num_class"]
    if sizes["num_tree_per_iteration"] != n_classes or len(trees) % max(n_classes, 1):
        raise Damaged("a LightGBM model has a wrong number of trees for its classes")
    if n_classes < 1 or n_features < 1 or sizes["label_index"] < 0:
        raise Damaged("a LightGBM model has impossible sizes")
    parts = [f"Tree={i}\n{_clean_tree(_pairs(tree), n_features)}" for i, tree in enumerate(trees)]
    lines = ["tree", "version=v4", *(f"{name}={sizes[name]}" for name in _HEAD)]
    lines += _clean_words(facts, n_features, n_classes)
    lines.append("tree_sizes=" + " ".join(str(len(part.encode())) for part in parts))
    text = "\n".join([*lines, "", ""]) + "".join(parts)
    return "\n".join([f"{text}end of trees", "", *_clean_tail(tail), ""]), n_features, n_classes


def _pairs(block):
    """`key=value` lines as a dict; other lines but for empty ones and flags are refused."""
    pairs = {}
    for line in block.split("\n"):
        key, equal, value = line.partition("=")
        if line and not equal and line != "average_output":
            raise Damaged("a LightGBM model has an unknown line")
        if key in pairs and line:
            raise Damaged("a LightGBM model has a line twice")
        pairs[key] = value
    pairs.pop("", None)
    return pairs


def _clean_words(facts, n_features, n_classes):
    objective = facts.get("objective", "")
    found = _OBJECTIVE.fullmatch(objective)
    classes = re.search(r"num_class:(\d+)", objective)
    if not found or (int(classes.group(1)) if classes else 1) != n_classes:
        raise Damaged("a LightGBM model has an unknown objective")
    names, infos = (
        facts.get("feature_names", "").split(" "),
        facts.get("feature_infos", "").split(" "),
    )
    if len(names) != n_features or not all(names) or len(set(names)) != n_features:
        raise Damaged("a LightGBM model has a wrong number of feature names")
    if len(infos) != n_features or not all(_INFO.fullmatch(one) for one in infos):
        raise Damaged("a LightGBM model has damaged feature ranges")
    flags = ["average_output"] if "average_output" in facts else []
    return [
        f"objective={objective}",
        *flags,
        "feature_names=" + " ".join(names),
        "feature_infos=" + " ".join(infos),
    ]


def _clean_tree(facts, n_features):
    n = _whole(facts.get("num_leaves"), "num_leaves")
    n_cats = _whole(facts.get("num_cat"), "num_cat")
    if not 1 <= n <= 2**24 or n_cats < 0 or facts.get("is_linear", "0") != "0":
        raise Damaged("a tree of a LightGBM model has impossible sizes")
    shrinkage = facts.get("shrinkage", "1")
    if not re.fullmatch(_NUMBER, shrinkage):
        raise Damaged("a tree of a LightGBM model has no shrinkage")
    lines, arrays = [f"num_leaves={n}", f"num_cat={n_cats}"], {}
    for name, (kind, leaves) in _FIELDS.items():
        size = n if leaves else n - 1
        if n == 1 and name != "leaf_value":
            continue
        text = facts.get(name)
        arrays[name] = _numbers(text, kind, size, name)
        lines.append(f"{name}={text}")
    if n > 1:
        lines += _check_nodes(arrays, facts, n, n_cats, n_features)
    elif n_cats:
        raise Damaged("a tree of a LightGBM model has impossible sizes")
    return "\n".join([*lines, "is_linear=0", f"shrinkage={shrinkage}", "", "", ""])


def _check_nodes(arrays, facts, n, n_cats, n_features):
    left, right = arrays["left_child"], arrays["right_child"]
    # leaves are ~index: as nodes they follow the inner ones
    children = [np.where(side < 0, n - 2 - side, side) for side in (left, right)]
    if not check_walks(children[0], children[1], 2 * n - 1).all():
        raise Damaged("a tree of a LightGBM model has nodes that no walk reaches")
    if arrays["split_feature"].min() < 0 or arrays["split_feature"].max() >= n_features:
        raise Damaged("a tree of a LightGBM model reads a feature that does not exist")
    kinds = arrays["decision_type"]
    if kinds.min() < 0 or kinds.max() > 11:
        raise Damaged("a tree of a LightGBM model has an unknown kind of node")
    codes = arrays["threshold"][kinds % 2 == 1]
    if not np.all((codes >= 0) & (codes < n_cats) & (codes == np.floor(codes))):
        raise Damaged("a tree of a LightGBM model points outside its categories")
    if not n_cats:
        return []
    bounds = _numbers(facts.get("cat_boundaries"), int, n_cats + 1, "cat_boundaries")
    if bounds[0] != 0 or np.any(np.diff(bounds) <= 0):
        raise Damaged("a tree of a LightGBM model has damaged categories")
    sets = _numbers(facts.get("cat_threshold"), int, int(bounds[-1]), "cat_threshold")
    if sets.min() < 0 or sets.max() >= 2**32:
        raise Damaged("a tree of a LightGBM model has damaged categories")
    return [f"{name}={facts[name]}" for name in ("cat_boundaries", "cat_threshold")]


def _clean_tail(tail):
    """Feature importances and parameters, which prediction does not read; none about threads."""
    lines = tail.split("\n")
    importances = [line for line in lines if _IMPORTANCE.fullmatch(line)]
    parameters = [line for line in lines if _PARAMETER.fullmatch(line) and not _THREADS.match(line)]
    yield from ("feature_importances:", *importances, "", "parameters:", *parameters, "")
    yield from ("end of parameters", "", "pandas_categorical:null")


def _whole(text, name):
    if text is None or not re.fullmatch(r"-?\d{1,9}", text):
        raise Damaged(f"{name} of a LightGBM model is not a whole number")
    return int(text)


def _numbers(text, kind, size, name):
    pattern = _NUMBER if kind is float else r"-?\d+"
    if name == "threshold":
        pattern = f"{_NUMBER}|-?inf"  # infinite: a split of missing values from all others
    words = text.split(" ") if text else []
    if len(words) != size or not all(re.fullmatch(pattern, word) for word in words):
        raise Damaged(f"{name} of a LightGBM model does not hold {size} numbers")
    numbers = np.array(
        [kind(word) for word in words], dtype=np.float64 if kind is float else object
    )
    if kind is float and name != "threshold" and np.any(np.abs(numbers) > MAX_VALUE):
        raise Damaged(f"{name} of a LightGBM model is too large")
    if kind is int:
        if any(abs(number) >= 2**62 for number in numbers):
            raise Damaged(f"{name} of a LightGBM model is too large")
        numbers = numbers.astype(np.int64)
    return numbers
