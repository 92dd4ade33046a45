"""`s.rules`: list, edit and check rules, and resolve conflicts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seasoned.api.face import AsyncFace, SyncFace, sync
from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput
from seasoned.lessons.lesson import STATUSES, Evidence, Guard, GuardKind, Lesson, RuleType, Source
from seasoned.rules.case import RuleDraft, reach_of
from seasoned.rules.case_store import AnalysedCase, CaseStore
from seasoned.rules.conflicts import Conflict
from seasoned.rules.rulebook import Rulebook, RuleEdit, Violation
from seasoned.security.stored import stored_name

if TYPE_CHECKING:
    from seasoned.db.keyset import Place
    from seasoned.recall.search import Hit


ALL_CONFLICTS = 1_000_000


@dataclass(frozen=True, slots=True)
class RuleStory:
    """A rule and its history; `conflicts` pairs each conflict with the other rule."""

    rule: Lesson
    evidence: Sequence[Evidence]
    corrections: Sequence[AnalysedCase]
    examples: Sequence[Lesson]
    conflicts: Sequence[tuple[Conflict, Lesson]]
    superseded_by: Lesson | None
    supersedes: Sequence[Lesson]


class AsyncRulesFace(AsyncFace):
    """Rules of one scope."""

    async def list(
        self,
        *,
        rule_type: str | None = None,
        status: str | None = None,
        provisional: bool = False,
        text: str | None = None,
        limit: int = 50,
        after: "Place | None" = None,
    ) -> Sequence[Lesson]:
        """List rules, newest first; `provisional` includes rules of single sessions.

        `text` must stand in them. `after` is the `place` of the last rule of the page before.
        """
        if status is not None and status not in STATUSES:
            raise BadInput(f"status is {status!r}; it must be one of {', '.join(STATUSES)}")
        found = self._app.rulebook.list(
            self._scope,
            rule_type=rule_type,
            status=status,
            provisional=provisional,
            text=text,
            limit=limit,
            after=after,
        )
        return await self._run(found)

    async def get(self, name: str) -> Lesson:
        """Return a rule by its id or a prefix of it."""
        return await self._run(self._app.rulebook.get(name, self._caller))

    async def story(self, name: str) -> "RuleStory":
        """Return a rule with its evidence, corrections, examples and conflicts."""
        return await self._run(_story_of(name, self._app.rulebook, self._caller))

    async def add(
        self,
        description: str,
        *,
        rule_type: RuleType = "preference",
        when: str = "",
        poison: str | None = None,
        reach: str | None = None,
        session: str = "",
        source: Source = "operator",
    ) -> Lesson:
        """Add a rule; if one already says the same, its confidence rises instead.

        `when` is the situation it applies to; empty means always. `reach` (session, user, project
        or tenant) says who it applies to; default: the scope this Seasoned was opened with. With
        reach session, `session` names it.
        """
        scope = reach_of(reach, self._scope.within(stored_name(session))) if reach else self._scope
        draft = RuleDraft(rule_type, description, when, poison, confidence=1.0)
        return (await self._run(self._app.rulebook.add(draft, scope, self._caller, source))).rule

    async def edit(
        self,
        name: str,
        *,
        description: str | None = None,
        when: str | None = None,
        rule_type: str | None = None,
        poison: str | None = None,
        guard: str | None = None,
        guard_kind: GuardKind = "text",
        version: str | None = None,
    ) -> Lesson:
        """Change the given fields; an empty `poison` or `guard` removes it.

        A guard is text that no reply may contain or, with `guard_kind="pattern"`, a regular
        expression, which is tested first and always runs with a time limit. With the `version` of
        the rule as it was read, raise `Changed` if somebody changed it since.
        """
        changes = RuleEdit(
            description,
            when,
            rule_type,
            poison,
            Guard(guard_kind, guard) if guard else None,
            unguard=guard == "",
        )
        return await self._run(self._app.rulebook.edit(name, changes, self._caller, version))

    async def share(
        self, name: str, *, reach: str = "project", version: str | None = None
    ) -> Lesson:
        """Let a user's rule apply to the whole project, or tenant; return the shared rule."""
        return await self._run(self._app.rulebook.share(name, reach, self._caller, version))

    async def activate(self, name: str, *, version: str | None = None) -> Lesson:
        """Activate a rule that was deactivated or superseded."""
        return await self._run(self._app.rulebook.activate(name, self._caller, version))

    async def deactivate(self, name: str, *, version: str | None = None) -> Lesson:
        """Deactivate a rule; it is kept but no longer used."""
        return await self._run(self._app.rulebook.deactivate(name, self._caller, version))

    async def delete(self, name: str, *, version: str | None = None) -> Lesson:
        """Delete a rule and its text."""
        return await self._run(self._app.rulebook.delete(name, self._caller, version))

    async def search(self, query: str, *, limit: int = 10) -> "Sequence[Hit]":
        """Search rules by request, best first."""
        from seasoned.recall.search import SearchFilter

        wanted = SearchFilter(kinds=("rule", "preference"))
        found = await self._run(
            self._app.search.find(query, self._scope, wanted=wanted, most=max(0, limit))
        )
        return found.hits

    async def conflicts(
        self, *, resolved: bool = False, limit: int = 50, after: "Place | None" = None
    ) -> "Sequence[tuple[Conflict, Lesson, Lesson]]":
        """List conflicts, each with its earlier and its later rule."""
        found = self._app.rulebook.conflicting(
            self._scope, resolved=resolved, limit=limit, after=after
        )
        return await self._run(found)

    async def resolve(self, name: str, keep: str) -> "Conflict":
        """Resolve a conflict: `keep` is earlier, later or both."""
        return await self._run(self._app.rulebook.resolve(name, keep, self._caller))

    async def check(self, reply: str) -> "Sequence[Violation]":
        """Return the guards that a reply violates; an agent checks before it sends one."""
        return await self._run(self._app.rulebook.check(reply, self._scope))


class RulesFace(SyncFace[AsyncRulesFace]):
    """The synchronous twin."""

    list = sync(AsyncRulesFace.list)
    get = sync(AsyncRulesFace.get)
    story = sync(AsyncRulesFace.story)
    add = sync(AsyncRulesFace.add)
    edit = sync(AsyncRulesFace.edit)
    share = sync(AsyncRulesFace.share)
    activate = sync(AsyncRulesFace.activate)
    deactivate = sync(AsyncRulesFace.deactivate)
    delete = sync(AsyncRulesFace.delete)
    search = sync(AsyncRulesFace.search)
    conflicts = sync(AsyncRulesFace.conflicts)
    resolve = sync(AsyncRulesFace.resolve)
    check = sync(AsyncRulesFace.check)


async def _story_of(name: str, rulebook: Rulebook, caller: Caller) -> RuleStory:
    """Collect what a caller may see of a rule's history: exchanges stay with who had them."""
    rule = await rulebook.get(name, caller)
    found = await rulebook.conflicting(caller.scope, resolved=True, limit=ALL_CONFLICTS)
    against = [
        (one, later if earlier.id == rule.id else earlier)
        for one, earlier, later in found
        if rule.id in (one.earlier, one.later)
    ]
    async with rulebook.unit.read() as tx:
        later = await rulebook.lessons.find(tx, rule.superseded_by) if rule.superseded_by else None
        return RuleStory(
            rule,
            await rulebook.lessons.evidence_for(tx, rule, caller),
            [
                case
                for case in await CaseStore().of_lesson(tx, rule.id)
                if caller.may("read", case.scope)
            ],
            _seen(await rulebook.lessons.rules.examples(tx, rule.id), caller),
            against,
            next(iter(_seen([later] if later else [], caller)), None),
            _seen(await rulebook.lessons.rules.superseded_by(tx, rule.id), caller),
        )


def _seen(lessons: Sequence[Lesson], caller: Caller) -> Sequence[Lesson]:
    return [one for one in lessons if caller.may("see", one.scope)]
