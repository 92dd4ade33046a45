"""The address of an HTTP service, and the names of its settings and errors."""

from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from seasoned.core.errors import ConfigError, SeasonedError
from seasoned.security.redact import redact


@dataclass(frozen=True, slots=True)
class ServiceTerms:
    """The names of one kind of service's settings, and the errors that it raises."""

    url: str
    key: str
    checked: str  # the settings to check when it refuses
    refused: type[SeasonedError]  # trying again does not help
    unavailable: type[SeasonedError]  # a later try may work
    too_long: type[SeasonedError]  # a shorter request may work
    shows_path: bool = True  # in errors; False if a path may hold a secret


def parse_address(url: str, terms: ServiceTerms) -> SplitResult:
    """Parse an http(s) address; anything else is a mistake in the settings."""
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


def address_below(given: SplitResult, version: str, path: str) -> str:
    """Return the address of a call, below the one that the settings name.

    >>> address_below(urlsplit("http://localhost:8080"), "/v1", "/embeddings")
    'http://localhost:8080/v1/embeddings'
    >>> address_below(urlsplit("https://example.com/openai/v1/?tenant=7"), "/v1", "/embeddings")
    'https://example.com/openai/v1/embeddings?tenant=7'
    >>> address_below(urlsplit("https://example.com/v1/embeddings"), "/v1", "/embeddings")
    'https://example.com/v1/embeddings'
    """
    own = given.path.rstrip("/") or version
    return given._replace(path=own if own.endswith(path) else own + path).geturl()


def header_safe(key: str, terms: ServiceTerms) -> str:
    """Strip a key, and check that a header can hold it."""
    key = key.strip()
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f"{terms.key} holds characters that no key has; copy it again")
    return key
