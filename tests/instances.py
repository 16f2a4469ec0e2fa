"""One or more small instances of every estimator, for the checks that walk all of them."""

from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from stakes.compare import all_estimators
from stakes.uncertain import UncertainLogisticClassifier

# estimators whose constructor needs arguments, or that should be checked in several forms
SPECIAL = {
    "BayesDecisionClassifier": [
        {"estimator": LogisticRegression()},
        {"estimator": LinearSVC(), "calibration": "sigmoid", "cv": 3},
    ],
    "BlendClassifier": [
        {
            "estimators": [("linear", LogisticRegression()), ("bayes", GaussianNB())],
            "cv": 3,
            "random_state": 0,
        }
    ],
    "ThresholdDecisionClassifier": [
        {"estimator": LogisticRegression()},
        {"estimator": LinearSVC(), "cv": 3},
    ],
    "BudgetDecisionClassifier": [{"estimator": LogisticRegression()}],
    "ConfidenceForestClassifier": [
        {"n_estimators": 8, "random_state": 0},
        {"n_estimators": 2, "bootstrap": None, "max_features": None},
    ],
    "ConfidenceNeighborsClassifier": [{}, {"confidence_model": "mixture", "weights": "additive"}],
    "CostSensitiveBoost": [{"n_estimators": 10}],
    "CostingClassifier": [
        {"n_estimators": 5, "random_state": 0},
        {"estimator": LogisticRegression(), "voting": "soft", "random_state": 0},
    ],
    "KernelFeaturesClassifier": [{"random_state": 0}, {"features": "nystroem"}],
    "QuadraticMeanClassifier": [{}, {"loss": "hinge"}],
    "QuadraticMeanReweighting": [{"estimator": LogisticRegression()}],
    "QuadraticMeanRegressor": [{}, {"loss": "quantile"}],
    "KernelQuadraticMeanClassifier": [{}, {"loss": "hinge"}],
    "StreamBlendClassifier": [{"random_state": 0}],
    "StreamForestClassifier": [
        {"random_state": 0},
        {"n_estimators": 3, "max_nodes": 15, "linear": False, "half_life": None, "random_state": 0},
    ],
    "UncertainOneVsRestClassifier": [{"estimator": UncertainLogisticClassifier()}],
    "StackelbergClassifier": [{}, {"loss": "hinge"}],
}


def instances():
    """Every public estimator, made with its defaults or with the arguments of SPECIAL.

    Samplers are left out: their checks are their own, in tests/sampling.
    """
    return [
        learner(**arguments)
        for name, learner in all_estimators()
        if not hasattr(learner, "fit_resample")
        for arguments in SPECIAL.get(name, [{}])
    ]


def samplers():
    """Every public sampler."""
    return [
        learner(random_state=0)
        for _, learner in all_estimators()
        if hasattr(learner, "fit_resample")
    ]
