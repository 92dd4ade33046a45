"""A request and a reply as the companion sees them, whatever the provider calls their parts."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from seasoned.wire.spans import Place

LONG_TEXT = 4096  # characters above which a text counts by its digest
NAMELESS = "#"  # begins the name that a call gets in a format without ids
UNIMPORTANT = frozenset({"cache_control", "cachePoint"})  # marks that clients move about


@dataclass(frozen=True, slots=True)
class WireCall:
    """A tool call by the model; some formats give it no id."""

    name: str
    arguments: Mapping[str, Any]
    id: str = ""


@dataclass(frozen=True, slots=True)
class WireResult:
    """What a tool answered. `failed` is None if the format does not say.

    `call` is the id of the call, or the name of the tool in a format without ids. `place` is where
    a hint goes.
    """

    call: str
    output: Any
    failed: bool | None = None
    place: Place | None = None
    tool: str = ""


@dataclass(frozen=True, slots=True)
class WireMessage:
    """One message; results of tools belong to the user's side. `place` is beside its text."""

    role: Literal["user", "assistant", "system"]
    text: str = ""
    calls: Sequence[WireCall] = ()
    results: Sequence[WireResult] = ()
    others: Sequence[Any] = ()  # images and the like
    place: Place | None = None

    @property
    def key(self) -> str:
        """Return a digest of what the message says, without marks that clients move about."""
        if self.role == "assistant":
            names = [
                ("" if one.id.startswith(NAMELESS) else one.id, one.name) for one in self.calls
            ]
            parts: Any = [self.text.strip(), names]
        else:
            answers = [(one.call, _essence(one.output)) for one in self.results]
            parts = [self.text, answers, _essence(list(self.others))]
        written = json.dumps([self.role, parts], sort_keys=True, default=str)
        return hashlib.blake2b(written.encode("utf-8", "replace"), digest_size=12).hexdigest()


@dataclass(frozen=True, slots=True)
class WireTool:
    """A tool that the model may call; its notes go to `place`."""

    name: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request to a model; `text` is its body, `standing` is where rules for the session go.

    `user` is the provider's name of the end user, `conversation` the client's of the conversation,
    `stored` one that the provider keeps, and `previous` the response that this one continues.
    """

    text: str
    system: str = ""
    messages: Sequence[WireMessage] = ()
    tools: Sequence[WireTool] = ()
    standing: Place | None = None
    user: str = ""
    conversation: str = ""
    stored: str = ""
    previous: str = ""
    most_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class WireReply:
    """A model's reply; `id` is one that a later request may name, `whole` that it ended."""

    text: str = ""
    calls: Sequence[WireCall] = field(default_factory=tuple)
    id: str = ""
    whole: bool = True

    @property
    def key(self) -> str:
        return WireMessage("assistant", self.text, self.calls).key


def _essence(value: Any) -> Any:
    """Return a value without marks, and with digests in place of long texts."""
    if isinstance(value, str):
        return value if len(value) <= LONG_TEXT else _digest(value)
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        return {name: _essence(one) for name, one in held.items() if name not in UNIMPORTANT}
    if isinstance(value, list):
        return [_essence(one) for one in cast("list[Any]", value)]
    return value


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
