"""The tools, called by the real client in memory."""

from typing import Any

import pytest
from mcp_types import Tool
from tests.reach import story
from tests.server.mcp.clients import MODES, Assistant, in_memory, text_of

from seasoned.api import AsyncSeasoned

READING = {"recall", "why"}


def test_every_tool_says_exactly_what_it_takes_and_returns(seasoned: AsyncSeasoned) -> None:
    async def look(assistant: Assistant) -> list[Tool]:
        return (await assistant.client.list_tools()).tools

    tools = {one.name: one for one in in_memory(seasoned, look)}
    assert set(tools) == {*("recall", "report_tool_result", "correct", "teach", "feedback", "why")}
    for name, tool in tools.items():
        assert tool.description
        assert tool.title
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (name in READING)
        assert tool.annotations.open_world_hint is False
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema is not None
        assert set(tool.output_schema["required"]) == set(tool.output_schema["properties"])


def test_the_server_says_when_its_tools_help_and_is_brief(seasoned: AsyncSeasoned) -> None:
    async def look(assistant: Assistant) -> str:
        return assistant.client.instructions or ""

    said = in_memory(seasoned, look, mode="legacy")
    assert "recall helps once" in said
    assert "report_tool_result" in said
    assert len(said) < 1500, "every session pays for it"


@pytest.mark.parametrize("mode", MODES)
def test_a_repaired_call_becomes_the_hint_of_the_next_failure(
    seasoned: AsyncSeasoned, mode: str
) -> None:
    async def talk(assistant: Assistant) -> None:
        wrong: dict[str, Any] = {"tool": story.TOOL, "params": story.WRONG, "error": story.ERROR}
        first = await assistant.call("report_tool_result", **wrong)
        assert first.structured_content == {"recorded": True, "hint": None}
        assert text_of(first) == "Recorded; no fix of this error is known."
        await assistant.ask(
            "report_tool_result", tool=story.TOOL, params=story.RIGHT, result="booked"
        )
        again = await assistant.call(
            "report_tool_result", tool=story.TOOL, params=story.LATER_WRONG, error=story.ERROR
        )
        hint = again.structured_content["hint"]
        assert hint["params"] == story.LATER_RIGHT
        assert hint["text"] in text_of(again)
        told = await assistant.ask("why", lesson=hint["lesson"])
        assert told["lesson"]["kind"] == "fix"
        assert "YYYY-MM-DD" in told["text"]

    in_memory(seasoned, talk, mode=mode)


def test_a_correction_holds_at_once_and_says_what_it_contradicts(seasoned: AsyncSeasoned) -> None:
    async def talk(assistant: Assistant) -> None:
        told = await assistant.ask(
            "correct", message="No, always answer in French.", request="Hi", reply="Hello!"
        )
        assert told["rule"] == "Always answer in French."
        assert told["lasts"]
        assert "French" in (await assistant.ask("recall", task="Say hello"))["text"]
        changed = await assistant.ask("correct", message="No, always answer in German.")
        assert changed["rule"] == "Always answer in German."
        assert changed["contradicts"] == ["Always answer in French."]
        known = (await assistant.ask("recall", task="Say hello"))["text"]
        assert "German" in known
        assert "French" not in known

    in_memory(seasoned, talk)


def test_a_correction_of_this_piece_of_work_holds_in_its_session_only(
    seasoned: AsyncSeasoned,
) -> None:
    async def talk(assistant: Assistant) -> None:
        result = await assistant.call(
            "correct", message="No, make this one shorter.", request="Write it", reply="Long text"
        )
        assert result.structured_content["lasts"] is False
        assert "from now on" not in text_of(result)

    in_memory(seasoned, talk)


def test_what_is_taught_is_recalled_with_its_reason(seasoned: AsyncSeasoned) -> None:
    async def talk(assistant: Assistant) -> None:
        taught = await assistant.ask(
            *("teach",), kind="rule", text="Deploy to staging first.", when="deploying"
        )
        assert taught["lesson"]["source"] == "user"
        known = await assistant.ask("recall", task="deploying the new version")
        (lesson,) = known["lessons"]
        assert lesson["id"] == taught["lesson"]["id"]
        assert lesson["text"] == "Deploy to staging first."
        assert lesson["why"]
        assert "Deploy to staging first." in known["text"]

    in_memory(seasoned, talk)


def test_nothing_relevant_is_said_in_one_line(seasoned: AsyncSeasoned) -> None:
    async def talk(assistant: Assistant) -> None:
        result = await assistant.call("recall", task="Paint the fence", tools=["brush"])
        assert result.structured_content == {"text": "", "lessons": [], "tool_notes": []}
        assert text_of(result) == "Nothing that was learned matters for this task."

    in_memory(seasoned, talk)


def test_a_lesson_may_be_for_the_user_in_all_projects_but_not_for_others(
    seasoned: AsyncSeasoned,
) -> None:
    async def talk(assistant: Assistant) -> None:
        await assistant.ask("teach", kind="preference", text="Be brief.", reach="user")
        said = await assistant.refusal("teach", kind="rule", text="All of you.", reach="project")
        assert "belongs to project 'shop'" in said

    in_memory(seasoned, talk)


@pytest.mark.parametrize(("by", "fell"), [("user", True), ("assistant", False)])
def test_feedback_moves_a_lesson_as_far_as_its_giver_is_trusted(
    seasoned: AsyncSeasoned, by: str, fell: bool
) -> None:
    async def talk(assistant: Assistant) -> float:
        taught = await assistant.ask("teach", kind="fact", text="Staging is called heron.")
        name = taught["lesson"]["id"]
        for _ in range(9):
            given = await assistant.ask("feedback", polarity="negative", lesson=name, by=by)
            assert given == {"accepted": True}
        told = await assistant.ask("why", lesson=name)
        assert len(told["evidence"]) == 10
        return told["lesson"]["confidence"]

    assert (in_memory(seasoned, talk) < 0.7) is fell


def test_a_caller_that_may_only_read_records_nothing(seasoned: AsyncSeasoned) -> None:
    async def talk(assistant: Assistant) -> None:
        said = await assistant.refusal("teach", kind="fact", text="Something.")
        assert "may only read" in said
        assert (await assistant.ask("recall", task="Something"))["lessons"] == []

    in_memory(seasoned, talk, learns=False)


def test_hidden_characters_of_a_lesson_reach_nobody(seasoned: AsyncSeasoned) -> None:
    hidden = "Deploy\u200b to \u202estaging\U000e0041 first."

    async def talk(assistant: Assistant) -> None:
        taught = await assistant.ask("teach", kind="rule", text=hidden, when="deploying")
        name = taught["lesson"]["id"]
        known = await assistant.call("recall", task="deploying the new version")
        story_of_it = await assistant.call("why", lesson=name)
        everything = [
            *(str(taught), str(known), str(story_of_it)),
            await assistant.read("seasoned://lessons"),
            await assistant.read("seasoned://rules"),
            await assistant.read(f"seasoned://lessons/{name}"),
            str(await assistant.client.list_resources()),
        ]
        for text in everything:
            assert "Deploy to staging first." in text
            assert not {"\u200b", "\u202e", "\U000e0041"} & set(text)

    in_memory(seasoned, talk)
