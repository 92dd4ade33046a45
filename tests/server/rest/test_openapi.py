"""The OpenAPI document is exact: whatever it allows is answered as it says, and never fails."""

import os
from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.server.serving import Gateway

CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SEARCHING = os.environ.get("HYPOTHESIS_PROFILE") == "search"  # `make fuzz`
EXAMPLES = 100 if SEARCHING else 6
bounded = settings(
    max_examples=EXAMPLES,
    derandomize=not SEARCHING,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.timeout(1800 if SEARCHING else 300)
def test_no_request_fails_and_every_answer_fits_the_document(shared_gateway: Gateway) -> None:
    document = shared_gateway.get("/openapi.json", token=None).json()
    schema: Any = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=shared_gateway.url)
    headers = {"Authorization": f"Bearer {shared_gateway.token}"}
    walked: set[str] = set()
    for found in schema.get_all_operations():
        operation = found.ok()
        walked.add(operation.definition.raw["operationId"])
        bounded(given(case=operation.as_strategy())(sent(headers)))()
    assert len(walked) > 80


def sent(headers: dict[str, str]) -> Callable[..., None]:
    def test(case: Any) -> None:
        case.call_and_validate(headers=headers, checks=CHECKS, timeout=60)

    return test
