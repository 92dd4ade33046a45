"""Makes a function a command: adds the shared options, and turns errors into exit codes."""

import inspect
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Concatenate, ParamSpec

import typer

from seasoned.cli.exits import INTERRUPTED, code_of
from seasoned.cli.options import Options, shared
from seasoned.cli.render import note
from seasoned.core.errors import SeasonedError

P = ParamSpec("P")
Body = Callable[Concatenate[Options, P], None]

SHARED = inspect.signature(shared).parameters
CONTEXT = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)


def command(
    app: typer.Typer, name: str, *, epilog: str | None = None
) -> Callable[[Body[P]], Body[P]]:
    """Registers a function under a name; its first argument will be the `Options`."""

    def register(function: Body[P]) -> Body[P]:
        app.command(name, epilog=epilog)(with_options(function))
        return function

    return register


def with_options(function: Callable[..., None]) -> Callable[..., None]:
    """The function as typer should see it: its own parameters, then those of every command."""

    def call(context: typer.Context, **given: Any) -> None:
        own = shared(**{name: given.pop(name) for name in SHARED})
        outer: Any = context.obj
        context.obj = options = own.over(outer if isinstance(outer, Options) else None)
        with explained(options):
            function(options, **given)

    first, *own = inspect.signature(function).parameters.values()
    assert first.name == "options"
    parameters = [
        CONTEXT,
        *(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own),
        *SHARED.values(),
    ]
    call.__name__, call.__doc__ = function.__name__, unfolded(function.__doc__ or "")
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    vars(call)["__signature__"] = inspect.Signature(parameters)
    return call


def unfolded(text: str) -> str:
    """A docstring with one line a paragraph, so that the help can fold it to any width.

    >>> unfolded("First.\\n\\n    Then\\n    more.")
    'First.\\n\\nThen more.'
    """
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))


@contextmanager
def explained(options: Options) -> Generator[None]:
    """One line for an error that a user can act upon, and the exit code of its kind."""
    try:
        yield
    except (KeyboardInterrupt, typer.Abort) as stop:
        note("interrupted")
        raise typer.Exit(INTERRUPTED) from stop
    except SeasonedError as error:
        if options.debug:
            note("".join(traceback.format_exception(error)).rstrip())
        note(f"error: {error}")
        raise typer.Exit(code_of(error)) from error
