"""scikit-learn's checks that an estimator does not pass, each with the reason."""

_PROBABILITY = "a probability is learnt from all examples, also from those with nothing at stake"
_BALANCED = (
    "predict counts the classes as equal, predict_proba is at the frequencies of the training "
    "set, as decisions under costs need it; the hinge instance runs the check"
)
_DRAWN = (
    "a bootstrap draws rows, so copies of a row draw other samples than its weight does; the "
    "instance without bootstrap runs the check"
)
_VOTERS = (
    "probabilities are calibrated on examples that do not vote for themselves, and copies of a row "
    "do; tests/neighbors/test_inputs.py compares the votes"
)
_REJECTION = (
    "rejection sampling draws rows, so copies of a row draw other samples than its weight does"
)
_CLOSE = (
    "solved to a duality gap of 1e-6, and probabilities come from folds of rows, which copies fall "
    "into differently; tests/uncertain/test_margin.py compares the weights at a smaller gap"
)
_STREAM = (
    "a stream takes one step per row: a weight of two scales one step, two copies are two steps"
)
_ORDERED = (
    "in a stream a weight asks for a larger margin or step, which reading a row twice does not"
)
_TOLERANCE = (
    "solved to a tolerance, so copies of a row and its weight agree to that only; "
    "tests/svm/test_weights.py compares them with a small one"
)
_BY_SIGN = "as published predict goes by the sign of f, predict_proba is calibrated while learning"
_WEIGHTS_EXEMPT = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)

EXEMPT = {
    # "ClassName": {"check_name": "reason"},
    "BayesDecisionClassifier": {"check_zero_cost_example_is_ignored": _PROBABILITY},
    "BudgetDecisionClassifier": {"check_zero_cost_example_is_ignored": _PROBABILITY},
    "ThresholdDecisionClassifier": {"check_zero_cost_example_is_ignored": _PROBABILITY},
    "ConfidenceForestClassifier(n_estimators=8, random_state=0)": {
        "check_sample_weight_equivalence_on_dense_data": _DRAWN,
        "check_sample_weight_equivalence_on_sparse_data": _DRAWN,
    },
    "UncertainMarginClassifier": dict.fromkeys(_WEIGHTS_EXEMPT, _CLOSE),
    "UncertainKernelClassifier": dict.fromkeys(_WEIGHTS_EXEMPT, _CLOSE),
    **{
        name: dict.fromkeys(_WEIGHTS_EXEMPT, reason)
        for reason, names in {
            _REJECTION: ("CostingClassifier",),
            _VOTERS: ("ConfidenceNeighborsClassifier",),
            _STREAM: (
                *("AROWClassifier", "CWCVaRClassifier", "CWClassifier", "CWRobustClassifier"),
                *("PAClassifier", "PerceptronClassifier", "ProbitClassifier", "SCWClassifier"),
                *("KernelFeaturesClassifier", "OneVsRestStreamClassifier"),
                *("StreamForestClassifier", "StreamBlendClassifier"),
            ),
            _ORDERED: (
                *("KernelPAUMClassifier", "CSDUOLClassifier", "DUOLClassifier"),
                "AnomalyDetector",
            ),
            _TOLERANCE: (
                *("BiasedPenaltySVC", "BoundaryMovementSVC", "CostSensitiveSVC"),
                *("LinearCostSensitiveSVC", "PairwiseSVC"),
            ),
        }.items()
        for name in names
    },
    **{
        f"Kernel{name}Classifier": {
            "check_classifiers_train": _BY_SIGN,
            **dict.fromkeys(_WEIGHTS_EXEMPT, _ORDERED),
        }
        for name in ("Perceptron", "ALMA", "ROMMA", "PA", "CPA")
    },
    "QuadraticMeanClassifier()": {"check_classifiers_train": _BALANCED},
    "QuadraticMeanReweighting": {"check_classifiers_train": _BALANCED},
    "KernelQuadraticMeanClassifier()": {"check_classifiers_train": _BALANCED},
}

_NO_PRICES = "gives probabilities; BayesDecisionClassifier around it decides at prices, and warns"
_MATRIX = "takes a cost_matrix of all classes, see tests/online/test_many_classes.py"
_NEEDS_ANOTHER = "decides with another learner, so that compare cannot run it alone"

# learners that compare does not run by name, each with the reason
WITHOUT_INFO = {
    "BayesDecisionClassifier": _NEEDS_ANOTHER,
    "BlendClassifier": _NEEDS_ANOTHER,
    "BudgetDecisionClassifier": _NEEDS_ANOTHER,
    "ThresholdDecisionClassifier": _NEEDS_ANOTHER,
    "OneVsRestStreamClassifier": _NEEDS_ANOTHER,
    "PairwiseSVC": _NEEDS_ANOTHER,
    "QuadraticMeanReweighting": _NEEDS_ANOTHER,
    "QuadraticMeanRegressor": "no classifier",
    "UncertainOneVsRestClassifier": _NEEDS_ANOTHER,
    "UncertainKernelClassifier": "SVC unless a table has error bars, see compare",
    "UncertainScaler": "no classifier",
    "UncertainLogisticClassifier": "logistic regression unless a table has error bars, see compare",
    "BayesNetConfidence": "no classifier",
    "MixtureConfidence": "no classifier",
    "CostProportionateSampler": "no classifier",
    "SafeLevelSMOTE": "no classifier",
    "WrapperSampler": "no classifier",
}

# tests of test_contract.py that a learner does not run, each with the reason
CONTRACT = {
    "test_costs_of_predict_decide": {
        "OneVsRestStreamClassifier": _MATRIX,
        "UncertainOneVsRestClassifier": _NO_PRICES,
        "BlendClassifier": _NO_PRICES,
        "ThresholdDecisionClassifier": "has one threshold for all rows, so predict takes no costs",
    },
    "test_worthless_decisions_are_told": {
        "OneVsRestStreamClassifier": _MATRIX,
        "BlendClassifier": _NO_PRICES,
        "BudgetDecisionClassifier": "always positive would break the budget that it was given",
        "UncertainOneVsRestClassifier": _NO_PRICES,
        "UncertainLogisticClassifier": "takes no costs in fit; warns at those of its constructor",
        "ConfidenceNeighborsClassifier": "looks at votes of others, see tests/neighbors",
    },
    "attributes without an underscore": {},
    # with approximation, oob, a frame or classical errors only
    "attributes of some settings": {
        *("feature_map_", "coef_", "oob_probability_", "oob_cost_", "feature_names_in_"),
        "population_",
        *("approximation_loss_", "calibration_"),
    },
}


def expected_failed_checks(estimator):
    """The exemptions of one instance, by its representation, or else of its class."""
    return EXEMPT.get(repr(estimator), EXEMPT.get(type(estimator).__name__, {}))
