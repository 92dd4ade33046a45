"""Items of the Responses shape: calls and their outputs as entries beside the messages."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from seasoned.transcripts.parts import Answered, Called, Part
from seasoned.transcripts.shapes import arguments, first, items, mapping, text

_SHELLS = frozenset({"bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash"})


def item_parts(item: Mapping[str, Any]) -> Iterator[Part]:
    """The call or the output that an item stands for; nothing if it is neither."""
    kind = text(item.get("type"))
    call_id = first(item, "call_id", "id")
    call_id = call_id if isinstance(call_id, str) else None
    if kind in ("function_call", "custom_tool_call") and text(item.get("name")):
        params = arguments(first(item, "arguments", "input"))
        yield Called(item["name"], _plain_command(params), call_id)
    elif kind == "local_shell_call":
        action = dict(mapping(item.get("action")))
        action.pop("type", None)
        yield Called("local_shell", _plain_command(action), call_id)
    elif kind.endswith("_call_output"):
        failed = True if item.get("status") in ("failed", "incomplete") else None
        yield Answered(item.get("output"), failed, call_id)


def _plain_command(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """A command given as words, as the line one would type: what changes is then plain to see.

    >>> _plain_command({"command": ["bash", "-lc", "pytest -q"], "workdir": "/src"})
    {'command': 'pytest -q', 'workdir': '/src'}
    """
    words = [word for word in items(params.get("command")) if isinstance(word, str)]
    if not words or len(words) != len(items(params.get("command"))):
        return params
    wrapped = len(words) == 3 and words[0] in _SHELLS and words[1] in ("-c", "-lc")
    return {**params, "command": words[2] if wrapped else shlex.join(words)}
