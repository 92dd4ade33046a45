"""Tell whether a tool call failed, for assistants that say so and for those that do not.

An assistant's own word decides. Without it, a command failed if an exit code says so (in its
output, or in the records of the session), or if its output is nothing but an error. A word like
"failure" in the output proves nothing: a passing test may be named so.
"""

import os
import re
from typing import Any

from seasoned.assistants.event import SHELL, HookEvent
from seasoned.core.messages import ToolResult
from seasoned.core.safe_json import decode
from seasoned.errors.exit_code import command_end
from seasoned.errors.nature import MISCALLED, command_of
from seasoned.transcripts.formats.outcome import outcome_of
from seasoned.transcripts.formats.shapes import flat, json_of, mapping, text

READ_BACK = 512_000  # bytes at the end of a session's records
MOST_LINES = 12  # of an output that is nothing but an error
LONGEST_ERROR = 2_000  # characters of it
# Programs that show what others wrote: an error in their output may be about something else.
SHOWS = re.compile(
    r"\s*(?:sudo |command |\w+=\S* )*(cat|bat|head|tail|less|more|nl|sed|awk|grep|egrep|fgrep|rg|ag"
    r"|jq|cut|sort|uniq|wc|echo|printf|find|fd|ls|tree|diff|xxd|strings"
    r"|git (?:show|log|diff|blame|grep|status))\b"
)


def tool_result(event: HookEvent) -> ToolResult:
    """Return the call of an event, with its error if it failed."""
    failed = _has_failed(event)
    result, error = None, None
    if failed:
        outcome = outcome_of(event.output, failed=True)
        error = outcome.error or "failed without a message"
    elif event.refused or event.cancelled:
        error = event.text or text(flat(event.output)) or "stopped"
    else:
        result = _result(event)
    return ToolResult(
        event.tool,
        event.params,
        result,
        error,
        event.conversation,
        event.duration_ms,
        refused=event.refused,
        cancelled=event.cancelled,
    )


def _result(event: HookEvent) -> Any:
    """Return the result of a call that nobody says failed; its own members still may."""
    if event.failed is None and isinstance(event.output, str):
        return outcome_of(event.output, failed=False).result
    return json_of(flat(event.output))


def _has_failed(event: HookEvent) -> bool:
    if event.failed is not None:
        return event.failed
    recorded = recorded_failure(event.records, event.call) if event.call else None
    if recorded is not None:
        return recorded
    output = flat(event.output)
    if not isinstance(output, str):
        return outcome_of(output).error is not None
    if end := command_end(output):
        return bool(end.code)
    if event.tool == SHELL:
        return is_only_error(output, command_of(event.params) or "")
    return outcome_of(output).error is not None


def is_only_error(output: str, command: str) -> bool:
    """Tell whether a command printed an error and nothing else.

    >>> is_only_error("make: *** No rule to make target 't'.  Stop.", "make t")
    True
    >>> is_only_error("test_login_failure PASSED", "pytest -v")
    False
    >>> is_only_error("Error: disk full", "cat app.log")
    False
    >>> is_only_error("cat: x: No such file or directory", "cat x")
    True
    """
    lines = [line for line in output.strip().splitlines() if line.strip()]
    if not lines or len(lines) > MOST_LINES or len(output) > LONGEST_ERROR:
        return False
    last = re.split(r"&&|\|\||[;|\n]", command)[-1]
    if shows := SHOWS.match(last):
        program = shows[1].split()[0]
        return all(line.startswith((f"{program}: ", "fatal: ")) for line in lines)
    if outcome_of(output).error is not None:
        return True
    return any(MISCALLED.search(line.lower()) for line in (lines[0], lines[-1]))


def recorded_failure(path: str, call: str) -> bool | None:
    """Look a call up in Codex's record of the session; None if it does not say how it ended."""
    if not path.endswith(".jsonl") or not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - READ_BACK))
            lines = file.read(READ_BACK).split(b"\n")
    except OSError:
        return None  # it says as much as a record that is not there
    name = f'"{call}"'.encode()
    for line in reversed([one for one in lines if name in one]):
        found = _failure_in(line, call)
        if found is not None:
            return found
    return None


def _failure_in(line: bytes, call: str) -> bool | None:
    try:
        payload = mapping(mapping(decode(line.decode("utf-8", "replace"))).get("payload"))
    except ValueError:
        return None  # the line is still being written, or was cut
    if payload.get("call_id") != call:
        return None
    code = payload.get("exit_code")
    if isinstance(code, int):
        return code != 0
    output = payload.get("output")
    said = output if isinstance(output, str) else text(mapping(output).get("content"))
    if (end := command_end(said)) and end.code is not None:
        return end.code != 0
    coded = mapping(mapping(json_of(said)).get("metadata")).get("exit_code")
    return coded != 0 if isinstance(coded, int) else None
