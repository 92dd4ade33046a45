"""The options that every command takes, before its name or after it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    from seasoned.facade import Seasoned


@dataclass(frozen=True, slots=True)
class Options:
    """Where to look, for whom, and how to answer."""

    db: str | None = None
    project: str | None = None
    user: str | None = None
    tenant: str | None = None
    json: bool = False
    debug: bool = False

    def over(self, outer: "Options | None") -> "Options":
        """These, and where they say nothing, what was said before the command's name.

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

    def open(self) -> "Seasoned":
        """Opens the database that is meant, in the scope that is meant."""
        from seasoned.facade import Seasoned

        return Seasoned(
            self.database,
            tenant=self.tenant or "",
            project=self.project or "",
            user=self.user or "",
        )

    @property
    def database(self) -> str | None:
        """The database named on the command line; None takes it from the settings."""
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
            help="Database: a path or postgresql://…; the settings say which otherwise.",
            metavar="URL",
            show_default=False,
        ),
    ] = None,
    project: Annotated[
        str | None,
        typer.Option(help="The project it is about.", metavar="NAME"),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(help="The user it is about.", metavar="NAME"),
    ] = None,
    tenant: Annotated[
        str | None,
        typer.Option(help="The tenant it is about.", metavar="NAME"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Answer with one JSON document.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error arose.")] = False,
) -> Options:
    """Their declaration: `commands.command` adds these parameters to every command."""
    return Options(db, project, user, tenant, json, debug)
