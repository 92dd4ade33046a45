"""Know where each provider is, and which key may be sent there; keys are kept nowhere else.

A key from the environment goes to its provider's own address only, or to the address that the
environment names for it. A key that stands beside an address in the settings goes to that address.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from seasoned.core.errors import ConfigError, ModelError, ModelUnavailable
from seasoned.llm.embed.http_address import ServiceTerms, header_safe, parse_address

TERMS = ServiceTerms(
    url="llm.url",
    key="llm.key",
    checked="llm.key, llm.model and llm.url",
    refused=ModelError,
    unavailable=ModelUnavailable,
    too_long=ModelError,
)


@dataclass(frozen=True, slots=True)
class RemoteProvider:
    """A provider's own address, and the variable that usually holds its key, if it needs one."""

    url: str
    key_variable: str = ""


REMOTE_PROVIDERS = {
    "openai": RemoteProvider("https://api.openai.com", "OPENAI_API_KEY"),
    "anthropic": RemoteProvider("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    "gemini": RemoteProvider("https://generativelanguage.googleapis.com", "GEMINI_API_KEY"),
    "ollama": RemoteProvider("http://127.0.0.1:11434"),
}


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """An address, empty for the provider's own, and the key for it."""

    url: str = ""
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Credentials:
    """The endpoints that the settings name, and the keys and addresses of the environment.

    >>> Credentials({"openai": ModelEndpoint("http://localhost:8080", "sk-1")}).endpoint("openai")
    ModelEndpoint(url='http://localhost:8080')
    """

    endpoints: Mapping[str, ModelEndpoint] = field(default_factory=dict[str, ModelEndpoint])
    keys: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    addresses: Mapping[str, str] = field(default_factory=dict[str, str])

    def endpoint(self, provider: str, url: str = "") -> ModelEndpoint:
        """Return a provider's address and key; `url` is the address beside the model's name."""
        named = self.endpoints.get(provider, ModelEndpoint())
        own, key = self.addresses.get(provider, ""), self.keys.get(provider, "")
        if not named.url or _same_host(named.url, own):
            named = ModelEndpoint(own, named.key or key)
        if url and not _same_host(url, named.url):
            is_own = _same_host(url, REMOTE_PROVIDERS[provider].url)
            named = ModelEndpoint("" if is_own else url, key if is_own else "")
        key = named.key
        if named.url:
            parse_address(named.url, TERMS)
        return ModelEndpoint(named.url, header_safe(key, TERMS))

    def required(self, provider: str, model: str, url: str = "") -> ModelEndpoint:
        """Return `endpoint`; raise `ConfigError` for a provider's own address without a key."""
        endpoint = self.endpoint(provider, url)
        variable = REMOTE_PROVIDERS[provider].key_variable
        if variable and not endpoint.key and not endpoint.url:
            raise ConfigError(
                f"{provider}:{model} needs a key: set llm.key or {variable}, "
                "or llm.url to a server of your own"
            )
        return endpoint


def credentials_from(
    named: str,
    url: str = "",
    key: str = "",
    environment: Mapping[str, str] | None = None,
    addresses: Mapping[str, str] | None = None,
) -> Credentials:
    """Read section `llm`: its address and key belong to the provider of the model `named`.

    `environment` holds the providers' keys by variable, `addresses` their addresses by provider.
    """
    provider = named.partition(":")[0].strip()
    keys = {
        name: (environment or {}).get(one.key_variable, "")
        for name, one in REMOTE_PROVIDERS.items()
        if one.key_variable
    }
    known = provider in REMOTE_PROVIDERS
    endpoints = {provider: ModelEndpoint(url.strip(), key)} if known else {}
    return Credentials(endpoints, keys, addresses or {})


def _same_host(one: str, other: str) -> bool:
    return bool(other) and urlsplit(one).netloc == urlsplit(other).netloc
