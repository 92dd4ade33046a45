"""Providers and gateways before them."""

from collections.abc import Callable, Generator

import pytest
from tests.server.conftest import gateways  # noqa: F401  # pyright: ignore[reportUnusedImport]
from tests.server.proxies.provider import Provider
from tests.server.serving import Gateway


@pytest.fixture
def provider() -> Generator[Provider]:
    there = Provider()
    yield there
    there.close()


@pytest.fixture
def gateway(gateways: Callable[..., Gateway], provider: Provider) -> Gateway:  # noqa: F811
    """A gateway before the provider."""
    return gateways(**variables(provider))


def variables(provider: Provider) -> dict[str, str]:
    """Return the settings that lead a gateway to the provider."""
    return {
        "SEASONED_PROXY__OPENAI": f"{provider.url}/v1",
        "SEASONED_PROXY__ANTHROPIC": provider.url,
        "SEASONED_PROXY__GEMINI": provider.url,
        "SEASONED_PROXY__DEADLINE_SECONDS": "20",  # of a loaded machine
        "SEASONED_BEHAVIORAL__INTERVAL_SECONDS": "0.2",
        "SEASONED_BUFFER__FLUSH_SECONDS": "0.1",
    }
