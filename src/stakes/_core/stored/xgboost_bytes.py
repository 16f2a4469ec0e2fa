"""XGBoost's UBJSON models: parsed, checked, and written again from what was checked.

XGBoost's own reader trusts the bytes, so it only ever gets bytes that were written here, from
known keys and checked numbers.
"""

import re
import struct

import numpy as np

from stakes._core.stored.plain import Damaged
from stakes._core.stored.trees import check_walks, within

_SCALARS = {"i": ">b", "U": ">B", "I": ">h", "l": ">i", "L": ">q", "d": ">f", "D": ">d"}
_MARKS = {np.dtype(kind): mark for mark, kind in _SCALARS.items()}
_FLOATS = ("base_weights", "loss_changes", "split_conditions", "sum_hessian")
_INTEGERS = ("left_children", "right_children", "parents", "split_indices")
_FLAGS = ("default_left", "split_type")
_EMPTY = ("categories", "categories_nodes", "categories_segments", "categories_sizes")
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
OBJECTIVES = {
    "binary:logistic": "reg_loss_param",
    "binary:logitraw": "reg_loss_param",
    "multi:softprob": "softmax_multiclass_param",
    "multi:softmax": "softmax_multiclass_param",
}
MAX_DEPTH = 20


def clean_bytes(content):
    """An XGBoost model that is safe to load, and its numbers of features, classes and threads."""
    reader = _Reader(bytes(content))
    whole = reader.read()
    if reader.at != len(reader.data):
        raise Damaged("an XGBoost model is longer than it says")
    learner = _get(whole, "Model", "learner")
    threads = _whole(_get(whole, "Config", "learner", "generic_param"), "nthread", -1, 2**31 - 1)
    facts = _get(learner, "learner_model_param")
    n_features = _whole(facts, "num_feature", 1, 2**31 - 1)
    n_classes = _whole(facts, "num_class", 0, 10_000)
    if not re.fullmatch(rf"\[?{_NUMBER}(,{_NUMBER})*\]?", str(_get(facts, "base_score"))):
        raise Damaged("an XGBoost model has no base score")
    if _get(facts, "num_target") != "1":
        raise Damaged("an XGBoost model has several targets")
    scores = re.findall(_NUMBER, facts["base_score"])
    if len(scores) not in (1, max(n_classes, 1)) or not all(abs(float(s)) < 1e30 for s in scores):
        raise Damaged("an XGBoost model has an impossible base score")
    version = _get(whole, "Model", "version")
    if not _are_whole(version, 0, 99) or len(version) != 3:
        raise Damaged("an XGBoost model has no version")
    names = ("base_score", "boost_from_average", "num_class", "num_feature", "num_target")
    cleaned = {
        "learner": {
            "attributes": _clean_attributes(learner),
            "feature_names": _words(learner, "feature_names", n_features),
            "feature_types": _words(learner, "feature_types", n_features),
            "gradient_booster": _clean_booster(
                _get(learner, "gradient_booster"), n_features, n_classes
            ),
            "learner_model_param": {name: str(facts[name]) for name in names if name in facts},
            "objective": _clean_objective(_get(learner, "objective"), n_classes),
        },
        "version": version,
    }
    return bytearray(_write(cleaned)), n_features, n_classes, threads


def _clean_attributes(learner):
    found = _texts(_get(learner, "attributes"))
    if "best_iteration" in found:  # prediction stops there
        bounds = _get(learner, "gradient_booster", "model", "iteration_indptr")
        _whole(found, "best_iteration", 0, len(bounds) - 2)
    return found


def _clean_booster(booster, n_features, n_classes):
    if _get(booster, "name") != "gbtree":
        raise Damaged("an XGBoost model is not made of trees")
    model = _get(booster, "model")
    cats = _get(model, "cats")
    if any(len(_get(cats, name)) for name in ("enc", "feature_segments", "sorted_idx")):
        raise Damaged("an XGBoost model has categories")
    trees, info = _get(model, "trees"), _get(model, "tree_info")
    facts = _get(model, "gbtree_model_param")
    parallel = _whole(facts, "num_parallel_tree", 1, 2**20)
    bounds = _get(model, "iteration_indptr")
    if not isinstance(trees, list) or len(trees) != _whole(facts, "num_trees", 0, 2**20):
        raise Damaged("an XGBoost model has another number of trees than it says")
    if len(info) != len(trees) or not _are_whole(info, 0, max(n_classes, 1) - 1):
        raise Damaged("a tree of an XGBoost model belongs to no class")
    if (
        not len(bounds)
        or not _are_whole(bounds, 0, len(trees))
        or bounds[0] != 0
        or bounds[-1] != len(trees)
        or np.any(np.diff(bounds) < 0)
    ):
        raise Damaged("an XGBoost model has damaged iterations")
    return {
        "model": {
            "cats": {name: cats[name] for name in ("enc", "feature_segments", "sorted_idx")},
            "gbtree_model_param": {
                "num_parallel_tree": str(parallel),
                "num_trees": str(len(trees)),
            },
            "iteration_indptr": bounds,
            "tree_info": info,
            "trees": [_clean_tree(tree, i, n_features) for i, tree in enumerate(trees)],
        },
        "name": "gbtree",
    }


def _clean_tree(tree, number, n_features):
    facts = _get(tree, "tree_param")
    n = _whole(facts, "num_nodes", 1, 2**28)
    deleted = _whole(facts, "num_deleted", 0, n - 1)
    _whole(facts, "num_feature", 0, n_features)
    _whole(facts, "size_leaf_vector", 0, 1)
    kinds = {name: ">f4" for name in _FLOATS} | {name: ">i4" for name in _INTEGERS}
    kinds |= {name: ">u1" for name in _FLAGS}
    arrays = {name: _get(tree, name) for name in kinds}
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray) or array.shape != (n,) or array.dtype != kinds[name]:
            raise Damaged(f"{name} of an XGBoost model is damaged")
        if name in _FLOATS and not np.isfinite(array).all():
            raise Damaged(f"{name} of an XGBoost model is not finite")
    if any(len(_get(tree, name)) for name in _EMPTY) or arrays["split_type"].any():
        raise Damaged("an XGBoost model has categories")
    left, right = (arrays[name].astype(np.int64) for name in ("left_children", "right_children"))
    seen = check_walks(left, right, n)
    inner = np.flatnonzero(seen & (left >= 0))
    if left.min() < -1 or right.min() < -1 or n - deleted != np.count_nonzero(seen):
        raise Damaged("a tree node points outside the tree")
    if not within(arrays["split_indices"], 0, n_features) or arrays["default_left"].max() > 1:
        raise Damaged("a tree of an XGBoost model reads a feature that does not exist")
    parents = arrays["parents"].astype(np.int64)
    if np.any(parents[left[inner]] != inner) or np.any(parents[right[inner]] != inner):
        raise Damaged("a tree node has another parent than it says")
    if parents[0] != 2**31 - 1:
        raise Damaged("the root of a tree has a parent")
    facts = {
        name: str(int(facts[name]))
        for name in ("num_deleted", "num_feature", "num_nodes", "size_leaf_vector")
    }
    empty = {name: tree[name] for name in _EMPTY}
    return arrays | empty | {"id": number, "tree_param": facts}


def _clean_objective(objective, n_classes):
    name = _get(objective, "name")
    if name not in OBJECTIVES:
        raise Damaged("an XGBoost model has an unknown objective")
    if name.startswith("multi") != (n_classes > 1):
        raise Damaged("an XGBoost model has a wrong number of classes")
    facts = _texts(_get(objective, OBJECTIVES[name]))
    if not all(re.fullmatch(_NUMBER, value) for value in facts.values()):
        raise Damaged("an XGBoost model has a damaged objective")
    if name.startswith("multi") and facts.get("num_class") != str(n_classes):
        raise Damaged("an XGBoost model has a wrong number of classes")
    return {"name": name, OBJECTIVES[name]: facts}


def _get(node, *names):
    for name in names:
        if not isinstance(node, dict) or name not in node:
            raise Damaged(f"an XGBoost model has no {name}")
        node = node[name]
    return node


def _whole(facts, name, low, high):
    text = _get(facts, name)
    if not isinstance(text, str) or not re.fullmatch(r"-?\d{1,10}", text):
        raise Damaged(f"{name} of an XGBoost model is not a whole number")
    if not low <= int(text) <= high:
        raise Damaged(f"{name} of an XGBoost model is out of range")
    return int(text)


def _are_whole(values, low, high):
    return (
        isinstance(values, list)
        and all(isinstance(value, int) for value in values)
        and all(low <= value <= high for value in values)
    )


def _texts(facts):
    if not isinstance(facts, dict) or not all(isinstance(v, str) for v in facts.values()):
        raise Damaged("an XGBoost model has damaged attributes")
    return facts


def _words(learner, name, n_features):
    words = _get(learner, name)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise Damaged(f"{name} of an XGBoost model is damaged")
    if words and (len(words) != n_features or (name == "feature_types" and "c" in words)):
        raise Damaged(f"{name} of an XGBoost model is damaged")
    return words


class _Reader:
    """Reads the part of UBJSON that XGBoost writes."""

    def __init__(self, data):
        self.data = data
        self.at = 0
        self._depth = 0

    def read(self):
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Damaged("an XGBoost model is nested too deeply")
        value = self._value(self._take(1).decode("latin-1"))
        self._depth -= 1
        return value

    def _value(self, mark):
        if mark in _SCALARS:
            kind = _SCALARS[mark]
            return struct.unpack(kind, self._take(struct.calcsize(kind)))[0]
        if mark in "TFZ":
            return {"T": True, "F": False, "Z": None}[mark]
        if mark == "S":
            return self._text()
        if mark == "{":
            found = {}
            while self._peek() != b"}":
                key = self._text()
                found[key] = self.read()
            self.at += 1
            return found
        if mark == "[":
            return self._array()
        raise Damaged("an XGBoost model has an unknown kind of value")

    def _array(self):
        mark = None
        if self._peek() == b"$":
            self.at += 1
            mark = self._take(1).decode("latin-1")
        if self._take(1) != b"#":
            raise Damaged("an XGBoost model has an array without a size")
        size = self._size()
        if mark is None:
            if size > len(self.data) - self.at:
                raise Damaged("an XGBoost model is cut")
            return [self.read() for _ in range(size)]
        if mark not in _SCALARS:
            raise Damaged("an XGBoost model has an unknown kind of array")
        kind = np.dtype(_SCALARS[mark])
        return np.frombuffer(self._take(size * kind.itemsize), kind)

    def _text(self):
        try:
            return self._take(self._size()).decode()
        except UnicodeDecodeError:
            raise Damaged("an XGBoost model has damaged text") from None

    def _size(self):
        if self._take(1) != b"L":
            raise Damaged("an XGBoost model has an unknown kind of size")
        size = struct.unpack(">q", self._take(8))[0]
        if size < 0:
            raise Damaged("an XGBoost model has a negative size")
        return size

    def _peek(self):
        return self.data[self.at : self.at + 1]

    def _take(self, n):
        found = self.data[self.at : self.at + n]
        if len(found) != n:
            raise Damaged("an XGBoost model is cut")
        self.at += n
        return found


def _write(value):
    if isinstance(value, dict):
        return b"{" + b"".join(_write_text(k) + _write(v) for k, v in value.items()) + b"}"
    if isinstance(value, np.ndarray):
        mark = _MARKS[value.dtype].encode()
        return b"[$" + mark + b"#" + _write_size(len(value)) + value.tobytes()
    if isinstance(value, list):
        return b"[#" + _write_size(len(value)) + b"".join(map(_write, value))
    if isinstance(value, str):
        return b"S" + _write_text(value)
    return b"L" + struct.pack(">q", value)


def _write_text(text):
    data = text.encode()
    return _write_size(len(data)) + data


def _write_size(size):
    return b"L" + struct.pack(">q", size)
