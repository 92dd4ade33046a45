"""Live gateways for tests."""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.server.live.serving import LiveGateway


@pytest.fixture
def live(tmp_path: Path) -> Generator[Callable[..., LiveGateway]]:
    """Start gateways in this process, with the steps of their model; end them afterwards."""
    there: list[LiveGateway] = []

    def start(*steps: Any, **more: Any) -> LiveGateway:
        there.append(LiveGateway(tmp_path / f"home{len(there)}", *steps, **more))
        return there[-1]

    yield start
    for one in there:
        one.end()
