"""What objects of scikit-learn may hold in a model file; other classes of it are refused.

Only what prediction reads is declared in detail. Constructor parameters are plain values; those of
scikit-learn's estimators are checked by its own constraints.
"""

import importlib

import numpy as np

from stakes._core.stored.plain import Damaged, Named
from stakes._core.stored.spec import (
    Anything,
    Array,
    Count,
    Either,
    Flag,
    Listed,
    Mapping,
    Maybe,
    Number,
    Parameter,
    Part,
    Plain,
    Sometimes,
    Spec,
    Text,
    Together,
    labels,
)
from stakes._core.stored.state import ESTIMATOR, State

CLASSES = Sometimes(labels("k"))
_VECTOR = Array("f", ("d",))
_SIGMOID = "sklearn.calibration._SigmoidCalibration"
_ISOTONIC = "sklearn.isotonic.IsotonicRegression"


class Input(Spec):
    """An estimator that reads all features of the object it belongs to."""

    def check(self, value, scope):
        Part().check(value, scope)
        same_input(value, scope)


def same_input(record, scope):
    """Refuse an estimator with another number of features than the object it belongs to."""
    state = record.state if isinstance(record.state, dict) else {}
    if "n_features_in_" in state and "d" in scope.sizes:
        scope.bind("d", int(state["n_features_in_"]))


def estimator(name, fitted, check=None):
    """The state of an estimator of scikit-learn, with its own constraints on parameters."""
    module, _, attribute = name.rpartition(".")
    owner = getattr(importlib.import_module(module), attribute)
    parameters = dict.fromkeys(owner._get_param_names(), Parameter())
    constraints = {
        parameter: rule
        for parameter, rule in getattr(owner, "_parameter_constraints", {}).items()
        if parameter in parameters
    }
    return State(parameters, ESTIMATOR | fitted, check=check, constraints=constraints)


def _check_tree(state, scope):
    """Children follow their parent inside the tree, and features exist, so every walk ends."""
    nodes, n, d = state["nodes"], int(state["node_count"]), scope.sizes["d"]
    if nodes.dtype.names is None or not {"left_child", "right_child", "feature"} <= set(
        nodes.dtype.names
    ):
        raise Damaged("the nodes of a Tree have unknown fields")
    if len(nodes) != n or n < 1:
        raise Damaged("a Tree has another number of nodes than it says")
    left, right = nodes["left_child"], nodes["right_child"]
    inner = left != -1
    if not (sound_children(left, right, inner, n) and within(nodes["feature"][inner], 0, d)):
        raise Damaged("a tree node points outside the tree")


def _check_predictor(state, scope):
    nodes, bitsets = state["nodes"], state["raw_left_cat_bitsets"]
    wanted = {"left", "right", "is_leaf", "feature_idx", "is_categorical", "bitset_idx"}
    if nodes.dtype.names is None or not wanted <= set(nodes.dtype.names) or not len(nodes):
        raise Damaged("the nodes of a TreePredictor have unknown fields")
    inner = nodes["is_leaf"] == 0
    codes = inner & (nodes["is_categorical"] != 0)
    if not (
        sound_children(nodes["left"], nodes["right"], inner, len(nodes))
        and within(nodes["bitset_idx"][codes], 0, len(bitsets))
    ):
        raise Damaged("a tree node points outside the tree")


def _check_boosting(state, scope):
    d = scope.sizes.get("d")
    for stage in state.get("_predictors", ()):
        if len(stage) != state.get("n_trees_per_iteration_"):
            raise Damaged("a stage of a HistGradientBoosting has a wrong number of trees")
        for tree in stage:
            nodes = tree.state["nodes"]
            if not within(nodes["feature_idx"][nodes["is_leaf"] == 0], 0, d):
                raise Damaged("a tree node reads a feature that does not exist")


def sound_children(left, right, inner, n):
    """Whether children follow their parent and lie inside the tree."""
    at = np.flatnonzero(inner)
    return all(within(side[inner].astype(np.int64), at + 1, n) for side in (left, right))


def within(values, low, high):
    """Whether all values are in [low, high)."""
    return bool(np.all((values >= low) & (values < high)))


def _check_ensemble(state, scope):
    for member in state.get("estimators_", ()):
        same_input(member, scope)
        values = member.state.get("tree_")
        if values is not None and values.state["values"].shape[2] != scope.sizes.get("k", 1):
            raise Damaged("a tree of an ensemble has another number of classes")


def _check_single_tree(state, scope):
    if "tree_" in state and int(state["tree_"].args[0]) != scope.sizes.get("d"):
        raise Damaged("a tree reads another number of features than its estimator")


def _check_partial(state, scope):
    if state["func"] != Named("sklearn.utils.validation.check_array") or state["args"]:
        raise Damaged("a partial calls something other than check_array")
    allowed = {"dtype", "ensure_all_finite"}
    if not isinstance(state["kwds"], dict) or not allowed >= state["kwds"].keys():
        raise Damaged("a partial has unknown arguments")


def _check_columns(state, scope):
    for _, _, columns in state.get("transformers_", ()):
        if isinstance(columns, np.ndarray) and columns.dtype == bool:
            scope.bind("d", len(columns))


def _check_thresholds(state, scope):
    if "X_thresholds_" in state and np.any(np.diff(state["X_thresholds_"]) < 0):
        raise Damaged("the thresholds of an IsotonicRegression are not sorted")


class Names(Spec):
    """Classes that are only named, such as dtypes of numpy."""

    def check(self, value, scope):
        ok = isinstance(value, Named) and value.name.startswith("numpy.")
        if not ok and not isinstance(value, str | None):
            raise Damaged("is not the name of a type")


_TRANSFORMER = Together((Text(), Either((Part(), Text(("drop", "passthrough")))), Plain()))
_LINEAR = {"coef_": Array("f", (None, "d")), "intercept_": Array("f", (None,)), "n_iter_": Plain()}
_TREE = {
    "tree_": Part(("sklearn.tree._tree.Tree",)),
    "n_outputs_": Number(1, 1, whole=True),
    "n_classes_": Sometimes(Number(1, whole=True)),
    "max_features_": Number(1, whole=True),
}
_FOREST_PARAMETERS = {"estimator": Part(), "estimator_params": Plain()}
_FOREST = {
    "estimators_": Listed(Part()),
    "estimator_": Part(),
    "n_outputs_": Number(1, 1, whole=True),
    "n_classes_": Sometimes(Number(1, whole=True)),
    "_n_samples": Sometimes(Number(whole=True)),
    "_n_samples_bootstrap": Sometimes(Maybe(Number(whole=True))),
    "_sample_weight": Sometimes(Maybe(Array("f", (None,)))),
    "oob_score_": Sometimes(Number()),
    "oob_decision_function_": Sometimes(Array("f", (None, None), nan=True)),
}
_LOSS = "sklearn._loss.loss."
_LOSSES = tuple(f"{_LOSS}{name}" for name in ("HalfBinomialLoss", "HalfMultinomialLoss"))
_SCALED = {"n_samples_seen_": Plain()}


def _forest(name):
    found = estimator(name, _FOREST, _check_ensemble)
    return State(found.fields | _FOREST_PARAMETERS, found.fitted, check=_check_ensemble)


def _boosting(name):
    return estimator(
        name,
        {
            "_predictors": Listed(
                Listed(Part(("sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",)))
            ),
            "_baseline_prediction": Array("f", (None, None)),
            "_bin_mapper": Part(),
            "_loss": Part(_LOSSES),
            "n_trees_per_iteration_": Number(1, 10_000, whole=True),
            "is_categorical_": Maybe(Array("b", ("d",))),
            "_is_categorical_remapped": Maybe(Array("b", ("d",))),
            "_preprocessor": Maybe(Part()),
            "_label_encoder": Sometimes(Part()),
            "_random_seed": Plain(),
            "_feature_subsample_rng": Part(("numpy.random.Generator",)),
            "_n_features": Count("d"),
            "do_early_stopping_": Flag(),
            "_use_validation_data": Flag(),
            "_scorer": Maybe(Text()),
            "train_score_": Array("f", (None,), nan=True),
            "validation_score_": Array("f", (None,), nan=True),
        },
        _check_boosting,
    )


def _preprocessing():
    encoders = "sklearn.preprocessing._encoders."
    columns = "sklearn.compose._column_transformer.ColumnTransformer"
    function = "sklearn.preprocessing._function_transformer.FunctionTransformer"
    found = estimator(function, {})
    return {
        columns: estimator(
            columns,
            {
                "_columns": Listed(Plain()),
                "_transformer_to_input_indices": Mapping(Plain()),
                "_remainder": Anything(),
                "sparse_output_": Flag(),
                "transformers_": Listed(_TRANSFORMER),
                "output_indices_": Mapping(Plain()),
                "_n_features": Sometimes(Count("d")),
            },
            _check_columns,
        ),
        function: State(found.fields | {"func": Maybe(Part(("functools.partial",)))}, found.fitted),
        f"{encoders}OrdinalEncoder": estimator(
            f"{encoders}OrdinalEncoder",
            {
                "categories_": Listed(Array("label", (None,), nan=True), "d"),
                "_missing_indices": Plain(),
                "_infrequent_enabled": Flag(),
            },
        ),
    }


def states():
    """Full class name -> :class:`State`, for every class of scikit-learn that may be stored."""
    tree, forest, linear = "sklearn.tree._classes.", "sklearn.ensemble._forest.", "sklearn."
    data = "sklearn.preprocessing._data."
    known = {
        "sklearn.pipeline.Pipeline": State(
            {
                "steps": Listed(Together((Text(), Either((Part(), Text(("passthrough",))))))),
                "memory": Maybe(Text(("",))),
                "verbose": Flag(),
                "transform_input": Maybe(Plain()),
            },
            ESTIMATOR,
        ),
        "sklearn.linear_model._logistic.LogisticRegression": estimator(
            f"{linear}linear_model._logistic.LogisticRegression", _LINEAR
        ),
        "sklearn.svm._classes.LinearSVC": estimator(f"{linear}svm._classes.LinearSVC", _LINEAR),
        "sklearn.dummy.DummyClassifier": estimator(
            "sklearn.dummy.DummyClassifier",
            {
                "_strategy": Text(),
                "sparse_output_": Flag(),
                "n_outputs_": Number(1, 1, whole=True),
                "n_classes_": Number(1, whole=True),
                "class_prior_": Array("f", ("k",)),
            },
        ),
        "sklearn.tree._tree.Tree": State(
            {
                "max_depth": Number(0, whole=True),
                "node_count": Number(1, whole=True),
                "nodes": Anything(),
                "values": Array("f", (None, 1, None)),
            },
            args=(Count("d"), Array("i", (1,), low=1), Number(1, 1, whole=True)),
            check=_check_tree,
        ),
        "sklearn.preprocessing._label.LabelEncoder": estimator(
            "sklearn.preprocessing._label.LabelEncoder", {}
        ),
        "numpy.random.Generator": State({"state": Plain(), "seeds": Plain()}),
        "functools.partial": State(
            {"func": Anything(), "args": Plain(), "kwds": Anything(), "namespace": Plain()},
            check=_check_partial,
        ),
        **{f"sklearn._loss.link.{link}": State() for link in ("LogitLink", "MultinomialLogit")},
        "sklearn._loss.link.Interval": State(
            dict.fromkeys(("low", "high"), Number(infinite=True))
            | dict.fromkeys(("low_inclusive", "high_inclusive"), Flag())
        ),
        _SIGMOID: State({"a_": Number(), "b_": Number(), "_sklearn_version": Sometimes(Text())}),
        _ISOTONIC: estimator(
            _ISOTONIC,
            {
                "increasing_": Flag(),
                "X_min_": Number(),
                "X_max_": Number(),
                "X_thresholds_": Array("f", ("t",)),
                "y_thresholds_": Array("f", ("t",)),
            },
            _check_thresholds,
        ),
        "sklearn.calibration._CalibratedClassifier": State(
            {
                "estimator": Part(),
                "calibrators": Listed(Part((_SIGMOID, _ISOTONIC))),
                "classes": labels("k"),
                "method": Text(("sigmoid", "isotonic")),
            }
        ),
        "sklearn.calibration.CalibratedClassifierCV": estimator(
            "sklearn.calibration.CalibratedClassifierCV",
            {"calibrated_classifiers_": Listed(Part())},
        ),
        f"{data}StandardScaler": estimator(
            f"{data}StandardScaler",
            _SCALED | {name: Maybe(_VECTOR) for name in ("mean_", "var_", "scale_")},
        ),
    }
    for loss in _LOSSES:
        known[loss] = State(
            {
                "closs": Part(),
                "link": Part(),
                "n_classes": Maybe(Number(1, whole=True)),
                "xp": Maybe(Plain()),
                "device": Maybe(Plain()),
                "approx_hessian": Flag(),
                "constant_hessian": Flag(),
                "interval_y_true": Part(),
                "interval_y_pred": Part(),
            }
        )
    for loss in ("CyHalfBinomialLoss", "CyHalfMultinomialLoss"):
        known[f"sklearn._loss._loss.{loss}"] = State(args=())
    for name in ("DecisionTreeClassifier", "ExtraTreeClassifier"):
        known[tree + name] = estimator(tree + name, _TREE, _check_single_tree)
    for name in ("RandomForestClassifier", "ExtraTreesClassifier"):
        known[forest + name] = _forest(forest + name)
    boosting = "sklearn.ensemble._hist_gradient_boosting."
    name = f"{boosting}gradient_boosting.HistGradientBoostingClassifier"
    known[name] = _boosting(name)
    known[f"{boosting}predictor.TreePredictor"] = State(
        {
            "nodes": Anything(),
            "binned_left_cat_bitsets": Array("i", (None, 8)),
            "raw_left_cat_bitsets": Array("i", (None, 8)),
        },
        check=_check_predictor,
    )
    known[f"{boosting}binning._BinMapper"] = State(
        {
            "n_bins": Number(2, 256, whole=True),
            "subsample": Maybe(Number(whole=True)),
            "is_categorical": Maybe(Array("b", ("d",))),
            "known_categories": Maybe(Listed(Maybe(Array("f", (None,))), "d")),
            "random_state": Plain(),
            "n_threads": Maybe(Number(whole=True)),
            "is_categorical_": Array("i", ("d",)),
            "missing_values_bin_idx_": Number(0, 255, whole=True),
            "bin_thresholds_": Listed(Array("f", (None,), infinite=True), "d"),
            "n_bins_non_missing_": Array("i", ("d",)),
            "_sklearn_version": Sometimes(Text()),
        }
    )
    known |= _preprocessing()
    return known
