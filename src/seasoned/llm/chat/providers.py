"""Build a chat model from its name, as `openai:gpt-5.4-mini`.

A name is `provider:model`, optionally followed by `@` and the address of your own server;
`local:PATH.gguf` is a file of weights, `scripted:PATH` a file of prepared answers.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from seasoned.core.errors import ConfigError
from seasoned.core.extras import missing_extra
from seasoned.llm.chat.credentials import REMOTE_PROVIDERS, TERMS, Credentials, ModelEndpoint
from seasoned.llm.cost.prices import Price, listed_price, unlisted_price
from seasoned.llm.embed.http_address import address_below, parse_address
from seasoned.security.redact import redact

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.profiles import ModelProfile
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.settings import ModelSettings

# The builders import each provider's client when one of its models is named: clients take long to
# load, and a base installation doesn't have them.
FREE = Price(0, 0)
KEYLESS = "none"  # sent to servers that want no key, because the clients insist on one


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """Options of every model; `threads` is for local ones, 0 means one per core."""

    timeout_seconds: float = 60
    threads: int = 0


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model's name, split into its parts.

    >>> ModelName.of("openai:qwen3@http://localhost:8080/v1")
    ModelName(provider='openai', model='qwen3', url='http://localhost:8080/v1')
    """

    provider: str
    model: str
    url: str = ""

    @classmethod
    def of(cls, name: str) -> "ModelName":
        provider, _, model = (part.strip() for part in name.partition(":"))
        if provider not in PROVIDERS or not model:
            raise ConfigError(
                f"{name!r} names no model; it must be a provider and a model, like "
                f"openai:gpt-5.4-mini; the providers are {', '.join(PROVIDERS)}"
            )
        if provider not in REMOTE_PROVIDERS:
            return cls(provider, model)
        model, at, url = model.partition("@http")
        return cls(provider, model, at.removeprefix("@") + url)

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model ready to be asked, with its name and price; `key` is removed from error messages.

    `address` is told in error messages; it is empty for a model in this process.
    """

    name: str
    model: "Model" = field(repr=False)
    price: Price = FREE
    key: str = field(default="", repr=False)
    address: str = ""


def chat_model(
    name: str, credentials: Credentials | None = None, config: ChatConfig | None = None
) -> ChatModel:
    """Return the model of this name.

    Raises `ConfigError` if the name, its key or its file is missing, `MissingExtra` without its
    client.
    """
    named, held = ModelName.of(name), credentials or Credentials()
    try:
        made = PROVIDERS[named.provider](named, held, config or ChatConfig())
    except ImportError as error:
        raise missing_extra("llm", f"{named} needs a missing package ({error})") from error
    if named.provider not in REMOTE_PROVIDERS:
        return ChatModel(str(named), made)
    endpoint = held.endpoint(named.provider, named.url)
    address = endpoint.url or REMOTE_PROVIDERS[named.provider].url
    return ChatModel(
        *(str(named), made, price_of(named, held), endpoint.key), shown_address(address)
    )


def chat_models(
    names: str, credentials: Credentials | None = None, config: ChatConfig | None = None
) -> list[ChatModel]:
    """Return the models of a comma-separated list of names, without repetitions."""
    wanted = dict.fromkeys(name.strip() for name in names.split(",") if name.strip())
    return [chat_model(name, credentials, config) for name in wanted]


def shown_address(url: str) -> str:
    """Return an address as errors tell it: without its query and its secrets.

    >>> shown_address("https://example.com/openai/v1?tenant=7")
    'https://example.com/openai/v1'
    """
    return redact(urlsplit(url)._replace(query="", fragment="").geturl().rstrip("/"))


def check_name(name: str, credentials: Credentials) -> None:
    """Raise `ConfigError` for a name, address or key that cannot work; loads no client."""
    named = ModelName.of(name)
    if named.provider in REMOTE_PROVIDERS:
        credentials.required(named.provider, named.model, named.url)


def price_of(named: ModelName, credentials: Credentials) -> Price:
    """Return the list price for a provider's own address; models on your machines are free."""
    if named.provider not in REMOTE_PROVIDERS or not REMOTE_PROVIDERS[named.provider].key_variable:
        return FREE
    listed = listed_price(str(named))
    if credentials.endpoint(named.provider, named.url).url or listed is None:
        return unlisted_price()
    return Price(*listed)


def _openai(named: ModelName, credentials: Credentials, config: ChatConfig) -> "Model":
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    endpoint = credentials.required(named.provider, named.model, named.url)
    key, url = endpoint.key or KEYLESS, _base(endpoint, "openai", "/v1", "/chat/completions")
    provider = (
        OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key)
        if endpoint.url
        else OpenAIProvider(base_url=url, api_key=key)
    )
    _send_query(provider, endpoint)
    settings, profile = _settings(config), _openai_profile()
    return OpenAIChatModel(named.model, provider=provider, settings=settings, profile=profile)


def _anthropic(named: ModelName, credentials: Credentials, config: ChatConfig) -> "Model":
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    endpoint = credentials.required(named.provider, named.model, named.url)
    url = _base(endpoint, "anthropic", "", "/v1/messages", "/v1")
    provider = AnthropicProvider(api_key=endpoint.key or KEYLESS, base_url=url)
    _send_query(provider, endpoint)
    return AnthropicModel(named.model, provider=provider, settings=_settings(config))


def _gemini(named: ModelName, credentials: Credentials, config: ChatConfig) -> "Model":
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    endpoint = credentials.required(named.provider, named.model, named.url)
    url = _base(endpoint, "gemini", "", "/v1beta", "/v1")
    query = urlsplit(endpoint.url).query  # this client keeps it apart from the path
    url = f"{url}?{query}" if query else url
    provider = GoogleProvider(api_key=endpoint.key or KEYLESS, base_url=url)
    profile: ModelProfile = {"default_structured_output_mode": "native"}
    return GoogleModel(named.model, provider=provider, settings=_settings(config), profile=profile)


def _ollama(named: ModelName, credentials: Credentials, config: ChatConfig) -> "Model":
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    endpoint = credentials.required(named.provider, named.model, named.url)
    url = _base(endpoint, "ollama", "/v1", "/api/chat", "/api")
    provider = OllamaProvider(base_url=url, api_key=endpoint.key or KEYLESS)
    _send_query(provider, endpoint)
    settings, profile = _settings(config), _openai_profile()
    return OllamaModel(named.model, provider=provider, settings=settings, profile=profile)


def _local(named: ModelName, credentials: Credentials, config: ChatConfig) -> "Model":
    from seasoned.llm.chat.choosing import Choosing
    from seasoned.llm.chat.local import local_model

    made = local_model(named.model, threads=config.threads, settings=_settings(config))
    return Choosing(made)  # few models of this size are trained to call tools


def _scripted(named: ModelName, credentials: Credentials, config: ChatConfig) -> "Model":
    from seasoned.llm.chat.scripted import Scripted

    return Scripted.read(named.model)


def _base(endpoint: ModelEndpoint, provider: str, version: str, *endings: str) -> str:
    """Return the base address for the provider's client, without the path that it adds itself."""
    given = parse_address(endpoint.url or REMOTE_PROVIDERS[provider].url, TERMS)
    path = given.path.rstrip("/")
    for ending in endings:
        path = path.removesuffix(ending)
    return address_below(given._replace(path=path, query=""), version, "")


def _send_query(provider: Any, endpoint: ModelEndpoint) -> None:
    """Let the provider's client send the query of its address with every request."""
    if query := dict(parse_qsl(urlsplit(endpoint.url).query)):
        provider._client = provider.client.copy(default_query=query)


def _openai_profile() -> "OpenAIModelProfile":
    """Treat a stream without a finish reason as cut off; ask for data by a schema, not by a tool.

    Servers such as llama.cpp, vLLM and Ollama enforce a schema, and small models call tools badly.
    """
    return {
        "openai_chat_streaming_requires_finish_reason": True,
        "supports_json_schema_output": True,
        "supports_json_object_output": True,
        "default_structured_output_mode": "native",
    }


def _settings(config: ChatConfig) -> "ModelSettings":
    """Clients don't retry: the supervisor decides that alone."""
    return {"timeout": config.timeout_seconds, "max_retries": 0}


PROVIDERS: "dict[str, Callable[[ModelName, Credentials, ChatConfig], Model]]" = {
    "openai": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "ollama": _ollama,
    "local": _local,
    "scripted": _scripted,
}
