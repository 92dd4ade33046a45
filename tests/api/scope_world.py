"""A database in which many scopes have one of each thing, to try who may do what with them."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from seasoned import Seasoned
from seasoned.bandit.experience import Experience
from seasoned.core.authority import Caller
from seasoned.core.scope import Scope
from seasoned.corrections import Correction, CorrectionKind
from seasoned.db.unit import Change
from seasoned.feedback.feedback import Feedback
from seasoned.graph.triple import Triple
from seasoned.lessons.lesson import Belief, Draft, ExampleDetail, FixDetail, RuleDetail
from seasoned.memory.inquiries import InquiryStore
from seasoned.memory.memory_store import MemoryStore
from seasoned.memory.observation import ObservationDraft
from seasoned.rules.exchanges import Exchange
from seasoned.rules.turns import case_of
from seasoned.sessions.recorder import user_message
from seasoned.sessions.session_store import SessionStore
from seasoned.skills.skill import Skill
from seasoned.skills.skill_store import SkillDraft, SkillStore

SCOPES: Mapping[str, Scope] = {
    "everybody": Scope(),
    "acme": Scope("acme"),
    "web": Scope("acme", "web"),
    "ana": Scope("acme", "web", "ana"),
    "bob": Scope("acme", "web", "bob"),
    "anaeverywhere": Scope("acme", "", "ana"),
    "anainapi": Scope("acme", "api", "ana"),
    "api": Scope("acme", "api"),
    "evil": Scope("evil"),
    "evilana": Scope("evil", "web", "ana"),
    "notenant": Scope("", "web", "ana"),
    "anasession": Scope("acme", "web", "ana", "monday"),
    "bobsession": Scope("acme", "web", "bob", "monday"),
}
LATER = 2**61  # when the pending corrections are due: not while a test runs
TABLES = {
    "lessons": "id, status, tenant, project, user_id, session, trigger, content, worked, failed, "
    "source, superseded_by",
    "lesson_rules": "lesson_id, rule_type, poison, guard, source_exchange",
    "lesson_examples": "lesson_id, polarity, request, reply",
    "rule_conflicts": "id, winner_id, resolved_at, resolution",
    "evidence": "lesson_id, reason, worked, failed, quote",
    "audit": "seq, kind, subject",
    "corrections": "id, outcome, message, body",
    "queue_items": "queue, id, body, due_at",
    "skills": "id, status, body, version",
    "documents": "id, name, digest",
    "sessions": "key, ended_at, end_reason, last_seq",
    "session_messages": "session_key, seq, text",
    "observations": "id, text",
    "inquiries": "id, status, answer",
    "feedback": "id, score, lesson_id",
    "experiences": "id, reward, priority, body",
    # Without what is drawn into it from lessons, in the background:
    "triples WHERE predicate = 'relatedTo'": "tenant, project, subject, object, weight",
    "api_keys": "id, name, expires_at, revoked_at",
    "exchanges": "tenant, project, user_id, session, reply",
    "job_schedules": "id, name, paused, next_at",
    "jobs": "id, name, status, cancelling, schedule",
}


@dataclass(frozen=True, slots=True)
class Thing:
    """Something of one owner; its texts contain `mark`, a word that stands nowhere else."""

    id: str
    owner: Scope
    mark: str


Maker = Callable[[Seasoned, Scope, str], Awaitable[str]]


def mark_of(kind: str, place: str, owner: str) -> str:
    """Return a word that belongs to one thing; the words of two things have nothing in common."""
    digest = hashlib.sha256(f"{kind}/{place}/{owner}".encode()).hexdigest()
    return "zq" + "".join(chr(ord("a") + int(sign, 16)) for sign in digest[:10])


async def add_lesson(s: Seasoned, draft: Draft) -> str:
    async def add(change: Change) -> str:
        return (await s.inner.app.lessons.add(change, draft))[0].id

    return await s.inner.app.unit.change(add)


def _draft(scope: Scope, mark: str) -> Draft:
    return Draft("rule", "active", scope, "", f"{mark}a {mark}", Belief(9, 1), "operator")


async def rule(s: Seasoned, scope: Scope, mark: str) -> str:
    return await add_lesson(s, replace(_draft(scope, mark), rule=RuleDetail("preference")))


async def candidate(s: Seasoned, scope: Scope, mark: str) -> str:
    draft = replace(_draft(scope, mark), status="candidate", source="user", belief=Belief(1, 1))
    return await add_lesson(s, replace(draft, rule=RuleDetail("preference")))


async def suspended(s: Seasoned, scope: Scope, mark: str) -> str:
    name = await rule(s, scope, mark)

    async def move(change: Change) -> None:
        lesson = await s.inner.app.lessons.find(change, name)
        assert lesson is not None
        await s.inner.app.lessons.move(change, lesson, "suspended", None)

    await s.inner.app.unit.change(move)
    return name


async def fix(s: Seasoned, scope: Scope, mark: str) -> str:
    async def add(change: Change) -> str:
        error = await s.inner.app.errors.see(change, scope, "sync", mark, change.at, times=0)
        draft = replace(_draft(scope, mark), kind="fix", trigger=mark, source="episode")
        made = replace(draft, fix=FixDetail("sync", error.id))
        return (await s.inner.app.lessons.add(change, made))[0].id

    return await s.inner.app.unit.change(add)


async def error(s: Seasoned, scope: Scope, mark: str) -> str:
    async def add(change: Change) -> str:
        return (await s.inner.app.errors.see(change, scope, "sync", mark, change.at)).id

    return await s.inner.app.unit.change(add)


async def example(s: Seasoned, scope: Scope, mark: str) -> str:
    shown = ExampleDetail("positive", mark, f"{mark}a")
    return await add_lesson(
        s, replace(_draft(scope, mark), kind="example", trigger=mark, example=shown)
    )


async def conflict(s: Seasoned, scope: Scope, mark: str) -> str:
    earlier, later = await rule(s, scope, f"{mark}x"), await rule(s, scope, mark)

    async def add(change: Change) -> str:
        found = await s.inner.app.conflicts.add(change, earlier, later, later, mark, change.at)
        return found.id

    return await s.inner.app.unit.change(add)


async def skill(s: Seasoned, scope: Scope, mark: str) -> str:
    draft = SkillDraft(Skill(mark, f"How {mark} works.", mark), "proposed", "operator")

    async def add(change: Change) -> str:
        return (await SkillStore().add(change, draft, scope, change.at))[0].id

    return await s.inner.app.unit.change(add)


async def document(s: Seasoned, scope: Scope, mark: str) -> str:
    library = s.inner.app.library
    await library.add_text(mark, f"{mark}a {mark}", scope)
    async with s.inner.app.db.read() as tx:
        found = await library.documents.find(tx, scope, mark)
    assert found is not None
    return found.id


async def session(s: Seasoned, scope: Scope, mark: str) -> str:
    """A session with a finished turn, an observation and a question, all under one mark."""
    store = SessionStore()

    async def add(change: Change) -> None:
        turn = await s.inner.app.recorder.begin(
            change, scope.within(mark), user_message(mark), change.at
        )
        made = await store.find(change, scope.within(mark))
        assert made is not None
        await store.end_turn(change, made.key, turn, "done", change.at)

    await s.inner.app.unit.change(add)
    s.inner.app.recorder._open.clear()  # pyright: ignore[reportPrivateUsage]
    return mark


async def memory(s: Seasoned, scope: Scope, mark: str) -> str:
    await session(s, scope, mark)

    async def add(change: Change) -> str:
        made = await SessionStore().find(change, scope.within(mark))
        assert made is not None
        seen = ObservationDraft("fact", mark, 1, 1)
        return (await MemoryStore().add(change, made.key, [seen], "test", change.at))[0].id

    return await s.inner.app.unit.change(add)


async def inquiry(s: Seasoned, scope: Scope, mark: str) -> str:
    await session(s, scope, mark)

    async def add(change: Change) -> str:
        made = await SessionStore().find(change, scope.within(mark))
        assert made is not None
        return (await InquiryStore().add(change, made, f"{mark}?", mark, change.at)).id

    return await s.inner.app.unit.change(add)


async def pending(s: Seasoned, scope: Scope, mark: str) -> str:
    """A correction in the queue that is not due yet, and failed before."""
    found = Correction(CorrectionKind.INSTRUCTION, 1.0, (0, len(mark)))
    case = case_of(mark, found, scope.within(mark), Exchange(mark, mark), 5)
    await s.inner.app.pending.queue.push(case.id, case.to_json(), LATER)
    return case.id


async def feedback(s: Seasoned, scope: Scope, mark: str) -> str:
    given = Feedback(mark, "neutral", comment=mark)
    await s.inner.app.feedbacks.record([given], scope)
    return mark


async def experience(s: Seasoned, scope: Scope, mark: str) -> str:
    await s.inner.app.experiences.add([Experience(mark, action={"arm": mark})], scope)
    return mark


async def triple(s: Seasoned, scope: Scope, mark: str) -> str:
    async def add(change: Change) -> None:
        await s.inner.app.lessons.graph.add(
            change, scope, [Triple(mark, "relatedTo", f"{mark}a")], change.at
        )

    await s.inner.app.unit.change(add)
    return mark


async def key(s: Seasoned, scope: Scope, mark: str) -> str:
    return (await s.inner.app.keys.create(mark, "read", scope, Caller(scope))).key.id


async def schedule(s: Seasoned, scope: Scope, mark: str) -> str:
    jobs = s.inner.app.jobs
    plan = jobs.work(mark, mark, scope)
    return (await jobs.schedule(plan, jobs.rule(every="1h"), caller=Caller(scope))).id


async def paused(s: Seasoned, scope: Scope, mark: str) -> str:
    name = await schedule(s, scope, mark)
    return (await s.inner.app.jobs.pause(name, Caller(scope), paused=True)).id


async def job(s: Seasoned, scope: Scope, mark: str) -> str:
    return (await s.inner.app.jobs.start(mark, Caller(scope))).id


async def cancelled(s: Seasoned, scope: Scope, mark: str) -> str:
    return (await s.inner.app.jobs.cancel(await job(s, scope, mark), Caller(scope))).id


async def run(s: Seasoned, scope: Scope, mark: str) -> str:
    name = await schedule(s, scope, mark)
    return (await s.inner.app.jobs.run_now(name, Caller(scope))).id


MAKERS: Mapping[str, Maker] = {
    one.__name__: one
    for one in (
        *(rule, candidate, suspended, fix, error, example, conflict, skill, document, session),
        *(memory, inquiry, pending, feedback, experience, triple, key),
        *(schedule, paused, job, cancelled, run),
    )
}
WITH_SESSION = frozenset({"rule", "candidate", "suspended", "example", "conflict"})
SHARED_BY_USERS = frozenset({"triple", "error"})  # they belong to a project, whoever added them


def owners_of(kind: str) -> Mapping[str, Scope]:
    """Return the scopes that can own such a thing."""
    found = {name: one for name, one in SCOPES.items() if kind in WITH_SESSION or not one.session}
    return {n: one for n, one in found.items() if kind not in SHARED_BY_USERS or not one.user}


def populate(s: Seasoned, kinds: Mapping[str, str]) -> Mapping[str, Mapping[str, Thing]]:
    """Make a thing of its kind for each place, of every owner; return them by place and owner."""

    async def made() -> Mapping[str, Mapping[str, Thing]]:
        return {
            place: {
                name: Thing(
                    await MAKERS[kind](s, owner, mark_of(kind, place, name)),
                    owner,
                    mark_of(kind, place, name),
                )
                for name, owner in owners_of(kind).items()
            }
            for place, kind in kinds.items()
        }

    return s.inner.app.unit.drive(made())


def dump(s: Seasoned) -> Mapping[str, list[str]]:
    """Return everything that a person can change, to see that nothing was."""

    async def read() -> Mapping[str, list[str]]:
        async with s.inner.app.db.read() as tx:
            return {
                table: sorted(map(repr, await tx.fetch(f"SELECT {columns} FROM {table}")))
                for table, columns in TABLES.items()
            }

    return s.inner.app.unit.drive(read())
