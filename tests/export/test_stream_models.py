"""Stream learners, random features and the normal distribution, next to our own code."""

import numpy as np
import pytest
from scipy.special import ndtr

from stakes.errors import InputError
from stakes.online import CWClassifier, PAClassifier, ProbitClassifier
from stakes.online_forest import StreamBlendClassifier, StreamForestClassifier
from stakes.online_kernel import KernelFeaturesClassifier
from stakes.svm import CostSensitiveSVC
from stakes.tree import AssociationRuleClassifier
from stakes.uncertain import UncertainMarginClassifier

ort = pytest.importorskip("onnxruntime", reason="needs the extra onnx")
pytest.importorskip("skl2onnx", reason="needs the extra onnx")

from stakes.export import sklearn_to_onnx  # noqa: E402
from stakes.export._graph import IR_VERSION, OPSETS, Graph, Value  # noqa: E402
from stakes.export._normal import normal_cdf  # noqa: E402


def run(model, X):
    made = sklearn_to_onnx(model, X.shape[1]).SerializeToString()
    return ort.InferenceSession(made, providers=["CPUExecutionProvider"]).run(None, {"X": X})


def assert_equal(model, X, atol=1e-13):
    labels, p = run(model, X)
    np.testing.assert_allclose(p, model.predict_proba(X), rtol=0, atol=atol)
    assert labels.tolist() == model.predict(X).tolist()
    assert len(set(labels)) == 2


@pytest.fixture(scope="module")
def rows():
    """Numbers with curved classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    return X, (np.abs(X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=3000) > 1).astype(int)


@pytest.fixture(scope="module")
def gaps():
    """Categories of more codes than bins, with gaps everywhere, and rows with unseen codes."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 40, 6000), rng.normal(size=(6000, 2))])
    z = 2.0 * (X[:, 0] % 7 == 1) + X[:, 1] + 1.5 * (X[:, 0] == 3)
    y = (z + 0.3 * rng.normal(size=6000) > 1).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    y[np.isnan(X[:, 0])] = 1
    new = X[:3000].copy()
    new[:500, 0] = rng.integers(40, 10**6, 500)
    return X, y, new


@pytest.mark.jit
@pytest.mark.parametrize("options", [{}, dict(half_life=None, linear=False, calibration=None)])
def test_a_stream_forest_with_categories_and_gaps(gaps, options):
    X, y, new = gaps
    model = StreamForestClassifier(categorical_features=[0], random_state=0, **options).fit(X, y)
    parts, _ = model._scoring_parts()
    assert parts.is_category[np.unique(parts.feature[parts.feature >= 0])].any()
    assert_equal(model, new)


@pytest.mark.jit
def test_thresholds_of_a_stream_forest(rows):
    """Values on the cuts of the trees and next to them."""
    X, y = rows
    model = StreamForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    parts, _ = model._scoring_parts()
    cuts = parts.cut[parts.feature >= 0]
    near = np.concatenate([cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)])
    rng = np.random.default_rng(0)
    assert_equal(model, np.column_stack([rng.permutation(near) for _ in range(3)]))


@pytest.mark.jit
def test_a_blend_of_stream_learners(rows):
    X, y = rows
    gap = np.where(np.random.default_rng(2).random(X.shape) < 0.1, np.nan, X)
    model = StreamBlendClassifier(random_state=0, label_delay=50).fit(gap, y)
    assert_equal(model, gap)


@pytest.mark.jit
@pytest.mark.parametrize("features", ["fourier", "nystroem"])
@pytest.mark.parametrize("passthrough", [True, False])
def test_features_of_a_kernel(rows, features, passthrough):
    model = KernelFeaturesClassifier(
        features=features, passthrough=passthrough, n_components=40, random_state=0
    )
    assert_equal(model.fit(*rows), rows[0], atol=1e-11)


@pytest.mark.jit
@pytest.mark.parametrize("approximation", ["fourier", "nystroem"])
def test_kernel_svms_with_random_features(rows, approximation):
    model = CostSensitiveSVC(approximation=approximation, n_components=40, random_state=0)
    assert_equal(model.fit(*rows), rows[0], atol=1e-11)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kernel", ["poly", "sigmoid", "rbf"])
def test_kernels(rows, kernel):
    """onnxruntime rounds a factor before or after a MatMul to 32 bits."""
    X, y = rows
    model = CostSensitiveSVC(kernel=kernel, gamma=0.123456789012, coef0=1.0, degree=2)
    model.fit(X[:300], y[:300])
    assert_equal(model, X[:300], atol=1e-13)


@pytest.mark.jit
@pytest.mark.parametrize("learner", [ProbitClassifier, CWClassifier, PAClassifier])
def test_scores_without_calibration(rows, learner):
    assert_equal(learner(calibration=None).fit(*rows), rows[0], atol=1e-14)


def test_rules_with_categories_and_gaps(gaps):
    X, y, new = gaps
    model = AssociationRuleClassifier(categorical_features=[0]).fit(X, y)
    assert model.n_rules_ > 5
    assert_equal(model, new, atol=2e-16)
    never = AssociationRuleClassifier(p_value=1e-300).fit(X[:50], y[:50])
    assert never.n_rules_ == 0
    np.testing.assert_array_equal(run(never, new)[1], never.predict_proba(new))


@pytest.mark.parametrize("independent", [True, False])
def test_exact_points_of_a_learner_for_error_bars(rows, independent):
    X = rows[0]
    gap = np.where(np.random.default_rng(3).random(X.shape) < 0.05, np.nan, X)
    y = (X[:400].sum(axis=1) > 0.5).astype(int)
    model = UncertainMarginClassifier(
        formulation="MM-MC", independent=independent, max_error=0.5
    ).fit(gap[:400], y)
    assert model.calibration_[2] > 0
    assert_equal(model, gap)
    model.error_model = "classical"
    with pytest.raises(InputError, match="error_model='classical' cannot be exported"):
        sklearn_to_onnx(model, 3)


def test_the_normal_distribution_function():
    from onnx import TensorProto, helper

    graph = Graph()
    made = normal_cdf(Value(graph, "z"))
    ends = [
        helper.make_tensor_value_info(name, TensorProto.DOUBLE, [None, 1])
        for name in ("z", made.name)
    ]
    made = helper.make_graph(graph.nodes, "g", ends[:1], ends[1:], graph.constants)
    opsets = [helper.make_opsetid(*one) for one in OPSETS.items()]
    made = helper.make_model(made, opset_imports=opsets, ir_version=IR_VERSION)
    session = ort.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    z = np.concatenate([np.linspace(-37, 37, 20001), [-np.inf, -1e300, -0.0, 0.0, 1e300, np.inf]])
    found = session.run(None, {"z": z[:, None]})[0][:, 0]
    np.testing.assert_allclose(found, ndtr(z), rtol=2e-13, atol=1e-300)
    assert np.isnan(session.run(None, {"z": np.array([[np.nan]])})[0]).all()
