"""Examples: exchanges that went well, or badly, to be shown beside a request like them."""

from collections.abc import Sequence

from seasoned.core.bus import Bus
from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.confidence import PRIORS
from seasoned.learning.exchanges import Exchange
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import (
    POLARITIES,
    Draft,
    Evidence,
    ExampleDetail,
    Lesson,
    Polarity,
    Source,
)
from seasoned.learning.lessons import LessonStore
from seasoned.security.audit import AuditStore
from seasoned.security.redact import cut

LONGEST = 2000


class Examples:
    """Adds examples; they are lessons, kept by the store of all lessons."""

    def __init__(
        self, db: Database, lessons: LessonStore, audit: AuditStore, bus: Bus, clock: Clock
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.audit = audit
        self.bus = bus
        self.clock = clock

    async def add(
        self,
        request: str,
        reply: str,
        polarity: str,
        scope: Scope,
        *,
        note: str = "",
        source: Source = "operator",
    ) -> Lesson:
        """An exchange that someone calls good or bad."""
        shown = checked(request, reply, polarity, note)
        now = self.clock.now()

        async def added(tx: Connection) -> tuple[Journal, Lesson]:
            journal = Journal(now)
            lesson = await self.add_within(tx, shown, scope, source, journal)
            await self.audit.add(tx, now, journal.entries)
            return journal, lesson

        journal, lesson = await transact(self.db, added)
        journal.publish(self.bus)
        return lesson

    async def judged(
        self, exchange: Exchange, polarity: Polarity, message: str, scope: Scope
    ) -> Lesson | None:
        """The user praised a reply, or found it bad; None when there is nothing to be shown."""
        if not exchange.request.strip() or not exchange.reply.strip():
            return None
        lasting = Scope(scope.tenant, scope.project, scope.user)
        return await self.add(
            exchange.request, exchange.reply, polarity, lasting, note=message, source="user"
        )

    async def add_within(
        self, tx: Connection, shown: ExampleDetail, scope: Scope, source: Source, journal: Journal
    ) -> Lesson:
        """The same in a transaction; the same exchange again adds evidence."""
        prior = PRIORS[source]
        said = Evidence(
            journal.at, f"{shown.polarity} example", prior.worked, prior.failed, "", shown.note
        )
        lesson, is_new = await self.lessons.add(
            tx,
            Draft(
                kind="example",
                status="active",
                scope=scope,
                trigger=shown.request,
                content=shown.reply,
                belief=prior,
                source=source,
                identity=f"{shown.polarity}\n{shown.reply}",
                example=shown,
                evidence=(said,),
            ),
            journal.at,
        )
        if is_new:
            journal.learned(lesson)
            return lesson
        again = Evidence(journal.at, "seen again", 1, 0, "", shown.note)
        status = "active" if lesson.status == "retired" else lesson.status
        changed = await self.lessons.believe(tx, lesson, again, status, journal.at)
        journal.changed(lesson, changed, again.reason)
        return changed

    async def list(
        self, scope: Scope, *, polarity: str | None = None, limit: int = 50
    ) -> Sequence[Lesson]:
        """Those in use, the newest first."""
        async with self.db.read() as tx:
            return await self.lessons.list(
                tx, scope, kind="example", status="active", polarity=polarity, limit=limit
            )


def checked(request: str, reply: str, polarity: str, note: str = "") -> ExampleDetail:
    if polarity not in POLARITIES:
        raise BadInput(f"polarity is {polarity!r}; it must be one of {', '.join(POLARITIES)}")
    if not request.strip() or not reply.strip():
        raise BadInput("an example needs a request and the reply to it; one of them is empty")
    clean = [cut(storable(text.strip()), LONGEST) for text in (request, reply, note)]
    return ExampleDetail(polarity, *clean)
