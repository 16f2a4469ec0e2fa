"""What a model file may hold: our own classes, and data of scikit-learn that was looked at."""

import importlib
import inspect
import re

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.tree import BaseDecisionTree

from stakes.errors import InputError

# classes of others that hold data only; skops itself trusts scikit-learn's public estimators
OTHERS = {
    "collections.OrderedDict",
    "collections.defaultdict",
    "builtins.bytearray",
    "functools.partial",  # of a function that is itself looked up here
    "lightgbm.basic.Booster",
    "lightgbm.sklearn.LGBMClassifier",
    "xgboost.core.Booster",
    "xgboost.sklearn.XGBClassifier",
    "scipy.interpolate._interpolate.interp1d",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.utils._bunch.Bunch",
    "sklearn.utils.validation.check_array",
    # skops does not trust these two, as indices in them could point anywhere; `check_trees` looks
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.tree._tree.Tree",
}
# folders whose classes may be part of a model without being estimators
_FOLDERS = (
    *("_jit", "base", "costs", "risk", "decision", "online", "online_kernel", "svm", "uncertain"),
    *("tree", "neighbors", "qmean", "sampling", "game"),
)
_OURS = re.compile(r"stakes(\.\w+)+\.\w+")


def is_trusted(name):
    """Whether a model file may hold an object of this type, given by its full name.

    Examples
    --------
    >>> is_trusted("stakes.costs._costs.Costs"), is_trusted("posix.system")
    (True, False)
    """
    return name in OTHERS or (bool(_OURS.fullmatch(name)) and _is_our_class(name))


def _is_our_class(name):
    module, _, attribute = name.rpartition(".")
    try:
        thing = getattr(importlib.import_module(module), attribute, None)
    except ImportError:
        return False
    # not what a module of ours merely imports, and never a function
    if not inspect.isclass(thing) or thing.__module__ != module:
        return False
    return issubclass(thing, BaseEstimator) or module.split(".")[1] in _FOLDERS


def check_trees(model, path):
    """Refuse trees whose nodes point outside: a walk would follow them blindly."""
    for part in _parts(model):
        if isinstance(part, HistGradientBoostingClassifier | HistGradientBoostingRegressor):
            trees = [t for stage in getattr(part, "_predictors", []) for t in stage]
            sound = all(_booster_tree_is_sound(tree, part.n_features_in_) for tree in trees)
        elif isinstance(part, BaseDecisionTree) and hasattr(part, "tree_"):
            sound = _tree_is_sound(part.tree_, part.n_features_in_)
        elif hasattr(part, "trees_are_sound"):
            sound = part.trees_are_sound()
        elif isinstance(getattr(part, "estimators_", None), list | np.ndarray):
            sound = _members_are_sound(part)
        else:
            continue
        if not sound:
            raise InputError(f"The model file {str(path)!r} is damaged: a tree points outside.")


def _members_are_sound(ensemble):
    """Whether no tree reads more features than the ensemble, which hands it rows unchecked."""
    members = ensemble.estimators_
    members = members.ravel().tolist() if isinstance(members, np.ndarray) else members
    n_features = getattr(ensemble, "n_features_in_", np.inf)
    return all(m.n_features_in_ <= n_features for m in members if isinstance(m, BaseDecisionTree))


def _tree_is_sound(tree, n_features):
    inner = tree.children_left != -1
    return (
        tree.node_count > 0
        and tree.n_features == n_features
        and _indices_are_sound(tree.children_left, tree.children_right, inner, tree.node_count)
        and _within(tree.feature[inner], 0, n_features)
    )


def _booster_tree_is_sound(tree, n_features):
    nodes = tree.nodes
    inner = nodes["is_leaf"] == 0
    codes = inner & (nodes["is_categorical"] != 0)
    bitsets = tree.raw_left_cat_bitsets
    return (
        len(nodes) > 0
        and bitsets.ndim == 2
        and bitsets.shape[1] == 8
        and _indices_are_sound(nodes["left"], nodes["right"], inner, len(nodes))
        and _within(nodes["feature_idx"][inner], 0, n_features)
        and _within(nodes["bitset_idx"][codes], 0, len(bitsets))
    )


def _indices_are_sound(left, right, inner, n):
    """Children come after their parent and inside the tree, so that every walk ends."""
    at = np.flatnonzero(inner)
    return all(_within(side[inner].astype(np.int64), at + 1, n) for side in (left, right))


def _within(values, low, high):
    return bool(np.all((values >= low) & (values < high)))


def _parts(thing):
    """Every object inside a model, through attributes, lists, dicts and arrays of objects."""
    stack, seen = [thing], set()
    while stack:
        one = stack.pop()
        if id(one) in seen or isinstance(one, str | bytes | int | float | None):
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, dict):
            stack += [*one.values()]
        elif isinstance(one, list | tuple | set):
            stack += one
        elif isinstance(one, np.ndarray):
            stack += one.ravel().tolist() if one.dtype == object else []
        elif hasattr(one, "__dict__"):
            stack += [*vars(one).values()]
