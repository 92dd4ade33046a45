"""Sources of layers: punctual ones are included, slow or failing ones only noted."""

import asyncio
import threading
import time
from collections.abc import Callable, Generator, Iterable
from typing import Any, cast

import pytest

from seasoned import AsyncSeasoned, Seasoned
from seasoned.core.errors import BadInput
from seasoned.recall.context import Context, LayerRequest, LayerSource

pytestmark = pytest.mark.sqlite_only

Recall = Callable[..., Context]


@pytest.fixture
def release() -> Generator[threading.Event]:
    """Yield the event that slow sources wait for; set it at the end, so that they stop."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture(params=["sync", "sync in a loop", "async"])
def recall(
    request: pytest.FixtureRequest,
    database_url: str,
    home: object,
    monkeypatch: pytest.MonkeyPatch,
) -> Recall:
    """Return a function that recalls with given sources and deadline, sync or async."""

    def ordinary(sources: dict[str, LayerSource]) -> Context:
        with Seasoned(database_url) as s:
            s.teach("deploying", fact="Deploys take an hour.")
            for layer, source in sources.items():
                s.provide(cast("Any", layer), source)
            return s.recall("how long does a deploy take?")

    async def inside(sources: dict[str, LayerSource]) -> Context:
        return ordinary(sources)

    async def proper(sources: dict[str, LayerSource]) -> Context:
        async with AsyncSeasoned(database_url) as s:
            await s.teach("deploying", fact="Deploys take an hour.")
            for layer, source in sources.items():
                s.provide(cast("Any", layer), source)
            return await s.recall("how long does a deploy take?")

    def with_deadline(sources: dict[str, LayerSource], seconds: float = 30) -> Context:
        monkeypatch.setenv("SEASONED_KNOWLEDGE__DEADLINE_SECONDS", str(seconds))
        if request.param == "sync":
            return ordinary(sources)
        way = inside if request.param == "sync in a loop" else proper
        return asyncio.run(way(sources))

    return with_deadline


def lines(context: Context) -> list[str]:
    return [line for line in context.turn.splitlines() if line.startswith("•")]


def notes(context: Context) -> list[str]:
    """Return the notes about sources, without the one that nothing is embedded yet."""
    return [note for note in context.notes if not note.startswith("went by words alone")]


def giving(*texts: str) -> LayerSource:
    def source(request: LayerRequest) -> tuple[str, ...]:
        return texts

    return source


def test_what_sources_give_stands_in_their_layers(recall: Recall) -> None:
    context = recall({"observations": giving("seen"), "skills": giving("done", "before")})
    assert lines(context) == ["• [fact] Deploys take an hour.", "• done", "• before", "• seen"]
    assert notes(context) == []


def test_a_slow_source_is_cut_off_and_the_answer_says_so(
    recall: Recall, release: threading.Event
) -> None:
    def slow(_: LayerRequest) -> list[str]:
        release.wait(60)
        return ["too late"]

    began = time.monotonic()
    context = recall({"observations": slow, "reflections": giving("in time")}, seconds=0.5)
    assert time.monotonic() - began < 20
    assert "• in time" in lines(context)  # although the slow source came first
    assert "too late" not in context.text
    assert "observations: cut off, its source took too long" in context.notes
    assert not any(note.startswith("reflections") for note in notes(context))


def test_a_failing_source_breaks_nothing_and_is_named(recall: Recall) -> None:
    def failing(_: LayerRequest) -> list[str]:
        raise OSError("the memory is on another machine")

    context = recall({"reflections": failing, "skills": giving("still there")})
    assert {"• still there", "• [fact] Deploys take an hour."} <= set(lines(context))
    told = "reflections: its source failed (OSError: the memory is on another machine)"
    assert notes(context) == [told]


def test_a_source_may_use_seasoned_itself(recall: Recall, database_url: str) -> None:
    def nested(_: LayerRequest) -> list[str]:
        with Seasoned(database_url) as inner:
            return [one.content for one in inner.lessons()]

    assert "• Deploys take an hour." in lines(recall({"skills": nested}))


def endless(_: LayerRequest) -> Iterable[str]:
    number = 0
    while True:
        number += 1
        yield f"line {number}"


def one_text(_: LayerRequest) -> str:
    return "one text is one line"


ODD: list[tuple[LayerSource, list[str]]] = [
    (one_text, ["• one text is one line"]),
    (giving("", "  ", "a\nb"), ["• a b"]),
    (giving(), []),
    (giving("nul \x00 and \ud800 end"), ["• nul \ufffd and \ufffd end"]),
    (giving("x" * 10_000), [f"• {'x' * 599}…"]),
    (endless, ["• line 1", "• line 2", "• line 3"]),
]


@pytest.mark.parametrize(("source", "told"), ODD, ids=range(len(ODD)))
def test_a_source_may_be_odd(seasoned: Seasoned, source: LayerSource, told: list[str]) -> None:
    seasoned.provide("skills", source)
    assert lines(seasoned.recall("x")) == told


def nothing_at_all(_: LayerRequest) -> None:
    """Return None by mistake."""


def numbers(_: LayerRequest) -> list[int]:
    return [1, 2]


def of_no_request() -> list[str]:
    return ["x"]


@pytest.mark.parametrize("source", [nothing_at_all, numbers, of_no_request])
def test_a_source_that_gives_no_texts_is_noted(seasoned: Seasoned, source: Any) -> None:
    seasoned.provide("skills", source)
    context = seasoned.recall("x")
    assert context.text == ""
    assert context.notes[0].startswith("skills: its source failed (TypeError")


def test_a_later_source_takes_the_earlier_ones_place(seasoned: Seasoned) -> None:
    seasoned.provide("skills", lambda _: ["old"])
    seasoned.provide("skills", lambda _: ["new"])
    assert lines(seasoned.recall("x")) == ["• new"]


def test_an_invalid_source_is_refused(seasoned: Seasoned) -> None:
    async def later(request: LayerRequest) -> list[str]:
        return [request.query]

    with pytest.raises(BadInput, match="layer 'lessons' takes no source"):
        seasoned.provide("lessons", lambda _: [])
    with pytest.raises(BadInput, match="is async; give an ordinary function"):
        seasoned.provide("skills", cast("Any", later))


def test_a_hanging_source_does_not_accumulate_threads(
    database_url: str,
    opened: Callable[..., Seasoned],
    release: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SEASONED_KNOWLEDGE__DEADLINE_SECONDS", "0.01")
    monkeypatch.setenv("SEASONED_EMBEDDING__PROVIDER", "none")
    s = opened(database_url)
    s.provide("skills", lambda _: [str(release.wait(60))])
    before = threading.active_count()
    said = [s.recall("x").notes for _ in range(40)]
    assert threading.active_count() - before <= 20
    assert "skills: its source is stuck in 16 earlier requests" in said[-1]
    release.set()
