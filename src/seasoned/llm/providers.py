"""Makes the model that an agent talks to from its name, as `openai:gpt-5.4-mini`.

`provider:model`, where the model may be followed by `@` and the address of a server of one's own;
`local:PATH.gguf` for a file of weights; `scripted:PATH` for answers that were written before.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from seasoned.core.errors import ConfigError
from seasoned.llm.credentials import Credentials, Place
from seasoned.llm.http_address import below, parsed
from seasoned.llm.model_wires import MODEL_WIRES
from seasoned.llm.prices import Price, listed_price, unlisted_price
from seasoned.llm.remote_model import TERMS

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.settings import ModelSettings

FREE = Price(0, 0)
KEYLESS = "none"  # what is sent to a server that wants no key: the clients insist on one
EXTRA = 'install it with: pip install "seasoned[llm]"'


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """What holds for every model; `threads` is for local ones, 0 as many as there are cores."""

    timeout_seconds: float = 60
    threads: int = 0


@dataclass(frozen=True, slots=True)
class Named:
    """A model's name, taken apart.

    >>> Named.of("openai:qwen3@http://localhost:8080/v1")
    Named(provider='openai', model='qwen3', url='http://localhost:8080/v1')
    """

    provider: str
    model: str
    url: str = ""

    @classmethod
    def of(cls, name: str) -> "Named":
        provider, _, model = (part.strip() for part in name.partition(":"))
        if provider not in PROVIDERS or not model:
            raise ConfigError(
                f"{name!r} names no model; it must be a provider and a model, like "
                f"openai:gpt-5.4-mini; the providers are {', '.join(PROVIDERS)}"
            )
        if provider not in MODEL_WIRES:
            return cls(provider, model)
        model, at, url = model.partition("@http")
        return cls(provider, model, at.removeprefix("@") + url)

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model ready to be asked: its name, what it is asked through, and what it costs.

    The key is kept to take it out of what a service says in an error.
    """

    name: str
    model: "Model" = field(repr=False)
    price: Price = FREE
    key: str = field(default="", repr=False)


def chat_model(
    name: str, credentials: Credentials | None = None, config: ChatConfig | None = None
) -> ChatModel:
    """The model of this name.

    Raises `ConfigError` where the name, its key, its file or a package that it needs is missing.
    """
    named, held = Named.of(name), credentials or Credentials()
    try:
        made = PROVIDERS[named.provider](named, held, config or ChatConfig())
    except ImportError as error:
        raise ConfigError(f"{named} needs a package that is not here ({error}); {EXTRA}") from error
    remote = named.provider in MODEL_WIRES
    key = held.place(named.provider, named.url).key if remote else ""
    return ChatModel(str(named), made, price_of(named, held), key)


def chat_models(
    names: str, credentials: Credentials | None = None, config: ChatConfig | None = None
) -> list[ChatModel]:
    """Several models, with commas between their names; one that is named twice is taken once."""
    wanted = dict.fromkeys(name.strip() for name in names.split(",") if name.strip())
    return [chat_model(name, credentials, config) for name in wanted]


def price_of(named: Named, credentials: Credentials) -> Price:
    """The list price, at a provider's own address alone; what runs on a machine here is free."""
    if named.provider not in MODEL_WIRES or not MODEL_WIRES[named.provider].key_variable:
        return FREE
    listed = listed_price(str(named))
    if credentials.place(named.provider, named.url).url or listed is None:
        return unlisted_price()
    return Price(*listed)


def _openai(named: Named, credentials: Credentials, config: ChatConfig) -> "Model":
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    place = credentials.needed(named.provider, named.model, named.url)
    key, url = place.key or KEYLESS, _base(place, "openai", "/v1", "/chat/completions")
    provider = (
        OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key)
        if place.url
        else OpenAIProvider(base_url=url, api_key=key)
    )
    settings, profile = _settings(config), _whole_streams()
    return OpenAIChatModel(named.model, provider=provider, settings=settings, profile=profile)


def _anthropic(named: Named, credentials: Credentials, config: ChatConfig) -> "Model":
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    place = credentials.needed(named.provider, named.model, named.url)
    url = _base(place, "anthropic", "", "/v1/messages", "/v1")
    provider = AnthropicProvider(api_key=place.key or KEYLESS, base_url=url)
    return AnthropicModel(named.model, provider=provider, settings=_settings(config))


def _gemini(named: Named, credentials: Credentials, config: ChatConfig) -> "Model":
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    place = credentials.needed(named.provider, named.model, named.url)
    url = _base(place, "gemini", "", "/v1beta", "/v1")
    provider = GoogleProvider(api_key=place.key or KEYLESS, base_url=url)
    return GoogleModel(named.model, provider=provider, settings=_settings(config))


def _ollama(named: Named, credentials: Credentials, config: ChatConfig) -> "Model":
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    place = credentials.needed(named.provider, named.model, named.url)
    url = _base(place, "ollama", "/v1", "/api/chat", "/api")
    provider = OllamaProvider(base_url=url, api_key=place.key or KEYLESS)
    settings, profile = _settings(config), _whole_streams()
    return OllamaModel(named.model, provider=provider, settings=settings, profile=profile)


def _local(named: Named, credentials: Credentials, config: ChatConfig) -> "Model":
    from seasoned.llm.choosing import Choosing
    from seasoned.llm.local import local_model

    made = local_model(named.model, threads=config.threads, settings=_settings(config))
    return Choosing(made)  # few models of this size were taught to call tools


def _scripted(named: Named, credentials: Credentials, config: ChatConfig) -> "Model":
    from seasoned.llm.scripted import Scripted

    return Scripted.read(named.model)


def _base(place: Place, provider: str, version: str, *endings: str) -> str:
    """The address below which the provider's client asks: without what it adds by itself."""
    given = parsed(place.url or MODEL_WIRES[provider].url, TERMS)
    path = given.path.rstrip("/")
    for ending in endings:
        path = path.removesuffix(ending)
    return below(given._replace(path=path), version, "")


def _whole_streams() -> "OpenAIModelProfile":
    """A stream that ends without saying why was cut off."""
    return {"openai_chat_streaming_requires_finish_reason": True}


def _settings(config: ChatConfig) -> "ModelSettings":
    """What is sent again, and when, is decided in one place: by the supervisor."""
    return {"timeout": config.timeout_seconds, "max_retries": 0}


PROVIDERS: "dict[str, Callable[[Named, Credentials, ChatConfig], Model]]" = {
    "openai": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "ollama": _ollama,
    "local": _local,
    "scripted": _scripted,
}
