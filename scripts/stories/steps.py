"""The words in which a sample session is told."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

RNG = random.Random(20250314)


@dataclass(frozen=True)
class Step:
    """Something said (`role`, `text`), or a call of a tool with what came of it."""

    role: str = ""
    text: str = ""
    tool: str = ""
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    result: Any = None
    error: str | None = None


@dataclass(frozen=True)
class Story:
    """One session: where and when it took place, and what happened."""

    place: str
    day: str
    steps: Sequence[Step]


def user(text: str) -> Step:
    return Step("user", text)


def bot(text: str) -> Step:
    return Step("assistant", text)


def ok(tool: str, result: Any, **params: Any) -> Step:
    return Step(tool=tool, params=params, result=result)


def no(tool: str, error: str, **params: Any) -> Step:
    return Step(tool=tool, params=params, error=error)
