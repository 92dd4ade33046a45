"""Gemini CLI's hooks. When a tool sets an error, the model reads only that error.

Context beside it is lost, so the answer replaces the result: `deny`, with the error and the hint as
the reason. A command's exit code stands in its output; there context works.
"""

import re
from collections.abc import Mapping
from typing import Any

from seasoned.assistants.event import SHELL, HookEvent, Kind, tool_name
from seasoned.assistants.hosts.claude_code import specific_output
from seasoned.transcripts.formats.shapes import flat, items, mapping, text

KINDS: dict[str, Kind] = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "AfterTool": "result",
    "AfterAgent": "reply",
    "SessionEnd": "end",
}
HEARD = frozenset({"SessionStart", "BeforeAgent", "AfterTool"})
# How it reports a command; lines without a value are sometimes left out.
COMMAND = re.compile(
    r"(?:Command: .*?\n)?(?:Directory: [^\n]*\n)?Output: (?P<output>.*?)"
    r"(?:\nError: (?P<error>[^\n]*))?(?:\nExit Code: (?P<code>-?\d+|\(none\)))?"
    r"(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*\s*",
    re.DOTALL,
)
NONE = "(none)"
LONGEST_REPORT = 200_000


class Gemini:
    name = "gemini"
    limit = 9_500  # none was found; the model should not have to read more
    shell = "run_shell_command"

    def read(self, payload: Mapping[str, Any], event: str) -> HookEvent:
        name = text(payload.get("hook_event_name")) or event
        kind = KINDS.get(name, "other")
        response = mapping(payload.get("tool_response"))
        error = _error(response)
        tool = tool_name(text(payload.get("tool_name")))
        output: Any = error or _content(response)
        failed = True if error else None if tool == SHELL else False
        if failed is None and isinstance(output, str):
            output, failed = command_report(output)
        return HookEvent(
            self.name,
            name,
            kind,
            session=text(payload.get("session_id")),
            folder=text(payload.get("cwd")),
            tool=tool,
            params=mapping(payload.get("tool_input")),
            output=output,
            failed=failed,
            text=text(payload.get("prompt" if kind == "prompt" else "prompt_response")),
            forgot=payload.get("source") in ("clear", "startup"),
            records=text(payload.get("transcript_path")),
        )

    def hears(self, event: HookEvent) -> bool:
        return event.name in HEARD

    def answer(self, event: HookEvent, text: str) -> Mapping[str, Any] | None:
        if text and event.name == "AfterTool" and event.failed and event.tool != SHELL:
            return {"decision": "deny", "reason": f"{event.output}\n\n{text}"}
        return specific_output(event.name, text)


def _error(response: Mapping[str, Any]) -> str:
    error = response.get("error")
    return text(error) or text(mapping(error).get("message"))


def _content(response: Mapping[str, Any]) -> Any:
    """Return the text that the model reads: a string, a part, or a list of parts."""
    content = response.get("llmContent")
    if isinstance(content, str):
        return content
    parts = items(content) or [content]
    said = [part if isinstance(part, str) else text(mapping(part).get("text")) for part in parts]
    return "\n".join(one for one in said if one) or flat(content)


def command_report(said: str) -> tuple[str, bool | None]:
    """Return what a command printed, and whether it failed; None if the report does not say.

    >>> command_report("Command: make t\\nDirectory: (root)\\nOutput: no rule\\nExit Code: 2")
    ('no rule', True)
    """
    found = COMMAND.fullmatch(said) if len(said) <= LONGEST_REPORT else None
    if found is None:
        return said, None
    parts = [one for one in (found["output"], found["error"]) if one and one != NONE]
    code = found["code"] or NONE
    return "\n".join(parts), code not in (NONE, "0")
