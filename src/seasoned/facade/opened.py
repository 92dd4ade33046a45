"""An open database, and how work is done on it."""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from os import PathLike
from types import TracebackType
from typing import Any, Self, TypeVar

from seasoned.core.clock import Clock
from seasoned.core.errors import DatabaseUnavailable
from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.core.waiting import begun, waited

T = TypeVar("T")

log = logging.getLogger("seasoned.facade")

LONGEST_END_SECONDS = 60  # for workers to finish: an embedder that hangs must not hang the exit

_session: ContextVar[str | None] = ContextVar("seasoned_session", default=None)


class Opened:
    """Opens the database at the first call, and closes it; everything else stands on this."""

    def __init__(
        self,
        database: str | PathLike[str] | None = None,
        *,
        tenant: str = "",
        project: str = "",
        user: str = "",
        session: str | None = None,
        clock: Clock | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        # The parts are loaded by those who open a database, not by everyone who imports this.
        from seasoned.app import build
        from seasoned.config import load

        config = load(environment)
        url = str(database) if database is not None else config.database_url
        self.app = build(config, url, clock)
        self.scope = Scope(storable(tenant), storable(project), storable(user))
        self.default_session = session or f"run-{new_id()}"
        self._opened = False
        self._closed = False

    async def open(self) -> Self:
        """Connects and migrates; done by itself at the first call."""
        if self._closed:
            raise DatabaseUnavailable(
                f"{self.app.db.where} is closed; open a new Seasoned to go on"
            )
        if not self._opened:
            await self.app.db.run_async(self.app.db.open())
            self._opened = True
            await self.app.db.run_async(self.app.begin())
        return self

    async def close(self) -> None:
        if self._opened:
            try:
                await waited(begun(self.app.end), LONGEST_END_SECONDS)
            except TimeoutError:
                log.warning("what is being embedded or linked is left for the next time")
            await self.app.db.run_async(self.app.pending.close())
            await self.app.db.run_async(self.app.db.close())
        self._opened, self._closed = False, True
        if not self.app.db.is_here():
            self.app.db.shutdown()

    @contextmanager
    def session(self, name: str) -> Generator[None]:
        """Everything observed and recalled inside belongs to this session."""
        token = _session.set(name)
        try:
            yield
        finally:
            _session.reset(token)

    def _drive(self, work: Coroutine[Any, Any, T]) -> T:
        result = self.app.db.run(work)
        self.app.bus.deliver()
        return result

    def _session(self) -> str:
        return _session.get() or self.default_session

    async def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if not self._opened:
            try:
                await self.open()
            except BaseException:
                work.close()
                raise
        result = await self.app.db.run_async(work)
        if not self.app.db.is_here():
            self.app.bus.deliver()
        return result

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
