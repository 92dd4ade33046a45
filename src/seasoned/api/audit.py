"""`s.audit`: the trail of all changes, read and verified."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seasoned.api.face import AsyncFace, SyncFace, sync
from seasoned.core.ids import canonical
from seasoned.security.audit_readers import may_read

if TYPE_CHECKING:
    from seasoned.db.connection import Connection
    from seasoned.security.audit import AuditEvent, AuditReport

PAGE = 500  # events read at once


class AsyncAuditFace(AsyncFace):
    """Events of things that the caller may read; whoever acts for everybody reads all."""

    async def list(
        self, *, kind: str = "", subject: str = "", limit: int = 50, before: int | None = None
    ) -> "Sequence[AuditEvent]":
        """List events, latest first: of a kind (`lesson.` means all of lessons), about a thing.

        `before` is the `seq` of the last one of the page before. Events that tell no scope are
        shown to those alone who act for everybody.
        """

        async def read(tx: "Connection") -> "Sequence[AuditEvent]":
            found: list[AuditEvent] = []
            place = before
            while len(found) < limit:
                events = await self._app.audit.latest(
                    tx,
                    kind=kind,
                    subject=subject,
                    naming=self._named(),
                    before=place,
                    limit=PAGE,
                )
                found += [one for one in events if may_read(self._caller, one)]
                if len(events) < PAGE:
                    break
                place = events[-1].seq
            return found[:limit]

        return await self._read(read)

    async def verify(self) -> "AuditReport":
        """Check that no event was changed, removed or inserted."""
        return await self._run(self._app.audit.verify())

    def _named(self) -> str:
        """Return a text that the details of every event inside the caller's realm contain."""
        realm = self._caller.realm
        name = realm.user or realm.project or realm.tenant
        return canonical(name) if name else ""


class AuditFace(SyncFace[AsyncAuditFace]):
    """The synchronous twin."""

    list = sync(AsyncAuditFace.list)
    verify = sync(AsyncAuditFace.verify)
