"""`s.rules`: how the agent is to behave, as corrections and operators put it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.faces.driving import Driven, Run, sync
from seasoned.learning.lesson import STATUSES, Guard, GuardKind, Lesson, Source
from seasoned.rules.rule import RuleDraft, RuleType

if TYPE_CHECKING:
    from seasoned.faces.rule_story import RuleStory
    from seasoned.learning.conflicts import Conflict
    from seasoned.learning.rulebook import Rulebook, Violation
    from seasoned.recall.search import Hit, Search


class AsyncRules:
    def __init__(self, rulebook: "Rulebook", search: "Search", scope: Scope, run: Run) -> None:
        self._rulebook = rulebook
        self._search = search
        self._scope = scope
        self._run = run

    async def list(
        self,
        *,
        rule_type: str | None = None,
        status: str | None = None,
        provisional: bool = False,
        limit: int = 50,
    ) -> Sequence[Lesson]:
        """The rules there are, the newest first; `provisional` shows those of single sessions."""
        if status is not None and status not in STATUSES:
            raise BadInput(f"status is {status!r}; it must be one of {', '.join(STATUSES)}")
        found = self._rulebook.list(
            self._scope,
            rule_type=rule_type,
            status=status,
            provisional=provisional,
            limit=limit,
        )
        return await self._run(found)

    async def get(self, name: str) -> Lesson:
        """One rule, by its id or the beginning of it."""
        return await self._run(self._rulebook.get(name, self._scope))

    async def story(self, name: str) -> "RuleStory":
        """One rule with its evidence, its corrections, its examples and what contradicts it."""
        from seasoned.faces.rule_story import story_of

        return await self._run(story_of(name, self._rulebook, self._scope))

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
        """Says a rule outright; one that says the same already is believed more instead.

        `when` is the situation it matters in; empty means always. `reach` is session, user,
        project or tenant: whom it is for; as this Seasoned was opened if it is not given.
        `session` names the one that is meant when it is for a session alone.
        """
        from seasoned.learning.rulebook import reach_of

        scope = reach_of(reach, self._scope.within(session)) if reach else self._scope
        draft = RuleDraft(rule_type, description, when, poison, confidence=1.0)
        return (await self._run(self._rulebook.add(draft, scope, source))).rule

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
    ) -> Lesson:
        """Changes what is given; an empty `poison` or `guard` takes it away.

        A guard is what no reply may hold: plain words, or with `guard_kind="pattern"` a regular
        expression, which is tried first and never runs without a time limit.
        """
        from seasoned.learning.rulebook import Edit

        changes = Edit(
            description,
            when,
            rule_type,
            poison,
            Guard(guard_kind, guard) if guard else None,
            unguard=guard == "",
        )
        return await self._run(self._rulebook.edit(name, changes, self._scope))

    async def activate(self, name: str) -> Lesson:
        """Gives a rule again that was switched off or superseded."""
        return await self._run(self._rulebook.activate(name, self._scope))

    async def deactivate(self, name: str) -> Lesson:
        """Keeps a rule, and gives it no more."""
        return await self._run(self._rulebook.deactivate(name, self._scope))

    async def delete(self, name: str) -> Lesson:
        """Takes a rule and its words away for good."""
        return await self._run(self._rulebook.delete(name, self._scope))

    async def search(self, query: str, *, limit: int = 10) -> "Sequence[Hit]":
        """The rules that fit a request best."""
        from seasoned.recall.search import Wanted

        wanted = Wanted(kinds=("rule", "preference"))
        found = await self._run(
            self._search.find(query, self._scope, wanted=wanted, most=max(0, limit))
        )
        return found.hits

    async def conflicts(
        self, *, resolved: bool = False, limit: int = 50
    ) -> "Sequence[tuple[Conflict, Lesson, Lesson]]":
        """Rules that contradict each other: each conflict with its earlier and its later rule."""
        found = self._rulebook.conflicting(self._scope, resolved=resolved, limit=limit)
        return await self._run(found)

    async def resolve(self, name: str, keep: str) -> "Conflict":
        """Decides a conflict: `keep` is earlier, later or both."""
        return await self._run(self._rulebook.resolve(name, keep, self._scope))

    async def check(self, reply: str) -> "Sequence[Violation]":
        """The guards that a reply runs into; an agent asks before it sends one."""
        return await self._run(self._rulebook.check(reply, self._scope))


class Rules(Driven[AsyncRules]):
    """The same for synchronous code."""

    list = sync(AsyncRules.list)
    get = sync(AsyncRules.get)
    story = sync(AsyncRules.story)
    add = sync(AsyncRules.add)
    edit = sync(AsyncRules.edit)
    activate = sync(AsyncRules.activate)
    deactivate = sync(AsyncRules.deactivate)
    delete = sync(AsyncRules.delete)
    search = sync(AsyncRules.search)
    conflicts = sync(AsyncRules.conflicts)
    resolve = sync(AsyncRules.resolve)
    check = sync(AsyncRules.check)
