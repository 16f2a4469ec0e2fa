"""Model files that cannot run code: skops files that may only contain known types."""

import importlib
import inspect
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import skops.io
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.tree import BaseDecisionTree

from stakes import __version__
from stakes._core.files import appearing
from stakes.errors import InputError

FORMAT = "stakes model"


@dataclass
class StoredModel:
    """A fitted model and the facts saved with it.

    Attributes
    ----------
    model : estimator
        The fitted model.
    facts : dict
        Facts passed to :func:`save_model`.
    version : str
        Version of stakes that wrote the file.
    """

    model: object
    facts: dict = field(default_factory=dict)
    version: str = __version__


def save_model(model, path, **facts):
    """Write a fitted model to a file that :func:`load_model` reads without running any code.

    Parameters
    ----------
    model : estimator
        An estimator of stakes, scikit-learn, LightGBM or XGBoost, or a pipeline of them.
    path : str or Path
        File to write; it appears only when it is complete.
    **facts : numbers, text, lists and dicts
        Facts to store with the model.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/model.skops", target="fraud")
    ...     stored = load_model(f"{folder}/model.skops")
    >>> stored.facts["target"], stored.model.predict([[2.0]]).item()
    ('fraud', 1)
    """
    content = {"format": FORMAT, "version": __version__, "model": model, "facts": facts}
    data = skops.io.dumps(content, compression=zipfile.ZIP_DEFLATED)
    unknown = [name for name in skops.io.get_untrusted_types(data=data) if not is_trusted(name)]
    if unknown:
        raise InputError(
            f"This model cannot be saved: it contains a {unknown[0]}, and model files may only "
            "contain objects of stakes, scikit-learn, LightGBM and XGBoost."
        )
    with appearing(path) as partial:
        partial.write_bytes(data)


def load_model(path):
    """Read a model file; refuse files that are not ours or could run code.

    Parameters
    ----------
    path : str or Path
        File written by :func:`save_model`.

    Returns
    -------
    StoredModel
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no model file {str(path)!r}; create one with stakes train.")
    known = [name for name in _read(skops.io.get_untrusted_types, path) if _checked(name, path)]
    content = _read(skops.io.load, path, trusted=known)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{str(path)!r} is not a stakes model file; create one with stakes train.")
    check_trees(content["model"], path)
    return StoredModel(content["model"], content["facts"], content["version"])


def _checked(name, path):
    if not is_trusted(name):
        raise InputError(
            f"{str(path)!r} contains a {name}, which no stakes model has and which could run "
            "code; the file was not opened."
        )
    return True


def _read(read, path, **how):
    try:
        if read is skops.io.load:
            return read(path, **how)
        return read(file=path)
    except Exception as error:  # a damaged file can make skops raise anything
        reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        raise InputError(
            f"{str(path)!r} is not a stakes model file or is damaged ({reason[:120]}); "
            "create one with stakes train."
        ) from None


# third-party classes that only hold data; skops itself trusts scikit-learn's public estimators
OTHERS = {
    "collections.OrderedDict",
    "collections.defaultdict",
    "builtins.bytearray",
    "functools.partial",  # the function inside is checked as well
    "lightgbm.basic.Booster",
    "lightgbm.sklearn.LGBMClassifier",
    "xgboost.core.Booster",
    "xgboost.sklearn.XGBClassifier",
    "scipy.interpolate._interpolate.interp1d",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.utils._bunch.Bunch",
    "sklearn.utils.validation.check_array",
    # skops does not trust these two because their indices could point anywhere; `check_trees`
    # verifies them
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.tree._tree.Tree",
}
# folders whose classes may be part of a model even if they are not estimators
_FOLDERS = (
    *("_core", "costs", "risk", "decision", "online", "online_kernel", "svm", "uncertain"),
    *("tree", "neighbors", "qmean", "sampling", "game"),
)
_OURS = re.compile(r"stakes(\.\w+)+\.\w+")


def is_trusted(name):
    """Whether a model file may contain objects of this type, given by its full name.

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
    # classes defined in the module, not imported by it, and never functions
    if not inspect.isclass(thing) or thing.__module__ != module:
        return False
    return issubclass(thing, BaseEstimator) or module.split(".")[1] in _FOLDERS


def check_trees(model, path):
    """Raise if a tree's nodes point outside the tree: traversal would follow them unchecked."""
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
            raise InputError(
                f"The model file {str(path)!r} is damaged: a tree node points outside the tree."
            )


def _members_are_sound(ensemble):
    """Whether no tree reads more features than the ensemble, which passes rows on unchecked."""
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
    """Whether children follow their parent and lie inside the tree, so that traversal ends."""
    at = np.flatnonzero(inner)
    return all(_within(side[inner].astype(np.int64), at + 1, n) for side in (left, right))


def _within(values, low, high):
    return bool(np.all((values >= low) & (values < high)))


def _parts(thing):
    """Every object inside a model: attributes, lists, dicts and object arrays."""
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
