"""`s.corrections`: what users corrected, what waits to be learned from, and what came of it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.faces.driving import Driven, Run, sync

if TYPE_CHECKING:
    from seasoned.app import App
    from seasoned.db.queue import Waiting
    from seasoned.learning.case_store import Analysed
    from seasoned.learning.learner import Learned

ALL = 1_000_000


class AsyncCorrections:
    """The queue is one for all; each sees of it what is its own, a tenant's or a user's."""

    def __init__(self, app: "App", scope: Scope, run: Run) -> None:
        self._app = app
        self._scope = scope
        self._run = run

    async def pending(self, *, archived: bool = False, limit: int = 50) -> "Sequence[Waiting]":
        """Those that wait, the newest first; `archived` shows those that the cap put aside."""
        return (await self._run(self._own(archived=archived)))[:limit]

    async def _own(self, *, archived: bool = False) -> "list[Waiting]":
        items = await self._app.pending.queue.list(archived=archived, limit=ALL)
        return [item for item in items if self._sees(item)]

    def _sees(self, item: "Waiting") -> bool:
        """Whether it is this caller's; one that nobody can read is for those who see all."""
        from seasoned.learning.pending import case_from

        if not any(self._scope.fields()):
            return True
        try:
            return self._scope.reaches(case_from(item).scope)
        except BadInput:
            return False

    async def status(self) -> dict[str, Any]:
        """How many wait, how old the oldest is, and what colour that is."""
        return await self._run(self._app.pending.status(self._app.clock.now()))

    async def history(self, *, limit: int = 50) -> "Sequence[Analysed]":
        """Those that were learned from, the newest first, and what came of each."""

        async def listed() -> "Sequence[Analysed]":
            async with self._app.db.read() as tx:
                return await self._app.cases.list(tx, self._scope, limit)

        return await self._run(listed())

    async def get(self, name: str) -> "Waiting | Analysed":
        """One correction, by its id or the beginning of it, wherever it is."""

        async def found() -> "Waiting | Analysed":
            async with self._app.db.read() as tx:
                analysed = await self._app.cases.find(tx, name, self._scope)
            if analysed is not None:
                return analysed
            return await self._waiting(name)

        return await self._run(found())

    async def _waiting(self, name: str) -> "Waiting":
        try:
            item = await self._app.pending.queue.get(name)
        except NotFound:
            item = None
        if item is None or not self._sees(item):
            raise NotFound(
                f"no correction {name!r}; `seasoned corrections pending` and `seasoned "
                "corrections history` show those there are"
            )
        return item

    async def learn(
        self, *, limit: int = ALL, tell: "Callable[[Learned], None] | None" = None
    ) -> "Sequence[Learned]":
        """Learns from what is due, now; what fails stays, with its error."""
        return await self._run(self._app.learner.learn(limit, tell))

    async def retry(self, name: str | None = None) -> int:
        """Makes one that failed due again, or all; an archived one that is named comes back."""

        async def retried() -> int:
            queue, now = self._app.pending.queue, self._app.clock.now()
            if name is not None:
                return await queue.retry((await self._waiting(name)).id, now)
            failing = [item for item in await self._own() if item.error]
            return sum([await queue.retry(item.id, now) for item in failing])

        return await self._run(retried())

    async def clear(self, name: str | None = None, *, archived: bool = False) -> int:
        """Takes away one, or all that wait, without learning from them."""

        async def cleared() -> int:
            queue = self._app.pending.queue
            own = [await self._waiting(name)] if name else await self._own(archived=archived)
            return sum([await queue.finish(item.id) for item in own])

        return await self._run(cleared())


class Corrections(Driven[AsyncCorrections]):
    """The same for synchronous code."""

    pending = sync(AsyncCorrections.pending)
    status = sync(AsyncCorrections.status)
    history = sync(AsyncCorrections.history)
    get = sync(AsyncCorrections.get)
    learn = sync(AsyncCorrections.learn)
    retry = sync(AsyncCorrections.retry)
    clear = sync(AsyncCorrections.clear)
