"""Agents of the real Claude Agent SDK that learn; a stand-in plays the program that it starts."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import ClaudeAgentOptions, HookMatcher
from tests.adapters.claude_stand_in import ClaudeStandIn
from tests.adapters.lessons import (
    BLOCK,
    ERROR,
    FIX,
    HINT,
    NOTE,
    REQUEST,
    RULES,
    TOOL,
    calls_of,
    conversation,
    teach,
)

from seasoned import AsyncSeasoned, Seasoned
from seasoned.adapters.claude_agent import learning_hooks, learning_options

pytestmark = pytest.mark.sqlite_only

WRONG, RIGHT = {"day": "x"}, {"day": "2027-05-30"}
RESULTS = [(WRONG, {"error": ERROR}), (RIGHT, {"result": "booked"})]
PREFACE = f"{RULES}\n\nNotes from experience with tools:\n- {TOOL}: {NOTE}"


def call(given: dict[str, Any]) -> dict[str, Any]:
    return {"tool": TOOL, "input": given}


def stand_in(folder: Path, *answers: Any, results: Any = RESULTS, name: str = "c1") -> Any:
    claude = ClaudeStandIn(folder, name)
    claude.script(answers, results)
    return claude


def test_the_model_is_sent_rules_notes_the_block_and_the_hint(
    seasoned: Seasoned, tmp_path: Path
) -> None:
    teach(seasoned)
    claude = stand_in(tmp_path, call(WRONG), call(RIGHT), "Gebucht.", "Gern.")
    options = learning_options(seasoned, ClaudeAgentOptions(system_prompt="Be brief."))

    replies = asyncio.run(claude.converse(options, REQUEST, "Thanks."))

    assert replies == ["Gebucht.", "Gern."]
    assert claude.sent[-1] == [
        f"--system-prompt: Be brief.\n\n{PREFACE}",
        f"user: {REQUEST}",
        f"hook: {BLOCK}",
        f"error: {ERROR}",
        f"hook: {HINT}",
        'result: "booked"',
        "assistant: Gebucht.",
        "user: Thanks.",
    ]
    assert calls_of(seasoned) == (2, 1)
    assert conversation(seasoned) == [REQUEST, "Gebucht.", "Thanks.", "Gern."]
    assert [one.name for one in seasoned.sessions.list()] == ["c1"]


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (None, f"--system-prompt: {PREFACE}"),
        ({"type": "preset", "preset": "claude_code"}, f"--append-system-prompt: {PREFACE}"),
        (
            {"type": "preset", "preset": "claude_code", "append": "Be brief."},
            f"--append-system-prompt: Be brief.\n\n{PREFACE}",
        ),
        ({"type": "custom", "prompt": "Be brief."}, f"--system-prompt: Be brief.\n\n{PREFACE}"),
    ],
)
def test_every_form_of_a_system_prompt_gets_the_rules(
    seasoned: Seasoned, tmp_path: Path, given: Any, sent: str
) -> None:
    teach(seasoned)
    claude = stand_in(tmp_path, "Gut.")

    options = learning_options(seasoned, ClaudeAgentOptions(system_prompt=given))
    asyncio.run(claude.converse(options, REQUEST))

    assert claude.sent[0][0] == sent


def test_hooks_alone_bring_the_rules_with_the_first_prompt(
    seasoned: Seasoned, tmp_path: Path
) -> None:
    teach(seasoned)
    claude = stand_in(tmp_path, "Gut.", "Gern.")

    asyncio.run(
        claude.converse(ClaudeAgentOptions(hooks=learning_hooks(seasoned)), REQUEST, "Thanks.")
    )

    (told,) = [one for one in claude.sent[-1] if one.startswith("hook: ")]
    assert told.startswith(f"hook: {RULES}\n\n{BLOCK}")
    assert FIX in told  # no description can carry it


def test_a_rule_learned_in_a_session_comes_with_the_message(
    seasoned: Seasoned, tmp_path: Path
) -> None:
    claude = stand_in(tmp_path, "Done.", "Erledigt.")

    asyncio.run(
        claude.converse(learning_options(seasoned), REQUEST, "No. Always answer in German.")
    )

    assert claude.sent[-1][-1].startswith("hook: ")
    assert "Always answer in German." in claude.sent[-1][-1]


def test_hooks_of_the_owner_run_as_before(seasoned: Seasoned, tmp_path: Path) -> None:
    teach(seasoned)
    heard: list[str] = []

    async def hears(given: Any, call: str | None, context: Any) -> Any:
        heard.append(given["hook_event_name"])
        return {}

    options = ClaudeAgentOptions(
        hooks={
            "PostToolUseFailure": [HookMatcher(hooks=[hears])],
            "PreCompact": [HookMatcher(hooks=[hears])],
        }
    )
    claude = stand_in(tmp_path, call(WRONG), "So nicht.")
    asyncio.run(claude.converse(learning_options(seasoned, options), REQUEST))

    assert heard == ["PostToolUseFailure"]
    assert claude.sent[-1][-1] == f"hook: {HINT}"
    assert options.hooks is not None
    assert sorted(options.hooks) == ["PostToolUseFailure", "PreCompact"]


def test_a_result_that_reports_a_failure_gets_the_hint(seasoned: Seasoned, tmp_path: Path) -> None:
    teach(seasoned)
    reported = {"result": {"exit_code": 2, "stderr": ERROR}}
    claude = stand_in(tmp_path, call(WRONG), "So nicht.", results=[(WRONG, reported)])

    asyncio.run(claude.converse(learning_options(seasoned), REQUEST))

    assert claude.sent[-1][-1] == f"hook: {HINT}"


def test_a_call_that_was_interrupted_teaches_nothing(seasoned: Seasoned) -> None:
    teach(seasoned)
    (matcher,) = learning_hooks(seasoned)["PostToolUseFailure"]
    given: Any = {
        "hook_event_name": "PostToolUseFailure",
        "session_id": "c1",
        "tool_name": TOOL,
        "tool_input": WRONG,
        "error": "[Request interrupted by user for tool use]",
        "is_interrupt": True,
    }

    assert asyncio.run(_awaited(matcher.hooks[0](given, "t1", {"signal": None}))) == {}
    assert seasoned.errors() == [one for one in seasoned.errors() if ERROR in one.template]


async def _awaited(work: Any) -> Any:
    return await work


@pytest.mark.parametrize("kind", [Seasoned, AsyncSeasoned])
def test_a_database_that_fails_does_not_break_the_session(
    database_url: str, kind: type[Any], home: Any, tmp_path: Path, caplog: Any
) -> None:
    claude = stand_in(tmp_path, call(WRONG), "So nicht.")

    async def talk() -> list[str]:
        s = kind(database_url)
        options = learning_options(s)
        await (s.inner if isinstance(s, Seasoned) else s).close()
        return await claude.converse(options, REQUEST)

    with caplog.at_level(logging.WARNING, "seasoned.adapters"):
        assert asyncio.run(talk()) == ["So nicht."]

    assert claude.sent[-1] == ["--system-prompt: ", f"user: {REQUEST}", f"error: {ERROR}"]
    assert "could not hear a message; the agent is not affected" in caplog.text


def test_lessons_are_those_of_the_user(seasoned: Seasoned, tmp_path: Path) -> None:
    def talk(who: str, *said: str) -> str:
        claude = stand_in(tmp_path, *["Done."] * len(said), name=f"{who}-{len(said)}")
        asyncio.run(claude.converse(learning_options(seasoned, user=who), *said))
        return claude.sent[0][0]

    talk("ana", "Hello.", "No. Always answer in German.")
    seasoned.corrections.learn()

    assert "German" in talk("ana", "Hello again.")
    assert "German" not in talk("bob", "Hello again.")
