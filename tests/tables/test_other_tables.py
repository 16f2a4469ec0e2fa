"""Tables of other libraries: one door for all estimators, names kept."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from stakes.decision import BayesDecisionClassifier, BlendClassifier, ThresholdDecisionClassifier
from stakes.online import CWClassifier
from stakes.online_kernel import KernelPAClassifier
from stakes.qmean import QuadraticMeanClassifier
from stakes.svm import LinearCostSensitiveSVC
from stakes.tables import as_frame, load_table, prepare
from stakes.tree import ConfidenceTreeClassifier


class Capsule:
    """Anything with Arrow's PyCapsule protocol."""

    def __init__(self, frame):
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return self._frame.__arrow_c_stream__(requested_schema)


class Interchange:
    """A frame that has the dataframe interchange protocol only."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self._frame.to_arrow().__dataframe__(nan_as_null, allow_copy)


class HuggingFace:
    """What is used of a data set of Hugging Face."""

    def __init__(self, frame):
        self.column_names, self._table = frame.columns, frame.to_arrow()

    def with_format(self, kind):
        assert kind == "arrow"
        return self

    def __getitem__(self, rows):
        return self._table if rows == slice(None) else self._table.slice(rows, 1).to_pylist()[0]

    def __len__(self):
        return self._table.num_rows


def relation(frame):
    duckdb = pytest.importorskip("duckdb", reason="needs duckdb")
    return duckdb.from_arrow(frame.to_arrow())


FORMS = {
    "pandas": lambda frame: frame.to_pandas(),
    "pyarrow": lambda frame: frame.to_arrow(),
    "record batch": lambda frame: frame.to_arrow().combine_chunks().to_batches()[0],
    "lazy": lambda frame: frame.lazy(),
    "capsule": Capsule,
    "interchange": Interchange,
    "hugging face": HuggingFace,
    "duckdb": relation,
}
LEARNERS = [
    ConfidenceTreeClassifier(),
    CWClassifier(),
    KernelPAClassifier(),
    LinearCostSensitiveSVC(),
    QuadraticMeanClassifier(),
    BayesDecisionClassifier(LogisticRegression()),
    ThresholdDecisionClassifier(LogisticRegression(), fn_cost=3.0),
    BlendClassifier([("line", LogisticRegression())], cv=2, random_state=0),
]


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"income": rng.normal(size=120), "debt": rng.normal(size=120)})
    return frame, (frame["income"] + frame["debt"] > 0).cast(int).to_numpy()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_learners_take_any_table_and_keep_its_names(learner, form, numbers):
    frame, y = numbers
    table = FORMS[form](frame)
    model = learner.fit(table, y)
    assert list(model.feature_names_in_) == ["income", "debt"]
    expected = learner.fit(frame, y).predict(frame)
    np.testing.assert_array_equal(learner.fit(table, y).predict(FORMS[form](frame)), expected)


@pytest.mark.parametrize("form", FORMS)
def test_tables_keep_names_and_categories(form):
    frame = pl.DataFrame(
        {
            "amount": [1.0, None, 3.0, 4.0] * 10,
            "kind": pl.Series(["card", "wire", None, "wire"] * 10, dtype=pl.Categorical),
            "bad": [0, 1, 0, 1] * 10,
        }
    )
    if form == "interchange":  # polars cannot read missing categories through it
        frame = frame.with_columns(pl.col("kind").cast(pl.String))
    data = load_table(FORMS[form](frame), "bad", fp_cost=1, fn_cost="coalesce(amount, 2)")
    assert data.kinds == {"amount": "number", "kind": "text"} and data.fn_cost[1] == 2
    model = prepare(LogisticRegression()).fit(FORMS[form](frame.drop("bad")), data.y)
    assert model.predict(FORMS[form](frame.drop("bad"))).tolist() == [0, 1, 0, 1] * 10
    tree = ConfidenceTreeClassifier(min_samples_leaf=1).fit(FORMS[form](frame.drop("bad")), data.y)
    assert tree.predict(FORMS[form](frame.drop("bad"))).tolist() == [0, 1, 0, 1] * 10


def test_categories_may_be_numbers():
    """A category is one even if it looks like a number: a post code, say."""
    table = pd.DataFrame({"code": pd.Categorical([80331, 10115, 80331, None])})
    assert as_frame(table)["code"].to_list() == ["80331", "10115", "80331", None]
    words = pd.DataFrame({"code": pd.Categorical(["a", None, "a"])})
    assert as_frame(words)["code"].to_list() == ["a", None, "a"]


def test_labels_and_costs_may_be_columns_of_arrow(numbers):
    frame, y = numbers
    model = BayesDecisionClassifier(LogisticRegression()).fit(frame.to_arrow(), pa.array(y))
    fn_cost = pa.chunked_array([np.linspace(0, 9, 120)])
    expected = model.predict(frame, fp_cost=1, fn_cost=np.linspace(0, 9, 120))
    found = model.predict(frame.to_arrow(), fp_cost=1, fn_cost=fn_cost)
    np.testing.assert_array_equal(found, expected)
