"""Exported graphs decide as the models do: every recommended learner, 10,000 rows with prices."""

import json
import subprocess
import sys
from datetime import date, datetime, timedelta

import numpy as np
import polars as pl
import pytest

from stakes.compare import TableSettings, contestants, load_decider, recommended, train_to_file
from stakes.costs import COST_NAMES
from stakes.errors import InputError

ort = pytest.importorskip("onnxruntime", reason="needs the extra onnx")
pytest.importorskip("onnx", reason="needs the extra onnx")

from stakes.export import export_onnx, onnx_inputs, to_onnx  # noqa: E402

COSTS = {
    "fp_cost": "5 + 0.01*limit",
    "fn_cost": "where(coalesce(amount, 0) > 50 and not flag, 2, 1.5) * max(20, 0.6*amount)**1.1",
    "tp_cost": 'where(is_missing(kind) or kind == "wire", 1, log(2))',
    "tn_cost": "0",
}
# one of each kind that is not recommended
OTHERS = [
    "ConfidenceForestClassifier",
    "PAClassifier",
    "CostSensitiveSVC",
    "BoundaryMovementSVC",
    "CostSensitiveBoost",
    "CostingClassifier",
    "KernelQuadraticMeanClassifier",
    "CSDUOLClassifier",
    "StackelbergClassifier, Bayes decision",
    "AssociationRuleClassifier",
    "KernelFeaturesClassifier",
    "StreamBlendClassifier",
    "StreamForestClassifier",
    "UncertainMarginClassifier",
]


def payments(n, seed, *, city="c3"):
    """Numbers, text, dates, times and true/false, with gaps and a category that is new."""
    rng = np.random.default_rng(seed)
    amount, age = rng.lognormal(4, 1, n), rng.integers(18, 90, n).astype(float)
    kind = rng.choice(["card", "wire", "cash", "cheque"], n, p=[0.5, 0.3, 0.15, 0.05])
    day = [date(1969, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 30_000, n)]
    at = [datetime(2019, 12, 28) + timedelta(seconds=int(s)) for s in rng.integers(0, 10**8, n)]
    hour = np.array([t.hour for t in at])
    z = 0.5 * np.log(amount) - 0.02 * age + 1.2 * (kind == "wire") + 0.5 * np.sin(hour) - 2.5
    columns = dict(
        amount=amount,
        age=np.where(rng.random(n) < 0.1, np.nan, age),
        kind=np.where(rng.random(n) < 0.05, None, kind),
        city=np.where((c := rng.choice([f"c{i}" for i in range(30)], n)) == "c3", city, c),
        day=day,
        at=at,
        flag=rng.random(n) < 0.3,
        limit=rng.choice([100.0, 200.0, 400.0], n),
        fraud=(rng.random(n) < 1 / (1 + np.exp(-z))).astype(int),
    )
    return pl.DataFrame(columns).with_columns(pl.col("age").fill_nan(None))


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    path = tmp_path_factory.mktemp("onnx") / "train.parquet"
    payments(300, 0).write_parquet(path)
    return TableSettings(str(path), "fraud", costs=COSTS)


@pytest.fixture(scope="module")
def new():
    return payments(10_000, 1, city="elsewhere")


def session_of(path):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def decided(session, table, **costs):
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(None, onnx_inputs(session, table, **costs)), strict=True))


def assert_decides_as_the_model(model, onnx, new):
    ours, theirs = load_decider(model).decide(new), decided(session_of(onnx), new)
    np.testing.assert_array_equal(theirs["decision"][:, 0], ours["decision"])
    np.testing.assert_allclose(theirs["break_even"][:, 0], ours["break_even"], rtol=1e-14)
    if not ours["probability"].null_count():
        np.testing.assert_allclose(theirs["probability"][:, 0], ours["probability"], atol=1e-7)
        np.testing.assert_allclose(theirs["expected_cost"][:, 0], ours["expected_cost"], atol=1e-4)


BLEND = "recommended blend"
RECOMMENDED = [c.name for c in contestants() if c.family != "constant" and c.name != BLEND]


@pytest.mark.jit
@pytest.mark.parametrize("learner", [*RECOMMENDED, *OTHERS])
@pytest.mark.filterwarnings("ignore")  # a few hundred rows: not all fits end well
def test_decisions_are_equal_on_every_row(learner, settings, new, tmp_path):
    train_to_file(tmp_path / "m.skops", learner, settings, settings.load(), tune=False)
    export_onnx(tmp_path / "m.skops", tmp_path / "m.onnx")
    assert_decides_as_the_model(tmp_path / "m.skops", tmp_path / "m.onnx", new)


@pytest.mark.jit
@pytest.mark.filterwarnings("ignore")
def test_the_recommended_blend_decides_equally(settings, new, tmp_path, monkeypatch):
    """With fewer folds, trees and rounds than in use, for the time that it takes."""

    def small(random_state=None):
        model = recommended(random_state)
        few = {
            name: 10 for name in model.get_params() if name.endswith(("max_iter", "n_estimators"))
        }
        few["estimator__linear__learner__max_iter"] = 2000
        return model.set_params(estimator__cv=2, **few)

    monkeypatch.setattr("stakes.compare._contestants.recommended", small)
    train_to_file(tmp_path / "m.skops", BLEND, settings, settings.load(), tune=False)
    export_onnx(tmp_path / "m.skops", tmp_path / "m.onnx")
    assert_decides_as_the_model(tmp_path / "m.skops", tmp_path / "m.onnx", new)


@pytest.fixture(scope="module")
def tree(settings, tmp_path_factory):
    path = tmp_path_factory.mktemp("tree") / "m.skops"
    train_to_file(path, "ConfidenceTreeClassifier", settings, settings.load(), tune=False)
    export_onnx(path, path.with_suffix(".onnx"))
    return path


def test_prices_may_be_given(tree, new):
    session = session_of(tree.with_suffix(".onnx"))
    fn_cost = np.linspace(0, 900, new.height)
    ours = load_decider(tree, fp_cost="7").decide(new)
    np.testing.assert_array_equal(
        decided(session, new, fp_cost=7)["decision"][:, 0], ours["decision"]
    )
    theirs = decided(session, new, fp_cost=3, fn_cost=fn_cost, tp_cost=0, tn_cost=0)
    even = 3 / (3 + fn_cost)
    np.testing.assert_allclose(theirs["break_even"][:, 0], even, rtol=1e-15)
    np.testing.assert_array_equal(theirs["decision"], theirs["probability"] > even[:, None])


def test_a_row_without_a_decision_is_marked(tree, new):
    session = session_of(tree.with_suffix(".onnx"))
    few = new.head(3).with_columns(amount=pl.Series([None, 20.0, 30.0]))
    assert decided(session, few)["decision"][:, 0].tolist()[0] == -1
    with pytest.raises(InputError, match="missing or infinite"):
        load_decider(tree).decide(few)
    swapped = decided(session, new.head(3), fp_cost=1, tn_cost=[0.0, 2.0, 0.0])
    assert (swapped["decision"][:, 0] == -1).tolist() == [False, True, False]


def test_probabilities_equal_to_the_break_even_point_are_no_alert(tree, new):
    """Costs that put the break-even point on the probability of each row, and next to it."""
    p = load_decider(tree).decide(new.head(500))["probability"].to_numpy()
    session = session_of(tree.with_suffix(".onnx"))
    zero = dict(tp_cost=0, tn_cost=0)
    tie = decided(session, new.head(500), fp_cost=p, fn_cost=1 - p, **zero)
    exact = p / (p + (1 - p))
    np.testing.assert_array_equal(tie["decision"][:, 0], p > exact)
    below = decided(session, new.head(500), fp_cost=p * (1 - 1e-15), fn_cost=1 - p, **zero)
    even = p * (1 - 1e-15) / (p * (1 - 1e-15) + (1 - p))
    np.testing.assert_array_equal(below["decision"][:, 0], p > even)


def test_the_graph_says_what_it_is(tree):
    meta = session_of(tree.with_suffix(".onnx")).get_modelmeta().custom_metadata_map
    assert json.loads(meta["kinds"])["day"] == "date" and meta["positive"] == "1"
    assert json.loads(meta["costs"])["fp_cost"] == COSTS["fp_cost"]
    assert meta["learner"] == "ConfidenceTreeClassifier"


def test_a_fresh_process_needs_onnxruntime_alone(tree, new, tmp_path):
    session = session_of(tree.with_suffix(".onnx"))
    feed = onnx_inputs(session, new.head(200))
    np.savez(tmp_path / "feed.npz", **feed)
    code = (
        "import sys, numpy as np, onnxruntime as ort\n"
        "feed = dict(np.load(sys.argv[2], allow_pickle=True))\n"
        "session = ort.InferenceSession(sys.argv[1], providers=['CPUExecutionProvider'])\n"
        "print(session.run(['decision'], feed)[0][:, 0].tolist())\n"
        "print('stakes' in sys.modules, 'sklearn' in sys.modules)\n"
    )
    arguments = [sys.executable, "-c", code, tree.with_suffix(".onnx"), tmp_path / "feed.npz"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert json.loads(first) == load_decider(tree).decide(new.head(200))["decision"].to_list()
    assert second == "False False"


def test_a_column_may_have_the_name_of_a_price(tmp_path):
    table = payments(300, 2).select("amount", "fraud", fp_cost=pl.col("limit"))
    table.write_parquet(tmp_path / "t.parquet")
    given = COSTS | dict(fp_cost="0.1*fp_cost", fn_cost="amount", tp_cost="0")
    settings = TableSettings(str(tmp_path / "t.parquet"), "fraud", costs=given)
    train_to_file(
        tmp_path / "m.skops",
        "logistic regression, Bayes decision",
        settings,
        settings.load(),
        tune=False,
    )
    export_onnx(tmp_path / "m.skops", tmp_path / "m.onnx")
    assert_decides_as_the_model(tmp_path / "m.skops", tmp_path / "m.onnx", table)
    session = session_of(tmp_path / "m.onnx")
    assert "fp_cost_given" in [one.name for one in session.get_inputs()]
    none = decided(session, table, fp_cost=1e9)["decision"]
    assert not none.any()


@pytest.mark.jit
@pytest.mark.parametrize(
    "learner",
    [
        "ConfidenceForestClassifier",
        "hist gradient boosting, Bayes decision",
        "logistic regression, Bayes decision",
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_many_classes(learner, tmp_path, new):
    rng = np.random.default_rng(0)
    table = payments(400, 3).drop("fraud")
    what = np.where(table["amount"] > 80, "theft", np.where(rng.random(400) < 0.5, "fine", "fault"))
    table.with_columns(what=pl.Series(what)).write_parquet(tmp_path / "t.parquet")
    cells = [["0", "3", "max(5, 0.2*amount)"], ["amount", "10", "1"], ["20", "2", "25"]]
    matrix = dict(
        classes=["fine", "theft", "fault"], actions=["ignore", "call", "block"], cells=cells
    )
    settings = TableSettings(str(tmp_path / "t.parquet"), "what", cost_matrix=matrix)
    train_to_file(tmp_path / "m.skops", learner, settings, settings.load(), tune=False)
    export_onnx(tmp_path / "m.skops", tmp_path / "m.onnx")
    ours = load_decider(tmp_path / "m.skops").decide(new)
    theirs = decided(session_of(tmp_path / "m.onnx"), new)
    assert theirs["decision"][:, 0].tolist() == ours["decision"].to_list()
    assert len(set(ours["decision"])) > 1


@pytest.mark.parametrize(
    "text",
    [
        "amount ** 0.5 + amount ** -2 + amount ** 3",
        "abs(-amount) / (limit - 100)",
        "sqrt(amount - 50)",
        "clip(amount, 20, limit)",
        "min(amount, age, limit) + max(1, age)",
        "coalesce(age, amount)",
        "where(age > 40 or amount > 50, 1, 2)",
        "where(not flag and age <= 40, exp(-age), log(amount))",
        'where(kind != "wire", amount, 1)',
        'where(kind == "wire" and age > 30, 1, 2)',
        "where(is_missing(kind), 1, 2) + where(is_missing(age), 10, 20)",
        "where(20 < age < 60, flag, 3)",
        "where(flag == 1, 5, -1)",
        "1 / 0 * amount",
    ],
)
def test_expressions_are_those_of_tables(text, new):
    from onnx import TensorProto, helper

    from stakes.export._expressions import operations
    from stakes.export._graph import IR_VERSION, OPSETS, Graph
    from stakes.tables import MISSING_WORDS, CostExpression

    kinds = dict(amount="number", age="number", limit="number", flag="boolean", kind="text")
    graph = Graph()
    value = CostExpression(text).build_with(operations(graph, kinds, MISSING_WORDS), kinds)
    types = {"number": TensorProto.DOUBLE, "text": TensorProto.STRING}
    inputs = [
        helper.make_tensor_value_info(name, types[kind], [None, 1])
        for name, kind in graph.inputs.items()
    ]
    out = helper.make_tensor_value_info(value.name, TensorProto.DOUBLE, [None, 1])
    made = helper.make_graph(graph.nodes, "g", inputs, [out], graph.constants)
    opsets = [helper.make_opsetid(*one) for one in OPSETS.items()]
    model = helper.make_model(made, opset_imports=opsets, ir_version=IR_VERSION)
    helper.set_model_props(model, {"kinds": json.dumps(kinds)})
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    few = new.head(2000)
    found = session.run(None, onnx_inputs(session, few))[0][:, 0]
    expected = CostExpression(text).evaluate(few)
    np.testing.assert_allclose(np.broadcast_to(found, (2000,)), expected, rtol=1e-14)


def test_what_cannot_be_exported_is_named(settings, tmp_path):
    from sklearn.neighbors import KNeighborsClassifier

    from stakes.tables import prepare

    data = settings.load()
    model = prepare(KNeighborsClassifier(), data).fit(data.X, data.y)
    with pytest.raises(InputError, match="KNeighborsClassifier cannot be exported to ONNX"):
        to_onnx(model, dict.fromkeys(data.kinds, "number") | data.kinds)
    costs = dict.fromkeys(COST_NAMES, 1) | {"fn_cost": 'where(kind < "x", 1, 2)'}
    model = prepare(contestants("tree")[2].estimator, data).fit(data.X, data.y)
    with pytest.raises(InputError, match="ONNX has no order of texts"):
        to_onnx(model, data.kinds, costs=costs)
