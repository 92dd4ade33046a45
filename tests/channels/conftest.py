"""The world of a channel, on each of the platforms."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.channels.platforms import PLATFORMS, Platform, running
from tests.channels.world import World


@pytest.fixture(params=PLATFORMS, ids=lambda one: one.__name__.removesuffix("Platform").lower())
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[World]:
    platform: Platform = request.param()
    with running(platform) as loop:
        made = World(platform, loop, tmp_path / "home")
        yield made
        for gateway in made.gateways:
            gateway.end()
