"""The arguments of a call by name, as a model gave them, without what a framework passed along."""

import copy
import inspect
import typing
from collections.abc import Callable
from typing import Any, cast

from seasoned.core.plain import plain

# Packages whose objects reach a tool as its context: the run, the state, the store, the request.
FRAMEWORKS = frozenset(
    "agents claude_agent_sdk crewai fastapi fastmcp langchain langchain_core langgraph llama_index "
    "mcp pydantic_ai smolagents starlette".split()
)


class GivenArguments:
    """Names the arguments of a function's calls.

    >>> def send(to, *, subject="", **more): ...
    >>> GivenArguments(send)(("ana",), {"subject": "Hi", "urgent": True})
    {'to': 'ana', 'subject': 'Hi', 'urgent': True}
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._signature = _signature(function)
        self._injected = _injected(function)

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        return {
            name: _snapshot(value)
            for name, value in self._bound(args, kwargs).items()
            if name not in self._injected and not of_framework(cast("type[object]", type(value)))
        }

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        signature = self._signature
        if signature is None:
            return {"args": list(args), **kwargs}
        try:
            bound = dict(signature.bind(*args, **kwargs).arguments)
        except TypeError:  # the call itself is wrong; record what was passed
            bound = {**dict(zip(signature.parameters, args, strict=False)), **kwargs}
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                bound |= bound.pop(parameter.name, {})
        bound.pop("self", None)
        return bound


def of_framework(kind: object) -> bool:
    """Tell whether a class, or what an annotation names, belongs to an agent framework."""
    return str(getattr(kind, "__module__", "")).partition(".")[0] in FRAMEWORKS


def _injected(function: Callable[..., Any]) -> frozenset[str]:
    """Return the parameters that a framework fills in, by their annotations."""
    target = inspect.unwrap(getattr(function, "func", function))
    try:
        hints = typing.get_type_hints(target, include_extras=True)
    except Exception:  # noqa: BLE001 - an annotation may name anything; then the values decide
        return frozenset()
    hints.pop("return", None)
    return frozenset(name for name, hint in hints.items() if _names_framework(hint))


def _names_framework(hint: Any) -> bool:
    if typing.get_origin(hint) is typing.Annotated:
        kind, *marks = typing.get_args(hint)
        named = (mark if isinstance(mark, type) else type(mark) for mark in marks)
        return _names_framework(kind) or any(of_framework(mark) for mark in named)
    origin = typing.get_origin(hint)
    if origin is not None and not isinstance(origin, type):  # Union, Optional
        return any(_names_framework(part) for part in typing.get_args(hint))
    return of_framework(origin or hint)


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # some built-ins have none
        return None


def _snapshot(value: Any) -> Any:
    """Copy an argument, so that the function cannot change what is recorded."""
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - objects may refuse in any way; then in words
        return plain(value)
