"""The agent's model from the settings: fallbacks, prices, budget, privacy."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from pydantic_ai import Agent
from pydantic_ai.models import Model

from seasoned.config.settings import AgentConfig, LlmConfig
from seasoned.core.clock import FixedClock
from seasoned.core.errors import ConfigError
from seasoned.db.database import Database
from seasoned.llm.chat.models import agent_chain, agent_model

KEYS = {"ANTHROPIC_API_KEY": "a-key"}


def names(agent: AgentConfig, llm: LlmConfig) -> list[str]:
    return [chat.name for chat in agent_chain(agent, llm, KEYS)]


def test_the_agents_own_model_comes_first_then_those_to_go_on_with() -> None:
    llm = LlmConfig(model="openai:small", url="http://box:8080")
    assert names(AgentConfig(), llm) == ["openai:small"]
    agent = AgentConfig(model="openai:large", fallback="anthropic:claude-haiku-4-5, ollama:q")
    assert names(agent, llm) == ["openai:large", "anthropic:claude-haiku-4-5", "ollama:q"]
    assert names(AgentConfig(), LlmConfig()) == []


def test_an_address_without_a_background_model_belongs_to_the_agents() -> None:
    (chat,) = agent_chain(AgentConfig(model="openai:m"), LlmConfig(url="http://box:8080"))
    assert chat.model.base_url == "http://box:8080/v1/"


def test_a_price_in_the_settings_is_for_the_models_of_that_provider() -> None:
    llm = LlmConfig(
        model="openai:m",
        url="http://box:8080",
        input_usd_per_million=0.1,
        output_usd_per_million=0.2,
    )
    agent = AgentConfig(fallback="anthropic:claude-haiku-4-5")
    first, second = agent_chain(agent, llm, KEYS)
    assert (first.price.input_usd, second.price.input_usd) == (0.1, 1.0)


def test_a_fallback_without_its_key_is_told_at_once() -> None:
    with pytest.raises(ConfigError, match="GEMINI_API_KEY"):
        agent_chain(AgentConfig(model="ollama:q", fallback="gemini:g"), LlmConfig())


def script(tmp_path: Path, name: str, text: str) -> str:
    file = tmp_path / name
    file.write_text(text)
    return f"scripted:{file}"


def said(model: Model, prompt: str) -> str:
    async def run() -> str:
        async with model:
            return (await Agent(model).run(prompt)).output

    return anyio.run(run)


def test_the_model_is_supervised_and_redacted_if_requested(
    db: Database, clock: FixedClock, tmp_path: Path
) -> None:
    failing = script(tmp_path, "a.json", '[{"fail": 401}, {"fail": 401}]')
    working = script(tmp_path, "b.json", '["Hello <EMAIL_1>."]')
    agent = AgentConfig(model=failing, fallback=working)
    parts: dict[str, Any] = {"db": db, "clock": clock}
    open_one = agent_model(agent, LlmConfig(), **parts)
    shut = agent_model(agent, LlmConfig(), redact=True, **parts)
    assert open_one is not None
    assert shut is not None
    assert said(open_one, "I am ana@example.com") == "Hello <EMAIL_1>."
    assert said(shut, "I am ana@example.com") == "Hello ana@example.com."
    status: list[dict[str, Any]] = getattr(shut, "status")()  # noqa: B009
    assert [one["answered"] for one in status] == [0, 1]
    assert agent_model(replace(agent, model="", fallback=""), LlmConfig(), **parts) is None
