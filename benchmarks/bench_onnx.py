"""Decisions of an exported model in onnxruntime, against `stakes predict`'s own code."""

import tempfile
import warnings
from pathlib import Path

import onnxruntime as ort

from benchmarks._measure import race
from stakes.compare import TableSettings, load_decider, train_to_file
from stakes.export import export_onnx, onnx_inputs

LEARNERS = (
    "logistic regression, Bayes decision",
    "hist gradient boosting, Bayes decision",
    "ConfidenceForestClassifier",
)
SIZES = (1, 100, 10_000)


def run():
    """One row, a hundred and ten thousand, one thread, from a data frame to decisions."""
    settings = TableSettings("german")
    data = settings.load()
    table, costs = data.X, dict(fp_cost="1", fn_cost="5", tp_cost="0", tn_cost="0")
    rows = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, graph = Path(folder) / "m.skops", Path(folder) / "m.onnx"
        for learner in LEARNERS:
            train_to_file(model, learner, settings, data, tune=False)
            export_onnx(model, graph)
            for size in SIZES:
                few = table.sample(size, with_replacement=True, seed=0)
                rows += contest(learner, few, model, graph, costs)
    return rows


def contest(learner, table, model, graph, costs):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    numbers = {name: float(cost) for name, cost in costs.items()}
    feed, decider = onnx_inputs(session, table, **numbers), load_decider(model, **costs)
    calls = {
        "onnxruntime, arrays ready": lambda: session.run(["decision"], feed),
        "onnxruntime, from a data frame": lambda: session.run(
            ["decision"], onnx_inputs(session, table, **numbers)
        ),
        "stakes predict": lambda: decider.decide(table),
    }
    equal = (
        calls["stakes predict"]()["decision"].to_numpy() == session.run(["decision"], feed)[0][:, 0]
    ).all()
    found = race(f"{learner}, {table.height:,} row(s)", calls, turns=20 if table.height == 1 else 7)
    for row in found:
        row.note = "equal decisions" if equal else "DIFFERENT decisions"
    return found
