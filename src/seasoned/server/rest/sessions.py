"""Sessions: list, read their messages and turns, end and delete them."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Request, Response
from pydantic import Field

from seasoned.recall.context import Place
from seasoned.server.callers import caller_of
from seasoned.server.rest.etags import IfMatch, check, expected, tag
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import LessonView, ScopeView, Time, View
from seasoned.server.roles import includes
from seasoned.sessions.session import Role as MessageRole
from seasoned.sessions.session import Session, TurnStatus

resource = Resource("sessions")
CURSOR = Cursor("sessions", (int, int))
MESSAGES = Cursor("messages", (int,))
TURNS = Cursor("turns", (int,))


class SessionView(View):
    """A conversation; its scope's `session` is its name."""

    name: str
    scope: ScopeView
    title: str
    started_at: Time
    active_at: Time
    ended_at: Time | None
    end_reason: str
    turns: int
    messages: int
    summary: str
    version: str


class SessionPage(Page[SessionView]):
    """Some sessions, latest first."""


def session_view(session: Session) -> Mapping[str, Any]:
    fields = ("name", "scope", "title", "started_at", "active_at", "ended_at", "end_reason")
    more = ("turns", "summary", "version")
    shown = {name: getattr(session, name) for name in (*fields, *more)}
    return shown | {"messages": session.last_seq}


@resource.operation("GET", "/sessions", "read", SessionPage)
async def list_sessions(
    s: CallersSeasoned, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List sessions, latest first; those of all users if the request names none."""
    rows = await s.sessions.list(limit=limit + 1, after=CURSOR.read(cursor))
    page = CURSOR.page(rows, limit)
    return page | {"items": [session_view(one) for one in page["items"]]}


class MessageView(View):
    """A message of a session; `seq` counts from 1."""

    seq: int
    turn: int
    role: MessageRole
    text: str
    tokens: int
    at: Time


class MessagePage(Page[MessageView]):
    """Some messages, in order."""


@resource.operation("GET", "/sessions/{session:path}/messages", "read", MessagePage)
async def list_messages(
    s: CallersSeasoned, session: str, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List the messages of a session in order."""
    place = MESSAGES.read(cursor) or (0,)
    rows = await s.sessions.messages(session, after=place[0], limit=limit + 1)
    return MESSAGES.page(rows, limit, lambda one: (one.seq,))


class TurnView(View):
    """A turn of a session."""

    turn: int
    status: TurnStatus
    started_at: Time
    ended_at: Time | None
    error: str
    input_tokens: int
    output_tokens: int


class TurnPage(Page[TurnView]):
    """Some turns, in order."""


@resource.operation("GET", "/sessions/{session:path}/turns", "read", TurnPage)
async def list_turns(
    s: CallersSeasoned, session: str, limit: Limit = 50, cursor: After = None
) -> Mapping[str, Any]:
    """List the turns of a session in order."""
    place = TURNS.read(cursor) or (0,)
    rows = await s.sessions.turns(session, after=place[0], limit=limit + 1)
    return TURNS.page(rows, limit, lambda one: (one.turn,))


class GivenLessonView(View):
    """A lesson that the agent read in a turn, and why it was given."""

    turn: int
    lesson: LessonView
    place: Annotated[
        Place,
        Field(description="In the prompt, in a note of a tool, or as a hint beside an error."),
    ]
    why: str
    score: float | None


class GivenLessons(View):
    """The lessons that were given in a session, turn by turn."""

    items: list[GivenLessonView]


@resource.operation("GET", "/sessions/{session:path}/given", "read", GivenLessons)
async def list_given_lessons(s: CallersSeasoned, session: str) -> Mapping[str, Any]:
    """List the lessons that the agent read in a session, with the reasons."""
    by_turn = await s.sessions.given(session)
    names = dict.fromkeys(one.lesson for given in by_turn.values() for one in given)
    known = {one.id: one for one in await s.lessons_by_id(names)}
    return {
        "items": [
            {
                "turn": turn,
                "lesson": known[one.lesson],
                "place": one.place,
                "why": one.why,
                "score": one.score,
            }
            for turn, given in sorted(by_turn.items())
            for one in given
            if one.lesson in known
        ]
    }


class SessionEnd(View):
    """Whether there was something to end."""

    ended: bool


@resource.operation("POST", "/sessions/{session:path}/end", "learn", SessionEnd)
async def end_session(request: Request, s: CallersSeasoned, session: str) -> Mapping[str, bool]:
    """Report that a session is over, so that it is learned from as a whole.

    It is the caller's own; an operator may end those of its users, too.
    """
    if await s.end(session=session):
        return {"ended": True}
    if includes(caller_of(request).role, "operate"):
        found = await s.sessions.get(session)
        if found.ended_at is None:
            await s.sessions.end(session)
            return {"ended": True}
    return {"ended": False}


@resource.operation("GET", "/sessions/{session:path}", "read", SessionView)
async def get_session(s: CallersSeasoned, session: str, response: Response) -> Mapping[str, Any]:
    """Read a session by its name, or the beginning of it."""
    found = await s.sessions.get(session)
    tag(response, found.version)
    return session_view(found)


@resource.operation("DELETE", "/sessions/{session:path}", "operate", SessionView, errors=[412])
async def delete_session(
    s: CallersSeasoned, session: str, if_match: IfMatch = None
) -> Mapping[str, Any]:
    """Delete a session with its messages and memory; lessons stay."""
    if expected(if_match) is not None:
        check(if_match, (await s.sessions.get(session)).version, f"session {session!r}")
    return session_view(await s.sessions.delete(session))
