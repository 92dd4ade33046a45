"""Skills: procedures worth repeating; list, read, search, add, adopt, retire."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import Field

from seasoned.server.rest.etags import IfMatch, expected, tag
from seasoned.server.rest.lessons import SearchText
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import Body, Count, GivenObject, ScopeView, Time, Values, View
from seasoned.skills.skill import (
    LONGEST_BODY,
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    Skill,
    SkillSource,
    Status,
)
from seasoned.skills.skill_store import StoredSkill

resource = Resource("skills")
CURSOR = Cursor("skills", (str,))


class SkillRecordView(View):
    """How often a skill worked."""

    succeeded: int
    failed: int


class SkillView(View):
    """A skill as it is stored; `version` counts its texts."""

    id: str
    name: str
    description: str
    body: str
    meta: Values
    scope: ScopeView
    status: Status
    source: SkillSource
    origin: str
    version: int
    made_at: Time
    updated_at: Time
    record: SkillRecordView | None = None


class SkillPage(Page[SkillView]):
    """Some skills, by name."""


def _skill(stored: StoredSkill, record: Any = None) -> Mapping[str, Any]:
    fields = ("id", "name", "scope", "status", "source", "origin", "version", "made_at")
    skill = stored.skill
    return {
        **{name: getattr(stored, name) for name in (*fields, "updated_at")},
        "description": skill.description,
        "body": skill.body,
        "meta": skill.meta,
        "record": record,
    }


@resource.operation("GET", "/skills", "read", SkillPage)
async def list_skills(
    s: CallersSeasoned,
    status: Annotated[Status | None, Query()] = None,
    limit: Limit = 50,
    cursor: After = None,
) -> Mapping[str, Any]:
    """List skills by name, each with its record; of several of one name, the nearest."""
    place = CURSOR.read(cursor)
    rows = await s.skills.list(status=status, limit=limit + 1, after=place[0] if place else "")
    page = CURSOR.page(rows, limit, lambda row: (row[0].name,))
    return page | {"items": [_skill(*row) for row in page["items"]]}


class SkillHitView(View):
    """A skill that fits a request."""

    skill: SkillView
    relevance: float
    score: float


class SkillHits(View):
    """Skills that fit a request, best first."""

    items: list[SkillHitView]


@resource.operation("GET", "/skills/search", "read", SkillHits)
async def search_skills(
    s: CallersSeasoned, query: SearchText, limit: Limit = 10
) -> Mapping[str, Any]:
    """Search active skills by request; those that often fail rank lower."""
    found = await s.skills.search(query, limit=limit)
    return {
        "items": [
            {
                "skill": _skill(hit.skill, hit.record),
                "relevance": hit.relevance,
                "score": hit.score,
            }
            for hit in found
        ]
    }


class NewSkill(Body):
    """A skill to add; one of that name in this scope gets a new version."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=LONGEST_NAME)]
    description: Annotated[str, Field(min_length=1, max_length=LONGEST_DESCRIPTION)]
    body: Annotated[str, Field(min_length=1, max_length=LONGEST_BODY)]
    meta: GivenObject


@resource.operation("POST", "/skills", "operate", SkillView, status=201)
async def add_skill(s: CallersSeasoned, body: NewSkill, response: Response) -> Mapping[str, Any]:
    """Add a skill, or a new version of one."""
    stored = await s.skills.add(Skill(body.name, body.description, body.body, body.meta))
    tag(response, stored.revision)
    return _skill(stored)


@resource.operation("GET", "/skills/{skill}", "read", SkillView)
async def get_skill(s: CallersSeasoned, skill: str, response: Response) -> Mapping[str, Any]:
    """Read a skill by its name or id."""
    stored = await s.skills.get(skill)
    tag(response, stored.revision)
    return _skill(stored)


@resource.operation("POST", "/skills/{skill}/adopt", "operate", SkillView, errors=[412])
async def adopt_skill(
    s: CallersSeasoned, skill: str, response: Response, if_match: IfMatch = None
) -> Mapping[str, Any]:
    """Activate a proposed or retired skill."""
    stored = await s.skills.adopt(skill, version=expected(if_match))
    tag(response, stored.revision)
    return _skill(stored)


@resource.operation("POST", "/skills/{skill}/retire", "operate", SkillView, errors=[412])
async def retire_skill(
    s: CallersSeasoned, skill: str, response: Response, if_match: IfMatch = None
) -> Mapping[str, Any]:
    """Retire a skill; it is kept, and not proposed again."""
    stored = await s.skills.retire(skill, version=expected(if_match))
    tag(response, stored.revision)
    return _skill(stored)


class SkillUse(Body):
    """A use of a skill, and whether it worked."""

    success: bool
    duration_ms: Annotated[float, Field(ge=0, le=1e10)] | None = None


@resource.operation("POST", "/skills/{skill}/used", "learn", Count)
async def report_skill_use(s: CallersSeasoned, skill: str, body: SkillUse) -> Mapping[str, int]:
    """Report that a skill was followed, and whether it worked."""
    await s.skills.used(skill, body.success, duration_ms=body.duration_ms)
    return {"count": 1}
