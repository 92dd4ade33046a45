"""Real MCP clients: in memory, on the pipe of a real process, over HTTP to a running gateway."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Implementation, TextContent, TextResourceContents
from tests.server.serving import Gateway

from seasoned.api import AsyncSeasoned
from seasoned.server.mcp.server import mcp_server
from seasoned.server.mcp.visitor import RequestContext, Visitor, only_visitor

T = TypeVar("T")
Conversation = Callable[["Assistant"], Awaitable[T]]

SECONDS = 60  # for an answer, on a busy machine
MODES = ("auto", "legacy")  # the protocol without and with a handshake


class Assistant:
    """A client, with what tests do with it."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        return await self.client.call_tool(tool, arguments)

    async def ask(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool that must work; return its structured result."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        return result.structured_content

    async def refusal(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that must refuse; return what it says."""
        result = await self.call(tool, **arguments)
        assert result.is_error, result
        return text_of(result)

    async def read(self, uri: str) -> str:
        (content,) = (await self.client.read_resource(uri)).contents
        assert isinstance(content, TextResourceContents)
        return content.text


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def in_memory(
    seasoned: AsyncSeasoned,
    conversation: Conversation[T],
    *,
    mode: str = "auto",
    learns: bool = True,
) -> T:
    """Hold a conversation with a server in this process; `seasoned` is closed afterwards."""
    find = only_visitor(seasoned)

    async def reader(ctx: RequestContext) -> Visitor:
        return Visitor(seasoned, (await find(ctx)).session, may_learn=False)

    async def hold() -> T:
        async with seasoned:
            server = mcp_server(find if learns else reader)
            async with _client(server, mode) as assistant:
                return await conversation(assistant)

    return asyncio.run(hold())


def on_pipe(
    home: Path, conversation: Conversation[T], *more: str, folder: Path, mode: str = "auto"
) -> T:
    """Hold a conversation with `seasoned mcp`, started in a folder."""
    command = ["-m", "seasoned", "mcp", *more]
    place = {"SEASONED_HOME": str(home)}
    program = StdioServerParameters(
        command=sys.executable, args=command, env=place, cwd=str(folder)
    )

    async def hold() -> T:
        async with _client(program, mode) as assistant:
            return await conversation(assistant)

    return asyncio.run(hold())


def over_http(
    gateway: Gateway, conversation: Conversation[T], *, mode: str = "auto", **headers: str
) -> T:
    """Hold a conversation with a gateway; `project` and so on become headers."""
    named = {f"X-Seasoned-{name}": value for name, value in headers.items()}
    shown = {"Authorization": f"Bearer {gateway.token}", **named}

    async def hold() -> T:
        async with httpx2.AsyncClient(headers=shown, timeout=SECONDS) as http:
            there = streamable_http_client(f"{gateway.url}/mcp", http_client=http)
            async with _client(there, mode) as assistant:
                return await conversation(assistant)

    return asyncio.run(hold())


@asynccontextmanager
async def _client(server: Any, mode: str) -> AsyncGenerator[Assistant]:
    who = Implementation(name="Test Assistant", version="1")
    async with Client(server, mode=mode, client_info=who, read_timeout_seconds=SECONDS) as client:
        yield Assistant(client)
