"""The agent's events as JSON, the same for server-sent events and WebSockets."""

from dataclasses import asdict
from typing import Any

from seasoned.agent.turn import AgentEvent
from seasoned.core.errors import SeasonedError
from seasoned.tools.plain_values import to_plain
from seasoned.tools.run import ApprovalRequest, ToolEvent

LONGEST_RESULT = 20_000  # characters of a tool's result; the model reads all of it


def content_of(event: AgentEvent) -> dict[str, Any]:
    """Return what an event says besides its kind; absent things are left out."""
    content: dict[str, Any] = {"text": event.text}
    if event.tool is not None:
        content = _tool(event.tool)
    if event.used is not None:
        used = event.used
        content["used"] = {
            "requests": used.requests,
            "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens,
            "seconds": round(used.seconds, 3),
        }
    if event.lesson is not None:
        content |= {"lesson": event.lesson, "lasts": bool(event.lasts)}
    for name, rules in (("against", event.against), ("replaces", event.replaces)):
        if rules:
            content[name] = [{"id": one, "text": words} for one, words in rules]
    if event.given:
        content["lessons"] = [asdict(one) for one in event.given]
    if event.seconds is not None:
        content["seconds"] = round(event.seconds, 3)
    return content


def _tool(event: ToolEvent) -> dict[str, Any]:
    if event.request is not None:
        return approval_content(event.request)
    content: dict[str, Any] = {
        "state": event.kind,
        "id": event.id,
        "tool": event.tool,
        "params": to_plain(event.params),
        "text": event.text[:LONGEST_RESULT],
    }
    if len(event.text) > LONGEST_RESULT:
        content["characters"] = len(event.text)
    if event.hint:
        content["hint"] = event.hint
    if event.duration_ms is not None:
        content["duration_ms"] = round(event.duration_ms, 1)
    return content


def approval_content(request: ApprovalRequest) -> dict[str, Any]:
    """Describe a call that waits for somebody's answer."""
    return {
        "id": request.id,
        "tool": request.tool,
        "params": to_plain(request.params),
        "call": request.shown,
        "reason": request.reason,
        "folder": request.folder,
        "seconds": request.timeout_seconds,
        "answers": ["allow", "always", "deny"] if request.can_always else ["allow", "deny"],
    }


def error_content(error: SeasonedError) -> dict[str, str]:
    return {"type": type(error).__name__, "message": str(error)}
