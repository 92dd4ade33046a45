"""Model names become models; keys go only to their own address, and are never shown."""

import subprocess
import sys
from typing import Any

import pytest

from seasoned.core.errors import ConfigError
from seasoned.llm.chat.credentials import Credentials, ModelEndpoint, credentials_from
from seasoned.llm.chat.providers import chat_model, chat_models

KEY = "sk-very-secret-key-0123456789"
ENVIRONMENT = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": "ant-key", "GEMINI_API_KEY": "gem-key"}
OWN = {
    "openai:m": "https://api.openai.com/v1/",
    "anthropic:m": "https://api.anthropic.com",
    "gemini:m": "https://generativelanguage.googleapis.com",
    "ollama:m": "http://127.0.0.1:11434/v1/",
}


@pytest.mark.parametrize("name", list(OWN))
def test_a_provider_is_asked_at_its_own_address(name: str) -> None:
    chat = chat_model(name, credentials_from("", environment=ENVIRONMENT))
    assert (chat.name, chat.model.base_url) == (name, OWN[name])


@pytest.mark.parametrize(
    ("name", "url", "base"),
    [
        ("openai:m", "http://box:8080", "http://box:8080/v1/"),
        ("openai:m", "http://box:8080/v1/chat/completions", "http://box:8080/v1/"),
        ("openai:m", "http://box/openai/v1/", "http://box/openai/v1/"),
        ("anthropic:m", "http://box:8080/v1", "http://box:8080"),
        ("gemini:m", "http://box:8080/v1beta", "http://box:8080"),
        ("ollama:m", "http://box:11434/api/chat", "http://box:11434/v1/"),
    ],
)
def test_an_address_may_be_written_in_any_usual_way(name: str, url: str, base: str) -> None:
    chat = chat_model(name, credentials_from(name, url, "key"))
    assert chat.model.base_url == base


def client_key(name: str, credentials: Credentials) -> str:
    client: Any = chat_model(name, credentials).model.provider.client  # pyright: ignore
    return client.api_key


def test_the_environments_key_goes_to_the_providers_own_address_alone() -> None:
    there = credentials_from("openai:m", "http://box:8080", environment=ENVIRONMENT)
    assert client_key("openai:m", there) == "none"
    assert client_key("anthropic:m", there) == "ant-key"
    assert client_key("anthropic:m@http://box:9090", there) == "none"
    assert client_key("openai:m@https://api.openai.com/v1", there) == KEY


def test_a_key_of_the_settings_goes_with_its_address_alone() -> None:
    given = credentials_from("openai:m", "http://box:8080", KEY)
    assert client_key("openai:other", given) == KEY
    assert client_key("openai:other@http://box:9090", given) == "none"


def test_a_key_is_never_shown() -> None:
    credentials = credentials_from("openai:m", "http://box", KEY, ENVIRONMENT)
    chat = chat_model("openai:m", credentials)
    assert KEY not in f"{credentials!r} {chat!r} {chat.model!r} {ModelEndpoint('x', KEY)!r}"
    with pytest.raises(ConfigError) as raised:
        chat_model("openai:m", credentials_from("openai:m", "", f"{KEY}\n{KEY}"))
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gpt-5", "names no model; it must be a provider and a model"),
        ("acme:m", "the providers are openai, anthropic, gemini, ollama, local, scripted"),
        ("openai:", "names no model"),
        ("openai:m", "needs a key: set llm.key or OPENAI_API_KEY, or llm.url"),
        ("openai:m@http://", "must be an address like"),
        ("local:/nowhere.gguf", "the weights cannot be read"),
    ],
)
def test_a_name_that_cannot_be_used_is_told_with_what_to_do(name: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        chat_model(name)


def test_several_models_are_named_with_commas() -> None:
    names = "anthropic:claude-haiku-4-5, ollama:qwen3:8b,, anthropic:claude-haiku-4-5"
    chats = chat_models(names, credentials_from("", environment=ENVIRONMENT))
    assert [chat.name for chat in chats] == ["anthropic:claude-haiku-4-5", "ollama:qwen3:8b"]
    assert [chat.price.known for chat in chats] == [True, True]
    assert [chat.price.free for chat in chats] == [False, True]


def test_the_price_of_a_private_server_is_a_cautious_guess() -> None:
    chat = chat_model("openai:gpt-5", credentials_from("openai:gpt-5", "http://box", ""))
    assert not chat.price.known


def test_a_missing_package_is_told_with_how_to_get_it() -> None:
    code = (
        "import sys\n"
        "sys.modules['pydantic_ai'] = None\n"
        "from seasoned.llm.chat.providers import chat_model\n"
        "try: chat_model('ollama:m')\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("MissingExtra ollama:m needs a missing package")
    assert "pip install" in said.stdout
    assert "[llm]" in said.stdout


def test_provider_clients_are_not_imported_before_a_model_is_used() -> None:
    code = (
        "import sys, seasoned, seasoned.app\n"
        "import seasoned.llm.chat.providers, seasoned.llm.chat.models\n"
        "print([name for name in ('pydantic_ai', 'openai', 'httpx2') if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
