"""The assistants: a file for each, and which of them really calls."""

from collections.abc import Mapping
from typing import Any

from seasoned.assistants.event import Host
from seasoned.assistants.hosts.claude_code import ClaudeCode
from seasoned.assistants.hosts.cline import Cline
from seasoned.assistants.hosts.codex import Codex
from seasoned.assistants.hosts.copilot import Copilot
from seasoned.assistants.hosts.cursor import Cursor
from seasoned.assistants.hosts.gemini import Gemini
from seasoned.assistants.hosts.opencode import OpenCode

HOSTS: dict[str, Host] = {
    host.name: host
    for host in (ClaudeCode(), Codex(), Gemini(), OpenCode(), Cursor(), Copilot(), Cline())
}
# Claude Code's settings are read by other assistants, too: these members tell who it is.
_OWN_MEMBERS: tuple[tuple[str, frozenset[str]], ...] = (
    ("cursor", frozenset({"cursor_version", "conversation_id", "generation_id"})),
    ("copilot", frozenset({"sessionId", "toolName", "toolArgs", "toolResult", "tool_result"})),
    ("cline", frozenset({"hookName", "taskId"})),
)


def calling_host(told: str, payload: Mapping[str, Any]) -> Host | None:
    """Return who sends an event: the host of the command line, unless its members say otherwise.

    >>> calling_host("claude-code", {"cursor_version": "2.1", "hook_event_name": "stop"}).name
    'cursor'
    >>> calling_host("vim", {}) is None
    True
    """
    if told == "claude-code":
        for name, members in _OWN_MEMBERS:
            if members & payload.keys():
                return HOSTS[name]
    return HOSTS.get(told)
