"""Mark a plain function, sync or async, as a tool that an agent may call."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast, overload

from seasoned.core.errors import BadInput
from seasoned.core.ids import canonical

F = TypeVar("F", bound=Callable[..., Any])

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
MARK = "__seasoned_tool__"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """The arguments of `@tool`; `dangerous` tools need approval."""

    name: str
    description: str = ""  # empty: use the docstring
    dangerous: bool = False
    examples: Sequence[Mapping[str, Any]] = ()  # of arguments

    def full_description(self, described: str | None) -> str:
        """Return the description for the model, with the examples below it."""
        lines = [described or self.name.replace("_", " ").strip()]
        lines += ["Examples of arguments:"] if self.examples else []
        return "\n".join([*lines, *(f"- {canonical(example)}" for example in self.examples)])


@overload
def tool(function: F) -> F: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    dangerous: bool = False,
    examples: Sequence[Mapping[str, Any]] = (),
) -> Callable[[F], F]: ...
def tool(
    function: F | None = None,
    *,
    name: str | None = None,
    description: str | None = None,
    dangerous: bool = False,
    examples: Sequence[Mapping[str, Any]] = (),
) -> F | Callable[[F], F]:
    """Mark the function and return it; its signature and docstring describe it to the model.

    >>> @tool(dangerous=True, examples=[{"service": "web"}])
    ... def deploy(service: str) -> str:
    ...     "Puts a service into production."
    ...     return f"{service} is live"
    >>> deploy("api"), spec_of(deploy).dangerous
    ('api is live', True)
    """

    def marked(target: F) -> F:
        spec = _spec(target, name, description, dangerous, tuple(examples))
        try:
            setattr(target, MARK, spec)
        except AttributeError as error:
            raise BadInput(
                f"{spec.name} cannot be marked as a tool; write a function that calls it"
            ) from error
        return target

    return marked(function) if function is not None else marked


def spec_of(function: Callable[..., Any]) -> ToolSpec:
    """Return the mark of a function; without one, a spec from its name alone."""
    found = getattr(function, MARK, None)
    return found if isinstance(found, ToolSpec) else _spec(function, None, None, False, ())


def folder_of(function: Callable[..., Any]) -> str:
    """Return where a tool works: the `works_in` of the object that it is a method of."""
    return str(getattr(getattr(function, "__self__", None), "works_in", ""))


def _spec(
    function: Any,
    name: str | None,
    description: str | None,
    dangerous: bool,
    examples: tuple[Mapping[str, Any], ...],
) -> ToolSpec:
    called = name or getattr(function, "__name__", type(function).__name__)
    _check(function, called)
    return ToolSpec(called, description or "", dangerous, examples)


def _check(function: Any, name: str) -> None:
    if isinstance(function, staticmethod | classmethod):
        kind = type(cast("object", function)).__name__
        raise BadInput(f"put the tool decorator below @{kind}, next to the function")
    if not callable(function) or inspect.isclass(function):
        raise BadInput(f"{name} is not a function; write a function that uses it")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise BadInput(f"{name} is a generator and cannot be a tool; return a list instead")
    if not NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} is not a valid tool name; use letters, digits, _ and -, "
            'as in @tool(name="read_mail")'
        )
