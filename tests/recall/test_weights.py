"""Weights of lessons: trial, confidence, age and source."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned import Seasoned
from seasoned.core.clock import DAY, FixedClock
from seasoned.core.scope import Scope
from seasoned.core.words import IndexedText, WordMatches
from seasoned.lessons.lesson import Belief, Lesson, Source, Verdict
from seasoned.recall.ranking import (
    Match,
    RequestWeights,
    credibility,
    match_text,
)

from .conftest import changed, contents, inferred, settled

pytestmark = pytest.mark.sqlite_only


def lesson(
    source: Source = "model", belief: Belief | None = None, verdict: Verdict = "undecided"
) -> Lesson:
    held = belief or Belief(8, 2)
    common = {"id": "x", "kind": "fact", "status": "active", "scope": Scope(), "trust": "self"}
    return Lesson(
        **common,  # pyright: ignore[reportArgumentType]
        trigger="",
        content="c",
        belief=held,
        source=source,
        created_at=0,
        updated_at=0,
        verdict=verdict,
    )


def test_a_verdict_outweighs_an_opinion() -> None:
    ranked: list[Verdict] = ["helps", "undecided", "inert", "harms"]
    for source in ("model", "user"):
        worth = [credibility(lesson(source, verdict=verdict), 0) for verdict in ranked]
        assert worth == sorted(worth, reverse=True)
        assert len(set(worth)) == 4
        assert worth[-1] == 0


def test_what_was_inferred_ages_and_what_was_said_does_not() -> None:
    days = [0, 30, 90, 1000, 100_000]
    aging = [credibility(lesson(), day * DAY) for day in days]
    assert aging == sorted(aging, reverse=True)
    assert aging[0] == pytest.approx(0.8)
    assert aging[2] == pytest.approx(0.8 * 0.9)  # one half-life: half of the largest penalty
    assert aging[-1] == pytest.approx(0.8 * 0.8)
    for source in ("user", "operator", "document"):
        assert len({credibility(lesson(source), day * DAY) for day in days}) == 1


def test_confidence_counts_for_what_was_inferred() -> None:
    sure, unsure = lesson(belief=Belief(95, 5)), lesson(belief=Belief(7, 3))
    assert credibility(sure, 0) > credibility(unsure, 0)
    assert credibility(lesson("user", Belief(9, 1)), 0) == 1.0


words = st.lists(st.sampled_from("deploy stage run file zebra invoic x".split()), max_size=8)
counts = st.dictionaries(st.sampled_from("deploy stage run zebra".split()), st.integers(0, 50))
likenesses = st.none() | st.floats(-1, 1)


@given(words, words, words, counts, likenesses)
def test_a_match_is_a_share(
    asked: list[str],
    trigger: list[str],
    content: list[str],
    often: dict[str, int],
    near: float | None,
) -> None:
    request = RequestWeights.among(asked, WordMatches((), often, 60, 5.0))
    match = match_text(request, IndexedText(" ".join(trigger), " ".join(content)), near)
    assert 0 <= match.words <= 1
    assert 0 <= match.covered <= 1
    assert match.score >= 0
    assert match.relevance <= 1


@given(words, counts, likenesses)
def test_saying_more_of_the_request_never_costs(
    asked: list[str], often: dict[str, int], near: float | None
) -> None:
    """Of two texts of one length, the one that says more of the request matches better."""
    request = RequestWeights.among(asked, WordMatches((), often, 60, 5.0))
    before = 0.0
    for many in range(len(asked) + 1):
        text = " ".join([*asked[:many], *["other"] * (len(asked) - many)])
        score = match_text(request, IndexedText("", text), near).score
        assert score >= before - 1e-9
        before = score


def test_nearer_in_meaning_is_never_worse() -> None:
    scores = [Match(0.4, 0.5, near).score for near in (-1.0, 0.0, 0.3, 0.9)]
    assert scores == sorted(scores)
    relevances = [Match(0.4, 0.5, near).relevance for near in (0.0, 0.3, 0.9)]
    assert relevances == sorted(relevances)


def test_words_that_every_request_has_say_little() -> None:
    asked = RequestWeights.among(["zebra", "run"], WordMatches((), {"zebra": 1, "run": 1}, 9))
    assert match_text(asked, IndexedText("", "zebra"), None).covered > 0.7
    assert match_text(asked, IndexedText("", "run"), None).covered < 0.3
    assert match_text(asked, IndexedText("", "zebra run run"), None).covered == 1
    assert (
        match_text(RequestWeights.among([], WordMatches()), IndexedText("", "zebra"), None).covered
        == 0
    )


# The same order through recall.


@pytest.mark.both_dialects
def test_what_a_trial_proved_comes_first_and_what_harms_never_comes(
    seasoned: Seasoned, clock: FixedClock
) -> None:
    ranked: list[Verdict] = ["inert", "harms", "undecided", "helps"]
    set_to = "UPDATE lessons SET verdict = ? WHERE id = ?"
    for verdict in ranked:
        one = seasoned.teach("deploying", fact=f"Deploying {verdict}.")
        clock.advance(seconds=1)
        changed(seasoned, lambda tx, v=verdict, n=one.id: tx.execute(set_to, (v, n)))
    settled(seasoned)
    assert contents(seasoned, "deploying") == [
        "Deploying helps.",
        "Deploying undecided.",
        "Deploying inert.",
    ]


def test_what_is_doubted_is_not_recalled_but_can_be_searched(seasoned: Seasoned) -> None:
    inferred(seasoned, "Zebras are shy.", trigger="zebras", belief=Belief(1, 1))
    sure = inferred(seasoned, "Zebras have stripes.", trigger="zebras", belief=Belief(8, 2))
    assert contents(seasoned, "zebras") == [sure.content]
    assert len(seasoned.search("zebras")) == 2


def test_the_settings_set_the_required_confidence(
    database_url: str, opened: Callable[..., Seasoned], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEASONED_AGENT__AUTO_APPLY_CONFIDENCE", "0.5")
    s = opened(database_url)
    inferred(s, "Zebras are shy.", trigger="zebras", belief=Belief(1, 1))
    assert contents(s, "zebras") == ["Zebras are shy."]


def test_a_fresh_lesson_stands_before_an_old_one(seasoned: Seasoned, clock: FixedClock) -> None:
    inferred(seasoned, "The old zebra gate is open.", trigger="zebras")
    clock.advance(days=400)
    inferred(seasoned, "The new zebra gate is open.", trigger="zebras")
    settled(seasoned)
    assert contents(seasoned, "is the zebra gate open?") == [
        "The new zebra gate is open.",
        "The old zebra gate is open.",
    ]


def test_what_a_person_said_stands_before_what_was_inferred(seasoned: Seasoned) -> None:
    inferred(seasoned, "Zebra gates open at 8.", trigger="zebras", belief=Belief(9, 1))
    seasoned.teach("zebras", fact="Zebra gates open at 9.")
    settled(seasoned)
    assert contents(seasoned, "when do zebra gates open?")[0] == "Zebra gates open at 9."
