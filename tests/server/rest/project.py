"""A client of one tenant's project, below `/v1`."""

from dataclasses import dataclass
from typing import Any

import httpx
from tests.server.serving import Gateway


@dataclass(frozen=True, slots=True)
class Project:
    """Requests of one project of a tenant. All but `send` expect to succeed."""

    gateway: Gateway
    name: str
    tenant: str

    def send(self, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
        own = {"tenant": self.tenant, "project": self.name}
        return self.gateway.call(method, f"/v1{path}", body, **own | more)

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
