"""MCP servers as toolsets; one that does not start is reported, and the others go on."""

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Self, cast

from pydantic_ai import RunContext
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from seasoned.core.errors import Unsupported
from seasoned.core.text import one_line
from seasoned.security.redact import redact
from seasoned.tools.approved import DANGEROUS
from seasoned.tools.mcp_servers import McpServer, load_servers
from seasoned.tools.run import Run

log = logging.getLogger("seasoned.tools")

START_SECONDS = 20.0
CALL_SECONDS = 300.0
PAUSE_SECONDS = 60.0  # before a server that did not start is tried again


@dataclass
class McpTools(WrapperToolset[Run]):
    """The tools of one server, each called `server_tool`; `problem` says why there are none."""

    name: str
    problem: str = ""
    seconds: Callable[[], float] = field(default=time.monotonic, repr=False)
    _inside: int = 0
    _failed_at: float = 0

    async def for_run(self, ctx: RunContext[Run]) -> AbstractToolset[Run]:
        return self  # whether the server is there holds for all runs

    async def for_run_step(self, ctx: RunContext[Run]) -> AbstractToolset[Run]:
        return self

    async def __aenter__(self) -> Self:
        if not self._is_pausing():
            try:
                await self.wrapped.__aenter__()
                self._inside += 1
                self.problem = ""
            except Exception as error:  # noqa: BLE001 - whatever a server does wrong
                self._report(error)
        return self

    async def __aexit__(self, *args: Any) -> bool | None:
        if not self._inside:
            return None
        self._inside -= 1
        try:
            return await self.wrapped.__aexit__(*args)
        except Exception as error:  # noqa: BLE001 - it goes away in any case
            self._report(error)
            return None

    async def get_tools(self, ctx: RunContext[Run]) -> dict[str, ToolsetTool[Run]]:
        """None while the server is not there; what may change something is dangerous."""
        if self._is_pausing():
            return {}
        try:
            tools = await super().get_tools(ctx)
        except Exception as error:  # noqa: BLE001 - whatever a server does wrong
            self._report(error)
            return {}
        self.problem = ""
        return {name: _marked(tool) for name, tool in tools.items()}

    def _is_pausing(self) -> bool:
        return bool(self.problem) and self.seconds() - self._failed_at < PAUSE_SECONDS

    def _report(self, error: Exception) -> None:
        self.problem = redact(one_line(_said(error)))
        self._failed_at = self.seconds()
        log.warning("the MCP server %s is not there: %s", self.name, self.problem)


def mcp_toolsets(
    path: str | PathLike[str],
    environment: Mapping[str, str] | None = None,
    logs: Path | None = None,
) -> Sequence[McpTools]:
    """The servers of a file; `environment` is where the variables that it names stand."""
    return mcp_tools(load_servers(Path(path), environment or {}), logs)


def mcp_tools(servers: Sequence[McpServer], logs: Path | None = None) -> Sequence[McpTools]:
    """A toolset for each server; what one says on the side goes into a file of `logs`."""
    return [McpTools(_toolset(server, logs), server.name) for server in servers]


def _toolset(server: McpServer, logs: Path | None) -> AbstractToolset[Run]:
    try:
        from fastmcp.client.transports import StdioTransport
        from pydantic_ai.mcp import MCPToolset
    except ImportError as error:
        raise Unsupported(
            'MCP servers need more than is installed: pip install "seasoned[llm]"'
        ) from error
    source: Any = server.url
    if server.command:
        log_file = logs / f"mcp-{server.name}.log" if logs else Path(os.devnull)
        source = StdioTransport(
            server.command,
            list(server.args),
            env=dict(server.env) or None,
            cwd=server.cwd,
            keep_alive=False,  # it ends with us
            log_file=log_file,
        )
    toolset = MCPToolset[Run](
        source,
        id=server.name,
        tool_error_behavior="failed",
        init_timeout=START_SECONDS,
        read_timeout=CALL_SECONDS,
        headers=dict(server.headers) or None,
    )
    return toolset.prefixed(server.name)


def _marked(tool: ToolsetTool[Run]) -> ToolsetTool[Run]:
    """A server may say that a tool only reads; otherwise nobody knows what it does."""
    metadata: dict[str, Any] = tool.tool_def.metadata or {}
    annotations: dict[str, Any] = metadata.get("annotations") or {}
    reads = annotations.get("readOnlyHint") is True
    return replace(
        tool, tool_def=replace(tool.tool_def, metadata={**metadata, DANGEROUS: not reads})
    )


def _said(error: BaseException) -> str:
    """What went wrong, from the innermost of errors in errors."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
