"""Handle the hook events of all assistants: report what happened, answer with what is known.

Results and prompts are reported to Seasoned; its hints, rules and notes go back in the answer, in
the words of `wording`. An answer that the assistant's model would not read waits for the next
event of the session at which it does.
"""

import asyncio
import json
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from seasoned.api import AsyncSeasoned
from seasoned.assistants.activity import Activity
from seasoned.assistants.event import HookEvent, Host
from seasoned.assistants.hosts import calling_host
from seasoned.assistants.outcomes import tool_result
from seasoned.assistants.seen import SeenEvents
from seasoned.assistants.wording import joined, told_entry, told_hint, told_note, within
from seasoned.config import system_user
from seasoned.config.settings import AssistantsConfig
from seasoned.core.errors import SeasonedError
from seasoned.core.safe_json import decode
from seasoned.core.scope import Scope
from seasoned.fixes.hint import Hint
from seasoned.recall.context import ContextEntry, Layer
from seasoned.rules.turns import Reaction
from seasoned.transcripts.assistants.claude_code import is_by_the_program as by_claude_code
from seasoned.transcripts.assistants.codex import is_by_the_program as by_codex
from seasoned.transcripts.formats.shapes import mapping
from seasoned.transcripts.projects import normal_folder, projects_of

log = logging.getLogger("seasoned.assistants")

MOST_SESSIONS = 500
MOST_CALLS = 100  # of a turn, that a correction may be about
MOST_WAITING = 3  # texts that wait for an event at which they can be told
# The assistant has its own history of the session, and its own tools.
TOLD: frozenset[Layer] = frozenset({"knowledge", "lessons", "documents"})
COMMAND = re.compile(r"\s*(?:/[\w:.-]+(?:\s|$)|!)")  # typed to the program, not to the model


@dataclass(slots=True)
class OpenSession:
    """What the handler remembers of a session; all of it can be lost without harm."""

    seasoned: AsyncSeasoned
    request: str = ""
    calls: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    given: set[str] = field(default_factory=set[str])  # ids of lessons that the model has read
    waiting: list[str] = field(default_factory=list[str])


class HookHandler:
    """One for all hosts; an event's answer is ready when what it reports is stored.

    `folder` is where activity is noted; `person` is the user of the sessions, by default the one
    of this machine. Only if assistants are `local` are files read that their events name.
    """

    def __init__(
        self,
        seasoned: AsyncSeasoned,
        folder: Path | None = None,
        *,
        person: str | None = None,
        local: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seasoned = seasoned
        self.config: AssistantsConfig = seasoned.app.config.settings.assistants
        self.activity = Activity(folder) if folder is not None else None
        self._local = local
        self._seen = SeenEvents(clock)
        self._sessions: OrderedDict[str, OpenSession] = OrderedDict()
        self._person = person if person is not None else seasoned.scope.user or system_user()

    async def handle(self, told: str, event: str, raw: bytes) -> bytes:
        """Handle one event; return what the assistant is to read, often nothing.

        Nothing is raised: whatever is wrong with an event is logged.
        """
        try:
            payload = mapping(decode(raw.decode("utf-8", "replace")))
        except ValueError as error:
            log.warning("an event of %s is no JSON: %s", told, error)
            return b""
        answer = await self.answer(told, event, payload)
        return json.dumps(answer, ensure_ascii=False).encode() + b"\n" if answer else b""

    async def answer(
        self, told: str, event: str, payload: Mapping[str, Any]
    ) -> Mapping[str, Any] | None:
        host = calling_host(told, payload)
        if host is None:
            log.warning("no assistant is called %r", told)
            return None
        read = host.read(payload, event)
        if self.activity is not None:
            self.activity.note(host.name, read.name)
        if not read.session or self._seen.is_known(read):
            return host.answer(read, "")
        try:
            said = await self._react(host, read)
        except (SeasonedError, OSError, ValueError, TypeError) as error:
            log.warning("an event %s of %s is lost: %s", read.name, host.name, error)
            self._seen.forget(read)
            return host.answer(read, "")
        return host.answer(read, said)

    async def _react(self, host: Host, event: HookEvent) -> str:
        """Report an event, and return the text for the model."""
        session = self._session(event)
        news = await self._news(host, event, session)
        if not host.hears(event):
            if news:
                session.waiting = [*session.waiting, news][-MOST_WAITING:]
            return ""
        told = joined([news, *session.waiting], host.limit)
        session.waiting.clear()
        return told

    async def _news(self, host: Host, event: HookEvent, session: OpenSession) -> str:
        match event.kind:
            case "start":
                return await self._start(host, event, session)
            case "agent_start":
                return await self._notes(host, event, session)
            case "prompt" if is_from_a_person(event):
                return await self._prompt(host, event, session)
            case "result" | "denied" if event.tool:
                return await self._result(event, session, host)
            case "reply" if event.text and not event.agent:
                await self._reply(event, session)
            case "end" if not event.agent:
                await session.seasoned.end(session=event.conversation)
                self._sessions.pop(event.conversation, None)
            case _:
                pass
        return ""

    async def _start(self, host: Host, event: HookEvent, session: OpenSession) -> str:
        """Tell the standing rules, and what is known about tools."""
        if event.forgot:
            session.given.clear()
        context = await session.seasoned.recall("", session=event.conversation)
        rules = [told_entry(one, host.shell) for one in self._new(session, context.entries)]
        notes = await self._note_lines(host, event, session)
        return within([*rules, *notes], self.config.start_tokens, host.limit)

    async def _notes(self, host: Host, event: HookEvent, session: OpenSession) -> str:
        lines = await self._note_lines(host, event, session)
        return within(lines, self.config.start_tokens, host.limit)

    async def _note_lines(self, host: Host, event: HookEvent, session: OpenSession) -> list[str]:
        notes = await session.seasoned.tool_notes(session=event.conversation)
        new = [note for note in notes if note.lesson not in session.given]
        session.given.update(note.lesson for note in new)
        return [told_note(note, host.shell) for note in new]

    async def _prompt(self, host: Host, event: HookEvent, session: OpenSession) -> str:
        """Report a message, which may correct the last reply; tell what matters for it."""
        session.request = event.text
        session.calls.clear()
        noticed = await session.seasoned.turn(event.text, session=event.conversation)
        session.given.update(_just_said(noticed))
        context = await session.seasoned.recall(event.text, session=event.conversation)
        new = self._new(session, context.entries)
        lines = [told_entry(one, host.shell) for one in new]
        return within(lines, self.config.prompt_tokens, host.limit)

    async def _result(self, event: HookEvent, session: OpenSession, host: Host) -> str:
        """Report a tool call; tell the hint if it failed and a fix is known."""
        call = tool_result(event if self._local else replace(event, records=""))
        session.calls.append({"tool": call.tool, "params": call.params, "error": call.error})
        del session.calls[:-MOST_CALLS]
        hint = await session.seasoned.observe(call)
        if hint is None:
            return ""
        session.given.add(hint.lesson)
        tool = host.shell if event.tool == "Bash" else event.tool
        return told_hint(hint, tool, await self._sessions_of(session, hint))

    async def _sessions_of(self, session: OpenSession, hint: Hint) -> int:
        """Count the sessions that speak for a fix."""
        try:
            why = await session.seasoned.why(hint.lesson)
        except SeasonedError:
            return 0  # it was forgotten at this moment; the hint was given all the same
        return len({one.session for one in why.evidence if one.session and one.worked > 0})

    async def _reply(self, event: HookEvent, session: OpenSession) -> None:
        await session.seasoned.replied(
            session.request,
            event.text,
            session=event.conversation,
            tool_calls=tuple(session.calls),
        )

    def _new(self, session: OpenSession, entries: Any) -> list[ContextEntry]:
        """Return the entries that the model has not read in this session, and mark them."""
        found: list[ContextEntry] = []
        for entry in entries:
            lesson = entry.lesson
            if entry.layer in TOLD and lesson is not None and lesson.id not in session.given:
                session.given.add(lesson.id)
                found.append(entry)
        return found

    def _session(self, event: HookEvent) -> OpenSession:
        """Find the session of an event; its first folder decides its project."""
        name = event.conversation
        session = self._sessions.get(name)
        if session is None:
            parent = self._sessions.get(event.session) if event.agent else None
            acting = parent.seasoned if parent else self.seasoned.acting_for(self._scope(event))
            session = self._sessions[name] = OpenSession(acting)
            if len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
        self._sessions.move_to_end(name)
        return session

    def _scope(self, event: HookEvent) -> Scope:
        own = self.seasoned.scope
        folder = normal_folder(event.folder)
        project = own.project or (projects_of({folder: False})[folder] if folder else "")
        return Scope(own.tenant, project, self._person)

    async def warm_up(self) -> None:
        """Load what the first events need, so that they are answered in time."""
        await self.seasoned.recall("which tests are there", given=False)
        await asyncio.sleep(0)


def is_from_a_person(event: HookEvent) -> bool:
    """Tell whether a person wrote a prompt to the model: no sub-agent, program or command."""
    said = event.text
    written = bool(said.strip()) and not event.agent
    return written and not (COMMAND.match(said) or by_claude_code(said) or by_codex(said))


def _just_said(noticed: Reaction) -> set[str]:
    """Return the rules that stand in the message itself; the model reads it anyway."""
    return {noticed.rule.id} if noticed.rule is not None else set()
