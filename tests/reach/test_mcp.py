"""The story over MCP: an assistant that only added one server repeats no mistake."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.reach import story
from tests.server.mcp.clients import MODES, SECONDS, Assistant, on_pipe, over_http
from tests.server.serving import Gateway


def book(call: dict[str, Any]) -> str:
    return story.book_table(**call)


async def first(assistant: Assistant) -> None:
    """Make the mistake, repair it, and be corrected."""
    known = await assistant.ask("recall", task=story.REQUEST, tools=[story.TOOL])
    assert known["text"] == ""
    with pytest.raises(ValueError, match="day must be"):
        book(story.WRONG)
    failed = await assistant.ask(
        "report_tool_result", tool=story.TOOL, params=story.WRONG, error=story.ERROR
    )
    assert failed["hint"] is None
    booked = book(story.RIGHT)
    await assistant.ask("report_tool_result", tool=story.TOOL, params=story.RIGHT, result=booked)
    told = await assistant.ask(
        "correct", message=story.CORRECTION, request=story.REQUEST, reply=story.REPLY
    )
    assert told["rule"] == story.RULE
    assert told["lasts"]


async def learned(assistant: Assistant) -> None:
    """Wait until the correction has become a rule: a server learns in the background."""
    async with asyncio.timeout(SECONDS):
        while True:
            if story.RULE in await assistant.read("seasoned://rules"):
                return
            await asyncio.sleep(0.05)


async def second(assistant: Assistant) -> None:
    """Know better, before the call and beside its error."""
    known = await assistant.ask("recall", task=story.LATER_REQUEST, tools=[story.TOOL])
    assert story.NOTE in known["text"]
    assert story.RULE in known["text"]
    failed = await assistant.call(
        "report_tool_result", tool=story.TOOL, params=story.LATER_WRONG, error=story.ERROR
    )
    assert failed.structured_content["hint"]["params"] == story.LATER_RIGHT
    assert story.HINT in str(failed.content)


@pytest.mark.parametrize("mode", MODES)
def test_an_assistant_on_a_pipe_learns_from_one_session_to_the_next(
    tmp_path: Path, mode: str
) -> None:
    for session in (first, second):
        on_pipe(tmp_path / "home", session, folder=tmp_path, mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_an_assistant_over_http_learns_from_one_session_to_the_next(
    tmp_path: Path, mode: str
) -> None:
    gateway = Gateway(tmp_path / "home", SEASONED_BEHAVIORAL__INTERVAL_SECONDS="0.1")
    try:
        over_http(gateway, first, mode=mode, user="ana", project="shop", session="one")
        over_http(gateway, learned, mode=mode, user="ana", project="shop")
        over_http(gateway, second, mode=mode, user="ana", project="shop", session="two")
    finally:
        gateway.end()
