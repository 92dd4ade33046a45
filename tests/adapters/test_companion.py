"""What all adapters share: sessions, databases that wait, libraries that are missing."""

import asyncio
import logging
import subprocess
import sys
from typing import Any

import pytest
from tests.adapters.lessons import BLOCK, ERROR, HINT, NOTE, REQUEST, RULES, TOOL, calls_of, teach

from seasoned import AsyncSeasoned, Seasoned
from seasoned.adapters.companion import Additions, Companion
from seasoned.core.errors import BadInput

pytestmark = pytest.mark.sqlite_only

ADAPTERS = {
    "pydantic_ai": ("pydantic_ai", "pydantic-ai", "pydantic-ai-slim"),
    "langgraph": ("langgraph", "LangGraph", "langgraph"),
    "langchain": ("langchain", "LangChain", "langchain"),
    "openai_agents": ("agents", "the OpenAI Agents SDK", "openai-agents"),
    "claude_agent": ("claude_agent_sdk", "the Claude Agent SDK", "claude-agent-sdk"),
    "smolagents": ("smolagents", "smolagents", "smolagents"),
}
OTHERS = "pydantic_ai langchain langgraph agents claude_agent_sdk smolagents".split()

HOLDS = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
"""


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False
    )
    return done.stdout + done.stderr


def test_an_adapter_says_which_library_is_missing() -> None:
    code = f"""
import importlib, sys
for name, module in {[(name, one[0]) for name, one in ADAPTERS.items()]!r}:
    sys.modules[module] = None
    try:
        importlib.import_module("seasoned.adapters." + name)
    except Exception as error:
        print(type(error).__name__, error, sep=": ")
    del sys.modules[module]
"""
    told = python(code).strip().splitlines()

    assert told == [
        f"MissingExtra: the adapter for {name} needs {name}; install it: pip install {package}"
        for _, name, package in ADAPTERS.values()
    ]


@pytest.mark.parametrize("name", ["langgraph", "openai_agents", "claude_agent", "smolagents"])
def test_an_adapter_needs_no_other_framework(name: str) -> None:
    own = {ADAPTERS[name][0]}
    absent = [other for other in OTHERS if other not in own]
    code = f"""
import sys
for name in {absent!r}:
    sys.modules[name] = None
import seasoned.adapters.{name}
print("fine")
"""
    assert python(code).strip().splitlines()[-1] == "fine"


def test_seasoned_itself_imports_no_framework() -> None:
    code = f"import sys, seasoned; print([name for name in {OTHERS!r} if name in sys.modules])"
    assert python(code).strip() == "[]"


def test_an_adapter_takes_a_seasoned() -> None:
    given: Any = "seasoned.db"

    with pytest.raises(BadInput, match="takes a Seasoned or an AsyncSeasoned first, not a str"):
        Companion(given)


@pytest.mark.both_dialects
@pytest.mark.parametrize("kind", [Seasoned, AsyncSeasoned])
@pytest.mark.parametrize("is_async", [False, True])
def test_both_kinds_serve_synchronous_and_asynchronous_frameworks(
    database_url: str, kind: type[Any], is_async: bool, home: Any
) -> None:
    with Seasoned(database_url) as first:
        teach(first)

    async def talk() -> tuple[Additions, str]:
        s = kind(database_url)
        companion = Companion(s)
        followed = companion.follow(None, "thread")
        if is_async:
            added = await followed.prepare([REQUEST], [TOOL])
            hint = await followed.called(TOOL, {"day": "x"}, error=ValueError(ERROR))
            await followed.replied("Gut.")
            await followed.end()
        else:
            added = followed.run(followed.prepare([REQUEST], [TOOL]), Additions())
            work = followed.called(TOOL, {"day": "x"}, error=ValueError(ERROR))
            hint = followed.run(work, "")
            followed.run(followed.replied("Gut."), None)
            followed.run(followed.end(), None)
        assert not companion.failures
        await companion.seasoned.close()
        return added, hint

    added, hint = asyncio.run(talk())
    assert added.stable == RULES
    assert added.blocks == (BLOCK,)
    assert added.notes_text == f"Notes from experience with tools:\n- {TOOL}: {NOTE}"
    assert hint == HINT
    with Seasoned(database_url) as last:
        assert calls_of(last) == (1, 1)
        assert last.sessions.get("thread").ended_at is not None


def test_an_event_loop_runs_on_while_another_process_holds_the_database(
    database_url: str, opened: Any
) -> None:
    s = opened(database_url)
    s.observe(TOOL, {}, result="ok")  # imports what it needs
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, database_url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"

        async def talk() -> None:
            followed = Companion(s).follow(None, "thread")
            call = asyncio.create_task(followed.called(TOOL, {"day": "x"}, error=ERROR))
            for _ in range(20):
                await asyncio.sleep(0.001)
                assert not call.done()
            holder.communicate(b"\n")
            await call

        asyncio.run(talk())
    assert calls_of(s) == (2, 1)


def test_the_same_words_in_a_later_turn_are_heard_again(seasoned: Seasoned) -> None:
    followed = Companion(seasoned).follow(None, "thread")

    for _ in range(2):
        followed.run(followed.prepare([REQUEST]), Additions())
        followed.run(followed.prepare([REQUEST], new=False), Additions())  # after a tool call
        followed.run(followed.replied("Done."), None)

    said = [one.text for one in seasoned.sessions.messages("thread")]
    assert said == [REQUEST, "Done.", REQUEST, "Done."]


def test_a_turn_that_another_process_began_is_not_heard_twice(seasoned: Seasoned) -> None:
    for new in (True, False):
        followed = Companion(seasoned).follow(None, "thread")
        followed.run(followed.prepare([REQUEST], new=new), Additions())

    assert [one.text for one in seasoned.sessions.messages("thread")] == [REQUEST]


def test_requests_of_a_program_are_no_corrections(seasoned: Seasoned) -> None:
    teach(seasoned)
    followed = Companion(seasoned, by_user=False).follow(None, "job")

    for message in (REQUEST, "No. Always answer in French."):
        added = followed.run(followed.prepare([message]), Additions())
        followed.run(followed.replied("Done."), None)
        assert added.stable == RULES

    assert seasoned.sessions.list() == []
    assert all("French" not in one.content for one in seasoned.rules.list())


def test_a_name_that_cannot_be_found_is_logged(
    seasoned: Seasoned, caplog: pytest.LogCaptureFixture
) -> None:
    companion = Companion(seasoned, session=lambda context: context["thread"])

    with caplog.at_level(logging.ERROR, "seasoned.adapters"):
        followed = companion.follow({}, "thread of the framework")

    assert followed.session == "thread of the framework"
    assert "could not find the name of the session or user" in caplog.text


def test_failures_are_counted_where_the_status_shows_them(seasoned: Seasoned) -> None:
    companion = Companion(seasoned)

    companion.run(_raises(), None)

    assert companion.failures == {"reach the database": 1}
    assert seasoned.status()["listener_failures"] == {"adapter: reach the database": 1}


async def _raises() -> None:
    raise RuntimeError("the portal is gone")
