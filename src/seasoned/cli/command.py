"""Everything that commands share: options, exit codes, and how a function becomes a command.

Command modules import what they need inside the command: `seasoned --help` loads all of them.
"""

import inspect
import logging
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec

import typer

from seasoned.cli.show.render import note
from seasoned.core.errors import (
    BadInput,
    ConfigError,
    DatabaseError,
    MissingExtra,
    NotAllowed,
    NotFound,
    SeasonedError,
    Unreachable,
    Unsupported,
)

if TYPE_CHECKING:
    from seasoned.api import Seasoned

P = ParamSpec("P")

OK = 0
CHECK_FAILED = 1
BAD_INPUT = 2
NOT_FOUND = 3
NO_DATABASE = 4
NO_EXTRA = 5
BUG = 70
NOT_ALLOWED = 77
INTERRUPTED = 130

EXIT_CODES = {
    OK: "success",
    CHECK_FAILED: "a check failed",
    BAD_INPUT: "bad usage or input",
    NOT_FOUND: "not found, or nothing readable in it",
    NO_DATABASE: "database unusable",
    NO_EXTRA: "an extra is not installed",
    BUG: "bug in Seasoned",
    NOT_ALLOWED: "not allowed",
    INTERRUPTED: "interrupted",
}

CODES: dict[type[SeasonedError], int] = {
    BadInput: BAD_INPUT,
    ConfigError: BAD_INPUT,
    NotFound: NOT_FOUND,
    NotAllowed: NOT_ALLOWED,
    Unreachable: NOT_FOUND,
    DatabaseError: NO_DATABASE,
    MissingExtra: NO_EXTRA,
    Unsupported: BAD_INPUT,
}

Limit = Annotated[int, typer.Option(help="Show at most N.", min=1, metavar="N")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]


def exit_code(error: SeasonedError) -> int:
    """Return the exit code for an error's class, or for its nearest base class.

    >>> from seasoned.core.errors import DatabaseBusy
    >>> exit_code(DatabaseBusy("locked")), exit_code(SeasonedError("else"))
    (4, 2)
    """
    return next((code for kind, code in CODES.items() if isinstance(error, kind)), BAD_INPUT)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of every command: which database, whose lessons, how to answer."""

    db: str | None = None
    project: str | None = None
    user: str | None = None
    tenant: str | None = None
    json: bool = False
    debug: bool = False

    def over(self, outer: "Options | None") -> "Options":
        """Merge with the options given before the command's name; these take precedence.

        >>> Options(project="web").over(Options(project="api", json=True))
        Options(db=None, project='web', user=None, tenant=None, json=True, debug=False)
        """
        if outer is None:
            return self
        return Options(
            db=self.db if self.db is not None else outer.db,
            project=self.project if self.project is not None else outer.project,
            user=self.user if self.user is not None else outer.user,
            tenant=self.tenant if self.tenant is not None else outer.tenant,
            json=self.json or outer.json,
            debug=self.debug or outer.debug,
        )

    def open(self, *, create: bool = False, everyone: bool = False, about: str = "") -> "Seasoned":
        """Open the database in the scope of the options and the current folder.

        Whoever runs commands is the operator: project and user say what to work on, and do not
        limit what may be changed; a tenant does.

        `create` is for commands that record something new: others do not make a database, and
        find nothing in one that is not there yet.
        `everyone` is for commands that write for all users unless one is named, `about` is the id
        of the lesson that a command works on, whatever project it is of.
        """
        from seasoned.api import Seasoned
        from seasoned.cli.place import place_of
        from seasoned.cli.scope import settle_scope
        from seasoned.core.scope import Scope

        place = place_of(self.database, create=create)
        if place.missing:
            note(f"no database at {place.missing} yet; `seasoned learn PATH` makes one")
        s = Seasoned(
            place.url,
            acts_in=Scope(self.tenant or ""),
            tenant=self.tenant or "",
            project=self.project or "",
            user=self.user or "",
        )
        try:
            settle_scope(s, self.project, self.user, everyone=everyone, about=about)
        except BaseException:
            s.close()
            raise
        return s

    @property
    def database(self) -> str | None:
        """The database named on the command line; None: use the one in the settings."""
        if self.db is None:
            return None
        if not self.db:
            raise BadInput("--db is empty; give a path, or postgresql://user@host/name")
        return self.db


def shared(
    *,
    db: Annotated[
        str | None,
        typer.Option(
            help="Database: a path or postgresql://…; default: from the settings.",
            metavar="URL",
            show_default=False,
        ),
    ] = None,
    project: Annotated[
        str | None,
        typer.Option(help="Work on this project's lessons.", metavar="NAME"),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(help="Work on this user's lessons.", metavar="NAME"),
    ] = None,
    tenant: Annotated[
        str | None,
        typer.Option(help="Work on this tenant's lessons.", metavar="NAME"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print tracebacks of errors.")] = False,
) -> Options:
    """Declare the shared options; `with_options` adds these parameters to every command."""
    return Options(db, project, user, tenant, json, debug)


Body = Callable[Concatenate[Options, P], None]

SHARED = inspect.signature(shared).parameters
CONTEXT = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)


def command(
    app: typer.Typer, name: str, *, epilog: str | None = None, hidden: bool = False
) -> Callable[[Body[P]], Body[P]]:
    """Register a function as a command; it gets the `Options` as its first argument."""

    def register(function: Body[P]) -> Body[P]:
        app.command(name, epilog=epilog, hidden=hidden)(with_options(function))
        return function

    return register


def with_options(function: Callable[..., None], *, alone: bool = False) -> Callable[..., None]:
    """Wrap a function for typer: its own parameters first, then the shared options.

    With `alone` it is a group's own command, which runs only if none of its commands is named.
    """

    def call(context: typer.Context, **given: Any) -> None:
        own = shared(**{name: given.pop(name) for name in SHARED})
        outer: Any = context.obj
        context.obj = options = own.over(outer if isinstance(outer, Options) else None)
        if alone and context.invoked_subcommand is not None:
            return
        with errors_as_exit_codes(options):
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
    """Join each paragraph into one line, so that the help can wrap it to any width.

    >>> unfolded("First.\\n\\n    Then\\n    more.")
    'First.\\n\\nThen more.'
    """
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))


@contextmanager
def errors_as_exit_codes(options: Options) -> Generator[None]:
    """Print an expected error as one line and exit with the code of its class."""
    try:
        yield
    except (KeyboardInterrupt, typer.Abort) as stop:
        note("interrupted")
        raise typer.Exit(INTERRUPTED) from stop
    except SeasonedError as error:
        if options.debug:
            note("".join(traceback.format_exception(error)).rstrip())
        note(f"error: {error}")
        raise typer.Exit(exit_code(error)) from error


@contextmanager
def quiet_logger(name: str) -> Generator[None]:
    """Keep a logger's warnings off stderr while the command prints the same itself."""
    log = logging.getLogger(name)
    silent = logging.NullHandler()  # without any handler, Python prints warnings to stderr
    log.addHandler(silent)
    try:
        yield
    finally:
        log.removeHandler(silent)
