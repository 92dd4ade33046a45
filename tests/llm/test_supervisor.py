"""The supervisor: retries, fallbacks, pauses after failures, and the budget."""

import random
from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
import pytest
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters

from seasoned.core.clock import FixedClock
from seasoned.core.errors import BudgetSpent, ModelError, ModelUnavailable
from seasoned.db.database import Database
from seasoned.llm.chat.attempt import request_tokens
from seasoned.llm.chat.breaker import BreakerConfig
from seasoned.llm.chat.providers import ChatModel
from seasoned.llm.chat.scripted import Call, Fail, Say, Scripted
from seasoned.llm.chat.supervisor import Supervised, SupervisorConfig
from seasoned.llm.cost.daily_budget import DailyBudget
from seasoned.llm.cost.prices import Price
from seasoned.llm.cost.spending import Spending, SpendingStore

pytestmark = pytest.mark.sqlite_only

Made = Callable[..., Supervised]


class Sleeper:
    """A sleep that advances the clock instead of waiting, and records the seconds."""

    def __init__(self, clock: FixedClock) -> None:
        self.clock = clock
        self.waits: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.clock.advance(seconds=seconds)


@pytest.fixture
def sleeper(clock: FixedClock) -> Sleeper:
    return Sleeper(clock)


@pytest.fixture
def supervised(clock: FixedClock, sleeper: Sleeper) -> Made:
    def make(*models: Model | ChatModel, **options: Any) -> Supervised:
        given: dict[str, Any] = {
            "clock": clock,
            "sleep": sleeper,
            "rng": random.Random(7),
            **options,
        }
        return Supervised(models, **given)

    return make


def said(model: Model, prompt: str = "Hi", **options: Any) -> str:
    async def ask() -> str:
        return (await Agent(model).run(prompt, **options)).output

    return anyio.run(ask)


def streamed(model: Model, into: list[str] | None = None) -> str:
    pieces: list[str] = [] if into is None else into

    async def ask() -> str:
        async with Agent(model).run_stream("Hi") as stream:
            async for piece in stream.stream_text(delta=True, debounce_by=None):
                pieces.append(piece)  # noqa: PERF401 - some are seen before it breaks
        return "".join(pieces)

    return anyio.run(ask)


@pytest.fixture(params=[said, streamed], ids=["plain", "streamed"])
def ask(request: pytest.FixtureRequest) -> Callable[[Model], str]:
    return request.param


def test_transient_errors_are_retried_with_growing_pauses(
    supervised: Made, sleeper: Sleeper, ask: Callable[[Model], str]
) -> None:
    model = Scripted(Fail(500), Fail(0), "There you are, at last.")
    assert ask(supervised(model)) == "There you are, at last."
    first, second = sleeper.waits
    assert 0.25 <= first <= 0.75
    assert 0.5 <= second <= 1.5


def test_the_pause_that_the_service_asks_for_is_kept(
    supervised: Made, sleeper: Sleeper, ask: Callable[[Model], str]
) -> None:
    assert ask(supervised(Scripted(Fail(429, retry_after=7), "Now."))) == "Now."
    assert 7 <= sleeper.waits[0] <= 7.5


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_permanent_errors_are_never_retried(
    supervised: Made, sleeper: Sleeper, status: int, ask: Callable[[Model], str]
) -> None:
    model = Scripted(Fail(status, message="no, thank you"), "never said")
    with pytest.raises(ModelError, match=f"scripted:script: it answered {status}: no, thank you"):
        ask(supervised(model))
    assert (model.left, sleeper.waits) == (1, [])


def test_the_next_model_goes_on_where_one_fails(
    supervised: Made, ask: Callable[[Model], str]
) -> None:
    first = Scripted(Fail(401), name="first")
    second = Scripted(Fail(503), "From the second.", name="second")
    model = supervised(first, second)
    assert ask(model) == "From the second."
    one, other = model.status()
    assert (one["model"], one["failed"], one["answered"]) == ("scripted:first", 1, 0)
    assert (other["asked"], other["failed"], other["retried"], other["answered"]) == (2, 1, 1, 1)
    assert one["last_error"].startswith("it answered 401")


def test_a_conversation_with_tools_goes_on_with_the_next_model(supervised: Made) -> None:
    first = Scripted(Say(calls=(Call("add", {"a": 1, "b": 2}),)), Fail(400), name="first")
    second = Scripted(lambda asked: f"It is {3 if 'content=3' in asked.text else '?'}.")
    agent = Agent(supervised(first, second))

    @agent.tool_plain
    def add(a: int, b: int) -> int:  # pyright: ignore[reportUnusedFunction]
        return a + b

    async def run() -> str:
        return (await agent.run("1 + 2?")).output

    assert anyio.run(run) == "It is 3."


def test_when_nobody_answers_the_error_tells_of_each_and_whether_to_come_back(
    supervised: Made, ask: Callable[[Model], str]
) -> None:
    models = Scripted(Fail(401, "bad key"), name="a"), Scripted(*[Fail(500, "ouch")] * 3, name="b")
    with pytest.raises(ModelUnavailable) as raised:
        ask(supervised(*models))
    told = str(raised.value)
    assert "scripted:a: it answered 401: bad key" in told
    assert "scripted:b: it answered 500: ouch" in told
    assert "Try again later" in told


def test_a_key_that_a_service_repeats_is_not_shown(supervised: Made) -> None:
    key = "zz-unusual-key-42"
    chat = ChatModel("openai:m", Scripted(Fail(401, f"wrong key {key}")), key=key)
    model = supervised(chat)
    with pytest.raises(ModelError) as raised:
        said(model)
    assert key not in f"{raised.value!r} {raised.value.__cause__!r} {model.status()} {chat!r}"


def test_a_model_that_asks_for_a_long_pause_is_skipped_until_then(
    supervised: Made, sleeper: Sleeper, clock: FixedClock
) -> None:
    first = Scripted(Fail(429, retry_after=300), "I am back.", name="first")
    second = Scripted("Meanwhile.", "Still here.", name="second")
    model = supervised(first, second)
    assert said(model) == "Meanwhile."
    assert sleeper.waits == []
    clock.advance(seconds=200)
    assert said(model) == "Still here."
    clock.advance(seconds=110)
    assert said(model) == "I am back."


def test_a_model_that_keeps_failing_is_left_alone_and_tried_out_later(
    supervised: Made, clock: FixedClock, ask: Callable[[Model], str]
) -> None:
    config = SupervisorConfig(tries=1, breaker=BreakerConfig(failures=2, rest_seconds=30))
    model = Scripted(Fail(500), Fail(500), Fail(500), "Well again.", "Indeed.")
    watched = supervised(model, config=config)
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            ask(watched)
    with pytest.raises(ModelUnavailable, match="left alone for 30 s"):
        ask(watched)
    assert (len(model.asked), watched.status()[0]["state"]) == (2, "open")
    clock.advance(seconds=31)
    assert watched.status()[0]["state"] == "half-open"
    with pytest.raises(ModelUnavailable, match="answered 500"):
        ask(watched)
    with pytest.raises(ModelUnavailable, match="left alone"):
        ask(watched)
    clock.advance(seconds=31)
    assert ask(watched) == "Well again."
    assert watched.status()[0]["state"] == "closed"


def test_a_stream_that_breaks_before_it_says_anything_is_begun_anew(supervised: Made) -> None:
    model = Scripted(Say("never seen", breaks_after=0), "Whole and well.")
    assert streamed(supervised(model)) == "Whole and well."


def test_a_stream_that_keeps_breaking_at_once_goes_to_the_next_model(supervised: Made) -> None:
    first = Scripted(*[Say("never seen", breaks_after=0)] * 3, name="first")
    assert streamed(supervised(first, Scripted("From the second."))) == "From the second."


def test_a_stream_that_breaks_in_the_middle_is_an_error_and_nobody_repeats_it(
    supervised: Made,
) -> None:
    first, second = Scripted(Say("Once upon a time there was", breaks_after=1)), Scripted("no")
    model, seen = supervised(first, second), list[str]()
    with pytest.raises(ModelUnavailable, match=r"broke off in the middle .* ask again"):
        streamed(model, seen)
    assert "".join(seen) == "Once upon a "
    assert (second.left, model.status()[0]["broken"]) == (1, 1)


def test_errors_of_the_calling_program_are_not_retried(supervised: Made) -> None:
    model = supervised(Scripted(), Scripted("never said"))
    with pytest.raises(ModelError, match="has given all its answers"):
        said(model)


PRICE = Price(1000.0, 10_000.0)  # per token: $0.001 in, $0.01 out


def priced(*answers: Any) -> ChatModel:
    return ChatModel("openai:m", Scripted(*answers), PRICE)


async def _rows(db: Database) -> list[Spending]:
    async with db.read() as tx:
        return await SpendingStore(db).summary(tx, 7)


async def _spent(db: Database) -> float:
    async with db.read() as tx:
        return await SpendingStore(db).spent(tx, "2023-11-14")


def test_calls_are_counted_for_the_agent_and_not_against_learning(
    db: Database, supervised: Made, clock: FixedClock, ask: Callable[[Model], str]
) -> None:
    answer = Say("Yes, that is so.", input_tokens=10, output_tokens=2)
    ask(supervised(priced(Fail(500), answer), budget=DailyBudget(db, clock)))
    (row,) = db.run(_rows(db))
    assert (row.purpose, row.model, row.calls) == ("agent", "openai:m", 1)
    assert (row.input_tokens, row.output_tokens, round(row.usd, 6)) == (10, 2, 0.03)
    assert db.run(_spent(db)) == 0


def test_the_day_ends_with_its_budget_and_the_next_begins_anew(
    db: Database, supervised: Made, clock: FixedClock, ask: Callable[[Model], str]
) -> None:
    answers = [Say("Yes.", input_tokens=10, output_tokens=2)] * 3
    model = supervised(priced(*answers), budget=DailyBudget(db, clock, daily_usd=0.05))
    assert ask(model) == ask(model) == "Yes."
    with pytest.raises(BudgetSpent, match=r"agent\.dailyBudgetUsd"):
        ask(model)
    clock.advance(days=1)
    assert ask(model) == "Yes."


@pytest.mark.both_dialects
def test_a_model_that_is_free_goes_on_when_the_budget_is_spent(
    db: Database, supervised: Made, clock: FixedClock
) -> None:
    answer = Say("Paid.", input_tokens=100, output_tokens=2)
    free = Scripted("Free.", name="free")
    budget = DailyBudget(db, clock, daily_usd=0.05)
    model = supervised(priced(answer, "no"), free, budget=budget)
    assert [said(model), said(model)] == ["Paid.", "Free."]


@pytest.mark.both_dialects
def test_tokens_have_a_budget_too(db: Database, supervised: Made, clock: FixedClock) -> None:
    answers = [Say("Yes.", input_tokens=40, output_tokens=10)] * 3
    model = supervised(Scripted(*answers), budget=DailyBudget(db, clock, daily_tokens=100))
    assert [said(model), said(model)] == ["Yes.", "Yes."]
    with pytest.raises(BudgetSpent, match="100 of the 100 tokens"):
        said(model)


def test_an_answer_that_nobody_waited_for_costs_what_was_asked_and_seen(
    db: Database, supervised: Made, clock: FixedClock
) -> None:
    long = Say("word " * 200, input_tokens=10, output_tokens=250)
    model = supervised(priced(long), budget=DailyBudget(db, clock, daily_usd=99))

    async def leave() -> None:
        async with Agent(model).run_stream("Hi") as stream:
            pieces: AsyncIterator[str] = stream.stream_text(delta=True, debounce_by=None)
            async for _ in pieces:
                await stream.cancel()
                break

    anyio.run(leave)
    (row,) = db.run(_rows(db))
    assert row.calls == 1
    assert 0 < row.usd < 1


def test_a_picture_counts_as_a_page_and_not_by_its_bytes() -> None:
    picture = BinaryContent(b"\x89PNG" * 500_000, media_type="image/png")
    asked = [ModelRequest(parts=[UserPromptPart(["What is it?", picture])])]
    assert 1500 <= request_tokens(asked, ModelRequestParameters()) <= 1510
