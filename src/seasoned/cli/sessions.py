"""`seasoned sessions …`: conversations of agents."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.command import Limit, Options, Yes, command
from seasoned.cli.show.render import emit, heading, indented, note, pairs, say, table, words
from seasoned.cli.terminal import confirmed
from seasoned.core.clock import SystemClock, ago, iso
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.sessions.session import TurnRecord

app = typer.Typer(no_args_is_help=True, help="Show, end and delete conversations.")

Name = Annotated[
    str, typer.Argument(help="Name of the session, or a prefix of it.", metavar="SESSION")
]


@command(app, "list")
def list_sessions(
    options: Options,
    limit: Limit = 50,
) -> None:
    """List sessions, latest first."""
    with options.open() as s:
        found = s.sessions.list(limit=limit)
    if options.json:
        emit([_shape(one) for one in found])
        return
    if not found:
        note("no sessions yet; `seasoned chat` starts one")
        return
    now = SystemClock().now()
    rows = [
        (
            one.name,
            f"{one.turns:,}",
            f"{one.last_seq:,}",
            one.end_reason or "open",
            ago(one.active_at, now),
            one_line(one.title, 60),
        )
        for one in found
    ]
    say(table(("session", ">turns", ">messages", "state", "active", "first message"), rows))


@command(app, "show")
def show(options: Options, session: Name) -> None:
    """Show the messages of a session, and how each turn ended."""
    with options.open() as s:
        found = s.sessions.get(session)
        messages, turns = s.sessions.messages(found.name), s.sessions.turns(found.name)
    if options.json:
        emit(
            {
                **_shape(found),
                "messages": [
                    {"seq": one.seq, "turn": one.turn, "role": one.role, "text": one.text}
                    for one in messages
                ],
                "turn_records": [
                    {
                        "turn": one.turn,
                        "status": one.status,
                        "error": one.error,
                        "input_tokens": one.input_tokens,
                        "output_tokens": one.output_tokens,
                    }
                    for one in turns
                ],
            }
        )
        return
    say(words(found.name, "bold"))
    state = f"{found.end_reason} {iso(found.ended_at)}" if found.ended_at else "open"
    say(pairs([("started", iso(found.started_at)), ("state", state)]))
    ends = {one.turn: one for one in turns}
    last = 0
    for one in messages:
        if one.turn != last:
            last, end = one.turn, ends.get(one.turn)
            how = "" if end is None or end.status == "done" else f"  ({_ending(end)})"
            say(heading(f"Turn {one.turn}{how}"))
        say(indented(f"{one.role}: {one.text}", "dim" if one.role == "tool" else ""))


@command(app, "end")
def end(options: Options, session: Name) -> None:
    """Close a session; its lessons are then learned."""
    with options.open() as s:
        ended = s.sessions.end(session)
    emit(_shape(ended)) if options.json else say(f"closed {ended.name}")


@command(app, "delete")
def delete(
    options: Options,
    session: Name,
    yes: Yes = False,
) -> None:
    """Delete a session with its messages and memory.

    Lessons learned from it stay; `seasoned lessons forget` removes those.
    """
    with options.open() as s:
        found = s.sessions.get(session)
        if not yes and not confirmed(f"Delete {found.name} with its {found.last_seq:,} messages?"):
            raise typer.Abort
        s.sessions.delete(found.name)
    emit(_shape(found)) if options.json else say(f"deleted {found.name}")


def _ending(turn: "TurnRecord") -> str:
    """Say how a turn ended that was not answered."""
    if turn.status == "open":
        return "cut off, or still going on"
    return f"{turn.status}: {turn.error}" if turn.error else turn.status


def _shape(session: Any) -> dict[str, Any]:
    return {
        "session": session.name,
        "title": session.title,
        "user": session.scope.user,
        "started_at": iso(session.started_at),
        "active_at": iso(session.active_at),
        "ended_at": iso(session.ended_at) if session.ended_at else None,
        "end_reason": session.end_reason,
        "turns": session.turns,
        "messages": session.last_seq,
    }
