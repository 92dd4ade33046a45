"""Agents of the OpenAI Agents SDK that learn, and what stays as it was for them."""

import asyncio
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agents import (
    Agent,
    FunctionTool,
    RunConfig,
    RunHooks,
    Runner,
    SQLiteSession,
    function_tool,
    handoff,
    set_tracing_disabled,
)
from agents.exceptions import MaxTurnsExceeded
from agents.mcp import MCPServer
from agents.run import ModelInputData
from agents.tool_context import ToolContext
from mcp.types import CallToolResult, TextContent
from mcp.types import Tool as McpTool
from tests.adapters.in_thread import in_thread
from tests.adapters.lessons import (
    BLOCK,
    DESCRIPTION,
    ERROR,
    HINT,
    NOTED,
    REQUEST,
    RULES,
    TOOL,
    book,
    calls_of,
    conversation,
    spoken,
    teach,
)
from tests.adapters.scripted_agents import ScriptedModel

from seasoned import AsyncSeasoned, Seasoned
from seasoned.adapters.openai_agents import LearningRunner

pytestmark = pytest.mark.sqlite_only
set_tracing_disabled(True)

LATE = "2027-05-30"
HIDDEN = "An error occurred while running the tool. Please try again."


def tool(function: Any = book, **more: Any) -> FunctionTool:
    made: Any = function_tool
    return made(function, name_override=TOOL, description_override=DESCRIPTION, **more)


def sorry(context: Any, error: Exception) -> str:
    return f"Sorry: {error}"


def text_of(context: Any, error: Exception) -> str:
    return str(error)


def day(value: str) -> tuple[str, dict[str, Any]]:
    return (TOOL, {"day": value})


def booker(model: ScriptedModel, *tools: Any, **more: Any) -> Agent[Any]:
    return Agent("booker", model=model, tools=list(tools or [tool()]), **more)


def run(runner: LearningRunner, agent: Agent[Any], *said: str, **more: Any) -> Any:
    async def talk() -> Any:
        history: list[Any] = []
        result: Any = None
        for one in said:
            given = [*history, {"role": "user", "content": one}]
            result = await runner.run(agent, given, **more)
            history = result.to_input_list()
        return result

    return asyncio.run(talk())


def test_the_model_is_sent_rules_notes_the_block_and_the_hint(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), day(LATE), "Gebucht.")
    agent = booker(model, instructions="Be brief.")

    result = run(LearningRunner(seasoned), agent, REQUEST)

    assert [one.instructions for one in model.sent] == [f"Be brief.\n\n{RULES}"] * 3
    assert [one.descriptions for one in model.sent] == [{TOOL: NOTED}] * 3
    assert model.sent[-1].items[0]["content"] == f"{REQUEST}\n\n{BLOCK}"
    assert model.sent[-1].outputs == [f"{HIDDEN}\n\n{HINT}", f"booked on {LATE}"]
    assert result.final_output == "Gebucht."
    kept = result.to_input_list()
    assert kept[0]["content"] == REQUEST
    assert [one["output"] for one in kept if "output" in one] == [HIDDEN, f"booked on {LATE}"]
    assert calls_of(seasoned) == (2, 1)
    assert conversation(seasoned) == [REQUEST, "Gebucht."]


def test_the_prompt_only_grows(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), "So nicht.", "Gern.", "Bitte.")

    run(LearningRunner(seasoned), booker(model), REQUEST, "Thanks.", REQUEST)

    for earlier, later in zip(model.sent, model.sent[1:], strict=False):
        assert later.items[: len(earlier.items)] == earlier.items
        assert later.instructions == earlier.instructions
        assert later.descriptions == earlier.descriptions
    assert model.sent[-1].outputs == [f"{HIDDEN}\n\n{HINT}"]
    assert model.sent[-1].items[-1]["content"] == f"{REQUEST}\n\n{BLOCK}"


def test_a_tools_own_words_for_an_error_are_followed_by_the_hint(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), "So nicht.")
    says = tool(failure_error_function=sorry)

    run(LearningRunner(seasoned), booker(model, says), REQUEST)

    assert model.sent[1].outputs == [f"Sorry: {ERROR}\n\n{HINT}"]


def test_an_error_that_ends_the_run_ends_it(seasoned: Seasoned) -> None:
    model = ScriptedModel(day("x"))

    with pytest.raises(Exception, match=ERROR):
        run(LearningRunner(seasoned), booker(model, tool(failure_error_function=None)), REQUEST)

    assert calls_of(seasoned) == (1, 1)


@pytest.mark.parametrize("mode", ["async", "sync", "streamed"])
@pytest.mark.parametrize("kind", [Seasoned, AsyncSeasoned])
def test_a_session_of_the_sdk_is_the_session(
    database_url: str, kind: type[Any], mode: str, home: Any, tmp_path: Path
) -> None:
    model = ScriptedModel(day(LATE), "Booked.", "Gern.")

    async def talk() -> list[str]:
        s = kind(database_url)
        runner, kept = LearningRunner(s), SQLiteSession("thread", tmp_path / "kept.db")
        for message in (REQUEST, "No. Always answer in German."):
            if mode == "async":
                await runner.run(booker(model), message, session=kept)
            elif mode == "sync":
                await in_thread(runner.run_sync, booker(model), message, session=kept)
            else:
                streamed = runner.run_streamed(booker(model), message, session=kept)
                async for _ in streamed.stream_events():
                    pass
        items: list[Any] = await kept.get_items()
        assert [one["content"] for one in items if one.get("role") == "user"] == [
            *(REQUEST, "No. Always answer in German.")
        ]
        kept.close()
        inner = s.inner if isinstance(s, Seasoned) else s
        said = spoken(await inner.sessions.messages("thread"))
        await inner.close()
        return said

    assert asyncio.run(talk()) == [REQUEST, "Booked.", "No. Always answer in German.", "Gern."]
    assert "Always answer in German." in model.sent[-1].items[-1]["content"].partition("\n\n")[2]


def test_parallel_calls_are_told_apart(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel([day(LATE), day("x"), day("2027-05-31"), day("y")], "Gut.")

    async def slow(day: str) -> str:
        await asyncio.sleep(0)
        return book(day)

    run(LearningRunner(seasoned), booker(model, tool(slow)), REQUEST)

    hinted = f"{HIDDEN}\n\n{HINT}"
    assert model.sent[1].outputs == [*(f"booked on {LATE}", hinted, "booked on 2027-05-31", hinted)]
    assert calls_of(seasoned) == (4, 2)


@pytest.mark.parametrize("arguments", ["{", '{"when": "x"}'])
def test_refused_arguments_are_learned_from(seasoned: Seasoned, arguments: str) -> None:
    model = ScriptedModel((TOOL, arguments), day(LATE), "Gebucht.")

    run(LearningRunner(seasoned), booker(model), REQUEST)

    assert model.sent[1].outputs == [HIDDEN]
    assert calls_of(seasoned) == (2, 1)


def test_a_tool_made_by_hand_is_heard_too(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), "So nicht.")

    async def invoke(context: ToolContext[Any], arguments: str) -> Any:
        return {"exit_code": 1, "stderr": ERROR}

    schema = {"type": "object", "properties": {"day": {"type": "string"}}}
    by_hand = FunctionTool(TOOL, DESCRIPTION, schema, invoke, strict_json_schema=False)
    run(LearningRunner(seasoned), booker(model, by_hand), REQUEST)

    assert model.sent[0].descriptions == {TOOL: NOTED}
    assert model.sent[1].outputs[0].endswith(f"\n\n{HINT}")
    assert calls_of(seasoned) == (1, 1)


def test_an_approved_call_goes_on_where_it_stopped(seasoned: Seasoned) -> None:
    model = ScriptedModel(day(LATE), "Gebucht.")
    agent = booker(model, tool(needs_approval=True))
    runner = LearningRunner(seasoned)

    async def talk() -> Any:
        waiting = await runner.run(agent, REQUEST)
        assert calls_of(seasoned) == (0, 0)
        state = waiting.to_state()
        state.approve(waiting.interruptions[0])
        return await runner.run(agent, state)

    assert asyncio.run(talk()).final_output == "Gebucht."
    assert calls_of(seasoned) == (1, 0)
    assert conversation(seasoned) == [REQUEST, "Gebucht."]


@pytest.mark.parametrize("as_object", [False, True])
def test_agents_that_are_handed_over_to_learn_too(seasoned: Seasoned, as_object: bool) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), "So nicht.")
    expert = booker(model)
    first = ScriptedModel(("transfer_to_booker", {}))
    others: list[Any] = [handoff(expert) if as_object else expert]
    triage = Agent[Any]("triage", model=first, handoffs=others)

    result = run(LearningRunner(seasoned), triage, REQUEST)

    assert result.last_agent is expert
    assert model.sent[0].descriptions == {TOOL: NOTED}
    assert model.sent[1].outputs[-1] == f"{HIDDEN}\n\n{HINT}"
    assert conversation(seasoned) == [REQUEST, "So nicht."]


def test_an_agent_used_as_a_tool_hears_no_person(seasoned: Seasoned) -> None:
    inside = ScriptedModel(day("x"), "Done inside.")
    expert = booker(inside).as_tool("ask_booker", "Ask the one who books.")
    model = ScriptedModel(
        ("ask_booker", {"input": "No. Always answer in French."}), "Done.", "Bitte."
    )
    teach(seasoned)

    run(LearningRunner(seasoned), booker(model, expert), REQUEST, "Thanks.")

    assert conversation(seasoned) == [REQUEST, "Done.", "Thanks.", "Bitte."]
    assert all("French" not in one.content for one in seasoned.rules.list())


def test_hooks_and_filters_of_the_owner_are_called(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day(LATE), "Gebucht.")
    heard: list[str] = []

    class Hooks(RunHooks[Any]):
        async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
            heard.append(f"end {output}")

        async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
            heard.append(f"tool {result}")

        async def on_llm_start(
            self, context: Any, agent: Any, system_prompt: Any, input_items: Any
        ) -> None:
            heard.append(f"asks {system_prompt}")

    def only_last(data: Any) -> ModelInputData:
        return ModelInputData(data.model_data.input[-3:], "Filtered.")

    config = RunConfig(call_model_input_filter=only_last)
    run(LearningRunner(seasoned), booker(model), REQUEST, hooks=Hooks(), run_config=config)

    assert heard == [
        f"asks Filtered.\n\n{RULES}",
        f"tool booked on {LATE}",
        f"asks Filtered.\n\n{RULES}",
        "end Gebucht.",
    ]


def test_a_conversation_kept_by_the_provider_gets_items_of_its_own(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), "So nicht.")

    async def talk() -> None:
        await LearningRunner(seasoned).run(booker(model), REQUEST, conversation_id="conv_1")

    asyncio.run(talk())

    assert [one.name for one in seasoned.sessions.list()] == ["conv_1"]
    assert [one.get("content") for one in model.sent[0].items] == [REQUEST, BLOCK]
    shown = [one.get("output") or one.get("content") for one in model.sent[1].items]
    assert shown == [HIDDEN, HINT]


def test_the_decorator_beside_the_adapter_reports_once(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), "So nicht.")

    @seasoned.tool(name=TOOL)
    async def with_context(context: ToolContext[Any], day: str) -> str:
        return book(day)

    run(LearningRunner(seasoned), booker(model, tool(with_context)), REQUEST)

    assert model.sent[1].outputs == [f"{HIDDEN}\n\n{HINT}"]
    assert calls_of(seasoned) == (1, 1)


@pytest.mark.parametrize("is_async", [False, True])
def test_the_decorator_alone_puts_the_hint_into_the_error(
    seasoned: Seasoned, is_async: bool
) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), "So nicht.")

    def plain(context: ToolContext[Any], day: str) -> str:
        return book(day)

    async def later(context: ToolContext[Any], day: str) -> str:
        return book(day)

    function = seasoned.tool(name=TOOL)(later if is_async else plain)
    says = tool(function, failure_error_function=text_of)
    asyncio.run(Runner.run(booker(model, says), REQUEST))

    assert model.sent[1].outputs == [f"{ERROR}\n\n{HINT}"]
    assert calls_of(seasoned) == (1, 1)


class Restaurant(MCPServer):
    """An MCP server in this process."""

    async def connect(self) -> None: ...

    async def cleanup(self) -> None: ...

    @property
    def name(self) -> str:
        return "restaurant"

    async def list_tools(self, run_context: Any = None, agent: Any = None) -> list[McpTool]:
        schema = {"type": "object", "properties": {"day": {"type": "string"}}}
        return [McpTool(name=TOOL, description=DESCRIPTION, input_schema=schema)]

    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: Any = None
    ) -> CallToolResult:
        try:
            text, failed = book(str((arguments or {}).get("day"))), False
        except ValueError as error:
            text, failed = str(error), True
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)

    async def list_prompts(self) -> Any:
        raise NotImplementedError

    async def get_prompt(self, name: str, arguments: Any = None) -> Any:
        raise NotImplementedError


def test_tools_of_an_mcp_server_learn_too(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), day(LATE), "Gebucht.")
    agent = Agent[Any]("booker", model=model, mcp_servers=[Restaurant()])

    run(LearningRunner(seasoned), agent, REQUEST)

    assert [one.descriptions for one in model.sent] == [{TOOL: NOTED}] * 3
    assert HINT in str(model.sent[1].outputs[0])
    assert calls_of(seasoned) == (2, 1)


def test_in_another_runner_the_agent_is_as_it_was(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), "So nicht.", day("x"), "So nicht.")
    agent = booker(model)

    run(LearningRunner(seasoned), agent, REQUEST)
    asyncio.run(Runner.run(agent, REQUEST))

    assert model.sent[2].descriptions == {TOOL: DESCRIPTION}
    assert model.sent[3].outputs == [HIDDEN]
    assert calls_of(seasoned) == (1, 1)


def test_lessons_are_those_of_the_user(seasoned: Seasoned) -> None:
    def talk(who: str, *said: str) -> ScriptedModel:
        model = ScriptedModel(*["Done."] * len(said))
        runner = LearningRunner(seasoned, user=lambda context: context["user"])
        run(runner, booker(model), *said, context={"user": who})
        return model

    talk("ana", "Hello.", "No. Always answer in German.")
    seasoned.corrections.learn()

    assert "German" in talk("ana", "Hello again.").sent[0].instructions
    assert "German" not in talk("bob", "Hello again.").sent[0].instructions


def test_two_conversations_at_once_have_their_own_notes(seasoned: Seasoned) -> None:
    seasoned.teach(ERROR, fix="Ask ana.", tool=TOOL, scope=_of(seasoned, "ana"))
    models = {who: ScriptedModel(day(LATE), "Gebucht.") for who in ("ana", "bob")}
    shared = tool()

    async def talk(who: str) -> None:
        runner = LearningRunner(seasoned, user=who)
        await runner.run(booker(models[who], shared), REQUEST)

    async def both() -> None:
        await asyncio.gather(talk("ana"), talk("bob"))

    asyncio.run(both())

    assert ["Ask ana." in one.descriptions[TOOL] for one in models["ana"].sent] == [True, True]
    assert [one.descriptions[TOOL] for one in models["bob"].sent] == [DESCRIPTION] * 2


def _of(s: Seasoned, user: str) -> Any:
    return replace(s.inner.scope, user=user)


def test_a_run_that_takes_too_long_ends_as_before(seasoned: Seasoned) -> None:
    model = ScriptedModel(day(LATE), day(LATE), "Gebucht.")

    with pytest.raises(MaxTurnsExceeded):
        run(LearningRunner(seasoned), booker(model), REQUEST, max_turns=1)


def test_a_database_that_fails_does_not_break_the_run(
    seasoned: Seasoned, caplog: pytest.LogCaptureFixture
) -> None:
    teach(seasoned)
    model = ScriptedModel(day(LATE), day("x"), "Gut.", "Bitte.")

    def closes(day: str) -> str:
        if day == LATE:
            seasoned.close()
        return book(day)

    runner = LearningRunner(seasoned)
    with caplog.at_level(logging.WARNING, "seasoned.adapters"):
        result = run(runner, booker(model, tool(closes)), REQUEST, "Thanks.")

    assert result.final_output == "Bitte."
    assert [one.instructions for one in model.sent] == [RULES] * 4
    assert [one.descriptions for one in model.sent] == [{TOOL: NOTED}] * 4
    assert runner.companion.failures[f"learn from a call of {TOOL}"] == 2
    assert "the agent is not affected" in caplog.text
