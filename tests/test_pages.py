"""README and docs: their Python runs, and the files they name exist."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|#|\*)([^)#]+)")
COMMAND = re.compile(r"`(?:\.venv/bin/)?python ((?:evals|benchmarks)/\w+\.py)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_of_a_page_runs(
    page: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {}
    for block in BLOCK.findall(page.read_text("utf-8")):
        exec(compile(block, page.name, "exec"), names)
    assert "Traceback" not in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_points_at_is_there(page: Path) -> None:
    text = page.read_text("utf-8")
    for target in LINK.findall(text):
        assert (page.parent / target).exists(), f"{page.name} points at {target}"
    for script in COMMAND.findall(text):
        assert (ROOT / script).exists(), f"{page.name} names {script}"


def test_the_readme_shows_what_recall_gives(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = BLOCK.findall((ROOT / "README.md").read_text("utf-8"))
    exec(compile(block, "README.md", "exec"), {})
    assert "Deploy to staging before production." in capsys.readouterr().out


MAPS = (ROOT / "AGENTS.md", ROOT / "docs" / "architecture.md")
NAMED = re.compile(r"[`\s(]((?:[\w.-]+/)*[\w-]+\.(?:py|md|toml)|(?:[\w-]+/)+)(?=[`\s,;:.)])")
PLACES = (ROOT, ROOT / "src" / "seasoned", ROOT / "docs")


@pytest.mark.parametrize("page", MAPS, ids=lambda page: page.name)
def test_every_file_on_the_map_exists(page: Path) -> None:
    named = set(NAMED.findall(page.read_text("utf-8")))
    assert named, "the map names no file"
    assert {name for name in named if not any((place / name).exists() for place in PLACES)} == set()


def test_the_architecture_page_describes_every_room() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rooms = {path.parent.name for path in (ROOT / "src" / "seasoned").glob("*/__init__.py")}
    assert {room for room in rooms if f"| `{room}` |" not in page} == set()


def test_the_drawing_of_the_rooms_is_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "draw_rooms.py"))
    page = script["PAGE"].read_text("utf-8")
    drawn = script["with_drawing"](page, script["drawing"](script["layers"](), script["imports"]()))
    assert drawn == page, "run `python scripts/draw_rooms.py`"
