"""What the commands that listen on a port share: address, token, signals, open files."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    import asyncio
    import socket

    from seasoned.config import Configuration
    from seasoned.protocol.host.host_config import HostConfig

FILES = 4096
ARENA_MAX, ARENAS = -8, 2  # M_ARENA_MAX of malloc.h
LOOPBACK = ("127.0.0.1", "::1", "localhost")
EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # and what this machine calls itself

Http = Annotated[
    str | None,
    typer.Option(
        help="Address to listen on; default: server.host and server.port.",
        metavar="HOST:PORT",
        show_default=False,
    ),
]
Token = Annotated[
    str | None,
    typer.Option(
        help="Token agents must send; prefer SEASONED_SERVER__TOKEN, hidden from `ps`. "
        "Default: the one in the home folder's file `token`, made at first.",
        metavar="TOKEN",
        show_default=False,
    ),
]
NoToken = Annotated[
    bool,
    typer.Option(
        "--no-token",
        help="Let any program on this machine teach; feedback of people counts less.",
    ),
]


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a command listens, and whom it lets in."""

    host: str
    port: int
    config: "HostConfig"
    needs_keys: bool = False  # other machines reach it, and nobody chose a token for them


def listening_from(
    config: "Configuration", http: str | None, token: str | None, *, no_token: bool
) -> Listening:
    """Settle the address and the token; refuse to let other machines teach without one."""
    server = config.settings.server
    host, port = address(http) if http is not None else (server.host, server.port)
    is_local = host in LOOPBACK
    if not is_local and (no_token or not server.needs_token):
        raise BadInput(
            f"{host} is reachable from other machines: without a token anybody could "
            "teach; leave out --no-token, or listen on 127.0.0.1"
        )
    chosen = host_config(config, token, no_token=no_token, is_local=is_local)
    return Listening(host, port, chosen, not (is_local or token or server.token))


def host_config(
    config: "Configuration", token: str | None, *, no_token: bool, is_local: bool
) -> "HostConfig":
    """Build the host's limits with its token: given, set, or of the home folder."""
    from seasoned.protocol.host.host_config import HostConfig
    from seasoned.security.token_file import own_token, token_path

    server = config.settings.server
    names = tuple(name.strip() for name in server.names.split(",") if name.strip())
    if no_token or not server.needs_token:
        if token or server.token:
            raise BadInput("a token is given, and --no-token or server.needsToken=false too")
        return HostConfig(names=names, trusts_people=False)
    given = token or server.token
    if given:
        return HostConfig(given, names=names)
    place = str(token_path(config.home)) if is_local else ""
    return HostConfig(own_token(config.home), place, names=names)


def described(bound: "socket.socket", config: "HostConfig") -> str:
    """Return the address, and where agents find the token."""
    name, port, *_ = bound.getsockname()
    shown = f"[{name}]" if ":" in name else name
    place = config.token_place
    said = f" (agents show the token in {place})" if place else ""
    return f"http://{shown}:{port}{said if config.token else ' (no token is asked for)'}"


def raise_file_limit() -> None:
    """Allow as many open files as the system lets us: every connection is one."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < FILES and (hard == resource.RLIM_INFINITY or hard > soft):
        most = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def use_few_arenas() -> None:
    """Let threads share their pools of memory: each of its own would keep megabytes for nothing."""
    import ctypes

    try:
        ctypes.CDLL(None).mallopt(ARENA_MAX, ARENAS)
    except (AttributeError, OSError, TypeError):  # only glibc has arenas to limit
        return


def stop_on_signals(stop: "asyncio.Event") -> None:
    """Stop in order at the first signal; end at once at the second, which loses no commit."""
    import asyncio
    import signal

    loop = asyncio.get_running_loop()
    told: list[int] = []

    def on_signal(number: int, frame: object) -> None:
        if told:
            os._exit(128 + number)
        told.append(number)
        loop.call_soon_threadsafe(stop.set)

    for each in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(each, on_signal, each, None)
        except NotImplementedError:  # Windows
            signal.signal(each, on_signal)


def address(text: str) -> tuple[str, int]:
    """Parse HOST:PORT.

    >>> address("127.0.0.1:8420"), address("[::1]:0"), address(":8420")
    (('127.0.0.1', 8420), ('::1', 0), ('127.0.0.1', 8420))
    """
    name, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise BadInput(f"--http is {text!r}; give HOST:PORT, e.g. 127.0.0.1:8420")
    return name.strip("[]") or "127.0.0.1", int(port)
