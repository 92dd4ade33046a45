"""Cursor's hooks: failures and prompts can be heard, but only results and the start be answered.

What is known about a failure waits for the next result.
"""

from collections.abc import Mapping
from typing import Any

from seasoned.assistants.event import HookEvent, Kind, tool_name
from seasoned.transcripts.formats.shapes import items, json_of, mapping, text

KINDS: dict[str, Kind] = {
    "sessionStart": "start",
    "beforeSubmitPrompt": "prompt",
    "postToolUse": "result",
    "postToolUseFailure": "result",
    "afterAgentResponse": "reply",
    "sessionEnd": "end",
}
# The names under which it calls the hooks of Claude Code's settings.
OF_CLAUDE_CODE = {
    "SessionStart": "sessionStart",
    "UserPromptSubmit": "beforeSubmitPrompt",
    "PostToolUse": "postToolUse",
    "PostToolUseFailure": "postToolUseFailure",
    "SessionEnd": "sessionEnd",
}
HEARD = frozenset({"sessionStart", "postToolUse"})


class Cursor:
    name = "cursor"
    limit = 6_000  # no limit is documented
    shell = "Shell"

    def read(self, payload: Mapping[str, Any], event: str) -> HookEvent:
        given = text(payload.get("hook_event_name")) or event
        name = OF_CLAUDE_CODE.get(given, given)
        failed = name == "postToolUseFailure"
        output = payload.get("error_message") or payload.get("error")
        if not failed:
            output = json_of(payload.get("tool_output") or payload.get("tool_response"))
        roots = [one for one in items(payload.get("workspace_roots")) if isinstance(one, str)]
        return HookEvent(
            self.name,
            name,
            KINDS.get(name, "other"),
            session=text(payload.get("conversation_id")) or text(payload.get("session_id")),
            # Hooks of the user's own run in Cursor's folder: that is no project.
            folder=roots[0] if roots else text(payload.get("cwd")),
            turn=text(payload.get("generation_id")),
            call=text(payload.get("tool_use_id")),
            tool=tool_name(text(payload.get("tool_name"))),
            params=mapping(json_of(payload.get("tool_input"))),
            output=output,
            failed=failed,
            refused=payload.get("failure_type") == "permission_denied",
            text=text(payload.get("prompt" if name == "beforeSubmitPrompt" else "text")),
            records=text(payload.get("transcript_path")),
        )

    def hears(self, event: HookEvent) -> bool:
        return event.name in HEARD

    def answer(self, event: HookEvent, text: str) -> Mapping[str, Any] | None:
        return {"additional_context": text} if text else None
