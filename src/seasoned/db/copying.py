"""Copy a SQLite database without touching it, so that something can be tried on the copy."""

from pathlib import Path
from urllib.parse import quote

import apsw

from seasoned.core.errors import DatabaseUnavailable
from seasoned.core.private_files import create_private


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a database file as it stands, also while another process writes to it."""
    # Without a log nobody has it open: then not even the files beside it need to be made.
    mode = "mode=ro" if source.with_name(source.name + "-wal").exists() else "immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        there = apsw.Connection(f"file:{quote(str(source.resolve()))}?{mode}", flags=flags)
        create_private(target)
        here = apsw.Connection(str(target))
        with here.backup("main", there, "main") as backup:
            backup.step()
        there.close()
        here.close()
    except apsw.Error as error:
        raise DatabaseUnavailable(f"cannot copy {source}: {error}") from error
