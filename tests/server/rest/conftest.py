"""One gateway for the tests of a file: each test works in a project of its own."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from tests.server.serving import Gateway


@dataclass(frozen=True, slots=True)
class Project:
    """Requests of one project to a gateway; what it needs not be, it expects to succeed."""

    gateway: Gateway
    name: str

    def send(self, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
        return self.gateway.call(method, f"/v1{path}", body, **{"project": self.name} | more)

    def get(self, path: str, **more: Any) -> Any:
        return self._done(self.send("GET", path, **more))

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        return self._done(self.send("POST", path, body, **more))

    def patch(self, path: str, body: Any = None, **more: Any) -> Any:
        return self._done(self.send("PATCH", path, body, **more))

    def delete(self, path: str, **more: Any) -> Any:
        return self._done(self.send("DELETE", path, **more))

    def _done(self, answer: httpx.Response) -> Any:
        assert answer.is_success, f"{answer.status_code} {answer.text}"
        return answer.json()

    def pages(self, path: str, limit: int, **more: Any) -> list[list[Any]]:
        """Read a list to its end, so many at a time."""
        found: list[list[Any]] = []
        cursor: str | None = None
        while True:
            params = {"limit": limit, **({"cursor": cursor} if cursor else {})}
            page = self.get(path, params={**more, **params})
            found.append(page["items"])
            cursor = page["next"]
            if cursor is None:
                return found


@pytest.fixture(scope="module")
def shared_gateway(tmp_path_factory: pytest.TempPathFactory) -> Generator[Gateway]:
    home = tmp_path_factory.mktemp("rest") / "home"
    gateway = Gateway(home, SEASONED_GRAPH__ENABLED="true")
    yield gateway
    gateway.end()


@pytest.fixture
def project(shared_gateway: Gateway, request: pytest.FixtureRequest) -> Project:
    return Project(shared_gateway, request.node.name[:100])
