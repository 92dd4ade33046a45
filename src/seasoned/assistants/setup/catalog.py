"""What connecting installs for each assistant, and where."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from seasoned.assistants.setup.commands import ProgramCall, hook_call, seasoned_call
from seasoned.assistants.setup.json_text import parse
from seasoned.assistants.setup.targets import (
    SERVER,
    JsonEntry,
    JsonSettings,
    OwnFile,
    Target,
    TomlTable,
)
from seasoned.core.errors import BadInput

Scope = Literal["user", "project"]
SECONDS = 10  # that an assistant waits for a hook; the client itself gives up earlier
TOKEN_VARIABLE = "SEASONED_SERVER__TOKEN"


@dataclass(frozen=True, slots=True)
class Place:
    """Whose settings: the user's own, or those of a project."""

    home: Path
    project: Path
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    scope: Scope = "user"

    def folder(self, name: str, variable: str = "") -> Path:
        """Return a folder of the user, or of the project; a variable may name the user's."""
        given = self.variables.get(variable, "") if variable else ""
        if self.scope == "user":
            return Path(given).expanduser() if given else self.home / name
        return self.project / name


@dataclass(frozen=True, slots=True)
class Wish:
    """What to install: hooks always, and on request the MCP entry or hooks by HTTP."""

    mcp: bool = False
    http: str = ""  # the address of the gateway
    hook: ProgramCall = field(default_factory=hook_call)
    program: ProgramCall = field(default_factory=seasoned_call)


@dataclass(frozen=True, slots=True)
class Assistant:
    """A coding assistant that can be connected."""

    name: str
    title: str
    programs: tuple[str, ...]
    marks: tuple[str, ...]  # folders in the user's home that show that it is used
    targets: Callable[[Place, Wish], Sequence[Target]]
    advice: str = ""  # what the user has to do afterwards


def _grouped(
    events: Mapping[str, int], hook: Callable[[str, int], Mapping[str, Any]]
) -> list[JsonEntry]:
    """Put a hook of each event into a group of its own."""
    return [
        JsonEntry(("hooks", event), None, {"hooks": [dict(hook(event, limit))]})
        for event, limit in events.items()
    ]


CLAUDE_EVENTS = {
    "SessionStart": SECONDS,
    "SubagentStart": SECONDS,
    "UserPromptSubmit": SECONDS,
    "PostToolUse": SECONDS,
    "PostToolUseFailure": SECONDS,
    "PermissionDenied": SECONDS,
    "Stop": SECONDS,
    "SessionEnd": SECONDS,
}


def claude_hook(wish: Wish, event: str, limit: int) -> Mapping[str, Any]:
    if wish.http and event != "SessionStart":  # which HTTP hooks do not get
        return {
            "type": "http",
            "url": f"{wish.http}/hooks/claude-code",
            "headers": {"Authorization": f"Bearer ${TOKEN_VARIABLE}"},
            "allowedEnvVars": [TOKEN_VARIABLE],
            "timeout": limit,
        }
    if any(" " in word for word in wish.hook.words):
        program, *more = wish.hook.words
        args = [*more, "--host", "claude-code"]
        return {"type": "command", "command": program, "args": args, "timeout": limit}
    line = wish.hook.line("--host", "claude-code")
    return {"type": "command", "command": line, "timeout": limit}


def _claude_code(place: Place, wish: Wish) -> Sequence[Target]:
    folder = place.folder(".claude", "CLAUDE_CONFIG_DIR")
    # Those of a project are kept out of version control: not everybody has the command.
    name = "settings.json" if place.scope == "user" else "settings.local.json"
    entries = _grouped(CLAUDE_EVENTS, lambda event, limit: claude_hook(wish, event, limit))
    found: list[Target] = [JsonSettings(folder / name, entries, {})]
    if wish.mcp:
        file = place.home / ".claude.json" if place.scope == "user" else place.project / ".mcp.json"
        found.append(_servers(file, wish, {"type": "stdio"}))
    return found


def _servers(path: Path, wish: Wish, more: Mapping[str, Any], **rest: Any) -> JsonSettings:
    program, *words = wish.program.words
    value = {**more, "command": program, "args": [*words, "mcp"], **rest}
    return JsonSettings(path, [JsonEntry(("mcpServers",), SERVER, value)], {})


CODEX_EVENTS = {
    "SessionStart": SECONDS,
    "SubagentStart": SECONDS,
    "UserPromptSubmit": SECONDS,
    "PostToolUse": SECONDS,
    "Stop": SECONDS,
    "SessionEnd": 3,  # the most it allows
}


def _codex(place: Place, wish: Wish) -> Sequence[Target]:
    folder = place.folder(".codex", "CODEX_HOME")
    line = wish.hook.line("--host", "codex")
    entries = _grouped(
        CODEX_EVENTS, lambda _, limit: {"type": "command", "command": line, "timeout": limit}
    )
    found: list[Target] = [JsonSettings(folder / "hooks.json", entries, {})]
    if wish.mcp:
        program, *words = wish.program.words
        args = ", ".join(json.dumps(word) for word in (*words, "mcp"))
        table = f"[mcp_servers.{SERVER}]\ncommand = {json.dumps(program)}\nargs = [{args}]\n"
        found.append(TomlTable(folder / "config.toml", ("mcp_servers", SERVER), table))
    return found


GEMINI_EVENTS: dict[str, int] = dict.fromkeys(
    ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"), SECONDS * 1000
)  # its limits are milliseconds


def _gemini(place: Place, wish: Wish) -> Sequence[Target]:
    line = wish.hook.line("--host", "gemini")
    hook = {"name": "seasoned", "type": "command", "command": line}
    entries = _grouped(GEMINI_EVENTS, lambda _, limit: {**hook, "timeout": limit})
    if wish.mcp:
        program, *words = wish.program.words
        server = {"command": program, "args": [*words, "mcp"]}
        entries.append(JsonEntry(("mcpServers",), SERVER, server))
    return [JsonSettings(place.folder(".gemini") / "settings.json", entries, {})]


def _opencode(place: Place, wish: Wish) -> Sequence[Target]:
    folder = place.project / ".opencode"
    if place.scope == "user":
        base = place.variables.get("XDG_CONFIG_HOME", "")
        folder = (Path(base).expanduser() if base else place.home / ".config") / "opencode"
    source = files("seasoned.assistants.setup").joinpath("opencode_plugin.js").read_text("utf-8")
    call = json.dumps([*wish.hook.words, "--host", "opencode"], ensure_ascii=False)
    plugin = source.replace('["seasoned-hook", "--host", "opencode"]', call)
    found: list[Target] = [OwnFile(folder / "plugins" / "seasoned.js", plugin)]
    if wish.mcp:
        settings = folder if place.scope == "user" else place.project
        commented = settings / "opencode.jsonc"
        path = commented if commented.exists() else settings / "opencode.json"
        server = {"type": "local", "command": [*wish.program.words, "mcp"], "enabled": True}
        found.append(JsonSettings(path, [JsonEntry(("mcp",), SERVER, server)], {}))
    return found


CURSOR_EVENTS = (
    *("sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure"),
    *("afterAgentResponse", "sessionEnd"),
)


def _cursor(place: Place, wish: Wish) -> Sequence[Target]:
    folder = place.folder(".cursor")
    hook = {"command": wish.hook.line("--host", "cursor"), "timeout": SECONDS}
    entries = [JsonEntry(("hooks", event), None, hook) for event in CURSOR_EVENTS]
    found: list[Target] = [JsonSettings(folder / "hooks.json", entries, {"version": 1})]
    if wish.mcp:
        found.append(_servers(folder / "mcp.json", wish, {}))
    return found


COPILOT_EVENTS = (
    *("sessionStart", "userPromptSubmitted", "postToolUse", "postToolUseFailure"),
    *("subagentStart", "agentStop", "sessionEnd"),
)


def _copilot(place: Place, wish: Wish) -> Sequence[Target]:
    user = place.scope == "user"
    folder = place.folder(".copilot", "COPILOT_HOME") if user else place.project / ".github"
    hooks: dict[str, Any] = {}
    for event in COPILOT_EVENTS:  # an event does not name itself, so the command does
        line = wish.hook.line("--host", "copilot", "--event", event)
        call = {"bash": line, "powershell": line, "timeoutSec": SECONDS}
        hooks[event] = [{"type": "command", **call}]
    content = json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"
    found: list[Target] = [OwnFile(folder / "hooks" / "seasoned.json", content)]
    if wish.mcp:
        name = "mcp-config.json" if user else "mcp.json"
        found.append(_servers(folder / name, wish, {"type": "local"}, tools=["*"]))
    return found


CLINE_EVENTS = (
    *("TaskStart", "TaskResume", "UserPromptSubmit", "PreToolUse", "PostToolUse"),
    *("TaskComplete", "TaskCancel"),
)


def _cline(place: Place, wish: Wish) -> Sequence[Target]:
    if os.name == "nt":
        raise BadInput("Cline runs hooks on Windows as PowerShell scripts, which are not made yet")
    found: list[Target] = []
    for folder in _cline_folders(place):
        for event in CLINE_EVENTS:
            line = wish.hook.line("--host", "cline", "--event", event)
            script = f"#!/bin/sh\n# Written by `seasoned connect cline`.\nexec {line}\n"
            found.append(OwnFile(folder / event, script, 0o755))
    cli = place.home / ".cline"
    if wish.mcp and place.scope == "user" and cli.is_dir():
        found.append(_servers(cli / "mcp.json", wish, {}))
    return found


def _cline_folders(place: Place) -> list[Path]:
    """Return the folders of the extension and of the CLI, as far as they are used."""
    if place.scope == "project":
        return [place.project / ".clinerules" / "hooks"]
    extension, cli = place.home / "Documents" / "Cline", place.home / ".cline"
    used = [folder for folder in (extension, cli) if folder.is_dir()] or [extension]
    return [folder / ("Hooks" if folder == extension else "hooks") for folder in used]


ASSISTANTS: dict[str, Assistant] = {
    one.name: one
    for one in (
        Assistant("claude-code", "Claude Code", ("claude",), (".claude",), _claude_code),
        Assistant(
            *("codex", "Codex", ("codex",), (".codex",), _codex),
            advice="Codex runs new hooks only after you approve them: open Codex and enter /hooks",
        ),
        Assistant("gemini", "Gemini CLI", ("gemini",), (".gemini",), _gemini),
        Assistant(
            *("opencode", "OpenCode", ("opencode",), (".config/opencode",), _opencode),
            advice="restart OpenCode: it loads plugins when it starts",
        ),
        Assistant("cursor", "Cursor", ("cursor", "cursor-agent"), (".cursor",), _cursor),
        Assistant("copilot", "GitHub Copilot CLI", ("copilot",), (".copilot",), _copilot),
        Assistant("cline", "Cline", ("cline",), (".cline", "Documents/Cline"), _cline),
    )
}


def hooks_are_off(assistant: Assistant, place: Place) -> bool:
    """Tell whether the settings of Gemini CLI turn all hooks off."""
    if assistant.name != "gemini":
        return False
    try:
        text = (place.folder(".gemini") / "settings.json").read_text("utf-8")
        switch = parse(text).at(["hooksConfig", "enabled"])
    except (OSError, BadInput):
        return False
    return switch is not None and switch.value is False
