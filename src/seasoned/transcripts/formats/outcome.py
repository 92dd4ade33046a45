"""Tell from a tool's recorded output whether the call worked, and extract its error message.

The transcript's own failure flag decides. Without one, only an output that *is* an error counts
(`Error: …`, a traceback, an exit code, `{"error": …}`), never one that mentions an error.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seasoned.errors.exit_code import command_end
from seasoned.fixes.failure import sign_of_failure
from seasoned.transcripts.formats.shapes import first, flat, items, json_of, mapping

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>\s*", re.DOTALL)
_TAGGED = re.compile(r"<(tool_use_error|error)>(.*?)</\1>", re.DOTALL)
_HEADER_TIME = re.compile(r"^Wall time: ([\d.]+) seconds?", re.MULTILINE)
_REFUSED = re.compile(
    r"(?:The )?user (?:doesn't|does not) want to (?:proceed|take this)"
    r"|(?:The )?user (?:has )?(?:rejected|declined|denied)\b"
    r"|(?:(?:exec|patch|command|tool)[\w ]{0,40} )?(?:rejected|aborted|denied) by (?:the )?user"
    r"|This (?:Bash )?command requires approval"
    r"|Permission to use .{1,200}? has been denied"
    r"|\[Operation Cancelled\] Reason: User denied"
    r"|\w+ requested permissions? to .{1,300}? but you haven't granted it",
    re.IGNORECASE | re.DOTALL,
)
_USERS_WORDS = re.compile(r"the user said:\s*(.+)", re.IGNORECASE | re.DOTALL)
_IS_ERROR = re.compile(
    r"[Ee]rror\s?:\s?\S"
    r"|Error (?:executing|running|calling|invoking|while|in|reading|writing|editing|parsing)\b"
    r"|(?:fatal|[Ff]ailed|[Ff]ailure|[Ee]xception): \S"
    r"|(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout|Expired)(?:: |\(|$)"
    r"|Traceback \(most recent call last\):"
    r"|HTTP(?:/\d(?:\.\d)?)?(?: error)?:? [45]\d\d\b"
    r"|[Cc]ommand (?:failed|timed out)\b"
    r"|failed to parse function arguments\b"
    r"|unsupported call:"
)
# Match a one-line output only; longer texts that begin like this are logs.
_IS_ERROR_LINE = re.compile(
    r"ERROR\b:? ?.+|(?:/(?:usr/)?bin/)?(?:ba|z|da|a)?sh: .+: (?:command )?not found"
)
_BEGINNING = 2000
_MESSAGES = (
    *("error", "errors", "message", "detail", "details", "reason", "stderr", "output", "content"),
)


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """A tool's result, or the error if it failed."""

    result: Any = None
    error: str | None = None
    duration_ms: float | None = None

    @property
    def refused(self) -> bool:
        """Whether the error says that a person or a policy did not allow the call."""
        return self.error is not None and self.error.startswith("refused: ")


def ended_badly(output: object) -> bool:
    """Whether a command's output says, where harnesses write it, that its exit code was not 0.

    >>> ended_badly("no match\\nCommand exited with code 1"), ended_badly("exit code 1, he said")
    (True, False)
    """
    said = flat(output)
    end = command_end(said) if isinstance(said, str) else None
    return bool(end and end.code)


def outcome_of(output: object, failed: bool | None = None) -> ToolOutcome:
    """Read an output; `failed` is the transcript's own flag, None if it has none.

    >>> outcome_of("3 matches for 'error' in app.log").error is None
    True
    >>> outcome_of("<tool_use_error>File has not been read yet.</tool_use_error>").error
    'File has not been read yet.'
    >>> outcome_of('{"output": "no such file", "metadata": {"exit_code": 2}}').error
    'no such file'
    >>> outcome_of("Error: this is how the manual page begins", failed=False).error is None
    True
    """
    value = json_of(_stripped(flat(output)))
    if isinstance(value, str):
        return _of_text(value, failed)
    if members := mapping(value):
        return _of_object(members, failed)
    return ToolOutcome(error=_shown(value)) if failed else ToolOutcome(result=value)


def _of_text(value: str, failed: bool | None) -> ToolOutcome:
    end = command_end(value)
    body = value if end is None else end.output
    exit_code = None if end is None else end.code
    duration_ms = _milliseconds(_HEADER_TIME.search(end.header)) if end else None
    if failed is None and exit_code is not None:
        failed = exit_code != 0
    if failed is None:
        failed = _is_error(body)
    if not failed:
        return ToolOutcome(result=body, duration_ms=duration_ms)
    code_text = "failed without a message" if exit_code is None else f"exit code {exit_code}"
    return ToolOutcome(error=_error_text(body) or code_text, duration_ms=duration_ms)


def _of_object(value: Mapping[str, Any], failed: bool | None) -> ToolOutcome:
    metadata = mapping(value.get("metadata"))
    seconds = metadata.get("duration_seconds")
    duration_ms = seconds * 1000.0 if isinstance(seconds, int | float) else None
    if failed is None:
        failed = _marks_failure(value)
    if not failed:
        return ToolOutcome(result=value, duration_ms=duration_ms)
    said = next((shown for name in _MESSAGES if (shown := _said(value.get(name)))), "")
    return ToolOutcome(error=_error_text(said) or _shown(value), duration_ms=duration_ms)


def _marks_failure(value: Mapping[str, Any]) -> bool:
    error = value.get("error")
    if error and error is not True and not first(value, "result", "data"):
        return True
    return sign_of_failure({name: value[name] for name in value if name != "error"}) is not None


def _said(value: object) -> str:
    """Return the text of a member that may hold the error."""
    if isinstance(said := flat(value), str):
        return said.strip()
    if parts := items(value):
        return "\n".join(said for part in parts if (said := _said(part))) or _shown(value)
    members = mapping(value)
    kind, message = first(members, "type", "code", "name"), first(members, "message", "detail")
    if isinstance(message, str):
        return f"{kind}: {message}" if isinstance(kind, str) else message
    return _shown(value) if value not in (None, True) else ""


def _is_error(body: str) -> bool:
    stripped = body.strip()
    beginning = stripped[:_BEGINNING]
    return bool(
        _TAGGED.fullmatch(stripped)
        or _IS_ERROR.match(beginning)
        or _REFUSED.match(beginning)
        or ("\n" not in stripped and _IS_ERROR_LINE.fullmatch(stripped))
    )


def _error_text(body: str) -> str:
    stripped = body.strip()
    if tagged := _TAGGED.fullmatch(stripped):
        stripped = tagged.group(2).strip()
    if not _REFUSED.match(stripped):
        return stripped
    words = _USERS_WORDS.search(stripped)
    return f"refused: {words.group(1).strip() if words else stripped}"


def _stripped(value: Any) -> Any:
    has_reminder = isinstance(value, str) and "<system-reminder>" in value
    return _REMINDER.sub("", value).rstrip() if has_reminder else value


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _milliseconds(found: re.Match[str] | None) -> float | None:
    try:
        return float(found.group(1)) * 1000 if found else None
    except ValueError:
        return None
