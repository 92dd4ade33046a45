"""Observe the calls of a function: arguments, result or exception, duration."""

import functools
import inspect
import logging
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from seasoned.core.errors import BadInput
from seasoned.fixes.hint import Hint
from seasoned.tools.given_arguments import GivenArguments
from seasoned.tools.hinted_error import with_hint

log = logging.getLogger("seasoned.tools")

F = TypeVar("F", bound=Callable[..., Any])
Record = Callable[["CallOutcome"], Coroutine[Any, Any, Hint | None]]
RunSync = Callable[[Coroutine[Any, Any, Hint | None]], Hint | None]

_reported: ContextVar[str] = ContextVar("seasoned_reported_call", default="")


@contextmanager
def reported_by_caller(tool: str) -> Generator[None]:
    """Say that the caller reports this call of a tool, so that the tool itself does not."""
    token = _reported.set(tool)
    try:
        yield
    finally:
        _reported.reset(token)


def is_reported(tool: str) -> bool:
    """Whether a caller reports the present call of a tool."""
    return _reported.get() == tool


@dataclass(frozen=True, slots=True)
class CallOutcome:
    tool: str
    params: dict[str, Any]
    result: Any
    error: BaseException | None
    duration_ms: float


def observe_function(function: F, *, name: str | None, record: Record, run: RunSync) -> F:
    """Wrap a function so that its calls are recorded; results pass unchanged.

    A known fix is added to the text of the exception, whose type stays the same. The work of a
    generator is what it does until it ends.
    """
    _check(function)
    tool = name or _name(function)
    observation = _Observation(tool, GivenArguments(function), record)
    made: Any
    if inspect.isasyncgenfunction(function):
        made = _observed_async_generator(function, observation)
    elif inspect.isgeneratorfunction(function):
        made = _observed_generator(function, observation, run)
    elif _is_async(function):
        made = _observed_async(function, observation)
    else:
        made = _observed_sync(function, observation, run)
    functools.update_wrapper(made, function)
    made.__name__ = getattr(function, "__name__", tool)  # a partial has none
    return cast("F", made)


class _Observation:
    """What every kind of function needs to report its calls."""

    def __init__(self, tool: str, named: GivenArguments, record: Record) -> None:
        self.tool = tool
        self._named = named
        self._record = record

    @property
    def is_reported(self) -> bool:
        return is_reported(self.tool)

    def start(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> "_Call":
        return _Call(self.tool, self._named(args, kwargs), self._record, time.perf_counter())


@dataclass(slots=True)
class _Call:
    tool: str
    params: dict[str, Any]
    record: Record
    started: float

    async def end(self, result: Any = None, error: BaseException | None = None) -> Hint | None:
        """Record the outcome; an error in learning is logged and never breaks the call."""
        took = (time.perf_counter() - self.started) * 1000
        try:
            return await self.record(CallOutcome(self.tool, self.params, result, error, took))
        except Exception:
            log.exception(
                "could not learn from a call of %s; the call itself is not affected", self.tool
            )
            return None


def _observed_sync(function: Callable[..., Any], observation: _Observation, run: RunSync) -> Any:
    def observed(*args: Any, **kwargs: Any) -> Any:
        if observation.is_reported:
            return function(*args, **kwargs)
        call = observation.start(args, kwargs)
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            hinted = _hinted(error, run(call.end(error=error)))
            if hinted is error:
                raise
        else:
            run(call.end(result))
            return result
        raise hinted

    return observed


def _observed_async(function: Callable[..., Any], observation: _Observation) -> Any:
    async def observed(*args: Any, **kwargs: Any) -> Any:
        if observation.is_reported:
            return await function(*args, **kwargs)
        call = observation.start(args, kwargs)
        try:
            result = await function(*args, **kwargs)
        except Exception as error:
            hinted = _hinted(error, await call.end(error=error))
            if hinted is error:
                raise
        except BaseException as cancelled:  # a time-out from outside is a failure too
            await call.end(error=cancelled)
            raise
        else:
            await call.end(result)
            return result
        raise hinted

    return observed


def _observed_generator(
    function: Callable[..., Generator[Any, Any, Any]], observation: _Observation, run: RunSync
) -> Any:
    def observed(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        if observation.is_reported:
            return (yield from function(*args, **kwargs))
        call = observation.start(args, kwargs)
        try:
            result = yield from function(*args, **kwargs)
        except GeneratorExit:  # its reader has read enough
            run(call.end())
            raise
        except Exception as error:
            hinted = _hinted(error, run(call.end(error=error)))
            if hinted is error:
                raise
        else:
            run(call.end(result))
            return result
        raise hinted

    return observed


def _observed_async_generator(function: Callable[..., Any], observation: _Observation) -> Any:
    async def observed(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        items = function(*args, **kwargs)
        call = None if observation.is_reported else observation.start(args, kwargs)
        try:
            async for item in items:
                yield item
        except GeneratorExit:  # its reader has read enough
            await items.aclose()
            if call is not None:
                await call.end()
            raise
        except Exception as error:
            hinted = _hinted(error, await call.end(error=error)) if call else error
            if hinted is error:
                raise
        except BaseException as cancelled:
            if call is not None:
                await call.end(error=cancelled)
            raise
        else:
            if call is not None:
                await call.end()
            return
        raise hinted

    return observed


def _check(function: Callable[..., Any]) -> None:
    if isinstance(function, staticmethod | classmethod):
        kind = type(cast("object", function)).__name__
        raise BadInput(f"put the tool decorator below @{kind}, next to the function")


def _name(function: Callable[..., Any]) -> str:
    """Return a function's own name, that of a partial's function, or that of an object's class."""
    named = function.func if isinstance(function, functools.partial) else function
    return getattr(named, "__name__", type(named).__name__)


def _is_async(function: Callable[..., Any]) -> bool:
    called: object = getattr(function, "__call__", None)  # noqa: B004 - it may be async itself
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


def _hinted(error: Exception, hint: Hint | None) -> Exception:
    return error if hint is None else with_hint(error, hint)
