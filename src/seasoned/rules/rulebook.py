"""The rules as a person manages them: add, edit, share, switch off and on, resolve conflicts."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from seasoned.core.authority import Caller
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.core.text import one_line, storable
from seasoned.db.database import Connection
from seasoned.db.keyset import Place
from seasoned.db.unit import Change, Unit
from seasoned.lessons.lesson import RULE_TYPES, Guard, Lesson, RuleDetail, Source
from seasoned.lessons.lesson_store import LessonStore, record_changed
from seasoned.rules.case import RuleDraft, reach_of
from seasoned.rules.conflicts import KEEPS, Conflict, ConflictStore, Keep, no_conflict
from seasoned.rules.guards import checked_guard, violation_in
from seasoned.rules.known_rules import RULES
from seasoned.rules.rules import LONGEST_RULE_TEXT, RuleOrigin, Rules, SavedRule
from seasoned.rules.sharing import Sharing
from seasoned.security.redact import redact

T = TypeVar("T")

SHARED = ("project", "tenant")


@dataclass(frozen=True, slots=True)
class RuleEdit:
    """Changes of a rule; None keeps a text, an empty one removes it."""

    description: str | None = None
    trigger: str | None = None
    type: str | None = None
    poison: str | None = None
    guard: Guard | None = None
    unguard: bool = False


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule whose guard a reply violates; `found` is None if the check timed out."""

    rule: Lesson
    found: str | None


class Rulebook:
    """Each change of a rule loads it with `_own_rule`, which checks whether the caller may."""

    def __init__(
        self,
        unit: Unit,
        lessons: LessonStore,
        rules: Rules,
        conflicts: ConflictStore,
    ) -> None:
        self.unit = unit
        self.lessons = lessons
        self.rules = rules
        self.conflicts = conflicts

    async def list(
        self,
        scope: Scope,
        *,
        rule_type: str | None = None,
        status: str | None = None,
        provisional: bool = False,
        text: str | None = None,
        limit: int = 50,
        after: Place | None = None,
    ) -> Sequence[Lesson]:
        """List the rules of a scope, newest first; provisional ones only on request."""
        if rule_type is not None:
            _check_type(rule_type)
        async with self.unit.read() as tx:
            return await self.lessons.rules.list(
                tx,
                scope,
                rule_type=rule_type,
                status=status,
                provisional=provisional,
                text=text,
                limit=limit,
                after=after,
            )

    async def get(self, name: str, caller: Caller) -> Lesson:
        async with self.unit.read() as tx:
            return await self._rule(tx, name, caller)

    async def add(
        self, draft: RuleDraft, scope: Scope, caller: Caller, source: Source = "operator"
    ) -> SavedRule:
        """Add a rule that a person states outright, for a scope that the caller acts in."""
        caller.require("teach", scope, "the scope of the rule")
        _check_type(draft.type)
        if not draft.description.strip():
            raise BadInput("the rule is empty; say how to behave")
        for text in (draft.description, draft.trigger, draft.poison or ""):
            _check_length(text)
        origin = RuleOrigin(source=source, session=scope.session, reason=f"told by the {source}")
        return await self._change(lambda change: self.rules.save(change, draft, scope, origin))

    async def edit(
        self, name: str, edit: RuleEdit, caller: Caller, version: str | None = None
    ) -> Lesson:
        """Edit a rule; its former words stay in its history."""
        if edit.description is not None and not edit.description.strip():
            raise BadInput("a rule cannot be empty; `seasoned rules delete` removes it")
        for text in (edit.description, edit.trigger, edit.poison):
            _check_length(text or "")
        if edit.type is not None:
            _check_type(edit.type)
        guard = checked_guard(edit.guard) if edit.guard else None

        async def apply(change: Change) -> Lesson:
            rule = await self._own_rule(change, name, caller, version)
            content = rule.content if edit.description is None else _line(edit.description)
            trigger = rule.trigger if edit.trigger is None else _line(edit.trigger)
            changed = rule
            if (content, trigger) != (rule.content, rule.trigger):
                changed = await self.lessons.reword(change, rule, trigger, content, None, None)
            detail = rule.rule or RuleDetail("preference")
            detail = replace(
                detail,
                type=edit.type or detail.type,
                poison=detail.poison if edit.poison is None else _line(edit.poison) or None,
                guard=None if edit.unguard else guard or detail.guard,
            )
            await self.lessons.put_rule(change, rule.id, detail)
            changed = replace(changed, rule=detail)
            await self.rules.compare(change, changed)
            record_changed(change, rule, changed, "edited by the operator")
            return changed

        return await self._change(apply)

    async def share(
        self, name: str, reach: str, caller: Caller, version: str | None = None
    ) -> Lesson:
        """Let a rule of one user or session hold for the whole project, or the tenant."""

        async def share(change: Change) -> Lesson:
            rule = await self._rule(change, name, caller)
            if reach not in SHARED:
                raise BadInput(
                    f"a rule is shared with the {' or the '.join(SHARED)}, not {reach!r}"
                )
            wider = reach_of(reach, rule.scope) if reach == "tenant" else rule.scope.shared()
            if wider == rule.scope:
                raise BadInput(f"rule {rule.id} holds for the whole {reach} already")
            caller.require("teach", wider, "the scope to share it with")
            caller.require("change", rule.scope, f"rule {rule.id}")
            await self.lessons.expect(change, rule, version)
            reason = f"shared with the {reach} by the operator"
            return await Sharing(self.rules).widen(change, [rule], wider, "operator", reason)

        return await self._change(share)

    async def activate(self, name: str, caller: Caller, version: str | None = None) -> Lesson:
        """Activate a rule that was switched off, superseded or retired."""

        async def activate(change: Change) -> Lesson:
            rule = await self._own_rule(change, name, caller, version)
            if not rule.content:
                raise BadInput(f"rule {rule.id} was erased; it has no words left")
            if rule.status == "active":
                return rule
            return await self.lessons.supersede(change, rule, None, "activated by the operator")

        return await self._change(activate)

    async def deactivate(self, name: str, caller: Caller, version: str | None = None) -> Lesson:
        """Switch a rule off, but keep it."""

        async def suspend(change: Change) -> Lesson:
            rule = await self._own_rule(change, name, caller, version)
            if rule.status not in ("active", "candidate"):
                return rule
            reason = "deactivated by the operator"
            await self.lessons.move_examples(change, rule.id, "suspended")
            return await self.lessons.move(change, rule, "suspended", reason)

        return await self._change(suspend)

    async def delete(self, name: str, caller: Caller, version: str | None = None) -> Lesson:
        """Delete a rule with all its words, also those of its corrections."""

        async def erase(change: Change) -> Lesson:
            rule = await self._own_rule(change, name, caller, version)
            await self.rules.reinstate(change, rule)
            await self.lessons.remove_examples(change, rule.id)
            await self.lessons.erase(change, rule, None)
            await self.lessons.remove(change, rule, "deleted by the operator")
            return rule

        return await self._change(erase)

    async def conflicting(
        self,
        scope: Scope,
        *,
        resolved: bool = False,
        limit: int = 50,
        after: Place | None = None,
    ) -> Sequence[tuple[Conflict, Lesson, Lesson]]:
        """List the open conflicts, each with its earlier and later rule."""
        async with self.unit.read() as tx:
            found = await self.conflicts.list(
                tx, scope, resolved=resolved, limit=limit, after=after
            )
            pairs = [
                (
                    one,
                    await self.lessons.find(tx, one.earlier),
                    await self.lessons.find(tx, one.later),
                )
                for one in found
            ]
        return [(one, earlier, later) for one, earlier, later in pairs if earlier and later]

    async def resolve(self, name: str, keep: str, caller: Caller) -> Conflict:
        """Resolve a conflict: keep the earlier rule, the later one, or both.

        A rule that holds for more people than the one that is kept still holds for the others; it
        only loses where both are given. So the conflict is settled by whoever acts for the narrower
        of the two.
        """
        return await self._change(lambda change: self.settle(change, name, keep, caller))

    async def settle(self, change: Change, name: str, keep: str, caller: Caller) -> Conflict:
        """Resolve a conflict inside the caller's transaction."""
        if keep not in KEEPS:
            raise BadInput(f"keep is {keep!r}; it must be one of {', '.join(KEEPS)}")
        conflict, earlier, later = await self._conflict(change, name, caller)
        narrower = earlier if later.scope.reaches(earlier.scope) else later
        caller.require("change", narrower.scope, f"rule {narrower.id}")
        await self._hold(change, earlier, later, keep, caller)
        await self.conflicts.resolve(change, conflict, keep, change.at)
        change.record("conflict.resolved", conflict.id, {"keep": keep})
        return await self.conflicts.get(change, conflict.id)

    async def _conflict(
        self, tx: Connection, name: str, caller: Caller
    ) -> tuple[Conflict, Lesson, Lesson]:
        """Return a conflict with its earlier and its later rule, if the caller sees both."""
        conflict = await self.conflicts.get(tx, name)
        try:
            earlier = await self._rule(tx, conflict.earlier, caller)
            return conflict, earlier, await self._rule(tx, conflict.later, caller)
        except NotFound:
            raise no_conflict(name) from None

    async def _hold(
        self, change: Change, earlier: Lesson, later: Lesson, keep: Keep, caller: Caller
    ) -> None:
        kept = {"earlier": (earlier,), "later": (later,), "both": (earlier, later)}[keep]
        reason = f"conflict resolved: {keep} is kept"
        for rule in (earlier, later):
            if rule in kept and rule.status != "active":
                caller.require("change", rule.scope, f"rule {rule.id}")
                await self.lessons.supersede(change, rule, None, reason)
            elif (
                rule not in kept
                and rule.status in ("active", "candidate")
                and kept[0].scope.reaches(rule.scope)
            ):
                await self.lessons.supersede(change, rule, kept[0].id, reason)

    async def check(self, reply: str, scope: Scope) -> Sequence[Violation]:
        """Return the guards that a reply violates."""
        async with self.unit.read() as tx:
            guarded = await self.lessons.rules.with_guard(tx, scope)
        found: list[Violation] = []
        for rule in guarded:
            assert rule.rule is not None, "a guard is part of a rule"
            assert rule.rule.guard is not None, "the store returns guarded rules only"
            text = violation_in(rule.rule.guard, reply)
            if text is not None:
                found.append(Violation(rule, text or None))
        return found

    async def _own_rule(
        self, change: Change, name: str, caller: Caller, version: str | None = None
    ) -> Lesson:
        """Return a rule that the caller may change, if it is still of this version."""
        rule = await self._rule(change, name, caller)
        caller.require("change", rule.scope, f"rule {rule.id}")
        await self.lessons.expect(change, rule, version)
        return rule

    async def _rule(self, tx: Connection, name: str, caller: Caller) -> Lesson:
        try:
            lesson = await self.lessons.get(tx, name, caller)
        except NotFound:
            raise NotFound(f"no rule {name!r}; `seasoned rules list` shows all") from None
        if lesson.kind not in RULES:
            raise NotFound(
                f"{lesson.id} is a {lesson.kind}, not a rule; `seasoned lessons show` shows it"
            )
        return lesson

    async def _change(self, work: Callable[[Change], Awaitable[T]]) -> T:
        await self.rules.prepare()
        return await self.unit.change(work)


def _check_length(text: str) -> None:
    if len(text) > LONGEST_RULE_TEXT:
        raise BadInput(
            f"a text of the rule has {len(text)} characters; at most {LONGEST_RULE_TEXT} may "
            "enter every prompt it matters for: say it shorter"
        )


def _check_type(name: str) -> None:
    if name not in RULE_TYPES:
        raise BadInput(f"{name!r} is not a type of rule; it must be one of {', '.join(RULE_TYPES)}")


def _line(text: str) -> str:
    return one_line(redact(storable(text)), LONGEST_RULE_TEXT)
