"""`seasoned corrections …`: corrections by users, pending and learned."""

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.command import Limit, Options, Yes, command, quiet_logger
from seasoned.cli.observe import shell_session
from seasoned.cli.show.render import emit, indented, many, note, say
from seasoned.cli.terminal import confirmed
from seasoned.core.errors import BadInput
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.rules.learner import CaseResult

app = typer.Typer(
    no_args_is_help=True, help="Correct an agent; show and process corrections by users."
)

SOME = "Id of the correction, or a prefix of it; default: all that failed."
Id = Annotated[str, typer.Argument(help="Id of the correction, or a prefix of it.", metavar="ID")]
Archived = Annotated[bool, typer.Option("--archived", help="List archived ones (over the cap).")]
MARKS = {"learned": "✓", "strengthened": "+", "no rule": "·", "failed": "✗"}


@command(app, "add")
def add(
    options: Options,
    text: Annotated[
        list[str], typer.Argument(help="The correction, in the user's words.", metavar="TEXT")
    ],
    request: Annotated[
        str | None,
        typer.Option(help="Request it is about; default: the session's last.", metavar="TEXT"),
    ] = None,
    reply: Annotated[
        str | None,
        typer.Option(help="Reply it corrects; default: the session's last.", metavar="TEXT"),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(help="Session it belongs to; default: this shell's.", metavar="NAME"),
    ] = None,
) -> None:
    """Correct the agent.

    A provisional rule applies to the session at once; the correction is then analysed in the
    background (`seasoned corrections`).
    """
    from seasoned.cli.show.rules import rule_shape

    name = session or shell_session()
    with options.open(create=True) as s:
        notice = s.correct(" ".join(text), request=request, reply=reply, session=name)
    rule = notice.rule
    if options.json:
        emit(
            {
                "correction": notice.case,
                "session": name,
                "rule": rule_shape(rule) if rule else None,
            }
        )
    elif rule is not None:
        say(f"Provisional rule {rule.id} applies to session {name}:")
        say(indented(rule.content))
        say(f"`seasoned corrections show {notice.case}` shows its analysis.")


@command(app, "pending")
def pending(options: Options, archived: Archived = False, limit: Limit = 50) -> None:
    """List pending corrections, newest first, and how full the queue is."""
    from seasoned.cli.show.corrections import show_waiting, waiting_shape

    with options.open() as s:
        status = s.corrections.status()
        # An unreachable queue has no items to list; its status says why.
        waiting = () if status["error"] else s.corrections.pending(archived=archived, limit=limit)
    if options.json:
        emit({"queue": status, "corrections": [waiting_shape(one) for one in waiting]})
        return
    show_waiting(status, waiting)
    if status["error"]:
        note(f"warning: the queue is unreachable: {status['error']}")


@command(app, "show")
def show(options: Options, name: Id) -> None:
    """Show one correction in full, with its outcome."""
    from seasoned.cli.show.corrections import analysed_shape, show_correction, waiting_shape
    from seasoned.db.queue.queue import QueueItem

    _not_empty(name)
    with options.open() as s:
        found = s.corrections.get(name)
    if options.json:
        emit(waiting_shape(found) if isinstance(found, QueueItem) else analysed_shape(found))
    else:
        show_correction(found)


@command(app, "learn")
def learn(
    options: Options,
    limit: Annotated[
        int | None, typer.Option(help="Process at most N.", min=1, metavar="N", show_default=False)
    ] = None,
) -> None:
    """Learn from the corrections that are due; failed ones stay in the queue with their error.

    An agent's process does the same: soon after a correction, with a model every two minutes.
    """
    from seasoned.api.corrections import ALL
    from seasoned.cli.show.corrections import learned_shape

    with options.open() as s, quiet_logger("seasoned.rules.pending"):
        tell = None if options.json else _print_learned
        done = s.corrections.learn(limit=limit or ALL, tell=tell)
        status = s.corrections.status()
        left: int = status["pending"]
    if options.json:
        emit({"corrections": [learned_shape(one) for one in done], "pending": left})
        return
    counts = Counter(one.outcome for one in done)
    outcomes = ", ".join(f"{counts[name]:,} {name}" for name in MARKS if counts[name])
    pending = f"; {left:,} still pending" if left else ""
    if done:
        say(f"{many(len(done), 'correction')} ({done[0].by}): {outcomes}{pending}.")
    else:
        note(f"nothing is due{pending}; `seasoned corrections retry` retries failed ones")
    if status["failing"]:
        note(f"{status['failing']:,} failing; `seasoned corrections pending` shows why")


def _print_learned(one: "CaseResult") -> None:
    became = f"{one.rule.id}  {one_line(one.rule.content)}" if one.rule else one.reason
    say(f"{MARKS[one.outcome]} {one.outcome:<12}  {one.case.id}  {became}")


@command(app, "history")
def history(options: Options, limit: Limit = 20) -> None:
    """List analysed corrections with their outcome, newest first."""
    from seasoned.cli.show.corrections import analysed_shape, history_table

    with options.open() as s:
        found = s.corrections.history(limit=limit)
    if options.json:
        emit([analysed_shape(one) for one in found])
    elif found:
        say(history_table(found))
    else:
        note("no correction analysed yet; `seasoned corrections pending` lists pending ones")


@command(app, "retry")
def retry(
    options: Options,
    name: Annotated[str | None, typer.Argument(help=SOME, metavar="ID")] = None,
) -> None:
    """Retry failed corrections now; an archived one goes back to the queue."""
    _not_empty(name)
    with options.open() as s:
        due = s.corrections.retry(name)
    if options.json:
        emit({"due": due})
    else:
        say(f"{many(due, 'correction')} due; `seasoned corrections learn` processes them now.")


@command(app, "clear")
def clear(
    options: Options,
    name: Annotated[
        str | None,
        typer.Argument(help=SOME.replace("that failed", "pending"), metavar="ID"),
    ] = None,
    archived: Annotated[
        bool, typer.Option("--archived", help="Remove all archived ones instead.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Remove one or all pending corrections without learning from them."""
    _not_empty(name)
    if name is not None and archived:
        raise BadInput("give an id or --archived; an id works for archived ones too")
    with options.open() as s:
        number = s.corrections.status()["archived" if archived else "pending"]
        which = f"correction {name}" if name else f"{many(number, 'correction')}, unlearned"
        if not yes and sys.stdin.isatty() and not confirmed(f"Clear {which}?"):
            note("nothing changed")
            return
        gone = s.corrections.clear(name, archived=archived)
    if options.json:
        emit({"cleared": gone})
    else:
        say(f"Cleared {many(gone, 'correction')}; they taught nothing.")


def _not_empty(name: str | None) -> None:
    if name is not None and not name.strip():
        raise BadInput("the id is empty; `seasoned corrections pending` lists ids")
