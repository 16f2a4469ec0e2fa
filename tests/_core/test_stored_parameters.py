"""Parameters and members in model files: only values that the class could work with."""

import json
import zipfile

import numpy as np
import pytest
import skops.io
from lightgbm import LGBMClassifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    LabelEncoder,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from fuzz.rarer_models import declared
from stakes._core.model_file import FORMAT, load_model, save_model
from stakes._core.stored.facts import check_trained
from stakes._core.stored.foreign import foreign_state
from stakes._core.stored.spec import Listed, Number, Parameter
from stakes._core.stored.state import check_plain, own_state
from stakes.compare._early_stopping import EarlyStoppingClassifier
from stakes.compare._error_columns import ErrorColumnsClassifier
from stakes.costs import COST_NAMES
from stakes.decision import (
    BayesDecisionClassifier,
    BlendClassifier,
    BudgetDecisionClassifier,
    ThresholdDecisionClassifier,
)
from stakes.errors import InputError
from stakes.neighbors import ConfidenceNeighborsClassifier
from stakes.online import OneVsRestStreamClassifier
from stakes.online_forest import StreamBlendClassifier
from stakes.online_kernel import KernelPerceptronClassifier
from stakes.qmean import KernelQuadraticMeanClassifier, QuadraticMeanClassifier
from stakes.sampling import CostingClassifier
from stakes.svm import (
    CostSensitiveBoost,
    CostSensitiveSVC,
    LinearCostSensitiveSVC,
    PairwiseSVC,
)
from stakes.tree import AssociationRuleClassifier, ConfidenceForestClassifier
from stakes.uncertain import UncertainLogisticClassifier, UncertainPipeline, UncertainScaler

X = np.column_stack([np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 5])
TWO = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)
LR = LogisticRegression().fit(X, TWO)


def refused(model, path, match="is damaged"):
    skops.io.dump({"format": FORMAT, "version": "1", "model": model, "facts": {}}, path / "m")
    with pytest.raises(InputError, match=match):
        load_model(path / "m")


def sound(model, path):
    save_model(model, path / "m")
    return load_model(path / "m").model


@pytest.mark.parametrize("name", sorted(one for one in declared() if not one.startswith("skrub.")))
def test_every_parameter_in_a_file_is_checked(name):
    state = foreign_state(name) or own_state(name)
    rules = state.constraints or {}
    free = [
        parameter
        for parameter, spec in state.fields.items()
        if isinstance(spec, Parameter) and rules.get(parameter, "no_validation") == "no_validation"
    ]
    assert free == []


def _encoded(encoder, **more):
    return make_pipeline(make_column_transformer((encoder, [3]), **more), LogisticRegression())


def _deep(model, name):
    """The object that an attribute path leads to, and the last name of the path."""
    *path, last = name.split(".")
    for one in path:
        model = model[int(one)] if one.isdigit() else getattr(model, one)
    return model, last


DAMAGED = {
    # the five of the fuzzer's seed 1
    "text for numbers": (
        _encoded(OneHotEncoder(), remainder="passthrough"),
        "0.transformers_.0.1.categories_",
        [np.array(["0.0", "1.0", "2.0", "3.0", "4.0"])],
    ),
    "dtype": (_encoded(OneHotEncoder()), "0.transformers_.0.1.dtype", "8"),
    "no jobs": (ConfidenceForestClassifier(n_estimators=2), "n_jobs", 0),
    "pipeline without an end": (
        UncertainPipeline([("s", UncertainScaler()), ("l", UncertainLogisticClassifier())]),
        "steps",
        [("s", UncertainScaler().fit(X))],
    ),
    # and their siblings
    "dtype of codes": (_encoded(OrdinalEncoder()), "0.transformers_.0.1.dtype", "O"),
    "no dtype": (_encoded(OrdinalEncoder()), "0.transformers_.0.1.dtype", True),
    "jobs of a forest": (RandomForestClassifier(2), "n_jobs", 0),
    "false jobs": (RandomForestClassifier(2), "n_jobs", False),
    "jobs of a kernel learner": (KernelPerceptronClassifier(), "n_jobs", 0),
    "jobs of neighbors": (ConfidenceNeighborsClassifier(), "n_jobs", 0),
    "jobs of an SVM": (CostSensitiveSVC(), "n_jobs", 0),
    "jobs of copies": (CostingClassifier(n_estimators=2), "n_jobs", 0),
    "end without probabilities": (
        BayesDecisionClassifier(LogisticRegression()),
        "estimator_",
        LinearSVC().fit(X, TWO),
    ),
    "hinge loss": (
        BayesDecisionClassifier(LogisticRegression()),
        "estimator_",
        SGDClassifier().fit(X, TWO),
    ),
    "SVC without probabilities": (
        BudgetDecisionClassifier(LogisticRegression(), max_alerts=0.1),
        "estimator_",
        SVC().fit(X, TWO),
    ),
    "transformer": (
        ThresholdDecisionClassifier(LogisticRegression()),
        "estimator_",
        StandardScaler().fit(X),
    ),
    "pipeline that transforms": (
        BayesDecisionClassifier(LogisticRegression()),
        "estimator_",
        make_pipeline(StandardScaler()).fit(X),
    ),
    "pipeline that passes through": (
        BayesDecisionClassifier(LogisticRegression()),
        "estimator_",
        Pipeline([("s", StandardScaler()), ("p", "passthrough")]).fit(X),
    ),
    "members that are none": (BlendClassifier([("l", LogisticRegression())]), "estimators", [1]),
    "function as a number": (SVC(), "coef0", np.float64),
    "function as a seed": (DummyClassifier(strategy="stratified"), "random_state", np.float64),
    "function as an estimator": (
        BayesDecisionClassifier(LogisticRegression()),
        "estimator",
        np.float32,
    ),
    "estimator as a number": (GradientBoostingClassifier(n_estimators=2), "learning_rate", LR),
    "type as a kernel": (CostSensitiveSVC(), "kernel", np.float64),
    "kernel of rows": (
        make_pipeline(Nystroem(n_components=5), LogisticRegression()),
        "0.kernel",
        rbf_kernel,
    ),
    "mapping as a matrix": (BayesDecisionClassifier(LogisticRegression()), "cost_matrix", {}),
    "overflowing steps": (GradientBoostingClassifier(n_estimators=2), "learning_rate", 1e308),
    "strategy": (DummyClassifier(), "_strategy", "a"),
    "verbosity of the process": (XGBClassifier(n_estimators=2, n_jobs=1), "verbosity", 7),
    "rate": (LGBMClassifier(n_estimators=2, verbose=-1), "learning_rate", 0.0),
    "leaves": (LGBMClassifier(n_estimators=2, verbose=-1), "num_leaves", 10**9),
    "seed": (LGBMClassifier(n_estimators=2, verbose=-1), "random_state", "a"),
    "no booster": (LGBMClassifier(n_estimators=2, verbose=-1), "_Booster", None),
    "scaler without means": (make_pipeline(StandardScaler(), LR), "0.mean_", None),
    "scaler without scales": (make_pipeline(RobustScaler(), LR), "0.scale_", None),
    "imputer of text": (make_pipeline(SimpleImputer(), LR), "0.missing_values", None),
    "imputer with indicator": (make_pipeline(SimpleImputer(), LR), "0.add_indicator", True),
    "imputer without columns": (
        make_pipeline(SimpleImputer(), LR),
        "0.statistics_",
        np.full(4, np.nan),
    ),
    "imputer of fewer columns": (
        make_pipeline(SimpleImputer(), LR),
        "0.statistics_",
        np.array([0, 0, 0, np.nan]),
    ),
    "no copies": (CostingClassifier(n_estimators=2), "estimators_", []),
    "no pairs": (PairwiseSVC(CostSensitiveSVC()), "estimators_", []),
    "free mistakes": (CostSensitiveBoost(n_estimators=2), "cost_levels_", np.zeros((2, 32))),
    "shares": (
        StreamBlendClassifier(estimators=("probit", "forest")),
        "_shares",
        np.zeros(3),
    ),
    "widths": (ErrorColumnsClassifier(UncertainLogisticClassifier()), "error_form", "a"),
    "patience": (
        EarlyStoppingClassifier(LGBMClassifier(n_estimators=2, verbose=-1)),
        "estimator",
        None,
    ),
    "member of one class": (
        OneVsRestStreamClassifier(),
        "estimators_",
        [DummyClassifier().fit(X, np.zeros(60, int))] * 2,
    ),
    "pair without scores": (
        PairwiseSVC(CostSensitiveSVC()),
        "estimators_",
        [GaussianNB().fit(X, TWO)],
    ),
    "copies with other labels": (
        CostingClassifier(n_estimators=2),
        "estimators_",
        [LogisticRegression().fit(X, np.where(TWO, 5, 7))],
    ),
    "soft votes without probabilities": (
        CostingClassifier(SGDClassifier(loss="log_loss"), n_estimators=2, voting="soft"),
        "estimators_",
        [LinearSVC().fit(X, TWO > 0)],
    ),
    "calibrated transformer": (
        CalibratedClassifierCV(GaussianNB(), cv=2),
        "calibrated_classifiers_.0.estimator",
        StandardScaler().fit(X),
    ),
    "calibrated mixture": (
        CalibratedClassifierCV(GaussianNB(), cv=2),
        "calibrated_classifiers_.0.estimator",
        GaussianMixture(2).fit(X),
    ),
    "member that is not fitted": (
        BayesDecisionClassifier(LogisticRegression()),
        "estimator_",
        LogisticRegression(),
    ),
    "classifier in the middle": (
        make_pipeline(StandardScaler(), LogisticRegression()),
        "steps",
        [("a", make_pipeline(StandardScaler(), LR)), ("b", LR)],
    ),
    "labels in the middle": (
        make_pipeline(StandardScaler(), LogisticRegression()),
        "steps",
        [("a", LabelEncoder().fit(TWO)), ("b", LR)],
    ),
    "labels as columns": (
        _encoded(OneHotEncoder()),
        "0.transformers_",
        [("a", LabelEncoder().fit(TWO), [3])],
    ),
    "names of an array": (_encoded(OneHotEncoder()), "0.transformers", [("a", LR, ["x"])]),
    "base of a forest": (RandomForestClassifier(2), "estimator", LogisticRegression()),
    "points that are certain": (
        UncertainPipeline([("s", UncertainScaler()), ("l", UncertainLogisticClassifier())]),
        "steps",
        [("s", StandardScaler().fit(X)), ("l", UncertainLogisticClassifier())],
    ),
    "impossible prior": (
        BayesDecisionClassifier(LogisticRegression(), prior=0.3),
        "training_prior_",
        np.array([0.0, 1.0]),
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_parameter_or_member_is_refused(name, tmp_path):
    model, where, value = DAMAGED[name]
    model = sound(model.fit(np.abs(X), TWO), tmp_path)
    owner, last = _deep(model, where)
    setattr(owner, last, value)
    refused(model, tmp_path)


LOST = {
    "classes_": [DecisionTreeClassifier(), HistGradientBoostingClassifier(max_iter=2)],
    "roots_": [ConfidenceForestClassifier(n_estimators=2)],
    "gamma_": [CostSensitiveSVC(), KernelQuadraticMeanClassifier()],
    "slope_": [ConfidenceNeighborsClassifier(calibration="sigmoid")],
    "estimators_": [CostingClassifier(n_estimators=2), OneVsRestStreamClassifier()],
    "prior_": [BayesDecisionClassifier(LogisticRegression())],
    "estimator_": [BayesDecisionClassifier(LogisticRegression())],
}


@pytest.mark.parametrize(
    ("name", "model"),
    [(name, model) for name, models in LOST.items() for model in models],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
def test_a_model_that_has_lost_an_attribute_is_refused(name, model, tmp_path):
    model = sound(model.fit(X, TWO), tmp_path)
    delattr(model, name)
    refused(model, tmp_path)


def test_an_association_rule_without_regrets_is_refused(tmp_path):
    model = AssociationRuleClassifier().fit(X, TWO)
    model._cell_regret[:] = 0
    refused(model, tmp_path)


def test_a_class_that_declares_no_state_is_refused(tmp_path):
    from stakes.sampling import WrapperSampler

    refused(WrapperSampler(), tmp_path, match="no stakes model has")


@pytest.mark.parametrize("base", ["stakes.svm._kernel_svc.KernelSVC", "stakes.svm._base.PricedSVC"])
def test_a_class_that_others_complete_is_none_of_a_file(base):
    assert own_state(base) is None
    assert own_state("stakes.svm._cost_sensitive.CostSensitiveSVC") is not None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("words", ["fraud"]),
        ("ranges", {"amount": [1.0]}),
        ("promised", [1.0, 2.0, 3.0]),
        ("positive", []),
        ("replicates", {"a": 1}),
        ("costs", 5),
    ],
)
def test_damaged_facts_are_refused(name, value):
    facts = {"kinds": {}, "costs": dict.fromkeys(COST_NAMES), "target": "kind"}
    check_trained("model.skops", facts)
    with pytest.raises(InputError, match="is damaged"):
        check_trained("model.skops", facts | {name: value})


@pytest.mark.parametrize(
    "inner",
    [
        QuadraticMeanClassifier(),
        LinearCostSensitiveSVC(),
        make_pipeline(StandardScaler(), QuadraticMeanClassifier()),
        SGDClassifier(loss="log_loss"),
        OneVsRestStreamClassifier(),
        GaussianNB(),
    ],
    ids=lambda inner: type(inner).__name__,
)
def test_methods_that_depend_on_parameters_are_seen_before_an_object_exists(inner, tmp_path):
    model = BayesDecisionClassifier(inner).fit(X, TWO)
    found = sound(model, tmp_path)
    assert np.array_equal(found.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("prior", [0.3, [0.9, 0.1]])
def test_models_with_a_prior_can_be_saved(prior, tmp_path):
    model = BayesDecisionClassifier(LogisticRegression(), prior=prior).fit(X, TWO)
    found = sound(model, tmp_path)
    assert np.array_equal(found.predict_proba(X), model.predict_proba(X))


def test_parameters_that_an_older_xgboost_lacks_get_their_defaults(tmp_path):
    model = XGBClassifier(n_estimators=2, n_jobs=1).fit(X, TWO)
    expected = model.predict_proba(X)
    del model.verbosity
    found = sound(model, tmp_path)
    assert found.verbosity is None and np.array_equal(found.predict_proba(X), expected)


@pytest.mark.parametrize(
    "model",
    [
        ConfidenceForestClassifier(n_estimators=2, n_jobs=0),
        KernelPerceptronClassifier(n_jobs=0),
        CostSensitiveSVC(n_jobs=0),
        CostingClassifier(n_jobs=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_zero_jobs_are_refused_by_name(model):
    with pytest.raises(ValueError, match="'n_jobs' parameter"):
        model.fit(X, TWO)


def test_text_for_a_model_of_numbers_is_named():
    import polars as pl

    from stakes.tables import prepare

    model = prepare(LogisticRegression(), X).fit(X, TWO)
    with pytest.raises(InputError, match="Column 'b' has the type String"):
        model.predict(pl.DataFrame({"a": [0.0], "b": ["x"], "c": [0.0], "d": [0.0]}))


def test_columns_that_are_no_values_with_error_bars_are_counted():
    model = ErrorColumnsClassifier(UncertainLogisticClassifier()).fit(np.abs(X), TWO)
    with pytest.raises(ValueError, match="3 columns, which cannot be values and their error bars"):
        model.predict(X[:, :3])


def _node(kind, content):
    return {"__module__": "builtins", "__class__": kind.__name__, "content": content} | {
        "__loader__": "JsonNode" if kind is str else "ListNode"
    }


def _laughs(levels=12):
    """A list of ten lists of ten lists ..., each of which is one object: small, and endless."""
    node = _node(list, [_node(str, "0")] * 10) | {"__id__": 1}
    for level in range(levels):
        again = {"__loader__": "ListNode", "__id__": level + 1}
        node = _node(list, [node] + [again] * 9) | {"__id__": level + 2}
    return node


@pytest.mark.parametrize("place", ["C", "class_weight", "coef_", "classes_", "facts", "array"])
def test_lists_that_contain_each_other_many_times_do_not_take_forever(place, tmp_path):
    save_model(LR, tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(members["schema.json"])
    state = schema["content"]["model"]["content"]["content"]
    if place == "facts":
        schema["content"]["facts"] = _laughs()
    elif place == "array":
        shape = _node(list, [_node(str, "10")] * 12)
        state["coef_"] |= _laughs() | {"type": "json", "shape": shape, "__loader__": "NdArrayNode"}
    else:
        state[place] = _laughs()
    with zipfile.ZipFile(tmp_path / "m", "w") as archive:
        for name, content in (members | {"schema.json": json.dumps(schema)}).items():
            archive.writestr(name, content)
    with pytest.raises(InputError):
        load_model(tmp_path / "m")


def test_a_list_that_occurs_often_is_checked_once():
    class Counted(Number):
        asked = 0

        def check(self, value, scope):
            Counted.asked += 1

    check_plain([[1] * 100 for _ in range(100)], Listed(Listed(Counted())))
    assert Counted.asked == 10_000  # lists of their own
    row = [1] * 100
    check_plain([row] * 100, Listed(Listed(Counted())))
    assert Counted.asked == 10_100
