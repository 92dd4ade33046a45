"""One gateway for all tests of REST: each works in a tenant of its own."""

from collections.abc import Generator

import pytest
from tests.server.rest.project import Project
from tests.server.serving import Gateway


@pytest.fixture(scope="session")
def shared_gateway(tmp_path_factory: pytest.TempPathFactory) -> Generator[Gateway]:
    home = tmp_path_factory.mktemp("rest") / "home"
    # Corrections wait for their interval, so that tests say when they are learned from.
    settings = {"SEASONED_GRAPH__ENABLED": "true", "SEASONED_BEHAVIORAL__DELAY_SECONDS": "120"}
    settings["SEASONED_JOBS__ENABLED"] = "false"  # what tests start waits until they are done
    gateway = Gateway(home, **settings)
    yield gateway
    gateway.end()


@pytest.fixture
def project(shared_gateway: Gateway, request: pytest.FixtureRequest) -> Project:
    return Project(shared_gateway, "shop", f"{request.path.stem} {request.node.name}"[:150])
