"""Propagation in the real engine, for any similarity of errors."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seasoned import Lesson, Seasoned
from seasoned.core.clock import FixedClock
from seasoned.fixes.propagation import BORROWED, RETURNED, LoanStore
from seasoned.graph.propagate import FixCounts

RATE = "SEASONED_GRAPH__PROPAGATION_RATE"
ON = {
    "SEASONED_GRAPH__ENABLED": "true",
    "SEASONED_EMBEDDING__PROVIDER": "none",
    "SEASONED_BUFFER__FLUSH_SECONDS": "60",
}
ERRORS = (
    "upstream closed the connection",
    "the shelf is full",
    "certificate has expired",
    "token bucket empty",
    "no door to this house",
)
COMING = ("works", "fails again", "changed", "changed, then not")
LINKS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.floats(0.6, 1.0)),
    unique_by=lambda link: link[:2],
    max_size=20,
)
HAPPENINGS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(COMING)), max_size=16)


def happens(s: Seasoned, number: int, error: str, what: str) -> None:
    """Play a session with this error and the given outcome."""
    session, params = f"s{number}", {"q": f"x{number}"}
    s.observe("fetch", params, error=error, session=session)
    if what == "works":
        s.observe("fetch", params | {"calm": True}, "ok", session=session)
    elif what == "fails again":
        s.observe("fetch", params | {"calm": True}, error=error, session=session)
    else:
        s.observe("fetch", params | {"slow": True}, "ok", session=session)
    if what == "changed, then not":  # the unchanged call works, so the change was no fix
        s.observe("fetch", params, "ok", session=session)


def liken(s: Seasoned, links: Sequence[tuple[int, int, float]]) -> None:
    """Replace all links between errors by these."""
    ids = [one.id for text in ERRORS for one in s.errors() if one.template == text]
    assert len(ids) == len(ERRORS)

    async def linked() -> None:
        async with s.inner.app.db.write() as tx:
            await tx.execute("DELETE FROM similar_errors")
            await tx.execute_many(
                "INSERT INTO similar_errors (error_id, other_id, similarity) VALUES (?, ?, ?)",
                [(ids[a], ids[b], alike) for a, b, alike in links],
            )

    s.inner.app.db.run(linked())


@contextmanager
def all_alike(rate: str = "1") -> Generator[Seasoned]:
    """Yield Seasoned with one repair of each error, and all errors linked with similarity 1."""
    with Seasoned(":memory:", environment=ON | {RATE: rate}, clock=FixedClock()) as s:
        for number, error in enumerate(ERRORS):
            happens(s, number, error, "works")
        every = range(len(ERRORS))
        liken(s, [(a, b, 1.0) for a in every for b in every if a != b])
        yield s


def check(s: Seasoned, lesson: Lesson) -> None:
    evidence = s.why(lesson.id).evidence
    assert lesson.belief.worked == pytest.approx(sum(one.worked for one in evidence), abs=1e-9)
    assert lesson.belief.failed == pytest.approx(sum(one.failed for one in evidence), abs=1e-9)
    assert 0 <= lesson.confidence <= 1
    assert lesson.belief.worked >= -1e-9
    assert lesson.belief.failed >= -1e-9

    async def standing() -> FixCounts:
        async with s.inner.app.db.read() as tx:
            return (await LoanStore(s.inner.app.lessons).standings(tx, [lesson]))[lesson.id]

    found = s.inner.app.db.run(standing())
    assert abs(found.borrowed) <= found.seen + 1e-9
    if lesson.status in ("active", "candidate"):
        assert lesson.status == ("active" if lesson.confidence >= 0.7 else "candidate")


@settings(max_examples=40, deadline=None)
@given(links=LINKS, happenings=HAPPENINGS, rate=st.sampled_from(["0.3", "1"]))
def test_on_any_likeness_beliefs_stay_true_and_bounded(
    links: list[tuple[int, int, float]], happenings: list[tuple[int, str]], rate: str
) -> None:
    with Seasoned(":memory:", environment=ON | {RATE: rate}, clock=FixedClock()) as s:
        for number, error in enumerate(ERRORS):
            happens(s, number, error, "works")
        liken(s, links)
        for number, (which, what) in enumerate(happenings, len(ERRORS)):
            happens(s, number, ERRORS[which], what)
        for lesson in s.lessons(kind="fix"):
            check(s, lesson)
        assert s.verify_audit().intact
        reasons = {
            one.reason for lesson in s.lessons(kind="fix") for one in s.why(lesson.id).evidence
        }
        if not links:
            assert not reasons & {BORROWED, RETURNED}


def test_in_a_long_life_beliefs_stay_true_at_every_moment() -> None:
    """Beliefs are credited, debited and retracted in random order."""
    chance = Random(3)
    with all_alike() as s:
        for number in range(10, 120):
            happens(s, number, chance.choice(ERRORS), chance.choice(COMING))
            for lesson in s.lessons(kind="fix"):
                check(s, lesson)


def test_a_fix_that_loses_evidence_returns_what_it_borrowed() -> None:
    with all_alike() as s:
        for number in range(10, 14):
            happens(s, number, ERRORS[number % 2], "changed")
        (fix,) = [
            one
            for one in s.lessons(kind="fix")
            if one.trigger == ERRORS[0] and "slow" in one.content
        ]
        happens(s, 20, ERRORS[0], "changed")
        for number in range(30, 60):
            happens(s, number, ERRORS[1], "changed")
        before = s.lesson(fix.id)
        s.observe("fetch", {"q": "x20"}, "ok", session="s20")  # unchanged: no fix
        after = s.lesson(fix.id)
        check(s, after)
        returned = [one for one in s.why(fix.id).evidence if one.reason == RETURNED]
        assert [round(one.worked, 6) for one in returned] == [-1]
        assert after.belief.worked == pytest.approx(before.belief.worked - 2)


def test_errors_that_are_all_alike_pass_a_change_on_once() -> None:
    with all_alike("0.3") as s:
        happens(s, 10, ERRORS[0], "works")
        told = {one.trigger: one.confidence for one in s.lessons(kind="fix")}
    change = told.pop(ERRORS[0]) - 2 / 3
    assert list(told.values()) == pytest.approx([2 / 3 + 0.3 * change] * 4)
