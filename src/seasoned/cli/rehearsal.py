"""A throw-away copy of the store, for `--dry-run`."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from seasoned.cli.command import Options
from seasoned.cli.show.render import note

if TYPE_CHECKING:
    from seasoned.api import Seasoned

# Nothing that happens on the copy may reach a queue, a channel or a model's bill.
OFFLINE = {
    "SEASONED_QUEUE__URL": "",
    "SEASONED_NOTIFY__CHANNEL": "none",
    "SEASONED_LLM__MODEL": "",
}


@contextmanager
def copied_store(options: Options) -> Generator["Seasoned"]:
    """Open a copy of the store that is deleted at the end; the store itself stays as it is."""
    from seasoned.api import Seasoned
    from seasoned.cli.scope import settle_scope
    from seasoned.config import environment, load
    from seasoned.core.scope import Scope
    from seasoned.db.address import is_postgres, sqlite_path
    from seasoned.db.copying import copy_sqlite

    config = load()
    url = options.database or config.database_url
    with TemporaryDirectory(prefix="seasoned-") as folder:
        copy = Path(folder) / "seasoned.db"
        if is_postgres(url):
            note("dry run: a Postgres store is not copied, so what it knows already is shown too")
        elif (path := Path(sqlite_path(url))).exists():
            copy_sqlite(path, copy)
        if config.settings.llm.model:
            note(f"dry run: without {config.settings.llm.model}, which would cost something")
        tenant = options.tenant or ""
        offline = environment() | OFFLINE
        with Seasoned(copy, tenant=tenant, acts_in=Scope(tenant), environment=offline) as s:
            settle_scope(s, options.project, options.user)
            yield s
