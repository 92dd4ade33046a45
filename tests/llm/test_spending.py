"""Spending: counted, and stopped at the budget for any number of callers."""

import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.json_service import SPOKEN, JsonService, Reply

from seasoned.config.settings import AgentConfig, LlmConfig
from seasoned.core.clock import FixedClock
from seasoned.core.errors import BudgetSpent, ModelError, ModelUnavailable
from seasoned.db.database import Database
from seasoned.db.opening import open_database
from seasoned.llm.chat.models import agent_chain, background_model
from seasoned.llm.cost.prices import CAUTIOUS, Price
from seasoned.llm.cost.spending import Spending, SpendingStore, day_of
from seasoned.llm.model import AnswerSchema, Model, ModelAnswer, ModelQuestion

YES: dict[str, Any] = {
    "type": "object",
    "properties": {"yes": {"type": "boolean"}},
    "required": ["yes"],
    "additionalProperties": False,
}
QUESTION = ModelQuestion("Answer.", "Well?", AnswerSchema("yes", YES), most_tokens=100)
COSTS = Price(1.0, 10.0)
Ask = Callable[..., Model]


@pytest.fixture
def server() -> Generator[JsonService]:
    there = JsonService(Reply(SPOKEN["openai"]({"yes": True}, tokens=(1000, 100))))
    yield there
    there.stop()


@pytest.fixture
def budgeted(server: JsonService, clock: FixedClock) -> Ask:
    def make(
        db: Database,
        *,
        price: Price = COSTS,
        daily_usd: float = 1.0,
        model: str = "openai:m",
        timeout_seconds: float = 20,
    ) -> Model:
        settings = LlmConfig(
            model=model,
            url=server.url,
            timeout_seconds=timeout_seconds,
            input_usd_per_million=price.input_usd,
            output_usd_per_million=price.output_usd,
            daily_budget_usd=daily_usd,
        )
        made = background_model(settings, "rules", db=db, clock=clock)
        assert made is not None
        return made

    return make


def summary(db: Database, days: int = 7) -> list[Spending]:
    async def read() -> list[Spending]:
        async with db.read() as tx:
            return await SpendingStore(db).summary(tx, days)

    return db.run(read())


def spent(db: Database, day: str) -> float:
    async def read() -> float:
        async with db.read() as tx:
            return await SpendingStore(db).spent(tx, day)

    return db.run(read())


def test_calls_tokens_and_dollars_are_counted(
    db: Database, budgeted: Ask, clock: FixedClock
) -> None:
    model = budgeted(db)
    for _ in range(3):
        assert model.answer(QUESTION).data == {"yes": True}
    (row,) = summary(db)
    assert row == Spending("2023-11-14", "rules", "openai:m", 3, 3000, 300, row.usd)
    assert row.usd == pytest.approx(3 * 0.002)  # pyright: ignore[reportUnknownMemberType]
    assert spent(db, day_of(clock.now())) == row.usd


def test_a_used_up_budget_refuses_before_asking_and_is_there_again_tomorrow(
    db: Database, budgeted: Ask, server: JsonService, clock: FixedClock
) -> None:
    model = budgeted(db, daily_usd=0.003)
    model.answer(QUESTION)
    model.answer(QUESTION)  # starts below the budget, so it may overshoot by its own cost
    with pytest.raises(BudgetSpent, match=r"\$0\.0040 of the \$0\.003 .* llm\.dailyBudgetUsd"):
        model.answer(QUESTION)
    assert len(server.asked) == 2
    clock.advance(days=1)
    model.answer(QUESTION)
    assert [(row.day, row.calls) for row in summary(db)] == [("2023-11-15", 1), ("2023-11-14", 2)]
    assert [row.day for row in summary(db, days=1)] == ["2023-11-15"]


def test_no_budget_means_no_call_that_costs(
    db: Database, budgeted: Ask, server: JsonService
) -> None:
    with pytest.raises(BudgetSpent):
        budgeted(db, daily_usd=0).answer(QUESTION)
    assert server.asked == []


def test_a_free_model_is_counted_and_never_refused(db: Database, budgeted: Ask) -> None:
    budgeted(db, price=Price(0, 0), daily_usd=0, model="ollama:m").answer(QUESTION)
    (row,) = summary(db)
    assert (row.calls, row.input_tokens, row.usd) == (1, 1000, 0)


def test_an_answer_that_could_not_be_used_is_paid_for_too(
    db: Database, budgeted: Ask, server: JsonService
) -> None:
    server.replies = [Reply(SPOKEN["openai"]("no JSON", tokens=(1000, 100)))]
    with pytest.raises(ModelError):
        budgeted(db).answer(QUESTION)
    (row,) = summary(db)
    assert (row.calls, row.input_tokens, row.output_tokens) == (2, 2000, 200)


def test_a_call_that_timed_out_counts_with_the_longest_answer(
    db: Database, budgeted: Ask, server: JsonService
) -> None:
    server.replies = [Reply(SPOKEN["openai"]({"yes": True}), delay_seconds=5)]
    with pytest.raises(ModelUnavailable, match="no whole answer within"):
        budgeted(db, timeout_seconds=0.5).answer(QUESTION)
    (row,) = summary(db)
    assert (row.calls, row.output_tokens) == (1, 100)
    assert row.usd >= COSTS.usd(0, 100)


def test_a_model_that_cannot_be_asked_at_all_is_not_counted(
    db: Database, budgeted: Ask, tmp_path: Path
) -> None:
    script = tmp_path / "empty.json"
    script.write_text('{"data": {}}')
    with pytest.raises(ModelError, match="no more answers for 'yes'"):
        budgeted(db, model=f"scripted:{script}").answer(QUESTION)
    (row,) = summary(db)
    assert (row.calls, row.input_tokens, round(row.usd, 9)) == (0, 0, 0)


def test_threads_may_share_a_model(db: Database, budgeted: Ask) -> None:
    model = budgeted(db)
    answered: list[ModelAnswer] = []
    askers = [
        threading.Thread(target=lambda: answered.append(model.answer(QUESTION))) for _ in range(4)
    ]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert [one.data for one in answered] == [{"yes": True}] * 4


def test_a_call_that_did_not_happen_costs_nothing(
    db: Database, budgeted: Ask, server: JsonService
) -> None:
    server.stop()
    with pytest.raises(ModelUnavailable):
        budgeted(db).answer(QUESTION)
    (row,) = summary(db)
    assert abs(row.usd) < 1e-12


def test_askers_with_databases_of_their_own_overshoot_by_one_call_at_most(
    database_url: str, db: Database, budgeted: Ask, server: JsonService, clock: FixedClock
) -> None:
    """Like several processes: each caller has its own connections, and all ask at once."""
    server.replies = [Reply(SPOKEN["openai"]({"yes": True}, tokens=(1000, 100)), delay_seconds=0.3)]
    answered: list[ModelAnswer] = []
    refused: list[BudgetSpent] = []
    ready = threading.Barrier(8)

    def ask() -> None:
        own = open_database(database_url, busy_seconds=20)
        own.run(own.open())
        model = budgeted(own, price=Price(0, 20.0), daily_usd=0.003)
        ready.wait()
        try:
            answered.append(model.answer(QUESTION))
        except BudgetSpent as error:
            refused.append(error)
        own.run(own.close())
        own.shutdown()

    askers = [threading.Thread(target=ask) for _ in range(8)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert (len(answered), len(refused)) == (2, 6)  # $0.002 each
    assert spent(db, day_of(clock.now())) < 0.003 + 0.002


@pytest.mark.parametrize(
    ("settings", "price"),
    [
        ({"model": "openai:gpt-5.4-mini"}, Price(0.75, 4.5)),
        ({"model": "openai:gpt-5.4-mini-2026-03-17"}, Price(0.75, 4.5)),
        ({"model": "openai:gpt-5.4-mini", "url": "http://x/v1"}, Price(*CAUTIOUS, known=False)),
        ({"model": "openai:gpt-5-ultra"}, Price(*CAUTIOUS, known=False)),
        ({"model": "openai:gpt-5.9"}, Price(*CAUTIOUS, known=False)),
        ({"model": "anthropic:claude-opus-5-5"}, Price(4, 20)),
        ({"model": "anthropic:claude-haiku-4-5-20251001"}, Price(1, 5)),
        ({"model": "gemini:gemini-2.5-flash"}, Price(0.3, 2.5)),
        ({"model": "ollama:llama3.2"}, Price(0, 0)),
        ({"model": "openai:y", "input_usd_per_million": 3.0}, Price(3, 0)),
    ],
)
def test_a_price_is_set_listed_or_guessed_with_caution(
    settings: dict[str, Any], price: Price
) -> None:
    (chat,) = agent_chain(AgentConfig(), LlmConfig(key="key", **settings))
    found = chat.price
    assert found == price
    assert found.known or "unknown" in str(found)
