"""A few seconds of everything, with pytest alone: the lane of the oldest dependencies runs this."""

import importlib
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

import stakes
from stakes.compare import contestants
from stakes.decision import BayesDecisionClassifier, BlendClassifier
from stakes.metrics import make_cost_scorer, savings_score
from stakes.model_file import load_model, save_model
from stakes.tables import load_table, prepare

pytestmark = pytest.mark.filterwarnings("default")  # older packages warn of their own


def problem(n=150):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)
    return X, y, rng.uniform(1, 20, n)


def test_versions_agree():
    assert version("stakes") == stakes.__version__


@pytest.mark.jit
@pytest.mark.parametrize(
    "name",
    [c.name for c in contestants() if c.family != "constant" and c.name != "recommended blend"],
)
def test_what_compare_runs_fits_decides_and_is_saved(name, tmp_path):
    X, y, fn_cost = problem()
    (learner,) = [c.estimator for c in contestants() if c.name == name]
    model = learner.fit(X, y)
    given = dict(fp_cost=2.0, fn_cost=fn_cost) if isinstance(model, BayesDecisionClassifier) else {}
    decided = model.predict(X, **given)
    assert np.mean(model.predict(X) == y) > 0.6
    if given:
        assert savings_score(y, decided, **given) > 0.2
    save_model(model, tmp_path / "m.skops")
    again = load_model(tmp_path / "m.skops").model.predict(X, **given)
    np.testing.assert_array_equal(decided, again)


FAMILIES = {
    "game": "StackelbergClassifier",
    "neighbors": "ConfidenceNeighborsClassifier",
    "online": "AROWClassifier",
    "online_forest": "StreamForestClassifier",
    "online_kernel": "CSDUOLClassifier",
    "qmean": "KernelQuadraticMeanClassifier",
    "sampling": "CostingClassifier",
    "svm": "CostSensitiveSVC",
    "tree": "ConfidenceForestClassifier",
    "uncertain": "UncertainMarginClassifier",
}


@pytest.mark.jit
@pytest.mark.parametrize("family", FAMILIES)
def test_one_of_each_family(family, tmp_path):
    X, y, fn_cost = problem()
    model = getattr(importlib.import_module(f"stakes.{family}"), FAMILIES[family])()
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    model.fit(X, y, fn_cost=fn_cost)
    decided = model.predict(X)
    assert decided[y == 1].mean() > decided[y == 0].mean() + 0.1
    save_model(model, tmp_path / "m.skops")
    again = load_model(tmp_path / "m.skops").model.predict(X)
    np.testing.assert_array_equal(decided, again)


def test_tables_costs_and_scorers():
    X, y, fn_cost = problem()
    table = pl.DataFrame({"a": X[:, 0], "kind": np.where(X[:, 1] > 0, "p", "q"), "loss": fn_cost})
    data = load_table(table.with_columns(bad=y), "bad", fp_cost=2, fn_cost="1.5*loss")
    model = prepare(BayesDecisionClassifier(LogisticRegression()), data)
    scores = cross_val_score(model, data.X, data.y, scoring=make_cost_scorer(), cv=3)
    assert np.isfinite(scores).all()
    blend = BlendClassifier([("line", LogisticRegression())], cv=3, random_state=0).fit(X, y)
    assert blend.score(X, y) > 0.7


def test_the_command_line(tmp_path):
    rows = np.column_stack([problem()[0], problem()[1]])
    pl.DataFrame(rows, schema=["a", "b", "c", "bad"]).write_csv(tmp_path / "t.csv")

    def run(*words):
        command = [sys.executable, "-m", "stakes", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    assert stakes.__version__ in run("--version")
    learner = "logistic regression, Bayes decision"
    run("train", "t.csv", "--target", "bad", "--fn-cost", "5", "--learner", learner, "-q")
    run("predict", "model.skops", "t.csv", "--out", "d.csv")
    assert pl.read_csv(tmp_path / "d.csv").height == 150
