"""Addresses of providers in the environment, under the names that their own clients read."""

from pathlib import Path

import pytest

from seasoned.config import load
from seasoned.llm.chat.models import agent_chain
from seasoned.llm.chat.providers import ChatModel


def first_of(model: str, environment: dict[str, str], profile: Path | None = None) -> ChatModel:
    config = load(environment | {"SEASONED_AGENT__MODEL": model}, profile)
    settings = config.settings
    return agent_chain(settings.agent, settings.llm, config.keys, config.addresses)[0]


@pytest.mark.parametrize(
    ("provider", "variable", "value", "base"),
    [
        ("openai", "OPENAI_BASE_URL", "http://box:8080/v1", "http://box:8080/v1/"),
        ("openai", "OPENAI_API_BASE", "http://box:8080/v1", "http://box:8080/v1/"),
        ("anthropic", "ANTHROPIC_BASE_URL", "http://box:8080", "http://box:8080"),
        ("gemini", "GOOGLE_GEMINI_BASE_URL", "http://box:8080", "http://box:8080"),
        ("gemini", "GEMINI_BASE_URL", "http://box:8080", "http://box:8080"),
        ("ollama", "OLLAMA_BASE_URL", "http://box:8080/v1", "http://box:8080/v1/"),
        ("ollama", "OLLAMA_HOST", "box:8080", "http://box:8080/v1/"),
        ("ollama", "OLLAMA_HOST", "box", "http://box:11434/v1/"),
    ],
)
def test_the_environment_names_a_providers_address(
    provider: str, variable: str, value: str, base: str
) -> None:
    keys = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"), "a-key")
    chat = first_of(f"{provider}:m", {**keys, variable: value})
    assert str(chat.model.base_url).rstrip("/") == base.rstrip("/")
    assert chat.key == ("" if provider == "ollama" else "a-key")


def test_the_background_model_goes_to_the_same_address_as_the_agents() -> None:
    config = load({"SEASONED_LLM__MODEL": "openai:m", "OPENAI_BASE_URL": "http://box:8080/v1"})
    assert config.settings.llm.url == "http://box:8080/v1"
    assert config.origins["llm.url"] == "environment (OPENAI_BASE_URL)"


def test_an_address_in_the_settings_wins_and_the_environments_key_does_not_go_there() -> None:
    chat = first_of(
        "openai:m",
        {
            "OPENAI_BASE_URL": "http://box:8080/v1",
            "OPENAI_API_KEY": "a-key",
            "SEASONED_LLM__URL": "http://mine:9000/v1",
        },
    )
    assert str(chat.model.base_url) == "http://mine:9000/v1/"
    assert chat.key == ""


def test_an_address_beside_the_name_wins_over_all() -> None:
    given = {"OPENAI_BASE_URL": "http://box:8080/v1", "OPENAI_API_KEY": "a-key"}
    chat = first_of("openai:m@http://mine:9000/v1", given)
    assert str(chat.model.base_url) == "http://mine:9000/v1/"
    assert chat.key == ""
    own = first_of("openai:m@https://api.openai.com/v1", given)
    assert str(own.model.base_url) == "https://api.openai.com/v1/"
    assert own.key == "a-key"
