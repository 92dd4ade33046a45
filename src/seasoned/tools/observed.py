"""Watches a function: what it was called with, what came of it, how long it took."""

import copy
import functools
import inspect
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from seasoned.core.errors import BadInput
from seasoned.learning.hint import Hint

log = logging.getLogger("seasoned.tools")

F = TypeVar("F", bound=Callable[..., Any])
Record = Callable[["Outcome"], Coroutine[Any, Any, Hint | None]]
Run = Callable[[Coroutine[Any, Any, Hint | None]], Hint | None]


@dataclass(frozen=True, slots=True)
class Outcome:
    tool: str
    params: dict[str, Any]
    result: Any
    error: BaseException | None
    duration_ms: float


def observed(function: F, *, name: str | None, record: Record, run: Run) -> F:
    """The same function, watched. Its result and its exceptions reach the caller unchanged.

    When a fix for the exception is known, it stands on the exception as a note, where a model
    or a person who reads the traceback finds it.
    """
    _check(function)
    tool = name or getattr(function, "__name__", type(function).__name__)
    named = functools.partial(_named_arguments, _signature(function))

    called: object = getattr(function, "__call__", None)  # noqa: B004 - it may be async itself
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called):

        @functools.wraps(function)
        async def watched_async(*args: Any, **kwargs: Any) -> Any:
            params, start = named(args, kwargs), time.perf_counter()
            try:
                result = await function(*args, **kwargs)
            except Exception as error:
                _note(error, await _recorded(record, tool, params, None, error, start))
                raise
            except BaseException as cancelled:  # a time-out from outside is a failure too
                await _recorded(record, tool, params, None, cancelled, start)
                raise
            await _recorded(record, tool, params, result, None, start)
            return result

        return cast("F", watched_async)

    @functools.wraps(function)
    def watched(*args: Any, **kwargs: Any) -> Any:
        params, start = named(args, kwargs), time.perf_counter()
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            _note(error, run(_recorded(record, tool, params, None, error, start)))
            raise
        run(_recorded(record, tool, params, result, None, start))
        return result

    return cast("F", watched)


def _check(function: Callable[..., Any]) -> None:
    """Refuses what cannot be watched, rather than recording what did not happen."""
    if isinstance(function, staticmethod | classmethod):
        kind = type(cast("object", function)).__name__
        raise BadInput(f"put the tool decorator below @{kind}, next to the function")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise BadInput(
            f"{function.__name__} is a generator: its work is done after it has returned; "
            "wrap the function that runs it, or call observe yourself"
        )


async def _recorded(
    record: Record,
    tool: str,
    params: dict[str, Any],
    result: Any,
    error: BaseException | None,
    start: float,
) -> Hint | None:
    """Records the outcome. Learning never breaks acting: what goes wrong here is logged."""
    outcome = Outcome(tool, params, result, error, (time.perf_counter() - start) * 1000)
    try:
        return await record(outcome)
    except Exception:
        log.exception("could not learn from a call of %s; the call itself is not affected", tool)
        return None


def _note(error: BaseException, hint: Hint | None) -> None:
    if hint is not None:
        error.add_note(str(hint))


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # some built-ins do not tell
        return None


def _named_arguments(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The arguments by name, as a model would have given them."""
    if signature is not None:
        try:
            bound = dict(signature.bind(*args, **kwargs).arguments)
        except TypeError:  # the call itself was wrong; what was passed still tells
            bound = {**dict(zip(signature.parameters, args, strict=False)), **kwargs}
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                bound |= bound.pop(parameter.name, {})
        bound.pop("self", None)
        return _as_given(bound)
    return _as_given({"args": list(args), **kwargs})


def _as_given(arguments: dict[str, Any]) -> dict[str, Any]:
    """What was passed, safe from what the function does to its lists and dictionaries."""
    try:
        return copy.deepcopy(arguments)
    except (TypeError, ValueError, AttributeError, RecursionError, copy.Error):
        # Not everything can be copied; then it is recorded as it is afterwards.
        return arguments
