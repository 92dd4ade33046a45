"""Find the messages of a transcript in which a user corrects the assistant."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from seasoned.core.ids import digest
from seasoned.core.messages import Message, ToolResult
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.corrections import SAFE, find_correction
from seasoned.rules.case import Case
from seasoned.rules.exchanges import LONGEST_MESSAGE, Exchange
from seasoned.rules.grammar.own_words import own_words
from seasoned.rules.turns import case_of
from seasoned.security.redact import redact
from seasoned.security.stored import stored_name
from seasoned.transcripts.item import Item

MOST_CALLS = 20
MOST_SESSIONS = 1000
# Text that programs write in the user's name.
NOT_SAID = ("<system-reminder", "<command-", "<local-command", "<environment_context", "Caveat:")
STOPPED = ("[request interrupted by user",)


@dataclass(slots=True)
class Thread:
    """The current exchange of one session."""

    request: str = ""
    reply: str = ""
    calls: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    stopped: bool = False

    @property
    def begun(self) -> bool:
        """Whether the assistant has done anything that could be wrong."""
        return bool(self.reply or self.calls or self.stopped)

    def exchange(self) -> Exchange:
        return Exchange(self.request, self.reply, self.calls[-MOST_CALLS:])


class CorrectionFinder:
    """A finder of corrections, fed with a transcript in order; sessions may be interleaved."""

    def __init__(self, now: int) -> None:
        self.now = now
        self._threads: dict[str, Thread] = {}

    def take(self, item: Item, scope: Scope) -> Case | None:
        """Return the correction in this item of a session with this scope, if there is one."""
        if isinstance(item, ToolResult):
            error = None if item.error is None else str(item.error)
            call = {"tool": item.tool, "params": dict(item.params), "error": error}
            self._thread(item.session).calls.append(call)
        elif isinstance(item, Message) and item.role == "assistant":
            thread = self._thread(item.session)
            thread.reply = f"{thread.reply}\n{redact(item.text)}".strip()[-LONGEST_MESSAGE:]
        elif isinstance(item, Message) and item.role == "user":
            return self._heard(item, scope.within(stored_name(item.session)))
        return None

    def _heard(self, message: Message, scope: Scope) -> Case | None:
        text = redact(storable(message.text.strip()))
        thread = self._thread(message.session)
        if not text or text.startswith(NOT_SAID):
            return None
        if text.lower().startswith(STOPPED):
            thread.stopped = True
            return None
        own = own_words(text)
        ready = thread.begun and own
        case = self._corrected(message, own, thread, scope) if ready else None
        self._threads[message.session] = Thread(text)
        return case

    def _corrected(self, message: Message, text: str, thread: Thread, scope: Scope) -> Case | None:
        found = find_correction(
            text,
            previous_request=thread.request or None,
            previous_reply=thread.reply or None,
            floor=SAFE,
        )
        if found is None:
            return None
        at = self.now if message.at is None else message.at
        case = case_of(text, found, scope, thread.exchange(), at)
        return case if message.id is None else _named(case, message)

    def _thread(self, session: str) -> Thread:
        thread = self._threads.pop(session, None) or Thread()
        self._threads[session] = thread
        if len(self._threads) > MOST_SESSIONS:
            del self._threads[next(iter(self._threads))]
        return thread


def _named(case: Case, message: Message) -> Case:
    """Name the case by its message, so that two transcripts with the same message make one case."""
    return replace(case, id=digest(*case.scope.fields(), message.id or "", case.message)[:16])
