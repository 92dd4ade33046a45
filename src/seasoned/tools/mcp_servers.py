"""Reads which MCP servers there are, from a file in the usual `mcpServers` shape."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from seasoned.core.errors import ConfigError

VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
UNFIT = re.compile(r"[^A-Za-z0-9_-]+")  # for the names of tools


@dataclass(frozen=True, slots=True)
class McpServer:
    """A program that is started, or an address that is called; secrets may stand in the rest."""

    name: str
    command: str = ""
    args: Sequence[str] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    cwd: str | None = None
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


def load_servers(path: Path, environment: Mapping[str, str]) -> Sequence[McpServer]:
    try:
        text = path.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the MCP servers in {path}: {error}") from error
    return servers_from(text, environment, str(path))


def servers_from(
    text: str, environment: Mapping[str, str], source: str = "the MCP servers"
) -> Sequence[McpServer]:
    """The servers; `${NAME}` and `${NAME:-otherwise}` in texts stand for variables.

    >>> text = '{"mcpServers": {"files": {"command": "npx", "args": ["-y", "${WHICH}"]}}}'
    >>> [(one.name, one.args) for one in servers_from(text, {"WHICH": "server-files"})]
    [('files', ('-y', 'server-files'))]
    """
    try:
        content: Any = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"{source} is no JSON ({error}); check it") from error
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
    fit = UNFIT.sub("_", name).strip("_")
    if not fit:
        raise ConfigError(f"{where} needs a name of letters and digits")
    if bool(given.get("command")) == bool(given.get("url")):
        raise ConfigError(f"{where} must have a command or a url, and not both")
    values = _expanded(given, environment, where)
    return McpServer(
        fit,
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
        otherwise = cast("str | None", found[2])
        if name not in environment and otherwise is None:
            raise ConfigError(f"{where} needs the variable {name}, which is not set; set it")
        return environment.get(name, otherwise or "")

    return VARIABLE.sub(variable, value)


def _text(given: Mapping[str, Any], key: str, where: str) -> str:
    value = given.get(key) or ""
    if not isinstance(value, str):
        raise ConfigError(f"{where}: {key} must be a text")
    return value


def _texts(value: Any, key: str, where: str) -> Sequence[str]:
    items = cast("list[Any]", value)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in items):
        raise ConfigError(f"{where}: {key} must be a list of texts")
    return items


def _named_texts(value: Any, key: str, where: str) -> Mapping[str, str]:
    items = cast("dict[str, Any]", value)
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in items.values()):
        raise ConfigError(f"{where}: {key} must be an object of texts")
    return items
