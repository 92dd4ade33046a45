"""Lists in pages, on both databases: each thing once, in the same order as all at once."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.api.scope_world import MAKERS, SCOPES, add_lesson, mark_of

from seasoned import Scope, Seasoned
from seasoned.bandit.experience import Experience
from seasoned.core.clock import FixedClock
from seasoned.core.errors import BadInput, Changed
from seasoned.lessons.lesson import Belief, Draft, Evidence, RuleDetail
from seasoned.memory.memory_store import MemoryStore
from seasoned.memory.observation import ObservationDraft
from seasoned.sessions.session_store import SessionStore
from seasoned.skills.skill import Skill

Opened = Callable[..., Seasoned]
Listed = Callable[[Seasoned, int, Any], Sequence[Any]]
MANY = 7
SESSION = "talk"


def place(one: Any) -> Any:
    return one.place


def made(s: Seasoned, kind: str) -> None:
    """Make several things of a kind in this scope, at few different times."""
    clock = s.inner.app.clock
    assert isinstance(clock, FixedClock)
    for number in range(MANY):
        mark = mark_of(kind, str(number), "own")
        s.inner.app.unit.drive(_make(s, kind, mark))
        clock.advance(seconds=number % 2)  # some are made at the same time


async def _make(s: Seasoned, kind: str, mark: str) -> None:
    await MAKERS[kind](s, s.inner.scope, mark)


def errors(s: Seasoned) -> None:
    for number, word in enumerate("disk lane port door tree moon salt".split()):
        for _ in range(1 + number % 3):
            s.observe(f"tool {word}", {}, error=f"the {word} is missing")


def candidates(s: Seasoned) -> None:
    made(s, "conflict")
    for number in range(MANY):
        seen = tuple(Evidence(1, "said", 1, 0, f"s{one}") for one in range(1 + number % 3))
        own, words = s.inner.scope, f"rule {number}"
        draft = Draft("rule", "candidate", own, "", words, Belief(2, 1), "user")
        whole = replace(draft, rule=RuleDetail("preference"), evidence=seen)
        s.inner.app.unit.drive(add_lesson(s, whole))


def memories(s: Seasoned) -> None:
    s.turn("hello", "hi", session=SESSION)

    async def add() -> None:
        store = MemoryStore()
        async with s.inner.app.db.write() as tx:
            found = await SessionStore().find(tx, s.inner.scope.within(SESSION))
            assert found is not None
            drafts = [ObservationDraft("fact", f"fact {n}", 1, 1 + n % 2) for n in range(MANY)]
            seen = await store.add(tx, found.key, drafts, "test", 5)
            for one in seen[:4]:
                await store.reflect(tx, [one], one.text, "test", 6)

    s.inner.app.unit.drive(add())


def turns(s: Seasoned) -> None:
    for _ in range(MANY):
        s.turn("hello", "hi", session=SESSION)


def corrections(s: Seasoned) -> None:
    for number in range(MANY):
        s.correct(f"No, always use variant {number}.", session=f"s{number}")
    s.corrections.learn()


def triples(s: Seasoned) -> None:
    """Of the project and of everybody; some are in both, and count once."""
    everybody = s.inner.acting_for(Scope())
    for number in range(MANY):
        one = (f"n{number}", "relatedTo", "hub")
        if number % 2:
            s.graph.add(one)
        if number != 1:
            s.inner.app.unit.drive(everybody.graph.add(one))


def skills(s: Seasoned) -> None:
    everybody = s.inner.acting_for(Scope())
    for name in "abcdefg":
        s.skills.add(Skill(name, "Do it.", "So."))
        s.inner.app.unit.drive(everybody.skills.add(Skill(name, "Do it.", "Everybody.")))


def experiences(s: Seasoned) -> None:
    s.experiences.add([Experience(f"x{n}", action={"skill": "s", "arm": "a"}) for n in range(MANY)])


def feedback(s: Seasoned) -> None:
    for number in range(MANY):
        s.feedback.add("positive", id=f"f{number}")


CASES: Mapping[str, tuple[Callable[[Seasoned], None], Listed, Callable[[Any], Any]]] = {
    "lessons": (
        lambda s: made(s, "rule"),
        lambda s, limit, after: s.lessons(limit=limit, after=after, text="zq"),
        place,
    ),
    "rules": (
        lambda s: made(s, "rule"),
        lambda s, limit, after: s.rules.list(limit=limit, after=after),
        place,
    ),
    "examples": (
        lambda s: made(s, "example"),
        lambda s, limit, after: s.examples.list(limit=limit, after=after),
        place,
    ),
    "conflicts": (
        lambda s: made(s, "conflict"),
        lambda s, limit, after: s.rules.conflicts(limit=limit, after=after),
        lambda row: row[0].place,
    ),
    "review": (candidates, lambda s, limit, after: s.review.list(limit=limit, after=after), place),
    "errors": (errors, lambda s, limit, after: s.errors(limit=limit, after=after), place),
    "tools": (errors, lambda s, limit, after: s.tools(limit=limit, after=after), place),
    "sessions": (
        lambda s: made(s, "session"),
        lambda s, limit, after: s.sessions.list(limit=limit, after=after),
        place,
    ),
    "messages": (
        turns,
        lambda s, limit, after: s.sessions.messages(SESSION, limit=limit, after=after or 0),
        lambda one: one.seq,
    ),
    "turns": (
        turns,
        lambda s, limit, after: s.sessions.turns(SESSION, limit=limit, after=after or 0),
        lambda one: one.turn,
    ),
    "memory": (
        lambda s: made(s, "session"),
        lambda s, limit, after: s.memory.list(limit=limit, after=after),
        lambda one: one.session.place,
    ),
    "observations": (
        memories,
        lambda s, limit, after: s.memory.observations(SESSION, limit=limit, after=after),
        place,
    ),
    "reflections": (
        memories,
        lambda s, limit, after: s.memory.reflections(SESSION, limit=limit, after=after),
        place,
    ),
    "inquiries": (
        lambda s: made(s, "inquiry"),
        lambda s, limit, after: s.librarian.list(limit=limit, after=after),
        place,
    ),
    "pending": (
        lambda s: made(s, "pending"),
        lambda s, limit, after: s.corrections.pending(limit=limit, after=after),
        place,
    ),
    "history": (
        corrections,
        lambda s, limit, after: s.corrections.history(limit=limit, after=after),
        place,
    ),
    "documents": (
        lambda s: made(s, "document"),
        lambda s, limit, after: s.knowledge.list(limit=limit, after=after),
        place,
    ),
    "skills": (
        skills,
        lambda s, limit, after: s.skills.list(limit=limit, after=after or ""),
        lambda row: row[0].name,
    ),
    "triples": (
        triples,
        lambda s, limit, after: s.graph.query(limit=limit, after=after),
        lambda one: (one.subject, one.predicate, one.object),
    ),
    "triples of an object": (
        triples,
        lambda s, limit, after: s.graph.query(object="hub", limit=limit, after=after),
        lambda one: (one.subject, one.predicate, one.object),
    ),
    "experiences": (
        experiences,
        lambda s, limit, after: s.experiences.list(limit=limit, before=after),
        lambda one: one.id,
    ),
    "experiences of a decision": (
        experiences,
        lambda s, limit, after: s.experiences.list(name="s", limit=limit, before=after),
        lambda one: one.id,
    ),
    "feedback": (
        feedback,
        lambda s, limit, after: s.feedback.list(limit=limit, before=after),
        place,
    ),
    "audit": (
        lambda s: made(s, "rule"),
        lambda s, limit, after: s.audit.list(kind="lesson.", limit=limit, before=after),
        lambda one: one.seq,
    ),
}


def test_pages_show_each_thing_once(database_url: str, opened: Opened) -> None:
    """One database for all lists, each in a project of its own."""
    with opened(database_url, clock=FixedClock()) as whole:
        for name, (make, listed, place_of) in CASES.items():
            s = opened(database_url, project=name, clock=FixedClock())
            make(s)
            every = list(listed(s, 1000, None))
            assert len(every) >= 4, name
            found: list[Any] = []
            after: Any = None
            while page := listed(s, 2, after):
                found += page
                after = place_of(page[-1])
                assert len(found) <= len(every), name
            assert found == every, name
            s.close()
        assert whole.audit.verify().intact


def test_a_place_of_another_list_is_refused(opened: Opened) -> None:
    s = opened(":memory:")
    with pytest.raises(BadInput, match="a place in this list has 2 values, not 1"):
        s.lessons(after=(1,))


def test_text_is_found_in_any_case_and_as_it_is(database_url: str, opened: Opened) -> None:
    s = opened(database_url)
    s.teach(fact="100%_Sure! of it")
    s.teach(fact="Quite sure of it")
    for text, many in (("SURE", 2), ("%_s", 1), ("!", 1), ("_", 1), ("nothing", 0)):
        assert len(s.lessons(text=text)) == many, text


def test_an_edit_of_what_was_changed_meanwhile_is_refused(
    database_url: str, opened: Opened
) -> None:
    s = opened(database_url)
    seen = s.rules.add("Sign every commit.")
    changed = s.rules.edit(seen.id, description="Sign releases.", version=seen.version)
    for change in (
        lambda: s.rules.edit(seen.id, description="Sign.", version=seen.version),
        lambda: s.rules.deactivate(seen.id, version=seen.version),
        lambda: s.rules.delete(seen.id, version=seen.version),
        lambda: s.review.accept(seen.id, version=seen.version),
        lambda: s.forget(seen.id, version=seen.version),
    ):
        with pytest.raises(Changed, match=f"rule {seen.id} was changed meanwhile; read it again"):
            change()
    assert s.rules.get(seen.id).version == changed.version
    assert s.rules.deactivate(seen.id, version=changed.version).status == "suspended"


def test_the_history_of_a_lesson_has_its_words_and_events(
    database_url: str, opened: Opened
) -> None:
    s = opened(database_url, clock=(clock := FixedClock()))
    rule = s.rules.add("Sign every commit.")
    clock.advance(seconds=5)
    s.rules.edit(rule.id, description="Sign releases.")
    history = s.history(rule.id)
    assert [one.content for one in history.versions] == ["Sign every commit.", "Sign releases."]
    assert [one.kind for one in history.events] == ["lesson.learned", "lesson.changed"]
    assert [one.seq for one in s.audit.list(subject=rule.id)] == [
        one.seq for one in reversed(history.events)
    ]


def test_the_audit_shows_a_caller_what_is_its_own(database_url: str, opened: Opened) -> None:
    everybody = opened(database_url)
    for scope in SCOPES.values():
        everybody.teach(fact=f"A fact of {scope}.", scope=scope)
    assert len(everybody.audit.list(kind="lesson.learned")) == len(SCOPES)
    ana = opened(database_url, tenant="acme", project="web", user="ana")
    own = {"ana", "anaeverywhere", "anasession"}
    shown = {tuple(_scope(one)) for one in ana.audit.list()}
    assert shown == {SCOPES[name].fields() for name in own}
    acme = opened(database_url, tenant="acme")
    assert {_scope(one)[0] for one in acme.audit.list()} == {"acme"}


def _scope(event: Any) -> list[str]:
    return json.loads(event.detail)["scope"]
