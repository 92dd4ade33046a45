"""The canary: a lesson that travels the whole loop, to prove that learning still works.

A call fails and is repaired in one session; in another session the lesson is recalled, and the same
mistake gets its hint. All of it happens on the real database and in the real stores, in a tenant of
its own that is cleared afterwards. It is neither audited nor published: nothing of it stays, and
nobody hears of it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from seasoned.core.errors import SeasonedError
from seasoned.core.events import Bus
from seasoned.core.ids import new_id
from seasoned.core.messages import ToolResult
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.unit import AuditEntry, Unit, transact
from seasoned.fixes.engine import Engine, EngineConfig
from seasoned.fixes.fixes import FixConfig, Fixes
from seasoned.fixes.hints import HintConfig, Hints
from seasoned.recall.context import RecallRequest
from seasoned.recall.layers import RecallConfig
from seasoned.recall.retriever import Retriever

if TYPE_CHECKING:
    from seasoned.app.services import AppServices
    from seasoned.db.connection import Connection

TENANT = "(seasoned canary)"  # reserved: it is cleared with each flight
PLACE = Scope(TENANT, "canary")
TOOL = "canary_booking"
WRONG, RIGHT = {"canaryday": "30 May 2027", "seats": 2}, {"canaryday": "2027-05-30", "seats": 2}
AGAIN, WANTED = {"canaryday": "1 June 2027", "seats": 3}, "2027-06-01"
# Words that no lesson of an agent has: else that one might be recalled instead.
ERROR = "canaryday must be YYYY-MM-DD, e.g. 2027-01-31"
REQUEST = f"{TOOL}: {ERROR}"
PATIENT_SECONDS = 10.0  # for recall: a busy machine is no fault
TRIES = 3  # another process may clear the tenant meanwhile

State = Literal["off", "waiting", "present", "failed"]


@dataclass(frozen=True, slots=True)
class CanaryFlight:
    """How the last flight went; `reason` says where the lesson was lost, `at` is its end."""

    state: State
    at: int | None = None
    seconds: float = 0.0
    reason: str = ""


class LostLesson(SeasonedError):
    """The canary's lesson did not come back."""


class Unaudited:
    """An audit trail that keeps nothing: the audit is about what people's agents learned."""

    async def add(self, tx: Connection, at: int, entries: Sequence[AuditEntry]) -> None:
        pass


class Canary:
    """Flies when told to; `last` is the result."""

    def __init__(self, app: AppServices) -> None:
        self._app = app
        self._unit = Unit(app.db, Unaudited(), Bus(), app.clock)
        self._flying = threading.Lock()
        enabled = app.config.settings.knowledge.enabled
        off = "learning is off (knowledge.enabled)"
        self.last = CanaryFlight("waiting") if enabled else CanaryFlight("off", reason=off)

    def fly(self) -> CanaryFlight:
        """Send the lesson through the loop; blocks, so call it in a thread of its own."""
        if self.last.state == "off":
            return self.last
        with self._flying:
            self.last = self._fly()
        return self.last

    def _fly(self) -> CanaryFlight:
        start, reason = time.perf_counter(), ""
        for _ in range(TRIES):
            try:
                self._loop()
            except Exception as error:  # noqa: BLE001 - whatever breaks the loop is the result
                known = isinstance(error, SeasonedError)
                reason = one_line(str(error) if known else f"{type(error).__name__}: {error}", 500)
            else:
                reason = ""
                break
        took = time.perf_counter() - start
        state: State = "failed" if reason else "present"
        return CanaryFlight(state, self._app.clock.now(), round(took, 3), reason)

    def _loop(self) -> None:
        """Act, learn, recall, act again."""
        self._clear()
        try:
            engine = self._engine()
            first, second = f"first-{new_id()}", f"second-{new_id()}"
            self._observe(engine, ToolResult(TOOL, WRONG, None, ERROR, first))
            self._observe(engine, ToolResult(TOOL, RIGHT, "booked", None, first))
            learned = self._learned()
            self._recall(learned, second)
            self._expect_hint(engine, learned, second)
        finally:
            self._clear()

    def _engine(self) -> Engine:
        """Build an engine on the real stores, without their audit and bus.

        With the defaults, because a strict setting must not look like a fault.
        """
        app = self._app
        fixes = Fixes(app.lessons, app.episodes, FixConfig(), None)
        stores = (app.errors, app.episodes, app.tools)
        return Engine(self._unit, *stores, fixes, Hints(app.lessons, HintConfig()), EngineConfig())

    def _observe(self, engine: Engine, call: ToolResult) -> str:
        """Report a call; return its hint as the agent would read it."""
        hint = self._app.db.run(engine.observe(call, PLACE))
        return str(hint) if hint is not None else ""

    def _learned(self) -> str:
        """Return the id of the fix that the repair taught."""

        async def read() -> list[str]:
            async with self._app.db.read() as tx:
                found = await self._app.lessons.list(tx, PLACE, kind="fix", tool=TOOL)
                return [one.id for one in found if one.scope.tenant == TENANT]

        found = self._app.db.run(read())
        if not found:
            raise LostLesson("a repaired call taught no fix; see the log for what failed")
        return found[0]

    def _recall(self, lesson: str, session: str) -> None:
        app, request = self._app, RecallRequest(REQUEST, PLACE.within(session))
        stores = (app.db, app.lessons, app.tools, app.search, None, app.conflicts)
        retriever = Retriever(*stores, RecallConfig(seconds=PATIENT_SECONDS))
        context = app.db.run(retriever.recall(request))
        if lesson not in {one.lesson.id for one in context.lessons}:
            late = f" ({'; '.join(context.notes)})" if context.notes else ""
            raise LostLesson(f"the fix was learned, but not recalled{late}")

    def _expect_hint(self, engine: Engine, lesson: str, session: str) -> None:
        hint = self._observe(engine, ToolResult(TOOL, AGAIN, None, ERROR, session))
        if WANTED not in hint:
            got = f"; it said: {one_line(hint, 200)}" if hint else ""
            raise LostLesson(f"the same mistake again got no hint from fix {lesson}{got}")

    def _clear(self) -> None:
        """Delete everything of the canary's tenant."""
        app = self._app

        async def clear(tx: Connection) -> None:
            await app.lessons.clear(tx, TENANT)
            await app.lessons.graph.clear(tx, PLACE)
            await app.errors.clear(tx, TENANT)
            await app.episodes.clear(tx, TENANT)
            await app.tools.clear(tx, TENANT)

        app.db.run(transact(app.db, clear))
