"""Nothing that a client sends breaks the connection: it gets an error that says what to do."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from tests.server.mcp.clients import MODES, Assistant, in_memory, text_of

from seasoned.api import AsyncSeasoned
from seasoned.server.mcp.server import mcp_server
from seasoned.server.mcp.visitor import only_visitor


def nested(levels: int) -> Any:
    value: Any = "end"
    for _ in range(levels):
        value = {"in": [value]}
    return value


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("fly", {}, "no tool 'fly'; there are recall, report_tool_result"),
        ("recall", {}, "lacks the key 'task'; recall takes task, [tools]"),
        ("recall", {"task": 7}, "arguments.task is 7, not of type string"),
        ("recall", {"task": None}, "arguments.task is None, not of type string"),
        ("recall", {"task": "x", "tools": "shell"}, "not of type array"),
        ("recall", {"task": "x", "tools": [1]}, "arguments.tools[0] is 1"),
        ("recall", {"task": " \n"}, "task is empty"),
        ("recall", {"task": "x", "session": "mine"}, "has the key 'session'"),
        ("report_tool_result", {"tool": ""}, "tool is empty"),
        ("report_tool_result", {"tool": "x", "params": ["a"]}, "not of type object"),
        ("report_tool_result", {"tool": "x", "error": {"code": 1}}, "not of type string"),
        ("correct", {"message": ""}, "message is empty"),
        ("correct", {"message": "no", "reach": "world"}, "not one of"),
        ("teach", {"kind": "poem", "text": "x"}, "not one of"),
        ("teach", {"kind": "fix", "text": "x"}, "a fix needs the error it is for"),
        ("teach", {"kind": "fact", "text": "x" * 5000}, "at most 4000 are allowed"),
        ("feedback", {"polarity": "corrective"}, "correction"),
        ("feedback", {"polarity": "negative", "lesson": "zzzz"}, "zzzz"),
        ("why", {"lesson": "zzzz"}, "zzzz"),
        ("why", {"lesson": "%' OR 1=1 --"}, "OR 1=1"),
    ],
)
def test_wrong_arguments_are_a_tool_error_that_names_them(
    seasoned: AsyncSeasoned, mode: str, tool: str, arguments: dict[str, Any], said: str
) -> None:
    async def talk(assistant: Assistant) -> None:
        assert said in await assistant.refusal(tool, **arguments)
        assert (await assistant.ask("recall", task="still there?"))["text"] == ""

    in_memory(seasoned, talk, mode=mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("recall", {"task": "a\x00b \x1b[31m"}),
        ("recall", {"task": "deploy " * 100_000}),
        ("recall", {"task": "x", "tools": [f"tool {number}" for number in range(5000)]}),
        ("report_tool_result", {"tool": "a\x00b", "error": "no\x00"}),
        ("report_tool_result", {"tool": "t" * 100_000, "error": "e" * 1_000_000}),
        ("report_tool_result", {"tool": "t", "params": nested(40), "error": "bad"}),
        ("report_tool_result", {"tool": "t", "params": {"n": 10**300}, "error": "bad"}),
        ("report_tool_result", {"tool": "t", "params": {"\x00": "\x00"}, "result": nested(40)}),
        ("report_tool_result", {"tool": "t", "result": [0] * 200_000}),
        ("correct", {"message": "No. \x00 Always use tabs.", "reply": "r" * 1_000_000}),
        ("feedback", {"polarity": "positive", "comment": "good " * 100_000}),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, str) else "",
)
def test_odd_and_huge_arguments_are_taken_or_refused_in_words(
    seasoned: AsyncSeasoned, mode: str, tool: str, arguments: dict[str, Any]
) -> None:
    async def talk(assistant: Assistant) -> None:
        result = await assistant.call(tool, **arguments)
        assert "Seasoned failed" not in text_of(result)
        assert len(text_of(result)) < 5000
        await assistant.ask("recall", task="still there?")

    in_memory(seasoned, talk, mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_what_is_not_there_is_an_error_of_the_protocol(seasoned: AsyncSeasoned, mode: str) -> None:
    async def talk(assistant: Assistant) -> None:
        for uri in ("seasoned://nothing", "file:///etc/passwd", "seasoned://tools//notes", "x"):
            with pytest.raises(MCPError, match="no resource"):
                await assistant.read(uri)
        with pytest.raises(MCPError, match="zzzz"):
            await assistant.read("seasoned://lessons/zzzz")
        with pytest.raises(MCPError, match="no prompt 'sing'; there are reflect, review"):
            await assistant.client.get_prompt("sing")
        with pytest.raises(MCPError, match="takes focus, not 'loud'"):
            await assistant.client.get_prompt("reflect", {"loud": "yes"})
        assert (await assistant.ask("recall", task="still there?"))["text"] == ""

    in_memory(seasoned, talk, mode=mode)


def test_a_database_that_cannot_be_opened_is_told_to_the_model(
    tmp_path: Path, home: object
) -> None:
    (tmp_path / "odd.db").write_bytes(b"not a database, but long enough to look at" * 100)
    broken = AsyncSeasoned(tmp_path / "odd.db")

    async def hold() -> None:  # it opens on the first call
        async with Client(mcp_server(only_visitor(broken))) as client:
            said = await Assistant(client).refusal("recall", task="anything")
            assert "odd.db" in said

    asyncio.run(hold())
