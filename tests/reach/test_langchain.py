"""The story, told by an agent of LangChain, and by a plain graph of LangGraph."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import langchain.agents
import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, MessagesState, StateGraph
from tests.adapters.scripted_chat import ScriptedChat, calls
from tests.reach import story
from tests.reach.learners import KINDS, Learner, close, opened

from seasoned.adapters.langchain import LearningMiddleware
from seasoned.adapters.langgraph import Learning

pytestmark = pytest.mark.sqlite_only

create_agent: Any = getattr(langchain.agents, "create_agent")  # noqa: B009 - untyped
Build = Callable[[Learner, ScriptedChat], Any]


def agent(s: Learner, model: ScriptedChat) -> Any:
    middleware = [LearningMiddleware(s, tell_errors=True)]
    return create_agent(model, [story.book_table], middleware=middleware)


def graph(s: Learner, model: ScriptedChat) -> Any:
    learning = Learning(s)
    bound = learning.model(model, [story.book_table])

    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [bound.invoke(state["messages"])]}

    async def ask_async(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await bound.ainvoke(state["messages"])]}

    def route(state: MessagesState) -> str:
        last = state["messages"][-1]
        return "tools" if isinstance(last, AIMessage) and last.tool_calls else END

    built: Any = StateGraph(MessagesState)
    built.add_node("model", RunnableLambda(ask, ask_async))
    built.add_node("tools", learning.tool_node([story.book_table], handle_tool_errors=True))
    built.add_edge(START, "model")
    built.add_conditional_edges("model", route)
    built.add_edge("tools", "model")
    return built.compile()


async def converse(runs: Any, thread: str, mode: str, *said: str) -> None:
    history: list[AnyMessage | dict[str, str]] = []
    config = {"configurable": {"thread_id": thread}}
    for message in said:
        given = {"messages": [*history, {"role": "user", "content": message}]}
        result = runs.invoke(given, config) if mode == "sync" else await runs.ainvoke(given, config)
        history = result["messages"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("build", [agent, graph])
def test_an_agent_of_langchain_learns(
    build: Build, mode: str, kind: type[Learner], tmp_path: Path
) -> None:
    def tool(given: dict[str, Any]) -> AIMessage:
        return calls((story.TOOL, given))

    first = ScriptedChat(
        answers=[tool(story.WRONG), tool(story.RIGHT), AIMessage(story.REPLY), AIMessage("Gern.")]
    )
    second = ScriptedChat(
        answers=[tool(story.LATER_WRONG), tool(story.LATER_RIGHT), AIMessage("Gebucht.")]
    )

    async def session(name: str, model: ScriptedChat, *said: str) -> None:
        s = opened(kind, tmp_path)
        await converse(build(s, model), name, mode, *said)
        await close(s)

    asyncio.run(session("one", first, story.REQUEST, story.CORRECTION))
    asyncio.run(session("two", second, story.LATER_REQUEST))

    told, repaired = second.sent[0], second.sent[1]
    assert story.NOTE in told.description(story.TOOL)
    assert story.RULE in told.system
    assert story.HINT in repaired.texts[-1][1]
    assert second.sent[2].texts[-1] == ("tool", "booked for 3 on 2027-06-01")
