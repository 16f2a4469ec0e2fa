"""The OpenAPI document against the service: requests it allows and forbids, answers it names."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from serve.serving import listening, new_service
from stakes.serve import Capacity
from stakes.serve._openapi import document

FEW = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def operations():
    """Method and path of everything in the document."""
    return [
        (m, path) for path, one in document()["paths"].items() for m in one if m != "parameters"
    ]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("openapi")
    capacity = Capacity(max_reviews=3, review_cost=0.1)
    with listening(new_service(folder / "store.db", capacity)) as url:
        yield url.rstrip("/")


@pytest.mark.parametrize(("method", "path"), operations())
def test_answers_are_those_of_the_document(service, method, path):
    schema = schemathesis.openapi.from_url(f"{service}/openapi.json")

    @FEW
    @given(case=schema[path][method].as_strategy())
    def ask(case):
        # an event of the right form may still not fit the model: 422 then, which says why
        case.call_and_validate(base_url=service, excluded_checks=[positive_data_acceptance])

    ask()
