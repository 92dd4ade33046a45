"""The steps of a scripted model: texts, tool calls, failures.

A script is a JSON file: a list of steps, or an object with `answers` (such a list) and `data` (the
answers to background questions: lists by the name of their schema).

    ["Hello.",
     {"calls": [{"tool": "read", "args": {"path": "a.txt"}}, {"tool": "now"}]},
     {"fail": 429, "retry_after": 2},
     {"say": "Done.", "thinking": "It is there.", "delay_seconds": 0.1}]
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, cast

from seasoned.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A tool call; arguments given as a text are sent unchanged, to test broken ones."""

    tool: str
    args: Mapping[str, Any] | str = field(default_factory=dict[str, Any])
    id: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """An answer: a text, tool calls (several run in parallel), or both.

    `breaks_after` loses the connection after so many pieces of a stream; a request without a stream
    then gets no answer at all. `pause_seconds` is the time before each piece of a stream.
    """

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    thinking: str = ""
    input_tokens: int = 0  # 0: estimated
    output_tokens: int = 0
    delay_seconds: float = 0
    breaks_after: int | None = None
    pause_seconds: float = 0


@dataclass(frozen=True, slots=True)
class Fail:
    """A failure: an HTTP status, or 0 for a lost connection."""

    status: int = 0
    message: str = "scripted to fail"
    retry_after: float | None = None
    delay_seconds: float = 0


Step = Say | Fail
Data = Mapping[str, list[dict[str, Any]]]  # answers to background questions, by schema


def read_script(path: Path) -> tuple[list[Step], Data]:
    """Read a script; `ConfigError` tells the place of a mistake."""
    try:
        content: Any = json.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the script {path} cannot be read: {error}") from error
    except ValueError as error:
        raise ConfigError(f"the script {path} is not JSON: {error}") from error
    given = _sections(content, path)
    steps = [
        step_from(one, f"{path}, step {n}") for n, one in enumerate(given.get("answers", ()), 1)
    ]
    data = {
        name: _as_list(one, f"{path}, data {name!r}") for name, one in given.get("data", {}).items()
    }
    return steps, data


def _sections(content: Any, path: Path) -> dict[str, Any]:
    if isinstance(content, list):
        return {"answers": content}
    if isinstance(content, dict):
        taken = cast("dict[str, Any]", content)
        listed = isinstance(taken.get("answers", []), list)
        if (
            listed
            and isinstance(taken.get("data", {}), dict)
            and taken.keys() <= {"answers", "data"}
        ):
            return taken
    raise ConfigError(f"the script {path} must be a list of steps, or have `answers` and `data`")


def step_from(given: Any, where: str = "the script") -> Step:
    """Read one step.

    >>> step_from({"fail": 429, "retry_after": 2})
    Fail(status=429, message='scripted to fail', retry_after=2, delay_seconds=0)
    >>> step_from("Hello.").text
    'Hello.'
    """
    if isinstance(given, str):
        return Say(given)
    if not isinstance(given, dict):
        raise ConfigError(f"{where} is {given!r}; it must be a text or an object")
    step = dict(cast("dict[str, Any]", given))
    if "fail" in step:
        return _build(Fail, {"status": step.pop("fail"), **step}, where)
    calls = tuple(_build(ScriptedCall, _object(one, where), where) for one in step.pop("calls", ()))
    return _build(Say, {"text": step.pop("say", ""), "calls": calls, **step}, where)


def _build(kind: type[Any], given: dict[str, Any], where: str) -> Any:
    known = {one.name for one in fields(kind)}
    if strange := set(given) - known:
        raise ConfigError(
            f"{where} has {', '.join(sorted(strange))}; known are {', '.join(sorted(known))}"
        )
    try:
        return kind(**given)
    except TypeError as error:
        raise ConfigError(f"{where} lacks something: {error}") from error


def _object(given: Any, where: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise ConfigError(f"{where} is {given!r}; it must be an object")
    return cast("dict[str, Any]", given)


def _as_list(given: Any, where: str) -> list[dict[str, Any]]:
    several = cast("list[Any]", given) if isinstance(given, list) else [given]
    return [_object(one, where) for one in several]
