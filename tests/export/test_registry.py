"""Our classes in pipelines that skl2onnx converts."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from stakes.decision import BayesDecisionClassifier, BlendClassifier
from stakes.online import CWCVaRClassifier
from stakes.qmean import QuadraticMeanClassifier
from stakes.svm import LinearCostSensitiveSVC
from stakes.tree import ConfidenceForestClassifier, ConfidenceTreeClassifier

ort = pytest.importorskip("onnxruntime", reason="needs the extra onnx")
pytest.importorskip("skl2onnx", reason="needs the extra onnx")

from stakes.export import sklearn_to_onnx  # noqa: E402

BOOSTER = HistGradientBoostingClassifier(max_iter=20)


def run(model, X):
    made = sklearn_to_onnx(model, X.shape[1]).SerializeToString()
    return ort.InferenceSession(made, providers=["CPUExecutionProvider"]).run(None, {"X": X})


@pytest.mark.parametrize(
    "learner",
    [
        ConfidenceForestClassifier(n_estimators=5, random_state=0),
        CWCVaRClassifier(),
        QuadraticMeanClassifier(),
        LinearCostSensitiveSVC(),
        BayesDecisionClassifier(ConfidenceTreeClassifier(), fn_cost=9.0),
        BlendClassifier([("line", LogisticRegression()), ("trees", BOOSTER)], random_state=0, cv=2),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_labels_and_probabilities_are_equal(learner):
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["benign", "malignant"])[1 - y]
    model = make_pipeline(StandardScaler(), learner).fit(X, names)
    labels, p = run(model, X)
    assert labels.tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(p, model.predict_proba(X), atol=1e-14)


def test_hist_gradient_boosting_with_categories_and_gaps():
    """Categories, unknown ones and missing values go where scikit-learn sends them."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 60, 2000), rng.normal(size=(2000, 2))])
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) % 3 == 1) ^ (np.nan_to_num(X[:, 1]) > 0.5)
    model = HistGradientBoostingClassifier(categorical_features=[0], max_iter=30).fit(X, y * 1)
    new = X.copy()
    new[:200, 0] = 77  # never seen
    labels, p = run(model, new)
    np.testing.assert_array_equal(labels, model.predict(new))
    np.testing.assert_allclose(p, model.predict_proba(new), atol=1e-14)
    numbers = HistGradientBoostingClassifier(max_iter=30).fit(X, y * 1)
    # values on the thresholds and next to them, where 32 bits would go the other way
    cuts = np.concatenate(
        [
            tree.nodes["num_threshold"][~tree.nodes["is_leaf"].astype(bool)]
            for (tree,) in numbers._predictors
        ]
    )
    near = np.concatenate([cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)])
    grid = np.column_stack([rng.permutation(near) for _ in range(3)])
    np.testing.assert_allclose(run(numbers, grid)[1], numbers.predict_proba(grid), atol=1e-14)
