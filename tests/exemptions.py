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

EXEMPT = {
    # "ClassName": {"check_name": "reason"},
    "BayesDecisionClassifier": {"check_zero_cost_example_is_ignored": _PROBABILITY},
    "BudgetDecisionClassifier": {"check_zero_cost_example_is_ignored": _PROBABILITY},
    "ThresholdDecisionClassifier": {"check_zero_cost_example_is_ignored": _PROBABILITY},
    "ConfidenceForestClassifier(n_estimators=8, random_state=0)": {
        "check_sample_weight_equivalence_on_dense_data": _DRAWN
    },
    "QuadraticMeanClassifier()": {"check_classifiers_train": _BALANCED},
    "QuadraticMeanReweighting": {"check_classifiers_train": _BALANCED},
    "KernelQuadraticMeanClassifier()": {"check_classifiers_train": _BALANCED},
}


def expected_failed_checks(estimator):
    """The exemptions of one instance, by its representation, or else of its class."""
    return EXEMPT.get(repr(estimator), EXEMPT.get(type(estimator).__name__, {}))
