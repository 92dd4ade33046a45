"""What the README and the docs show is what the code does: their Python is run."""

import re
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
