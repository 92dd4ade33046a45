"""GitHub Copilot CLI's hooks: camelCase events do not name themselves, the command line does.

Events in PascalCase, and those of Claude Code's settings, come with members in snake_case.
"""

import re
from collections.abc import Mapping
from typing import Any

from seasoned.assistants.event import SHELL, HookEvent, Kind, tool_name
from seasoned.transcripts.formats.shapes import first, json_of, mapping, text

KINDS: dict[str, Kind] = {
    "sessionStart": "start",
    "subagentStart": "agent_start",
    "userPromptSubmitted": "prompt",
    "userPromptSubmit": "prompt",
    "postToolUse": "result",
    "postToolUseFailure": "result",
    "permissionDenied": "denied",
    "stop": "reply",
    "agentStop": "reply",
    "sessionEnd": "end",
}
HEARD = frozenset({"sessionStart", "subagentStart", "postToolUse", "postToolUseFailure"})
# What an event without a name consists of.
SIGNS = (
    ("toolResult", "postToolUse"),
    ("tool_result", "postToolUse"),
    ("error", "postToolUseFailure"),
    ("prompt", "userPromptSubmitted"),
    ("initialPrompt", "sessionStart"),
    ("source", "sessionStart"),
)
REFUSED = frozenset({"denied", "rejected"})
EXITED = re.compile(r"\s*<exited with exit code (-?\d+)>\s*$")


class Copilot:
    name = "copilot"
    limit = 9_500  # bytes: 10 KB
    shell = "bash"

    def read(self, payload: Mapping[str, Any], event: str) -> HookEvent:
        given = text(first(payload, "hook_event_name", "hookEventName")) or event
        if not given or given == "-":
            given = next((name for sign, name in SIGNS if sign in payload), "")
        name = given[:1].lower() + given[1:]
        result = mapping(first(payload, "toolResult", "tool_result"))
        outcome = text(first(result, "resultType", "result_type"))
        tool = tool_name(text(first(payload, "toolName", "tool_name")))
        error = payload.get("error")
        failed = name == "postToolUseFailure" or outcome in ("failure", "error")
        said = first(result, "textResultForLlm", "text_result_for_llm")
        if isinstance(said, str) and tool == SHELL and (exited := EXITED.search(said[-80:])):
            failed = failed or int(exited[1]) != 0
            said = EXITED.sub("", said) or f"exit code {exited[1]}"
        if name == "postToolUseFailure":
            said = text(error) or text(mapping(error).get("message")) or said
        return HookEvent(
            self.name,
            name,
            KINDS.get(name, "other"),
            session=text(first(payload, "sessionId", "session_id")),
            folder=text(payload.get("cwd")),
            call=text(first(payload, "toolCallId", "toolUseId", "tool_use_id")),
            tool=tool,
            params=mapping(json_of(first(payload, "toolArgs", "tool_input", "tool_args"))),
            output=said if said is not None else payload.get("tool_response"),
            failed=failed or (None if tool == SHELL else False),
            refused=outcome in REFUSED or name == "permissionDenied",
            text=text(first(payload, "prompt", "lastAssistantMessage", "last_assistant_message")),
        )

    def hears(self, event: HookEvent) -> bool:
        return event.name in HEARD

    def answer(self, event: HookEvent, text: str) -> Mapping[str, Any] | None:
        return {"additionalContext": text} if text else None
