"""Takes what a person says outright: it applies at once, and beats whatever was inferred."""

from dataclasses import dataclass

from seasoned.core.bus import Bus
from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput
from seasoned.core.scope import Scope
from seasoned.core.text import storable
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.confidence import PRIORS
from seasoned.learning.error_store import ErrorStore
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Draft, Evidence, FixDetail, Kind, Lesson, Source
from seasoned.learning.lessons import LessonStore
from seasoned.learning.rules import RULES, Rules, Saying
from seasoned.rules.rule import RuleDraft
from seasoned.security.audit import AuditStore
from seasoned.security.redact import redact

LONGEST = 4000
TEACHERS: frozenset[Source] = frozenset({"operator", "user"})


@dataclass(frozen=True, slots=True)
class Teaching:
    """Something told: when it matters (`trigger`) and what to do or know then."""

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
    """Checks what was told; exactly one of fix, rule, fact and preference says what it is."""
    told: dict[Kind, str | None] = {
        "fix": fix,
        "rule": rule,
        "fact": fact,
        "preference": preference,
    }
    given: list[tuple[Kind, str]] = [
        (kind, text.strip()) for kind, text in told.items() if text is not None
    ]
    if len(given) != 1:
        raise BadInput("teach takes exactly one of fix=, rule=, fact= and preference=")
    kind, content = given[0]
    if not content:
        raise BadInput(f"the {kind} to be taught is empty; say what to do or know")
    if kind == "fix" and not trigger.strip():
        raise BadInput("a fix needs the error it is for, as the trigger")
    if len(content) > LONGEST:
        raise BadInput(
            f"the {kind} has {len(content)} characters, at most {LONGEST} are taken; "
            "a lesson enters the prompt: say it shorter"
        )
    if source not in TEACHERS:
        raise BadInput(f"only an operator or a user can teach, not {source!r}")
    when = redact(storable(trigger.strip()))
    if len(when) > LONGEST:
        raise BadInput(
            f"the trigger has {len(when)} characters, at most {LONGEST} are taken; "
            "give the line of the error that tells"
        )
    return Teaching(kind, when, redact(storable(content)), tool or "", source)


class Teacher:
    def __init__(
        self,
        db: Database,
        lessons: LessonStore,
        errors: ErrorStore,
        rules: Rules,
        audit: AuditStore,
        bus: Bus,
        clock: Clock,
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.errors = errors
        self.rules = rules
        self.audit = audit
        self.bus = bus
        self.clock = clock

    async def teach(self, told: Teaching, scope: Scope) -> Lesson:
        """Stores it, or adds evidence when the same was told before."""
        now = self.clock.now()

        async def taught(tx: Connection) -> tuple[Journal, Lesson]:
            journal = Journal(now)
            lesson = await self._taught(tx, told, scope, now, journal)
            await self.audit.add(tx, now, journal.entries)
            return journal, lesson

        if told.kind in RULES:
            await self.rules.ready(_drafted(told))
        journal, lesson = await transact(self.db, taught)
        journal.publish(self.bus)
        return lesson

    async def _taught(
        self, tx: Connection, told: Teaching, scope: Scope, now: int, journal: Journal
    ) -> Lesson:
        if told.kind in RULES:
            return await self._ruled(tx, told, scope, journal)
        fix = None
        if told.kind == "fix":
            error = await self.errors.see(tx, scope, told.tool, told.trigger, now, times=0)
            fix = FixDetail(told.tool, error.id)
        prior = PRIORS[told.source]
        said = Evidence(
            now, f"told by the {told.source}", prior.worked, prior.failed, scope.session, ""
        )
        lesson, is_new = await self.lessons.add(
            tx,
            Draft(
                kind=told.kind,
                status="active",
                scope=scope,
                trigger=told.trigger,
                content=told.content,
                belief=prior,
                source=told.source,
                identity=f"{told.tool}\n{told.content}",
                fix=fix,
                evidence=(said,),
            ),
            now,
        )
        if is_new:
            journal.learned(lesson)
        else:
            lesson = await self._told_again(tx, lesson, scope, now, journal)
        if fix is not None:
            await self._supersede(tx, lesson, fix.error_id, now, journal)
        return lesson

    async def _ruled(
        self, tx: Connection, told: Teaching, scope: Scope, journal: Journal
    ) -> Lesson:
        """A rule is compared with those there are: it may contradict one of them."""
        said = Saying(
            source=told.source,
            kind=told.kind,
            session=scope.session,
            reason=f"told by the {told.source}",
            verbatim=True,
            typed=False,
        )
        return (await self.rules.save(tx, _drafted(told), scope, said, journal)).rule

    async def _told_again(
        self, tx: Connection, lesson: Lesson, scope: Scope, now: int, journal: Journal
    ) -> Lesson:
        again = Evidence(now, "told again", 1, 0, scope.session)
        changed = await self.lessons.believe(tx, lesson, again, "active", now)
        if lesson.superseded_by is not None:
            changed = await self.lessons.supersede(tx, changed, None, now)
        journal.changed(lesson, changed, again.reason)
        return changed

    async def _supersede(
        self, tx: Connection, lesson: Lesson, error_id: str, now: int, journal: Journal
    ) -> None:
        """The later statement wins over an earlier one about the same error, which is kept."""
        for other in await self.lessons.fixes_of(tx, (error_id,)):
            told = other.explicit and other.status == "active" and other.id != lesson.id
            if told and other.scope == lesson.scope and other.trigger == lesson.trigger:
                changed = await self.lessons.supersede(tx, other, lesson.id, now)
                journal.changed(other, changed, f"superseded by {lesson.id}")

    async def forget(self, name: str, scope: Scope, *, erase: bool = False) -> Lesson:
        """Retires a lesson, so that it is never given again; `erase` takes its words away too."""
        now = self.clock.now()

        async def forgotten(tx: Connection) -> tuple[Journal, Lesson]:
            journal = Journal(now)
            lesson = await self.lessons.get(tx, name, scope)
            if erase:
                await self.lessons.erase(tx, lesson, now)
                if lesson.fix is not None:
                    await self.errors.erase_unseen(tx, lesson.fix.error_id)
                journal.forgotten(lesson, "erased")
            elif lesson.status != "retired":
                changed = await self.lessons.move(tx, lesson, "retired", now)
                journal.changed(lesson, changed, "forgotten")
            await self.audit.add(tx, now, journal.entries)
            return journal, await self.lessons.get(tx, lesson.id, scope)

        journal, lesson = await transact(self.db, forgotten)
        journal.publish(self.bus)
        return lesson


def _drafted(told: Teaching) -> RuleDraft:
    return RuleDraft("preference", told.content, told.trigger)
