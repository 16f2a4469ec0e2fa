"""The README's table on other libraries: each "no" in it is looked up here."""

import inspect
from pathlib import Path

import pytest
from sklearn.base import ClassifierMixin
from sklearn.utils import all_estimators as of_sklearn

README = Path(__file__).parents[1] / "README.md"
WORDS = ("cost", "price", "budget", "adversar", "uncertain", "noise_cov", "error_bar")


def parameters(method):
    try:
        return [name.lower() for name in inspect.signature(method).parameters]
    except (TypeError, ValueError):
        return []


def mentions(methods, words):
    return {name for m in methods for name in parameters(m) if any(word in name for word in words)}


def classifiers_of_sklearn():
    return [cls for _, cls in of_sklearn(type_filter="classifier")]


def classifiers_of_river():
    river = pytest.importorskip("river", reason="River is not installed")
    from river import ensemble, linear_model, naive_bayes, neighbors, tree

    modules = (linear_model, tree, ensemble, naive_bayes, neighbors)
    found = [thing for module in modules for thing in vars(module).values()]
    return [t for t in found if inspect.isclass(t) and issubclass(t, river.base.Classifier)]


def classifiers_of_imblearn():
    pytest.importorskip("imblearn", reason="imbalanced-learn is not installed")
    from imblearn.utils.testing import all_estimators

    return [cls for _, cls in all_estimators() if issubclass(cls, ClassifierMixin)]


@pytest.mark.parametrize(
    "found", [classifiers_of_sklearn, classifiers_of_imblearn, classifiers_of_river]
)
def test_no_prices_when_a_decision_is_made(found):
    classes = found()
    assert len(classes) > 2
    methods = [
        getattr(cls, name)
        for cls in classes
        for name in ("predict", "predict_one", "fit", "learn_one")
        if hasattr(cls, name)
    ]
    assert not mentions(methods, WORDS)


@pytest.mark.parametrize("found", [classifiers_of_sklearn, classifiers_of_imblearn])
def test_no_costs_error_bars_or_adversaries_among_the_settings(found):
    assert not mentions([cls.__init__ for cls in found()], WORDS) - {"ccp_alpha"}


def test_scikit_learn_tunes_one_threshold_for_all_rows():
    from sklearn.model_selection import TunedThresholdClassifierCV

    assert "best_threshold_ : float" in inspect.getdoc(TunedThresholdClassifierCV)


def test_imbalanced_learn_resamples_by_class():
    pytest.importorskip("imblearn", reason="imbalanced-learn is not installed")
    from imblearn.utils.testing import all_estimators

    samplers = [cls for _, cls in all_estimators(type_filter="sampler")]
    assert len(samplers) > 10
    assert not mentions([s.fit_resample for s in samplers], ("cost", "weight"))


def test_every_cell_of_ours_names_its_evidence():
    lines = README.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| feature |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    assert len(rows) >= 8
    assert all("](" in row[1] for row in rows)
    assert all(len(row) == 5 for row in rows)
