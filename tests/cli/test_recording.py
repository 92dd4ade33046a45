"""The recording of a chat in docs/agent.md is what `scripts/record_chat.py` makes."""

import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).parents[2]
SCENES = (
    "A branch is a movable name",  # an answer
    "write_file asks for your approval",
    "noted from now on: Always answer in one short sentence. [lesson000001]",
    "you> /lessons\n",
    "you> /why\n",
    "stopped",
)


def test_the_page_shows_what_the_script_records() -> None:
    recorded = subprocess.run(
        [sys.executable, HOUSE / "scripts" / "record_chat.py"],
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=True,
    ).stdout
    page = (HOUSE / "docs" / "agent.md").read_text("utf-8")
    _, _, shown = page.partition("scripts/record_chat.py -->\n```text\n")
    assert lines(recorded) == lines(shown.partition("```")[0])
    for scene in SCENES:
        assert scene in recorded


def lines(recording: str) -> list[str]:
    """Return the lines without the tables of lessons: more may be learned on the way."""
    return [one for one in recording.splitlines() if not one.startswith(("lesson0", "──"))]
