"""What objects of scikit-learn may hold in a model file; other classes of it are refused.

Constructor parameters are plain values or estimators, checked by scikit-learn's own constraints.
Of the fitted attributes, what prediction reads is declared in detail.
"""

from functools import cache

from stakes._core.stored import sklearn_checks as checks
from stakes._core.stored import sklearn_columns as columns
from stakes._core.stored.boosters import BOOSTERS
from stakes._core.stored.sklearn_ensembles import ENSEMBLES
from stakes._core.stored.skrub_tables import SKRUB
from stakes._core.stored.spec import (
    COUNT,
    Anything,
    Array,
    Count,
    Dtype,
    Either,
    Fields,
    Flag,
    Listed,
    Mapping,
    Maybe,
    Number,
    Part,
    Plain,
    Sometimes,
    Text,
    Together,
    labels,
)
from stakes._core.stored.state import ESTIMATOR, estimator, thing

# scaled numbers times weights must not overflow
_CENTER, _SCALE = (
    Array("f", ("d",), low=-1e100, high=1e100),
    Array("f", ("d",), low=1e-50, high=1e100),
)
_SIGMOID = "sklearn.calibration._SigmoidCalibration"
_ISOTONIC = "sklearn.isotonic.IsotonicRegression"


@cache
def foreign_state(name):
    """What a class of another package may hold, or None if it is not known."""
    found = (known.get(name) for known in (_DECLARED, ENSEMBLES, BOOSTERS, SKRUB))
    declare = next((one for one in found if one is not None), None)
    return None if declare is None else declare(name)


_LINEAR = {
    "coef_": Array("f", ("rows", "d")),
    "intercept_": Array("f", ("rows",)),
    "n_iter_": Sometimes(Plain()),
    "classes_": labels("k"),
    "n_features_in_": Count("d", 1),
}
_SUPPORT = {
    "_sparse": Flag(),
    "class_weight_": Array("f", ("k",)),
    "classes_": labels("k"),
    "n_features_in_": Count("d", 1),
    "_effective_probability": Sometimes(Flag()),
    "_gamma": Number(0),
    "support_": Array("i4", ("n",), low=0),
    "support_vectors_": Array("f8", ("n", "d"), sparse=True),
    "_n_support": Array("i4", ("k",), low=0),
    "dual_coef_": Array("f8", (None, "n"), sparse=True),
    "_dual_coef_": Array("f8", (None, "n"), sparse=True),
    "intercept_": Array("f8", (None,)),
    "_intercept_": Array("f8", (None,)),
    "_probA": Array("f8", (0,)),
    "_probB": Array("f8", (0,)),
    "fit_status_": Number(0, 1, whole=True),
    "_num_iter": Plain(),
    "n_iter_": Plain(),
    "shape_fit_": Plain(),
    "_num_samples": Sometimes(COUNT),
}
_SCALED = {"n_samples_seen_": Sometimes(Plain()), "n_features_in_": Count("d")}
_TRANSFORMER = Together((Text(), Either((Part(), Text(("drop", "passthrough")))), Plain()))
_STEPS = Listed(Together((Text(), Either((Part(), Text(("passthrough",)))))))
_CATEGORIES = {
    "categories_": Listed(Array("label", (None,), nan=True), "d"),
    "_infrequent_enabled": Flag(),
    "n_features_in_": Count("d", 1),
    "_missing_indices": Sometimes(Plain()),
}
_ONE_HOT = _CATEGORIES | {
    **dict.fromkeys(("drop_idx_", "_drop_idx_after_grouping"), Plain()),
    "_n_features_outs": Listed(COUNT, "d"),
}

_DECLARED = {
    "sklearn.pipeline.Pipeline": thing(
        {
            "steps": _STEPS,
            "memory": Maybe(Text(("",))),
            "verbose": Flag(),
            "transform_input": Maybe(Plain()),
        },
        ESTIMATOR,
        check=checks.check_steps,
    ),
    "sklearn.linear_model._logistic.LogisticRegression": estimator(_LINEAR, checks.check_linear),
    "sklearn.linear_model._logistic.LogisticRegressionCV": estimator(
        _LINEAR
        | dict.fromkeys(
            ("Cs_", "C_", "l1_ratio_", "l1_ratios_", "coefs_paths_", "scores_"), Plain()
        ),
        checks.check_linear,
    ),
    "sklearn.svm._classes.LinearSVC": estimator(_LINEAR, checks.check_linear),
    "sklearn.linear_model._stochastic_gradient.SGDClassifier": estimator(
        _LINEAR
        | {
            "t_": Number(0),
            "standard_coef_": Sometimes(Plain()),
            "standard_intercept_": Sometimes(Plain()),
            "average_coef_": Sometimes(Plain()),
            "average_intercept_": Sometimes(Plain()),
            "_expanded_class_weight": Sometimes(Plain()),
            "_loss_function_": Sometimes(Part()),
        },
        checks.check_linear,
        **dict.fromkeys(("C", "epsilon"), Sometimes(Number())),
    ),
    "sklearn.naive_bayes.GaussianNB": estimator(
        {
            "theta_": Array("f", ("k", "d")),
            "var_": Array("f", ("k", "d"), low=1e-100),
            "class_prior_": Array("f", ("k",), low=0, high=1),
            "class_count_": Array("f", ("k",), low=0),
            "epsilon_": Number(0),
            "classes_": labels("k"),
            "n_features_in_": Count("d", 1),
        },
        checks.check_bayes,
    ),
    "sklearn.dummy.DummyClassifier": estimator(
        {
            "classes_": labels("k"),
            "_strategy": Text(("most_frequent", "prior", "stratified", "uniform")),
            "sparse_output_": Flag(),
            "n_outputs_": Number(1, 1, whole=True),
            "n_classes_": Count("k", 1),
            "class_prior_": Array("f", ("k",), low=0, high=1),
        }
    ),
    "sklearn.svm._classes.SVC": estimator(
        _SUPPORT,
        checks.check_support,
        kernel=Text(("linear", "poly", "rbf", "sigmoid")),
        nu=Number(),
        epsilon=Number(),
        degree=Number(0, 2**31 - 1, whole=True),
        max_iter=Number(-1, 2**31 - 1, whole=True),
    ),
    "numpy.random.Generator": thing(
        {"state": Plain(), "seeds": Plain()}, check=checks.check_generator
    ),
    "numpy.random.RandomState": thing(
        {
            "bit_generator": Text(),
            "state": Plain(),
            "has_gauss": Number(0, 1, whole=True),
            "gauss": Number(),
        },
        check=checks.check_random_state,
    ),
    "functools.partial": thing(
        {"func": Anything(), "args": Plain(), "kwds": Anything(), "namespace": Plain()},
        check=columns.check_partial,
    ),
    _SIGMOID: thing({"a_": Number(), "b_": Number(), "_sklearn_version": Sometimes(Text())}),
    _ISOTONIC: estimator(
        {
            "increasing_": Flag(),
            "X_min_": Number(),
            "X_max_": Number(),
            "X_thresholds_": Array("f", ("t",)),
            "y_thresholds_": Array("f", ("t",)),
        },
        checks.check_thresholds,
    ),
    "sklearn.calibration._CalibratedClassifier": thing(
        {
            "estimator": Part(),
            "calibrators": Listed(Part((_SIGMOID, _ISOTONIC))),
            "classes": labels("k"),
            "method": Text(("sigmoid", "isotonic")),
        },
        check=checks.check_calibrated,
    ),
    "sklearn.calibration.CalibratedClassifierCV": estimator(
        {"calibrated_classifiers_": Listed(Part(("sklearn.calibration._CalibratedClassifier",)))},
        checks.check_calibrated_all,
    ),
    "sklearn.frozen._frozen.FrozenEstimator": estimator({}, estimator=Part()),
    "sklearn.preprocessing._label.LabelEncoder": estimator({}),
    "sklearn.preprocessing._data.StandardScaler": estimator(
        _SCALED
        | {"mean_": Maybe(_CENTER), "scale_": Maybe(_SCALE), "var_": Maybe(Array("f", ("d",)))},
        checks.check_scaler,
    ),
    "sklearn.preprocessing._data.MinMaxScaler": estimator(
        _SCALED
        | dict.fromkeys(("min_", "scale_", "data_min_", "data_max_", "data_range_"), _CENTER)
    ),
    "sklearn.preprocessing._data.MaxAbsScaler": estimator(
        _SCALED | {"scale_": _SCALE, "max_abs_": _CENTER}
    ),
    "sklearn.preprocessing._data.RobustScaler": estimator(
        _SCALED | {"center_": Maybe(_CENTER), "scale_": Maybe(_SCALE)}, checks.check_scaler
    ),
    "sklearn.impute._base.SimpleImputer": estimator(
        {
            "statistics_": Array("label", ("d",), nan=True),
            "indicator_": Maybe(Text(("",))),
            "_fit_dtype": Plain(),
            "_fill_dtype": Plain(),
            "n_features_in_": Count("d", 1),
        },
        checks.check_imputer,
        fill_value=Maybe(Either((Number(nan=True), Text()))),
    ),
    "sklearn.compose._column_transformer.ColumnTransformer": estimator(
        {
            "_columns": Listed(Plain()),
            "_transformer_to_input_indices": Mapping(Plain()),
            "_remainder": Anything(),
            "sparse_output_": Flag(),
            "transformers_": Listed(_TRANSFORMER),
            "output_indices_": Mapping(Plain()),
            "_n_features": Sometimes(Count("d")),
            "_name_to_fitted_passthrough": Sometimes(Mapping(Part())),
        },
        columns.check_columns,
    ),
    "sklearn.preprocessing._function_transformer.FunctionTransformer": estimator(
        {},
        func=Maybe(Part(("functools.partial",))),
        inverse_func=Maybe(Part(("functools.partial",))),
        **dict.fromkeys(("kw_args", "inv_kw_args"), Maybe(Fields({}))),
    ),
    "sklearn.preprocessing._encoders.OrdinalEncoder": estimator(
        _CATEGORIES | {"_missing_indices": Plain()}, columns.check_categories, dtype=Dtype()
    ),
    "sklearn.preprocessing._encoders.OneHotEncoder": estimator(
        _ONE_HOT, columns.check_categories, dtype=Dtype()
    ),
}
_DECLARED["sklearn.mixture._gaussian_mixture.GaussianMixture"] = estimator(
    {
        "weights_": Array("f8", ("m",), low=0),
        "means_": Array("f8", ("m", "d")),
        "n_features_in_": Count("d", 1),
        **dict.fromkeys(("covariances_", "precisions_", "precisions_cholesky_"), Plain()),
        "converged_": Flag(),
        "n_iter_": COUNT,
        "lower_bound_": Number(infinite=True),
        "lower_bounds_": Sometimes(Plain()),
    },
    checks.check_mixture,
)
_DECLARED["sklearn.kernel_approximation.RBFSampler"] = estimator(
    {
        "random_weights_": Array("f", ("d", "m")),
        "random_offset_": Array("f", ("m",)),
        "_gamma": Number(0),
        "_n_features_out": Count("m"),
        "n_features_in_": Count("d", 1),
    }
)
_DECLARED["sklearn.kernel_approximation.Nystroem"] = estimator(
    {
        "components_": Array("f", ("m", "d"), sparse=True),
        "component_indices_": Array("i", ("m",), low=0),
        "normalization_": Array("f", ("m", "m")),
        "_n_features_out": Count("m"),
        "n_features_in_": Count("d", 1),
    },
    kernel=Text(),
)
for _name in ("Hinge", "SquaredHinge", "ModifiedHuber"):
    _args = () if _name == "ModifiedHuber" else (Number(),)
    _DECLARED[f"sklearn.linear_model._sgd_fast.{_name}"] = thing(args=_args)
