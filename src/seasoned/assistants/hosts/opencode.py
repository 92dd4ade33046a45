"""OpenCode, by the plugin that `connect` installs: it sends events in words of our own.

The plugin hears results (with the exit code of a command), errors that tools throw, messages,
replies and the end of sessions, and puts `context` where the model reads it.
"""

from collections.abc import Mapping
from typing import Any, get_args

from seasoned.assistants.event import HookEvent, Kind, tool_name
from seasoned.transcripts.formats.shapes import mapping, text

KINDS = frozenset(get_args(Kind))
HEARD = frozenset({"start", "prompt", "result"})


class OpenCode:
    name = "opencode"
    limit = 9_500
    shell = "bash"

    def read(self, payload: Mapping[str, Any], event: str) -> HookEvent:
        name = text(payload.get("event")) or event
        kind: Kind = name if name in KINDS else "other"  # pyright: ignore[reportAssignmentType]
        error, code = payload.get("error"), payload.get("exit")
        failed = bool(error) or (isinstance(code, int) and code != 0)
        said = error or payload.get("output")
        if failed and not said:
            said = f"exit code {code}"
        return HookEvent(
            self.name,
            name,
            kind,
            session=text(payload.get("session")),
            folder=text(payload.get("folder")),
            agent=text(payload.get("agent")),
            turn=text(payload.get("message")),
            call=text(payload.get("call")),
            tool=tool_name(text(payload.get("tool"))),
            params=mapping(payload.get("args")),
            output=said,
            failed=failed,
            text=text(payload.get("text")),
            forgot=payload.get("forgot") is True,
        )

    def hears(self, event: HookEvent) -> bool:
        return event.name in HEARD

    def answer(self, event: HookEvent, text: str) -> Mapping[str, Any] | None:
        return {"context": text} if text else None
