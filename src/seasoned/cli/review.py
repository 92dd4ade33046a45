"""`seasoned review`: decide on what was learned but needs a person's word, one after another."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from seasoned.cli.command import Limit, Options, command, with_options
from seasoned.cli.show.render import emit, note, say, visible, words
from seasoned.core.errors import SeasonedError
from seasoned.core.text import one_line

if TYPE_CHECKING:
    from seasoned.api import Seasoned
    from seasoned.api.review import WaitingItem
    from seasoned.lessons.lesson import Lesson

app = typer.Typer(invoke_without_command=True)

Id = Annotated[
    str, typer.Argument(help="Id of the lesson or conflict, or a prefix of it.", metavar="ID")
]
KEYS = "[a]ccept [e]dit [r]eject [l]ater [q]uit"
CONFLICT_KEYS = "[a] newer [r] older [b]oth [l]ater [q]uit"
HOW = "`seasoned review accept ID`, `reject ID` and `edit ID WORDS` decide; `--json` lists all"
OUTCOMES = {"a": "accepted", "e": "edited", "r": "rejected", "b": "both kept", "l": "for later"}

AskKey = Callable[[str, str], str]  # the line of keys, the keys themselves
AskWords = Callable[[str], str | None]  # the present words


def review(options: Options, limit: Limit = 100) -> None:
    """Decide on candidate rules, fixes and conflicts, with their evidence.

    Shows one after another: accept, edit, reject or leave for later. Without a project's folder
    or --project, those of all projects. Without a terminal it lists them.
    """
    from seasoned.cli.show.review import items_shape

    with options.open(everyone=True) as s:
        items = s.review.list(limit=limit)
        if options.json:
            emit(items_shape(items))
        elif not items:
            say("Nothing waits for review.")
        elif sys.stdin.isatty() and sys.stdout.isatty():
            walk(s, items, ask_key, ask_words)
        else:
            _list(s, items)


app.callback()(with_options(review, alone=True))


def walk(
    s: "Seasoned", items: "Sequence[WaitingItem]", key: AskKey, new_words: AskWords
) -> Counter[str]:
    """Show items one by one, and do what the keys say; return how often each was pressed."""
    from seasoned.cli.show.review import show_item

    names = _names(s)
    done: Counter[str] = Counter()
    for number, item in enumerate(items, 1):
        project = item.lesson.scope.project
        show_item(item, f"{number} of {len(items)} · ", names.get(project, project))
        pressed = _decided(s, item, key, new_words)
        if pressed == "q":
            break
        done[pressed] += 1
    told = ", ".join(f"{done[name]:,} {said}" for name, said in OUTCOMES.items() if done[name])
    left = len(items) - done.total()
    rest = f"{left:,} not reached" if left else ""
    say(words(f"\n{', '.join(filter(None, (told, rest))) or 'nothing decided'}.", "bold"))
    if done["a"] + done["e"] + done["r"]:
        say("`seasoned review accept ID` and `reject ID` change a decision.")
    return done


def _decided(s: "Seasoned", item: "WaitingItem", key: AskKey, new_words: AskWords) -> str:
    """Ask until there is a decision, and carry it out."""
    conflict = item.conflict is not None
    while True:
        pressed = key(CONFLICT_KEYS if conflict else KEYS, "arblq" if conflict else "aerlq")
        words_given = new_words(item.lesson.content) if pressed == "e" else None
        if pressed == "e" and words_given is None:
            continue  # back to the question
        try:
            lesson = _carry_out(s, item, pressed, words_given)
        except SeasonedError as error:  # too long, or gone meanwhile: the next one is not affected
            note(f"error: {error}")
            if pressed == "e":
                continue
            return "l"
        if lesson is not None:
            say(words(f"{_outcome(lesson)}: {one_line(lesson.content, 60)}", "green"))
        return pressed


def _carry_out(
    s: "Seasoned", item: "WaitingItem", pressed: str, new_words: str | None
) -> "Lesson | None":
    if new_words is not None:
        return s.review.edit(item.id, new_words)
    if pressed in ("a", "b"):
        return s.review.accept(item.id, keep="both" if pressed == "b" else "later")
    return s.review.reject(item.id) if pressed == "r" else None


def _outcome(lesson: "Lesson") -> str:
    return {"active": "Active", "retired": "Rejected"}.get(lesson.status, lesson.status)


def _list(s: "Seasoned", items: "Sequence[WaitingItem]") -> None:
    from seasoned.cli.show.review import show_item

    names = _names(s)
    for number, item in enumerate(items, 1):
        project = item.lesson.scope.project
        show_item(item, f"{number} of {len(items)} · ", names.get(project, project))
    note(f"not a terminal: {HOW}")


def _names(s: "Seasoned") -> dict[str, str]:
    from seasoned.transcripts.projects import short_names

    return short_names(s.known_scopes().projects)


def ask_key(line: str, keys: str) -> str:
    """Read one key at the terminal; what was typed before the question does not count."""
    typer.echo(visible(f"{line} "), nl=False)
    while True:
        _drop_typed_ahead()
        try:
            pressed = typer.getchar().lower()
        except EOFError:
            pressed = "q"
        if pressed in ("\x04", "\x1b"):  # Ctrl-D, Escape
            pressed = "q"
        if pressed in keys and pressed:
            typer.echo()
            return pressed


def _drop_typed_ahead() -> None:
    try:
        import termios
    except ImportError:  # Windows: getchar reads the console directly
        return
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def ask_words(present: str) -> str | None:
    """Let the person change a line; None if it is emptied or left with Ctrl-C."""
    try:
        import readline
    except ImportError:  # Windows
        readline = None
    if readline is not None:
        readline.set_startup_hook(lambda: readline.insert_text(visible(present)))
    try:
        return input("new words: ").strip() or None
    except (EOFError, KeyboardInterrupt):
        typer.echo()
        return None
    finally:
        if readline is not None:
            readline.set_startup_hook(None)


@command(app, "accept")
def accept(
    options: Options,
    name: Id,
    keep: Annotated[
        str, typer.Option(help="Of a conflict: earlier, later or both.", metavar="WHICH")
    ] = "later",
) -> None:
    """Adopt a lesson as if you had taught it; it is active from now on."""
    with options.open(about=name) as s:
        _tell(options, s.review.accept(name, keep=keep))


@command(app, "reject")
def reject(options: Options, name: Id) -> None:
    """Refuse a lesson; it does not come back by itself."""
    with options.open(about=name) as s:
        _tell(options, s.review.reject(name))


@command(app, "edit")
def edit(
    options: Options,
    name: Id,
    new_words: Annotated[list[str], typer.Argument(help="Its new words.", metavar="WORDS")],
) -> None:
    """Adopt a lesson in other words."""
    with options.open(about=name) as s:
        _tell(options, s.review.edit(name, " ".join(new_words)))


def _tell(options: Options, lesson: "Lesson") -> None:
    from seasoned.cli.show.shapes import lesson_shape

    if options.json:
        emit(lesson_shape(lesson))
    else:
        say(f"{_outcome(lesson)} {lesson.kind} {lesson.id}: {one_line(lesson.content)}")
