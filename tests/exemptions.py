"""scikit-learn's checks that an estimator does not pass, each with the reason."""

EXEMPT = {
    # "ClassName": {"check_name": "reason"},
}


def expected_failed_checks(estimator):
    return EXEMPT.get(type(estimator).__name__, {})
