"""Where each provider is, and the key that may be sent there: nowhere else do keys stand.

A key that the environment holds goes to its provider's own address alone. One that stands beside an
address in the settings goes to that address.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from seasoned.core.errors import ConfigError
from seasoned.llm.http_address import header_safe, parsed
from seasoned.llm.model_wires import MODEL_WIRES
from seasoned.llm.remote_model import TERMS


@dataclass(frozen=True, slots=True)
class Place:
    """An address, empty for the provider's own, and the key for it."""

    url: str = ""
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Credentials:
    """The places that the settings name, by provider, and the keys of the environment.

    >>> Credentials({"openai": Place("http://localhost:8080", "sk-1")}).place("openai")
    Place(url='http://localhost:8080')
    """

    places: Mapping[str, Place] = field(default_factory=dict[str, Place])
    keys: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def place(self, provider: str, url: str = "") -> Place:
        """Where to ask a provider's model, with its key; `url` is given beside the model's name."""
        named = self.places.get(provider, Place())
        if url and not _same(url, named.url):
            own = _same(url, MODEL_WIRES[provider].url)
            named = Place("" if own else url, self.keys.get(provider, "") if own else "")
        key = named.key or ("" if named.url else self.keys.get(provider, ""))
        if named.url:
            parsed(named.url, TERMS)
        return Place(named.url, header_safe(key, TERMS))

    def needed(self, provider: str, model: str, url: str = "") -> Place:
        """As `place`; a provider's own address without a key is a mistake in the settings."""
        place, variable = self.place(provider, url), MODEL_WIRES[provider].key_variable
        if variable and not place.key and not place.url:
            raise ConfigError(
                f"{provider}:{model} needs a key: set llm.key or {variable}, "
                "or llm.url to a server of your own"
            )
        return place


def credentials_from(
    named: str, url: str = "", key: str = "", environment: Mapping[str, str] | None = None
) -> Credentials:
    """From the section `llm`: its address and key belong to the provider of the model `named`."""
    provider = named.partition(":")[0].strip()
    keys = {
        name: (environment or {}).get(wire.key_variable, "")
        for name, wire in MODEL_WIRES.items()
        if wire.key_variable
    }
    return Credentials({provider: Place(url.strip(), key)} if provider in MODEL_WIRES else {}, keys)


def _same(one: str, other: str) -> bool:
    return bool(other) and urlsplit(one).netloc == urlsplit(other).netloc
