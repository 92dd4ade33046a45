"""Feedback: stored once, durable, bounded, without secrets, and summarised."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned import Seasoned
from seasoned.core.clock import FixedClock
from seasoned.core.errors import BadInput
from seasoned.feedback.feedback import (
    LONGEST_TEXT,
    TEXT_CUT,
    Feedback,
    RatedTurn,
    sanitise,
    valid_feedback,
)
from seasoned.security.stored import stored_name

TURN = RatedTurn("What is 2+2?", "4", model="m1")
HUGE = 10**400


def good(name: str, score: float = 1.0, **more: Any) -> Feedback:
    return Feedback(name, "positive", score, turn=TURN, **more)


def ids(found: Sequence[Any]) -> list[str]:
    return [one.feedback.id for one in found]


def test_feedback_comes_back_as_it_was_given(seasoned: Seasoned) -> None:
    given = Feedback(
        id="f1",
        polarity="corrective",
        score=-0.25,
        dimension="plan_quality",
        confidence=0.75,
        comment="ça ne va pas 🙂",
        correction="3",
        correction_span=(0, 1),
        source="env",
        annotator_id="ana",
        correlation_id="req-1",
        session_id="s1",
        turn=RatedTurn("What is 2+2?", "4", "m1", {"skill": "maths", "n": [1, 2]}, "v2"),
        at=123_456,
    )
    seasoned.feedback.record([given])
    (found,) = seasoned.feedback.list()
    assert found.feedback == given


def test_the_same_id_counts_once_however_often_it_comes(seasoned: Seasoned) -> None:
    first = seasoned.feedback.record([good("a"), good("b"), good("a", 0.5)])
    assert (first.accepted, first.duplicates) == (2, 1)
    again = seasoned.feedback.record([good("a", -1.0), good("c")])
    assert (again.accepted, again.duplicates) == (1, 1)
    assert again.aggregate == {
        "helpfulness": {"count": 3, "mean_score": 1.0, "mean_confidence": 1.0}
    }
    assert ids(seasoned.feedback.list()) == ["c", "b", "a"]
    assert seasoned.feedback.list()[-1].feedback.score == 1.0


def test_a_batch_that_comes_again_is_told_how_it_stands(seasoned: Seasoned) -> None:
    batch = [good("a", 0.5), good("b", 1.0, dimension="tone")]
    assert seasoned.feedback.record(batch).aggregate == seasoned.feedback.record(batch).aggregate


def test_an_empty_batch_is_nothing(seasoned: Seasoned) -> None:
    recorded = seasoned.feedback.record([])
    assert (recorded.accepted, recorded.duplicates, recorded.aggregate) == (0, 0, {})


def test_a_large_batch_is_stored_whole(seasoned: Seasoned) -> None:
    recorded = seasoned.feedback.record([good(f"f{n}") for n in range(1234)])
    assert recorded.accepted == 1234
    assert len(seasoned.feedback.list(limit=5000)) == 1234
    assert seasoned.feedback.stats()["helpfulness"].count == 1234


def test_feedback_is_there_after_the_process(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    opened(database_url).feedback.record([good("f1")])
    assert ids(opened(database_url).feedback.list()) == ["f1"]


def test_nothing_crosses_tenants_and_projects(
    database_url: str, opened: Callable[..., Seasoned]
) -> None:
    places = [{}, {"tenant": "t"}, {"tenant": "t", "project": "p"}, {"project": "p"}]
    faces = [opened(database_url, **place) for place in places]
    for number, face in enumerate(faces):
        face.feedback.record([good("same", score=number / 4)])
    for number, face in enumerate(faces):
        assert [one.feedback.score for one in face.feedback.list()] == [number / 4]
        assert face.feedback.stats()["helpfulness"].mean_score == number / 4


def test_a_user_sees_his_own(database_url: str, opened: Callable[..., Seasoned]) -> None:
    opened(database_url, user="ana").feedback.record([good("a")])
    opened(database_url, user="bob").feedback.record([good("b")])
    assert ids(opened(database_url, user="ana").feedback.list()) == ["a"]
    assert ids(opened(database_url).feedback.list()) == ["b", "a"]


def test_feedback_adds_up_by_what_it_is_about(seasoned: Seasoned, clock: FixedClock) -> None:
    def about(name: str, score: float, polarity: Any, **environment: str) -> Feedback:
        turn = replace(TURN, environment=environment)
        return Feedback(name, polarity, score, "tone", 0.5, turn=turn, source="env")

    seasoned.feedback.record(
        [
            about("a", 1.0, "positive", skill="plan"),
            about("b", -0.5, "negative", skill="plan", tool="shell"),
            about("c", 0.0, "neutral", tool="shell"),
            good("d", 0.5),
        ]
    )
    plan = seasoned.feedback.stats("skill")["plan"]
    assert (plan.count, plan.mean_score, plan.mean_confidence) == (2, 0.25, 0.5)
    assert (plan.positive, plan.negative, plan.last_at) == (1, 1, clock.now())
    assert seasoned.feedback.stats("tool")["shell"].neutral == 1
    assert {name: one.count for name, one in seasoned.feedback.stats("source").items()} == {
        "env": 3,
        "human": 1,
    }
    assert list(seasoned.feedback.stats("source", dimension="tone")) == ["env"]
    assert list(seasoned.feedback.stats("dimension")) == ["tone", "helpfulness"]
    with pytest.raises(BadInput, match="not by 'mood'"):
        seasoned.feedback.stats(cast("Any", "mood"))


def test_the_list_is_narrowed(seasoned: Seasoned) -> None:
    seasoned.feedback.record(
        [
            good("a", at=1_000_000),
            good("b", dimension="tone", at=2_000_000),
            good("c", source="env"),
        ]
    )
    assert ids(seasoned.feedback.list(dimension="tone")) == ["b"]
    assert ids(seasoned.feedback.list(source="env")) == ["c"]
    assert ids(seasoned.feedback.list(until="1970-01-02")) == ["b", "a"]
    assert ids(seasoned.feedback.list(since="1970-01-02")) == ["c"]
    assert ids(seasoned.feedback.list(limit=1)) == ["c"]
    with pytest.raises(BadInput, match="since is 'soon'"):
        seasoned.feedback.list(since="soon")
    with pytest.raises(BadInput, match="dimension is 'mood'"):
        seasoned.feedback.list(dimension="mood")


def test_out_of_range_values_are_clamped_and_reported(seasoned: Seasoned) -> None:
    recorded = seasoned.feedback.record([good("a", 5), good("b", confidence=-2), good("c", -1.5)])
    assert recorded.flagged["a"] == ("score 5 clamped to 1.0",)
    assert recorded.flagged["b"] == ("confidence -2 clamped to 0.0",)
    assert [one.feedback.score for one in seasoned.feedback.list()] == [-1.0, 1.0, 1.0]
    assert seasoned.feedback.list()[0].feedback.flags == recorded.flagged["c"]


@pytest.mark.parametrize(
    "bad",
    [
        Feedback("f", "positive", float("nan")),
        Feedback("f", "positive", float("inf")),
        Feedback("f", "positive", float("-inf")),
        Feedback("f", "positive", HUGE),
        Feedback("f", "positive", cast("Any", "high")),
        Feedback("f", "positive", confidence=float("nan")),
        Feedback("f", "corrective"),
        Feedback("f", "corrective", correction=" \n\t"),
        Feedback("f", cast("Any", "POSITIVE!")),
        Feedback("f", "positive", dimension=cast("Any", "mood")),
        Feedback("f", "positive", source=cast("Any", "")),
        Feedback("", "positive"),
    ],
    ids=lambda bad: f"{bad.polarity} {str(bad.score)[:9]} {bad.confidence}",
)
def test_nonsense_is_refused_with_its_whole_batch(seasoned: Seasoned, bad: Feedback) -> None:
    with pytest.raises(BadInput):
        seasoned.feedback.record([good("fine"), bad])
    assert seasoned.feedback.list() == []
    assert seasoned.feedback.stats() == {}


def test_enums_are_taken_in_any_case(seasoned: Seasoned) -> None:
    seasoned.feedback.add("POSITIVE", dimension="Correctness", source="HUMAN", id="f1")
    (found,) = seasoned.feedback.list()
    assert (found.feedback.polarity, found.feedback.dimension) == ("positive", "correctness")
    seasoned.feedback.record([Feedback("f2", cast("Any", " Negative"))])
    assert seasoned.feedback.list()[0].feedback.polarity == "negative"
    with pytest.raises(BadInput, match="polarity is 'splendid'"):
        seasoned.feedback.add("splendid")


def test_secrets_are_not_stored(seasoned: Seasoned) -> None:
    key = "sk-abcdefghijklmnop1234567890"
    seasoned.feedback.add(
        "corrective",
        comment=f"the key is {key}",
        correction=f"password={key}",
        prompt=f"use {key}",
        response=f"Authorization: Bearer {key}",
        environment={"api_key": "hunter22", "skill": "plan"},
        source="env",
        session=key,
        annotator=f"token={key}",
    )
    (found,) = seasoned.feedback.list()
    told = repr(found)
    assert key not in told
    assert "hunter22" not in told
    assert found.attribution.skill == "plan"


def test_huge_and_broken_texts_are_bounded_and_storable(seasoned: Seasoned) -> None:
    huge = "x" * 1_000_000
    broken = "\ud800 lone \x00 nul"
    turn = RatedTurn(huge, broken, huge, {"skill": huge, "deep": {"a": [huge] * 50}}, broken)
    given = [
        Feedback(huge, "positive", comment=huge, turn=turn, session_id=broken),
        Feedback(broken, "positive", annotator_id=huge, correlation_id=broken, at=2**80),
    ]
    assert seasoned.feedback.record(given).accepted == 2
    assert seasoned.feedback.record(given).duplicates == 2
    second, first = seasoned.feedback.list()
    assert len(repr(first)) < 3 * LONGEST_TEXT
    assert TEXT_CUT in first.feedback.flags
    assert "\ufffd lone \ufffd nul" in second.feedback.correlation_id
    assert any("no time" in flag for flag in second.feedback.flags)


def test_what_is_recorded_is_audited_once_a_batch(seasoned: Seasoned) -> None:
    before = seasoned.status()["audit_events"]
    seasoned.feedback.record([good("a"), good("b")])
    seasoned.feedback.record([good("a")])
    assert seasoned.status()["audit_events"] == before + 1
    assert seasoned.verify_audit().intact


def test_many_threads_record_at_once(seasoned: Seasoned) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def some(worker: int) -> int:
        # Half of each batch is shared by all workers.
        batch = [good(f"both-{n}") for n in range(20)] + [good(f"{worker}-{n}") for n in range(20)]
        batch = batch if worker % 2 else batch[::-1]
        return seasoned.feedback.record(batch).accepted

    with ThreadPoolExecutor(4) as pool:
        accepted = sum(pool.map(some, range(8)))
    assert accepted == 20 + 8 * 20
    assert seasoned.feedback.stats()["helpfulness"].count == accepted


@given(st.text(max_size=400))
def test_a_name_stays_itself_or_becomes_one_of_its_own(name: str) -> None:
    assert len(stored_name(name)) <= 200
    assert stored_name(name) == stored_name(name)
    assert stored_name(name).encode().decode() == stored_name(name)  # no lone surrogate
    assert stored_name(name) != stored_name(name + "!") or stored_name(name) == name


@given(
    st.floats(),
    st.floats(),
    st.text(max_size=50),
    st.none() | st.tuples(st.integers(-5, 60), st.integers(-5, 60)),
)
def test_whatever_is_not_refused_can_be_stored(
    score: float, confidence: float, text: str, span: tuple[int, int] | None
) -> None:
    given = Feedback(
        "f", "corrective", score, confidence=confidence, correction=text, correction_span=span,
        turn=RatedTurn(text, text),
    )  # fmt: skip
    try:
        fit = sanitise(valid_feedback(given), 5)
    except BadInput:
        return
    assert -1 <= fit.score <= 1
    assert 0 <= fit.confidence <= 1
    assert sanitise(valid_feedback(fit), 5) == fit
    assert fit.turn is not None
    if fit.correction_span is not None:
        assert 0 <= fit.correction_span[0] <= fit.correction_span[1] <= len(fit.turn.response)


def test_the_schema_keeps_what_is_out_of_range_out(tmp_path: Path) -> None:
    with Seasoned(str(tmp_path / "x.db")) as s:
        s.feedback.add("positive", environment={"when": float("inf")}, prompt="q", response="a")
        (found,) = s.feedback.list()
        assert found.feedback.turn is not None
        assert json.dumps(found.feedback.turn.environment)
