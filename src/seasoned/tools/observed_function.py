"""Observe the calls of a function: arguments, result or exception, duration."""

import copy
import functools
import inspect
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from seasoned.core.errors import BadInput
from seasoned.fixes.hint import Hint

log = logging.getLogger("seasoned.tools")

F = TypeVar("F", bound=Callable[..., Any])
Record = Callable[["CallOutcome"], Coroutine[Any, Any, Hint | None]]
RunSync = Callable[[Coroutine[Any, Any, Hint | None]], Hint | None]


@dataclass(frozen=True, slots=True)
class CallOutcome:
    tool: str
    params: dict[str, Any]
    result: Any
    error: BaseException | None
    duration_ms: float


def observe_function(function: F, *, name: str | None, record: Record, run: RunSync) -> F:
    """Wrap a function so that its calls are recorded; results and exceptions pass unchanged.

    A known fix is added to the exception as a note, so it shows up in the traceback.
    """
    _check(function)
    tool = name or getattr(function, "__name__", type(function).__name__)
    named = functools.partial(_named_arguments, _signature(function))

    called: object = getattr(function, "__call__", None)  # noqa: B004 - a callable object may have an async __call__
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called):

        @functools.wraps(function)
        async def observed_async(*args: Any, **kwargs: Any) -> Any:
            params, start = named(args, kwargs), time.perf_counter()
            try:
                result = await function(*args, **kwargs)
            except Exception as error:
                _add_note(error, await _record(record, tool, params, None, error, start))
                raise
            except BaseException as cancelled:  # a time-out from outside is a failure too
                await _record(record, tool, params, None, cancelled, start)
                raise
            await _record(record, tool, params, result, None, start)
            return result

        return cast("F", observed_async)

    @functools.wraps(function)
    def observed(*args: Any, **kwargs: Any) -> Any:
        params, start = named(args, kwargs), time.perf_counter()
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            _add_note(error, run(_record(record, tool, params, None, error, start)))
            raise
        run(_record(record, tool, params, result, None, start))
        return result

    return cast("F", observed)


def _check(function: Callable[..., Any]) -> None:
    """Refuse functions whose outcome cannot be observed, such as generators."""
    if isinstance(function, staticmethod | classmethod):
        kind = type(cast("object", function)).__name__
        raise BadInput(f"put the tool decorator below @{kind}, next to the function")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise BadInput(
            f"{function.__name__} is a generator, which does its work after it has returned; "
            "wrap the function that runs it, or call observe yourself"
        )


async def _record(
    record: Record,
    tool: str,
    params: dict[str, Any],
    result: Any,
    error: BaseException | None,
    start: float,
) -> Hint | None:
    """Record the outcome; an error in learning is logged and never breaks the call."""
    outcome = CallOutcome(tool, params, result, error, (time.perf_counter() - start) * 1000)
    try:
        return await record(outcome)
    except Exception:
        log.exception("could not learn from a call of %s; the call itself is not affected", tool)
        return None


def _add_note(error: BaseException, hint: Hint | None) -> None:
    if hint is not None:
        error.add_note(str(hint))


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # some built-ins have none
        return None


def _named_arguments(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Return the arguments by name, as a model would have given them."""
    if signature is not None:
        try:
            bound = dict(signature.bind(*args, **kwargs).arguments)
        except TypeError:  # the call itself is wrong; record what was passed
            bound = {**dict(zip(signature.parameters, args, strict=False)), **kwargs}
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                bound |= bound.pop(parameter.name, {})
        bound.pop("self", None)
        return _snapshot(bound)
    return _snapshot({"args": list(args), **kwargs})


def _snapshot(arguments: dict[str, Any]) -> dict[str, Any]:
    """Copy the arguments, so that the function cannot change what is recorded."""
    try:
        return copy.deepcopy(arguments)
    except (TypeError, ValueError, AttributeError, RecursionError, copy.Error):
        # Not everything can be copied; then the arguments are recorded as the function left them.
        return arguments
