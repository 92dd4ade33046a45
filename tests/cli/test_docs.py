"""Every command in docs/cli.md runs and prints what the page says.

Run this file as a script to write the current output into the page.
"""

import os
import re
import shlex
import subprocess
import tempfile
from contextlib import chdir
from pathlib import Path

from typer.testing import CliRunner

from seasoned.cli.main import app

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
TRANSCRIPT = re.compile(r"```jsonl\n(.*?)```", re.DOTALL)
DOCUMENT = re.compile(r"```markdown\n(.*?)```", re.DOTALL)
CONSOLE = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
HOME = ".home"
ID = re.compile(r"\b[0-9a-hjkmnp-tv-z]{12}\b")
# The ids that the page shows, in order of appearance.
NAMES = (
    *("k3x9m2c7q4tz", "w8r5d1h6b0jv", "m6s1x8r3h0pk", "c9f3q7t1z5nb", "z1h8n4p6s0td"),
    *("t5b8c2q7v9jw", "e4y0d6f3r8mg", "x3m9w1c5k7qa", "p4t7n0s2y6gk", "d2v6j4w8y0hs"),
    *("r7g2b5k9m3xe", "h2q8v5d1c9rn"),
)
# Text that differs between machines or days, and its replacement on the page.
VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00"), "2025-03-07T09:00:00+00:00"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?!T)\b"), "2025-03-07"),
    (re.compile(r"\bshell-[\w.-]+-\d+-\d{8}"), "shell-laptop-4711-20250307"),
    (re.compile(r"(?<=Python: )\S+"), "3.12.3"),
    (re.compile(r"(?<=SQLite )[\d.]+"), "3.50.0"),
    (re.compile(r"(?<=extras: ).*"), "postgres"),
    (re.compile(r"(?<=, )[\d.]+ MB"), "0.2 MB"),
    (re.compile(r"(?<=disk: )[\d.,]+ GB"), "42.0 GB"),
)


class Player:
    """The page's commands, run in their own folder and home."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, str] = {}  # real id: id on the page

    def block(self, text: str) -> str:
        """Return the block's commands, each with its current output."""
        commands = [line for line in text.splitlines() if line.startswith("$ ")]
        return "".join(f"{line}\n{self.run(line[2:])}" for line in commands)

    def run(self, line: str) -> str:
        for real, name in self.names.items():
            line = line.replace(name[:4], real)
        words = shlex.split(line)
        variables = {"SEASONED_HOME": HOME, "COLUMNS": "80"}
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            variables[name] = value
        code, printed = self.called(words, variables)
        assert code == 0, f"{line}: {printed}"
        return self.steady(printed.replace(HOME, "~/.seasoned"))

    def called(self, words: list[str], variables: dict[str, str]) -> tuple[int, str]:
        """Run one command; ours in this process, since starting sixty would take half a minute."""
        if words[0] == "seasoned":
            with chdir(self.folder):
                result = CliRunner().invoke(app, words[1:], env=variables)
            return result.exit_code, result.output
        done = subprocess.run(
            words,
            cwd=self.folder,
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout

    def steady(self, printed: str) -> str:
        for real in ID.findall(printed):
            if real not in self.names and len(self.names) < len(NAMES):
                self.names[real] = NAMES[len(self.names)]
        for real, name in self.names.items():
            printed = printed.replace(real, name)
        for pattern, said in VARYING:
            printed = pattern.sub(said, printed)
        return printed


def played(page: str, folder: Path) -> str:
    """Return the page with the current output of its commands."""
    for name, content in zip(("calls.jsonl", "more.jsonl"), TRANSCRIPT.findall(page), strict=True):
        (folder / name).write_text(content, "utf-8")
    document = DOCUMENT.search(page)
    assert document is not None
    (folder / "handbook.md").write_text(document[1], "utf-8")
    player = Player(folder)
    before = os.umask(0o077)  # the doctor shows who can read the files
    try:
        return CONSOLE.sub(lambda block: player.block(block[0]), page)
    finally:
        os.umask(before)


def test_the_page_prints_what_the_commands_print(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    assert played(page, tmp_path) == page


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        PAGE.write_text(played(PAGE.read_text("utf-8"), Path(name)), "utf-8")
