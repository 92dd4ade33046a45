"""The address of a desk, with the login in its fragment; and a browser for it, where there is one.

A browser keeps a fragment to itself: the key is in no request's address, and in no log.
"""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from seasoned.cli.listening import EVERY_ADDRESS

PAGE = "desk.html"

NoBrowser = Annotated[
    bool, typer.Option("--no-browser", help="Print the address; open no browser.")
]


def desk_address(host: str, port: int, token: str = "") -> str:
    """Return where a browser finds the desk.

    >>> desk_address("127.0.0.1", 8420), desk_address("::", 8420, "abc")
    ('http://127.0.0.1:8420/', 'http://[::1]:8420/#key=abc')
    """
    name = EVERY_ADDRESS.get(host, host)
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}/{f'#key={token}' if token else ''}"


def has_display() -> bool:
    """Tell whether a person sits here who could see a browser."""
    if not sys.stdout.isatty():
        return False
    if sys.platform in ("darwin", "win32"):
        return "SSH_CONNECTION" not in os.environ
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_browser(address: str, folder: Path) -> bool:
    """Open the desk in the person's browser; tell whether one was started.

    It is given a file that only this user may read: everybody on a machine sees the arguments of
    programs, and the address holds the login.
    """
    import webbrowser

    page = folder / PAGE
    page.unlink(missing_ok=True)
    made = os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(made, "w", encoding="utf-8") as file:
        file.write(
            '<!doctype html><meta charset="utf-8"><title>Seasoned</title>'
            f'<meta http-equiv="refresh" content="0;url={address}">'
            f'<a href="{address}">The desk</a>\n'
        )
    return webbrowser.open(page.as_uri())
