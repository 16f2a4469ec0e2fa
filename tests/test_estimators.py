"""Every estimator of the library, found by looking, against scikit-learn's checks and ours."""

import warnings

import pytest
from sklearn.base import is_classifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from checks import ALL_CHECKS
from exemptions import EXEMPT, expected_failed_checks
from instances import instances

# solved to a tolerance, so copies of a row and its weight agree to that only, not to the last
# digits; tests/game/test_stackelberg.py compares them
TO_A_TOLERANCE = {
    ("StackelbergClassifier", "check_sample_weight_equivalence_on_dense_data"),
    ("StackelbergClassifier", "check_sample_weight_equivalence_on_sparse_data"),
}
CLASSIFIERS = [estimator for estimator in instances() if is_classifier(estimator)]


@pytest.mark.jit  # they see interfaces; without the JIT the tests of each family run its loops
@parametrize_with_checks(instances(), expected_failed_checks=expected_failed_checks)
def test_scikit_learn_checks(estimator, check):
    if (type(estimator).__name__, name_of(check)) in TO_A_TOLERANCE:
        pytest.skip("solved to a tolerance, so copies of a row and its weight agree to that only")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's checks provoke warnings on purpose
        check(estimator)


def name_of(check):
    """The name of a check of scikit-learn, which may have some of its arguments bound."""
    return getattr(check, "func", check).__name__


@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_costs_contract(estimator, check):
    exempt = EXEMPT.get(type(estimator).__name__, {})
    if check.__name__ in exempt:
        pytest.skip(exempt[check.__name__])
    check(estimator)
