"""The whole: the state of learning, known scopes, the audit trail."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query

from seasoned.api.async_seasoned import KnownScopes
from seasoned.security.audit import AuditReport
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import AuditEventView, Values, View

resource = Resource("overview")
CURSOR = Cursor("audit", (int,))


@resource.operation("GET", "/status", "read", Values)
async def get_status(s: CallersSeasoned) -> Mapping[str, Any]:
    """Return the state of learning, in numbers."""
    return await s.status()


class ScopesView(View):
    """The projects and users that something was learned for."""

    projects: list[str]
    users: list[str]


@resource.operation("GET", "/scopes", "read", ScopesView)
async def list_scopes(s: CallersSeasoned) -> KnownScopes:
    """Return the projects and users of this tenant that something was learned for."""
    return await s.known_scopes()


class AuditPage(Page[AuditEventView]):
    """Some audit events, latest first."""


@resource.operation("GET", "/audit", "read", AuditPage)
async def list_audit(
    s: CallersSeasoned,
    kind: Annotated[
        str, Query(max_length=100, description="As `lesson.learned`; `lesson.` means all of them.")
    ] = "",
    subject: Annotated[str, Query(max_length=500, description="Id of the thing.")] = "",
    limit: Limit = 50,
    cursor: After = None,
) -> Mapping[str, Any]:
    """List what was changed, latest first."""
    place = CURSOR.read(cursor)
    rows = await s.audit.list(
        kind=kind, subject=subject, limit=limit + 1, before=place[0] if place else None
    )
    return CURSOR.page(rows, limit, lambda one: (one.seq,))


class AuditReportView(View):
    """Whether the chain is intact; `broken_at` is the first event that does not fit."""

    intact: bool
    events: int
    broken_at: int | None
    reason: str


@resource.operation("GET", "/audit/verify", "read", AuditReportView)
async def verify_audit(s: CallersSeasoned) -> AuditReport:
    """Check that no audit event was changed, removed or inserted."""
    return await s.audit.verify()
