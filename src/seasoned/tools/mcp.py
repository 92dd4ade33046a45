"""MCP servers as toolsets, from a file in the usual `mcpServers` format.

A server that does not start is logged, and the others go on.
"""

import json
import logging
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Self, cast

from pydantic_ai import RunContext
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from seasoned.core.errors import ConfigError
from seasoned.core.extras import missing_extra
from seasoned.core.text import one_line
from seasoned.security.redact import redact
from seasoned.tools.approval import DANGEROUS
from seasoned.tools.run import ToolRun

log = logging.getLogger("seasoned.tools")

START_SECONDS = 20.0
CALL_SECONDS = 300.0
PAUSE_SECONDS = 60.0  # before a failed server is tried again
VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
NOT_IN_TOOL_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class McpServer:
    """A server to start (`command`) or to call (`url`); fields with secrets have no repr."""

    name: str
    command: str = ""
    args: Sequence[str] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    cwd: str | None = None
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


@dataclass
class McpTools(WrapperToolset[ToolRun]):
    """The tools of one server, named `server_tool`; `problem` says why there are none."""

    name: str
    problem: str = ""
    seconds: Callable[[], float] = field(default=time.monotonic, repr=False)
    _inside: int = 0
    _failed_at: float = 0

    async def for_run(self, ctx: RunContext[ToolRun]) -> AbstractToolset[ToolRun]:
        return self  # all runs share the server and its state

    async def for_run_step(self, ctx: RunContext[ToolRun]) -> AbstractToolset[ToolRun]:
        return self

    async def __aenter__(self) -> Self:
        if not self._is_pausing():
            try:
                await self.wrapped.__aenter__()
                self._inside += 1
                self.problem = ""
            except Exception as error:  # noqa: BLE001 - a server may fail in any way
                self._report(error)
        return self

    async def __aexit__(self, *args: Any) -> bool | None:
        if not self._inside:
            return None
        self._inside -= 1
        try:
            return await self.wrapped.__aexit__(*args)
        except Exception as error:  # noqa: BLE001 - it is being closed anyway
            self._report(error)
            return None

    async def get_tools(self, ctx: RunContext[ToolRun]) -> dict[str, ToolsetTool[ToolRun]]:
        """Return no tools while the server is down; a tool that is not read-only is dangerous."""
        if self._is_pausing():
            return {}
        try:
            tools = await super().get_tools(ctx)
        except Exception as error:  # noqa: BLE001 - a server may fail in any way
            self._report(error)
            return {}
        self.problem = ""
        return {name: _marked(tool) for name, tool in tools.items()}

    def _is_pausing(self) -> bool:
        return bool(self.problem) and self.seconds() - self._failed_at < PAUSE_SECONDS

    def _report(self, error: Exception) -> None:
        self.problem = redact(one_line(_innermost(error)))
        self._failed_at = self.seconds()
        log.warning("the MCP server %s is not available: %s", self.name, self.problem)


def mcp_toolsets(
    path: str | PathLike[str],
    environment: Mapping[str, str] | None = None,
    logs: Path | None = None,
) -> Sequence[McpTools]:
    """Return the toolsets of the servers in a file; `environment` fills its variables."""
    return mcp_tools(load_servers(Path(path), environment or {}), logs)


def mcp_tools(servers: Sequence[McpServer], logs: Path | None = None) -> Sequence[McpTools]:
    """Return a toolset per server; a server's stderr goes to a file in the folder `logs`."""
    return [McpTools(_toolset(server, logs), server.name) for server in servers]


def _toolset(server: McpServer, logs: Path | None) -> AbstractToolset[ToolRun]:
    try:  # imported here because MCP is an optional extra
        from fastmcp.client.transports import StdioTransport
        from pydantic_ai.mcp import MCPToolset
    except ImportError as error:
        raise missing_extra("llm", "MCP servers need their client") from error
    source: Any = server.url
    if server.command:
        log_file = logs / f"mcp-{server.name}.log" if logs else Path(os.devnull)
        source = StdioTransport(
            server.command,
            list(server.args),
            env=dict(server.env) or None,
            cwd=server.cwd,
            keep_alive=False,  # end it with this process
            log_file=log_file,
        )
    toolset = MCPToolset[ToolRun](
        source,
        id=server.name,
        tool_error_behavior="failed",
        init_timeout=START_SECONDS,
        read_timeout=CALL_SECONDS,
        headers=dict(server.headers) or None,
    )
    return toolset.prefixed(server.name)


def _marked(tool: ToolsetTool[ToolRun]) -> ToolsetTool[ToolRun]:
    """Mark a tool as dangerous unless its server declares it read-only."""
    metadata: dict[str, Any] = tool.tool_def.metadata or {}
    annotations: dict[str, Any] = metadata.get("annotations") or {}
    reads = annotations.get("readOnlyHint") is True
    return replace(
        tool, tool_def=replace(tool.tool_def, metadata={**metadata, DANGEROUS: not reads})
    )


def _innermost(error: BaseException) -> str:
    """Describe the innermost error of nested exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def load_servers(path: Path, environment: Mapping[str, str]) -> Sequence[McpServer]:
    try:
        text = path.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the MCP servers in {path}: {error}") from error
    return servers_from(text, environment, str(path))


def servers_from(
    text: str, environment: Mapping[str, str], source: str = "the MCP servers"
) -> Sequence[McpServer]:
    """Parse the servers; `${NAME}` and `${NAME:-default}` stand for variables.

    >>> text = '{"mcpServers": {"files": {"command": "npx", "args": ["-y", "${WHICH}"]}}}'
    >>> [(one.name, one.args) for one in servers_from(text, {"WHICH": "server-files"})]
    [('files', ('-y', 'server-files'))]
    """
    try:
        content: Any = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"{source} is not valid JSON ({error})") from error
    servers = content.get("mcpServers") if isinstance(content, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(servers, dict):
        raise ConfigError(f'{source} has no servers; write {{"mcpServers": {{"name": {{…}}}}}}')
    entries = cast("dict[str, Any]", servers).items()
    found = [_server(name, entry, environment, source) for name, entry in entries]
    return [server for server in found if server is not None]


def _server(name: str, entry: Any, environment: Mapping[str, str], source: str) -> McpServer | None:
    where = f"{source}: the server {name!r}"
    if not isinstance(entry, dict):
        raise ConfigError(f"{where} must be an object with a command or a url")
    given = cast("dict[str, Any]", entry)
    if given.get("disabled") is True or given.get("enabled") is False:
        return None
    prefix = NOT_IN_TOOL_NAMES.sub("_", name).strip("_")
    if not prefix:
        raise ConfigError(f"{where} needs a name of letters and digits")
    if bool(given.get("command")) == bool(given.get("url")):
        raise ConfigError(f"{where} must have either a command or a url")
    values = _expanded(given, environment, where)
    return McpServer(
        prefix,
        _text(values, "command", where),
        tuple(_texts(values.get("args") or [], "args", where)),
        _named_texts(values.get("env") or {}, "env", where),
        _text(values, "cwd", where) or None,
        _text(values, "url", where),
        _named_texts(values.get("headers") or {}, "headers", where),
    )


def _expanded(value: Any, environment: Mapping[str, str], where: str) -> Any:
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {name: _expanded(item, environment, where) for name, item in items}
    if isinstance(value, list):
        return [_expanded(item, environment, where) for item in cast("list[Any]", value)]
    if not isinstance(value, str):
        return value

    def variable(found: re.Match[str]) -> str:
        name = found[1]
        default = cast("str | None", found[2])
        if name not in environment and default is None:
            raise ConfigError(f"{where} needs the variable {name}, which is not set")
        return environment.get(name, default or "")

    return VARIABLE.sub(variable, value)


def _text(given: Mapping[str, Any], key: str, where: str) -> str:
    value = given.get(key) or ""
    if not isinstance(value, str):
        raise ConfigError(f"{where}: {key} must be a string")
    return value


def _texts(value: Any, key: str, where: str) -> Sequence[str]:
    items = cast("list[Any]", value)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in items):
        raise ConfigError(f"{where}: {key} must be a list of strings")
    return items


def _named_texts(value: Any, key: str, where: str) -> Mapping[str, str]:
    items = cast("dict[str, Any]", value)
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in items.values()):
        raise ConfigError(f"{where}: {key} must be an object of strings")
    return items
