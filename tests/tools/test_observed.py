"""A tool error in one session gives the next session its fix, with the real learner."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.tools.turns import Person, played

from seasoned import AsyncSeasoned
from seasoned.core.messages import ToolResult
from seasoned.core.scope import Scope
from seasoned.fixes.hint import Hint
from seasoned.tools.approval import ApprovalRules
from seasoned.tools.builtin.shell import shell_tools
from seasoned.tools.observed import Observed
from seasoned.tools.run import ALLOW, ToolRun
from seasoned.tools.toolset import toolset_from, wrapped

pytestmark = pytest.mark.sqlite_only


@asynccontextmanager
async def learning(
    database_url: str, folder: Path, rules: ApprovalRules | None = None
) -> AsyncGenerator[tuple[AsyncSeasoned, Observed]]:
    import os

    async with AsyncSeasoned(database_url) as seasoned:

        async def record(call: ToolResult, run: ToolRun) -> Hint | None:
            return await seasoned.observe(call)

        functions = shell_tools(folder, {"PATH": os.environ["PATH"]})
        yield seasoned, wrapped(toolset_from(functions), record, rules=rules)


def test_a_fix_found_in_one_session_stands_beside_the_error_in_the_next(
    database_url: str, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("hello")

    async def story() -> str:
        free = ApprovalRules("none")
        async with learning(database_url, tmp_path, free) as (_, tools):
            wrong = ("run_program", {"argv": ["cat", "notes.md"]})
            right = ("run_program", {"argv": ["cat", "notes.txt"]})
            for number in range(4):
                run = ToolRun(Scope(session=f"s{number}"))
                await played(tools, [[wrong], [right]], run)
            last = await played(tools, [[wrong]], ToolRun(Scope(session="another")))
            return last.texts[0]

    told = asyncio.run(story())
    assert "No such file" in told
    assert "Known fix" in told
    assert "notes.txt" in told


def test_what_was_taught_is_told_beside_wrong_arguments(
    database_url: str, home: Path, tmp_path: Path
) -> None:
    async def story() -> str:
        async with learning(database_url, tmp_path) as (seasoned, tools):
            call = [("run_program", {"argv": "ls -l"})]
            first = await played(tools, [call], ToolRun(ask=Person([ALLOW])))
            await seasoned.teach(first.texts[0], fix="Give argv as a list.", tool="run_program")
            return (await played(tools, [call], ToolRun(ask=Person([ALLOW])))).texts[0]

    told = asyncio.run(story())
    assert "wrong arguments: argv: Input should be a valid" in told
    assert "Known fix (told by the operator): Give argv as a list." in told
