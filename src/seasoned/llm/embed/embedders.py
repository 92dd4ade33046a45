"""Make the embedder that the settings ask for."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from seasoned.core.errors import ConfigError

if TYPE_CHECKING:
    from seasoned.llm.embed.embedder import Embedder


class EmbeddingSettings(Protocol):
    """The section `embedding` of the settings."""

    @property
    def provider(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def timeout_seconds(self) -> float: ...
    @property
    def batch(self) -> int: ...


def embedder_from(settings: EmbeddingSettings) -> "Embedder | None":
    """Make the embedder; None if the settings want search by words alone.

    Raises `ConfigError` if the settings contradict themselves, and `Unsupported` if a package is
    not installed: then search by words still works.
    """
    make = PROVIDERS.get(settings.provider)
    if make is None:
        raise ConfigError(
            f"embedding.provider is {settings.provider!r}; it must be one of {', '.join(PROVIDERS)}"
        )
    return make(settings)


# Each provider is imported when it is chosen: it may need an extra, or be slow to load.
def _wordllama(settings: EmbeddingSettings) -> "Embedder":
    from seasoned.llm.embed.wordllama import DIMENSIONS, WordLlama

    _only_own_model(settings, DIMENSIONS)
    return WordLlama(settings.dimensions or DIMENSIONS[0])


def _minilm(settings: EmbeddingSettings) -> "Embedder":
    from seasoned.llm.embed.minilm import WIDTH, MiniLm

    _only_own_model(settings, (WIDTH,))
    return MiniLm()


def _only_own_model(settings: EmbeddingSettings, dimensions: tuple[int, ...]) -> None:
    name = settings.provider
    for key in ("model", "url"):
        if given := getattr(settings, key):
            raise ConfigError(
                f"embedding.{key} is {given!r}, but {name} is a single model in this process; "
                "leave it empty, or choose another embedding.provider"
            )
    if settings.dimensions not in (0, *dimensions):
        raise ConfigError(
            f"embedding.dimensions is {settings.dimensions}; "
            f"{name} has {', '.join(map(str, dimensions))}"
        )


def _remote(settings: EmbeddingSettings) -> "Embedder":
    from seasoned.llm.embed.remote import WIRES, RemoteEmbedder

    wire = WIRES[settings.provider]
    if wire.key_variable and not settings.key and not settings.url:
        raise ConfigError(
            f"embedding.provider is {wire.name}, which needs a key: set embedding.key or "
            f"{wire.key_variable}, or embedding.url to a server of your own"
        )
    return RemoteEmbedder(
        wire,
        model=settings.model,
        url=settings.url,
        key=settings.key,
        dimensions=settings.dimensions,
        timeout_seconds=settings.timeout_seconds,
        batch=settings.batch,
    )


def _none(settings: EmbeddingSettings) -> None:
    return None


PROVIDERS: "dict[str, Callable[[EmbeddingSettings], Embedder | None]]" = {
    "wordllama": _wordllama,
    "minilm": _minilm,
    "openai": _remote,
    "gemini": _remote,
    "ollama": _remote,
    "none": _none,
}
