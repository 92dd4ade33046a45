"""Tell followers what is learned, as it happens: each hears of the scopes that it sees.

Events come from any thread; they are looked up and told in the server's event loop, and only while
somebody follows.
"""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from seasoned.api import AsyncSeasoned
from seasoned.core.authority import Act, Caller
from seasoned.core.clock import iso
from seasoned.core.events import (
    Corrected,
    Event,
    LessonChanged,
    LessonLearned,
    RuleConflicted,
)
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.connection import Connection
from seasoned.lessons.lesson import Lesson

MOST_WAITING = 1000  # facts that are not told yet
A_BATCH = 100
LONGEST_TEXT = 1000
HEARD = (LessonLearned, LessonChanged, Corrected, RuleConflicted)

Fact = tuple[Scope, Act, dict[str, Any]]


class Follower:
    """Somebody who follows the facts that concern `caller`; `tell` takes the JSON of each."""

    __slots__ = ("caller", "tell")

    def __init__(self, caller: Caller, tell: Callable[[str], object]) -> None:
        self.caller = caller
        self.tell = tell


class Facts:
    """Carries facts from the bus to the followers."""

    def __init__(self, seasoned: AsyncSeasoned) -> None:
        self._app = seasoned.app
        self._followers: set[Follower] = set()
        self._waiting: deque[Event] = deque(maxlen=MOST_WAITING)
        self._missed = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._telling: asyncio.Task[None] | None = None
        for kind in HEARD:
            self._app.bus.subscribe(kind, self._hear)

    @property
    def followers(self) -> int:
        return len(self._followers)

    def follow(self, follower: Follower) -> None:
        self._loop = asyncio.get_running_loop()
        self._followers.add(follower)

    def leave(self, follower: Follower) -> None:
        self._followers.discard(follower)

    async def close(self) -> None:
        self._followers.clear()
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.wait([self._telling])

    def _hear(self, event: Event) -> None:
        loop = self._loop
        if not self._followers or loop is None or loop.is_closed():
            return
        self._missed += len(self._waiting) == MOST_WAITING
        self._waiting.append(event)
        loop.call_soon_threadsafe(self._start)

    def _start(self) -> None:
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell_all())

    async def _tell_all(self) -> None:
        while self._waiting and self._followers:
            events = [self._waiting.popleft() for _ in range(min(A_BATCH, len(self._waiting)))]
            for scope, act, fact in await self._app.db.run_async(self._look_up(events)):
                text = json.dumps({"type": "fact", **fact}, ensure_ascii=False)
                for one in tuple(self._followers):
                    if one.caller.may(act, scope):
                        one.tell(text)
            if self._missed:
                text = json.dumps({"type": "fact", "fact": "missed", "count": self._missed})
                self._missed = 0
                for one in tuple(self._followers):
                    one.tell(text)

    async def _look_up(self, events: Sequence[Event]) -> Sequence[Fact]:
        async with self._app.db.read() as tx:
            found = [await self._fact(tx, event) for event in events]
        return [one for one in found if one is not None]

    async def _fact(self, tx: Connection, event: Event) -> Fact | None:
        at = {"at": iso(event.at)}
        if isinstance(event, Corrected):
            told = {"correction": event.correction, "kind": event.kind, "score": event.score}
            said = {"fact": "correction_noticed", **at, "session": event.session, **told}
            return event.scope, "read", said
        if isinstance(event, RuleConflicted):
            rule = await self._app.lessons.find(tx, event.later)
            told = {"rule": event.later, "earlier": event.earlier, "reason": event.reason}
            return (rule.scope, "see", {"fact": "rule_conflicted", **at, **told}) if rule else None
        assert isinstance(event, LessonLearned | LessonChanged)
        lesson = await self._app.lessons.find(tx, event.lesson)
        if lesson is None:
            return None
        if isinstance(event, LessonLearned):
            fact = {"fact": "lesson_learned", **at, "lesson": _shown(lesson)}
        else:
            name = "rule_changed" if lesson.kind == "rule" else "lesson_changed"
            why = {"before": event.before, "after": event.after, "reason": event.reason}
            fact = {"fact": name, **at, "lesson": _shown(lesson), **why}
        return lesson.scope, "see", fact


def _shown(lesson: Lesson) -> dict[str, Any]:
    scope = {"tenant": lesson.scope.tenant, "project": lesson.scope.project}
    return {
        "id": lesson.id,
        "kind": lesson.kind,
        "polarity": lesson.example.polarity if lesson.example else None,
        "status": lesson.status,
        "trigger": one_line(lesson.trigger, LONGEST_TEXT),
        "content": one_line(lesson.content, LONGEST_TEXT),
        "confidence": round(lesson.confidence, 4),
        "tool": lesson.fix.tool if lesson.fix else None,
        **scope,
        "user": lesson.scope.user,
        "session": lesson.scope.session,
    }
