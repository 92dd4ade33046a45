"""Picks the language model that the settings ask for."""

from typing import TYPE_CHECKING, Protocol

from seasoned.core.errors import ConfigError

if TYPE_CHECKING:
    from seasoned.llm.model import Model

HERE = ("local", "scripted")  # models that run in this process


class ModelSettings(Protocol):
    """The part of the section `llm` that says which model, and where."""

    @property
    def model(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def timeout_seconds(self) -> float: ...


def model_from(settings: ModelSettings) -> "Model | None":
    """The model to ask; None where the settings name none, and rules are made without.

    Raises `ConfigError` when the settings cannot be used.
    """
    if not settings.model.strip():
        return None
    from seasoned.llm.model_wires import MODEL_WIRES
    from seasoned.llm.remote_model import RemoteModel

    provider, _, model = (part.strip() for part in settings.model.partition(":"))
    if provider in HERE:
        return _here(settings.model, settings.timeout_seconds)
    wire = MODEL_WIRES.get(provider)
    if wire is None or not model:
        raise ConfigError(
            f"llm.model is {settings.model!r}; it must be a provider and a model, like "
            f"openai:gpt-5.4-mini; the providers are {', '.join((*MODEL_WIRES, *HERE))}"
        )
    if wire.key_variable and not settings.key and not settings.url:
        raise ConfigError(
            f"llm.model is {settings.model!r}, which needs a key: set llm.key or "
            f"{wire.key_variable}, or llm.url to a server of your own"
        )
    return RemoteModel(
        wire,
        model,
        url=settings.url,
        key=settings.key,
        timeout_seconds=settings.timeout_seconds,
    )


def _here(name: str, timeout_seconds: float) -> "Model":
    """A model of this process; a scripted one answers such questions by itself."""
    from seasoned.llm.providers import ChatConfig, chat_model

    chat = chat_model(name, config=ChatConfig(timeout_seconds))
    if chat.name.startswith("scripted:"):
        from seasoned.llm.scripted import Scripted

        assert isinstance(chat.model, Scripted)
        return chat.model
    from seasoned.llm.structured import Background

    return Background(chat)
