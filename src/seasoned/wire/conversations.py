"""Find the conversation that a request continues: clients send their whole history each time.

By name, if the client gives one; by the response that it continues; by the last reply in its
history, which only one conversation has; else by how it begins. Requests with another system
prompt under the same name (sub-agents) are conversations of their own.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from seasoned.api.async_seasoned import AsyncSeasoned
from seasoned.core.fair_lock import FairLock
from seasoned.core.ids import digest
from seasoned.core.scope import Scope
from seasoned.db.database import Connection
from seasoned.db.unit import transact
from seasoned.recall.standing_rules import StandingRules
from seasoned.recall.tool_notes import ToolNotes, notes_from_json
from seasoned.security.stored import stored_name
from seasoned.transcripts.identity import is_unique
from seasoned.wire.conversation import WireCall, WireReply, WireRequest
from seasoned.wire.conversation_store import ConversationStore, Inserted
from seasoned.wire.words import lasting_part, persons_words

T = TypeVar("T")

MOST_STATES = 2000  # conversations in memory
MOST_NAMES = 20_000  # replies and beginnings in memory
MOST_KNOWN = 10_000  # messages of a conversation
CLEAN_EVERY = 500  # new conversations
DISTINCTIVE = 40  # characters of a reply that no other conversation is likely to have


@dataclass(slots=True, eq=False)
class ConversationState:
    """What is known of a conversation; `id` and `beginning` are digests that include the scope."""

    scope: Scope  # with its session
    id: str
    beginning: str
    store: ConversationStore
    known: dict[str, Inserted] = field(default_factory=dict[str, Inserted])
    standing: StandingRules = field(default_factory=StandingRules)
    notes: ToolNotes | None = None
    kept: tuple[Sequence[str] | None, str] = (None, "")  # standing and notes, as stored
    calls: OrderedDict[str, WireCall] = field(default_factory=OrderedDict[str, WireCall])
    tool_calls: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    request: str = ""  # the last words of a person
    reply: str = ""  # the last reply to them
    answered: bool = False
    teaches: bool = True  # False: its user is an agent
    lock: FairLock = field(default_factory=FairLock)

    def know(self, key: str, texts: Inserted) -> None:
        """Remember a message, and what was inserted into it."""
        self.known[key] = texts
        if len(self.known) > MOST_KNOWN:
            del self.known[next(iter(self.known))]


class Conversations:
    """The conversations of a process; those that it does not remember are in the database."""

    def __init__(self) -> None:
        self.store = ConversationStore()
        self._finding = FairLock()
        self._states: OrderedDict[Scope, ConversationState] = OrderedDict()
        self._replies: OrderedDict[str, str] = OrderedDict()  # sessions by reply
        self._latest: OrderedDict[str, str] = OrderedDict()  # sessions by beginning
        self._mains: OrderedDict[str, str] = OrderedDict()  # system prompts by conversation
        self._opened = 0

    def for_user(self, seasoned: AsyncSeasoned, request: WireRequest) -> AsyncSeasoned:
        """Act for the end user that a request names, if the caller is nobody in particular."""
        if seasoned.scope.user or not request.user:
            return seasoned
        scope = replace(seasoned.scope, user=stored_name(request.user))
        return seasoned.acting_for(scope, seasoned.acts_in)

    async def find(
        self, seasoned: AsyncSeasoned, wire: str, request: WireRequest, name: str
    ) -> ConversationState:
        """Return the conversation that a request belongs to."""
        scope = seasoned.scope
        system = digest(lasting_part(request.system))
        beginning = digest(*scope.fields(), wire, request.conversation, system, _first(request))
        async with self._finding:
            session = stored_name(name or request.stored)
            if not session:
                session = await self._session(seasoned, wire, request, beginning)
            state = await self._open(seasoned, scope.within(session), beginning)
            _remember(self._latest, beginning, session, MOST_NAMES)
        if not name and is_unique(request.conversation):
            first = self._mains.get(digest(*scope.fields(), request.conversation), system)
            _remember(
                *(self._mains, digest(*scope.fields(), request.conversation), first, MOST_NAMES)
            )
            state.teaches = first == system
        return state

    async def replied(
        self, seasoned: AsyncSeasoned, state: ConversationState, reply: WireReply
    ) -> None:
        """Remember a reply, because the next request of the conversation has it in its history."""
        state.answered = True
        named = [_response(state.scope, reply.id)] if reply.id else []
        if _is_distinctive(reply):
            named.append(_replied(state.scope, reply.key))
        session = state.scope.session
        new = [one for one in named if self._replies.get(one) != session]
        for one in new:
            _remember(self._replies, one, session, MOST_NAMES)
        if not new:
            return
        app = seasoned.app
        await app.db.run_async(
            transact(
                app.db,
                lambda tx: self.store.replied(tx, new, state.id, session, app.clock.now()),
            )
        )

    async def _session(
        self, seasoned: AsyncSeasoned, wire: str, request: WireRequest, beginning: str
    ) -> str:
        """Return the name of the session, an old one or a new one."""
        scope = seasoned.scope
        if request.previous and (
            found := await self._continued(seasoned, _response(scope, request.previous))
        ):
            return found
        last = next((one for one in reversed(request.messages) if one.role == "assistant"), None)
        seen = WireReply(last.text, last.calls) if last is not None else WireReply()
        if _is_distinctive(seen) and (
            found := await self._continued(seasoned, _replied(scope, seen.key))
        ):
            return found
        latest = self._latest.get(beginning) or await self._read(
            seasoned, lambda tx: self.store.latest(tx, beginning)
        )
        plain = f"{wire}-{beginning[:12]}"
        if not latest:
            return plain
        if last is not None:
            return latest
        state = await self._open(seasoned, scope.within(latest), beginning)
        if not state.answered and state.known.keys() <= {one.key for one in request.messages}:
            return latest  # the same request again
        number = latest.removeprefix(plain).removeprefix("-")
        return f"{plain}-{int(number) + 1 if number.isdecimal() else 2}"

    async def _continued(self, seasoned: AsyncSeasoned, reply_id: str) -> str:
        known = self._replies.get(reply_id)
        if known is None:
            known = await self._read(seasoned, lambda tx: self.store.continued(tx, reply_id))
        return known

    async def _open(
        self, seasoned: AsyncSeasoned, scope: Scope, beginning: str
    ) -> ConversationState:
        """Return a state from memory, from the database, or a new one."""
        state = self._states.get(scope)
        if state is None:
            state = ConversationState(scope, digest(*scope.fields()), beginning, self.store)
            await self._load(seasoned, state)
        _remember(self._states, scope, state, MOST_STATES)
        return state

    async def _load(self, seasoned: AsyncSeasoned, state: ConversationState) -> None:
        stored = await self._read(seasoned, lambda tx: self.store.find(tx, state.id))
        if stored is not None:
            state.known = stored.known
            state.standing = StandingRules(stored.standing)
            state.kept = (stored.standing, stored.notes)
            if stored.notes:
                notes = notes_from_json(stored.notes)
                seasoned.app.notebook.restore(state.scope, notes)
        self._opened += 1
        if self._opened % CLEAN_EVERY == 1:
            app = seasoned.app
            await app.db.run_async(
                transact(app.db, lambda tx: self.store.drop_old(tx, app.clock.now()))
            )

    async def _read(
        self, seasoned: AsyncSeasoned, query: Callable[[Connection], Awaitable[T]]
    ) -> T:
        app = seasoned.app

        async def read() -> T:
            async with app.db.read() as tx:
                return await query(tx)

        return await app.db.run_async(read())


def _first(request: WireRequest) -> str:
    """Return how a conversation begins: the first message of the user's side."""
    first = next((one for one in request.messages if one.role == "user"), None)
    if first is None or request.previous:
        return request.previous
    return persons_words(first.text) or first.key


def _is_distinctive(reply: WireReply) -> bool:
    return len(reply.text) >= DISTINCTIVE or any(is_unique(call.id) for call in reply.calls)


def _response(scope: Scope, name: str) -> str:
    return digest(*scope.fields()[:3], "response", name)


def _replied(scope: Scope, key: str) -> str:
    return digest(*scope.fields()[:3], "reply", key)


def _remember(kept: "OrderedDict[Any, T]", key: Any, value: T, most: int) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > most:
        kept.popitem(last=False)
