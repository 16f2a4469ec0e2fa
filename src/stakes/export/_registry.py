"""Our classes, and HistGradientBoosting, in the registry of skl2onnx."""

import importlib

import numpy as np

from stakes.export._converters import convert
from stakes.export._graph import ML, OPSETS, Graph, Value

REGISTERED = {
    "stakes.decision": ("BayesDecisionClassifier", "BlendClassifier"),
    "stakes.online": (
        "AROWClassifier",
        "CWCVaRClassifier",
        "CWClassifier",
        "CWRobustClassifier",
        "PAClassifier",
        "PerceptronClassifier",
        "ProbitClassifier",
        "SCWClassifier",
    ),
    "stakes.online_forest": ("StreamBlendClassifier", "StreamForestClassifier"),
    "stakes.online_kernel": ("KernelFeaturesClassifier",),
    "stakes.qmean": ("KernelQuadraticMeanClassifier", "QuadraticMeanClassifier"),
    "stakes.svm": (
        "BiasedPenaltySVC",
        "BoundaryMovementSVC",
        "CostSensitiveBoost",
        "CostSensitiveSVC",
        "LinearCostSensitiveSVC",
    ),
    "stakes.tree": (
        "AssociationRuleClassifier",
        "ConfidenceForestClassifier",
        "ConfidenceTreeClassifier",
    ),
    "stakes.uncertain": ("UncertainMarginClassifier",),
    "sklearn.ensemble": ("HistGradientBoostingClassifier",),
}


def register_converters():
    """Teach skl2onnx our learners, so that they convert inside any pipeline that it converts.

    Also replaces its converter of HistGradientBoostingClassifier, which has no categories and
    rounds thresholds and leaves to 32 bits. Outputs are the label of `predict` without costs and
    the probabilities; for a graph with prices as inputs see :func:`to_onnx`. Models with trees
    are converted by :func:`sklearn_to_onnx`, which needs no call of this function.
    """
    from skl2onnx import update_registered_converter
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes

    for folder, names in REGISTERED.items():
        for name in names:
            update_registered_converter(
                getattr(importlib.import_module(folder), name),
                f"Stakes{name}",
                calculate_linear_classifier_output_shapes,
                _convert,
                overwrite=True,
                options={"zipmap": [False, True, "columns"], "nocl": [False, True]},
            )


def sklearn_to_onnx(model, n_features, *, zipmap=False):
    """Convert a pipeline of scikit-learn that contains our learners, with skl2onnx.

    Trees with thresholds in double precision need version 5 of the operators for machine learning,
    of which skl2onnx knows version 3; the graph is marked accordingly.

    Parameters
    ----------
    model : estimator
        Fitted on a matrix of numbers.
    n_features : int
        Number of its columns.
    zipmap : bool, default=False
        Whether probabilities are dictionaries, as in skl2onnx.

    Returns
    -------
    onnx.ModelProto
        With the input `X`, doubles of shape (n, d).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from stakes.tree import ConfidenceTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), ConfidenceTreeClassifier()).fit(X, y)
    >>> [output.name for output in sklearn_to_onnx(model, X.shape[1]).graph.output]
    ['label', 'probabilities']
    """
    from onnx import checker
    from skl2onnx import to_onnx as convert_sklearn
    from skl2onnx.common.data_types import DoubleTensorType

    register_converters()
    made = convert_sklearn(
        model,
        initial_types=[("X", DoubleTensorType([None, n_features]))],
        options={"zipmap": zipmap},
        target_opset={"": OPSETS[""], ML: 3},
    )
    for one in made.opset_import:
        one.version = OPSETS.get(one.domain, one.version)
    checker.check_model(made)
    return made


class _Container(Graph):
    """A graph whose nodes go into a container of skl2onnx."""

    def __init__(self, scope, container):
        super().__init__()
        self._scope, self._container = scope, container

    def _add_constant(self, array):
        from onnx import helper

        name = self._scope.get_unique_variable_name("c")
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        self._container.add_initializer(name, kind, array.shape, array.ravel().tolist())
        return name

    def _add_node(self, kind, names, domain, attributes):
        from onnx import helper

        name = self._scope.get_unique_variable_name("v")
        if domain == ML:  # add_node refuses the versions that skl2onnx does not know
            made = helper.make_node(kind, names, [name], name=name, domain=domain, **attributes)
            self._container.nodes.append(made)
            return name
        version = _version(kind, domain)
        self._container.add_node(kind, names, [name], op_version=version, **attributes)
        return name


def _version(kind, domain):
    """Version of an operator in our operator sets."""
    from onnx import defs

    return defs.get_schema(kind, OPSETS[domain], domain).since_version


def _convert(scope, operator, container):
    model = operator.raw_operator
    graph = _Container(scope, container)
    X = Value(graph, operator.inputs[0].full_name).cast()
    scores = convert(model, X)
    if len(model.classes_) > 2:
        p, at = scores.probability, scores.probability.op("ArgMax", axis=1, keepdims=0)
    else:
        positive = _decided(model, scores)
        at = positive.cast(np.int64).op("Squeeze", graph.vector([1]))
        p = scores.probability if scores.probability is not None else scores.score
        p = graph.join([1.0 - p, p])
    labels = np.asarray(model.classes_)
    if labels.dtype.kind in "biu":
        found = graph.vector(labels).op("Gather", at, axis=0)
    else:
        found = graph.texts([str(label) for label in labels]).op("Gather", at, axis=0)
    _name(container, found, operator.outputs[0])
    _name(container, p, operator.outputs[1])


def _decided(model, scores):
    """Decisions of `predict` without costs."""
    if hasattr(model, "_settle_costs") and hasattr(model, "estimator_"):
        return scores.probability > float(model._settle_costs(1).break_even[0])
    if scores.positive is not None:
        return scores.positive
    return scores.score > 0.0 if scores.score is not None else scores.probability > 0.5


def _name(container, value, output):
    from onnx import TensorProto
    from skl2onnx.common.data_types import FloatTensorType

    if isinstance(output.type, FloatTensorType):  # what skl2onnx announced
        container.add_node(
            "Cast", [value.name], [output.full_name], op_version=13, to=TensorProto.FLOAT
        )
    else:
        container.add_node("Identity", [value.name], [output.full_name], op_version=13)
