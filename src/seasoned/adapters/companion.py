"""Accompany an agent of any framework: hear what happens to it, and say what to tell its model.

An adapter only translates between its framework and a `Companion`. Nothing that goes wrong in
here reaches the agent: it is logged and counted, and the agent goes on without lessons.
"""

import logging
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, TypeVar, cast

from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.api.seasoned import Seasoned
from seasoned.core.errors import BadInput, MissingExtra, SeasonedError
from seasoned.core.fair_lock import FairLock
from seasoned.core.ids import canonical, digest
from seasoned.core.messages import ToolResult
from seasoned.core.plain import plain
from seasoned.recall.prompt_block import examples_block
from seasoned.recall.standing_rules import StandingRules
from seasoned.recall.tool_notes import ToolNotes
from seasoned.tools.hinted_error import text_without_hint
from seasoned.tools.observed_function import reported_by_caller

log = logging.getLogger("seasoned.adapters")

T = TypeVar("T")
Name = str | Callable[[Any], str | None] | None

MOST_SESSIONS = 1000  # whose prompts are kept in memory
MOST_BLOCKS = 10_000  # of past messages of a session
TOOL_NOTES = "Notes from experience with tools:"

# The tools that run right now: a conversation inside of one is led by a model, not by a person.
_running: ContextVar[tuple[str, ...]] = ContextVar("seasoned_running_tools", default=())


def missing_framework(name: str, package: str) -> MissingExtra:
    return MissingExtra(f"the adapter for {name} needs {name}; install it: pip install {package}")


@contextmanager
def running(tool: str) -> Generator[None]:
    """Say that the caller runs this tool and reports it, so that `@s.tool` does not."""
    token = _running.set((*_running.get(), tool))
    try:
        with reported_by_caller(tool):
            yield
    finally:
        _running.reset(token)


@dataclass(frozen=True, slots=True)
class Additions:
    """Texts to add to one request to a model.

    `stable` goes into the system prompt, `blocks[n]` beside the n-th user message if not empty,
    and `notes` into the descriptions of the tools.
    """

    stable: str = ""
    blocks: Sequence[str] = ()
    notes: ToolNotes = field(default_factory=ToolNotes)

    @property
    def notes_text(self) -> str:
        """The notes as lines of a system prompt, where descriptions cannot be changed."""
        lines = [f"- {note.tool}: {note.text}" for note in self.notes]
        return "\n".join([TOOL_NOTES, *lines]) if lines else ""


class Companion:
    """Follows the conversations of an agent.

    `session` and `user` are names, or functions that find one in the framework's own context;
    by default the framework's thread is the session. With `by_user` False the agent's requests
    come from a program: nothing in them is a person's correction.
    """

    def __init__(
        self,
        seasoned: Seasoned | AsyncSeasoned,
        *,
        session: Name = None,
        user: Name = None,
        by_user: bool = True,
    ) -> None:
        self.seasoned = _async(seasoned)
        self.by_user = by_user
        self.failures: Counter[str] = Counter()
        self._session = session
        self._user = user
        self._followed: OrderedDict[tuple[str, ...], FollowedSession] = OrderedDict()

    def follow(
        self, context: Any, thread: str | None = None, user: str | None = None, began: str = ""
    ) -> "FollowedSession":
        """Return the conversation that the framework's context belongs to.

        `thread` and `user` are the framework's names for it. Without any name, a conversation is
        recognised by the message it `began` with, as long as this process runs.
        """
        name = self._named(self._session, context) or thread or self.seasoned.named_session
        session = name or f"{self.seasoned.default_session}-{digest(began)[:8]}"
        person = self._named(self._user, context) or user or ""
        inside = _running.get()
        key = (person, session, *inside)
        followed = self._followed.pop(key, None) or FollowedSession(
            self, session, person, by_user=self.by_user and not inside
        )
        self._followed[key] = followed
        if len(self._followed) > MOST_SESSIONS:
            self._followed.popitem(last=False)
        return followed

    def run(self, work: Coroutine[Any, Any, T], otherwise: T) -> T:
        """Do the work of a session from synchronous code."""
        try:
            return self.seasoned.app.unit.drive(work)
        except Exception:  # noqa: BLE001 - `count_failure` logs it
            work.close()
            self.count_failure("reach the database")
            return otherwise

    def count_failure(self, what: str) -> None:
        """Log the present exception and count it, also among the failures that `status` shows."""
        self.failures[what] += 1
        self.seasoned.app.bus.failures[f"adapter: {what}"] += 1
        error = sys.exception()
        if isinstance(error, SeasonedError):  # it says what happened; its traceback says no more
            log.warning("could not %s; the agent is not affected: %s", what, error)
        else:
            log.exception("could not %s; the agent is not affected", what)

    def _named(self, name: Name, context: Any) -> str | None:
        if not callable(name):
            return name
        try:
            found = name(context)
        except Exception:  # noqa: BLE001 - `count_failure` logs it
            self.count_failure("find the name of the session or user")
            return None
        return None if found is None else str(found)


class FollowedSession:
    """One conversation: its tool calls, its messages, and what its prompt holds."""

    def __init__(self, companion: Companion, session: str, user: str, *, by_user: bool) -> None:
        self.session = session
        self.by_user = by_user
        self._companion = companion
        self._user = user
        self._lock = FairLock()
        self._standing = StandingRules()
        self._stable = ""
        self.notes = ToolNotes()  # of the tools of the latest request
        self.hints: OrderedDict[str, str] = OrderedDict()  # by call, for results worded elsewhere
        self._blocks: OrderedDict[tuple[str, int], str] = OrderedDict()
        self._request = ""
        self._calls: list[Mapping[str, Any]] = []
        self._answered = True

    async def prepare(
        self,
        said: Sequence[str],
        tools: Sequence[str] = (),
        *,
        latest: int = -1,
        new: bool = True,
    ) -> Additions:
        """Return what to add to a request with these user messages and these tools.

        Message `latest` is the one to answer; `new` says that nothing was done about it yet.
        A message keeps its block, so the beginning of the prompt stays the same.
        """
        keys = _numbered(said)
        async with self._lock:
            if tools:
                with self._guarded("read the notes of tools"):
                    seasoned = await self._seasoned()
                    self.notes = await seasoned.tool_notes(*tools, session=self.session)
            again = new and self._answered  # the same words, in a later turn
            if keys and (again or keys[latest] not in self._blocks):
                await self._begin(said[latest], new=new)
                self._blocks[keys[latest]] = ""  # asked once, even if recalling fails
                with self._guarded("recall lessons"):
                    self._blocks[keys[latest]] = await self._recall(said[latest])
                while len(self._blocks) > MOST_BLOCKS:
                    self._blocks.popitem(last=False)
            blocks = tuple(self._blocks.get(key, "") for key in keys)
        return Additions(self._stable, blocks, self.notes)

    async def standing(self) -> Additions:
        """Return what holds for a whole session, before anything is said in it."""
        with self._guarded("recall standing rules"):
            seasoned = await self._seasoned()
            notes = await seasoned.tool_notes(session=self.session, given=False)
            context = await seasoned.recall("", session=self.session, given=False)
            return Additions(context.stable, (), notes)
        return Additions()

    async def called(
        self,
        tool: str,
        params: Mapping[str, Any] | None = None,
        result: Any = None,
        error: str | BaseException | None = None,
        *,
        seconds: float | None = None,
        refused: bool = False,
        cancelled: bool = False,
    ) -> str:
        """Report a tool call; return the hint for the model if it failed and a fix is known."""
        given = cast("dict[str, Any]", plain(params or {}))
        text = error_text(error)
        self._calls.append({"tool": tool, "params": given, "error": text})
        with self._guarded(f"learn from a call of {tool}"):
            call = ToolResult(
                *(tool, given, result, text, self.session),
                None if seconds is None else seconds * 1000,
                refused=refused,
                cancelled=cancelled,
            )
            hint = await (await self._seasoned()).observe(call)
            return "" if hint is None else str(hint)
        return ""

    def keep_hint(self, call: str, hint: str) -> None:
        """Keep a hint for all requests that show the result of its call."""
        if hint:
            self.hints[call] = hint
            while len(self.hints) > MOST_BLOCKS:
                self.hints.popitem(last=False)

    async def replied(self, reply: Any) -> None:
        """Report the agent's reply to the latest message, which the next message may correct."""
        if self._answered or not self.by_user:
            return
        self._answered = True
        text = reply if isinstance(reply, str) else canonical(plain(reply))
        with self._guarded("record a reply"):
            seasoned = await self._seasoned()
            await seasoned.replied(
                self._request, text, session=self.session, tool_calls=self._calls
            )

    async def end(self, reason: str = "closed") -> None:
        """Report that the conversation is over, so that it is learned from as a whole."""
        with self._guarded("end a session"):
            await (await self._seasoned()).end(session=self.session, reason=reason)

    def run(self, work: Coroutine[Any, Any, T], otherwise: T) -> T:
        return self._companion.run(work, otherwise)

    async def _begin(self, message: str, *, new: bool) -> None:
        self._request, self._calls, self._answered = message, [], False
        if not new or not self.by_user:
            return
        with self._guarded("hear a message"):
            await (await self._seasoned()).turn(message, session=self.session)

    async def _recall(self, message: str) -> str:
        """Recall lessons for a message: set those of the whole session, return the others."""
        seasoned = await self._seasoned()
        context = await seasoned.recall(message, session=self.session)
        self._stable, newer = self._standing.blocks(context)
        return "\n\n".join(filter(None, (newer, context.turn, examples_block(context))))

    async def _seasoned(self) -> AsyncSeasoned:
        """Return the Seasoned that acts for the session's user."""
        seasoned = self._companion.seasoned
        if not self._user or self._user == seasoned.scope.user:
            return seasoned
        await seasoned.open()
        return seasoned.acting_for(replace(seasoned.scope, user=self._user), seasoned.acts_in)

    @contextmanager
    def _guarded(self, what: str) -> Generator[None]:
        """Let no failure of learning out: it is counted, and the agent goes on."""
        try:
            yield
        except Exception:  # noqa: BLE001 - `count_failure` logs it
            self._companion.count_failure(what)


class Stopwatch:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._start = perf_counter()

    @property
    def seconds(self) -> float:
        return perf_counter() - self._start


def error_text(error: str | BaseException | None) -> str | None:
    """Return the text of an error as it was raised, with its type in front."""
    if not isinstance(error, BaseException):
        return error
    text = text_without_hint(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def with_hint_text(text: str, hint: str) -> str:
    """Put a hint after a text that a model reads.

    >>> with_hint_text("no such day", "Known fix: …")
    'no such day\\n\\nKnown fix: …'
    >>> with_hint_text("no such day", "")
    'no such day'
    """
    return f"{text}\n\n{hint}" if hint and hint not in text else text


def described(tool: str, description: str, notes: ToolNotes) -> str:
    """Return a tool's description with its notes, unless it has them already."""
    text = notes.of(tool).text
    return description if text in description else notes.describe(tool, description)


def _async(seasoned: Any) -> AsyncSeasoned:
    if isinstance(seasoned, Seasoned):
        return seasoned.inner
    if isinstance(seasoned, AsyncSeasoned):
        return seasoned
    kind = type(seasoned).__name__
    raise BadInput(f"an adapter takes a Seasoned or an AsyncSeasoned first, not a {kind}")


def _numbered(texts: Sequence[str]) -> list[tuple[str, int]]:
    """Tell equal messages apart by their order; older ones may be missing from a long history."""
    seen: Counter[str] = Counter()
    keys: list[tuple[str, int]] = []
    for text in texts:
        seen[text] += 1
        keys.append((digest(text), seen[text]))
    return keys
