"""`seasoned desk`: the way to the desk of the gateway that runs on this machine."""

from typing import TYPE_CHECKING

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.desk.address import NoBrowser, desk_address, has_display, open_browser
from seasoned.cli.listening import EVERY_ADDRESS, LOOPBACK, Http, address
from seasoned.cli.show.render import emit, note
from seasoned.core.errors import BadInput, NotAllowed, NotFound

if TYPE_CHECKING:
    from seasoned.config import Configuration

app = typer.Typer()

SECONDS = 5.0  # for the gateway to answer


@command(app, "desk")
def desk(options: Options, http: Http = None, no_browser: NoBrowser = False) -> None:
    """See what was learned, and take charge of it, in a browser.

    Opens the desk of the gateway that `seasoned serve` runs on this machine, logged in with the
    token of the home folder, and prints its address; anyone who has that address is logged in.
    """
    from seasoned.config import load

    config = load()
    server = config.settings.server
    host, port = address(http) if http is not None else (server.host, server.port)
    if host not in (*LOOPBACK, *EVERY_ADDRESS):
        raise BadInput(
            f"{host} is another machine, whose token is not here; open "
            f"{desk_address(host, port)} in a browser and log in with your key"
        )
    plain = desk_address(host, port)
    token = _token(config, plain)
    found = desk_address(host, port, token)
    opened = not no_browser and not options.json and has_display()
    opened = opened and open_browser(found, config.home)
    if options.json:
        emit({"address": found})
        return
    typer.echo(found)  # never wrapped, so that it can be copied
    note("opened in a browser" if opened else "open it in a browser; the part after # logs you in")


def _token(config: "Configuration", plain: str) -> str:
    """Return the token that the running gateway takes; empty if it asks for none."""
    from seasoned.security.token_file import known_token, token_path

    if not _answers(plain, ""):
        raise NotFound(
            f"no gateway answers on {plain}; start one with `seasoned serve`, or say where it "
            "listens with --http HOST:PORT"
        )
    server = config.settings.server
    token = server.token or known_token(config.home)
    if _answers(plain, token, "v1/scopes"):
        return token if not _answers(plain, "", "v1/scopes") else ""
    place = "SEASONED_SERVER__TOKEN" if server.token else str(token_path(config.home))
    raise NotAllowed(
        f"the gateway on {plain} does not take the token in {place}; it was started with another "
        f"home folder or --token: open {plain} and log in with its key"
    )


def _answers(plain: str, token: str, path: str = "health/live") -> bool:
    """Tell whether the gateway answers a request with success."""
    import urllib.request

    request = urllib.request.Request(plain + path)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(request, timeout=SECONDS) as answer:
            return answer.status == 200
    except OSError:  # nobody listens, or the answer is an error
        return False
