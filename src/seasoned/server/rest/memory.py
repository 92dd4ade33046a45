"""Memory: observations and reflections of sessions, and the librarian's inquiries."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Response
from pydantic import Field

from seasoned.memory.inquiries import Inquiry, InquiryStatus
from seasoned.memory.observation import Kind as MemoryKind
from seasoned.memory.observation import Observation
from seasoned.server.rest.etags import IfMatch, check, expected, tag
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.sessions import SessionView, session_view
from seasoned.server.rest.views import Body, ScopeView, Time, View

resource = Resource("memory")
CURSOR = Cursor("memory", (int, int))
OBSERVATIONS = Cursor("observations", (int, int, int, str))
REFLECTIONS = Cursor("reflections", (int, int, str))
INQUIRIES = Cursor("inquiries", (int, str))


class SessionMemoryView(View):
    """A session with the size of its memory."""

    session: SessionView
    observations: int
    reflections: int


class MemoryPage(Page[SessionMemoryView]):
    """Some sessions with the size of their memory, latest first."""


@resource.operation("GET", "/memory", "read", MemoryPage)
async def list_memory(
    s: CallersSeasoned, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List sessions with the size of their memory, latest first."""
    rows = await s.memory.list(limit=limit + 1, after=CURSOR.read(cursor))
    page = CURSOR.page(rows, limit, lambda one: one.session.place)
    items = [
        {
            "session": session_view(one.session),
            "observations": one.observations,
            "reflections": one.reflections,
        }
        for one in page["items"]
    ]
    return page | {"items": items}


class ObservationView(View):
    """One thing worth remembering from messages; `settled_seq` is 0 while it is open."""

    id: str
    kind: MemoryKind
    text: str
    from_seq: int
    to_seq: int
    tokens: int
    at: Time
    made_by: str
    reflection: str
    settled_seq: int


class ObservationPage(Page[ObservationView]):
    """Some observations, in the order of the messages."""


@resource.operation("GET", "/memory/{session:path}/observations", "read", ObservationPage)
async def list_observations(
    s: CallersSeasoned, session: str, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List the observations of a session, in the order of its messages."""
    rows = await s.memory.observations(session, limit=limit + 1, after=OBSERVATIONS.read(cursor))
    return OBSERVATIONS.page(rows, limit)


class ReflectionView(View):
    """Several observations condensed into one text."""

    id: str
    text: str
    tokens: int
    at: Time
    made_by: str
    generation: int
    consolidated_in: str


class ReflectionPage(Page[ReflectionView]):
    """Some reflections, oldest first."""


@resource.operation("GET", "/memory/{session:path}/reflections", "read", ReflectionPage)
async def list_reflections(
    s: CallersSeasoned, session: str, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List the reflections on a session, oldest first."""
    rows = await s.memory.reflections(session, limit=limit + 1, after=REFLECTIONS.read(cursor))
    return REFLECTIONS.page(rows, limit)


class FoundMemory(View):
    """An observation or a reflection."""

    observation: ObservationView | None
    reflection: ReflectionView | None


@resource.operation("GET", "/memory/items/{memory}", "read", FoundMemory)
async def get_memory(s: CallersSeasoned, memory: str) -> Mapping[str, Any]:
    """Read an observation or reflection by its id, or the beginning of it."""
    found = await s.memory.get(memory)
    is_observation = isinstance(found, Observation)
    return {
        "observation": found if is_observation else None,
        "reflection": None if is_observation else found,
    }


class InquiryView(View):
    """A question that the librarian wants answered; `lesson` is made from the answer."""

    id: str
    scope: ScopeView
    question: str
    reason: str
    status: InquiryStatus
    answer: str
    lesson: str
    asked_at: Time
    resolved_at: Time | None
    version: str


class InquiryPage(Page[InquiryView]):
    """Some inquiries, latest first."""


@resource.operation("GET", "/inquiries", "read", InquiryPage)
async def list_inquiries(
    s: CallersSeasoned,
    status: InquiryStatus | None = None,
    limit: Limit = 50,
    cursor: After = None,
) -> Mapping[str, Any]:
    """List the librarian's questions, latest first."""
    rows = await s.librarian.list(status=status, limit=limit + 1, after=INQUIRIES.read(cursor))
    return INQUIRIES.page(rows, limit)


@resource.operation("GET", "/inquiries/{inquiry}", "read", InquiryView)
async def get_inquiry(s: CallersSeasoned, inquiry: str, response: Response) -> Inquiry:
    """Read a question by its id, or the beginning of it."""
    found = await s.librarian.get(inquiry)
    tag(response, found.version)
    return found


class Answer(Body):
    """The answer to a question; it becomes a fact."""

    text: Annotated[str, Field(min_length=1, max_length=10_000)]


@resource.operation("POST", "/inquiries/{inquiry}/answer", "operate", InquiryView, errors=[412])
async def answer_inquiry(
    s: CallersSeasoned, inquiry: str, body: Answer, response: Response, if_match: IfMatch = None
) -> Inquiry:
    """Answer a question; the answer becomes a fact."""
    await _check(s, inquiry, if_match)
    answered = await s.librarian.answer(inquiry, body.text)
    tag(response, answered.version)
    return answered


@resource.operation("POST", "/inquiries/{inquiry}/dismiss", "operate", InquiryView, errors=[412])
async def dismiss_inquiry(
    s: CallersSeasoned, inquiry: str, response: Response, if_match: IfMatch = None
) -> Inquiry:
    """Drop a question, and ask no similar ones."""
    await _check(s, inquiry, if_match)
    dismissed = await s.librarian.dismiss(inquiry)
    tag(response, dismissed.version)
    return dismissed


async def _check(s: CallersSeasoned, inquiry: str, if_match: str | None) -> None:
    if expected(if_match) is not None:
        check(if_match, (await s.librarian.get(inquiry)).version, f"inquiry {inquiry}")
