"""What was different between a call that failed and the call that worked: the raw form of a fix."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

Kind = Literal["added", "removed", "replaced", "renamed", "retyped", "rewritten"]
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Step:
    """A successful call that stood between the failure and the success."""

    tool: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Edit:
    """One parameter that changed; `detail` is plain JSON whose form depends on `kind`.

    - added, replaced: `value` is a plan (see `change_plan`), or absent when episodes disagree;
      replaced also has `old`, when the value that failed was always the same
    - renamed: `to` is the new key;  retyped: `to` is the name of a type
    - rewritten: `programs`, ranked alternatives that turn the old text into the new one
    """

    path: Path
    kind: Kind
    detail: Mapping[str, Any]


@dataclass(frozen=True)
class Preparation:
    """A step to take first; its params hold plans, so that it fits other calls too."""

    tool: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    """Edits to the parameters and steps taken before; neither means: simply try again.

    >>> change = Change(edits=(Edit(("timeout",), "retyped", {"to": "int"}),))
    >>> Change.from_json(change.to_json()) == change
    True
    """

    edits: tuple[Edit, ...] = ()
    steps: tuple[Preparation, ...] = ()

    @property
    def is_retry(self) -> bool:
        return not self.edits and not self.steps

    def to_json(self) -> dict[str, Any]:
        return {
            "edits": [[list(e.path), e.kind, dict(e.detail)] for e in self.edits],
            "steps": [[s.tool, dict(s.params)] for s in self.steps],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Change":
        edits = cast("list[tuple[list[str | int], Kind, dict[str, Any]]]", data["edits"])
        steps = cast("list[tuple[str, dict[str, Any]]]", data["steps"])
        return cls(
            tuple(Edit(tuple(path), kind, detail) for path, kind, detail in edits),
            tuple(Preparation(tool, params) for tool, params in steps),
        )
