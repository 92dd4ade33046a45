"""`seasoned corrections …`: what users corrected, what waits, and what came of it."""

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.asking import agreed
from seasoned.cli.commands import command
from seasoned.cli.logs import told_here
from seasoned.cli.options import Options
from seasoned.cli.render import emit, many, note, say
from seasoned.core.errors import BadInput
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.learning.learner import Learned

app = typer.Typer(no_args_is_help=True, help="See what users corrected, and what came of it.")

SOME = "The correction's id, or the beginning of it; all that failed without it."
Id = Annotated[
    str, typer.Argument(help="The correction's id, or the beginning of it.", metavar="ID")
]
Limit = Annotated[int, typer.Option(help="At most so many.", min=1, metavar="N")]
Archived = Annotated[bool, typer.Option("--archived", help="Those that the cap put aside.")]
MARKS = {"learned": "✓", "strengthened": "+", "no rule": "·", "failed": "✗"}


@command(app, "pending")
def pending(options: Options, archived: Archived = False, limit: Limit = 50) -> None:
    """Show the corrections that wait to be learned from, the newest first, and how full it is."""
    from seasoned.cli.correction_shapes import waiting_shape
    from seasoned.cli.correction_tables import show_waiting

    with options.open() as s:
        status = s.corrections.status()
        # A queue that is away has its numbers unknown; the status says so, and why.
        waiting = () if status["error"] else s.corrections.pending(archived=archived, limit=limit)
    if options.json:
        emit({"queue": status, "corrections": [waiting_shape(one) for one in waiting]})
        return
    show_waiting(status, waiting)
    if status["error"]:
        note(f"warning: the queue cannot be reached: {status['error']}")


@command(app, "show")
def show(options: Options, name: Id) -> None:
    """Show one correction in full: what it corrected, and what came of it."""
    from seasoned.cli.correction_shapes import analysed_shape, waiting_shape
    from seasoned.cli.correction_tables import show_correction
    from seasoned.db.queue import Waiting

    _not_empty(name)
    with options.open() as s:
        found = s.corrections.get(name)
    if options.json:
        emit(waiting_shape(found) if isinstance(found, Waiting) else analysed_shape(found))
    else:
        show_correction(found)


@command(app, "learn")
def learn(
    options: Options,
    limit: Annotated[
        int | None, typer.Option(help="At most so many.", min=1, metavar="N", show_default=False)
    ] = None,
) -> None:
    """Learn from the corrections that are due, now; what fails stays, with its error.

    An agent's process does the same by itself, every two minutes (behavioral.intervalSeconds).
    """
    from seasoned.cli.correction_shapes import learned_shape
    from seasoned.faces.corrections import ALL

    with options.open() as s, told_here("seasoned.learning.pending"):
        tell = None if options.json else _tell
        done = s.corrections.learn(limit=limit or ALL, tell=tell)
        status = s.corrections.status()
        left: int = status["pending"]
    if options.json:
        emit({"corrections": [learned_shape(one) for one in done], "pending": left})
        return
    counts = Counter(one.outcome for one in done)
    told = ", ".join(f"{counts[name]:,} {name}" for name in MARKS if counts[name])
    waits = f"; {left:,} still waiting" if left else ""
    if done:
        say(f"{many(len(done), 'correction')} ({done[0].by}): {told}{waits}.")
    else:
        note(f"nothing is due{waits}; `seasoned corrections retry` makes what failed due")
    if status["failing"]:
        note(f"{status['failing']:,} failing; `seasoned corrections pending` shows why")


def _tell(one: "Learned") -> None:
    became = f"{one.rule.id}  {one_line(one.rule.content)}" if one.rule else one.reason
    say(f"{MARKS[one.outcome]} {one.outcome:<12}  {one.case.id}  {became}")


@command(app, "history")
def history(options: Options, limit: Limit = 20) -> None:
    """Show the corrections that were learned from, the newest first, and what came of each."""
    from seasoned.cli.correction_shapes import analysed_shape
    from seasoned.cli.correction_tables import history_table

    with options.open() as s:
        found = s.corrections.history(limit=limit)
    if options.json:
        emit([analysed_shape(one) for one in found])
    elif found:
        say(history_table(found))
    else:
        note("no correction was learned from yet; `seasoned corrections pending` shows what waits")


@command(app, "retry")
def retry(
    options: Options,
    name: Annotated[str | None, typer.Argument(help=SOME, metavar="ID")] = None,
) -> None:
    """Make corrections due now whose analysis failed; an archived one that is named comes back."""
    _not_empty(name)
    with options.open() as s:
        due = s.corrections.retry(name)
    if options.json:
        emit({"due": due})
    else:
        say(f"{many(due, 'correction')} due; `seasoned corrections learn` takes them up now.")


@command(app, "clear")
def clear(
    options: Options,
    name: Annotated[
        str | None,
        typer.Argument(help=SOME.replace("failed", "waits"), metavar="ID"),
    ] = None,
    archived: Annotated[
        bool, typer.Option("--archived", help="All that the cap put aside instead.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Take corrections away without learning from them: one, or all that wait."""
    _not_empty(name)
    if name is not None and archived:
        raise BadInput("give an id or --archived; an id is found in the archive, too")
    with options.open() as s:
        number = s.corrections.status()["archived" if archived else "pending"]
        which = f"correction {name}" if name else f"{many(number, 'correction')}, unlearned"
        if not yes and sys.stdin.isatty() and not agreed(f"Clear {which}?"):
            note("nothing was changed")
            return
        gone = s.corrections.clear(name, archived=archived)
    if options.json:
        emit({"cleared": gone})
    else:
        say(f"Cleared {many(gone, 'correction')}; nothing was learned from them.")


def _not_empty(name: str | None) -> None:
    if name is not None and not name.strip():
        raise BadInput("the id is empty; `seasoned corrections pending` shows them")
