"""Model files with skrub's TableVectorizer: the same decisions elsewhere, damaged ones refused."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from stakes.decision import BayesDecisionClassifier
from stakes.errors import InputError
from stakes.model_file import load_model, save_model

skrub = pytest.importorskip("skrub", reason="skrub is not installed")


def table(n=300):
    """Numbers, few and many texts, times and flags, with gaps."""
    rng = np.random.default_rng(0)
    hours = np.timedelta64(1, "h") * rng.integers(0, 9999, n)
    columns = {
        "amount": rng.normal(size=n).round(3),
        "kind": [None if i % 9 == 0 else "abc"[i % 3] for i in range(n)],
        "when": np.datetime64("2024-01-01", "us") + hours,
        "memo": [f"payment {i * 7919 % n} to shop {i * 31 % 97}" for i in range(n)],
        "known": rng.random(n) < 0.5,
    }
    gaps = pl.when(pl.int_range(n) % 7 > 0).then("amount")
    return pl.DataFrame(columns).with_columns(amount=gaps), rng.integers(0, 2, n)


def as_pandas(X):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame({name: X[name].to_list() for name in X.columns}).astype(
        {"kind": "category"}
    )


def fitted(X, y):
    rows = make_pipeline(skrub.TableVectorizer(), HistGradientBoostingClassifier(max_iter=3))
    return BayesDecisionClassifier(rows, calibration=None).fit(X, y, fn_cost=5.0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", [lambda X: X, as_pandas], ids=["polars", "pandas"])
def test_the_same_decisions_in_a_new_process(form, tmp_path):
    X, y = table()
    X = form(X)
    model = fitted(X, y)
    save_model(model, tmp_path / "model.skops")
    np.save(tmp_path / "expected.npy", model.predict_proba(X))
    X.to_parquet(tmp_path / "X") if hasattr(X, "to_parquet") else X.write_parquet(tmp_path / "X")
    reader = "polars" if isinstance(X, pl.DataFrame) else "pandas"
    program = (
        f"import numpy as np, {reader} as frames, warnings; warnings.simplefilter('ignore')\n"
        "from stakes.model_file import load_model\n"
        "model = load_model('model.skops').model\n"
        "found = model.predict_proba(frames.read_parquet('X'))\n"
        "np.testing.assert_array_equal(found, np.load('expected.npy'))\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)


def each(model, column):
    """The last transformer of a column that is not a plain number."""
    return model.estimator_[0].transformers_[column]


DAMAGES = {
    "reads files": lambda m: setattr(each(m, "memo").vectorizer_, "input", "filename"),
    "slow pattern": lambda m: setattr(each(m, "memo").vectorizer_, "token_pattern", "(a+)+$"),
    "own tokenizer": lambda m: setattr(each(m, "memo").vectorizer_, "tokenizer", print),
    "word outside": lambda m: each(m, "memo").vectorizer_.vocabulary_.update(zzz=10**6),
    "weights": lambda m: setattr(each(m, "memo").vectorizer_._tfidf, "idf_", np.ones(3)),
    "fewer words": lambda m: setattr(
        each(m, "memo").tsvd_, "components_", each(m, "memo").tsvd_.components_[:, :-1]
    ),
    "infinite": lambda m: setattr(each(m, "memo"), "scaling_factor_", np.float32(0)),
    "unit of time": lambda m: each(m, "when").extracted_features_.append("aeon"),
    "periodic": lambda m: each(m, "when")._periodic_encoders.update(day=LogisticRegression()),
    "jobs": lambda m: setattr(m.estimator_[0]._pipeline[1], "n_jobs", -(10**6)),
    "no transformer": lambda m: (
        m.estimator_[0]._pipeline[1].transformers_.update(kind=LogisticRegression())
    ),
    "renamed": lambda m: m.estimator_[0]._pipeline[-1].all_outputs_.reverse(),
    "columns": lambda m: m.estimator_[0]._pipeline[2].all_inputs_.append("more"),
    "outputs": lambda m: m.estimator_[0].all_outputs_.pop(),
    "function": lambda m: setattr(
        m.estimator_[0]._pipeline[-3].cols.right.left, "predicate", print
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_one_is_refused(damage, tmp_path):
    model = fitted(*table(150))
    save_model(model, tmp_path / "model.skops")
    damage(model)
    with pytest.raises(InputError, match="cannot be saved"):
        save_model(model, tmp_path / "model.skops")
    load_model(tmp_path / "model.skops")
