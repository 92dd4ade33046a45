"""Codex's hooks: Claude Code's events, but none for failures, and no flag that tells one.

A failed command arrives as `PostToolUse` with its output as text. The rollout, in which Codex
records the session, may have the exit code; else the text itself must be an error.
"""

from collections.abc import Mapping
from typing import Any

from seasoned.assistants.event import HookEvent, Kind, tool_name
from seasoned.assistants.hosts.claude_code import SAID, specific_output
from seasoned.transcripts.formats.shapes import mapping, text

KINDS: dict[str, Kind] = {
    "SessionStart": "start",
    "SubagentStart": "agent_start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "result",
    "Stop": "reply",
    "SessionEnd": "end",
}
HEARD = frozenset("SessionStart SubagentStart UserPromptSubmit PostToolUse".split())


class Codex:
    name = "codex"
    limit = 6_000  # its limit is about 2,500 tokens; beyond that the model gets a file
    shell = "Bash"

    def read(self, payload: Mapping[str, Any], event: str) -> HookEvent:
        name = text(payload.get("hook_event_name")) or event
        return HookEvent(
            self.name,
            name,
            KINDS.get(name, "other"),
            session=text(payload.get("session_id")),
            folder=text(payload.get("cwd")),
            agent=text(payload.get("agent_id")),
            turn=text(payload.get("turn_id")),
            call=text(payload.get("tool_use_id")),
            tool=tool_name(text(payload.get("tool_name"))),
            params=mapping(payload.get("tool_input")),
            output=payload.get("tool_response"),
            text=text(payload.get(SAID.get(name, "reason"))),
            forgot=payload.get("source") in ("clear", "compact", "startup"),
            records=text(payload.get("transcript_path")),
        )

    def hears(self, event: HookEvent) -> bool:
        return event.name in HEARD

    def answer(self, event: HookEvent, text: str) -> Mapping[str, Any] | None:
        return specific_output(event.name, text)
