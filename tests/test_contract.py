"""The contract of the library, sentence by sentence, on every public estimator.

The estimators are found by looking, as in test_estimators.py. That file holds scikit-learn's
checks (get_params and clone, nothing overwritten in `fit`, NaN refused, `n_features_in_`, names of
pandas columns) and those of checks.py ("scaling all costs changes no prediction", "a zero-cost
example teaches nothing", "a NaN, a negative regret or a wrong length is a clear error");
test_model_file.py the round trip through a file that cannot run code; tests/online/test_stream.py
and tests/online_kernel/test_stream.py "one batch of n equals n calls of one". Here are the others:

- "keyword arguments fp_cost, fn_cost, tp_cost, tn_cost; constructor defaults are numbers":
  test_costs_are_four_keywords
- "a number or an array of one per example": test_numbers_arrays_and_the_constructor_agree
- "a learner sees c_i", "a negative cost is a benefit": test_only_regrets_count
- "costs can change after training": test_costs_of_predict_decide,
  test_decisions_and_probabilities_come_from_one_call
- `score` counts what is at stake, for learners without probabilities too:
  test_score_is_the_share_of_what_is_at_stake, test_score_before_fit_is_told
- "a clear error", at predict too: test_bad_costs_of_predict_end_in_a_sentence,
  test_nothing_at_stake_is_told_or_teaches_nothing
- "through metadata routing", "CV equals the manual loop": test_costs_are_routed
- "the positive class is `classes_[1]`": test_labels_may_be_words
- "numpy, scipy CSR, pandas and polars frames (feature names kept)": test_frames, test_sparse_rows
- "the same seed gives the same bytes, whatever `n_jobs`": test_same_seed_same_bytes
- "parameter names follow scikit-learn", one name and form for one fact:
  test_fitted_attributes_are_documented, test_one_form_for_one_fact, test_certificates
- "how compare finds and tunes it": test_info_and_its_grid; that every setting can be fitted is in
  tests/compare/test_contestants.py
- "no learner may silently end near zero savings": test_worthless_decisions_are_told
- how a docstring reads (style): test_docstring, test_methods_are_documented
- displays are drawn as scikit-learn's are: test_displays_are_drawn_alike
"""

import doctest
import functools
import inspect
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from numpydoc.docscrape import ClassDoc, FunctionDoc
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import get_tags

import stakes._core.base
import stakes.compare
import stakes.metrics
from checks import accepted, check_sentence, problem
from exemptions import CONTRACT, WITHOUT_INFO
from instances import instances
from stakes._core.deciding import decide_with_costs, predict_with_costs, spread_rows
from stakes.compare import all_estimators
from stakes.costs import COST_NAMES, Costs
from stakes.errors import BelowTrivialWarning
from stakes.metrics import cost_loss, make_cost_scorer

LEARNERS = [learner for _, learner in all_estimators()]
DISPLAYS = [
    getattr(folder, name)
    for folder in (stakes.compare, stakes.metrics)
    for name in folder.__all__
    if name.endswith("Display")
]
ESTIMATORS = instances()
CLASSIFIERS = [estimator for estimator in ESTIMATORS if is_classifier(estimator)]
PRICED = [e for e in CLASSIFIERS if "fp_cost" in inspect.signature(e.fit).parameters]
X, Y, FP, FN = problem(n=70)
SPEEDS = {"fast", "medium", "slow"}
CERTIFICATES = {"duality_gap_", "kkt_residual_", "gradient_norm_", "exploitability_"}
# what scikit-learn calls otherwise: max_iter, tol, random_state, n_jobs, alpha, n_estimators, cv
OTHER_SPELLINGS = {"n_iter", "max_iterations", "maxiter", "tolerance", "seed", "rng"}
OTHER_SPELLINGS |= {"n_threads", "lam", "lambda_", "n_trees", "n_splits", "n_folds", "kernel_width"}

each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
each_classifier = pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
each_priced = pytest.mark.parametrize("estimator", PRICED, ids=repr)
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda c: c.__name__)


def unless_exempt(test, estimator):
    reason = CONTRACT.get(test, {}).get(type(estimator).__name__)
    if reason:
        pytest.skip(reason)


def seeded(estimator, **parameters):
    own = estimator.get_params(deep=False)
    fixed = {"random_state": 0} if "random_state" in own else {}
    return clone(estimator).set_params(**fixed, **parameters)


def fit(estimator, X=X, y=Y, **costs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BelowTrivialWarning)  # the problems here are tiny
        return seeded(estimator).fit(X, y, **accepted(estimator.fit, **costs))


@functools.cache
def fitted(estimator):
    return fit(estimator, fp_cost=FP, fn_cost=FN)


def scores(model, X=X):
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def assert_same_scores(one, other, table=X):
    # the weights at a kink err as the root of the gap that is left
    at_kink = getattr(one, "loss", None) == "hinge" and hasattr(one, "exploitability_")
    atol = 5e-3 if at_kink else 1e-6
    np.testing.assert_allclose(scores(one, table), scores(other), rtol=1e-6, atol=atol)


@each_learner
def test_costs_are_four_keywords(learner):
    methods = ("fit", "partial_fit", "learn_one", "predict", "predict_one", "score")
    for method in (getattr(learner, name) for name in methods if hasattr(learner, name)):
        taken = [p for p in inspect.signature(method).parameters.values() if p.name in COST_NAMES]
        assert [p.name for p in taken] in ([], list(COST_NAMES))
        assert all(p.default is None and p.kind is p.KEYWORD_ONLY for p in taken)
    if accepted(learner.fit, fp_cost=1.0):
        parameters = inspect.signature(learner).parameters
        assert [parameters[name].default for name in COST_NAMES] == [1.0, 1.0, 0.0, 0.0]


@each_priced
def test_numbers_arrays_and_the_constructor_agree(estimator):
    n = len(Y)
    as_numbers = fit(estimator, fp_cost=2.0, fn_cost=3.0)
    as_arrays = fit(estimator, fp_cost=np.full(n, 2.0), fn_cost=[3.0] * n)
    of_constructor = fit(seeded(estimator, fp_cost=2.0, fn_cost=3.0))
    np.testing.assert_array_equal(scores(as_numbers), scores(as_arrays))
    np.testing.assert_array_equal(scores(as_numbers), scores(of_constructor))


@each_priced
def test_only_regrets_count(estimator):
    """All that a decision costs anyway, or earns anyway, changes nothing."""
    plain = fit(estimator, fp_cost=FP, fn_cost=FN)
    anyway = np.linspace(-8.0, 8.0, len(Y))
    moved = dict(fp_cost=FP + anyway, tn_cost=anyway, fn_cost=FN - anyway, tp_cost=-anyway)
    assert_same_scores(fit(estimator, **moved), plain)
    if hasattr(plain, "predict_proba") and accepted(plain.predict, **moved):
        decided = plain.predict(X, **moved)
        np.testing.assert_array_equal(decided, plain.predict(X, fp_cost=FP, fn_cost=FN))


@each_classifier
def test_costs_of_predict_decide(estimator):
    unless_exempt("test_costs_of_predict_decide", estimator)
    model, prices = fitted(estimator), dict(fp_cost=FP[::-1], fn_cost=3.0 * FN)
    if not hasattr(model, "predict_proba"):
        with pytest.raises(ValueError, match="wrap it in BayesDecisionClassifier") as error:
            model.predict(X, **prices)
        check_sentence(error.value)
        return
    cheapest = Costs.of(len(X), **prices).decide(model.predict_proba(X)[:, 1])
    np.testing.assert_array_equal(model.predict(X, **prices), model.classes_[cheapest.astype(int)])


@each_priced
def test_decisions_and_probabilities_come_from_one_call(estimator, monkeypatch):
    """Identical to `predict` and `predict_proba`, also inside a pipeline and without costs."""
    model, calls = fitted(estimator), []
    pipeline = make_pipeline(FunctionTransformer(), model)
    own = getattr(model, "predict_proba", None)
    for prices in (dict(fp_cost=FP[::-1], fn_cost=3.0 * FN, tp_cost=0.0, tn_cost=0.0), {}):
        expected = predict_with_costs(pipeline, X, **prices)
        with monkeypatch.context() as patch:
            if own is not None:
                count = lambda X: calls.append(len(X)) or own(X)  # noqa: E731
                patch.setattr(model, "predict_proba", count, raising=False)
            decided, probability = decide_with_costs(pipeline, X, **prices)
        np.testing.assert_array_equal(decided, expected)
        assert (probability is None) == (own is None)
        if own is not None:
            np.testing.assert_array_equal(probability, own(X)[:, 1])
            assert len(calls) == 1 or not prices
        calls.clear()


@each_priced
def test_score_is_the_share_of_what_is_at_stake(estimator):
    model, prices = fitted(estimator), dict(fp_cost=FP, fn_cost=FN)
    right = predict_with_costs(model, X, **prices) == Y
    share = np.average(right, weights=np.where(Y == 1, FN, FP))
    assert model.score(X, Y, **prices) == pytest.approx(share)


@each_priced
def test_score_before_fit_is_told(estimator):
    with pytest.raises(NotFittedError):
        seeded(estimator).score(X, Y)


@each_classifier
def test_bad_costs_of_predict_end_in_a_sentence(estimator):
    unless_exempt("test_costs_of_predict_decide", estimator)
    model = fitted(estimator)
    if not hasattr(model, "predict_proba"):
        return  # refuses all costs, see above
    for bad, word in [(np.full(len(X), np.nan), "missing"), (-FN, "smaller"), (FN[:5], "each")]:
        with pytest.raises(ValueError, match=word) as error:
            model.predict(X, fp_cost=FP, fn_cost=bad)
        check_sentence(error.value)


@each_priced
def test_nothing_at_stake_is_told_or_teaches_nothing(estimator):
    model = seeded(estimator)
    try:
        model.fit(X, Y, fp_cost=0.0, fn_cost=0.0)
    except ValueError as error:
        check_sentence(error)
        assert "cost" in str(error)
        return
    if hasattr(model, "learn_one"):
        assert not scores(model).any()
    else:  # a probability is learnt from all examples, and no price turns into an action
        assert not predict_with_costs(model, X, fp_cost=0.0, fn_cost=0.0).any()


@each_priced
def test_costs_are_routed(estimator):
    """A pipeline in a cross-validation gets what the loop by hand gets."""
    split, by_hand = StratifiedKFold(2), []
    learner = seeded(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BelowTrivialWarning)
        with config_context(enable_metadata_routing=True):
            routed = cross_val_score(
                make_pipeline(StandardScaler(), learner),
                X,
                Y,
                cv=split,
                scoring=make_cost_scorer(),
                params={"fp_cost": FP, "fn_cost": FN},
                error_score="raise",
            )
        for train, test in split.split(X, Y):
            scaler = StandardScaler().fit(X[train])
            model = clone(learner)
            model.fit(scaler.transform(X[train]), Y[train], fp_cost=FP[train], fn_cost=FN[train])
            prices = dict(fp_cost=FP[test], fn_cost=FN[test])
            decided = predict_with_costs(model, scaler.transform(X[test]), **prices)
            by_hand.append(-cost_loss(Y[test], decided, **prices))
    np.testing.assert_array_equal(routed, by_hand)


@each_classifier
def test_labels_may_be_words(estimator):
    words = np.array(["anna", "bert"])
    numbered = fitted(estimator)
    if "pos_label" in estimator.get_params():  # of words, who is the adversary must be said
        estimator = clone(estimator).set_params(pos_label="bert")
    named = fit(estimator, X, words[Y], fp_cost=FP, fn_cost=FN)
    assert named.classes_.tolist() == words.tolist()
    np.testing.assert_array_equal(named.predict(X), words[numbered.predict(X)])


@each_estimator
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames(estimator, frame):
    table = frame(dict(zip("abcd", X.T, strict=True)))
    model = fit(estimator, table, fp_cost=FP, fn_cost=FN)
    assert model.n_features_in_ == 4
    assert list(model.feature_names_in_) == list("abcd")
    if hasattr(model, "predict"):
        assert_same_scores(model, fitted(estimator), table)


@each_classifier
def test_sparse_rows(estimator):
    if not get_tags(estimator).input_tags.sparse:
        with pytest.raises(TypeError, match=r"[Ss]parse") as error:
            fit(estimator, sparse.csr_array(X))
        assert "dense" in str(error.value)
        return
    model = fit(estimator, sparse.csr_array(X), fp_cost=FP, fn_cost=FN)
    assert_same_scores(model, fitted(estimator), sparse.csr_array(X))


@each_estimator
def test_same_seed_same_bytes(estimator):
    own = estimator.get_params(deep=False)
    again = seeded(estimator, **({"n_jobs": 2} if "n_jobs" in own else {}))
    with parallel_config(backend="threading"):  # processes take seconds to start
        again, first = fit(again, fp_cost=FP, fn_cost=FN), fitted(estimator)
    if hasattr(first, "predict"):
        np.testing.assert_array_equal(scores(again), scores(first))
    for name, value in vars(first).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, vars(again)[name])


@each_estimator
def test_fitted_attributes_are_documented(estimator):
    model, learner = fitted(estimator), type(estimator)
    public = {name for name in vars(model) if not name.startswith("_")}
    public -= set(model.get_params(deep=False))
    assert {name for name in public if not name.endswith("_")} == CONTRACT[
        "attributes without an underscore"
    ].get(learner.__name__, set())
    shown = {n for n, thing in inspect.getmembers(learner) if isinstance(thing, property)}
    shown = {name for name in shown | public if name.endswith("_") and not name.startswith("_")}
    documented = names_of(ClassDoc(learner)["Attributes"])
    assert shown <= set(documented), "the class docstring lists every fitted attribute"
    missing = [name for name in documented if not hasattr(model, name)]
    assert set(missing) <= CONTRACT["attributes of some settings"]


@each_estimator
def test_one_form_for_one_fact(estimator):
    """Arrays have scikit-learn's shapes; parameters have its names."""
    assert OTHER_SPELLINGS.isdisjoint(estimator.get_params(deep=False))
    model = fitted(estimator)
    if not is_classifier(model):
        return
    assert model.classes_.shape == (2,)
    for name, columns in [("coef_", X.shape[1]), ("dual_coef_", None)]:
        if hasattr(model, name):
            shape = getattr(model, name).shape
            assert shape == (1, columns or shape[-1])
            assert model.intercept_.shape == (1,)
    if hasattr(model, "n_support_"):
        np.testing.assert_array_equal(model.n_support_, np.bincount(Y[model.support_], minlength=2))


@each_estimator
def test_certificates(estimator):
    """What iterates up to a tolerance says how far it came, in the unit of the tolerance."""
    if not {"tol", "max_iter"} <= set(estimator.get_params(deep=False)):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = fit(estimator, fp_cost=FP, fn_cost=FN)
    assert model.n_iter_ >= 1
    held = [name for name in CERTIFICATES if hasattr(model, name)]
    assert held
    bounded = "kkt_residual_" if "kkt_residual_" in held else "duality_gap_"
    if bounded in held:
        assert -1e-9 <= getattr(model, bounded) <= model.tol


@each_learner
def test_info_and_its_grid(learner):
    name, info = learner.__name__, getattr(learner, "_info", None)
    if info is None:
        assert name in WITHOUT_INFO, "give the class an _info = LearnerInfo(...)"
        return
    assert name not in WITHOUT_INFO
    assert info.family == learner.__module__.split(".")[1]
    assert info.speed in SPEEDS
    assert info.gives_probability == hasattr(learner(), "predict_proba")
    assert set(info.grid) <= set(learner().get_params())
    for values in info.grid.values():
        assert len(values) == len({repr(value) for value in values}) > 1


@each_classifier
def test_worthless_decisions_are_told(estimator, monkeypatch):
    unless_exempt("test_worthless_decisions_are_told", estimator)
    if hasattr(estimator, "learn_one"):
        pytest.skip("a stream learner with prices looks at what it paid before it learned")
    wrong = 1 - Y[spread_rows(Y == 1)[0]]
    monkeypatch.setattr(stakes._core.base, "predict_with_costs", lambda *_, **costs: wrong)
    with pytest.warns(BelowTrivialWarning, match="training rows cost more than always") as told:
        seeded(estimator).fit(X, Y, **accepted(estimator.fit, fp_cost=FP, fn_cost=FN))
    check_sentence(told[0].message)
    assert told[0].filename == __file__


@each_learner
def test_methods_are_documented(learner):
    """Every public method says what it does, and names all of its parameters or none."""
    for name, method in inspect.getmembers(learner, callable):
        if name.startswith("_") or not method.__module__.startswith("stakes"):
            continue
        taken = [word for word in inspect.signature(method).parameters if word != "self"]
        text = FunctionDoc(method)
        assert text["Summary"], name
        listed = [word.lstrip("*") for word in names_of(text["Parameters"])]
        assert listed in ([], taken), name


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda c: c.__name__)
def test_displays_are_drawn_alike(display):
    """As scikit-learn's: `plot(ax=None, *, ...)`, and what it draws on is kept."""
    first, *others = list(inspect.signature(display.plot).parameters.values())[1:]
    assert (first.name, first.default) == ("ax", None)
    assert all(p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in others)
    assert {"ax_", "figure_"} <= set(names_of(ClassDoc(display)["Attributes"]))


@each_learner
def test_docstring(learner):
    text, signature = ClassDoc(learner), inspect.signature(learner).parameters
    keyword_only = all(one.kind is one.KEYWORD_ONLY for one in signature.values())
    order = sorted if keyword_only else list  # keywords are documented by subject
    assert order(names_of(text["Parameters"])) == order(signature)
    assert text["Summary"] and text["Attributes"]
    for entry in filter(lambda entry: entry.type, text["Parameters"]):  # the rest "as in" another
        of_signature = [signature[name].default for name in names_of([entry])]
        assert defaults_of(entry.type, len(of_signature)) == of_signature, entry.name
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(learner))
    assert examples and re.search(r"\d", examples[-1].want), "the example ends in no number"


def defaults_of(type_text, n):
    """The defaults that a docstring states for n parameters, one for all of them or one each."""
    _, stated, values = type_text.partition("default=")
    if not stated:
        return [inspect.Parameter.empty] * n
    values = eval(f"({values},)", {"inf": np.inf})
    return list(values if len(values) == n else values * n)


def names_of(entries):
    return [name.strip() for entry in entries for name in entry.name.split(",")]
