"""`seasoned demo --serve`: a desk on weeks of made-up activity, in a store that ends with it."""

import asyncio
import logging
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from seasoned.cli.command import Options, quiet_logger
from seasoned.cli.desk.address import desk_address, has_display, open_browser
from seasoned.cli.listening import (
    LOOPBACK,
    address,
    host_config,
    raise_file_limit,
    stop_on_signals,
)
from seasoned.cli.show.render import emit, note, say, words
from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    import socket

ANY_PORT = "127.0.0.1:0"
PREFIX = "seasoned-demo-"
MADE_UP = "A demonstration: all of it is made up, and none of it touches your own lessons."


def serve_demo(options: Options, samples: Path, http: str | None, *, no_browser: bool) -> None:
    """Fill a store in a temporary folder, and serve its desk until somebody stops it."""
    from seasoned.protocol.host.http_server import listening

    if options.database:
        raise BadInput("--serve fills a store of its own, and never yours; leave out --db")
    host, port = address(http or ANY_PORT)
    if host not in LOOPBACK:
        raise BadInput(
            f"the demonstration is for this machine only, and {host} is not; "
            "give 127.0.0.1 and a port"
        )
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder, listening(host, port) as bound:
        shown = Demonstration(Path(folder), options.json, not no_browser and has_display())
        asyncio.run(shown.serve(samples, bound))


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A home folder of its own, and how its desk is announced."""

    home: Path
    in_json: bool
    in_browser: bool

    async def serve(self, samples: Path, bound: "socket.socket") -> None:
        from seasoned.api import AsyncSeasoned
        from seasoned.cli.worker import start_jobs
        from seasoned.config import load
        from seasoned.server.serving import serve_gateway  # says that its extra is missing, if so

        variables = self.environment()
        self.fill(samples, variables)
        logging.basicConfig(
            stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s"
        )
        stop = asyncio.Event()
        stop_on_signals(stop)
        raise_file_limit()
        config = host_config(load(variables), None, no_token=False, is_local=True)
        name, port, *_ = bound.getsockname()
        found = desk_address(name, port, config.token or "")
        async with AsyncSeasoned(self.database, environment=variables) as store:
            jobs = start_jobs(store, stop)
            try:
                await serve_gateway(store, config, bound, stop, lambda: self.tell(found))
            finally:
                stop.set()
                await jobs

    @property
    def database(self) -> Path:
        return self.home / "seasoned.db"

    def environment(self) -> dict[str, str]:
        """Return the settings of the demonstration; those of the person do not count for it."""
        from seasoned.cli.desk.turns import chat_script, has_agent

        own = {"SEASONED_HOME": str(self.home), "SEASONED_GRAPH__ENABLED": "true"}
        if has_agent():
            own["SEASONED_AGENT__MODEL"] = chat_script(self.home)
        others = {key: text for key, text in os.environ.items() if not key.startswith("SEASONED_")}
        return others | own

    def fill(self, samples: Path, variables: dict[str, str]) -> None:
        from seasoned.cli.desk.weeks import fill
        from seasoned.core.clock import FixedClock, SystemClock

        if not self.in_json:
            note("making up four weeks of an agent's life; this takes some seconds…")
        with quiet_logger("seasoned"):
            fill(self.database, samples, FixedClock(), SystemClock().now(), variables)

    def tell(self, found: str) -> None:
        if self.in_json:
            emit({"address": found, "database": str(self.database)})
        else:
            opened = self.in_browser and open_browser(found, self.home)
            say("", words(MADE_UP, "bold"), "")
            typer.echo(f"  {found}")  # never wrapped, so that it can be copied
            said = "It opens in your browser" if opened else "Open it in a browser"
            say("", f"{said}; the part after # logs you in. Ctrl-C stops it and deletes its store.")
        sys.stdout.flush()
