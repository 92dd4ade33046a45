"""Cline's hooks, in VS Code and in its CLI: text reaches the model beside tool calls only.

What a task should know from its start waits for the first call.
"""

from collections.abc import Mapping
from typing import Any

from seasoned.assistants.event import SHELL, HookEvent, Kind, tool_name
from seasoned.transcripts.formats.shapes import first, items, json_of, mapping, text

KINDS: dict[str, Kind] = {
    "TaskStart": "start",
    "TaskResume": "start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "result",
    "TaskComplete": "end",
    "TaskCancel": "end",
    "TaskError": "end",
    "SessionShutdown": "end",
}
HEARD = frozenset({"PreToolUse", "PostToolUse"})
NO_TEXT = "[object Object]"  # as VS Code writes an object


class Cline:
    name = "cline"
    limit = 9_500  # of 50,000: the model should not have to read more
    shell = "execute_command"

    def read(self, payload: Mapping[str, Any], event: str) -> HookEvent:
        name = text(payload.get("hookName")) or event
        done = mapping(payload.get("postToolUse"))
        of_cli = mapping(payload.get("tool_result"))
        roots = [one for one in items(payload.get("workspaceRoots")) if isinstance(one, str)]
        tool = tool_name(text(first(of_cli, "name")) or text(done.get("toolName")))
        failed = done.get("success") is False or bool(of_cli.get("error"))
        said = first(of_cli, "error") if of_cli.get("error") else first(of_cli, "output")
        said = done.get("result") if said is None else said
        return HookEvent(
            self.name,
            name,
            KINDS.get(name, "other"),
            session=text(payload.get("taskId")),
            folder=roots[0] if roots else text(payload.get("cwd")),
            call=text(of_cli.get("id")),
            tool=tool,
            params=mapping(json_of(first(of_cli, "input") or done.get("parameters"))),
            output="" if said == NO_TEXT else said,
            failed=failed or (None if tool == SHELL else False),
            duration_ms=_number(done.get("executionTimeMs")),
            text=text(mapping(payload.get("userPromptSubmit")).get("prompt")),
            forgot=name == "TaskStart",
        )

    def hears(self, event: HookEvent) -> bool:
        return event.name in HEARD

    def answer(self, event: HookEvent, text: str) -> Mapping[str, Any] | None:
        return {"cancel": False, "contextModification": text} if text else {"cancel": False}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
