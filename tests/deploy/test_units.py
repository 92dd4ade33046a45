"""The systemd units start commands that exist, as the page on running says."""

import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest

from seasoned.cli.tree import SHOWN

HOUSE = Path(__file__).parents[2]
UNITS = sorted((HOUSE / "deploy").glob("*.service"))


def unit(path: Path) -> ConfigParser:
    parsed = ConfigParser(interpolation=None)
    parsed.optionxform = str  # pyright: ignore[reportAttributeAccessIssue]
    parsed.read(path, "utf-8")
    return parsed


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_runs_a_command_without_privileges_in_its_own_folder(path: Path) -> None:
    service = unit(path)["Service"]
    program, command, *_ = service["ExecStart"].split()
    assert (program, command in SHOWN) == ("/opt/seasoned/bin/seasoned", True)
    assert service["Environment"] == f"SEASONED_HOME=/var/lib/{service['StateDirectory']}"
    assert service["NoNewPrivileges"] == "yes"
    assert service["User"] != "root"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_has_nothing_to_say_about_the_units(tmp_path: Path) -> None:
    paths = [*UNITS, *(HOUSE / "deploy").glob("*.timer")]
    for path in paths:
        text = path.read_text("utf-8").replace("/opt/seasoned/bin/seasoned", "/bin/true")
        (tmp_path / path.name).write_text(text, "utf-8")
    command = ["systemd-analyze", "verify", "--man=no", *map(str, tmp_path.iterdir())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_on_running_installs_every_unit() -> None:
    page = (HOUSE / "docs" / "running.md").read_text("utf-8")
    stems = {path.stem for path in UNITS}
    assert stems
    assert all(f"deploy/{stem}." in page for stem in stems)
