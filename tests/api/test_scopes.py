"""Who may do what: every method of the API, tried by every kind of caller on everybody's things.

`ENTRIES` says of each public method what it does to things of others; a method without an entry
fails `test_every_public_method_is_walked`. The table that decides is `seasoned.core.authority`.
"""

import asyncio
import contextlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from tests.api.scope_world import SCOPES, Thing, dump, mark_of, populate

from seasoned import AsyncSeasoned, Scope, Seasoned
from seasoned.api.agent import AgentFace, AsyncAgentFace
from seasoned.api.conversation import AsyncConversation, Conversation
from seasoned.api.face import LazyFace
from seasoned.core.authority import MAY, Act, Caller
from seasoned.core.clock import FixedClock
from seasoned.core.errors import BadInput, NotAllowed, NotFound
from seasoned.core.ids import new_id
from seasoned.rules.case import REACHES, reach_of
from seasoned.skills.skill import Skill
from seasoned.tools.approval_store import Approvals
from seasoned.tools.run import ApprovalDecision, ApprovalRequest

pytestmark = pytest.mark.sqlite_only

Opened = Callable[..., Seasoned]
Things = Mapping[str, Mapping[str, Thing]]
CALLERS = ("everybody", "acme", "web", "ana", "anaeverywhere", "evilana", "notenant")
ANY: Any = None


@dataclass(frozen=True, slots=True)
class ById:
    """Names one thing: refused with NotAllowed if it is seen but may not be, else not found."""

    act: Act
    kind: str
    call: Callable[[Seasoned, str], object]
    sees: Act = "see"


@dataclass(frozen=True, slots=True)
class Listing:
    """Shows what the caller may see (or read), and changes nothing; `own` must be among it."""

    act: Act
    kinds: tuple[str, ...]
    call: Callable[[Seasoned, str], object]
    own: bool = True


@dataclass(frozen=True, slots=True)
class InScope:
    """Takes a scope: the caller must be allowed to do the act there."""

    act: Act
    call: Callable[[Seasoned, Scope], object]


@dataclass(frozen=True, slots=True)
class Reaching:
    """Takes a reach, which the caller must act in."""

    call: Callable[[Seasoned, str], object]


@dataclass(frozen=True, slots=True)
class OnGraph:
    """Changes the graph, which all users of a project share."""

    call: Callable[[Seasoned], object]


@dataclass(frozen=True, slots=True)
class Own:
    """Writes into the caller's own scope; nothing of others changes."""

    call: Callable[[Seasoned], object]


@dataclass(frozen=True, slots=True)
class Harmless:
    """Touches nothing of anybody, or calls another method of this table."""

    why: str


Entry = ById | Listing | InScope | Reaching | OnGraph | Own | Harmless
PRIVATE: Mapping[str, Any] = {"sees": "read"}  # things that only their owners see


def learned(s: Seasoned) -> object:
    return s.learn([Path(__file__).parent / "missing"])


def off_and_on(s: Seasoned, name: str) -> object:
    return s.bulk.resume([one.id for one in s.bulk.suspend([name]).lessons])


def with_file(call: Callable[[Path], object]) -> object:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.json"
        path.write_text('{"triples": []}')
        return call(path)


def skilled(s: Seasoned) -> object:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "SKILL.md").write_text("---\nname: walk\ndescription: Walk.\n---\nGo.\n")
        return s.skills.load(folder)


LESSONS = ("rule", "suspended", "example", "fix")
ENTRIES: Mapping[str, Entry] = {
    "open": Harmless("connects"),
    "acting_for": Harmless("equals opening Seasoned for that caller"),
    "close": Harmless("disconnects"),
    "make_face": Harmless("builds a face"),
    "caller": Harmless("tells who calls"),
    "session": Harmless("names the session of later calls"),
    "named_session": Harmless("tells the session of later calls"),
    "tool": Harmless("calls observe"),
    "provide": Harmless("adds a source to this process"),
    "on": Harmless("adds a listener to this process"),
    "agent": Harmless("builds an agent, which has entries of its own"),
    "adapt": Harmless("is adaptation.adapt"),
    "reward": Harmless("is adaptation.reward"),
    "stats": Harmless("is adaptation.stats"),
    "evaluate": Harmless("is adaptation.evaluate"),
    "export": Harmless("is feedback.export"),
    "distill": Harmless("needs a model; returns lessons that the caller sees"),
    "verify_audit": Harmless("counts"),
    "observe": Own(lambda s: s.observe("sync", {"n": 1}, error="no lane", session="monday")),
    "on_tool_result": Own(lambda s: s.on_tool_result("monday", "sync", {}, "ok", None)),
    "teach": InScope("teach", lambda s, scope: s.teach(fact="zqtaught", scope=scope)),
    "recall": Listing(
        "see", ("rule",), lambda s, mark: s.recall(mark, session="monday"), own=False
    ),
    "tool_notes": Listing("see", ("fix",), lambda s, mark: s.tool_notes("sync"), own=False),
    "turn": Reaching(lambda s, reach: s.turn("hello", "hi", session="tuesday", reach=reach)),
    "replied": Reaching(lambda s, reach: s.replied("a", "b", session="tuesday", reach=reach)),
    "correct": Reaching(lambda s, reach: s.correct("use zqone", session="tuesday", reach=reach)),
    "conversation": Reaching(lambda s, reach: s.conversation("tuesday", reach=reach)),
    "end": Own(lambda s: s.end(session="monday")),
    "search": Listing("see", LESSONS, lambda s, mark: s.search(mark), own=False),
    "learn": Own(learned),
    "known_scopes": Listing("see", (), lambda s, mark: s.known_scopes()),
    "lessons": InScope("see", lambda s, scope: s.lessons(scope=scope)),
    "lesson": ById("see", "rule", lambda s, name: s.lesson(name)),
    "lessons_by_id": Listing("see", LESSONS, ANY),
    "history": ById("see", "fix", lambda s, name: s.history(name)),
    "errors": InScope("see", lambda s, scope: s.errors(scope=scope)),
    "error": ById("see", "error", lambda s, name: s.error(name)),
    "tools": Listing("see", (), lambda s, mark: s.tools()),
    "forget": ById("change", "fix", lambda s, name: s.forget(name, erase=True)),
    "why": ById("see", "fix", lambda s, name: s.why(name)),
    "status": Listing("see", (), lambda s, mark: s.status()),
    "progress": Harmless("counts; tests/proof/test_progress.py"),
    "rules.list": Listing("see", ("rule",), lambda s, mark: s.rules.list(limit=10**6)),
    "rules.get": ById("see", "rule", lambda s, name: s.rules.get(name)),
    "rules.story": ById("see", "rule", lambda s, name: s.rules.story(name)),
    "rules.add": Reaching(lambda s, reach: s.rules.add("zqadded", reach=reach, session="monday")),
    "rules.edit": ById(
        "change", "rule", lambda s, name: s.rules.edit(name, description="zqedited", guard="never")
    ),
    "rules.share": Harmless("has a test of its own: it acts on two scopes"),
    "rules.activate": ById("change", "suspended", lambda s, name: s.rules.activate(name)),
    "rules.deactivate": ById("change", "rule", lambda s, name: s.rules.deactivate(name)),
    "rules.delete": ById("change", "rule", lambda s, name: s.rules.delete(name)),
    "rules.search": Listing("see", ("rule",), lambda s, mark: s.rules.search(mark), own=False),
    "rules.conflicts": Listing(
        "see", ("conflict",), lambda s, mark: s.rules.conflicts(limit=10**6)
    ),
    "rules.resolve": ById("change", "conflict", lambda s, name: s.rules.resolve(name, "earlier")),
    "rules.check": Listing("see", (), lambda s, mark: s.rules.check(f"say {mark}")),
    "review.list": Listing("see", ("candidate",), lambda s, mark: s.review.list(), own=False),
    "review.get": ById("see", "candidate", lambda s, name: s.review.get(name)),
    "review.accept": ById("change", "candidate", lambda s, name: s.review.accept(name)),
    "review.edit": ById("change", "candidate", lambda s, name: s.review.edit(name, f"zq{name}")),
    "review.reject": ById("change", "candidate", lambda s, name: s.review.reject(name)),
    "review.undo": Harmless("test_a_decision_of_others_stays"),
    "bulk.forget": ById("change", "candidate", lambda s, name: s.bulk.forget([name])),
    "bulk.suspend": ById("change", "candidate", lambda s, name: s.bulk.suspend([name])),
    "bulk.resume": ById("change", "candidate", off_and_on),
    "bulk.undo": Harmless("test_a_decision_of_others_stays"),
    "examples.add": Own(lambda s: s.examples.add("zqrequest", "zqreply")),
    "examples.list": Listing("see", ("example",), lambda s, mark: s.examples.list(limit=10**6)),
    "examples.get": ById("see", "example", lambda s, name: s.examples.get(name)),
    "examples.search": Listing(
        "see", ("example",), lambda s, mark: s.examples.search(mark), own=False
    ),
    "examples.delete": ById("change", "example", lambda s, name: s.examples.delete(name)),
    "feedback.add": Own(lambda s: s.feedback.add("positive", session="monday")),
    "feedback.record": Own(lambda s: s.feedback.record([])),
    "feedback.list": Listing("read", ("feedback",), lambda s, mark: s.feedback.list(limit=10**6)),
    "feedback.stats": Listing("see", (), lambda s, mark: s.feedback.stats()),
    "feedback.export": Listing(
        "read",
        ("feedback",),
        lambda s, mark: with_file(
            lambda path: (
                s.feedback.export("reward", path.with_suffix(".jsonl"), samples=True),
                path.with_suffix(".jsonl").read_text(),
            )
        ),
        own=False,
    ),
    "corrections.pending": Listing(
        "read", ("pending",), lambda s, mark: s.corrections.pending(limit=10**6)
    ),
    "corrections.status": Harmless("figures of the queue, which serves everybody"),
    "corrections.history": Listing("see", (), lambda s, mark: s.corrections.history()),
    "corrections.get": ById("read", "pending", lambda s, name: s.corrections.get(name), **PRIVATE),
    "corrections.learn": Own(lambda s: s.corrections.learn()),
    "corrections.retry": ById(
        "change", "pending", lambda s, name: s.corrections.retry(name), **PRIVATE
    ),
    "corrections.clear": ById(
        "change", "pending", lambda s, name: s.corrections.clear(name), **PRIVATE
    ),
    "experiences.add": Own(lambda s: s.experiences.add([])),
    "experiences.sample": Listing(
        "read", ("experience",), lambda s, mark: s.experiences.sample(64, seed=1)
    ),
    "experiences.prioritise": Own(
        lambda s: s.experiences.prioritise(
            {mark_of("experience", "experience", name): 3.0 for name in SCOPES}
        )
    ),
    "experiences.list": Listing("read", ("experience",), lambda s, mark: s.experiences.list()),
    "experiences.count": Harmless("counts; test_experiences_are_counted_for_their_user"),
    "adaptation.adapt": Own(lambda s: s.adapt("zqdecision", arms=["a", "b"])),
    "adaptation.reward": Own(lambda s: s.reward("zqdecision", "a", 1.0)),
    "adaptation.stats": Listing("see", (), lambda s, mark: s.stats()),
    "adaptation.standings": Listing("see", (), lambda s, mark: s.adaptation.standings()),
    "adaptation.daily": Listing("see", (), lambda s, mark: s.adaptation.daily()),
    "adaptation.evaluate": Own(lambda s: s.evaluate("ucb1", name="zqdecision")),
    "knowledge.add": Own(lambda s: with_file(s.knowledge.add)),
    "knowledge.add_text": Own(lambda s: s.knowledge.add_text("zqtext", "zqtext")),
    "knowledge.add_passages": Own(lambda s: s.knowledge.add_passages("zqpassages", ["zqone"])),
    "knowledge.list": Listing("see", ("document",), lambda s, mark: s.knowledge.list()),
    "knowledge.get": ById("see", "document", lambda s, name: s.knowledge.get(name)),
    "knowledge.search": Listing(
        "see", ("document",), lambda s, mark: s.knowledge.search(mark), own=False
    ),
    "knowledge.update": Own(lambda s: s.knowledge.update(prune=True)),
    "knowledge.remove": ById("change", "document", lambda s, name: s.knowledge.remove(name)),
    "sessions.list": Listing("read", ("session",), lambda s, mark: s.sessions.list(limit=10**6)),
    "sessions.get": ById("read", "session", lambda s, name: s.sessions.get(name), **PRIVATE),
    "sessions.messages": ById(
        "read", "session", lambda s, name: s.sessions.messages(name), **PRIVATE
    ),
    "sessions.turns": ById("read", "session", lambda s, name: s.sessions.turns(name), **PRIVATE),
    "sessions.told": ById("read", "session", lambda s, name: s.sessions.told(name), **PRIVATE),
    "sessions.given": ById("read", "session", lambda s, name: s.sessions.given(name), **PRIVATE),
    "sessions.lessons": ById(
        "read", "session", lambda s, name: s.sessions.lessons(name), **PRIVATE
    ),
    "sessions.end": ById("change", "session", lambda s, name: s.sessions.end(name), **PRIVATE),
    "sessions.delete": ById(
        "change", "session", lambda s, name: s.sessions.delete(name), **PRIVATE
    ),
    "memory.list": Listing("read", ("memory",), lambda s, mark: s.memory.list(limit=10**6)),
    "memory.show": ById("read", "session", lambda s, name: s.memory.show(name), **PRIVATE),
    "memory.observations": ById(
        "read", "session", lambda s, name: s.memory.observations(name), **PRIVATE
    ),
    "memory.reflections": ById(
        "read", "session", lambda s, name: s.memory.reflections(name), **PRIVATE
    ),
    "memory.get": ById("read", "memory", lambda s, name: s.memory.get(name), **PRIVATE),
    "memory.observe": ById("change", "session", lambda s, name: s.memory.observe(name), **PRIVATE),
    "memory.reflect": ById("change", "session", lambda s, name: s.memory.reflect(name), **PRIVATE),
    "memory.clear": ById("change", "session", lambda s, name: s.memory.clear(name), **PRIVATE),
    "jobs.schedule": Own(lambda s: s.jobs.schedule("zqplan", "zqprompt", every="1h")),
    "jobs.schedules": Listing("read", ("schedule",), lambda s, mark: s.jobs.schedules()),
    "jobs.get_schedule": ById(
        "read", "schedule", lambda s, name: s.jobs.get_schedule(name), **PRIVATE
    ),
    "jobs.pause": ById("change", "schedule", lambda s, name: s.jobs.pause(name), **PRIVATE),
    "jobs.resume": ById("change", "paused", lambda s, name: s.jobs.resume(name), **PRIVATE),
    "jobs.run_now": ById("change", "schedule", lambda s, name: s.jobs.run_now(name), **PRIVATE),
    "jobs.unschedule": ById(
        "change", "schedule", lambda s, name: s.jobs.unschedule(name), **PRIVATE
    ),
    "jobs.history": Listing("read", ("run",), lambda s, mark: s.jobs.history(limit=10**6)),
    "jobs.start": Own(lambda s: s.jobs.start("zqprompt")),
    "jobs.start_workflow": Own(lambda s: s.jobs.start_workflow("steps: {a: {agent: zqask}}")),
    "jobs.list": Listing("read", ("job",), lambda s, mark: s.jobs.list(limit=10**6)),
    "jobs.get": ById("read", "job", lambda s, name: s.jobs.get(name), **PRIVATE),
    "jobs.steps": ById("read", "job", lambda s, name: s.jobs.steps(name), **PRIVATE),
    "jobs.cancel": ById("change", "job", lambda s, name: s.jobs.cancel(name), **PRIVATE),
    "jobs.restart": ById("change", "cancelled", lambda s, name: s.jobs.restart(name), **PRIVATE),
    "audit.list": Listing("read", (), lambda s, mark: s.audit.list(limit=10**6)),
    "audit.verify": Harmless("counts"),
    "keys.create": InScope(
        "change", lambda s, scope: s.keys.create(f"key {new_id()}", role="read", scope=scope)
    ),
    "keys.list": Listing("read", ("key",), lambda s, mark: s.keys.list(limit=10**6)),
    "keys.get": ById("read", "key", lambda s, name: s.keys.get(name), **PRIVATE),
    "keys.revoke": ById("change", "key", lambda s, name: s.keys.revoke(name), **PRIVATE),
    "keys.rotate": ById("change", "key", lambda s, name: s.keys.rotate(name), **PRIVATE),
    "librarian.list": Listing("read", ("inquiry",), lambda s, mark: s.librarian.list(limit=10**6)),
    "librarian.get": ById("read", "inquiry", lambda s, name: s.librarian.get(name), **PRIVATE),
    "librarian.answer": ById(
        "change", "inquiry", lambda s, name: s.librarian.answer(name, "zqyes"), **PRIVATE
    ),
    "librarian.dismiss": ById(
        "change", "inquiry", lambda s, name: s.librarian.dismiss(name), **PRIVATE
    ),
    "librarian.ask": Harmless("needs a model; finds sessions as sessions.get does"),
    "skills.add": Own(lambda s: s.skills.add(Skill("walk", "Walk.", "Go."))),
    "skills.load": Own(skilled),
    "skills.get": ById("see", "skill", lambda s, name: s.skills.get(name)),
    "skills.text": ById("see", "skill", lambda s, name: s.skills.text(name)),
    "skills.list": Listing("see", ("skill",), lambda s, mark: s.skills.list()),
    "skills.search": Listing("see", ("skill",), lambda s, mark: s.skills.search(mark), own=False),
    "skills.adopt": ById("change", "skill", lambda s, name: s.skills.adopt(name)),
    "skills.retire": ById("change", "skill", lambda s, name: s.skills.retire(name)),
    "skills.used": ById("see", "skill", lambda s, name: s.skills.used(name, True)),
    "skills.distill": Listing("see", (), lambda s, mark: s.skills.distill()),
    "graph.query": Listing("see", ("triple",), lambda s, mark: s.graph.query(limit=10**6)),
    "graph.neighbours": ById("see", "triple", lambda s, name: s.graph.neighbours(name)),
    "graph.path": ById("see", "triple", lambda s, name: s.graph.path(name, f"{name}a")),
    "graph.stats": Listing("see", (), lambda s, mark: s.graph.stats()),
    "graph.labels": Listing("see", ("triple",), lambda s, mark: s.graph.labels([mark]), own=False),
    "graph.add": OnGraph(lambda s: s.graph.add(("zqa", "relatedTo", "zqb"))),
    "graph.remove": OnGraph(lambda s: s.graph.remove(subject="zqa")),
    "graph.clear": OnGraph(lambda s: s.graph.clear()),
    "graph.redraw": OnGraph(lambda s: s.graph.redraw()),
    "graph.text": Listing("see", ("triple",), lambda s, mark: s.graph.text()),
    "graph.export_file": Listing(
        "see",
        ("triple",),
        lambda s, mark: with_file(lambda path: (s.graph.export_file(path), path.read_text())),
    ),
    "graph.import_file": OnGraph(lambda s: with_file(s.graph.import_file)),
    "conversation.user": Harmless("calls turn and recall"),
    "conversation.tool": Harmless("calls observe"),
    "conversation.assistant": Harmless("calls replied"),
    "conversation.edited": Harmless("calls replied"),
    "conversation.interrupted": Harmless("calls replied"),
    "conversation.denied": Harmless("calls replied"),
    "conversation.end": Harmless("calls end"),
    "agent.turn": Harmless("a turn in the caller's own session"),
    "agent.resume": Harmless("a turn in the caller's own session"),
    "agent.ask": Harmless("a turn in the caller's own session"),
    "agent.due": Harmless("runs the caller's own schedules"),
    "agent.end": Harmless("ends the caller's own session"),
    "agent.window": Harmless("a window on the caller's own session"),
    "agent.approvals": Harmless("test_approvals_are_their_users"),
    "agent.withdraw": Harmless("test_approvals_are_their_users"),
}
# Where the walk of a method would spoil the things of another, it has things of its own.
PLACES = {
    **{entry.kind: entry.kind for entry in ENTRIES.values() if isinstance(entry, ById)},
    **{
        kind: kind
        for entry in ENTRIES.values()
        if isinstance(entry, Listing)
        for kind in entry.kinds
    },
    **{
        name: entry.kind
        for name, entry in ENTRIES.items()
        if isinstance(entry, ById) and entry.act == "change"
    },
}
ONLY_ASYNC = {"open", "caller", "acting_for", "named_session"}
GRAPH_NODES = frozenset({"graph.neighbours", "graph.path"})  # nodes of others have no way to them


def public(kind: type[Any]) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


def test_every_public_method_is_walked(opened: Opened) -> None:
    s = opened(":memory:")
    faces: dict[str, type[Any]] = {
        name: type(getattr(s.inner, name))
        for name, one in vars(AsyncSeasoned).items()
        if isinstance(one, LazyFace)
    }
    there = public(AsyncSeasoned) - faces.keys()
    there |= {f"{name}.{method}" for name, face in faces.items() for method in public(face)}
    there |= {f"conversation.{method}" for method in public(AsyncConversation)}
    there |= {f"agent.{method}" for method in public(AsyncAgentFace)}
    assert there == set(ENTRIES)
    # The synchronous twins have no methods of their own.
    assert public(Seasoned) == public(AsyncSeasoned) - ONLY_ASYNC
    for name, face in faces.items():
        assert public(cast("type[Any]", type(getattr(s, name)))) == public(face), name
    assert public(Conversation) - {"session", "noticed"} == public(AsyncConversation)
    of_its_own = {"events", "resumed", "is_due", "attended", "close"}
    assert public(AgentFace) - of_its_own == public(AsyncAgentFace) - {"turn", "resume", "window"}


@pytest.fixture(scope="module")
def world(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Things]:
    """A database with a thing of each kind for every scope; tests work on copies."""
    path = tmp_path_factory.mktemp("world") / "seasoned.db"
    shutil.copyfile(sqlite_template, path)
    with Seasoned(path, clock=FixedClock()) as s:
        return path, populate(s, PLACES)


@pytest.mark.parametrize("who", CALLERS)
def test_nobody_sees_or_changes_what_is_not_theirs(
    who: str, world: tuple[Path, Things], opened: Opened, tmp_path: Path
) -> None:
    path, things = world
    shutil.copyfile(path, tmp_path / "seasoned.db")
    walk(opened, str(tmp_path / "seasoned.db"), who, things, ENTRIES)


@pytest.mark.both_dialects
def test_the_stores_refuse_alike_on_both_databases(database_url: str, opened: Opened) -> None:
    by_id = {name: entry for name, entry in ENTRIES.items() if isinstance(entry, ById)}
    with Seasoned(database_url, clock=FixedClock()) as s:
        things = populate(s, PLACES)
    walk(opened, database_url, "ana", things, by_id)


def walk(opened: Opened, url: str, who: str, things: Things, entries: Mapping[str, Entry]) -> None:
    tenant, project, user, _ = SCOPES[who].fields()
    settings = {
        "SEASONED_GRAPH__ENABLED": "true",
        # What is compared before and after must not be changed by a learner meanwhile.
        "SEASONED_BEHAVIORAL__DELAY_SECONDS": "600",
    }
    s = opened(
        url, tenant=tenant, project=project, user=user, clock=FixedClock(), environment=settings
    )
    caller = Caller(SCOPES[who])
    for name, entry in entries.items():
        match entry:
            case ById():
                refused(s, caller, name, entry, things)
            case Listing():
                listed(s, caller, name, entry, things)
            case InScope():
                for scope in SCOPES.values():
                    tried(s, name, scope, entry.call, allowed=caller.may(entry.act, scope))
            case Reaching():
                reached(s, caller, name, entry)
            case OnGraph() | Own() | Harmless():
                pass
    wrote_own(s, caller, things, [one for one in entries.values() if isinstance(one, Own)])
    # Changes that are allowed come last, because they do change things.
    for name, entry in entries.items():
        if isinstance(entry, ById):
            allowed(s, caller, name, entry, things)
        elif isinstance(entry, OnGraph):
            on_graph(s, caller, name, entry)


def place_of(name: str, entry: ById) -> str:
    return name if entry.act == "change" else entry.kind


def refused(s: Seasoned, caller: Caller, name: str, entry: ById, things: Things) -> None:
    before = dump(s)
    for owner, thing in things[place_of(name, entry)].items():
        if caller.may(entry.act, thing.owner):
            continue
        error = NotAllowed if caller.may(entry.sees, thing.owner) else NotFound
        with pytest.raises(error) as told:
            entry.call(s, thing.id)
        assert told.type is error, (name, owner)
        unknown = "aaaaaaaaaaaa"
        if error is NotFound:  # in the same words as for what does not exist
            with pytest.raises(NotFound) as other:
                entry.call(s, unknown)
            assert str(told.value).replace(thing.id, unknown) == str(other.value), name
    assert dump(s) == before, name


def allowed(s: Seasoned, caller: Caller, name: str, entry: ById, things: Things) -> None:
    for owner, thing in things[place_of(name, entry)].items():
        if not caller.may(entry.act, thing.owner) or not in_its_graph(name, caller, thing):
            continue
        before = dump(s) if entry.act == "change" else None
        try:
            entry.call(s, thing.id)
        except (NotFound, NotAllowed) as error:
            pytest.fail(f"{name} of {owner}: {error}")
        if before is not None and name not in ("memory.observe", "memory.reflect", "memory.clear"):
            assert dump(s) != before, (name, owner)


def in_its_graph(name: str, caller: Caller, thing: Thing) -> bool:
    """The graph is walked from the caller's own project; that of others has no id to name."""
    return name not in GRAPH_NODES or thing.owner.reaches(caller.scope)


def listed(s: Seasoned, caller: Caller, name: str, entry: Listing, things: Things) -> None:
    hidden = {
        thing.mark
        for place, by_owner in things.items()
        for thing in by_owner.values()
        if not caller.may("read" if PLACES[place] in READ else "see", thing.owner)
    }
    own = [
        thing
        for kind in entry.kinds
        for thing in things[kind].values()
        if thing.owner == caller.scope
    ]
    before = dump(s)
    if name == "lessons_by_id":
        ids = [one.id for kind in entry.kinds for one in things[kind].values()]
        shown = repr(s.lessons_by_id(ids))
    else:
        marks = [one.mark for kind in entry.kinds for one in things[kind].values()] or ["zqnone"]
        asked = marks if not entry.own else marks[:1]
        shown = " ".join(repr(entry.call(s, mark)) for mark in asked)
    found = [mark for mark in hidden if mark in shown]
    assert not found, (name, [told_of(things, mark) for mark in found])
    if entry.own:
        assert all(thing.mark in shown for thing in own), name
    assert dump(s) == before, name


READ = frozenset(
    {"session", "memory", "inquiry", "pending", "feedback", "experience"}
    | {"schedule", "paused", "job", "cancelled", "run"}
)


def told_of(things: Things, mark: str) -> tuple[str, str]:
    return next(
        (place, owner)
        for place, by_owner in things.items()
        for owner, thing in by_owner.items()
        if thing.mark == mark
    )


def tried(
    s: Seasoned, name: str, what: Any, call: Callable[[Seasoned, Any], object], *, allowed: bool
) -> None:
    before = dump(s)
    if allowed:
        call(s, what)
        return
    with pytest.raises(NotAllowed):
        call(s, what)
    assert dump(s) == before, (name, what)


def on_graph(s: Seasoned, caller: Caller, name: str, entry: OnGraph) -> None:
    may = caller.may("change", caller.scope.shared())
    tried(s, name, None, lambda s, _: entry.call(s), allowed=may)


def reached(s: Seasoned, caller: Caller, name: str, entry: Reaching) -> None:
    for reach in REACHES:
        try:
            wanted = reach_of(reach, caller.scope.within("tuesday"))
        except BadInput:  # a caller without a project has no project to reach
            with pytest.raises(BadInput):
                entry.call(s, reach)
            continue
        tried(s, name, reach, entry.call, allowed=caller.may("teach", wanted))


def wrote_own(s: Seasoned, caller: Caller, things: Things, entries: Sequence[Own]) -> None:
    foreign = [
        thing.mark
        for by_owner in things.values()
        for thing in by_owner.values()
        if not caller.may("change", thing.owner)
    ]
    before = rows_with(foreign, dump(s))
    for entry in entries:
        with contextlib.suppress(NotFound):  # `learn` of a file that is not there
            entry.call(s)
    assert rows_with(foreign, dump(s)) == before


def rows_with(marks: Sequence[str], tables: Mapping[str, list[str]]) -> list[str]:
    rows = [row for table in tables.values() for row in table]
    return [row for row in rows if any(mark in row for mark in marks)]


def test_a_decision_of_others_stays(opened: Opened, tmp_path: Path) -> None:
    path = str(tmp_path / "seasoned.db")
    with Seasoned(path) as s:
        item = populate(s, {"candidate": "candidate"})["candidate"]["web"]
        s.review.accept(item.id)
        together = s.bulk.suspend([item.id])
    for who, error in (("evil", NotFound), ("ana", NotAllowed), ("api", NotFound)):
        tenant, project, user, _ = SCOPES[who].fields()
        other = opened(path, tenant=tenant, project=project, user=user)
        with pytest.raises(error):
            other.review.undo(item.id)
        with pytest.raises(error):
            other.bulk.undo(together.id)
    with Seasoned(path) as s:
        assert s.lesson(item.id).status == "suspended"
        s.bulk.undo(together.id)
        assert s.lesson(item.id).status == "active"
        assert s.review.undo(item.id).lesson.status == "candidate"


@pytest.mark.both_dialects
@pytest.mark.parametrize("other", ["web", "bob", "anainapi", "evilana", "notenant"])
def test_approvals_are_their_users(other: str, database_url: str, opened: Opened) -> None:
    tenant, project, user, _ = SCOPES["ana"].fields()
    s = opened(database_url, tenant=tenant, project=project, user=user)
    s.status()  # opens it
    approvals = Approvals(s.inner.app.db, s.inner.app.clock)
    asked = ApprovalRequest("call-1", "shell", {"command": "make"}, "make", "dangerous", 30)
    asyncio.run(approvals.keep(SCOPES["ana"], asked, ApprovalDecision("always")))
    (kept,) = asyncio.run(approvals.list(SCOPES["ana"]))
    assert not asyncio.run(approvals.list(SCOPES[other]))
    assert not asyncio.run(approvals.hold(SCOPES[other], asked))
    with pytest.raises(NotFound):
        asyncio.run(approvals.remove(SCOPES[other], kept.id))
    assert asyncio.run(approvals.list(SCOPES["ana"])) == [kept]


def test_the_table_has_an_answer_for_every_act() -> None:
    assert set(MAY) == {"see", "read", "change", "teach"}
    assert all(relations <= {"own", "inside", "wider"} for relations in MAY.values())
