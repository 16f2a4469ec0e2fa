"""A trained model as one ONNX graph: columns and prices in, the decision out."""

import json
from pathlib import Path

import numpy as np

from stakes import __version__
from stakes._core.deciding import final_step, takes_costs
from stakes._core.files import appearing, check_can_write
from stakes._core.model_file import load_model
from stakes._core.stored.facts import check_trained
from stakes.costs import COST_NAMES, LARGEST_COST
from stakes.errors import InputError
from stakes.export import (  # noqa: F401 (they register)
    _kernel_models,
    _rule_models,
    _stream_models,
    _tables,
    _tree_models,
)
from stakes.export._converters import convert
from stakes.export._expressions import operations
from stakes.export._feed import price_input
from stakes.export._graph import IR_VERSION, OPSETS, Graph, Value
from stakes.export._tables import Columns
from stakes.tables import MISSING_WORDS, CostExpression, CostTable

UNDECIDED = -1  # the decision about a row for which stakes predict ends with an error


def export_onnx(model, path, *, verify=None):
    """Write a model of ``stakes train`` as an ONNX graph.

    Parameters
    ----------
    model : str or Path
        The model file.
    path : str or Path
        The ONNX file to write.
    verify : str or Path, default=None
        File of a public key that the model file must be signed with.

    Returns
    -------
    onnx.ModelProto
        What was written, see :func:`to_onnx`.
    """
    check_can_write(path)
    stored = load_model(model, verify=verify)
    check_trained(model, stored.facts)
    facts = stored.facts
    made = to_onnx(
        stored.model,
        facts["kinds"],
        costs=facts["costs"],
        cost_matrix=facts.get("cost_matrix"),
        learner=str(facts.get("learner", "")),
        positive=str(facts.get("positive", "")),
    )
    with appearing(Path(path)) as partial:
        partial.write_bytes(made.SerializeToString())
    return made


def to_onnx(model, kinds, *, costs=None, cost_matrix=None, **facts):
    """Convert a fitted pipeline that takes tables.

    The graph has one input of shape (n, 1) for each column that is used: text for text, doubles
    for all else (see :func:`onnx_inputs`), and with two classes one of shape (n, 1) or (1, 1) for
    each of the four costs; where it is NaN, the expression of training is used. Outputs, each of
    shape (n, 1): `decision` (1, 0, or -1 where a cost is missing or invalid, so that there is no
    decision), `probability` if there is one, `break_even` and `expected_cost`. With many classes:
    `decision` as text, empty where there is none, and `probability` of shape (n, k).

    Parameters
    ----------
    model : Pipeline
        Fitted; begins with an encoder of :mod:`stakes.tables` or contains one.
    kinds : dict
        Column -> kind, as from :func:`stakes.tables.find_kinds`.
    costs : dict, default=None
        fp_cost, fn_cost, tp_cost, tn_cost -> number or expression; None where the cost must be
        given as an input.
    cost_matrix : dict, default=None
        Costs of many classes, :meth:`stakes.tables.CostTable.to_dict`.
    **facts : str
        Facts to store with the graph.

    Returns
    -------
    onnx.ModelProto
    """
    _need("onnx")
    graph = Graph()
    table = Columns(graph, kinds)
    decider, _ = final_step(model)
    scores = convert(model, table)
    if cost_matrix is not None:
        outputs, prices = _decide_classes(graph, decider, scores, kinds, cost_matrix), {}
    else:
        prices = _prices(graph, table, kinds, costs or {})
        outputs = _decide(
            graph, table, decider, scores, {n: value for n, (value, _) in prices.items()}
        )
    facts = {"stakes": __version__, **facts, "kinds": json.dumps(kinds)}
    facts["costs"] = json.dumps(
        cost_matrix or {name: (costs or {}).get(name) for name in COST_NAMES}
    )
    return _finished(graph, outputs, prices, facts)


def _prices(graph, table, kinds, costs):
    """Cost -> its value in each row, and the name of its input."""
    ops = operations(graph, kinds, MISSING_WORDS)
    found = {}
    for name in COST_NAMES:
        place = price_input(name, kinds)
        given, text = Value(graph, place), costs.get(name)
        if text is not None:  # NaN: the cost is not given
            given = given.filled(CostExpression(text).build_with(ops, kinds))
        found[name] = given, place
    return found


def _decide(graph, table, decider, scores, prices):
    """The decision of least expected cost where the model takes costs, else its own."""
    fp, fn, tp, tn = (prices[name] for name in COST_NAMES)
    for price in (fp, fn, tp, tn):
        graph.refused.append(~(price.op("Abs") <= LARGEST_COST))  # also where it is missing
    to_miss, to_alarm = fn - tp, fp - tn
    graph.refused += [to_miss < 0.0, to_alarm < 0.0]
    stake = to_miss + to_alarm
    even = graph.where(stake > 0.0, to_alarm / graph.where(stake > 0.0, stake, 1.0), 1.0)
    p = scores.probability
    if p is not None and takes_costs(decider):
        positive = p > even
    elif scores.positive is not None:
        positive = scores.positive
    else:
        positive = scores.score > 0.0 if scores.score is not None else p > 0.5
    outputs = {"decision": _or_undecided(graph, positive.cast(np.int64)), "break_even": even}
    if p is not None:
        acts, waits = p * tp + (1.0 - p) * fp, p * fn + (1.0 - p) * tn
        outputs |= {"probability": p, "expected_cost": graph.where(positive, acts, waits)}
    rows = graph.where(table.any_column().is_missing(), 0.0, 0.0)  # costs alone may be 1 x 1
    outputs["break_even"] = even + rows
    return outputs


def _or_undecided(graph, decision):
    none = graph.constant(UNDECIDED, np.int64)
    for condition in graph.refused:
        decision = graph.where(condition, none, decision)
    return decision


def _decide_classes(graph, decider, scores, kinds, cost_matrix):
    priced, p = CostTable.of(**cost_matrix), scores.probability
    if len(priced.classes) == 2:
        p = graph.join([1.0 - p, p])
    ops = operations(graph, kinds, MISSING_WORDS)
    cells = [[cost.build_with(ops, kinds) for cost in row] for row in priced.costs]
    if not takes_costs(decider):  # the cheapest action about the most probable class
        best = p.op("ArgMax", axis=1, keepdims=1)
        p = best.equals(graph.vector(range(len(priced.classes)))).cast()
    columns = []
    for j in range(len(priced.actions)):
        total = None
        for k, row in enumerate(cells):
            graph.refused.append(~(row[j].op("Abs") <= LARGEST_COST))
            part = p.take([k]) * row[j]
            total = part if total is None else total + part
        columns.append(total)
    expected = graph.join(columns)
    decided = expected.op("ArgMin", axis=1, keepdims=1)
    outputs = {"probability": scores.probability}
    outputs["expected_cost"] = expected.op("ReduceMin", graph.vector([1]), keepdims=1)
    names = np.array([*priced.actions, ""], dtype=object)  # the last for a row without a decision
    decided = _or_undecided(graph, decided)
    last = graph.constant(len(priced.actions), np.int64)
    decided = graph.where(decided < graph.constant(0, np.int64), last, decided)
    outputs["decision"] = graph.texts(names).op("Gather", decided, axis=0)
    return outputs


def _finished(graph, outputs, prices, facts):
    """The graph with names for its outputs, without what they do not need."""
    from onnx import TensorProto, checker, helper

    kinds = {"number": TensorProto.DOUBLE, "text": TensorProto.STRING}
    types = dict.fromkeys(outputs, TensorProto.DOUBLE)
    types["decision"] = TensorProto.INT64 if prices else TensorProto.STRING
    for name, value in outputs.items():
        graph.nodes.append(helper.make_node("Identity", [value.name], [_free(graph, name)]))
    needed, nodes = {_free(graph, name) for name in outputs}, []
    for node in reversed(graph.nodes):
        if node.output[0] in needed:
            needed.update(node.input)
            nodes.append(node)
    inputs = [
        helper.make_tensor_value_info(name, kinds[kind], ["n", 1])
        for name, kind in graph.inputs.items()
        if name in needed
    ]
    constants = [one for one in graph.constants if one.name in needed]
    for _, place in prices.values():
        inputs.append(helper.make_tensor_value_info(place, TensorProto.DOUBLE, [None, 1]))
    made = helper.make_graph(
        nodes[::-1],
        "stakes",
        inputs,
        [
            helper.make_tensor_value_info(_free(graph, name), types[name], ["n", None])
            for name in sorted(outputs)
        ],
        constants,
    )
    opsets = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
    model = helper.make_model(
        made, opset_imports=opsets, ir_version=IR_VERSION, producer_name="stakes"
    )
    helper.set_model_props(model, {name: str(value) for name, value in facts.items()})
    checker.check_model(model, full_check=True)
    return model


def _free(graph, name):
    """The name of an output, unless a column of the table has it."""
    while name in graph.inputs:
        name += "_out"
    return name


def _need(package):
    import importlib.util

    if importlib.util.find_spec(package) is None:
        raise InputError(f"ONNX needs the package {package}: pip install 'stakes[onnx]'.")
