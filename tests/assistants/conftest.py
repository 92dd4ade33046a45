"""Services behind hooks, each in a home folder of its own."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.assistants.hook_runner import Hooks


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hooks]:
    """A service that is up; the tests of a file share it, in sessions and projects of their own."""
    there = Hooks(tmp_path_factory.mktemp("hooks") / "home")
    there.start()
    yield there
    there.end()


@pytest.fixture
def own_hooks(tmp_path: Path) -> Generator[Hooks]:
    """A home folder without a service, for tests that start and end some."""
    there = Hooks(tmp_path / "home")
    yield there
    there.end()


@pytest.fixture
def project(tmp_path: Path) -> str:
    """A folder that is a git repository."""
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    return str(folder)
