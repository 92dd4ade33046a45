"""Gateways for tests."""

from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from tests.server.serving import Gateway


@pytest.fixture
def gateways(tmp_path: Path) -> Generator[Callable[..., Gateway]]:
    """Start gateways in the test's home, with these variables; end them afterwards."""
    there: list[Gateway] = []

    def start(*more: str, **variables: str) -> Gateway:
        there.append(Gateway(tmp_path / "home", *more, **variables))
        return there[-1]

    yield start
    for one in there:
        one.end()
