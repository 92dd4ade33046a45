"""The rules as a person sees and changes them: add, edit, switch off and on, decide conflicts."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, get_args

from seasoned.core.bus import Bus
from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput, NotFound
from seasoned.core.scope import Scope
from seasoned.core.text import one_line, storable
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.conflicts import KEEPS, Conflict, ConflictStore, Keep
from seasoned.learning.guard import checked_guard, held_by
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Guard, Lesson, RuleDetail, Source
from seasoned.learning.lessons import LessonStore
from seasoned.learning.rules import RULES, Rules, Saved, Saying
from seasoned.rules.rule import RULE_TYPES, RuleDraft
from seasoned.security.audit import AuditStore
from seasoned.security.redact import redact

T = TypeVar("T")

For = Literal["session", "user", "project", "tenant"]
FOR: tuple[For, ...] = get_args(For)
LONGEST = 600


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to change; None leaves it as it is, an empty text takes it away."""

    description: str | None = None
    trigger: str | None = None
    type: str | None = None
    poison: str | None = None
    guard: Guard | None = None
    unguard: bool = False


@dataclass(frozen=True, slots=True)
class Violation:
    """A reply that holds what a guard forbids; `found` is None when it could not be checked."""

    rule: Lesson
    found: str | None


class Rulebook:
    def __init__(
        self,
        db: Database,
        lessons: LessonStore,
        rules: Rules,
        conflicts: ConflictStore,
        audit: AuditStore,
        bus: Bus,
        clock: Clock,
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.rules = rules
        self.conflicts = conflicts
        self.audit = audit
        self.bus = bus
        self.clock = clock

    async def list(
        self,
        scope: Scope,
        *,
        rule_type: str | None = None,
        status: str | None = None,
        provisional: bool = False,
        limit: int = 50,
    ) -> Sequence[Lesson]:
        """The rules of a scope, the newest first; those of single sessions only when asked for."""
        if rule_type is not None:
            _known_type(rule_type)
        async with self.db.read() as tx:
            return await self.lessons.rules.list(
                tx, scope, rule_type=rule_type, status=status, provisional=provisional, limit=limit
            )

    async def get(self, name: str, scope: Scope) -> Lesson:
        async with self.db.read() as tx:
            return await self._rule(tx, name, scope)

    async def add(self, draft: RuleDraft, scope: Scope, source: Source = "operator") -> Saved:
        """A rule that a person says outright."""
        _known_type(draft.type)
        if not draft.description.strip():
            raise BadInput("the rule is empty; say how to behave")
        for text in (draft.description, draft.trigger, draft.poison or ""):
            _short_enough(text)
        said = Saying(source=source, session=scope.session, reason=f"told by the {source}")
        return await self._changing(
            lambda tx, journal: self.rules.save(tx, draft, scope, said, journal)
        )

    async def edit(self, name: str, edit: Edit, scope: Scope) -> Lesson:
        """Changes a rule's words; what it said before stays in its history."""
        if edit.description is not None and not edit.description.strip():
            raise BadInput("a rule cannot be empty; `seasoned rules delete` takes it away")
        for text in (edit.description, edit.trigger, edit.poison):
            _short_enough(text or "")
        if edit.type is not None:
            _known_type(edit.type)
        guard = checked_guard(edit.guard) if edit.guard else None

        async def edited(tx: Connection, journal: Journal) -> Lesson:
            rule = await self._rule(tx, name, scope)
            content = rule.content if edit.description is None else _line(edit.description)
            trigger = rule.trigger if edit.trigger is None else _line(edit.trigger)
            changed = rule
            if (content, trigger) != (rule.content, rule.trigger):
                changed = await self.lessons.reword(tx, rule, trigger, content, None, journal.at)
            detail = rule.rule or RuleDetail("preference")
            detail = replace(
                detail,
                type=edit.type or detail.type,
                poison=detail.poison if edit.poison is None else _line(edit.poison) or None,
                guard=None if edit.unguard else guard or detail.guard,
            )
            await self.lessons.rules.put(tx, rule.id, detail)
            changed = replace(changed, rule=detail)
            await self.rules.compare(tx, changed, journal)
            journal.changed(rule, changed, "edited by the operator")
            return changed

        return await self._changing(edited)

    async def activate(self, name: str, scope: Scope) -> Lesson:
        """Gives a rule again that was switched off, superseded or retired."""

        async def activated(tx: Connection, journal: Journal) -> Lesson:
            rule = await self._rule(tx, name, scope)
            if not rule.content:
                raise BadInput(f"rule {rule.id} was erased; there is nothing left to be given")
            if rule.status == "active":
                return rule
            changed = await self.lessons.supersede(tx, rule, None, journal.at)
            journal.changed(rule, changed, "activated by the operator")
            return changed

        return await self._changing(activated)

    async def deactivate(self, name: str, scope: Scope) -> Lesson:
        """Keeps a rule, and gives it no more."""

        async def deactivated(tx: Connection, journal: Journal) -> Lesson:
            rule = await self._rule(tx, name, scope)
            if rule.status not in ("active", "candidate"):
                return rule
            changed = await self.lessons.move(tx, rule, "suspended", journal.at)
            journal.changed(rule, changed, "deactivated by the operator")
            return changed

        return await self._changing(deactivated)

    async def delete(self, name: str, scope: Scope) -> Lesson:
        """Takes a rule away with all its words, those of its corrections too."""

        async def deleted(tx: Connection, journal: Journal) -> Lesson:
            rule = await self._rule(tx, name, scope)
            journal.forgotten(rule, "deleted by the operator")
            await self.lessons.erase(tx, rule, journal.at)
            await self.lessons.remove(tx, rule)
            return rule

        return await self._changing(deleted)

    async def conflicting(
        self, scope: Scope, *, resolved: bool = False, limit: int = 50
    ) -> Sequence[tuple[Conflict, Lesson, Lesson]]:
        """The contradictions that wait for a decision: each with its earlier and later rule."""
        async with self.db.read() as tx:
            found = await self.conflicts.list(tx, scope, resolved=resolved, limit=limit)
            pairs = [
                (
                    one,
                    await self.lessons.find(tx, one.earlier),
                    await self.lessons.find(tx, one.later),
                )
                for one in found
            ]
        return [(one, earlier, later) for one, earlier, later in pairs if earlier and later]

    async def resolve(self, name: str, keep: str, scope: Scope) -> Conflict:
        """Decides a contradiction: the earlier rule holds, the later one, or both do."""
        if keep not in KEEPS:
            raise BadInput(f"keep is {keep!r}; it must be one of {', '.join(KEEPS)}")

        async def resolved(tx: Connection, journal: Journal) -> Conflict:
            conflict = await self.conflicts.get(tx, name)
            earlier = await self._rule(tx, conflict.earlier, scope)
            later = await self._rule(tx, conflict.later, scope)
            await self._hold(tx, earlier, later, keep, journal)
            await self.conflicts.resolve(tx, conflict, keep, journal.at)
            journal.write("conflict.resolved", conflict.id, {"keep": keep})
            return await self.conflicts.get(tx, conflict.id)

        return await self._changing(resolved)

    async def _hold(
        self, tx: Connection, earlier: Lesson, later: Lesson, keep: Keep, journal: Journal
    ) -> None:
        kept = {"earlier": (earlier,), "later": (later,), "both": (earlier, later)}[keep]
        for rule in (earlier, later):
            winner = kept[0].id
            if rule in kept and rule.status != "active":
                changed = await self.lessons.supersede(tx, rule, None, journal.at)
            elif rule not in kept and rule.status in ("active", "candidate"):
                changed = await self.lessons.supersede(tx, rule, winner, journal.at)
            else:
                continue
            journal.changed(rule, changed, f"conflict resolved: {keep} is kept")

    async def check(self, reply: str, scope: Scope) -> Sequence[Violation]:
        """The guards that a reply runs into; only an operator can set one."""
        async with self.db.read() as tx:
            guarded = await self.lessons.rules.guarded(tx, scope)
        found: list[Violation] = []
        for rule in guarded:
            assert rule.rule is not None, "a guard is part of a rule"
            assert rule.rule.guard is not None, "only guarded rules were asked for"
            held = held_by(rule.rule.guard, reply)
            if held is not None:
                found.append(Violation(rule, held or None))
        return found

    async def _rule(self, tx: Connection, name: str, scope: Scope) -> Lesson:
        try:
            lesson = await self.lessons.get(tx, name, scope)
        except NotFound:
            raise NotFound(
                f"no rule {name!r}; `seasoned rules list` shows those there are"
            ) from None
        if lesson.kind not in RULES:
            raise NotFound(
                f"{lesson.id} is a {lesson.kind}, not a rule; `seasoned learning show` shows it"
            )
        return lesson

    async def _changing(self, work: Callable[[Connection, Journal], Awaitable[T]]) -> T:
        """Does a piece of work in one transaction, audited, and publishes what happened."""
        now = self.clock.now()

        async def done(tx: Connection) -> tuple[Journal, T]:
            journal = Journal(now)
            result = await work(tx, journal)
            if journal.entries:
                await self.audit.add(tx, now, journal.entries)
            return journal, result

        await self.rules.ready()
        journal, result = await transact(self.db, done)
        journal.publish(self.bus)
        return result


def reach_of(name: str, caller: Scope) -> Scope:
    """Whom a rule is for, by the word for it.

    >>> reach_of("project", Scope("acme", "web", "ana", "s1"))
    Scope(tenant='acme', project='web', user='', session='')
    """
    reaches = {
        "session": caller,
        "user": Scope(caller.tenant, user=caller.user),
        "project": Scope(caller.tenant, caller.project),
        "tenant": Scope(caller.tenant),
    }
    if name not in reaches:
        raise BadInput(f"a rule is for {', '.join(FOR)}, not for {name!r}")
    if name != "tenant" and not getattr(caller, name):  # it would be everybody's
        raise BadInput(f"a rule for one {name} needs the {name}'s name; none was given")
    return reaches[name]


def _short_enough(text: str) -> None:
    if len(text) > LONGEST:
        raise BadInput(
            f"the rule has a text of {len(text)} characters, at most {LONGEST} are taken; "
            "it enters every prompt it matters for: say it shorter"
        )


def _known_type(name: str) -> None:
    if name not in RULE_TYPES:
        raise BadInput(f"{name!r} is no type of rule; it must be one of {', '.join(RULE_TYPES)}")


def _line(text: str) -> str:
    return one_line(redact(storable(text)), LONGEST)
