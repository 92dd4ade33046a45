"""Ask a model's server whether it is there, by a request that costs nothing: for its models."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from seasoned.core.errors import SeasonedError
from seasoned.llm.chat.credentials import REMOTE_PROVIDERS, Credentials, ModelEndpoint
from seasoned.llm.chat.providers import ModelName
from seasoned.llm.embed.http_address import address_below
from seasoned.security.redact import redact

VERSIONS = {"gemini": "/v1beta"}  # where the others have /v1
KEY_HEADERS = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}
OTHER_HEADERS = {"anthropic": {"anthropic-version": "2023-06-01"}}


@dataclass(frozen=True, slots=True)
class Reached:
    """What became of the question; `problem` is empty if the model can be asked.

    `usable` is False if no answer can come; a problem beside True may be none.
    """

    checked: str
    problem: str = ""
    usable: bool = True


def reach(name: str, credentials: Credentials, seconds: float) -> Reached:
    """Find out whether a model can be asked; raises nothing, and sends no prompt."""
    try:
        named = ModelName.of(name)
        if named.provider not in REMOTE_PROVIDERS:
            return _file(named)
        endpoint = credentials.required(named.provider, named.model, named.url)
    except SeasonedError as error:
        return Reached(name, str(error), usable=False)
    return _server(named, endpoint, seconds)


def _file(named: ModelName) -> Reached:
    if Path(named.model).expanduser().is_file():
        return Reached(f"the file {named.model} is there")
    return Reached(str(named), f"there is no file {named.model}", usable=False)


def _server(named: ModelName, endpoint: ModelEndpoint, seconds: float) -> Reached:
    import httpx2

    own = endpoint.url or REMOTE_PROVIDERS[named.provider].url
    # A setting may name the address of a call; the list of models stands beside it.
    base = own.removesuffix("/").removesuffix("/chat/completions").removesuffix("/messages")
    url = address_below(urlsplit(base), VERSIONS.get(named.provider, "/v1"), "/models")
    shown = redact(url)
    try:
        reply = httpx2.get(url, headers=_headers(named.provider, endpoint.key), timeout=seconds)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        reason = str(error) or type(error).__name__
        return Reached(shown, f"{shown} does not answer ({reason})", usable=False)
    if reply.status_code in (401, 403):
        return Reached(shown, f"{shown} refuses the key ({reply.status_code})", usable=False)
    if reply.status_code >= 500:
        return Reached(shown, f"{shown} answers with {reply.status_code}", usable=False)
    listed = _listed(reply) if reply.status_code == 200 else []
    if listed and not any(_same(named.model, one) for one in listed):
        return Reached(shown, f"{shown} does not list {named.model}")
    return Reached(f"{shown} answers")


def _headers(provider: str, key: str) -> dict[str, str]:
    if not key:
        return {}
    header = KEY_HEADERS.get(provider)
    own = {header: key} if header else {"Authorization": f"Bearer {key}"}
    return own | OTHER_HEADERS.get(provider, {})


def _listed(reply: Any) -> list[str]:
    """Return the names in a list of models; none if it is no such list."""
    try:
        document: Any = reply.json()
    except ValueError:
        return []
    if not isinstance(document, dict):
        return []
    held = cast("dict[str, Any]", document)
    entries: Any = held.get("data") or held.get("models") or []
    if not isinstance(entries, list):
        return []
    return [_name(one) for one in cast("list[Any]", entries)]


def _name(entry: Any) -> str:
    if not isinstance(entry, dict):
        return ""
    held = cast("dict[str, Any]", entry)
    return str(held.get("id") or held.get("name") or "")


def _same(model: str, listed: str) -> bool:
    """Compare names: Gemini lists `models/NAME`, Ollama `NAME:latest`.

    >>> _same("qwen3", "qwen3:latest"), _same("gemini-3", "models/gemini-3"), _same("a", "b")
    (True, True, False)
    """
    return listed in (model, f"models/{model}", f"{model}:latest")
