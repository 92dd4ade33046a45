"""Where a command finds its database, and whether it may make one."""

from dataclasses import dataclass
from pathlib import Path

from seasoned.core.errors import NotFound

MEMORY = ":memory:"


@dataclass(frozen=True, slots=True)
class Place:
    """A database that a command may open."""

    url: str
    missing: str = ""  # the database that is not there yet; an empty one in memory stands for it


def place_of(named: str | None, *, create: bool) -> Place:
    """Return where the database is; `named` is that of `--db`, None: that of the settings.

    Only a command that may `create` it makes a new one, and no folder for it except Seasoned's own
    home: any other folder that is missing is a slip of the pen.
    """
    from seasoned.config import load
    from seasoned.db.address import is_postgres, sqlite_path

    config = load()
    url = named or config.database_url
    if is_postgres(url) or sqlite_path(url) == MEMORY:
        return Place(url)
    path = Path(sqlite_path(url))
    own = not named and not config.settings.database.url
    if path.exists() or (create and own):
        return Place(url)
    if own:
        return Place(MEMORY, missing=str(path))
    folder = path.absolute().parent
    if not folder.exists():
        raise NotFound(
            f"no folder {folder} for the database; make it with `mkdir -p`, or correct the path"
        )
    if not create:
        raise NotFound(
            f"no database at {path} yet; `seasoned learn PATH` or `seasoned teach` makes one there"
        )
    return Place(url)
