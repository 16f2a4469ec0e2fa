"""A parameter has one name, one meaning and, where families share it, one default."""

import importlib
import inspect
import pkgutil

import pytest

import stakes
from vocabulary import parameters

TABLE = parameters()
WRAPPED = {"estimator", "estimators"}
# words that an earlier version used for what CONTRIBUTING.md gives one word
RETIRED = {
    *("weighting", "objective", "budget", "beta", "tau", "confidence", "positive_prior", "weight"),
    *("seed", "n_iter", "lambda_", "reg"),
}
# a word that has a different default by design: why
DIFFERENT = {
    "half_life": "the linear learners of streams choose it themselves",
    "C": "the scale of the objective differs: a sum over rows, a mean, or the step of one example",
    "gamma": "streams do not know the variance of the features before they start",
    "calibration": "wrappers take probabilities as they are, scores need a calibration",
    "n_components": "landmarks of a solver that is exact without them, or of one that needs them",
    "max_iter": "iterations of different solvers",
    "error_model": "the margin follows its paper, whose truth is random around a known mean",
    "tol": "certificates of different solvers: relative gaps and absolute residuals",
    "solver": "different solvers",
    "loss": "a classifier and a regressor",
    "cv": "None switches cross-validation off in a sampler",
    "max_depth": "boosting uses stumps",
    "max_features": "a forest draws features, a tree takes all",
    "smoothing": "chosen by cost on real data, for a tree, a forest, rules and neighbors",
    "exact_rows": "a forest is fast with bins alone",
    "p_value": "a tree tests one split, rules test every candidate",
    "regularize_intercept": "as in the thesis: classifiers penalize it, the regressor does not",
    "cost_rule": "the anomaly detector ignores costs unless asked",
    "max_support_vectors": "the anomaly detector runs forever, so it is bounded by default",
    "n_features": "hashing needs more columns than names have, a forest chooses among columns",
    "estimators": "the blend for streams has default members",
    "estimator": "samplers have a default learner, wrappers do not",
    "n_estimators": "rejection samples are costly to fit, trees are not",
    "variant": "each algorithm has its own variants",
}


def test_constructors_take_keywords_only():
    positional = {
        f"{learner}({name})"
        for name, uses in TABLE.items()
        for (_, _, kind), learners in uses.items()
        for learner in learners
        if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD and name not in WRAPPED
    }
    assert positional == set()


def test_retired_words_stay_away():
    assert TABLE.keys() & RETIRED == set()


# functions of numerical building blocks, in the words of their formulas
FORMULAS = {
    "qmean.minimize_sums(objective)",
    "qmean.ClassSums.of(weight)",
    "svm.solve_dual(weight)",
}


def test_retired_words_stay_away_from_functions_and_methods():
    found = set()
    for module in pkgutil.iter_modules(stakes.__path__):
        if module.name.startswith("_") or module.name in {"mlflow", "cli"}:
            continue
        folder = importlib.import_module(f"stakes.{module.name}")
        for name in getattr(folder, "__all__", ()):
            thing = getattr(folder, name)
            called = {name: thing}
            if inspect.isclass(thing):
                methods = inspect.getmembers(thing, callable)
                called = {f"{name}.{word}": method for word, method in methods if word[0] != "_"}
            for where, one in called.items():
                if callable(one) and getattr(one, "__module__", "").startswith("stakes"):
                    words = inspect.signature(one).parameters.keys() & RETIRED
                    found |= {f"{module.name}.{where}({word})" for word in words}
    assert found == FORMULAS


@pytest.mark.parametrize("name", sorted(TABLE))
def test_families_share_a_default(name):
    defaults = {default for (_, default, _) in TABLE[name]}
    assert len(defaults) == 1 or name in DIFFERENT, f"{name}: {defaults}"


@pytest.mark.parametrize("name", sorted(DIFFERENT))
def test_exceptions_are_needed(name):
    assert len({default for (_, default, _) in TABLE[name]}) > 1
