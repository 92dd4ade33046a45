"""Agents of smolagents that learn, and what stays as it was for them."""

import logging
from typing import Any

import pytest
import smolagents
from smolagents import CodeAgent, LogLevel, ToolCallingAgent
from tests.adapters.lessons import (
    BLOCK,
    DESCRIPTION,
    ERROR,
    HINT,
    NOTE,
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
from tests.adapters.scripted_smol import ScriptedModel, StreamingModel

from seasoned import Seasoned
from seasoned.adapters.smolagents import learns
from seasoned.core.errors import BadInput

pytestmark = pytest.mark.sqlite_only

LATE = "2027-05-30"
tool: Any = getattr(smolagents, "tool")  # noqa: B009 - untyped


def booking() -> Any:
    @tool
    def book_table(day: str) -> str:
        """Book a table.

        Args:
            day: The day.
        """
        return book(day)

    return book_table


def day(value: str) -> tuple[str, dict[str, Any]]:
    return (TOOL, {"day": value})


def answer(text: str) -> tuple[str, dict[str, Any]]:
    return ("final_answer", {"answer": text})


def calling(s: Seasoned, model: ScriptedModel, *tools: Any, **more: Any) -> Any:
    kept = [*tools] or [booking()]
    return learns(
        s, ToolCallingAgent(tools=kept, model=model, verbosity_level=LogLevel.OFF, **more)
    )


def test_the_model_is_sent_rules_notes_the_block_and_the_hint(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), day(LATE), answer("Gebucht."))
    plain = ToolCallingAgent(tools=[booking()], model=model, verbosity_level=LogLevel.OFF)
    agent = calling(seasoned, model)

    assert agent.run(REQUEST) == "Gebucht."

    assert [one.system for one in model.sent] == [f"{plain.system_prompt}\n\n{RULES}"] * 3
    assert [one.descriptions[TOOL] for one in model.sent] == [NOTED] * 3
    assert model.sent[-1].texts[1] == ("user", f"New task:\n{REQUEST}\n\n{BLOCK}")
    failed = model.sent[1].texts[-1][1]
    assert f"ValueError: {ERROR}\n\n{HINT}" in failed
    assert agent.memory.steps[0].task == REQUEST
    assert agent.tools[TOOL].description == DESCRIPTION
    assert calls_of(seasoned) == (2, 1)
    assert conversation(seasoned) == [REQUEST, "Gebucht."]


def test_the_prompt_only_grows_while_a_conversation_goes_on(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day(LATE), answer("Gebucht."), answer("Gern."))
    agent = calling(seasoned, model)

    agent.run(REQUEST)
    agent.run("Thanks.", reset=False)

    for earlier, later in zip(model.sent, model.sent[1:], strict=False):
        assert later.texts[: len(earlier.texts)] == earlier.texts
        assert later.descriptions == earlier.descriptions
    assert conversation(seasoned) == [REQUEST, "Gebucht.", "Thanks.", "Gern."]


def test_a_run_from_the_start_is_a_session_of_its_own(seasoned: Seasoned) -> None:
    agent = calling(seasoned, ScriptedModel(answer("One."), answer("Two.")))

    agent.run(REQUEST)
    agent.run(REQUEST)

    sessions = [one.name for one in seasoned.sessions.list()]
    said = sorted(spoken(seasoned.sessions.messages(name)) for name in sessions)
    assert said == [[REQUEST, "One."], [REQUEST, "Two."]]


def test_an_agent_that_writes_code_reads_notes_in_its_system_prompt(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(
        "<code>\nbook_table('x')\n</code>",
        f"<code>\nfinal_answer(book_table(day='{LATE}'))\n</code>",
    )
    agent: Any = CodeAgent(tools=[booking()], model=model, verbosity_level=LogLevel.OFF)
    learns(seasoned, agent)

    assert agent.run(REQUEST) == f"booked on {LATE}"

    notes = f"{RULES}\n\nNotes from experience with tools:\n- {TOOL}: {NOTE}"
    assert model.sent[0].system.endswith(f"\n\n{notes}")
    assert f"{ERROR}\n\n{HINT}" in model.sent[1].texts[-1][1]
    assert calls_of(seasoned) == (2, 1)


def test_tools_that_run_elsewhere_are_refused(seasoned: Seasoned) -> None:
    agent = CodeAgent(tools=[], model=ScriptedModel(), verbosity_level=LogLevel.OFF)
    agent.executor_type = "docker"

    with pytest.raises(BadInput, match="run in docker, where they cannot report"):
        learns(seasoned, agent)


def test_refused_arguments_are_learned_from(seasoned: Seasoned) -> None:
    seasoned.teach("Argument day is required", fix="Name the day.", tool=TOOL)
    model = ScriptedModel((TOOL, {}), day(LATE), answer("Gebucht."))

    calling(seasoned, model).run(REQUEST)

    assert "Known fix (told by the operator): Name the day." in model.sent[1].texts[-1][1]
    assert calls_of(seasoned) == (2, 1)


def test_a_streamed_run_learns_too(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = StreamingModel(day("x"), answer("Gut."))
    agent = calling(seasoned, model, stream_outputs=True)

    assert list(agent.run(REQUEST, stream=True))[-1].output == "Gut."

    assert model.sent[0].descriptions[TOOL] == NOTED
    assert HINT in model.sent[1].texts[-1][1]
    assert conversation(seasoned) == [REQUEST, "Gut."]


def test_agents_that_share_a_model_keep_their_own_lessons(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(
        ("expert", {"task": "No. Always answer in French."}),
        day("x"),
        answer("Inside."),
        answer("Done."),
    )
    expert = ToolCallingAgent(
        tools=[booking()],
        model=model,
        name="expert",
        description="Books tables.",
        verbosity_level=LogLevel.OFF,
    )
    agent: Any = ToolCallingAgent(
        tools=[], model=model, managed_agents=[expert], verbosity_level=LogLevel.OFF
    )

    assert learns(seasoned, agent).run(REQUEST) == "Done."

    assert model.sent[1].descriptions[TOOL] == NOTED
    assert HINT in model.sent[2].texts[-1][1]
    assert model.sent[0].system.count(RULES) == 1
    assert model.sent[1].system.count(RULES) == 1
    assert conversation(seasoned) == [REQUEST, "Done."]
    assert all("French" not in one.content for one in seasoned.rules.list())


def test_the_decorator_beside_the_adapter_reports_once(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), answer("So nicht."))

    @tool
    def book_table(day: str) -> str:
        """Book a table.

        Args:
            day: The day.
        """
        return seasoned.tool(name=TOOL)(book)(day)

    calling(seasoned, model, book_table).run(REQUEST)

    assert model.sent[1].texts[-1][1].count(HINT) == 1
    assert calls_of(seasoned) == (1, 1)


def test_the_decorator_alone_puts_the_hint_into_the_error(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = ScriptedModel(day("x"), answer("So nicht."))
    observed = seasoned.tool(name=TOOL)(book)

    @tool
    def book_table(day: str) -> str:
        """Book a table.

        Args:
            day: The day.
        """
        return observed(day)

    agent: Any = ToolCallingAgent(tools=[book_table], model=model, verbosity_level=LogLevel.OFF)
    agent.run(REQUEST)

    assert HINT in model.sent[1].texts[-1][1]
    assert calls_of(seasoned) == (1, 1)


def test_a_database_that_fails_does_not_break_the_run(
    seasoned: Seasoned, caplog: pytest.LogCaptureFixture
) -> None:
    teach(seasoned)
    model = ScriptedModel(day(LATE), day("x"), answer("Gut."))

    @tool
    def book_table(day: str) -> str:
        """Book a table.

        Args:
            day: The day.
        """
        seasoned.close()
        return book(day)

    with caplog.at_level(logging.WARNING, "seasoned.adapters"):
        assert calling(seasoned, model, book_table).run(REQUEST) == "Gut."

    assert [one.descriptions[TOOL] for one in model.sent] == [NOTED] * 3
    assert HINT not in model.sent[2].texts[-1][1]
    assert "the agent is not affected" in caplog.text
