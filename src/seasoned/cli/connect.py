"""`seasoned connect`, `disconnect`: coding assistants; `seasoned service`: behind their hooks."""

import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.command import Options, Yes, command
from seasoned.cli.show.render import emit, note, say, table, visible
from seasoned.core.errors import BadInput, NotFound

if TYPE_CHECKING:
    from seasoned.assistants.setup.catalog import Assistant, Place
    from seasoned.assistants.setup.connection import Connections, FileChange

app = typer.Typer()

Name = Annotated[
    str | None,
    typer.Argument(
        help="claude-code, codex, gemini, opencode, cursor, copilot or cline.",
        metavar="ASSISTANT",
        show_default=False,
    ),
]
Scope = Annotated[
    str, typer.Option("--scope", help="user, or project: the current folder.", metavar="SCOPE")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the changes, and write nothing.")]


@command(app, "connect")
def connect(
    options: Options,
    assistant: Name = None,
    scope: Scope = "user",
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Also add the MCP server, `seasoned mcp`.")
    ] = False,
    http: Annotated[
        bool,
        typer.Option("--http", help="Claude Code: hooks call the gateway, without a process."),
    ] = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Connect a coding assistant: it learns from its sessions, and is told what was learned.

    Shows what changes in which file, and asks. Without a name, lists the assistants found here.
    """
    connections = _connections()
    if assistant is None:
        _list(options, connections)
        return
    from seasoned.assistants.setup.catalog import Wish

    chosen, place = _chosen(assistant), _place(scope)
    if http and chosen.name != "claude-code":
        raise BadInput(f"{chosen.title} runs commands only; leave out --http")
    wish = Wish(mcp=mcp, http=_gateway() if http else "")
    changes = connections.plan(chosen, place, wish)
    if not changes:
        _answer(options, "connected", chosen, changes, f"{chosen.title} is connected already")
        return
    if _agreed(options, changes, f"Connect {chosen.title}?", yes=yes, dry_run=dry_run):
        connections.write(changes)
        _answer(options, "connected", chosen, changes, f"{chosen.title} is connected")
        for advice in _advice(chosen, place, http=http):
            note(advice)


@command(app, "disconnect")
def disconnect(
    options: Options,
    assistant: Name = None,
    scope: Scope = "user",
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Undo `connect`: settings files become what they were, and others' hooks stay."""
    if assistant is None:
        raise BadInput("which assistant? `seasoned connect` lists those that are connected")
    connections, chosen, place = _connections(), _chosen(assistant), _place(scope)
    changes = connections.plan_removal(chosen, place)
    if not changes:
        said = f"{chosen.title} is not connected (scope {scope})"
        _answer(options, "disconnected", chosen, changes, said)
        return
    if _agreed(options, changes, f"Disconnect {chosen.title}?", yes=yes, dry_run=dry_run):
        connections.undo(changes)
        _answer(options, "disconnected", chosen, changes, f"{chosen.title} is disconnected")


@command(app, "service", hidden=True)
def service(
    options: Options,
    tcp: Annotated[
        bool, typer.Option("--tcp", help="Listen on a port of this machine, not on a socket.")
    ] = False,
) -> None:
    """Serve the hooks of coding assistants until idle; hooks start it by themselves."""
    from seasoned.assistants.service import prepare_log, serve_hooks

    prepare_log()
    if not serve_hooks(tcp=tcp):
        note("a service is there already")


def _connections() -> "Connections":
    from seasoned.assistants.setup.connection import Connections
    from seasoned.core.home import home_folder

    return Connections(home_folder().absolute())


def _chosen(name: str) -> "Assistant":
    from seasoned.assistants.setup.catalog import ASSISTANTS

    if name not in ASSISTANTS:
        raise NotFound(f"no assistant {name!r}; there are {', '.join(ASSISTANTS)}")
    return ASSISTANTS[name]


def _place(scope: str) -> "Place":
    from pathlib import Path

    from seasoned.assistants.setup.catalog import Place
    from seasoned.config import environment

    if scope not in ("user", "project"):
        raise BadInput(f"--scope is {scope!r}; it must be user or project")
    return Place(Path.home(), Path.cwd(), environment(), scope)


def _gateway() -> str:
    from seasoned.config import load

    server = load().settings.server
    return f"http://{server.host}:{server.port}"


def _agreed(
    options: Options, changes: Sequence["FileChange"], question: str, *, yes: bool, dry_run: bool
) -> bool:
    """Show the changes, and ask unless told not to."""
    if not options.json:
        for change in changes:
            typer.echo(visible(difference(change)))
    elif dry_run:
        emit({"changes": [_shape(change) for change in changes], "written": False})
    if dry_run:
        return False
    if yes:
        return True
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        raise BadInput("nobody answered, so nothing was written; --yes writes it") from None


def difference(change: "FileChange") -> str:
    """Return what changes in a file, as `diff -u` shows it."""
    from difflib import unified_diff

    before, after = (
        (content or b"").decode("utf-8", "replace").splitlines()
        for content in (change.before, change.after)
    )
    names = (
        "/dev/null" if change.before is None else str(change.path),
        "/dev/null" if change.after is None else str(change.path),
    )
    return "\n".join(unified_diff(before, after, *names, lineterm="")) + "\n"


def _answer(
    options: Options,
    state: str,
    assistant: "Assistant",
    changes: Sequence["FileChange"],
    said: str,
) -> None:
    if options.json:
        shapes = [_shape(change) for change in changes]
        emit({"assistant": assistant.name, "state": state, "changes": shapes, "written": True})
    else:
        say(said)


def _shape(change: "FileChange") -> dict[str, Any]:
    return {"path": str(change.path), "diff": difference(change)}


def _advice(assistant: "Assistant", place: "Place", *, http: bool) -> list[str]:
    from seasoned.assistants.setup.catalog import TOKEN_VARIABLE, hooks_are_off

    said = [assistant.advice] if assistant.advice else []
    if http:
        said.append(
            f"start `seasoned serve`, and set {TOKEN_VARIABLE} for Claude Code: the token is in "
            "the home folder's file `token`"
        )
    if hooks_are_off(assistant, place):
        said.append(f"{assistant.title}'s settings turn hooks off (hooksConfig.enabled)")
    return said


def _list(options: Options, connections: "Connections") -> None:
    """List the assistants, whether they are here, connected, and when their hooks last came."""
    from seasoned.assistants.activity import read_activity
    from seasoned.assistants.client import FOLDER
    from seasoned.assistants.setup.catalog import ASSISTANTS
    from seasoned.core.home import home_folder

    activity = read_activity(home_folder() / FOLDER)
    rows: list[dict[str, Any]] = []
    for one in ASSISTANTS.values():
        place = _place("user")
        here = any(shutil.which(program) for program in one.programs)
        here = here or any((place.home / mark).is_dir() for mark in one.marks)
        scopes = [
            scope for scope in ("user", "project") if connections.is_connected(one, _place(scope))
        ]
        last = activity.get(one.name)
        rows.append(
            {
                "assistant": one.name,
                "title": one.title,
                "found": here,
                "connected": scopes,
                "last_event_at": last.at if last else None,
                "events": last.events if last else 0,
            }
        )
    if options.json:
        emit(rows)
        return
    shown = [
        (
            row["assistant"],
            "yes" if row["found"] else "no",
            ", ".join(row["connected"]) or "no",
            _ago(row["last_event_at"]),
        )
        for row in rows
    ]
    say(table(["assistant", "found here", "connected", "last event"], shown))
    if not any(row["connected"] for row in rows):
        note("`seasoned connect claude-code` connects one; it shows what it changes, and asks")


def _ago(at: float | None) -> str:
    """Return how long ago something was, in words.

    >>> _ago(None)
    'none'
    """
    import time

    if at is None:
        return "none"
    seconds = max(0.0, time.time() - at)
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {unit}{'s' if number > 1 else ''} ago"
    return "just now"
