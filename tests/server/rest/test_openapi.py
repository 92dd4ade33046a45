"""The OpenAPI document is exact: whatever it allows is answered as it says, and never fails."""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks as openapi_checks
from tests.api.scope_world import populate
from tests.server.serving import Gateway

from seasoned import Seasoned

CONFORM = ("status_code", "content_type", "response_headers", "response_schema")
CHECKS: list[Any] = [getattr(openapi_checks, f"{what}_conformance") for what in CONFORM]
SEARCHING = os.environ.get("HYPOTHESIS_PROFILE") == "search"  # `make fuzz`
EXAMPLES = {GenerationMode.POSITIVE: 4, GenerationMode.NEGATIVE: 2}
bounded = settings(
    derandomize=not SEARCHING,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
)
# The kinds of things that a parameter of a path may name.
NAMED: Mapping[str, Sequence[str]] = {
    "lesson": ("rule", "fix", "example"),
    "rule": ("rule", "suspended", "candidate"),
    "item": ("candidate", "conflict"),
    "conflict": ("conflict",),
    "correction": ("pending",),
    "error": ("error",),
    "example": ("example",),
    "skill": ("skill",),
    "document": ("document",),
    "session": ("session",),
    "memory": ("memory",),
    "inquiry": ("inquiry",),
    "name": ("key",),
    "schedule": ("schedule", "paused"),
    "job": ("job", "cancelled"),
    "approval": ("inquiry",),  # no call waits: 404
}
KNOWN = st.integers(-25, 99)  # the place of a thing that exists; below 0: as it was generated
Ids = Mapping[str, Sequence[str]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Gateway, Ids]]:
    """A gateway with things of every kind, and their ids."""
    home: Path = tmp_path_factory.mktemp("openapi") / "home"
    home.mkdir()
    kinds = {kind: kind for found in NAMED.values() for kind in found}
    with Seasoned(home / "seasoned.db") as s:
        things = populate(s, kinds)
    ids = {
        name: [one.id for kind in found for one in things[kind].values()]
        for name, found in NAMED.items()
    }
    gateway = Gateway(home, SEASONED_GRAPH__ENABLED="true")
    yield gateway, ids
    gateway.end()


@pytest.mark.timeout(3600 if SEARCHING else 300)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_request_fails_and_every_answer_fits_the_document(
    world: tuple[Gateway, Ids], mode: GenerationMode
) -> None:
    gateway, ids = world
    document = gateway.get("/openapi.json", token=None).json()
    schema: Any = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=gateway.url)
    many = EXAMPLES[mode] * (25 if SEARCHING else 1)
    statuses: dict[str, set[int]] = {}
    for found in schema.get_all_operations():
        operation = found.ok()
        seen = statuses.setdefault(operation.label, set())
        test = sent({"Authorization": f"Bearer {gateway.token}"}, ids, seen)
        cases: Any = operation.as_strategy(generation_mode=mode)
        settings(bounded, max_examples=many)(given(case=cases, known=KNOWN)(test))()
    assert len(statuses) > 80
    if mode is GenerationMode.POSITIVE:  # nearly all operations were seen at work
        idle = [name for name, seen in statuses.items() if not any(one < 300 for one in seen)]
        assert len(idle) < 18, "\n".join(idle)


def sent(headers: dict[str, str], ids: Ids, seen: set[int]) -> Callable[..., None]:
    def test(case: Any, known: int) -> None:
        if known >= 0:  # a thing that exists, in the scope that holds all
            asked: dict[str, Any] = case.path_parameters or {}
            named = {name: ids.get(name, [one]) for name, one in asked.items()}
            case.path_parameters = {name: one[known % len(one)] for name, one in named.items()}
            case.headers = {}
        answer = case.call_and_validate(headers=headers, checks=CHECKS, timeout=60)
        assert answer.status_code < 500, answer.text
        seen.add(answer.status_code)

    return test
