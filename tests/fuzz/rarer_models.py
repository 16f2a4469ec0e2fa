"""Models for the classes that are declared for model files and are not in the usual models."""

import importlib
import importlib.util
import inspect
import io
import json
import pkgutil
import zipfile

import numpy as np

import stakes
from checks import problem


def rarer_models(saved, table):
    """Name -> ("estimator", bytes of a model file, rows to use the model on)."""
    X, y, _, _ = problem(n=60)
    X = np.abs(np.column_stack([X[:, :3], np.arange(60) % 5]))  # two values, two error bars
    found = {}
    for i, model in enumerate(_models()):
        model.fit(X, y)
        found[f"rarer {i} {type(model).__name__}"] = "estimator", saved(model), X[:9]
    found["rarer CatBoost"] = "estimator", saved(_catboost(X)), X[:9]
    return found | _of_tables(saved, table) | _of_gram_matrices(saved, X, y)


def _models():
    from lightgbm import LGBMClassifier
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.frozen import FrozenEstimator
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from sklearn.tree import DecisionTreeClassifier, ExtraTreeRegressor
    from xgboost import XGBClassifier

    from stakes.compare._early_stopping import EarlyStoppingClassifier
    from stakes.compare._error_blend import ErrorColumnsBlend
    from stakes.compare._error_columns import ErrorColumnsClassifier, ShrunkMeans
    from stakes.compare._timed_blend import TimedBlendClassifier
    from stakes.tables import HingeSplines
    from stakes.uncertain import (
        UncertainKernelClassifier,
        UncertainLogisticClassifier,
        UncertainPipeline,
        UncertainScaler,
    )

    X, y, _, _ = problem(n=60)
    frozen = FrozenEstimator(LogisticRegression().fit(X[:, :4], y))
    members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2))]
    few = dict(n_estimators=5, n_jobs=1)
    columns = make_column_transformer((OneHotEncoder(), [3]), remainder="passthrough")
    return [
        SGDClassifier(loss="hinge"),
        SGDClassifier(loss="squared_hinge", random_state=np.random.RandomState(0)),
        GradientBoostingClassifier(n_estimators=3, loss="exponential"),
        HistGradientBoostingRegressor(max_iter=3),
        ExtraTreeRegressor(),
        CalibratedClassifierCV(frozen, cv=2),
        make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
        make_pipeline(columns, LogisticRegression()),
        make_pipeline(HingeSplines(n_knots=2), LogisticRegression()),
        make_pipeline(ShrunkMeans(), LogisticRegression()),
        TimedBlendClassifier(members, time_budget=20, cv=2, random_state=0),
        EarlyStoppingClassifier(LGBMClassifier(verbose=-1, **few), random_state=0),
        EarlyStoppingClassifier(XGBClassifier(**few), random_state=0),
        ErrorColumnsClassifier(UncertainLogisticClassifier()),
        ErrorColumnsBlend(
            [
                [ErrorColumnsClassifier(one)]
                for one in (UncertainLogisticClassifier(), UncertainKernelClassifier())
            ]
        ),
        UncertainPipeline([("scale", UncertainScaler()), ("learn", UncertainLogisticClassifier())]),
    ]


def _catboost(X):
    """Trees as CatBoost writes them, which need not be installed."""
    from stakes.compare._catboost import CatBoostTreesClassifier

    rng, trees = np.random.default_rng(0), []
    for levels in (1, 2, 3):
        columns = rng.integers(X.shape[1], size=levels).tolist()
        splits = [{"float_feature_index": j, "border": float(np.median(X[:, j]))} for j in columns]
        trees.append({"splits": splits, "leaf_values": rng.normal(size=2**levels).tolist()})
    model = CatBoostTreesClassifier()
    model.classes_, model.n_features_in_ = np.array([0, 1]), X.shape[1]
    model._keep({"oblivious_trees": trees, "scale_and_bias": [1.0, [0.1]]})
    return model


def _of_tables(saved, table):
    from sklearn.pipeline import make_pipeline

    from stakes.compare._error_columns import ErrorColumnsClassifier
    from stakes.tables import ErrorMatrix
    from stakes.uncertain import UncertainLogisticClassifier

    X, y = table.drop("y"), table["y"].to_numpy()
    model = make_pipeline(
        ErrorMatrix(errors={"x": ["amount"]}),
        ErrorColumnsClassifier(UncertainLogisticClassifier()),
    )
    rows = X[:9].to_dict(as_series=False)
    return {"rarer table with error bars": ("estimator", saved(model.fit(X, y)), rows)}


def _of_gram_matrices(saved, X, y):
    from sklearn.metrics.pairwise import rbf_kernel

    from stakes.online_kernel import KernelPerceptronClassifier

    called = KernelPerceptronClassifier(kernel=rbf_kernel).fit(X, y)
    gram = rbf_kernel(X)
    given = KernelPerceptronClassifier(kernel="precomputed").fit(gram, y)
    return {
        "rarer kernel function": ("estimator", saved(called), X[:9]),
        "rarer Gram matrix": ("estimator", saved(given), gram[:9]),
    }


def declared():
    """Names of all classes that a model file may hold, without those that have no objects."""
    from stakes._core.stored import foreign

    found = {*foreign.BOOSTERS, *foreign.ENSEMBLES, *foreign._DECLARED}
    found |= {*foreign.SKRUB} if has_skrub() else set()
    found -= {one for one in found if one.startswith("numpy.")}  # stored under other names
    for module in pkgutil.walk_packages(stakes.__path__, "stakes."):
        if module.name.startswith(("stakes.reproduce", "stakes.__main__")):
            continue
        for _, one in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            own = one.__module__ == module.name and hasattr(one, "_file_state")
            if own and not inspect.isabstract(one) and not one.__subclasses__():
                found.add(f"{module.name}.{one.__name__}")
    return found


def has_skrub():
    """Whether skrub is installed; it is not needed."""
    return importlib.util.find_spec("skrub") is not None


def held(stored):
    """Names of the classes in one file."""
    with zipfile.ZipFile(io.BytesIO(stored[1])) as archive:
        stack, found = [json.loads(archive.read("schema.json"))], set()
    while stack:
        node = stack.pop()
        if isinstance(node, dict) and isinstance(node.get("__class__"), str):
            found.add(f"{node.get('__module__')}.{node['__class__']}")
        stack += node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
    return found
