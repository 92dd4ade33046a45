"""Hosts and agents for the protocol tests."""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.fixed_plugin import FixedPlugin
from tests.protocol.serving import Agent, Process, Served

PLUGIN = """
import sys
sys.path.insert(0, {root!r})
from tests.protocol.fixed_plugin import FixedPlugin
"""


@pytest.fixture
def plugin() -> FixedPlugin:
    return FixedPlugin()


@pytest.fixture
def served(tmp_path: Path) -> Generator[Callable[..., Served]]:
    """Yield a function that starts hosts on the test's database; stop them afterwards."""
    there: list[Served] = []

    def start(*plugins: Any, **kwargs: Any) -> Served:
        url = kwargs.pop("database_url", str(tmp_path / "seasoned.db"))
        there.append(Served(url, plugins, **kwargs))
        return there[-1]

    yield start
    for each in there:
        each.stop()


@pytest.fixture
def agents() -> Generator[Callable[..., Agent]]:
    there: list[Agent] = []

    def start(host: Served, *args: Any, **kwargs: Any) -> Agent:
        there.append(Agent(host.port, *args, **kwargs))
        return there[-1]

    yield start
    for each in there:
        each.close()


@pytest.fixture
def fixed_package(tmp_path: Path) -> Path:
    """A folder for `PYTHONPATH` with an installed package that brings the plugin."""
    root = Path(__file__).parents[2]
    package = tmp_path / "packages"
    about = package / "fixed_plugin_package-1.0.dist-info"
    about.mkdir(parents=True)
    (package / "fixed_plugin_package.py").write_text(PLUGIN.format(root=str(root)), "utf-8")
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: fixed-plugin-package\nVersion: 1.0\n"
    )
    (about / "entry_points.txt").write_text(
        "[seasoned.learn_plugins]\nfixed = fixed_plugin_package:FixedPlugin\n"
    )
    return package


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Callable[..., Process]]:
    """Start hosts whose home folder is that of the test, which reads their token there."""
    monkeypatch.setenv("SEASONED_HOME", str(tmp_path / "home"))
    there: list[Process] = []

    def start(*more: str, port: int = 0) -> Process:
        there.append(Process(tmp_path / "home", *more, port=port))
        return there[-1]

    yield start
    for each in there:
        each.end()
