"""Rules: list, add, edit, guard, share, switch off and on, delete; conflicts between them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import Field

from seasoned.api.rules import RuleStory
from seasoned.lessons.lesson import GuardKind, Lesson, RuleType, Status
from seasoned.rules.case import Reach
from seasoned.rules.conflicts import Conflict, Keep
from seasoned.rules.rulebook import Violation
from seasoned.server.rest.corrections import AnalysedView
from seasoned.server.rest.etags import IfMatch, check, expected, tag
from seasoned.server.rest.lessons import EvidenceView, LessonPage, SearchText
from seasoned.server.rest.paging import After, Cursor, Limit, Page
from seasoned.server.rest.resource import CallersSeasoned, Resource
from seasoned.server.rest.views import Body, Hits, LessonView, Name, Text, Time, View

resource = Resource("rules")
CURSOR = Cursor("rules", (int, str))
CONFLICTS = Cursor("conflicts", (int, str))
RuleText = Annotated[str, Field(max_length=10_000)]


@resource.operation("GET", "/rules", "read", LessonPage)
async def list_rules(
    s: CallersSeasoned,
    rule_type: RuleType | None = None,
    status: Status | None = None,
    provisional: Annotated[bool, Query(description="Include rules of single sessions.")] = False,
    text: Annotated[
        str | None, Query(max_length=1000, description="Words that stand in the rule.")
    ] = None,
    limit: Limit = 50,
    cursor: After = None,
) -> Mapping[str, Any]:
    """List rules and preferences, newest first."""
    rows = await s.rules.list(
        rule_type=rule_type,
        status=status,
        provisional=provisional,
        text=text,
        limit=limit + 1,
        after=CURSOR.read(cursor),
    )
    return CURSOR.page(rows, limit)


class NewRule(Body):
    """A rule to add."""

    description: Annotated[str, Field(min_length=1, max_length=10_000)]
    rule_type: RuleType = "preference"
    when: Annotated[RuleText, Field(description="The situation; empty means always.")] = ""
    poison: Annotated[RuleText | None, Field(description="What not to do.")] = None
    reach: Annotated[
        Reach | None, Field(description="Who it is for; default: the scope of the request.")
    ] = None
    session: Annotated[Name, Field(description="Its session, if that is its reach.")] = ""


@resource.operation("POST", "/rules", "operate", LessonView, status=201)
async def add_rule(s: CallersSeasoned, body: NewRule, response: Response) -> Lesson:
    """Add a rule; if one says the same already, its confidence rises instead."""
    rule = await s.rules.add(
        body.description,
        rule_type=body.rule_type,
        when=body.when,
        poison=body.poison,
        reach=body.reach,
        session=body.session,
    )
    tag(response, rule.version)
    return rule


@resource.operation("GET", "/rules/search", "read", Hits)
async def search_rules(s: CallersSeasoned, query: SearchText, limit: Limit = 10) -> Any:
    """Search rules by request, best first."""
    return {"items": await s.rules.search(query, limit=limit)}


class Reply(Body):
    """A reply that is about to be sent."""

    reply: Text


class ViolationView(View):
    """A rule whose guard the reply violates; `found` is null if the check took too long."""

    rule: LessonView
    found: str | None


class Violations(View):
    """The guards that a reply violates; none is good."""

    items: list[ViolationView]


@resource.operation("POST", "/rules/check", "read", Violations)
async def check_reply(s: CallersSeasoned, body: Reply) -> Mapping[str, Sequence[Violation]]:
    """Check a reply against the guards of rules, before it is sent."""
    return {"items": await s.rules.check(body.reply)}


class ConflictView(View):
    """Two rules that cannot both be followed; the winner is given until somebody decides."""

    id: str
    earlier: str
    later: str
    winner: str | None
    reason: str
    found_at: Time
    resolved_at: Time | None
    resolution: str
    version: str


class ConflictedRules(View):
    """A conflict with its two rules."""

    conflict: ConflictView
    earlier: LessonView
    later: LessonView


class ConflictPage(Page[ConflictedRules]):
    """Some conflicts, newest first."""


@resource.operation("GET", "/rules/conflicts", "read", ConflictPage)
async def list_conflicts(
    s: CallersSeasoned,
    resolved: Annotated[bool, Query(description="Include resolved ones.")] = False,
    limit: Limit = 50,
    cursor: After = None,
) -> Mapping[str, Any]:
    """List conflicts between rules, newest first."""
    rows = await s.rules.conflicts(resolved=resolved, limit=limit + 1, after=CONFLICTS.read(cursor))
    page = CONFLICTS.page(rows, limit, lambda row: row[0].place)
    names = ("conflict", "earlier", "later")
    return page | {"items": [dict(zip(names, row, strict=True)) for row in page["items"]]}


class Resolution(Body):
    """Which of two rules holds."""

    keep: Keep


@resource.operation(
    "POST", "/rules/conflicts/{conflict}/resolve", "operate", ConflictView, errors=[412]
)
async def resolve_conflict(
    s: CallersSeasoned,
    conflict: str,
    body: Resolution,
    response: Response,
    if_match: IfMatch = None,
) -> Conflict:
    """Resolve a conflict: keep the earlier rule, the later one, or both."""
    if expected(if_match) is not None:
        check(if_match, (await s.review.get(conflict)).version, f"conflict {conflict}")
    resolved = await s.rules.resolve(conflict, body.keep)
    tag(response, resolved.version)
    return resolved


@resource.operation("GET", "/rules/{rule}", "read", LessonView)
async def get_rule(s: CallersSeasoned, rule: str, response: Response) -> Lesson:
    """Read a rule by its id, or the beginning of it."""
    found = await s.rules.get(rule)
    tag(response, found.version)
    return found


class RuleConflictView(View):
    """A conflict of a rule, with the other rule."""

    conflict: ConflictView
    other: LessonView


class RuleStoryView(View):
    """A rule with its evidence, the corrections behind it, its examples and conflicts."""

    rule: LessonView
    evidence: list[EvidenceView]
    corrections: list[AnalysedView]
    examples: list[LessonView]
    conflicts: list[RuleConflictView]
    superseded_by: LessonView | None
    supersedes: list[LessonView]


@resource.operation("GET", "/rules/{rule}/story", "read", RuleStoryView)
async def get_rule_story(s: CallersSeasoned, rule: str) -> Mapping[str, Any]:
    """Return where a rule comes from, and what became of it."""
    story: RuleStory = await s.rules.story(rule)
    return {
        "rule": story.rule,
        "evidence": story.evidence,
        "corrections": story.corrections,
        "examples": story.examples,
        "conflicts": [{"conflict": one, "other": other} for one, other in story.conflicts],
        "superseded_by": story.superseded_by,
        "supersedes": story.supersedes,
    }


class RuleChanges(Body):
    """Fields to change; what is left out stays. An empty `poison` or `guard` removes it."""

    description: RuleText | None = None
    when: RuleText | None = None
    rule_type: RuleType | None = None
    poison: RuleText | None = None
    guard: Annotated[
        RuleText | None, Field(description="Text, or a pattern, that no reply may contain.")
    ] = None
    guard_kind: GuardKind = "text"


@resource.operation("PATCH", "/rules/{rule}", "operate", LessonView, errors=[412])
async def edit_rule(
    s: CallersSeasoned,
    rule: str,
    body: RuleChanges,
    response: Response,
    if_match: IfMatch = None,
) -> Lesson:
    """Edit a rule, or set its guard; its former words stay in its history."""
    edited = await s.rules.edit(
        rule,
        description=body.description,
        when=body.when,
        rule_type=body.rule_type,
        poison=body.poison,
        guard=body.guard,
        guard_kind=body.guard_kind,
        version=expected(if_match),
    )
    tag(response, edited.version)
    return edited


class Sharing(Body):
    """With whom a rule is shared."""

    reach: Reach = "project"


@resource.operation("POST", "/rules/{rule}/share", "operate", LessonView, errors=[412])
async def share_rule(
    s: CallersSeasoned,
    rule: str,
    response: Response,
    body: Sharing | None = None,
    if_match: IfMatch = None,
) -> Lesson:
    """Let a user's rule hold for the whole project, or the tenant."""
    reach = (body or Sharing()).reach
    shared = await s.rules.share(rule, reach=reach, version=expected(if_match))
    tag(response, shared.version)
    return shared


@resource.operation("POST", "/rules/{rule}/activate", "operate", LessonView, errors=[412])
async def activate_rule(
    s: CallersSeasoned, rule: str, response: Response, if_match: IfMatch = None
) -> Lesson:
    """Activate a rule that was deactivated or superseded."""
    changed = await s.rules.activate(rule, version=expected(if_match))
    tag(response, changed.version)
    return changed


@resource.operation("POST", "/rules/{rule}/deactivate", "operate", LessonView, errors=[412])
async def deactivate_rule(
    s: CallersSeasoned, rule: str, response: Response, if_match: IfMatch = None
) -> Lesson:
    """Switch a rule off, but keep it."""
    changed = await s.rules.deactivate(rule, version=expected(if_match))
    tag(response, changed.version)
    return changed


@resource.operation("DELETE", "/rules/{rule}", "operate", LessonView, errors=[412])
async def delete_rule(s: CallersSeasoned, rule: str, if_match: IfMatch = None) -> Lesson:
    """Delete a rule and its text; the answer is the rule as it was."""
    return await s.rules.delete(rule, version=expected(if_match))
