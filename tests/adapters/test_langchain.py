"""Agents of LangChain and graphs of LangGraph that learn, and what stays as it was for them."""

import asyncio
import inspect
import logging
from collections.abc import Callable
from typing import Annotated, Any

import langchain.agents
import pytest
from langchain.agents.middleware import HumanInTheLoopMiddleware, ToolErrorMiddleware
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode
from langgraph.types import Command, interrupt
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
from tests.adapters.scripted_chat import ScriptedChat, calls

from seasoned import AsyncSeasoned, Seasoned
from seasoned.adapters.langchain import LearningMiddleware
from seasoned.adapters.langgraph import Learning

pytestmark = pytest.mark.sqlite_only

create_agent: Any = getattr(langchain.agents, "create_agent")  # noqa: B009 - untyped

LATE = "2027-05-30"
FAILED = f"ValueError: {ERROR}\n\n{HINT}"


def tool(function: Callable[..., Any], name: str = TOOL) -> StructuredTool:
    is_async = inspect.iscoroutinefunction(function)
    given: dict[str, Any] = {"coroutine": function} if is_async else {"func": function}
    return StructuredTool.from_function(name=name, description=DESCRIPTION, **given)


def day(value: str) -> AIMessage:
    return calls((TOOL, {"day": value}))


def chat(*answers: AIMessage | str) -> ScriptedChat:
    return ScriptedChat(answers=[AIMessage(a) if isinstance(a, str) else a for a in answers])


def learning_agent(s: Any, model: ScriptedChat, function: Any = book, **more: Any) -> Any:
    middleware = [*more.pop("before", ()), LearningMiddleware(s, **more.pop("learning", {}))]
    return create_agent(model, [tool(function)], middleware=middleware, **more)


def ask(agent: Any, *said: str, thread: str = "t", **names: Any) -> Any:
    config = {"configurable": {"thread_id": thread, **names}}
    result: Any = None
    for one in said:
        result = agent.invoke({"messages": [HumanMessage(one)]}, config)
    return result


TELL = {"learning": {"tell_errors": True}}


def test_the_model_is_sent_rules_notes_the_block_and_the_hint(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = chat(day("x"), day(LATE), "Gebucht.")
    agent = learning_agent(seasoned, model, system_prompt="Be brief.", **TELL)

    result = ask(agent, REQUEST)

    assert [one.system for one in model.sent] == [f"Be brief.\n\n{RULES}"] * 3
    assert [one.description(TOOL) for one in model.sent] == [NOTED] * 3
    assert model.sent[-1].texts == [
        ("human", f"{REQUEST}\n\n{BLOCK}"),
        ("ai", ""),
        ("tool", FAILED),
        ("ai", ""),
        ("tool", f"booked on {LATE}"),
    ]
    assert str(result["messages"][0].text) == REQUEST
    assert calls_of(seasoned) == (2, 1)
    assert conversation(seasoned) == [REQUEST, "Gebucht."]


def test_the_prompt_only_grows(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = chat(day(LATE), "Gebucht.", "Gern.", "Bitte.")
    agent = learning_agent(seasoned, model, checkpointer=InMemorySaver())

    result = ask(agent, REQUEST, "Thanks.", REQUEST)

    for earlier, later in zip(model.sent, model.sent[1:], strict=False):
        assert later.texts[: len(earlier.texts)] == earlier.texts
        assert (later.system, later.tools) == (earlier.system, earlier.tools)
    assert model.sent[-1].texts[-1] == ("human", f"{REQUEST}\n\n{BLOCK}")
    asked = [str(one.text) for one in result["messages"] if isinstance(one, HumanMessage)]
    assert asked == [REQUEST, "Thanks.", REQUEST]


def test_a_thread_is_a_session_and_a_correction_is_heard_in_it(seasoned: Seasoned) -> None:
    model = chat("Done.", "Hello.", "Erledigt.")
    agent = learning_agent(seasoned, model, checkpointer=InMemorySaver())

    ask(agent, REQUEST, thread="one")
    ask(agent, "Hi.", thread="two")
    ask(agent, "No. Always answer in German.", thread="one")

    assert sorted(one.name for one in seasoned.sessions.list()) == ["one", "two"]
    assert "Always answer in German." in model.sent[2].texts[-1][1].partition("\n\n")[2]


def test_without_a_thread_a_conversation_is_known_by_its_beginning(seasoned: Seasoned) -> None:
    model = chat("Done.", "Hello.", "Erledigt.")
    agent = learning_agent(seasoned, model)

    first = agent.invoke({"messages": [HumanMessage(REQUEST)]})
    agent.invoke({"messages": [HumanMessage("Hi.")]})
    agent.invoke({"messages": [*first["messages"], HumanMessage("Thanks.")]})

    sessions = [one.name for one in seasoned.sessions.list()]
    said = sorted(spoken(seasoned.sessions.messages(name)) for name in sessions)
    assert said == [[REQUEST, "Done.", "Thanks.", "Erledigt."], ["Hi.", "Hello."]]


def test_a_block_names_the_session(seasoned: Seasoned) -> None:
    agent = learning_agent(seasoned, chat("Done."))

    with seasoned.session("mine"):
        agent.invoke({"messages": [HumanMessage(REQUEST)]})

    assert [one.name for one in seasoned.sessions.list()] == ["mine"]


def test_an_exception_passes_with_the_hint_in_its_text(seasoned: Seasoned) -> None:
    teach(seasoned)

    with pytest.raises(ValueError, match=ERROR) as raised:
        ask(learning_agent(seasoned, chat(day("x"))), REQUEST)

    assert str(raised.value) == f"{ERROR}\n\n{HINT}"


def test_the_hint_is_in_what_another_middleware_says_of_an_error(seasoned: Seasoned) -> None:
    teach(seasoned)
    says = ToolErrorMiddleware(lambda error, request: f"Sorry: {error}")

    inner = chat(day("x"), "So nicht.")
    ask(learning_agent(seasoned, inner, before=[says]), REQUEST)
    assert inner.sent[1].texts[-1] == ("tool", f"Sorry: {ERROR}\n\n{HINT}")

    outer = chat(day("x"), "So nicht.")
    agent = create_agent(outer, [tool(book)], middleware=[LearningMiddleware(seasoned), says])
    ask(agent, REQUEST)
    assert outer.sent[1].texts[-1] == ("tool", f"Sorry: {ERROR}\n\n{HINT}")
    assert calls_of(seasoned) == (2, 2)


def test_refused_arguments_are_learned_from(seasoned: Seasoned) -> None:
    seasoned.teach("day: Field required", fix="Name the day.", tool=TOOL)
    model = chat(calls((TOOL, {"when": "x"})), day(LATE), "Gebucht.")

    ask(learning_agent(seasoned, model), REQUEST)

    told = model.sent[1].texts[-1][1]
    assert told.startswith("Error invoking tool")
    assert told.endswith("\n\nKnown fix (told by the operator): Name the day.")
    assert calls_of(seasoned) == (2, 1)


@pytest.mark.parametrize("is_async", [False, True])
def test_async_agents_and_parallel_tools(seasoned: Seasoned, is_async: bool) -> None:
    teach(seasoned)
    days = [LATE, "x", "2027-05-31", "y"]
    model = chat(calls(*[(TOOL, {"day": one}) for one in days]), "Gut.")

    async def booked(day: str) -> str:
        await asyncio.sleep(0)
        return book(day)

    agent = learning_agent(seasoned, model, booked if is_async else book, **TELL)
    given = {"messages": [HumanMessage(REQUEST)]}
    asyncio.run(agent.ainvoke(given)) if is_async else agent.invoke(given)

    told = [text for kind, text in model.sent[1].texts if kind == "tool"]
    assert (told[0], told[2]) == (f"booked on {LATE}", "booked on 2027-05-31")
    # Whichever fails first gets the hint; the other may count as the same mistake made again.
    assert FAILED in (told[1], told[3])
    assert all(FAILED.startswith(text) and ERROR in text for text in (told[1], told[3]))
    assert calls_of(seasoned) == (4, 2)


@pytest.mark.parametrize("kind", [Seasoned, AsyncSeasoned])
def test_a_streamed_run_learns_too(database_url: str, kind: type[Any], home: Any) -> None:
    model = chat(day(LATE), "Booked it now.", "Gern.")

    async def talk() -> tuple[list[str], list[str]]:
        s = kind(database_url)
        agent = learning_agent(s, model, checkpointer=InMemorySaver())
        config = {"configurable": {"thread_id": "t"}}
        tokens: list[str] = []
        for message in (REQUEST, "No. Always answer in German."):
            given = {"messages": [HumanMessage(message)]}
            async for chunk, _ in agent.astream(given, config, stream_mode="messages"):
                tokens += [str(chunk.text)] if chunk.type == "AIMessageChunk" else []
        inner = s.inner if isinstance(s, Seasoned) else s
        said = spoken(await inner.sessions.messages("t"))
        await inner.close()
        return [one for one in tokens if one], said

    tokens, said = asyncio.run(talk())
    assert tokens == ["Booked ", "it ", "now.", "Gern."]
    assert said == [REQUEST, "Booked it now.", "No. Always answer in German.", "Gern."]


def test_interrupts_pass_and_a_resumed_turn_is_heard_once(seasoned: Seasoned) -> None:
    model = chat(day(LATE), "Gebucht.")

    def asks(day: str) -> str:
        return f"{book(day)}, {interrupt('sure?')}"

    agent = learning_agent(seasoned, model, asks, checkpointer=InMemorySaver(), **TELL)
    config = {"configurable": {"thread_id": "t"}}
    waiting = agent.invoke({"messages": [HumanMessage(REQUEST)]}, config)
    assert waiting["__interrupt__"][0].value == "sure?"
    assert calls_of(seasoned) == (0, 0)

    done = agent.invoke(Command(resume="yes"), config)
    assert str(done["messages"][-1].text) == "Gebucht."
    assert calls_of(seasoned) == (1, 0)
    assert conversation(seasoned) == [REQUEST, "Gebucht."]


def test_a_person_in_the_loop_decides_as_before(seasoned: Seasoned) -> None:
    model = chat(day(LATE), "Schade.")
    person = HumanInTheLoopMiddleware({TOOL: True})
    agent = learning_agent(seasoned, model, before=[person], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}

    agent.invoke({"messages": [HumanMessage(REQUEST)]}, config)
    refused = {"decisions": [{"type": "reject", "message": "Not on that day."}]}
    agent.invoke(Command(resume=refused), config)

    assert model.sent[1].texts[-1][0] == "tool"
    assert "Not on that day." in model.sent[1].texts[-1][1]
    assert calls_of(seasoned) == (0, 0)
    assert conversation(seasoned) == [REQUEST, "Schade."]


def test_commands_and_artifacts_pass_as_they_are(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = chat(day(LATE), day(LATE), "Gut.")
    answers: list[Any] = []

    def returns(day: str, runtime: ToolRuntime[Any, Any]) -> Any:
        message = ToolMessage("kept", tool_call_id=runtime.tool_call_id, artifact={"n": 1})
        answers.append(message if answers else Command(update={"messages": [message]}))
        return answers[-1]

    result = ask(learning_agent(seasoned, model, returns), REQUEST)

    kept = [one for one in result["messages"] if isinstance(one, ToolMessage)]
    assert [(one.content, one.artifact) for one in kept] == [("kept", {"n": 1})] * 2
    assert calls_of(seasoned) == (2, 0)


@pytest.mark.parametrize("is_async", [False, True])
def test_the_decorator_beside_the_adapter_reports_once(seasoned: Seasoned, is_async: bool) -> None:
    teach(seasoned)
    model = chat(day("x"), "So nicht.")

    @seasoned.tool(name=TOOL)
    def with_state(day: str, state: Annotated[dict[str, Any], InjectedState]) -> str:
        return book(day)

    @seasoned.tool(name=TOOL)
    async def with_runtime(day: str, runtime: ToolRuntime[Any, Any]) -> str:
        return book(day)

    agent = learning_agent(seasoned, model, with_runtime if is_async else with_state, **TELL)
    given = {"messages": [HumanMessage(REQUEST)]}
    asyncio.run(agent.ainvoke(given)) if is_async else agent.invoke(given)

    assert model.sent[1].texts[-1] == ("tool", FAILED)
    assert calls_of(seasoned) == (1, 1)


@pytest.mark.parametrize("is_async", [False, True])
def test_the_decorator_alone_puts_the_hint_into_a_nodes_error(
    seasoned: Seasoned, is_async: bool
) -> None:
    teach(seasoned)

    @seasoned.tool(name=TOOL)
    def with_state(day: str, state: Annotated[Any, InjectedState]) -> str:
        return book(day)

    @seasoned.tool(name=TOOL)
    async def with_runtime(day: str, runtime: ToolRuntime[Any, Any]) -> str:
        return book(day)

    node = ToolNode([tool(with_runtime if is_async else with_state)], handle_tool_errors=True)
    built: Any = StateGraph(MessagesState)
    built.add_node("tools", node)
    built.add_edge(START, "tools")
    graph = built.compile()
    given = {"messages": [day("x")]}
    result = asyncio.run(graph.ainvoke(given)) if is_async else graph.invoke(given)

    assert HINT in str(result["messages"][-1].text)
    assert calls_of(seasoned) == (1, 1)


def test_a_tool_node_learns_what_its_tools_raise(seasoned: Seasoned) -> None:
    teach(seasoned)
    node = Learning(seasoned).tool_node([tool(book)], handle_tool_errors=True)
    built: Any = StateGraph(MessagesState)
    built.add_node("tools", node)
    built.add_edge(START, "tools")

    result = built.compile().invoke({"messages": [HumanMessage(REQUEST), day("x")]})

    shown = str(result["messages"][-1].text)
    assert shown == f"Error: ValueError('{ERROR}')\n Please fix your mistakes.\n\n{HINT}"
    assert f"ValueError: {ERROR}" in [one.template for one in seasoned.errors()]


def test_a_bound_model_is_sent_the_lessons(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = chat(day(LATE), "Gebucht.")
    learning = Learning(seasoned, session="mine")

    def book_table(day: str) -> str:
        """Book a table."""
        return book(day)

    bound = learning.model(model, [book_table])
    given = [SystemMessage("Be brief."), HumanMessage(REQUEST)]
    reply = bound.invoke(given)
    bound.invoke([*given, reply, ToolMessage("ok", tool_call_id=reply.tool_calls[0]["id"] or "")])

    for sent in model.sent:
        assert sent.system == f"Be brief.\n\n{RULES}"
        assert sent.description(TOOL) == NOTED
        assert sent.texts[0] == ("human", f"{REQUEST}\n\n{BLOCK}")
    assert given[1].text == REQUEST
    assert conversation(seasoned) == [REQUEST, "Gebucht."]


def test_a_system_prompt_with_marks_for_a_cache_keeps_them(seasoned: Seasoned) -> None:
    teach(seasoned)
    model = chat("Gut.")
    marked = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}

    learning = Learning(seasoned)
    learning.model(model).invoke([SystemMessage([marked]), HumanMessage(REQUEST)])

    assert model.sent[0].messages[0].content == [marked, {"type": "text", "text": RULES}]


def test_lessons_are_those_of_the_user(seasoned: Seasoned) -> None:
    def talk(who: str, *said: str) -> ScriptedChat:
        model = chat(*["Done."] * len(said))
        agent = learning_agent(seasoned, model, checkpointer=InMemorySaver())
        ask(agent, *said, thread=f"{who}-{len(said)}", user_id=who)
        return model

    talk("ana", "Hello.", "No. Always answer in German.")
    seasoned.corrections.learn()

    assert "German" in talk("ana", "Hello again.").sent[0].system
    assert "German" not in talk("bob", "Hello again.").sent[0].system


def test_an_agent_inside_a_tool_hears_no_person(seasoned: Seasoned) -> None:
    inner = learning_agent(seasoned, chat("Inside.", "Inside."), checkpointer=InMemorySaver())
    model = chat(day(LATE), "Done.", "Bitte.")

    def asks(day: str, runtime: ToolRuntime[Any, Any]) -> str:
        config = {"configurable": {"thread_id": "t"}}
        for message in ("Book it.", "No. Always answer in French."):
            inner.invoke({"messages": [HumanMessage(message)]}, config)
        return "asked"

    agent = learning_agent(seasoned, model, asks, checkpointer=InMemorySaver())
    ask(agent, REQUEST, "Thanks.")

    assert conversation(seasoned) == [REQUEST, "Done.", "Thanks.", "Bitte."]
    assert seasoned.rules.list() == []


@pytest.mark.parametrize("is_async", [False, True])
def test_a_database_that_fails_does_not_break_the_run(
    seasoned: Seasoned, caplog: pytest.LogCaptureFixture, is_async: bool
) -> None:
    teach(seasoned)
    model = chat(day(LATE), day("x"), "Gut.", "Bitte.")

    def closes(day: str) -> str:
        if day == LATE:
            seasoned.close()
        return book(day)

    middleware = LearningMiddleware(seasoned, tell_errors=True)
    agent = create_agent(
        model, [tool(closes)], middleware=[middleware], checkpointer=InMemorySaver()
    )
    config = {"configurable": {"thread_id": "t"}}
    with caplog.at_level(logging.WARNING, "seasoned.adapters"):
        for message in (REQUEST, "Thanks."):
            given = {"messages": [HumanMessage(message)]}
            if is_async:
                asyncio.run(agent.ainvoke(given, config))
            else:
                agent.invoke(given, config)

    assert model.sent[2].texts[-1] == ("tool", f"ValueError: {ERROR}")
    assert [one.system for one in model.sent] == [RULES] * 4
    assert [one.description(TOOL) for one in model.sent] == [NOTED] * 4
    assert middleware.learning.companion.failures[f"learn from a call of {TOOL}"] == 2
    assert "the agent is not affected" in caplog.text


def test_without_lessons_a_request_is_as_it_was(seasoned: Seasoned) -> None:
    def sent(*middleware: Any) -> Any:
        model = chat(day(LATE), "Gut.")
        agent = create_agent(model, [tool(book)], middleware=middleware, system_prompt="Be brief.")
        agent.invoke({"messages": [HumanMessage(REQUEST)]})
        return [(one.system, one.texts, one.tools) for one in model.sent]

    assert sent(LearningMiddleware(seasoned)) == sent()
