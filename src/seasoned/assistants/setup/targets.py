"""The files that connecting changes: what they get, how it is taken out, whether it is there.

Each target turns the bytes of a file into the bytes that it should have; who writes them, and asks
before, is `connection`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from seasoned.assistants.setup.json_text import BrokenJson, Key, Node, added, parse, removed
from seasoned.core.errors import BadInput

# What commands and addresses of ours look like, whichever version wrote them.
OURS = re.compile(
    r"seasoned-hook\b|assistants[\\/.]client(?:\.py)?\b"
    r"|https?://[^/]+/hooks/(?:claude-code|codex|gemini|opencode|cursor|copilot|cline)\b"
)
SERVER = "seasoned"  # the name of the MCP entry


class Target(Protocol):
    """A file that connecting changes; None stands for a file that is not there."""

    @property
    def path(self) -> Path: ...

    @property
    def mode(self) -> int | None:
        """The permissions of a new file."""
        ...

    def connected(self, before: bytes | None) -> bytes: ...

    def disconnected(self, before: bytes) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class JsonEntry:
    """A member (`key`) of the object at a path, or an item (None) of the array there."""

    path: tuple[str, ...]
    key: str | None
    value: Any


@dataclass(frozen=True, slots=True)
class JsonSettings:
    """Settings that belong to the assistant: ours are added, everything else stays."""

    path: Path
    entries: Sequence[JsonEntry]
    frame: Mapping[str, Any]  # members that the file must have, added if they are missing
    mode: int | None = None

    def connected(self, before: bytes | None) -> bytes:
        text = _text(self.path, before or b"")
        try:
            root = parse(text) if text.strip() else None
            if root is not None and self._has_all(root):
                return before or b""
            text = _without_ours(text) if root is not None else ""
            for name, value in self.frame.items():
                if not text.strip() or parse(text).at([name]) is None:
                    text = added(text, [], name, value)
            for one in self.entries:
                text = added(text, one.path, one.key, one.value)
        except BrokenJson as error:
            raise BadInput(
                f"{self.path} is no valid JSON ({error}); nothing was written: mend it first"
            ) from error
        except BadInput as error:
            raise BadInput(f"{self.path}: {error}") from error
        return text.encode()

    def disconnected(self, before: bytes) -> bytes | None:
        try:
            text = _text(self.path, before)
            if not text.strip() or next(_our_places(parse(text)), None) is None:
                return before
            text = _without_ours(text)
            left = parse(text).value
        except BrokenJson as error:
            raise BadInput(
                f"{self.path} is no valid JSON ({error}); nothing was written: mend it first"
            ) from error
        # A file with nothing but its frame was made for us.
        return None if left == {} or left == dict(self.frame) else text.encode()

    def _has_all(self, root: Node) -> bool:
        """Tell whether everything wanted is there, and nothing else of ours."""
        wanted = [self._is_there(root, one) for one in self.entries]
        ours = sum(1 for _ in _our_places(root))
        return all(wanted) and ours == len(self.entries)

    @staticmethod
    def _is_there(root: Node, entry: JsonEntry) -> bool:
        node = root.at(entry.path if entry.key is None else (*entry.path, entry.key))
        if node is None:
            return False
        return node.value == entry.value if entry.key is not None else entry.value in node.value


def _without_ours(text: str) -> str:
    """Remove what is ours, and containers that are empty because of it."""
    while place := next(_our_places(parse(text)), None):
        text = removed(text, place)
        for end in range(len(place) - 1, 0, -1):
            above = parse(text).at(place[:end])
            if above is None or above.entries or isinstance(place[end - 1], int):
                break
            text = removed(text, place[:end])
    return text


def _our_places(root: Node) -> Iterator[tuple[Key, ...]]:
    """Yield the paths of our hooks, groups of hooks, and MCP entries."""
    for servers in ("mcpServers", "mcp"):
        entry = root.at([servers, SERVER])
        if entry is not None and _mentions_seasoned(entry.value):
            yield (servers, SERVER)
    hooks = root.at(["hooks"])
    for event in hooks.entries if hooks else ():
        for group in event.value.entries if event.value.kind == "array" else ():
            place = ("hooks", event.key, group.key)
            inner = group.value.at(["hooks"])
            if inner is None or inner.kind != "array":
                if is_ours(group.value.value):
                    yield place
                continue
            ours = [one.key for one in inner.entries if is_ours(one.value.value)]
            if ours and len(ours) == len(inner.entries):
                yield place
            else:
                yield from ((*place, "hooks", key) for key in ours)


def is_ours(value: Any) -> bool:
    """Tell whether a hook runs our command, or calls our address.

    >>> is_ours({"type": "command", "command": "seasoned-hook --host codex"}), is_ours({"x": "y"})
    (True, False)
    """
    if isinstance(value, str):
        return OURS.search(value) is not None
    if isinstance(value, dict):
        return any(is_ours(one) for one in cast("dict[str, Any]", value).values())
    return isinstance(value, list) and any(is_ours(one) for one in cast("list[Any]", value))


def _mentions_seasoned(value: Any) -> bool:
    if isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        return any(_mentions_seasoned(found.get(name)) for name in ("command", "args", "url"))
    if isinstance(value, list):
        return any(_mentions_seasoned(one) for one in cast("list[Any]", value))
    return isinstance(value, str) and "seasoned" in value


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that is ours as a whole: a plugin, a script, a file of hooks."""

    path: Path
    content: str
    mode: int | None = None

    def connected(self, before: bytes | None) -> bytes:
        if before is not None and not OURS.search(before.decode("utf-8", "replace")):
            raise BadInput(
                f"{self.path} is there already, and not ours; call `seasoned-hook` from it, or "
                "move it away"
            )
        return self.content.encode()

    def disconnected(self, before: bytes) -> bytes | None:
        return None if OURS.search(before.decode("utf-8", "replace")) else before


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table at the end of a TOML file, which holds everything else as it was."""

    path: Path
    table: tuple[str, ...]
    lines: str  # the table with its heading
    mode: int | None = None

    def connected(self, before: bytes | None) -> bytes:
        text = _text(self.path, before or b"")
        if self._find(text) is not None:
            return before or b""
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}{self.lines}".encode()

    def disconnected(self, before: bytes) -> bytes | None:
        text = _text(self.path, before)
        whole = self._parsed(text)
        if self._find(text) is None:
            return before
        heading = re.escape(f"[{'.'.join(self.table)}]")
        lines = rf"(?m)(?:^\r?\n)?^{heading}[ \t]*\r?\n(?:(?!\[|\s*$).*(?:\n|\Z))*"
        left = re.sub(lines, "", text, count=1)
        if self._find(left) is not None or self._parsed(left) != _pruned(whole, self.table):
            raise BadInput(
                f"[{'.'.join(self.table)}] in {self.path} is written in another way than ours; "
                "remove it by hand, nothing was written"
            )
        return left.encode() if left.strip() else None

    def _find(self, text: str) -> Any:
        found: Any = self._parsed(text)
        for name in self.table:
            found = cast("dict[str, Any]", found).get(name) if isinstance(found, dict) else None
        return found

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text.replace("\r\n", "\n"))
        except tomllib.TOMLDecodeError as error:
            raise BadInput(
                f"{self.path} is no valid TOML ({error}); nothing was written: mend it first"
            ) from error


def _pruned(whole: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return a document without the table at a path, and without tables that are empty then."""
    name, *rest = path
    left = {key: value for key, value in whole.items() if key != name}
    inner = _pruned(whole[name], rest) if rest else {}
    return {**left, name: inner} if inner else left


def _text(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8; it is unchanged: convert it first") from error
