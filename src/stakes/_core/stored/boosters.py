"""What LightGBM's and XGBoost's classifiers may hold in a model file."""

from stakes._core.stored.lightgbm_text import clean_text
from stakes._core.stored.names import known_class
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    COUNT,
    Anything,
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
    Text,
    Word,
    labels,
)
from stakes._core.stored.state import ESTIMATOR, THREADS, State
from stakes._core.stored.xgboost_bytes import OBJECTIVES, clean_bytes

_NOT_FITTED = Number(-1, 0, whole=True)
_LIGHTGBM = {
    "_Booster": Part(("lightgbm.basic.Booster",)),
    "_evals_result": Plain(),
    "_best_score": Plain(),
    "_best_iteration": Maybe(Number(-1, whole=True)),
    "_objective": Text(("binary", "multiclass", "multiclassova", "cross_entropy")),
    "_class_weight": Plain(),
    "_class_map": Mapping(COUNT),
    "_n_features": Either((Count("d", 1), _NOT_FITTED)),
    "_n_features_in": Either((Count("d", 1), _NOT_FITTED)),
    "_classes": labels("k"),
    "_n_classes": Either((Count("k", 1), _NOT_FITTED)),
    "_le": Part(("sklearn.preprocessing._label.LabelEncoder",)),
    "fitted_": Flag(),
}
_LIGHTGBM_BOOSTER = {
    "_handle": Text(),
    "_network": Flag(),
    "_train_data_name": Text(),
    "best_iteration": Number(-1, whole=True),
    "best_score": Plain(),
    "name_valid_sets": Plain(),
    "pandas_categorical": Plain(),
    "train_set_version": Plain(),
    "params": Plain(),
}
_PRIVATE = {
    "need_reload_eval_info": Flag(),
    "set_objective_to_none": Flag(),
    "num_dataset": COUNT,
    "num_class": Count("rows", 1),
    "init_predictor": Maybe(Text(("",))),
    "inner_predict_buffer": Listed(Maybe(Plain())),
    "is_predicted_cur_iter": Listed(Flag()),
    "num_inner_eval": COUNT,
    "name_inner_eval": Listed(Text()),
    "higher_better_inner_eval": Listed(Flag()),
}
_LIGHTGBM_BOOSTER |= {
    f"_Booster__{name}": Sometimes(spec) if name.endswith("eval") else spec
    for name, spec in _PRIVATE.items()
}


_LEAST = {"n_estimators": 1, "subsample_for_bin": 1, "max_depth": -(2**30)}
_LEAST |= {"min_child_samples": 0, "subsample_freq": 0}
_MOST = dict.fromkeys(("min_child_weight", "reg_alpha", "reg_lambda", "min_split_gain"), 1e30)
_TINY = 1e-30  # of what must be positive, also as LightGBM prints and reads it
_POSITIVE = {"subsample": 1, "colsample_bytree": 1, "learning_rate": 1e30}
_SEED = Either((Maybe(Number(0, 2**31 - 1, whole=True)), Part(("numpy.random.RandomState",))))
_SIMPLE = Either((Number(), Flag(), Listed(Either((Number(), Word()))), Maybe(Word())))
_LIGHTGBM_PARAMETERS = {
    **{name: Number(least, 2**31 - 1, whole=True) for name, least in _LEAST.items()},
    **{name: Number(0, most) for name, most in _MOST.items()},
    **{name: Number(_TINY, most) for name, most in _POSITIVE.items()},
    "num_leaves": Number(2, 131072, whole=True),
    "random_state": _SEED,
    "class_weight": Maybe(Either((Text(("balanced",)), Mapping(Number(0))))),
    "n_jobs": Maybe(Number(-1024, 1024, whole=True)),
    "boosting_type": Text(("gbdt", "rf", "dart", "goss")),
    "objective": Maybe(Word()),
    "importance_type": Text(("split", "gain")),
}


def _check_lightgbm_booster(state, scope):
    # what LightGBM reads later is what was checked here
    state["_handle"], _, n_classes = clean_text(state["_handle"])
    scope.bind("rows", n_classes)


def _check_lightgbm(state, scope):
    _check_settings(state.get("_other_params", {}))
    if state.get("_Booster") is None:
        if state.get("fitted_"):
            raise Damaged("a LightGBM model has no trees")
        return
    needed = _LIGHTGBM.keys() - {"_class_weight", "_best_iteration"}
    if any(state.get(name) is None for name in needed):
        raise Damaged("a LightGBM model lacks an attribute")
    if min(state[name] for name in ("_n_features", "_n_features_in", "_n_classes")) < 1:
        raise Damaged("a LightGBM model has no features or classes")
    _, n_features, n_classes = clean_text(state["_Booster"].state["_handle"])
    scope.bind("d", n_features)
    if n_classes != (1 if scope.sizes["k"] <= 2 else scope.sizes["k"]):
        raise Damaged("a LightGBM model has a wrong number of classes")
    if len(state["_le"].state["classes_"]) != scope.sizes["k"]:
        raise Damaged("a LightGBM model has a wrong number of classes")


def _check_settings(others):
    """Further arguments become a line of `name=value`; the number of threads is limited."""
    for name, value in others.items():
        Word().check(name, None)
        if name in ("verbose", "verbosity"):
            Number(-(2**31), 2**31 - 1, whole=True).check(value, None)
        if name in THREADS:
            _LIGHTGBM_PARAMETERS["n_jobs"].check(value, None)


def _declare_lightgbm(name):
    names = known_class(name)._get_param_names()

    def extra(state):
        """Further keyword arguments, which LightGBM keeps as attributes."""
        others = state.get("_other_params")
        found = others.keys() if isinstance(others, dict) else ()
        return {
            one for one in found if isinstance(one, str) and not hasattr(known_class(name), one)
        }

    parameters = {one: _LIGHTGBM_PARAMETERS.get(one, Parameter()) for one in names} | {
        "_other_params": Mapping(_SIMPLE),
        "_fitted_with_feature_names": Sometimes(Flag()),
    }
    # an estimator that is not fitted has these as None
    fitted = {one: Sometimes(Maybe(spec)) for one, spec in _LIGHTGBM.items()}
    return State(
        parameters, ESTIMATOR | fitted, check=_check_lightgbm, extra=extra, extra_spec=_SIMPLE
    )


def _check_xgboost_booster(state, scope):
    if state.keys() != {"handle"} or not isinstance(state["handle"], bytes | bytearray):
        raise Damaged("an XGBoost model is not bytes")
    content, n_features, n_classes, threads = clean_bytes(state["handle"])
    state |= {"content": content, "threads": threads, "d": n_features, "k": n_classes}
    del state["handle"]


def _check_xgboost(state, scope):
    from xgboost import XGBClassifier

    for name, value in XGBClassifier().get_params().items():
        state.setdefault(name, value)  # an older version may have fewer parameters
    if "_Booster" not in state:
        return
    inner = state["_Booster"].state
    k = int(state["n_classes_"])
    if k < 2 or inner["k"] != (0 if k == 2 else k):
        raise Damaged("an XGBoost model has a wrong number of classes")


_COUNTS = {"max_depth": 0, "max_leaves": 0, "max_bin": 2, "n_estimators": 1}
_COUNTS |= {"num_parallel_tree": 1, "early_stopping_rounds": 1, "n_jobs": -1}
_COUNTS |= {"max_cat_to_onehot": 1, "max_cat_threshold": 1, "random_state": 0}
_SHARES = {"subsample": 1, "colsample_bytree": 1, "colsample_bylevel": 1, "colsample_bynode": 1}
_SHARES |= dict.fromkeys(("learning_rate", "gamma", "min_child_weight", "max_delta_step"), 1e30)
_SHARES |= dict.fromkeys(("reg_alpha", "reg_lambda", "scale_pos_weight"), 1e30)
_CHOICES = {
    "objective": tuple(OBJECTIVES),
    "booster": ("gbtree",),
    "grow_policy": ("depthwise", "lossguide"),
    "tree_method": ("auto", "exact", "approx", "hist"),
    "sampling_method": ("uniform", "gradient_based"),
    "multi_strategy": ("one_output_per_tree",),
    "importance_type": ("gain", "weight", "cover", "total_gain", "total_cover"),
}
_XGBOOST_PARAMETERS = {
    **{name: Number(least, 2**31 - 1, whole=True) for name, least in _COUNTS.items()},
    **{name: Number(0, most) for name, most in _SHARES.items()},
    **{name: Text(choices) for name, choices in _CHOICES.items()},
    "verbosity": Number(0, 3, whole=True),  # of the process: another one breaks every booster
    "base_score": Number(0, 1),
    "device": Word(),
    "missing": Number(nan=True),
    "validate_parameters": Flag(),
    "enable_categorical": Flag(),
    "eval_metric": Either((Word(), Listed(Word()))),
}


def _declare_xgboost(name):
    fitted = {"_Booster": Part(("xgboost.core.Booster",)), "n_classes_": Number(1, whole=True)}
    fitted |= {"evals_result_": Sometimes(Mapping(Plain())), "_features_count": Sometimes(Plain())}
    parameters = {"kwargs": Sometimes(Maybe(Mapping(_SIMPLE)))}
    # every parameter of the parent class is one as well
    for owner in known_class(name).__mro__:
        if hasattr(owner, "_get_param_names") and owner.__init__ is not object.__init__:
            for one in owner._get_param_names():
                spec = _XGBOOST_PARAMETERS.get(one, Plain())
                spec = spec if one == "missing" else Maybe(spec)  # the only one without a default
                parameters.setdefault(one, spec if owner is known_class(name) else Sometimes(spec))
    return State(parameters, ESTIMATOR | fitted, check=_check_xgboost)


BOOSTERS = {
    "lightgbm.basic.Booster": lambda name: State(_LIGHTGBM_BOOSTER, check=_check_lightgbm_booster),
    "lightgbm.sklearn.LGBMClassifier": _declare_lightgbm,
    "xgboost.core.Booster": lambda name: State(
        {"handle": Anything()}, check=_check_xgboost_booster
    ),
    "xgboost.sklearn.XGBClassifier": _declare_xgboost,
}
