"""One gateway with probes for all tests of a file; one identity provider for all tests."""

import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.server.auth.probing import Probed, probed

SCRIPT = Path(__file__).parent / "oidc_provider.py"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Generator[Probed]:
    with probed(tmp_path_factory.mktemp("home")) as one:
        yield one


class IdentityProvider:
    """A provider in a process of its own, until it is stopped."""

    def __init__(self, port: int = 0) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(SCRIPT), str(port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.client = httpx.Client(base_url=self.issuer, timeout=30)

    def set_user(self, subject: str, **claims: Any) -> None:
        self.client.put(f"/users/{subject}", json=claims).raise_for_status()

    def sign(self, claims: dict[str, Any], **header: Any) -> str:
        """Sign any claims with the provider's current key."""
        asked = {"claims": claims, "header": header}
        return self.client.post("/sign", json=asked).raise_for_status().json()["token"]

    def rotate(self) -> None:
        self.client.post("/rotate").raise_for_status()

    def asked(self, path: str) -> int:
        return self.client.get("/asked").json().get(path, 0)

    def stop(self) -> None:
        self.client.close()
        self.process.terminate()
        self.process.wait(30)
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture(scope="module")
def provider() -> Generator[IdentityProvider]:
    one = IdentityProvider()
    yield one
    one.stop()
