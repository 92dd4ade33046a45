"""Where a service is, and in which words its settings and its failures are told."""

from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from seasoned.core.errors import ConfigError, SeasonedError
from seasoned.security.redact import redact


@dataclass(frozen=True, slots=True)
class Terms:
    """The settings that one kind of service has, by name, and the errors that it ends in."""

    url: str
    key: str
    checked: str  # what to look at when it refuses
    refused: type[SeasonedError]  # asking again does not help
    unavailable: type[SeasonedError]  # it may help later
    too_long: type[SeasonedError]  # asking for less may help
    shows_path: bool = True  # in an error; False where a path may hold a secret


def parsed(url: str, terms: Terms) -> SplitResult:
    """An address that can be asked; anything else is a mistake in the settings."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable, parts = False, urlsplit("")
    if not usable:
        raise ConfigError(
            f"{terms.url} is {redact(url)!r}; it must be an address like https://example.com/v1"
        )
    if "@" in parts.netloc:
        raise ConfigError(f"{terms.url} holds a name or a password; put the key in {terms.key}")
    return parts


def below(given: SplitResult, version: str, path: str) -> str:
    """The address of the call below the one that the settings name.

    >>> below(urlsplit("http://localhost:8080"), "/v1", "/embeddings")
    'http://localhost:8080/v1/embeddings'
    >>> below(urlsplit("https://example.com/openai/v1/?tenant=7"), "/v1", "/embeddings")
    'https://example.com/openai/v1/embeddings?tenant=7'
    >>> below(urlsplit("https://example.com/v1/embeddings"), "/v1", "/embeddings")
    'https://example.com/v1/embeddings'
    """
    own = given.path.rstrip("/") or version
    return given._replace(path=own if own.endswith(path) else own + path).geturl()


def header_safe(key: str, terms: Terms) -> str:
    """A key as a header can hold it."""
    key = key.strip()
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f"{terms.key} holds characters that no key has; copy it once more")
    return key
