"""`s.bulk`: forget lessons, or switch them off and on, many at once; take that back as one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from seasoned.api.face import AsyncFace, SyncFace, sync
from seasoned.core.errors import BadInput
from seasoned.core.ids import new_id
from seasoned.db.unit import Change
from seasoned.lessons.decisions import decided, restore, with_examples
from seasoned.lessons.lesson import Lesson, Status
from seasoned.rules.rules import RULES

MOST_AT_ONCE = 1000
SUSPENDABLE = ("active", "candidate")
BulkAct = Literal["forget", "suspend", "resume"]


@dataclass(frozen=True, slots=True)
class BulkDecision:
    """What was done to many lessons; `undo` takes it back by this id.

    `lessons` are those named, as they are now; `changed` counts those that were not so before.
    """

    id: str
    lessons: Sequence[Lesson]
    changed: int


class AsyncBulkFace(AsyncFace):
    """Acts on many lessons and rules of this scope: all of them, or none."""

    async def forget(self, names: Sequence[str]) -> BulkDecision:
        """Retire lessons, so that they are never given again; their words are kept."""
        return await self._decide(names, "forget")

    async def suspend(self, names: Sequence[str]) -> BulkDecision:
        """Switch lessons off, but keep them."""
        return await self._decide(names, "suspend")

    async def resume(self, names: Sequence[str]) -> BulkDecision:
        """Switch suspended lessons on again; a fix that waits for a person goes on waiting."""
        return await self._decide(names, "resume")

    async def undo(self, decision: str) -> Sequence[Lesson]:
        """Make the lessons of a bulk decision what they were, and return them.

        Raise `Changed` if one of them was changed since. A conflict that was closed because its
        rule went stays closed.
        """

        async def taken_back(change: Change) -> Sequence[Lesson]:
            taken = await self._app.decisions.take(change, decision)
            for state in taken.lessons:
                await self._app.lessons.to_change(change, state.id, self._caller)
            return [
                await restore(self._app.lessons, change, state, taken.at) for state in taken.lessons
            ]

        await self._run(self._app.rules.prepare())
        return await self._run(self._app.unit.change(taken_back))

    async def _decide(self, names: Sequence[str], act: BulkAct) -> BulkDecision:
        wanted = list(dict.fromkeys(names))
        if not 1 <= len(wanted) <= MOST_AT_ONCE:
            raise BadInput(f"{len(wanted)} lessons are named; name 1 to {MOST_AT_ONCE} at once")

        async def done(change: Change) -> BulkDecision:
            store = self._app.lessons
            own = [await store.to_change(change, name, self._caller) for name in wanted]
            before = {one.id: one for one in await self._touched(change, own, act)}
            for lesson in own:
                await self._one(change, lesson.id, act)
            states = await decided(store, change, list(before.values()))
            name = f"bulk-{new_id()}"
            await self._app.decisions.put(change, name, states)
            changed = {state.id for state in states}
            now = [await store.get(change, one.id, self._caller) for one in own]
            return BulkDecision(name, now, sum(one.id in changed for one in own))

        await self._run(self._app.rules.prepare())
        return await self._run(self._app.unit.change(done))

    async def _touched(
        self, change: Change, lessons: Sequence[Lesson], act: BulkAct
    ) -> Sequence[Lesson]:
        """Return lessons with what follows them: examples, and what holds again once they go."""
        store = self._app.lessons
        others: list[Lesson] = []
        if act == "forget":
            for one in lessons:
                others += await store.rules.superseded_by(change, one.id)
        return await with_examples(store, change, [*lessons, *others])

    async def _one(self, change: Change, name: str, act: BulkAct) -> None:
        store = self._app.lessons
        lesson = await store.get(change, name, self._caller)  # another one may have moved it
        if act == "suspend":
            if lesson.status in SUSPENDABLE:
                await store.move_examples(change, lesson.id, "suspended")
                await store.move(change, lesson, "suspended", "suspended by the operator")
        elif act == "resume":
            if lesson.status == "suspended":
                waits = lesson.fix is not None and lesson.fix.waits
                status: Status = "candidate" if waits else "active"
                await store.move(change, lesson, status, "switched on by the operator")
                await store.move_examples(change, lesson.id, status)
        elif lesson.status != "retired":
            if lesson.kind in RULES:
                await self._app.rules.reinstate(change, lesson)
                await store.move_examples(change, lesson.id, "retired")
            await store.move(change, lesson, "retired", "forgotten")


class BulkFace(SyncFace[AsyncBulkFace]):
    """The synchronous twin."""

    forget = sync(AsyncBulkFace.forget)
    suspend = sync(AsyncBulkFace.suspend)
    resume = sync(AsyncBulkFace.resume)
    undo = sync(AsyncBulkFace.undo)
