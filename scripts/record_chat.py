"""Record `seasoned chat` on a pseudo terminal, with a scripted model, for docs/agent.md.

    python scripts/record_chat.py           # print the recording
    python scripts/record_chat.py --write   # put it into the page

Ids and times, which differ from run to run, are replaced by fixed ones.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HOUSE))

from tests.cli.terminal_driver import CTRL_C, CTRL_D, PROMPT, Terminal  # noqa: E402

PAGE = HOUSE / "docs" / "agent.md"
BEGIN, END = "<!-- recorded by scripts/record_chat.py -->\n```text\n", "```\n<!-- end -->"
ID = re.compile(r"\b(?=[0-9a-z]*\d)[0-9a-z]{12}\b")

SCRIPT = [
    "A branch is a movable name for a commit. You make one with git switch -c NAME.",
    {
        "say": "I write that down.",
        "calls": [
            {"tool": "write_file", "args": {"path": "branches.md", "text": "# Branches\n\n- main"}}
        ],
    },
    "It is in branches.md.",
    "Short: a name for a commit.",
    "A tag: a fixed name for a commit.",
    {"say": "Git was born in April 2005, when", "pause_seconds": 1.5},
]


def recorded() -> str:
    """Play the scenes and return what the terminal showed."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "work"
        root.mkdir()
        (root / "script.json").write_text(json.dumps(SCRIPT))
        args = ("chat", "--model", "scripted:script.json", "--session", "git", "--tools", "files")
        with Terminal(*args, home=Path(folder) / "home", folder=root) as screen:
            play(screen)
            shown = screen.text.replace(str(root), "/home/sam/notes")
    return fixed(f"$ seasoned {' '.join(args)}\n{shown}")


def play(screen: Terminal) -> None:
    screen.wait(PROMPT)
    screen.say("What is a branch?")  # an answer
    screen.wait(PROMPT)
    screen.say("Write down that main is one.")  # a tool that needs approval
    screen.wait("): ")
    screen.say("y")
    screen.wait(PROMPT)
    screen.say("Too long. Always answer in one short sentence.")  # a correction
    screen.wait(PROMPT)
    screen.say("And a tag?")
    screen.wait(PROMPT)
    for command in ("/lessons", "/why"):
        screen.say(command)
        screen.wait(PROMPT)
    screen.say("Tell me the history of git.")  # an answer that is stopped
    screen.wait("Git was born")
    screen.press(CTRL_C)
    screen.wait(PROMPT)
    screen.press(CTRL_D)
    screen.ends()


def fixed(shown: str) -> str:
    """Replace what differs from run to run."""
    names: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        return names.setdefault(found[0], f"lesson{len(names) + 1:06}")

    text = ID.sub(name, re.sub(r"\(\d+ ms\)", "(2 ms)", shown))
    return "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"


def write() -> None:
    """Put the recording into the page."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + recorded() + END + rest.partition(END)[2], "utf-8")


if __name__ == "__main__":
    write() if "--write" in sys.argv else sys.stdout.write(recorded())
