"""Model files that cannot run code: written whole by skops, read only if all of it is known."""

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
    """A fitted model and the facts that were saved beside it.

    Attributes
    ----------
    model : estimator
        As it was fitted.
    facts : dict
        What the saver wrote beside it.
    version : str
        The version of stakes that wrote the file.
    """

    model: object
    facts: dict = field(default_factory=dict)
    version: str = __version__


def save_model(model, path, **facts):
    """Write a fitted model to a file that :func:`load_model` reads without running any code.

    Parameters
    ----------
    model : estimator
        Of stakes, scikit-learn, LightGBM or XGBoost, or a pipeline of such.
    path : str or Path
        Where to; the file appears when it is complete.
    **facts : numbers, text, lists and dicts
        What should be kept beside the model.

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
            f"This model cannot be saved: it holds a {unknown[0]}, and model files hold only "
            "stakes, scikit-learn, LightGBM and XGBoost."
        )
    with appearing(path) as partial:
        partial.write_bytes(data)


def load_model(path):
    """Read a model file; one that is not ours, or could run code, ends in a sentence.

    Parameters
    ----------
    path : str or Path
        A file written by :func:`save_model`.

    Returns
    -------
    StoredModel
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no model file {str(path)!r}; make one with stakes train.")
    known = [name for name in _read(skops.io.get_untrusted_types, path) if _checked(name, path)]
    content = _read(skops.io.load, path, trusted=known)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            f"{str(path)!r} is not a model file of stakes; make one with stakes train."
        )
    check_trees(content["model"], path)
    return StoredModel(content["model"], content["facts"], content["version"])


def _checked(name, path):
    if not is_trusted(name):
        raise InputError(
            f"{str(path)!r} holds a {name}, which no model of stakes has and which could run "
            "code; it was not opened."
        )
    return True


def _read(read, path, **how):
    try:
        if read is skops.io.load:
            return read(path, **how)
        return read(file=path)
    except Exception as error:  # whatever a damaged file makes skops stumble over
        reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        raise InputError(
            f"{str(path)!r} is not a model file of stakes or is damaged ({reason[:120]}); "
            "make one with stakes train."
        ) from None


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
    *("_core", "costs", "risk", "decision", "online", "online_kernel", "svm", "uncertain"),
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
