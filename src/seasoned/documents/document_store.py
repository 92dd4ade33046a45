"""Store imported documents, and which lessons are their passages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from seasoned.core.ids import new_id
from seasoned.core.scope import Scope
from seasoned.db.database import Connection, Row
from seasoned.db.keyset import Place, following
from seasoned.db.scope_filter import Condition, contained
from seasoned.documents.source import LoadedDocument
from seasoned.lessons.lesson import Draft

COLUMNS = (
    "d.id, d.tenant, d.project, d.user_id, d.name, d.title, d.format, d.digest, d.etag, "
    "d.added_at, d.updated_at"
)
PASSAGES = "(SELECT count(*) FROM lesson_passages p WHERE p.document_id = d.id)"
BY_NAME = "d.name, d.id"
ALL = 2**62  # a LIMIT that is none
REACHES = "d.tenant IN ('', ?) AND d.project IN ('', ?) AND d.user_id IN ('', ?)"


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """A stored document, as it was last read."""

    id: str
    scope: Scope
    name: str
    title: str
    format: str
    digest: str
    validator: str
    added_at: int
    updated_at: int
    passages: int = 0

    @property
    def place(self) -> tuple[str, str]:
        """Where it stands in a list, by name: `after` of the next page."""
        return (self.name, self.id)


class StoredPassage(NamedTuple):
    """A stored passage; its text is empty if it was erased."""

    lesson_id: str
    fingerprint: str
    trigger: str
    content: str
    near: str
    far: str


def document_from(row: Row) -> KnownDocument:
    return KnownDocument(row[0], Scope(*row[1:4]), *row[4:])


class DocumentStore:
    """Owns `documents` and `lesson_passages`."""

    async def hold(self, tx: Connection, scope: Scope, name: str, now: int) -> KnownDocument:
        """Return the document of this name in exactly this scope, created if needed.

        Its row stays locked until the transaction ends.
        """
        row = await tx.fetch_one(
            "INSERT INTO documents (id, tenant, project, user_id, name, title, format, "
            "digest, added_at, updated_at) VALUES (?, ?, ?, ?, ?, '', '', '', ?, ?) "
            "ON CONFLICT (tenant, project, user_id, name) DO UPDATE SET name = excluded.name "
            f"RETURNING {COLUMNS.replace('d.', '')}",
            (new_id(), scope.tenant, scope.project, scope.user, name, now, now),
        )
        assert row is not None, "it is there now"
        return document_from(row)

    async def describe(
        self, tx: Connection, document_id: str, loaded: LoadedDocument, now: int
    ) -> None:
        """Update title, format, digest and validator."""
        about = (loaded.title, loaded.format, loaded.digest, loaded.validator)
        await tx.execute(
            "UPDATE documents SET title = ?, format = ?, digest = ?, etag = ?, updated_at = ? "
            "WHERE id = ?",
            (*about, now, document_id),
        )

    async def find(self, tx: Connection, scope: Scope, name: str) -> KnownDocument | None:
        """Return the document of this name in exactly this scope."""
        row = await tx.fetch_one(
            f"SELECT {COLUMNS}, {PASSAGES} FROM documents d "
            "WHERE d.tenant = ? AND d.project = ? AND d.user_id = ? AND d.name = ?",
            (scope.tenant, scope.project, scope.user, name),
        )
        return document_from(row) if row else None

    async def list(
        self, tx: Connection, scope: Scope, limit: int = ALL, after: Place | None = None
    ) -> Sequence[KnownDocument]:
        """List the documents visible in this scope, by name."""
        reaching = (REACHES, (scope.tenant, scope.project, scope.user))
        return await self._list(tx, reaching, limit, after)

    async def inside(self, tx: Connection, realm: Scope) -> Sequence[KnownDocument]:
        """List the documents inside a realm, by name."""
        return await self._list(tx, contained(realm, "d."))

    async def _list(
        self, tx: Connection, wanted: Condition, limit: int = ALL, after: Place | None = None
    ) -> Sequence[KnownDocument]:
        condition, values = wanted
        later, place = following(BY_NAME, after)
        rows = await tx.fetch(
            f"SELECT {COLUMNS}, {PASSAGES} FROM documents d WHERE {condition} AND {later} "
            f"ORDER BY {BY_NAME} LIMIT ?",
            (*values, *place, limit),
        )
        return [document_from(row) for row in rows]

    async def passages(self, tx: Connection, document_id: str) -> Sequence[StoredPassage]:
        """List the passages of a document in order."""
        rows = await tx.fetch(
            "SELECT l.id, l.fingerprint, l.trigger, l.content, p.near, p.far "
            "FROM lesson_passages p JOIN lessons l ON l.id = p.lesson_id "
            "WHERE p.document_id = ? ORDER BY p.place",
            (document_id,),
        )
        return [StoredPassage(*row) for row in rows]

    async def place(
        self, tx: Connection, document_id: str, passages: Sequence[tuple[str, Draft]]
    ) -> None:
        """Store the lessons of a document's passages, in order, with their neighbours."""
        await tx.execute_many(
            "INSERT INTO lesson_passages (lesson_id, document_id, place, near, far) "
            "VALUES (?, ?, ?, ?, ?) ON CONFLICT (lesson_id) DO UPDATE SET "
            "place = excluded.place, near = excluded.near, far = excluded.far",
            [
                (lesson_id, document_id, place, draft.near, draft.far)
                for place, (lesson_id, draft) in enumerate(passages)
            ],
        )

    async def remove(self, tx: Connection, document_id: str) -> bool:
        """Remove a document without passages; False if it is gone already."""
        return await tx.execute("DELETE FROM documents WHERE id = ?", (document_id,)) > 0
