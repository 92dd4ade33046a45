"""The companion of conversations that pass by: it learns from each request and adds to it.

1. It finds the conversation that a request continues (`conversations.py`).
2. New results of tools are reported; a failure that has a known fix gets its hint.
3. A person's new message is reported: it may correct the last reply. What was learned and fits is
   recalled, and goes beside the message.
4. Standing rules go into the system prompt, notes into the descriptions of tools.
5. What was inserted into earlier messages is inserted again, to the byte, so that the provider's
   prompt cache works; a message that was answered is never changed.
6. When the response has passed, the reply is reported.

Learning never breaks acting: whatever fails inside, the request goes on as the client sent it.
"""

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.core.errors import SeasonedError
from seasoned.core.messages import ToolResult
from seasoned.core.text import one_line
from seasoned.db.unit import Change
from seasoned.fixes.failure import failure_of
from seasoned.recall.prompt_block import examples_block
from seasoned.recall.standing_rules import rules_block
from seasoned.recall.tool_notes import notes_to_json
from seasoned.transcripts.formats.outcome import outcome_of
from seasoned.transcripts.identity import call_key
from seasoned.wire.conversation import WireCall, WireMessage, WireReply, WireRequest
from seasoned.wire.conversation_store import Inserted
from seasoned.wire.conversations import Conversations, ConversationState
from seasoned.wire.spans import Insertion, NotJson, inserted
from seasoned.wire.words import is_side_task, persons_words

log = logging.getLogger("seasoned.wire")

MOST_CALLS = 200  # of replies, that wait for their results
WARMING = "warm-up"  # a session that nobody has
BESIDE = ""  # the place beside a message, in `Inserted`


class WireFormat(Protocol):
    """A module that reads one provider's requests and responses."""

    name: str

    def read_request(self, body: str, /) -> WireRequest: ...

    def read_reply(self, body: bytes, /, *, streamed: bool) -> WireReply: ...


class TooSlow(SeasonedError):
    """Learning took longer than the client should wait."""


@dataclass(frozen=True, slots=True)
class CompanionConfig:
    deadline_seconds: float = 0.15  # for all that is done before a request goes on
    body_bytes: int = 16 * 2**20  # a larger body goes on unread


@dataclass(slots=True)
class PassageReport:
    """Figures for health."""

    passed: int = 0
    unlearned: int = 0  # passed as they came, because learning failed
    last_reason: str = ""

    def failed(self, reason: str) -> None:
        self.unlearned += 1
        self.last_reason = one_line(reason, 300)


@dataclass(frozen=True, slots=True)
class Passage:
    """A request on its way: `body` is what goes on; `state` is None if nothing is learned."""

    body: bytes
    wire: WireFormat
    seasoned: AsyncSeasoned
    state: ConversationState | None = None


class Companion:
    """Accompanies all conversations of a process."""

    def __init__(self, config: CompanionConfig | None = None) -> None:
        self.config = config or CompanionConfig()
        self.conversations = Conversations()
        self.report = PassageReport()

    async def before(
        self, seasoned: AsyncSeasoned, wire: WireFormat, body: bytes, session: str = ""
    ) -> Passage:
        """Learn from a request, and return it as it goes on."""
        self.report.passed += 1
        try:
            return await self._before(seasoned, wire, body, session)
        except NotJson as error:
            self.report.failed(f"{wire.name}: the request is not what was expected: {error}")
        except TooSlow as error:  # not a warning: a busy machine has many
            log.info("a %s request passes unlearned: %s", wire.name, error)
            self.report.failed(f"{wire.name}: {error}")
        except SeasonedError as error:
            log.warning("a %s request passes unlearned: %s", wire.name, error)
            self.report.failed(f"{wire.name}: {error}")
        except Exception as error:
            log.warning("a %s request passes unlearned", wire.name, exc_info=True)
            self.report.failed(f"{wire.name}: {type(error).__name__}: {error}")
        return Passage(body, wire, seasoned)

    async def after(self, passage: Passage, body: bytes, *, streamed: bool) -> None:
        """Learn from the response to a request."""
        if passage.state is None:
            return
        try:
            reply = passage.wire.read_reply(body, streamed=streamed)
            await self._after(passage.seasoned, passage.state, reply)
        except Exception as error:
            log.warning("a %s response was not learned from", passage.wire.name, exc_info=True)
            self.report.failed(f"{passage.wire.name}: {type(error).__name__}: {error}")

    async def warm_up(self, seasoned: AsyncSeasoned) -> None:
        """Load what the first request needs, so that it need not wait for it: half a second."""
        from seasoned.corrections import find_correction
        from seasoned.rules.grammar.reading import wish_of

        sample = "No, that is not what I wanted; always use the other one."
        try:
            await seasoned.recall(sample, session=WARMING, given=False)
            await seasoned.tool_notes(WARMING, session=WARMING, given=False)
            find_correction(
                sample, previous_reply="Done.", second_opinion=seasoned.app.turns.second_opinion
            )
            wish_of(sample)
        except Exception:
            log.warning("could not load in advance what learning needs", exc_info=True)

    async def _before(
        self, seasoned: AsyncSeasoned, wire: WireFormat, body: bytes, session: str
    ) -> Passage:
        deadline = Deadline(self.config.deadline_seconds)
        if len(body) > self.config.body_bytes:
            raise NotJson(f"it has {len(body)} bytes, more than are read")
        try:
            request = wire.read_request(body.decode("utf-8"))
        except (UnicodeDecodeError, KeyError, RecursionError) as error:
            raise NotJson(f"{type(error).__name__}: {error}") from error
        if not request.messages or is_side_task(request):
            return Passage(body, wire, seasoned)
        await seasoned.open()
        if not seasoned.app.engine.config.enabled:
            return Passage(body, wire, seasoned)
        deadline.check("reading the request")
        seasoned = self.conversations.for_user(seasoned, request)
        state = await self.conversations.find(seasoned, wire.name, request, session)
        async with state.lock:
            step = Step(seasoned, state, request, deadline)
            text = await step.take()
        return Passage(text.encode("utf-8"), wire, seasoned, state)

    async def _after(
        self, seasoned: AsyncSeasoned, state: ConversationState, reply: WireReply
    ) -> None:
        async with state.lock:
            state.calls.update({call.id: call for call in reply.calls if call.id})
            while len(state.calls) > MOST_CALLS:
                state.calls.popitem(last=False)
            if not reply.whole:
                return
            await self.conversations.replied(seasoned, state, reply)
            if reply.text.strip() and not reply.calls and state.teaches and state.request:
                await report_reply(seasoned, state, state.request, reply.text)


class Deadline:
    """The time that learning may take before a request."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends = time.monotonic() + seconds

    def check(self, done: str) -> None:
        if time.monotonic() > self._ends:
            raise TooSlow(
                f"learning took longer than {self._seconds * 1000:g} ms "
                f"(proxy.deadlineSeconds), after {done}"
            )


@dataclass(slots=True)
class Step:
    """One request of a conversation: what is new in it, and what goes into it."""

    seasoned: AsyncSeasoned
    state: ConversationState
    request: WireRequest
    deadline: Deadline
    keys: Sequence[tuple[str, WireMessage]] = ()
    texts: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    async def take(self) -> str:
        """Learn from what is new; return the request as it goes on."""
        self.keys = list(numbered(self.request.messages))
        fresh = [(key, one) for key, one in self._unanswered() if key not in self.state.known]
        if fresh:
            await self._observe(fresh)
            self.deadline.check("reporting results of tools")
            await self._listen(fresh)
            self.deadline.check("recalling what was learned")
        if self.request.tools:
            await self._note_tools(anew=bool(fresh))
        text = inserted(self.request.text, self._insertions())
        if fresh:
            await self._store()
        return text

    def _unanswered(self) -> list[tuple[str, WireMessage]]:
        """Return the messages after the last reply: only they can be new."""
        answered = [at for at, (_, one) in enumerate(self.keys) if one.role == "assistant"]
        return list(self.keys[answered[-1] + 1 if answered else 0 :])

    async def _observe(self, fresh: Sequence[tuple[str, WireMessage]]) -> None:
        """Report results of tools and mark the messages as seen, in one transaction."""
        app, state = self.seasoned.app, self.state
        pairs = [
            (key, result.call, observed)
            for key, message in fresh
            for result in message.results
            if (observed := self._observed(message, result.call)) is not None
        ]
        self._remember_calls(one for _, _, one in pairs)

        async def learn(change: Change) -> list[tuple[str, str, str]]:
            hints: list[tuple[str, str, str]] = []
            for key, call, observed in pairs:
                hint = await app.engine.observe_within(
                    change, observed, self.seasoned.scope, hints=app.engine.config.hints
                )
                if hint is not None:
                    hints.append((key, call, str(hint)))
            await state.store.touch(
                change, state.id, state.beginning, state.scope.session, change.at
            )
            await state.store.mark(change, state.id, {key: {} for key, _ in fresh})
            return hints

        for key, call, hint in await app.unit.run(app.unit.change(learn)):
            self.texts.setdefault(key, {})[call] = hint
        for key, _ in fresh:
            state.know(key, {})

    def _observed(self, message: WireMessage, call_id: str) -> ToolResult | None:
        """Pair a result with its call; None if nobody knows what was called."""
        call = self._call(call_id)
        if call is None:
            return None
        result = next(one for one in message.results if one.call == call_id)
        outcome = outcome_of(result.output, result.failed)
        session = self.state.scope.session
        return ToolResult(
            call.name,
            call.arguments,
            outcome.result,
            outcome.error,
            session,
            outcome.duration_ms,
            id=call_key(session, call.id, call.name, call.arguments, message.key),
        )

    def _call(self, call_id: str) -> WireCall | None:
        for message in reversed(self.request.messages):
            for call in message.calls:
                if call.id == call_id:
                    return call
        return self.state.calls.get(call_id)

    def _remember_calls(self, observed: Iterable[ToolResult]) -> None:
        """Note the calls of this turn, for the exchange that a correction is about."""
        for one in observed:
            self.state.tool_calls.append(
                {"tool": one.tool, "params": one.params, "error": failure_of(one)}
            )
        del self.state.tool_calls[:-MOST_CALLS]

    async def _listen(self, fresh: Sequence[tuple[str, WireMessage]]) -> None:
        """Report what a person said, and recall what fits it."""
        said = [(key, words) for key, one in fresh if (words := persons_words(one.text))]
        key, words = said[-1] if said else ("", "")
        state, session = self.state, self.state.scope.session
        if words and state.teaches:
            await self._catch_up(key)
            await self.seasoned.turn(words, session=session)
        if words:
            state.request, state.reply, state.tool_calls = words, "", []
        if not words and state.standing.lines is not None:
            return
        context = await self.seasoned.recall(words or self._last_words(), session=session)
        _, newer = state.standing.blocks(context)
        block = "\n\n".join(filter(None, (newer, context.turn, examples_block(context))))
        if key and block:
            self.texts.setdefault(key, {})[BESIDE] = block

    async def _catch_up(self, key: str) -> None:
        """Report the reply before a message, if it is not the one that was seen passing by."""
        before = [one for at, one in self.keys if at != key]
        reply = next((one for one in reversed(before) if one.role == "assistant"), None)
        if reply is None or not reply.text.strip() or reply.text == self.state.reply:
            return
        place = max(at for at, one in enumerate(before) if one is reply)
        asked = (persons_words(one.text) for one in reversed(before[:place]) if one.role == "user")
        request = next(filter(None, asked), "")
        if request:
            await report_reply(self.seasoned, self.state, request, reply.text)

    def _last_words(self) -> str:
        said = (persons_words(one.text) for one in reversed(self.request.messages))
        return next(filter(None, said), "")

    async def _note_tools(self, *, anew: bool) -> None:
        """Read the notes of the tools; they change within a conversation only if they must."""
        state = self.state
        names = [tool.name for tool in self.request.tools if tool.name]
        if names and (anew or state.notes is None):
            state.notes = await self.seasoned.tool_notes(*names, session=state.scope.session)

    def _insertions(self) -> list[Insertion]:
        """Return every text that goes into the request, those of earlier requests included."""
        state, request = self.state, self.request
        found: list[Insertion] = []
        standing = rules_block(state.standing.lines or ())
        if standing and request.standing is not None:
            found.append(request.standing.insertion(standing))
        for tool in request.tools:
            notes = state.notes.of(tool.name).text if state.notes else ""
            if notes and tool.place is not None:
                found.append(tool.place.insertion(notes))
        for key, message in self.keys:
            texts: Inserted = {**state.known.get(key, {}), **self.texts.get(key, {})}
            found += _into(message, texts)
        return found

    async def _store(self) -> None:
        """Store what goes into the request, so that it goes into the next one, too."""
        state = self.state
        notes = notes_to_json(state.notes) if state.notes else ""
        kept = (state.standing.lines, notes)
        if not self.texts and kept == state.kept:
            return

        async def store(change: Change) -> None:
            await state.store.mark(change, state.id, self.texts)
            await state.store.keep(change, state.id, *kept)

        unit = self.seasoned.app.unit
        await unit.run(unit.change(store))
        state.kept = kept
        for key, texts in self.texts.items():
            state.know(key, texts)


async def report_reply(
    seasoned: AsyncSeasoned, state: ConversationState, request: str, reply: str
) -> None:
    """Report a finished turn, once."""
    session = state.scope.session
    await seasoned.replied(request, reply, session=session, tool_calls=state.tool_calls)
    state.reply = reply


def numbered(messages: Sequence[WireMessage]) -> Iterable[tuple[str, WireMessage]]:
    """Yield messages with their keys; those that say the same are told apart by their number."""
    times: dict[str, int] = {}
    for message in messages:
        key = message.key
        number = times[key] = times.get(key, 0) + 1
        yield (key if number == 1 else f"{key}-{number}"), message


def _into(message: WireMessage, texts: Mapping[str, str]) -> list[Insertion]:
    """Return the insertions into one message: hints beside results, a block beside the text."""
    found = [
        result.place.insertion(texts[result.call])
        for result in message.results
        if result.place is not None and texts.get(result.call)
    ]
    if texts.get(BESIDE) and message.place is not None:
        found.append(message.place.insertion(texts[BESIDE]))
    return found
