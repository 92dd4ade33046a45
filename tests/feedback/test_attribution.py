"""Attribution: feedback reaches the lesson, skill, tool or exchange it is about."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from seasoned import AsyncSeasoned, Seasoned
from seasoned.core.scope import Scope
from seasoned.feedback.feedback import Attribution, Feedback, RatedTurn
from seasoned.feedback.recorder import Feedbacks

pytestmark = pytest.mark.sqlite_only

TURN = RatedTurn("List the containers", "Run docker ps.")


def about(s: Seasoned, feedback: Feedback) -> Attribution:
    s.feedback.record([feedback])
    return s.feedback.list(limit=1)[0].attribution


def rated(name: str, correlation: str = "", **turn: Any) -> Feedback:
    return Feedback(name, "positive", 1.0, correlation_id=correlation, turn=replace(TURN, **turn))


def test_feedback_is_attributed_by_environment_else_by_version(seasoned: Seasoned) -> None:
    both = {"skill": " plan ", "tool": "shell", "other": 1}
    assert about(seasoned, rated("a", environment=both)) == Attribution("plan", "shell")
    assert about(seasoned, rated("b", version="my_skill")) == Attribution(skill="my_skill")
    odd = {"skill": 7, "tool": None}
    assert about(seasoned, rated("c", environment=odd, version="v")) == Attribution(skill="v")
    assert about(seasoned, Feedback("d", "positive")) == Attribution()


def test_feedback_is_attributed_by_an_id_in_earlier_feedback(seasoned: Seasoned) -> None:
    seasoned.feedback.record([rated("a", "req-1", environment={"skill": "plan"})])
    assert about(seasoned, Feedback("b", "negative", correlation_id="req-1")).skill == "plan"
    assert about(seasoned, Feedback("c", "negative", correlation_id="a")).skill == "plan"
    assert about(seasoned, Feedback("d", "negative", correlation_id="req-2")).skill == ""


def test_the_correlation_beats_what_the_turn_says(seasoned: Seasoned) -> None:
    seasoned.feedback.record([rated("a", "req-1", environment={"tool": "shell"})])
    found = about(seasoned, rated("b", "req-1", environment={"skill": "plan"}, version="v"))
    assert found == Attribution(tool="shell")


def test_an_id_that_was_linked_stands_for_its_work(seasoned: Seasoned) -> None:
    app = seasoned.inner.app
    app.db.run(app.feedbacks.link({"exp-1": Attribution(tool="search")}, Scope()))
    assert about(seasoned, Feedback("a", "positive", correlation_id="exp-1")).tool == "search"


def test_an_experience_stands_for_its_work(seasoned: Seasoned) -> None:
    from seasoned.bandit.experience import Experience

    app = seasoned.inner.app
    done = Experience("exp-2", action={"skill": "plan", "duration_ms": 3.0, "success": True})
    app.db.run(app.experiences.add([done], Scope()))
    assert about(seasoned, Feedback("a", "positive", correlation_id="exp-2")).skill == "plan"


def test_a_session_stands_for_its_last_exchange(seasoned: Seasoned) -> None:
    calls = [{"tool": "shell", "params": {"n": 1}}]
    seasoned.turn("List them", reply="Done.", session="chat-1", tool_calls=calls)
    seasoned.feedback.add("positive", about="chat-1", id="a")
    seasoned.feedback.add("negative", session="chat-1", id="b", skill="plan")
    seasoned.feedback.add("negative", session="chat-2", id="c")
    c, b, a = seasoned.feedback.list()
    assert a.attribution.tool == "shell"
    assert a.feedback.turn == RatedTurn("List them", "Done.")
    assert b.feedback.turn is not None
    assert (b.feedback.turn.prompt, b.attribution.skill) == ("List them", "plan")
    assert c.feedback.turn is None


def test_a_lesson_is_believed_more_or_less(seasoned: Seasoned) -> None:
    lesson = seasoned.teach("podman: not found", fix="Use docker.", tool="shell")
    before = lesson.belief
    seasoned.feedback.add("positive", about=lesson.id, comment="it worked")
    seasoned.feedback.add("negative", score=-0.5, confidence=0.5, about=lesson.id)
    seasoned.feedback.add("neutral", about=lesson.id)
    after = seasoned.lesson(lesson.id).belief
    assert (after.worked - before.worked, after.failed - before.failed) == (1.0, 0.25)
    found = seasoned.feedback.list(limit=1)[0].attribution
    assert found == Attribution(tool="shell", lesson=lesson.id)
    evidence = [one for one in seasoned.why(lesson.id).evidence if one.reason == "feedback"]
    assert [one.quote for one in evidence] == ["it worked", ""]
    assert seasoned.feedback.stats("lesson")[lesson.id].count == 3
    assert seasoned.verify_audit().intact


def test_feedback_that_comes_again_is_no_new_evidence(seasoned: Seasoned) -> None:
    lesson = seasoned.teach("", rule="Be brief.")
    for _ in range(3):
        seasoned.feedback.add("positive", about=lesson.id, id="once")
    assert seasoned.lesson(lesson.id).belief.worked == lesson.belief.worked + 1


def test_what_is_said_of_one_lesson_in_a_batch_is_one_piece_of_evidence(
    seasoned: Seasoned,
) -> None:
    lesson = seasoned.teach("", rule="Be brief.")
    given = [Feedback(f"f{n}", "positive", 1.0, correlation_id=lesson.id) for n in range(5)]
    seasoned.feedback.record(given)
    assert seasoned.lesson(lesson.id).belief.worked == lesson.belief.worked + 5
    assert sum(one.reason == "feedback" for one in seasoned.why(lesson.id).evidence) == 1


def test_another_tenants_lesson_is_not_touched(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    theirs = opened(database_url, tenant="a").teach("", rule="Be brief.")
    mine = opened(database_url, tenant="b")
    mine.feedback.add("negative", about=theirs.id)
    assert mine.feedback.list()[0].attribution == Attribution()
    assert opened(database_url, tenant="a").lesson(theirs.id).belief == theirs.belief


def test_scores_reach_the_records_of_skills_and_tools(seasoned: Seasoned) -> None:
    from seasoned.bandit.performance import Performance

    app = seasoned.inner.app
    performance = Performance(app.db, app.clock)
    feedbacks = Feedbacks(app.unit, app.lessons, None, performance)
    given = [
        rated("a", environment={"skill": "plan"}),
        replace(rated("b", environment={"skill": "plan", "tool": "shell"}), score=0.0),
    ]
    app.db.run(feedbacks.record([*given, *given], Scope()))
    records = app.db.run(performance.records(Scope()))
    assert {(one.kind, one.name): one.avg_score for one in records} == {
        ("skill", "plan"): 0.5,
        ("tool", "shell"): 0.0,
    }
    assert all(one.calls_total == 0 for one in records)


def test_what_a_person_corrects_holds_at_once_and_is_learned(seasoned: Seasoned) -> None:
    seasoned.feedback.add(
        "corrective",
        prompt=TURN.prompt,
        response=TURN.response,
        correction="Run podman ps.",
        session="chat-1",
    )
    assert "podman" in seasoned.recall("List the containers", session="chat-1").text
    (learned,) = seasoned.corrections.learn()
    assert learned.outcome == "learned"
    assert learned.rule is not None
    assert "podman" in learned.rule.content


def test_a_correction_of_a_session_is_about_its_last_exchange(seasoned: Seasoned) -> None:
    seasoned.turn("List the containers", "Run docker ps.", session="chat-1")
    seasoned.feedback.add("corrective", correction="Run podman ps.", session="chat-1")
    (learned,) = seasoned.corrections.learn()
    assert learned.case.reply == "Run docker ps."
    assert learned.rule is not None
    assert learned.rule.content == "Write “podman”, not “docker”."


def test_a_correction_said_as_a_sentence_is_read_as_one(seasoned: Seasoned) -> None:
    seasoned.feedback.add(
        "corrective",
        prompt=TURN.prompt,
        response=TURN.response,
        correction="No, use podman, not docker.",
    )
    (learned,) = seasoned.corrections.learn()
    assert learned.case.kind == "replacement"
    assert learned.rule is not None
    assert learned.rule.content == "Use podman, not docker."


def test_a_correction_without_a_session_waits_and_holds_nowhere_yet(seasoned: Seasoned) -> None:
    seasoned.feedback.add("corrective", correction="Always answer in French.")
    assert len(seasoned.corrections.pending()) == 1
    assert seasoned.rules.list(provisional=True) == []


def test_a_part_may_be_corrected(seasoned: Seasoned) -> None:
    seasoned.feedback.add(
        "corrective",
        prompt=TURN.prompt,
        response=TURN.response,
        correction="podman",
        correction_span=(4, 10),
    )
    (learned,) = seasoned.corrections.learn()
    assert learned.case.message == "Run podman ps."


@pytest.mark.parametrize("source", ["env", "self"])
def test_automatic_feedback_is_no_correction(seasoned: Seasoned, source: str) -> None:
    seasoned.feedback.add("corrective", correction="Always answer in French.", source=source)
    assert seasoned.corrections.pending() == []


def test_a_correction_that_cannot_be_queued_does_not_lose_the_feedback(
    seasoned: Seasoned, caplog: pytest.LogCaptureFixture
) -> None:
    app = seasoned.inner.app

    def broken() -> Any:
        raise OSError("the queue is away")

    feedbacks = Feedbacks(app.unit, app.lessons, broken, None)
    given = Feedback("a", "corrective", correction="Always answer in French.")
    with caplog.at_level(logging.ERROR):
        recorded = app.db.run(feedbacks.record([given], Scope()))
    assert recorded.accepted == 1
    assert "not queued" in caplog.text
    assert len(seasoned.feedback.list()) == 1


def test_with_behavioral_learning_off_nothing_is_corrected(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    off = {"SEASONED_BEHAVIORAL__ENABLED": "false"}
    s = opened(database_url, environment=off)
    s.feedback.add("corrective", correction="Always answer in French.")
    assert s.corrections.pending() == []
    assert len(s.feedback.list()) == 1


def test_the_async_api_attributes_alike(database_url: str, home: object) -> None:
    import asyncio

    async def told() -> None:
        async with AsyncSeasoned(database_url) as s:
            assert (await s.feedback.add("positive", skill="plan")).accepted == 1
            assert (await s.feedback.stats("skill"))["plan"].count == 1
            assert len(await s.feedback.list()) == 1

    asyncio.run(told())
