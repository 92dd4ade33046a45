"""Teaches what a person states outright: it applies at once and beats inferred lessons."""

from dataclasses import dataclass

from seasoned.core.authority import Caller, Trust
from seasoned.core.errors import BadInput, NotAllowed
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.unit import Change, Unit
from seasoned.errors.error_store import ErrorStore
from seasoned.lessons.lesson import PRIORS, Draft, Evidence, FixDetail, Kind, Lesson, Source
from seasoned.lessons.lesson_store import LessonStore
from seasoned.rules.case import RuleDraft
from seasoned.rules.grammar.polarity import without_no
from seasoned.rules.known_rules import RULES
from seasoned.rules.rules import RuleOrigin, Rules
from seasoned.security.redact import redact

LONGEST_TEACHING = 4000  # characters
TEACHERS: frozenset[Source] = frozenset({"operator", "user"})


@dataclass(frozen=True, slots=True)
class Teaching:
    """A statement to learn: when it matters (`trigger`), and what to do or know then."""

    kind: Kind
    trigger: str
    content: str
    tool: str = ""
    source: Source = "operator"


def teaching_from(
    trigger: str,
    *,
    fix: str | None = None,
    rule: str | None = None,
    fact: str | None = None,
    preference: str | None = None,
    tool: str | None = None,
    source: Source = "operator",
) -> Teaching:
    """Validate a teaching; exactly one of fix, rule, fact and preference must be given."""
    contents: dict[Kind, str | None] = {
        "fix": fix,
        "rule": rule,
        "fact": fact,
        "preference": preference,
    }
    given: list[tuple[Kind, str]] = [
        (kind, text.strip()) for kind, text in contents.items() if text is not None
    ]
    if len(given) != 1:
        raise BadInput("teach takes exactly one of fix=, rule=, fact= and preference=")
    kind, content = given[0]
    if not content:
        raise BadInput(f"the {kind} is empty; say what to do or know")
    if kind == "fix" and not trigger.strip():
        raise BadInput("a fix needs the error it is for, as the trigger")
    if len(content) > LONGEST_TEACHING:
        raise BadInput(
            f"the {kind} has {len(content)} characters, at most {LONGEST_TEACHING} are allowed; "
            "a lesson enters the prompt: say it shorter"
        )
    if source not in TEACHERS:
        raise BadInput(f"only an operator or a user can teach, not {source!r}")
    content = without_no(content) if kind in RULES else content
    when = redact(storable(trigger.strip()))
    if len(when) > LONGEST_TEACHING:
        raise BadInput(
            f"the trigger has {len(when)} characters, at most {LONGEST_TEACHING} are allowed; "
            "give the telling line of the error"
        )
    return Teaching(kind, when, redact(storable(content)), tool or "", source)


class Teacher:
    def __init__(self, unit: Unit, lessons: LessonStore, errors: ErrorStore, rules: Rules) -> None:
        self.unit = unit
        self.lessons = lessons
        self.errors = errors
        self.rules = rules

    async def teach(self, teaching: Teaching, scope: Scope, caller: Caller) -> Lesson:
        """Store a teaching for a scope that the caller acts in; said again, it is evidence."""
        caller.require("teach", scope, f"the scope of the {teaching.kind}")
        if teaching.kind in RULES:
            await self.rules.prepare(_draft(teaching))
        return await self.unit.change(lambda change: self._store(change, teaching, scope))

    async def _store(self, change: Change, teaching: Teaching, scope: Scope) -> Lesson:
        if teaching.kind in RULES:
            return await self._store_rule(change, teaching, scope)
        fix = None
        if teaching.kind == "fix":
            error = await self.errors.see(
                change, scope, teaching.tool, teaching.trigger, change.at, times=0
            )
            fix = FixDetail(teaching.tool, error.id)
        prior = PRIORS[teaching.source]
        said = Evidence(
            change.at,
            f"told by the {teaching.source}",
            prior.worked,
            prior.failed,
            scope.session,
            "",
        )
        lesson, is_new = await self.lessons.add(
            change,
            Draft(
                kind=teaching.kind,
                status="active",
                scope=scope,
                trigger=teaching.trigger,
                content=teaching.content,
                belief=prior,
                source=teaching.source,
                identity=f"{teaching.tool}\n{teaching.content}",
                fix=fix,
                evidence=(said,),
            ),
        )
        if not is_new:
            lesson = await self._strengthen(change, lesson, scope)
        if fix is not None:
            await self._supersede_earlier(change, lesson, fix.error_id)
        return lesson

    async def _store_rule(self, change: Change, teaching: Teaching, scope: Scope) -> Lesson:
        """Save a rule, which may contradict a known one."""
        origin = RuleOrigin(
            source=teaching.source,
            kind=teaching.kind,
            session=scope.session,
            reason=f"told by the {teaching.source}",
            verbatim=True,
            typed=False,
        )
        return (await self.rules.save(change, _draft(teaching), scope, origin)).rule

    async def _strengthen(self, change: Change, lesson: Lesson, scope: Scope) -> Lesson:
        again = Evidence(change.at, "told again", 1, 0, scope.session)
        changed = await self.lessons.believe(change, lesson, again, "active")
        if lesson.superseded_by is not None:
            changed = await self.lessons.supersede(change, changed, None, None)
        return changed

    async def _supersede_earlier(self, change: Change, lesson: Lesson, error_id: str) -> None:
        """Supersede earlier teachings about the same error."""
        for other in await self.lessons.fixes_of(change, (error_id,)):
            told = other.explicit and other.status == "active" and other.id != lesson.id
            if told and other.scope == lesson.scope and other.trigger == lesson.trigger:
                reason = f"superseded by {lesson.id}"
                await self.lessons.supersede(change, other, lesson.id, reason)

    async def forget(
        self,
        name: str,
        caller: Caller,
        *,
        erase: bool = False,
        by: Trust = "operator",
        version: str | None = None,
    ) -> Lesson:
        """Retire a lesson, so that it is never given again; `erase` also deletes its words.

        What a rule superseded holds again. An operator's word is forgotten `by` an operator only.
        """

        async def retire(change: Change) -> Lesson:
            lesson = await self.lessons.to_change(change, name, caller)
            if lesson.trust == "operator" and by != "operator":
                raise NotAllowed(
                    f"{lesson.kind} {lesson.id} was told by the operator, who alone may forget it: "
                    f"`seasoned lessons forget {lesson.id}`"
                )
            await self.lessons.expect(change, lesson, version)
            if lesson.kind in RULES and lesson.status != "retired":
                await self.rules.reinstate(change, lesson)
                await self.lessons.move_examples(change, lesson.id, "retired")
            if erase:
                await self.lessons.erase(change, lesson, "erased")
                if lesson.fix is not None:
                    await self.errors.erase_unseen(change, lesson.fix.error_id)
            elif lesson.status != "retired":
                await self.lessons.move(change, lesson, "retired", "forgotten")
            return await self.lessons.get(change, lesson.id, caller)

        await self.rules.prepare()
        return await self.unit.change(retire)


def _draft(teaching: Teaching) -> RuleDraft:
    return RuleDraft("preference", teaching.content, teaching.trigger)
