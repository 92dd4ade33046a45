"""`seasoned keys …`: who may call the gateway."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.command import Limit, Options, Yes, command
from seasoned.cli.show.render import emit, note, say, table, words
from seasoned.cli.terminal import confirmed
from seasoned.core.clock import iso

if TYPE_CHECKING:
    from seasoned.api import Seasoned
    from seasoned.security.api_keys import ApiKey, NewKey

app = typer.Typer(no_args_is_help=True, help="Make, list and revoke API keys of the gateway.")

Name = Annotated[str, typer.Argument(help="Id or name of the key.", metavar="KEY")]
ROLE_HELP = (
    "read: see lessons and recall; learn: also report, correct and rate, as an agent does; "
    "operate: also change what was learned by hand; admin: also keys."
)


@command(app, "create")
def create(
    options: Options,
    name: Annotated[str, typer.Argument(help="A name for people, such as ci.", metavar="NAME")],
    role: Annotated[str, typer.Option(help=ROLE_HELP, metavar="read|learn|operate|admin")],
    expires: Annotated[
        int | None,
        typer.Option(help="Days until it expires; default: never.", metavar="DAYS"),
    ] = None,
) -> None:
    """Make a key for --tenant, --project and --user, and print it.

    It is printed this once: only its digest is stored. Without any of the three it is a key to
    everything in the database, of all tenants.
    """
    with _opened(options, create=True) as s:
        made = s.keys.create(name, role=_role(role), scope=_place(options), days=expires)
        now = s.inner.app.clock.now()
    _tell(options, made, now)


@command(app, "list")
def list_keys(options: Options, limit: Limit = 200) -> None:
    """List keys, newest first; revoked and expired ones, too."""
    with _opened(options) as s:
        keys = s.keys.list(limit=limit)
        now = s.inner.app.clock.now()
    if options.json:
        emit([key_shape(one, now) for one in keys])
    elif keys:
        rows = [_row(one, now) for one in keys]
        say(table(["id", "name", "role", "state", "last used", "for"], rows))
    else:
        note("no keys; `seasoned keys create NAME --role learn` makes one")


@command(app, "revoke")
def revoke(options: Options, name: Name, yes: Yes = False) -> None:
    """Revoke a key for good; a running gateway refuses it within seconds."""
    with _opened(options) as s:
        key = s.keys.get(name)
        question = f"Revoke key {key.id} ({key.name})? Whoever uses it is refused from then on."
        if not yes and sys.stdin.isatty() and not confirmed(question):
            note("nothing changed")
            return
        key = s.keys.revoke(key.id)
        now = s.inner.app.clock.now()
    if options.json:
        emit(key_shape(key, now))
    else:
        say(f"Revoked key {key.id} ({key.name}).")


@command(app, "rotate")
def rotate(
    options: Options,
    name: Name,
    keep: Annotated[
        int,
        typer.Option(help="The old key counts for so many hours still.", metavar="HOURS", min=0),
    ] = 0,
) -> None:
    """Replace a key: print a new one of the same name, role and scope."""
    with _opened(options) as s:
        old = s.keys.get(name)
        made = s.keys.rotate(old.id, keep_hours=keep)
        now = s.inner.app.clock.now()
    _tell(options, made, now)
    if not options.json:
        note(f"key {old.id} counts for {keep} h still" if keep else f"key {old.id} is revoked")


def key_shape(key: "ApiKey", now: int) -> dict[str, Any]:
    """Return a key as JSON shows it; the digest stays in the database."""
    return {
        "id": key.id,
        "name": key.name,
        "role": key.role,
        "tenant": key.scope.tenant or None,
        "project": key.scope.project or None,
        "user": key.scope.user or None,
        "state": _state(key, now),
        "created_at": iso(key.created_at),
        "expires_at": iso(key.expires_at) if key.expires_at else None,
        "revoked_at": iso(key.revoked_at) if key.revoked_at else None,
        "used_at": iso(key.used_at) if key.used_at else None,
    }


def _opened(options: Options, *, create: bool = False) -> "Seasoned":
    """Open the database for keys: the current folder says nothing about whom a key is for."""
    from dataclasses import replace

    named = replace(options, project=options.project or "", user=options.user or "")
    return named.open(create=create)


def _place(options: Options) -> Any:
    from seasoned.core.scope import Scope

    return Scope(options.tenant or "", options.project or "", options.user or "")


def _role(text: str) -> Any:
    """Hand the role on as typed; the keys themselves refuse an unknown one."""
    return text


def _tell(options: Options, made: "NewKey", now: int) -> None:
    if options.json:
        emit(key_shape(made.key, now) | {"key": made.text})
        return
    from seasoned.core.authority import owner

    key = made.key
    until = f", until {iso(key.expires_at)}" if key.expires_at else ""
    whose = owner(key.scope) if any(key.scope.fields()) else "everything, of all tenants"
    note(f"key {key.id} ({key.name}): {key.role}, for {whose}{until}")
    note("it is shown this once; send it as `Authorization: Bearer KEY`")
    typer.echo(made.text)


def _state(key: "ApiKey", now: int) -> str:
    fault = key.fault(now)
    return {"was revoked": "revoked", "has expired": "expired"}.get(fault, "usable")


def _row(key: "ApiKey", now: int) -> list[Any]:
    from seasoned.core.authority import owner
    from seasoned.core.clock import ago

    state = _state(key, now)
    if state == "usable" and key.expires_at:
        state = f"until {iso(key.expires_at)[:10]}"
    used = ago(key.used_at, now) if key.used_at else "never"
    return [words(key.id), key.name, key.role, state, used, owner(key.scope)]
