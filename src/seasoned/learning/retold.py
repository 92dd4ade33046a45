"""Follows the sessions of a transcript, and finds where a user corrected the assistant."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from seasoned.core.ids import digest
from seasoned.core.messages import Message
from seasoned.core.scope import Scope
from seasoned.core.tool_result import ToolResult
from seasoned.corrections import SAFE, find_correction
from seasoned.learning.exchanges import LONGEST, Exchange
from seasoned.learning.turns import case_of
from seasoned.rules.case import Case
from seasoned.transcripts.item import Item

MOST_CALLS = 20
MOST_SESSIONS = 1000
# What tools write in the user's place: nobody said it.
NOT_SAID = ("<system-reminder", "<command-", "<local-command", "<environment_context", "Caveat:")
STOPPED = ("[request interrupted by user",)


@dataclass(slots=True)
class Thread:
    """How far a session has come."""

    request: str = ""
    reply: str = ""
    calls: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    stopped: bool = False

    @property
    def begun(self) -> bool:
        """Whether the assistant did anything yet that could be wrong."""
        return bool(self.reply or self.calls or self.stopped)

    def exchange(self) -> Exchange:
        return Exchange(self.request, self.reply, self.calls[-MOST_CALLS:])


class Retold:
    """Takes the items of a transcript in their order; several sessions may stand side by side."""

    def __init__(self, scope: Scope, now: int) -> None:
        self.scope = scope
        self.now = now
        self._threads: dict[str, Thread] = {}

    def take(self, item: Item) -> Case | None:
        """The correction that this item is, if it is one that can be learned from."""
        if isinstance(item, ToolResult):
            error = None if item.error is None else str(item.error)
            call = {"tool": item.tool, "params": dict(item.params), "error": error}
            self._thread(item.session).calls.append(call)
        elif isinstance(item, Message) and item.role == "assistant":
            thread = self._thread(item.session)
            thread.reply = f"{thread.reply}\n{item.text}".strip()[-LONGEST:]
        elif isinstance(item, Message) and item.role == "user":
            return self._heard(item)
        return None

    def _heard(self, message: Message) -> Case | None:
        text = message.text.strip()
        thread = self._thread(message.session)
        if not text or text.startswith(NOT_SAID):
            return None
        if text.lower().startswith(STOPPED):
            thread.stopped = True
            return None
        case = self._corrected(message, text, thread) if thread.begun else None
        self._threads[message.session] = Thread(text)
        return case

    def _corrected(self, message: Message, text: str, thread: Thread) -> Case | None:
        found = find_correction(
            text,
            previous_request=thread.request or None,
            previous_reply=thread.reply or None,
            floor=SAFE,
        )
        if found is None:
            return None
        at = self.now if message.at is None else message.at
        scope = self.scope.within(message.session)
        case = case_of(text, found, scope, thread.exchange(), at)
        return case if message.id is None else _named(case, message)

    def _thread(self, session: str) -> Thread:
        thread = self._threads.pop(session, None) or Thread()
        self._threads[session] = thread
        if len(self._threads) > MOST_SESSIONS:
            del self._threads[next(iter(self._threads))]
        return thread


def _named(case: Case, message: Message) -> Case:
    """The same message in two transcripts, one of which goes on, is one correction."""
    return replace(case, id=digest(*case.scope.fields(), message.id or "", case.message)[:16])
