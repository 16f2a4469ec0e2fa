"""scikit-learn's checks that an estimator does not pass, each with the reason."""

_PROBABILITY = "a probability is learnt from all examples, also from those with nothing at stake"

EXEMPT = {
    # "ClassName": {"check_name": "reason"},
    "BayesDecisionClassifier": {"check_zero_cost_example_is_ignored": _PROBABILITY},
    "BudgetDecisionClassifier": {"check_zero_cost_example_is_ignored": _PROBABILITY},
    "ThresholdDecisionClassifier": {"check_zero_cost_example_is_ignored": _PROBABILITY},
}


def expected_failed_checks(estimator):
    return EXEMPT.get(type(estimator).__name__, {})
