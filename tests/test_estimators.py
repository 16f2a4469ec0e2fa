"""Every estimator of the library, found by looking, against scikit-learn's checks and ours."""

import warnings

import pytest
from sklearn.base import is_classifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from checks import ALL_CHECKS
from exemptions import EXEMPT, expected_failed_checks
from instances import instances

CLASSIFIERS = [estimator for estimator in instances() if is_classifier(estimator)]


@parametrize_with_checks(instances(), expected_failed_checks=expected_failed_checks)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's checks provoke warnings on purpose
        check(estimator)


@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_costs_contract(estimator, check):
    exempt = EXEMPT.get(type(estimator).__name__, {})
    if check.__name__ in exempt:
        pytest.skip(exempt[check.__name__])
    check(estimator)
