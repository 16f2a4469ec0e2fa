"""What scikit-learn's trees, forests and boosted trees may hold in a model file."""

from stakes._core.stored import sklearn_checks as checks
from stakes._core.stored.spec import (
    COUNT,
    Anything,
    Array,
    Count,
    Either,
    Flag,
    Listed,
    Maybe,
    Number,
    Part,
    Plain,
    Sometimes,
    Text,
    labels,
)
from stakes._core.stored.state import estimator, thing

_LOSS = "sklearn._loss.loss."
_LOSSES = {  # and their links
    "HalfBinomialLoss": "LogitLink",
    "HalfMultinomialLoss": "MultinomialLogit",
    "HalfSquaredError": "IdentityLink",
    "ExponentialLoss": "HalfLogitLink",
}
_INTERVAL = Part(("sklearn._loss.link.Interval",))
_HIST = "sklearn.ensemble._hist_gradient_boosting."
_TREE = "sklearn.tree._tree.Tree"

_TREE_FITTED = {
    "tree_": Part((_TREE,)),
    "n_outputs_": Number(1, 1, whole=True),
    "max_features_": Number(1, whole=True),
    "n_features_in_": Count("d", 1),
}
_CLASSES_FITTED = {"n_classes_": Count("k", 1), "classes_": labels("k")}
_TREES = tuple(f"sklearn.tree._classes.{one}Classifier" for one in ("DecisionTree", "ExtraTree"))
_FOREST = {
    "estimators_": Listed(Part(_TREES)),
    "estimator_": Part(_TREES),
    "n_outputs_": Number(1, 1, whole=True),
    "n_classes_": Count("k", 1),
    "classes_": labels("k"),
    "n_features_in_": Count("d", 1),
    "_n_samples": Sometimes(COUNT),
    "_n_samples_bootstrap": Sometimes(Maybe(COUNT)),
    "_sample_weight": Sometimes(Maybe(Array("f", (None,)))),
    "oob_score_": Sometimes(Number()),
    "oob_decision_function_": Sometimes(Array("f", (None, "k"), nan=True)),
}
_GRADIENT = {
    "estimators_": Listed(Part(("sklearn.tree._classes.DecisionTreeRegressor",))),
    "init_": Either((Part(("sklearn.dummy.DummyClassifier",)), Text(("zero",)))),
    "_loss": Part(tuple(_LOSS + name for name in _LOSSES)),
    "n_estimators_": Number(0, whole=True),
    "n_trees_per_iteration_": Number(1, whole=True),
    "max_features_": Number(1, whole=True),
    "train_score_": Array("f", (None,), nan=True),
    **dict.fromkeys(("oob_improvement_", "oob_scores_", "oob_score_"), Sometimes(Plain())),
    "n_classes_": Sometimes(Count("k", 1)),
    "classes_": labels("k"),
    "n_features_in_": Count("d", 1),
    "_rng": Sometimes(Part(("numpy.random.RandomState",))),
}
_BOOSTED = {
    "_predictors": Listed(Listed(Part((f"{_HIST}predictor.TreePredictor",)))),
    "_baseline_prediction": Array("f", (1, None)),
    "_bin_mapper": Part((f"{_HIST}binning._BinMapper",)),
    "_loss": Part(tuple(_LOSS + name for name in _LOSSES)),
    "n_trees_per_iteration_": Number(1, 10_000, whole=True),
    "is_categorical_": Maybe(Array("b", ("d",))),
    "_is_categorical_remapped": Maybe(Array("b", ("d",))),
    "_preprocessor": Maybe(Part(("sklearn.compose._column_transformer.ColumnTransformer",))),
    "_label_encoder": Sometimes(Part(("sklearn.preprocessing._label.LabelEncoder",))),
    "_random_seed": Plain(),
    "_feature_subsample_rng": Part(("numpy.random.Generator",)),
    "_n_features": Count("d", 1),
    "n_features_in_": Count("d", 1),
    "do_early_stopping_": Flag(),
    "_use_validation_data": Flag(),
    "_scorer": Maybe(Text()),
    "train_score_": Array("f", (None,), nan=True),
    "validation_score_": Array("f", (None,), nan=True),
}
_LOSS_STATE = {
    "n_classes": Maybe(Number(1, whole=True)),
    "xp": Maybe(Plain()),
    "device": Maybe(Plain()),
    "approx_hessian": Flag(),
    "constant_hessian": Flag(),
    "interval_y_true": _INTERVAL,
    "interval_y_pred": _INTERVAL,
    **dict.fromkeys(("class_indexing_offsets", "y_true_int", "y_true_one_hot"), Sometimes(Plain())),
}

ENSEMBLES = {
    _TREE: thing(
        {
            "max_depth": COUNT,
            "node_count": Number(1, 2**31, whole=True),
            "nodes": Anything(),
            "values": Array("f8", (None, 1, None)),
        },
        args=(Count("d", 1), Array("i8", (1,), low=1), Number(1, 1, whole=True)),
        check=checks.check_tree,
    ),
    "sklearn._loss.link.Interval": thing(
        dict.fromkeys(("low", "high"), Number(infinite=True))
        | dict.fromkeys(("low_inclusive", "high_inclusive"), Flag())
    ),
    f"{_HIST}gradient_boosting.HistGradientBoostingClassifier": estimator(
        _BOOSTED | {"classes_": labels("k")}, checks.check_boosting
    ),
    f"{_HIST}gradient_boosting.HistGradientBoostingRegressor": estimator(
        _BOOSTED, checks.check_boosting
    ),
    f"{_HIST}predictor.TreePredictor": thing(
        {
            "nodes": Anything(),
            "binned_left_cat_bitsets": Array("u4", (None, 8)),
            "raw_left_cat_bitsets": Array("u4", (None, 8)),
        },
        check=checks.check_predictor,
    ),
    f"{_HIST}binning._BinMapper": thing(
        {
            "n_bins": Number(2, 256, whole=True),
            "subsample": Maybe(Number(whole=True)),
            "is_categorical": Maybe(Array("b", ("d",))),
            "known_categories": Maybe(Listed(Maybe(Array("f", (None,))), "d")),
            "random_state": Plain(),
            "n_threads": Maybe(Number(whole=True)),
            "is_categorical_": Array("u1", ("d",)),
            "missing_values_bin_idx_": Number(0, 255, whole=True),
            "bin_thresholds_": Listed(Array("f", (None,), infinite=True), "d"),
            "n_bins_non_missing_": Array("i", ("d",)),
            "_sklearn_version": Sometimes(Text()),
        },
        check=checks.check_bins,
    ),
}
for _name, _link in _LOSSES.items():
    _parts = {"closs": f"sklearn._loss._loss.Cy{_name}", "link": f"sklearn._loss.link.{_link}"}
    ENSEMBLES[_LOSS + _name] = thing(_LOSS_STATE | {k: Part((one,)) for k, one in _parts.items()})
    ENSEMBLES[_parts["closs"]] = thing(args=())
    ENSEMBLES[_parts["link"]] = thing(
        {"interval_y_pred": Sometimes(_INTERVAL), "symmetry_multiclass": Sometimes(Plain())}
    )
for _name in ("DecisionTree", "ExtraTree"):
    for _kind, _more in (("Classifier", _CLASSES_FITTED), ("Regressor", {})):
        ENSEMBLES[f"sklearn.tree._classes.{_name}{_kind}"] = estimator(
            _TREE_FITTED | _more, checks.check_single_tree, class_weight=Sometimes(Plain())
        )
for _name in ("RandomForestClassifier", "ExtraTreesClassifier"):
    ENSEMBLES[f"sklearn.ensemble._forest.{_name}"] = estimator(
        _FOREST, checks.check_ensemble, estimator=Part(_TREES), estimator_params=Plain()
    )
ENSEMBLES["sklearn.ensemble._gb.GradientBoostingClassifier"] = estimator(
    _GRADIENT,
    checks.check_gradient,
    alpha=Sometimes(Number()),
    learning_rate=Number(0, 1e100),
)
