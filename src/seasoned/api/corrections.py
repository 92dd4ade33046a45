"""`s.corrections`: corrections by users, pending and analysed."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from seasoned.api.face import AsyncFace, SyncFace, sync
from seasoned.core.authority import contains
from seasoned.core.errors import BadInput, NotFound

if TYPE_CHECKING:
    from seasoned.core.scope import Scope
    from seasoned.db.keyset import Place
    from seasoned.db.queue.queue import QueueItem
    from seasoned.rules.case_store import AnalysedCase
    from seasoned.rules.learner import CaseResult

ALL = 1_000_000


class AsyncCorrectionsFace(AsyncFace):
    """One queue serves everybody; a caller sees only the corrections of its own scope."""

    async def pending(
        self, *, archived: bool = False, limit: int = 50, after: "Place | None" = None
    ) -> "Sequence[QueueItem]":
        """List pending corrections, newest first; `archived` lists those over the cap instead.

        `after` is the `place` of the last one of the page before.
        """
        items = await self._run(self._own(archived=archived))
        return (items if after is None else _following(items, after))[:limit]

    async def _own(self, *, archived: bool = False) -> "list[QueueItem]":
        items = await self._app.pending.queue.list(archived=archived, limit=ALL)
        return [item for item in items if _is_inside(self._scope, item)]

    async def status(self) -> dict[str, Any]:
        """Return the depth of the queue, the age of its oldest item, and a colour for both.

        `remarks` tells of the messages that wait for a model's judgement.
        """

        async def both() -> dict[str, Any]:
            now = self._app.clock.now()
            remarks = await self._app.remarks.status(now)
            kept = ("pending", "failing", "archived", "cap", "error")
            status = await self._app.pending.status(now)
            return {**status, "remarks": {name: remarks[name] for name in kept}}

        return await self._run(both())

    async def history(
        self, *, limit: int = 50, after: "Place | None" = None
    ) -> "Sequence[AnalysedCase]":
        """List analysed corrections with their outcome, newest first."""
        return await self._read(lambda tx: self._app.cases.list(tx, self._scope, limit, after))

    async def get(self, name: str) -> "QueueItem | AnalysedCase":
        """Return a correction by its id or a prefix of it, pending or analysed."""

        async def found() -> "QueueItem | AnalysedCase":
            async with self._app.db.read() as tx:
                analysed = await self._app.cases.find(tx, name, self._caller)
            if analysed is not None:
                return analysed
            return await self._waiting(name)

        return await self._run(found())

    async def _waiting(self, name: str) -> "QueueItem":
        try:
            item = await self._app.pending.queue.get(name)
        except NotFound:
            item = None
        if item is None or not _is_inside(self._caller.realm, item):
            raise NotFound(
                f"no correction {name!r}; `seasoned corrections pending` and `seasoned "
                "corrections history` list them"
            )
        return item

    async def learn(
        self, *, limit: int = ALL, tell: "Callable[[CaseResult], None] | None" = None
    ) -> "Sequence[CaseResult]":
        """Learn from the corrections that are due; failed ones stay queued with their error.

        One queue serves everybody; the results are those of the caller's own.
        """

        def is_own(result: "CaseResult") -> bool:
            return self._caller.may("read", result.case.scope)

        def tell_own(result: "CaseResult") -> None:
            if tell and is_own(result):
                tell(result)

        return [
            one for one in await self._run(self._app.learner.learn(limit, tell_own)) if is_own(one)
        ]

    async def retry(self, name: str | None = None) -> int:
        """Make one or all failed corrections due now; return how many. Restores an archived one."""

        async def retried() -> int:
            queue, now = self._app.pending.queue, self._app.clock.now()
            if name is not None:
                return await queue.retry((await self._waiting(name)).id, now)
            failing = [item for item in await self._own() if item.error]
            retried = sum([await queue.retry(item.id, now) for item in failing])
            remarks = self._app.remarks.queue
            waiting = [
                one
                for one in await remarks.list(limit=ALL)
                if one.error and _is_inside(self._scope, one)
            ]
            return retried + sum([await remarks.retry(item.id, now) for item in waiting])

        return await self._run(retried())

    async def clear(self, name: str | None = None, *, archived: bool = False) -> int:
        """Remove one or all pending corrections without learning from them; return how many."""

        async def cleared() -> int:
            queue = self._app.pending.queue
            own = [await self._waiting(name)] if name else await self._own(archived=archived)
            return sum([await queue.finish(item.id) for item in own])

        return await self._run(cleared())


def _following(items: "Sequence[QueueItem]", after: "Place") -> "Sequence[QueueItem]":
    """Return what follows an item, which may have left the queue since it was listed."""
    added_at, name = after
    for place, item in enumerate(items):
        if item.id == name:
            return items[place + 1 :]
    return [item for item in items if (item.added_at, "") <= (added_at, "~")]


def _is_inside(realm: "Scope", item: "QueueItem") -> bool:
    """Tell whether an item is of a realm; unreadable ones are only the operator's of all."""
    from seasoned.rules.pending import case_from

    if not any(realm.fields()):
        return True
    try:
        return contains(realm, case_from(item).scope)
    except BadInput:
        return False


class CorrectionsFace(SyncFace[AsyncCorrectionsFace]):
    """The synchronous twin."""

    pending = sync(AsyncCorrectionsFace.pending)
    status = sync(AsyncCorrectionsFace.status)
    history = sync(AsyncCorrectionsFace.history)
    get = sync(AsyncCorrectionsFace.get)
    learn = sync(AsyncCorrectionsFace.learn)
    retry = sync(AsyncCorrectionsFace.retry)
    clear = sync(AsyncCorrectionsFace.clear)
