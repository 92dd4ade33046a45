"""The whole: the state of learning, known scopes, the audit trail."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import Field

from seasoned.api.async_seasoned import KnownScopes
from seasoned.core.errors import NotAllowed
from seasoned.db.address import without_password
from seasoned.security.audit import AuditReport
from seasoned.server.callers import caller_of
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import AuditEventView, Plain, Time, Values, View

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


class ProgressDay(View):
    """The counts of one day, which begins at `at` (UTC)."""

    at: Time
    calls: int
    failures: Annotated[dict[str, int], Field(description="By nature: misuse, check, …")]
    repeated: Annotated[int, Field(description="Mistakes with an error that was known before.")]
    first_calls: Annotated[int, Field(description="First calls of a tool in a session.")]
    first_failed: Annotated[int, Field(description="Of these, those that were wrong.")]
    hints: int
    turns: int
    corrections: int
    learned: Annotated[dict[str, int], Field(description="Lessons, by kind.")]


class ProgressView(View):
    """Whether the agent gets better, day by day."""

    days: list[ProgressDay]


@resource.operation("GET", "/progress", "read", ProgressView)
async def get_progress(
    s: CallersSeasoned, days: Annotated[int, Query(ge=1, le=366)] = 30
) -> Mapping[str, Any]:
    """Return the last days, today last: of the project, or of all if the request names none."""
    return {"days": await s.progress(days=days)}


class SettingView(View):
    """A setting in force; secrets are masked."""

    key: str
    value: Plain
    origin: str


class SettingsView(View):
    """The settings of the process that answers."""

    settings: list[SettingView]


@resource.operation("GET", "/settings", "admin", SettingsView)
async def list_settings(s: CallersSeasoned, request: Request) -> Mapping[str, Any]:
    """List every setting with its value and its origin: default, profile or environment.

    They are the installation's: whoever administers only a tenant or project does not read them.
    """
    if not caller_of(request).operates(request.app.state.gateway.seasoned.scope):
        raise NotAllowed(
            "the settings are those of the whole installation; use a key without tenant, project "
            "and user, or the server's token"
        )
    rows = s.app.config.rows()
    return {
        "settings": [
            {"key": key, "value": without_password(value), "origin": origin}
            if isinstance(value, str)
            else {"key": key, "value": value, "origin": origin}
            for key, value, origin in rows
        ]
    }


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
