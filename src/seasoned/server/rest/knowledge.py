"""Knowledge: documents in passages; list, read, search, add a text, remove."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Response
from pydantic import Field

from seasoned.documents.library import LibraryReport
from seasoned.server.rest.etags import IfMatch, check, expected, tag
from seasoned.server.rest.lessons import SearchText
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import Body, Hits, ScopeView, Time, View

resource = Resource("knowledge")
CURSOR = Cursor("documents", (str, str))
LONGEST_DOCUMENT = 10_000_000


class DocumentView(View):
    """An imported document; `digest` is of its text."""

    id: str
    scope: ScopeView
    name: str
    title: str
    format: str
    digest: str
    added_at: Time
    updated_at: Time
    passages: int


class DocumentPage(Page[DocumentView]):
    """Some documents, by name."""


@resource.operation("GET", "/knowledge", "read", DocumentPage)
async def list_documents(
    s: CallersSeasoned, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List documents by name."""
    rows = await s.knowledge.list(limit=limit + 1, after=CURSOR.read(cursor))
    return CURSOR.page(rows, limit)


class ReportView(View):
    """Counts of documents and passages after a change."""

    added: int
    updated: int
    unchanged: int
    removed: int
    passages_added: int
    passages_kept: int
    passages_removed: int


class NewText(Body):
    """A Markdown text; the same name again updates it."""

    name: Annotated[str, Field(min_length=1, max_length=500)]
    text: Annotated[str, Field(max_length=LONGEST_DOCUMENT)]
    title: Annotated[str, Field(max_length=500)] = ""


@resource.operation("POST", "/knowledge", "operate", ReportView, status=201, errors=[409])
async def add_text(s: CallersSeasoned, body: NewText) -> LibraryReport:
    """Import a Markdown text under a name, or update it."""
    return await s.knowledge.add_text(body.name, body.text, title=body.title)


@resource.operation("GET", "/knowledge/search", "read", Hits)
async def search_knowledge(s: CallersSeasoned, query: SearchText, limit: Limit = 10) -> Any:
    """Search passages by request, best first."""
    return {"items": await s.knowledge.search(query, limit=limit)}


class PassageView(View):
    """A passage of a document: its heading and its text."""

    id: str
    trigger: str
    content: str


class DocumentText(View):
    """A document with its passages, in order."""

    document: DocumentView
    passages: list[PassageView]


@resource.operation("GET", "/knowledge/{document:path}", "read", DocumentText)
async def get_document(s: CallersSeasoned, document: str, response: Response) -> Mapping[str, Any]:
    """Read a document by its id, its name or a unique part of the name."""
    found, passages = await s.knowledge.get(document)
    tag(response, found.digest)
    return {"document": found, "passages": passages}


@resource.operation("DELETE", "/knowledge/{document:path}", "operate", ReportView, errors=[412])
async def remove_document(
    s: CallersSeasoned, document: str, if_match: IfMatch = None
) -> LibraryReport:
    """Remove a document, or all documents of a folder, with their passages."""
    if expected(if_match) is not None:
        found, _ = await s.knowledge.get(document)
        check(if_match, found.digest, f"document {document!r}")
    return await s.knowledge.remove(document)
