"""Claude Code's hooks. A call that fails is an event of its own, and its answer reaches the model.

Denials, cancelled calls and calls with wrong arguments fire no event of failure. Sub-agents carry
an `agent_id`; their prompts are the word of another agent.
"""

from collections.abc import Mapping
from typing import Any

from seasoned.assistants.event import HookEvent, Kind, tool_name
from seasoned.transcripts.formats.shapes import mapping, text

KINDS: dict[str, Kind] = {
    "SessionStart": "start",
    "SubagentStart": "agent_start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "result",
    "PostToolUseFailure": "result",
    "PermissionDenied": "denied",
    "Stop": "reply",
    "SessionEnd": "end",
}
SAID = {
    "UserPromptSubmit": "prompt",
    "Stop": "last_assistant_message",
    "SessionStart": "source",
}
HEARD = frozenset(
    "SessionStart SubagentStart UserPromptSubmit PostToolUse PostToolUseFailure".split()
)


class ClaudeCode:
    name = "claude-code"
    limit = 9_500  # of 10,000; beyond that the model gets a preview and the name of a file
    shell = "Bash"

    def read(self, payload: Mapping[str, Any], event: str) -> HookEvent:
        name = text(payload.get("hook_event_name")) or event
        failed = name == "PostToolUseFailure"
        response = payload.get("tool_response")
        took = payload.get("duration_ms")
        stopped = mapping(response).get("interrupted") is True
        return HookEvent(
            self.name,
            name,
            KINDS.get(name, "other"),
            session=text(payload.get("session_id")),
            folder=text(payload.get("cwd")),
            agent=text(payload.get("agent_id")),
            turn=text(payload.get("prompt_id")),
            call=text(payload.get("tool_use_id")),
            tool=tool_name(text(payload.get("tool_name"))),
            params=mapping(payload.get("tool_input")),
            output=payload.get("error") if failed else response,
            failed=failed,
            refused=name == "PermissionDenied",
            cancelled=payload.get("is_interrupt") is True or stopped,
            duration_ms=float(took) if isinstance(took, int | float) else None,
            text=_said(name, payload),
            forgot=payload.get("source") in ("clear", "compact", "startup"),
            records=text(payload.get("transcript_path")),
        )

    def hears(self, event: HookEvent) -> bool:
        return event.name in HEARD

    def answer(self, event: HookEvent, text: str) -> Mapping[str, Any] | None:
        return specific_output(event.name, text)


def specific_output(event: str, text: str) -> Mapping[str, Any] | None:
    """Return context as Claude Code, Codex and Gemini CLI want it."""
    if not text:
        return None
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _said(name: str, payload: Mapping[str, Any]) -> str:
    return text(payload.get(SAID.get(name, "reason")))
