"""Checks of what objects of scikit-learn hold, beyond types, shapes and ranges."""

from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.base import OneToOneFeatureMixin

from stakes._core.sklearn_private import NODE_DTYPE, PREDICTOR_RECORD_DTYPE
from stakes._core.stored.names import known_class
from stakes._core.stored.plain import Damaged, Record
from stakes._core.stored.spec import Array
from stakes._core.stored.state import same_classes, same_input
from stakes._core.stored.trees import sound_children, within
from stakes._core.stored.unbuilt import Unbuilt, inner, transforms

_ONE_TO_ONE = {
    "sklearn.preprocessing._encoders.OrdinalEncoder",
    "sklearn.preprocessing._function_transformer.FunctionTransformer",
}


def check_tree(state, scope):
    """Children follow their parent inside the tree, and features exist, so every walk ends."""
    nodes, n, d = state["nodes"], int(state["node_count"]), scope.sizes["d"]
    if not isinstance(nodes, np.ndarray) or nodes.dtype != NODE_DTYPE or nodes.shape != (n,):
        raise Damaged("the nodes of a Tree have unknown fields or another number than it says")
    inner = nodes["left_child"] != -1
    if not (
        sound_children(nodes["left_child"], nodes["right_child"], inner, n)
        and within(nodes["feature"][inner], 0, d)
    ):
        raise Damaged("a tree node points outside the tree")
    if np.isnan(nodes["threshold"]).any() or state["max_depth"] > n:
        raise Damaged("a tree has a threshold or depth that is no number")


def check_predictor(state, scope):
    nodes, bitsets = state["nodes"], state["raw_left_cat_bitsets"]
    if not isinstance(nodes, np.ndarray) or nodes.dtype != PREDICTOR_RECORD_DTYPE:
        raise Damaged("the nodes of a TreePredictor have unknown fields")
    if nodes.ndim != 1 or not len(nodes):
        raise Damaged("a TreePredictor has no nodes")
    inner = nodes["is_leaf"] == 0
    codes = inner & (nodes["is_categorical"] != 0)
    if not (
        sound_children(nodes["left"], nodes["right"], inner, len(nodes))
        and within(nodes["bitset_idx"][codes], 0, len(bitsets))
    ):
        raise Damaged("a tree node points outside the tree")
    if np.isnan(nodes["num_threshold"]).any() or not np.isfinite(nodes["value"]).all():
        raise Damaged("a tree has a threshold or value that is no number")


def check_boosting(state, scope):
    d, width = scope.sizes.get("d"), state.get("n_trees_per_iteration_", 0)
    bins = state["_bin_mapper"].state if "_bin_mapper" in state else {}
    if "_loss" in state:
        _check_loss(state, scope)
    if len(bins.get("is_categorical_", ())) != (d if bins else 0):
        raise Damaged("a HistGradientBoosting has bins for another number of features")
    if "_baseline_prediction" in state and state["_baseline_prediction"].shape != (1, width):
        raise Damaged("a HistGradientBoosting has a wrong number of trees in a stage")
    for stage in state.get("_predictors", ()):
        if len(stage) != width:
            raise Damaged("a HistGradientBoosting has a wrong number of trees in a stage")
        for tree in stage:
            nodes = tree.state["nodes"]
            nodes = nodes[nodes["is_leaf"] == 0]
            if not within(nodes["feature_idx"], 0, d):
                raise Damaged("a tree node points outside the tree or its features")
            codes = nodes["feature_idx"][nodes["is_categorical"] != 0]
            if not bins["is_categorical_"][codes].all():
                raise Damaged("a tree node asks for a category of a number")
    if state.get("_preprocessor") is not None:
        _check_preprocessor(state["_preprocessor"], scope)
        if "feature_names_in_" not in state:
            _check_codes(state["_preprocessor"])
    k = scope.sizes.get("k")
    if k is not None and width and width != (1 if k == 2 else k):
        raise Damaged("a HistGradientBoosting has a wrong number of classes")


def _check_preprocessor(preprocessor, scope):
    """The trees, which do not look at the width, get as many columns as they were fitted on."""
    same_input(preprocessor, scope)
    parts = [one for one in preprocessor.state.get("transformers_", ()) if one[1] != "drop"]
    read = preprocessor.state.get("_transformer_to_input_indices", {})
    width = sum(len(read[name]) for name, _, _ in parts)
    kinds = {getattr(one, "name", one) for _, one, _ in parts}
    if width != scope.sizes.get("d") or not kinds <= _ONE_TO_ONE:
        raise Damaged("a HistGradientBoosting encodes another number of columns than it reads")
    given = preprocessor.state.get("_sklearn_output_config", {"transform": "default"})
    if preprocessor.state["sparse_output_"] or given != {"transform": "default"}:
        raise Damaged("a HistGradientBoosting does not encode its columns as a dense array")


def _check_codes(preprocessor):
    """The categories of a table without names are numbers."""
    for _, encoder, _ in preprocessor.state.get("transformers_", ()):
        found = encoder.state if isinstance(encoder, Record) else {}
        for categories in found.get("categories_", ()):
            if categories.dtype.kind not in "fiu":
                raise Damaged("a HistGradientBoosting has text as a category of a number")


def check_ensemble(state, scope):
    if "estimators_" in state and not len(state["estimators_"]):
        raise Damaged("a forest has no trees")
    for member in np.ravel(np.array(state.get("estimators_", ()), dtype=object)):
        same_input(member, scope)
        tree = member.state.get("tree_")
        if tree is None:
            raise Damaged("a tree of a forest is not fitted")
        if tree.state["values"].shape[2] != scope.sizes.get("k", 1):
            raise Damaged("a tree of a forest has another number of classes")


def check_gradient(state, scope):
    if "estimators_" not in state:
        return
    _check_loss(state, scope)
    stages = state["estimators_"]
    k = scope.sizes["k"]
    width = 1 if k == 2 else k
    if not isinstance(stages, np.ndarray) or stages.shape[1:] != (width,) or not len(stages):
        raise Damaged("a GradientBoosting has a wrong number of trees in a stage")
    if state["n_trees_per_iteration_"] != width:
        raise Damaged("a GradientBoosting has a wrong number of trees in a stage")
    if isinstance(state["init_"], Record):
        scope.bind("k", int(state["init_"].state.get("n_classes_", 0)))
    for member in stages.ravel():
        same_input(member, scope)
        if "tree_" not in member.state or member.state["tree_"].state["values"].shape[2] != 1:
            raise Damaged("a tree of a GradientBoosting is damaged")


def check_single_tree(state, scope):
    if "tree_" not in state:
        return
    tree = state["tree_"]
    if int(tree.args[0]) != scope.sizes.get("d"):
        raise Damaged("a tree reads another number of features than its estimator")
    values = tree.state["values"]
    width = scope.sizes.get("k", 1)
    if values.shape != (int(tree.state["node_count"]), 1, width) or int(tree.args[1][0]) != width:
        raise Damaged("a tree has another number of classes than its estimator")
    if "k" in scope.sizes and not within(values, 0, 1 + 1e-9):
        raise Damaged("a tree has probabilities outside [0, 1]")


def check_bins(state, scope):
    for thresholds, is_code in zip(state["bin_thresholds_"], state["is_categorical_"], strict=True):
        if is_code and not within(thresholds, 0, 256):
            raise Damaged("a category is outside 0 to 255")


def check_steps(state, scope):
    """All steps of a pipeline but the last transform, and widths of neighbours agree."""
    width = names = None  # where they are known
    for number, (_, step) in enumerate(state["steps"]):
        if not isinstance(step, Record):
            if step not in ("passthrough", None):
                raise Damaged("a step of a pipeline is no estimator")
            continue
        if number < len(state["steps"]) - 1 and not transforms(step):
            raise Damaged(f"a {step.name} is in the middle of a pipeline")
        taken = _size(inner(step, 0), "n_features_in_")
        if width is not None and taken is not None and taken != width:
            raise Damaged("a step of a pipeline gets another number of columns than it takes")
        if names is not None and "feature_names_in_" in (step.state or {}):
            if list(step.state["feature_names_in_"]) != names:
                raise Damaged("a step of a pipeline gets other columns than it takes")
        names = None
        last = inner(step, -1)
        if issubclass(known_class(last.name), OneToOneFeatureMixin):
            width = _size(last, "n_features_in_")
        elif last.name.endswith(".TableVectorizer"):
            names = list(last.state["all_outputs_"]) if "all_outputs_" in last.state else None
            width = None if names is None else len(names)
        elif last.name.endswith(".SimpleImputer"):
            width = _imputed_width(last.state) if "statistics_" in last.state else None
        else:
            width = _size(last, "_n_features_out")


def check_named_steps(state, scope):
    """The same for pipelines of this package, whose steps are arguments of their constructor."""
    steps = state["steps"]
    if not isinstance(steps, list) or not steps or not all(map(_is_step, steps)):
        raise Damaged("the steps of a pipeline are not pairs of a name and an estimator")
    if not isinstance(steps[-1][1], Record) or not hasattr(Unbuilt(steps[-1][1]), "predict"):
        raise Damaged("a pipeline does not end with a classifier")
    check_steps(state, scope)


def _is_step(step):
    return isinstance(step, list | tuple) and len(step) == 2 and isinstance(step[0], str)


def _size(record, name):
    """A number of columns in the state of an estimator, or None."""
    found = record.state.get(name) if isinstance(record.state, dict) else None
    return int(found) if isinstance(found, int | np.integer) else None


def _check_loss(state, scope):
    k, loss = scope.sizes.get("k"), state["_loss"]
    if k is not None and loss.state["n_classes"] != k:
        raise Damaged("the loss of a boosted model has another number of classes")
    if k is not None and (k > 2) != loss.name.endswith("MultinomialLoss"):
        raise Damaged("the loss of a boosted model has another number of classes")


def check_bayes(state, scope):
    if "theta_" not in state:
        return
    with np.errstate(over="ignore"):
        largest = (np.square(state["theta_"]) / state["var_"]).max(initial=0)
    if abs(state["class_prior_"].sum() - 1) > 1e-6 or largest > 1e200:
        raise Damaged("a GaussianNB has impossible priors or means")


def check_thresholds(state, scope):
    if "X_thresholds_" not in state:
        return
    at = state["X_thresholds_"]
    if not len(at) or np.any(np.diff(at) < 0):
        raise Damaged("the thresholds of an IsotonicRegression are not sorted")
    if state["X_min_"] < at[0] or state["X_max_"] > at[-1] or state["X_min_"] > state["X_max_"]:
        raise Damaged("an IsotonicRegression is asked outside its thresholds")


def check_scaler(state, scope):
    """What a scaler shall subtract or divide by is there."""
    for wanted, names in {
        ("with_mean", "with_centering"): ("mean_", "center_"),
        ("with_std", "with_scaling"): ("scale_",),
    }.items():
        if any(state.get(one) for one in wanted) and not all(
            state[name] is not None for name in names if name in state
        ):
            raise Damaged("a scaler lacks what it divides by or subtracts")


def check_imputer(state, scope):
    """Numbers are filled with numbers, text with text, and no columns are added."""
    if "statistics_" not in state:
        return
    kinds = [state["statistics_"].dtype]
    for name in ("_fit_dtype", "_fill_dtype"):
        if not isinstance(state[name], np.dtype):
            raise Damaged("an imputer has an unknown type")
        kinds.append(state[name])
    if len({kind.kind in "biuf" for kind in kinds}) > 1:
        raise Damaged("an imputer fills values with others of another type")
    if kinds[0].kind in "biuf" and not isinstance(state["missing_values"], Real):
        raise Damaged("an imputer looks for text among numbers")
    if state["add_indicator"] or state["indicator_"] is not None:
        raise Damaged("an imputer adds columns")
    if not state["keep_empty_features"] and not _imputed_width(state):
        raise Damaged("an imputer leaves no column")


def _imputed_width(state):
    """How many columns an imputer makes; those that had no values are dropped."""
    filled = state["statistics_"]
    missing = filled != filled  # NaN, also among objects
    return len(filled) if state["keep_empty_features"] else len(filled) - int(missing.sum())


def check_linear(state, scope):
    if "coef_" in state:
        k = scope.sizes.get("k")
        if k is None or k < 2 or scope.sizes["rows"] != (1 if k == 2 else k):
            raise Damaged("a linear model has a wrong number of classes")


def check_support(state, scope):
    """The arrays of LIBSVM, whose sizes it does not check."""
    if "support_vectors_" not in state:
        return
    n, k = scope.sizes["n"], scope.sizes["k"]
    if state["_n_support"].sum() != n or state["intercept_"].shape != (k * (k - 1) // 2,):
        raise Damaged("the support vectors of an SVC do not add up")
    if state["dual_coef_"].shape[0] != k - 1:
        raise Damaged("the coefficients of an SVC have a wrong shape")
    for one, other in (("dual_coef_", "_dual_coef_"), ("intercept_", "_intercept_")):
        if state[one].shape != state[other].shape:
            raise Damaged("the coefficients of an SVC have a wrong shape")
    _check_sparsity(state)
    shape = state["shape_fit_"]
    if not isinstance(shape, tuple) or len(shape) != 2 or shape[1] != scope.sizes["d"]:
        raise Damaged("the training shape of an SVC is damaged")


def _check_sparsity(state):
    """LIBSVM reads a number for each coefficient, stored or not, row by row."""
    names = ("support_vectors_", "dual_coef_", "_dual_coef_")
    if any(sparse.issparse(state[name]) != state["_sparse"] for name in names):
        raise Damaged("an SVC has both dense and sparse arrays")
    if not state["_sparse"] and not all(state[name].flags.c_contiguous for name in names):
        raise Damaged("an SVC has arrays in another order")
    if state["_sparse"] and any(
        state[name].nnz != np.prod(state[name].shape) for name in names[1:]
    ):
        raise Damaged("the coefficients of an SVC are not all stored")


def check_mixture(state, scope):
    if "means_" not in state:
        return
    m, d = scope.sizes["m"], scope.sizes["d"]
    kinds = {"full": (m, d, d), "tied": (d, d), "diag": (m, d), "spherical": (m,)}
    for name in ("covariances_", "precisions_", "precisions_cholesky_"):
        Array("f8", kinds[state["covariance_type"]]).check(state[name], scope)
    factors = state["precisions_cholesky_"]
    if state["covariance_type"] in ("full", "tied"):
        factors = factors.diagonal(axis1=-2, axis2=-1)
    if not factors.min() > 0 or not state["weights_"].max() > 0:  # their logarithms are taken
        raise Damaged("a mixture has a weight or a precision that is not positive")


def check_calibrated(state, scope):
    wanted = 1 if scope.sizes["k"] == 2 else max(scope.sizes["k"], 2)
    if len(state["calibrators"]) != wanted:
        raise Damaged("a calibrated classifier has a wrong number of calibrators")
    same_classes(state["estimator"], scope)
    scored = Unbuilt(state["estimator"])
    if not (hasattr(scored, "decision_function") or hasattr(scored, "predict_proba")):
        raise Damaged("a calibrated classifier has no scores to calibrate")


def check_calibrated_all(state, scope):
    if not state.get("calibrated_classifiers_", [None]):
        raise Damaged("a calibrated classifier has no members")
    for member in state.get("calibrated_classifiers_", ()):
        if len(member.state["classes"]) != scope.sizes.get("k"):
            raise Damaged("a calibrated classifier has another number of classes")
        same_input(member.state["estimator"], scope)


def check_generator(state, scope):
    bits, seeds = state["state"], state["seeds"]
    inner = bits.get("state")
    whole = (int, np.integer)
    if (
        bits["bit_generator"] != "PCG64"
        or bits.keys() != {"bit_generator", "state", "has_uint32", "uinteger"}
        or not isinstance(inner, dict)
        or inner.keys() != {"state", "inc"}
        or not all(isinstance(v, whole) and 0 <= v < 2**128 for v in inner.values())
        or bits["has_uint32"] not in (0, 1)
        or not isinstance(bits["uinteger"], whole)
        or not 0 <= bits["uinteger"] < 2**32
    ):
        raise Damaged("a random generator is damaged")
    if not isinstance(seeds, dict) or seeds.get("pool_size", 4) != 4:
        raise Damaged("the seeds of a random generator are damaged")
    if not seeds.keys() <= {"entropy", "spawn_key", "pool_size", "n_children_spawned"}:
        raise Damaged("the seeds of a random generator are damaged")


def check_random_state(state, scope):
    inner = state["state"]
    if (
        state["bit_generator"] != "MT19937"
        or not isinstance(inner, dict)
        or inner.keys() != {"key", "pos"}
        or not isinstance(inner["key"], np.ndarray)
        or inner["key"].dtype != np.uint32
        or inner["key"].shape != (624,)
        or not isinstance(inner["pos"], int)
        or not 0 <= inner["pos"] <= 624
    ):
        raise Damaged("a random state is damaged")
